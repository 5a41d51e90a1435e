"""The extractive integrator's network on numpy: what is to be taken next, or whether to stop."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.answering.integration.signals import SIGNALS, STATE
from core.errors import ModelUnavailable
from core.files import RESOURCES
from core.text.translation import tr

# Beside the packages, like the sample folder.
SHIPPED = RESOURCES / "integrator.safetensors"
CLIP = 5.0
DIMENSION = 384  # of the vectors that it was trained on
_Array = NDArray[np.float32]
SHAPES = (
    "centre", "scale", "direct", "in_weight", "in_bias", "mid_weight", "mid_bias", "out_weight", "meaning",
    "stop_direct", "stop_bias", "stop_in", "stop_in_bias", "stop_out",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IntegratorModel:
    """A linear part, two hidden layers of h units over d signals, and a weighing of the product of the question's and
    the piece's vector; for stopping a linear part and one hidden layer over the state (all float32)."""

    centre: _Array  # (d,)
    scale: _Array  # (d,)
    direct: _Array  # (d,)
    in_weight: _Array  # (h, d)
    in_bias: _Array  # (h,)
    mid_weight: _Array  # (h, h)
    mid_bias: _Array  # (h,)
    out_weight: _Array  # (h,)
    meaning: _Array  # (384,)
    stop_direct: _Array  # (s,)
    stop_bias: _Array  # (1,)
    stop_in: _Array  # (h, s)
    stop_in_bias: _Array  # (h,)
    stop_out: _Array  # (h,)

    def standard(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Signals (n, d) as the network reads them."""
        return np.asarray(np.clip((values - self.centre) / self.scale, -CLIP, CLIP))

    def score(
        self, values: NDArray[np.float64], products: _Array, state: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(n + 1,) logits of the pieces and, last, of stopping; of `signals` and `Seen.products`."""
        x = self.standard(values)
        hidden = np.maximum(x @ self.in_weight.T + self.in_bias, 0)
        hidden = np.maximum(hidden @ self.mid_weight.T + self.mid_bias, 0)
        pieces = x @ self.direct + hidden @ self.out_weight + products @ self.meaning
        own = slice(len(SIGNALS) - len(STATE), None)
        s = np.clip((state - self.centre[own]) / self.scale[own], -CLIP, CLIP)
        inner = np.maximum(self.stop_in @ s + self.stop_in_bias, 0)
        stop = self.stop_direct @ s + self.stop_bias[0] + self.stop_out @ inner
        return np.append(pieces, stop).astype(np.float64)


def shapes(hidden: int) -> dict[str, tuple[int, ...]]:
    d, s, h = len(SIGNALS), len(STATE), hidden
    return {
        "centre": (d,), "scale": (d,), "direct": (d,), "in_weight": (h, d), "in_bias": (h,), "mid_weight": (h, h),
        "mid_bias": (h,), "out_weight": (h,), "meaning": (DIMENSION,), "stop_direct": (s,), "stop_bias": (1,),
        "stop_in": (h, s), "stop_in_bias": (h,), "stop_out": (h,),
    }  # fmt: skip


def load_model(path: Path = SHIPPED) -> tuple[IntegratorModel, str]:
    """The model, and the report of its training as JSON. Raises ModelUnavailable when the file is missing, broken or
    made for other signals."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in SHAPES}
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable(
            tr("The integrator's model {name} cannot be read.", name=path.name),
            tr(
                "Give a file of clew research train integrator; where it is the one that Clew comes with, install "
                "Clew again."
            ),
        ) from error
    wanted = shapes(tensors["in_bias"].size)
    fits = all(tensors[name].shape == wanted[name] and np.isfinite(tensors[name]).all() for name in SHAPES)
    if header.get("signals", "").split(",") != list(SIGNALS) or not fits or not (tensors["scale"] > 0).all():
        raise ModelUnavailable(
            tr("The integrator's model {name} was made for another version.", name=path.name),
            tr("Train it again: clew research train integrator DATASET... --out FILE"),
        )
    return IntegratorModel(**tensors), header.get("report", json.dumps({}))


def save_model(model: IntegratorModel, path: Path, report: str) -> None:
    """Write safetensors with the names of the signals and a report in JSON. Raises OSError."""
    from safetensors.numpy import save_file

    tensors = {name: np.ascontiguousarray(getattr(model, name)) for name in SHAPES}
    new = path.with_name(f"{path.name}.new")
    save_file(tensors, str(new), {"signals": ",".join(SIGNALS), "report": report})
    os.replace(new, path)
