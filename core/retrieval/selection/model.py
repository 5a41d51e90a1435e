"""The small model that says which passage to take next: numbers only, no torch at query time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelUnavailable
from core.files import RESOURCES
from core.retrieval.selection.pool import SIGNALS
from core.text.translation import tr

# Beside the packages, like the sample folder.
SHIPPED = RESOURCES / "selection.safetensors"

SUFFIX = ".safetensors"

_CLIP = 5.0
_SHAPES = ("centre", "scale", "direct", "in_weight", "in_bias", "mid_weight", "mid_bias", "out_weight")


@dataclass(frozen=True, slots=True)
class SelectionModel:
    """Scores of a linear part plus two hidden layers of h units over d signals (float32)."""

    centre: NDArray[np.float32]  # (d,) mean of each signal in training
    scale: NDArray[np.float32]  # (d,)
    direct: NDArray[np.float32]  # (d,)
    in_weight: NDArray[np.float32]  # (h, d)
    in_bias: NDArray[np.float32]  # (h,)
    mid_weight: NDArray[np.float32]  # (h, h)
    mid_bias: NDArray[np.float32]  # (h,)
    out_weight: NDArray[np.float32]  # (h,)

    def score(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, d) signals to (n,) logits; their softmax is the chance to be the next evidence."""
        x = np.clip((values - self.centre) / self.scale, -_CLIP, _CLIP)
        hidden = np.maximum(x @ self.in_weight.T + self.in_bias, 0.0)
        hidden = np.maximum(hidden @ self.mid_weight.T + self.mid_bias, 0.0)
        return np.asarray(x @ self.direct + hidden @ self.out_weight, dtype=np.float64)


def load_model(path: Path) -> SelectionModel:
    """Raises ModelUnavailable when the file is missing, broken or made for other signals."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            names = (file.metadata() or {}).get("signals", "")
            tensors = {name: file.get_tensor(name) for name in _SHAPES}
    except (OSError, SafetensorError) as error:
        raise ModelUnavailable(
            tr("The second stage's model {name} cannot be read.", name=path.name),
            tr(
                "Give a file of clew research train selector; where it is the one that Clew comes with, install "
                "Clew again."
            ),
        ) from error
    if names.split(",") != list(SIGNALS) or not _fits(tensors):
        raise ModelUnavailable(
            tr("The second stage's model {name} was made for another version.", name=path.name),
            tr("Train it again: clew research train selector DATASET... --out FILE"),
        )
    return SelectionModel(**tensors)


def _fits(tensors: dict[str, NDArray[np.float32]]) -> bool:
    """The shapes belong together and every number is one."""
    d, h = len(SIGNALS), tensors["in_bias"].size
    wanted = ((d,), (d,), (d,), (h, d), (h,), (h, h), (h,), (h,))
    shapes = all(tensors[name].shape == shape for name, shape in zip(_SHAPES, wanted, strict=True))
    return (
        shapes and all(np.isfinite(t).all() for t in tensors.values()) and bool((tensors["scale"] > 0).all())
    )


def save_model(model: SelectionModel, path: Path) -> None:
    """Write safetensors with the names of the signals. Raises OSError."""
    from safetensors.numpy import save_file

    tensors = {name: np.ascontiguousarray(getattr(model, name)) for name in _SHAPES}
    save_file(tensors, str(path), {"signals": ",".join(SIGNALS)})
