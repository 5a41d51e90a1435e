"""What each ranked list counts for a question: a softmax over what the question and the lists themselves show.

EA-GraphRAG weighs by the question's syntax alone; here the lists are heard, too, as in query performance prediction
(Carmel and Yom-Tov 2010). Numpy only.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.config import RoutingConfig
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.files import RESOURCES
from core.files.tensors import pack_tensors, read_tensors
from core.index.lexical import quoted
from core.retrieval.fusion import LISTS, UNTRAINED, Lists
from core.retrieval.query import Query
from core.retrieval.routing.features.signal import Signal
from core.retrieval.routing.features.vector import described
from core.retrieval.routing.list_signals import Terms, head, list_signals, rarity
from core.retrieval.selection.wording import Wording
from core.text.stems import strip_ending
from core.text.translation import tr
from core.types import Complexity, Feature, Route

Array = NDArray[np.float64]
FORMAT = "clew-weights-1"
SHIPPED = RESOURCES / "weights.safetensors"
_NUMBERS, _EARLY = ("mean", "scale", "push", "bias"), "early_"
_CLIP = 3.0  # deviations: further out the model only guesses
_REMEMBERED = 16  # questions
MOST_FEATURES = 12  # features that are named
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Weights:
    """`full` weighs all lists. `early` sees those by words and by meaning alone and tells what the graph's would count:
    s(q) of EA-GraphRAG 3.3 before the graph is asked; None where nothing was learned of that."""

    full: WeightModel
    early: WeightModel | None = None


@dataclass(frozen=True, slots=True)
class WeightModel:
    """`names` of the signals, (n,); `mean` and `scale` standardise them; `push` (3, n) and `bias` (3,) give a
    logit for each list of LISTS."""

    names: tuple[str, ...]
    mean: Array
    scale: Array
    push: Array
    bias: Array

    def standardised(self, values: Mapping[str, float]) -> Array:
        """z-scores, (n,); 0, the average, for a signal that is not known."""
        return standardised(self.names, self.mean, self.scale, values)

    def shares(self, z: Array) -> Array:
        """What each list is worth, (3,), summing to 1."""
        powers = np.exp((logits := self.push @ z + self.bias) - logits.max())
        found: Array = powers / powers.sum()
        return found

    def weights(self, z: Array, high: float) -> Array:
        """The shares; the graph alone where its own is at least `high`.

        It orders by what passages add to each other, which a list that looks at each by itself would undo.
        """
        shares = self.shares(z)
        return GRAPH_ALONE if shares[-1] >= high else shares


GRAPH_ALONE = np.array([float(name == "graph") for name in LISTS])
WITHOUT_GRAPH = 1.0 - GRAPH_ALONE
EQUAL = WeightModel((), np.zeros(0), np.ones(0), np.zeros((len(LISTS), 0)), np.zeros(len(LISTS)))


class Weigher:
    """Decides the weights over one snapshot of a workspace."""

    def __init__(
        self,
        weights: Weights,
        config: RoutingConfig,
        wording: Wording,
        holding: Callable[[Sequence[str]], list[int]],
        passages: int,
        known: Mapping[str, object],
    ) -> None:
        """`holding(queries)` counts the passages with each word, as FTS5 is asked for it, of `passages` in all; `known`
        are names of entities."""
        self._weights = weights
        self._config = config
        self._wording = wording
        # A question is weighed before and after the graph is consulted; what depends on it alone is computed once.
        self._holding = lru_cache(_REMEMBERED)(lambda words: holding(words))
        self._described = lru_cache(_REMEMBERED)(described)
        self._passages = passages
        self._known = known

    def under(self, config: RoutingConfig) -> Weigher:
        """The same by other thresholds."""
        other = copy(self)
        other._config = config
        return other

    def __call__(self, query: Query, lists: Lists) -> Complexity:
        """The weights of these lists for the question, with what moved the graph's."""
        return self._judged(self._weights.full, self.signals(query, lists))

    def enough(self, query: Query, lists: Lists) -> Complexity | None:
        """The weights, where the lists by words and by meaning alone decide: without the graph, where they show that
        it would count at most the low threshold and less than the high one; of the graph alone from the high one on.
        None between them. EA-GraphRAG eq. 2."""
        if (model := self._weights.early) is None or not any(without_graph(lists).values()):
            return None
        found = self._judged(model, self.signals(query, without_graph(lists)))
        if found.score >= self._config.high:
            return found
        if found.score > self._config.low:
            return None
        counted = np.array(list(found.weights.values())) * WITHOUT_GRAPH
        return replace(found, weights=dict(zip(LISTS, (counted / counted.sum()).tolist(), strict=True)))

    def sparing(self, query: Query, lists: Lists) -> Complexity:
        """As `auto` weighs: by words and meaning alone where they are enough to decide."""
        return self.enough(query, lists) or self(query, lists)

    def of_question(self, question: ParsedQuestion) -> Complexity:
        """What the question alone tells, before anything is looked for."""
        return self._judged(self._weights.full, described(question))

    def route(self, complexity: Complexity) -> Route:
        """Named for what dominates: the graph at or above the high threshold, words or meaning at or below the low."""
        if complexity.score >= complexity.high:
            return Route("graph", complexity)
        if complexity.score > complexity.low:
            return Route("fusion", complexity)
        weights = complexity.weights
        return Route(
            "lexical" if weights.get("lexical", 0) > weights.get("dense", 0) else "dense", complexity
        )

    def signals(self, query: Query, lists: Lists) -> tuple[Signal, ...]:
        """Return the signals of the question and of the lists, always the same names in the same order."""
        counts = self._holding(tuple(map(quoted, query.words)))
        rare = tuple(rarity(self._passages, count) for count in counts)
        read = head(lists)
        passages = dict(zip(read, self._wording.of(read), strict=True))
        terms = Terms(tuple(map(strip_ending, query.words)), rare)
        described_question = self._described(query.parsed)
        return (*described_question, *list_signals(lists, terms, passages, query.names, self._known))

    def _judged(self, model: WeightModel, signals: Sequence[Signal]) -> Complexity:
        config = self._config
        z = model.standardised({signal.name: signal.value for signal in signals})
        shares = model.shares(z)
        # Of the logit of the graph's share, to first order.
        pushes = (model.push[-1] - shares[:-1] @ model.push[:-1] / shares[:-1].sum()) * z
        by_name = {signal.name: signal for signal in signals}
        order = (
            at for at in np.argsort(-np.abs(pushes), kind="stable").tolist() if model.names[at] in by_name
        )
        strongest = [(by_name[model.names[at]], float(pushes[at])) for at in islice(order, MOST_FEATURES)]
        features = tuple(Feature(signal.name, signal.value, push, signal.words) for signal, push in strongest)
        weights = dict(zip(LISTS, model.weights(z, config.high).tolist(), strict=True))
        source = "learned" if model.names else UNTRAINED
        return Complexity(float(shares[-1]), config.low, config.high, features, weights, source)


