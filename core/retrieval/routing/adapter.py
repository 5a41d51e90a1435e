"""The adapter of EA-GraphRAG 3.3: a small network tells from a question's own features whether it is one for the graph.

Beside `weighing.py`, which hears the ranked lists, too, and decides by default. Numpy only.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion
from core.files import RESOURCES
from core.files.tensors import pack_tensors, read_tensors
from core.retrieval.fusion import UNTRAINED
from core.retrieval.routing.features.vector import described
from core.retrieval.routing.weighing import MOST_FEATURES, Array, standardised, written
from core.types import Complexity, Feature

FORMAT = "clew-adapter-1"
SHIPPED = RESOURCES / "adapter.safetensors"
HIDDEN = (256, 128, 64)
_LARGEST = 1e6  # of larger numbers the layers make infinity, and s(q) would be none
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Adapter:
    """`names` of the d features that were chosen; `mean` and `scale`, (d,), standardise them.

    `layers` are weights (out, in) and biases (out,): attention over the features, hidden layers, attention over what
    the last of them says, logit. `low` and `high` are the thresholds of eq. 2.
    """

    names: tuple[str, ...]
    mean: Array
    scale: Array
    layers: tuple[tuple[Array, Array], ...]
    low: float
    high: float

    def logits(self, z: Array) -> Array:
        """(n,) of standardised features (n, d). Neighbouring hidden layers differ in width, so that residuals, which
        stand "where dimensions match", go around the attentions."""
        if not self.layers:
            return np.zeros(len(z))
        first, *hidden, last, out = self.layers
        activations = _attended(z, *first)
        for weights, bias in hidden:
            activations = np.maximum(activations @ weights.T + bias, 0.0)
        found: Array = (_attended(activations, *last) @ out[0].T + out[1])[:, 0]
        return found

    def scores(self, z: Array) -> Array:
        """s(q), (n,), in (0, 1). Eq. 1."""
        found: Array = 1.0 / (1.0 + np.exp(-self.logits(z)))
        return found

    def weights(self, score: float) -> tuple[float, float]:
        """Of meaning and of the graph: one alone at or beyond its threshold, else as eq. 8 has them. Eq. 2 and 10."""
        if score >= self.high:
            return 0.0, 1.0
        return (1.0, 0.0) if score <= self.low else (1.0 - score, score)

    def judged(self, question: ParsedQuestion) -> Complexity:
        """With what moved the logit: what it loses where a feature is as it is on average."""
        signals = {signal.name: signal for signal in described(question)}
        values = {name: signal.value for name, signal in signals.items()}
        z = standardised(self.names, self.mean, self.scale, values)
        without = np.where(np.eye(len(z), dtype=bool), 0.0, z)
        logits = self.logits(np.vstack([z, without]))
        moved = logits[0] - logits[1:]
        order = np.argsort(-np.abs(moved), kind="stable")[:MOST_FEATURES]
        ranked = [(signals[self.names[at]], float(moved[at])) for at in order if self.names[at] in signals]
        features = tuple(Feature(each.name, each.value, moves, each.words) for each, moves in ranked)
        score = float(self.scores(z[None])[0])
        dense, graph = self.weights(score)
        weights = {"lexical": 0.0, "dense": dense, "graph": graph}
        return Complexity(
            score, self.low, self.high, features, weights, "adapter" if self.names else UNTRAINED
        )


EVEN = Adapter((), np.zeros(0), np.ones(0), (), 0.0, 1.0)


def _attended(values: Array, weights: Array, bias: Array) -> Array:
    """Each of (n, d) by what the others say of it, with itself as the residual."""
    logits = values @ weights.T + bias
    powers = np.exp(logits - logits.max(1, keepdims=True))
    found: Array = values + values * values.shape[1] * powers / powers.sum(1, keepdims=True)
    return found


def write(path: Path, adapter: Adapter, report: Mapping[str, object]) -> Path:
    """Write it, and how it came about beside it; the report's path. Raises BadInput where that fails."""
    tensors = {"mean": adapter.mean, "scale": adapter.scale}
    for at, (weights, bias) in enumerate(adapter.layers):
        tensors |= {f"weights_{at}": weights, f"bias_{at}": bias}
    single = {name: np.ascontiguousarray(each, dtype=np.float32) for name, each in tensors.items()}
    metadata = {"format": FORMAT, "features": json.dumps(adapter.names)}
    metadata["thresholds"] = json.dumps([adapter.low, adapter.high])
    return written(path, pack_tensors(single, metadata), report)


def read(path: Path = SHIPPED) -> Adapter:
    """What the file holds; where it cannot serve, one by which meaning and graph count the same."""
    try:
        metadata, tensors = read_tensors(path, FORMAT)
        names = tuple(str(name) for name in json.loads(metadata["features"]))
        low, high = map(float, json.loads(metadata["thresholds"]))
        return _to_adapter(tensors, replace(EVEN, names=names, low=low, high=high))
    except (KeyError, TypeError, ValueError) as error:
        _log.info("meaning and graph count the same: %s: %s", path.name, error)
        return EVEN


def _to_adapter(tensors: Mapping[str, NDArray[np.floating]], partial_adapter: Adapter) -> Adapter:
    """Raises KeyError and ValueError for numbers that are no adapter."""
    n = len(partial_adapter.names)
    widths = ((n, n), *zip((n, *HIDDEN), HIDDEN, strict=False), (HIDDEN[-1], HIDDEN[-1]), (HIDDEN[-1], 1))
    shapes: dict[str, tuple[int, ...]] = {"mean": (n,), "scale": (n,)}
    for at, (wide, out) in enumerate(widths):
        shapes |= {f"weights_{at}": (out, wide), f"bias_{at}": (out,)}
    arrays = {name: tensors[name].astype(np.float64) for name in shapes}
    # Written so that nan is none either.
    if any(
        arrays[name].shape != shape or not (np.abs(arrays[name]) < _LARGEST).all()
        for name, shape in shapes.items()
    ):
        raise ValueError("its numbers are broken")
    if (
        not n
        or not (arrays["scale"] > 0).all()
        or not 0.0 <= partial_adapter.low < partial_adapter.high <= 1.0
    ):
        raise ValueError("a feature has no spread, or the thresholds are none")
    layers = tuple((arrays[f"weights_{at}"], arrays[f"bias_{at}"]) for at in range(len(widths)))
    return replace(partial_adapter, mean=arrays["mean"], scale=arrays["scale"], layers=layers)
