"""How like questions about all documents a question is worded: one logistic unit over its vector, numpy only.

The rules miss unusual wordings ("give me the lay of the land"); a sentence encoder has seen such words.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.routing.tensors import packed, tensors_of

FORMAT = "clew-scope-1"
SHIPPED = Path(__file__).resolve().parents[2] / "resources" / "scope.safetensors"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScopeModel:
    """`weights` (d,) for unit vectors of questions. Thresholds are probabilities, above which it is sure.

    `open` counts where nothing narrows the question or all documents are spoken of, `narrowed` elsewhere.
    """

    weights: NDArray[np.float64]
    bias: float
    open: float
    narrowed: float

    def probability(self, vector: NDArray[np.floating]) -> float:
        """How surely the question of this unit vector, (d,), is about all documents; 0..1."""
        logit = float(self.weights @ vector.astype(np.float64)) + self.bias
        return 0.5 * (1.0 + math.tanh(0.5 * logit))


def write(path: Path, model: ScopeModel, report: Mapping[str, object]) -> None:
    """Write the weights with what they were chosen by. Raises BadInput where that cannot be."""
    metadata = {
        "format": FORMAT,
        "thresholds": json.dumps((model.open, model.narrowed)),
        "report": json.dumps(report),
    }
    tensors = {"weights": model.weights.astype(np.float32), "bias": np.array([model.bias], dtype=np.float32)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed(tensors, metadata))
    except OSError as error:
        raise BadInput(f"{path} cannot be written ({error.strerror}).", "Choose another --out.") from error


def read(path: Path) -> ScopeModel:
    """Raises ValueError when the file is missing, broken or no model of this kind."""
    metadata, tensors = tensors_of(path, FORMAT)
    try:
        free, narrowed = (float(value) for value in json.loads(metadata["thresholds"]))
        weights, bias = tensors["weights"].astype(np.float64), float(tensors["bias"][0])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name} lacks part of its description") from error
    if weights.ndim != 1 or not np.isfinite([*weights, bias]).all():
        raise ValueError(f"{path.name} has broken weights")
    if not (0.0 <= free <= 1.0 and 0.0 <= narrowed <= 1.0):
        raise ValueError(f"{path.name} has thresholds that are no probabilities")
    return ScopeModel(weights, bias, free, narrowed)


@cache
def shipped() -> ScopeModel | None:
    """The model that comes with Clew, read once; None, and the rules stand alone, where it cannot serve."""
    try:
        return read(SHIPPED)
    except ValueError as error:
        _log.info("the rules alone tell questions about all documents: %s", error)
        return None