def standardised(names: Sequence[str], mean: Array, scale: Array, values: Mapping[str, float]) -> Array:
    """z-scores, (n,); 0, the average, for a name that has no value."""
    raw = np.array([values.get(name, usual) for name, usual in zip(names, mean, strict=True)])
    z: Array = np.clip((raw - mean) / scale, -_CLIP, _CLIP)
    return z


def without_graph(lists: Lists) -> Lists:
    """The lists as they are before the graph is asked."""
    return {**lists, "graph": ()}


def write(path: Path, weights: Weights, report: Mapping[str, object]) -> Path:
    """Write the models, and how they came about beside them; the report's path. Raises BadInput where that fails."""
    model, tensors = weights.full, _tensors(weights.full, "")
    if weights.early is not None:
        tensors |= _tensors(weights.early, _EARLY)
    return written(
        path, pack_tensors(tensors, {"format": FORMAT, "signals": json.dumps(model.names)}), report
    )


def written(path: Path, model: bytes, report: Mapping[str, object]) -> Path:
    """Write a model's file with its report beside it, whose path is given back. Raises BadInput where that fails."""
    report_path = path.with_name(f"{path.stem}-report.json")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(model)
        report_path.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(
            tr("{path} cannot be written ({strerror}).", path=path, strerror=error.strerror),
            tr("Choose another --out."),
        ) from error
    return report_path


def checked_place(path: Path) -> Path:
    """The place of a new model, found out before minutes of training. Raises BadInput."""
    if path.suffix != ".safetensors" or path.is_dir():
        raise BadInput(tr("{path} is no name for a model.", path=path), tr("Let --out end in .safetensors."))
    if file := next((parent for parent in path.parents if parent.is_file()), None):
        raise BadInput(
            tr("{path} cannot be written: {file} is a file.", path=path, file=file),
            tr("Choose another --out."),
        )
    return path


def _tensors(model: WeightModel, prefix: str) -> dict[str, NDArray[np.float32]]:
    return {f"{prefix}{name}": getattr(model, name).astype(np.float32) for name in _NUMBERS}


def read(path: Path = SHIPPED) -> Weights:
    """What the file holds; where it cannot serve, one that lets all lists count the same and always asks the graph."""
    try:
        metadata, tensors = read_tensors(path, FORMAT)
        names = tuple(str(name) for name in json.loads(metadata["signals"]))
        early = _to_model(tensors, names, _EARLY) if f"{_EARLY}push" in tensors else None
        return Weights(_to_model(tensors, names, ""), early)
    except (KeyError, TypeError, ValueError) as error:
        _log.info("all lists count the same: %s: %s", path.name, error)
        return Weights(EQUAL)


def _to_model(tensors: Mapping[str, NDArray[np.float32]], names: tuple[str, ...], prefix: str) -> WeightModel:
    """Raises KeyError and ValueError for numbers that are no model."""
    n, lists = len(names), len(LISTS)
    shapes = {"mean": (n,), "scale": (n,), "push": (lists, n), "bias": (lists,)}
    arrays = {name: tensors[f"{prefix}{name}"].astype(np.float64) for name in _NUMBERS}
    if any(
        arrays[name].shape != shape or not np.isfinite(arrays[name]).all() for name, shape in shapes.items()
    ):
        raise ValueError("its numbers are broken")
    if not (arrays["scale"] > 0).all():
        raise ValueError("a signal has no spread")
    return WeightModel(names, **arrays)
