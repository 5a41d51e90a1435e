"""The reader's network on numpy, in full precision: a few passages are read before torch would have been imported."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.models.minilm import model_folder
from core.models.minilm_numpy import NumpyForward
from core.models.reader_encoding import Logits, Pair

_EMBEDDINGS = "embeddings."
_Array: TypeAlias = NDArray[np.float32]


class NumpyNetwork:
    def __init__(self, path: Path) -> None:
        """`path` of what was trained. Raises ModelUnavailable where the encoder's package is missing, and what
        safetensors raises; KeyError where a tensor is missing."""
        from safetensors import safe_open
        from safetensors.numpy import load_file

        weights = {name: np.asarray(tensor, dtype=np.float32) for name, tensor in load_file(path).items()}
        with safe_open(model_folder() / "model.safetensors", framework="numpy") as encoder:
            for name in encoder.keys():  # noqa: SIM118 - it is no mapping
                if name.startswith(_EMBEDDINGS) and name not in weights and "position_ids" not in name:
                    weights[name] = encoder.get_tensor(name)
        self._forward = NumpyForward(weights)
        self._tokens, self._dense, self._pair = (
            (weights[f"heads.{head}.weight"], weights[f"heads.{head}.bias"])
            for head in ("tokens", "dense", "pair")
        )

    def read(self, pair: Pair) -> Logits:
        mask = np.ones((1, len(pair.ids)), dtype=bool)
        (hidden,) = self._forward.hidden(pair.ids[None], mask, pair.segments[None])
        first = np.tanh(_through(hidden[:1], self._dense))
        return Logits.of(_through(hidden, self._tokens), _through(first, self._pair)[0])


def _through(hidden: _Array, head: tuple[_Array, _Array]) -> _Array:
    weight, bias = head
    return np.asarray(hidden @ weight.T + bias, dtype=np.float32)
