"""Trains the weights of the ranked lists so that gold passages rank high (torch, at training time only).

One softmax over the lists for a question, trained so that the best passage of each gold document and quote scores
above the passages that would otherwise be first, second and fifth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.answering.models import Models
from core.config import RetrievalConfig, RoutingConfig
from core.progress import TaskContext
from core.research.datasets import Dataset, EvalQuestion, each_question
from core.research.runner import Gold, answer_measures, plainly
from core.retrieval.fusion import LISTS, Lists
from core.retrieval.hybrid import WeighedRow
from core.retrieval.ranking import diversify_by_document
from core.retrieval.routing.features.vector import FEATURE_NAMES, described
from core.retrieval.routing.weighing import WITHOUT_GRAPH, Array, WeightModel, Weights
from core.text.answer_score import is_right

if TYPE_CHECKING:
    import torch

_Model = TypeVar("_Model")
DEPTH = 5  # rank at which recall is measured
_PLACES = ((5, 1.0), (2, 0.3), (1, 0.2))  # ranks that gold should beat, and their weights
LOWS = (0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)  # thresholds that are reported
_TENTHS = tuple(np.array([a, b, 10 - a - b]) / 10 for a in range(11) for b in range(11 - a))


@dataclass(frozen=True, slots=True)
class Example:
    """One question over the passages of its lists. `gold` marks those of each gold document, then of each quote."""

    corpus: str  # the part before the first hyphen is its family
    plain: bool  # in lower case, without a question mark
    signals: Mapping[str, float]
    early: Mapping[str, float]  # before the graph is asked
    ranks: NDArray[np.int64]  # (n_passages, 3), 0 where a list lacks one
    gold: NDArray[np.bool_]  # (n_gold, n_passages)
    documents: int  # rows of `gold` that recall counts
    owners: NDArray[np.int64]  # (n_passages,), the document of each
    right: tuple[bool, bool] | None = None  # the reader's answers by meaning alone and by the graph alone

    @property
    def family(self) -> str:
        """Return the family of the corpus; corpora of one family are left out together."""
        return self.corpus.partition("-")[0]


@dataclass(frozen=True, slots=True)
class FitSettings:
    """`decay` of the weights; larger for the question's own signals, which identify corpora too well."""

    decay: float = 1e-2
    question_decay: float = 1.0
    temperature: float = 0.08
    rounds: int = 40
    rrf_k: int = RetrievalConfig().rrf_k
    crowding: float = RetrievalConfig().crowding


def fit(examples: Sequence[Example], context: TaskContext, settings: FitSettings = FitSettings()) -> Weights:
    """Train the models, repeatably. Raises ValueError where no list contains any gold; Cancelled."""
    full, early = (
        _fit(examples, [getattr(example, attribute) for example in examples], context, settings)
        for attribute in ("signals", "early")
    )
    return Weights(full, early)


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Limit torch to one thread: sums have a fixed order, so that training repeats, and networks this small wait for
    other threads longer than they compute.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _fit(
    examples: Sequence[Example],
    signals: Sequence[Mapping[str, float]],
    context: TaskContext,
    settings: FitSettings,
) -> WeightModel:
    """Train the list weights on `signals`, which may be those of fewer lists."""
    import torch

    pairs = [(each, row) for each, row in zip(examples, signals, strict=True) if each.gold.any()]
    if not pairs:
        raise ValueError("No list holds any gold passage: there is nothing to learn from.")
    with_gold = [example for example, _ in pairs]
    names = tuple(name for name in pairs[0][1] if name not in FEATURE_NAMES) + FEATURE_NAMES
    values = np.array([[row[name] for name in names] for _, row in pairs])
    mean, scale = values.mean(0).astype(np.float32), (values.std(0) + 1e-6).astype(np.float32)
    z = torch.tensor(np.clip((values - mean) / scale, -3.0, 3.0), dtype=torch.float32)
    ranked, gold = _padded(with_gold, settings.rrf_k)
    share = torch.tensor(counted(with_gold), dtype=torch.float32)
    push = torch.zeros(len(LISTS), len(names), requires_grad=True)
    bias = torch.zeros(len(LISTS), requires_grad=True)
    decay = torch.tensor(
        [settings.question_decay if name in FEATURE_NAMES else settings.decay for name in names]
    )
    optimiser = torch.optim.LBFGS([push, bias], max_iter=settings.rounds, line_search_fn="strong_wolfe")

    def lost() -> torch.Tensor:
        context.check()
        optimiser.zero_grad()
        shares = torch.softmax(z @ push.T + bias, 1)
        scores = torch.einsum("npl,nl->np", ranked, shares)
        loss = (_loss(scores, gold, settings.temperature) * share).sum() + (decay * push**2).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    with one_torch_thread():
        optimiser.step(lost)  # type: ignore[no-untyped-call]
    numbers = (part.detach().numpy().astype(np.float64) for part in (push, bias))
    return WeightModel(names, mean.astype(np.float64), scale.astype(np.float64), *numbers)


def _loss(scores: torch.Tensor, gold: torch.Tensor, temperature: float) -> torch.Tensor:
    """Return (n_questions,): how far the best passage of each gold row scores below the best of the others."""
    import torch

    others = scores.masked_fill(gold.any(1), -1.0).topk(_PLACES[0][0], 1).values
    best = scores[:, None, :].masked_fill(~gold, -1.0).max(2).values
    has_gold = gold.any(2).float()
    behind = sum(
        weight * torch.nn.functional.softplus((others[:, place - 1 : place] - best) / temperature)
        for place, weight in _PLACES
    )
    found: torch.Tensor = (behind * has_gold).sum(1) / has_gold.sum(1)
    return found


def _padded(examples: Sequence[Example], rrf_k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return reciprocal ranks (n, passages, 3), 1 for the first of a list, and gold (n, rows, passages)."""
    import torch

    wide = max(_PLACES[0][0], *(len(example.ranks) for example in examples))
    rows = max(len(example.gold) for example in examples)
    ranked = torch.zeros(len(examples), wide, len(LISTS))
    gold = torch.zeros(len(examples), rows, wide, dtype=torch.bool)
    for at, example in enumerate(examples):
        ranked[at, : len(example.ranks)] = torch.tensor(_reciprocal(example.ranks, rrf_k))
        gold[at, : len(example.gold), : len(example.ranks)] = torch.tensor(example.gold)
    return ranked, gold


def _reciprocal(ranks: NDArray[np.int64], rrf_k: int) -> Array:
    found: Array = np.where(ranks > 0, (rrf_k + 1.0) / (rrf_k + ranks), 0.0)
    return found


def counted(examples: Sequence[Example]) -> Array:
    """Weight families equally, within each its corpora, within each its questions; the sum is 1."""
    corpora: dict[str, set[str]] = {}
    sizes: dict[str, int] = {}
    for example in examples:
        corpora.setdefault(example.family, set()).add(example.corpus)
        sizes[example.corpus] = sizes.get(example.corpus, 0) + 1
    return np.array([1.0 / len(corpora) / len(corpora[e.family]) / sizes[e.corpus] for e in examples])


def recall(example: Example, weights: Array, settings: FitSettings) -> float:
    """Return the share of the gold documents in the first five by these weights; ties in the order of the lists."""
    alone = np.count_nonzero(weights) == 1
    scores = (_reciprocal(example.ranks, settings.rrf_k) @ weights).tolist()
    best = diversify_by_document(scores, example.owners.tolist(), 1.0 if alone else settings.crowding, DEPTH)
    order = [place for place, _ in best]
    return float(example.gold[: example.documents][:, order].any(1).mean())


def sparing(weights: Weights, example: Example, low: float, high: float) -> tuple[Array, bool]:
    """Return the list weights for `auto`, (3,), and whether the graph is asked."""
    full, early = weights.full, weights.early
    if early is not None:
        shares = early.weights(early.standardised(example.early), high)
        if shares[-1] >= high:
            return shares, True
        if shares[-1] <= low:
            return shares * WITHOUT_GRAPH, False
    return full.weights(full.standardised(example.signals), high), True


def left_out(
    examples: Sequence[Example], context: TaskContext, settings: FitSettings = FitSettings()
) -> dict[str, dict[str, float]]:
    """Return recall@5 by corpus: of each list, of the best fixed weights, and of weights trained without its
    family.

    For some low thresholds also the recall of `auto`, and the share of the questions for which it asks the graph.
    """
    high = RoutingConfig().high

    def fitted(others: Sequence[Example]) -> Weights | None:
        return fit(others, context, settings) if others else None

    return by_family(examples, fitted, lambda own, model: _row(own, model, settings, high), context)


def by_family(
    examples: Sequence[Example],
    fitted: Callable[[Sequence[Example]], _Model],
    row: Callable[[Sequence[Example], _Model], dict[str, float]],
    context: TaskContext,
) -> dict[str, dict[str, float]]:
    """Return a row for each corpus from a model fitted to the other families, with its plain questions separate."""
    found: dict[str, dict[str, float]] = {}
    families = sorted({example.family for example in examples})
    for number, family in enumerate(families):
        context.report("training", number, len(families), f"without {family}")  # not shown
        model = fitted([example for example in examples if example.family != family])
        for corpus in sorted({example.corpus for example in examples if example.family == family}):
            for plain in (False, True):
                if own := [e for e in examples if e.corpus == corpus and e.plain == plain]:
                    found[f"{corpus}, plain" if plain else corpus] = row(own, model)
    return found


def _row(
    examples: Sequence[Example], model: Weights | None, settings: FitSettings, high: float
) -> dict[str, float]:
    def mean(weights: Callable[[Example], Array]) -> float:
        return round(float(np.mean([recall(example, weights(example), settings) for example in examples])), 4)

    row = {"questions": float(len(examples))}
    for at, name in enumerate(LISTS):
        row[name] = mean(lambda _, at=at: np.eye(len(LISTS))[at])  # type: ignore[misc]
    row["equal"] = mean(lambda _: np.full(len(LISTS), 1 / len(LISTS)))
    row["best fixed"] = max(mean(lambda _, w=weights: w) for weights in _TENTHS)  # type: ignore[misc]
    if model is not None:
        full = model.full
        row["learned"] = mean(lambda example: full.weights(full.standardised(example.signals), high))
        for low in LOWS:
            row[f"auto {low:g}"] = mean(lambda example, low=low: sparing(model, example, low, high)[0])  # type: ignore[misc]
            asked = [sparing(model, example, low, high)[1] for example in examples]
            row[f"asked {low:g}"] = round(float(np.mean(asked)), 4)
    return row


ALONE = ("dense", "graph")  # the two routes of EA-GraphRAG
_DEPTH = 40  # passages of each list
_FIRST = 100  # top passages of each score; the rest says nothing about ranks


def collect(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return two examples for each question that has gold: as it is, and in hasty spelling."""
    found: list[Example] = []
    gold: Gold | None = None
    for workspace, question in each_question(dataset, models, context):
        gold = gold or Gold(workspace)
        for text in dict.fromkeys((question.question, plainly(question.question))):
            if not question.supporting:
                continue
            lists, early, signals = workspace.retrieval.asker().rankings.weighed_lists(text, context)
            example = _example(dataset.name, question, text, lists, gold)
            found.append(replace(example, signals=signals, early=early))
    return found


def collect_routes(dataset: Dataset, models: Models, context: TaskContext) -> list[Example]:
    """Return the same questions by meaning alone and by the graph alone, with signals from the question's words
    only.

    Answers are read to the question as it is.
    """
    found: list[Example] = []
    gold: Gold | None = None
    for workspace, question in each_question(dataset, models, context):
        gold = gold or Gold(workspace)
        if not question.supporting:
            continue
        right: tuple[bool, bool] | None = None
        if question.answers:
            answers = (workspace.ask(question.question, context, route) for route in ALONE)
            dense_right, graph_right = (is_right(answer_measures(each, question)) for each in answers)
            right = dense_right, graph_right
        for text in dict.fromkeys((question.question, plainly(question.question))):
            dense, graph = (workspace.retrieve(text, context, route, _DEPTH)[1].hits for route in ALONE)
            lists = {"lexical": (), "dense": dense, "graph": graph}
            example = _example(dataset.name, question, text, lists, gold)
            signals = {signal.name: signal.value for signal in described(models.parse(text))}
            found.append(replace(example, signals=signals, right=right))
    return found


def _example(corpus: str, question: EvalQuestion, text: str, lists: Lists, gold: Gold) -> Example:
    """Return an example without signals."""
    places = {name: [hit.passage_id for hit in lists[name][:_DEPTH]] for name in LISTS}
    ids = list(dict.fromkeys(key for ranking in places.values() for key in ranking))
    ranks = np.array([[_rank(ranking, key) for ranking in places.values()] for key in ids])
    marked, plain = gold.marks(question, ids), text != question.question
    return Example(corpus, plain, {}, {}, ranks, marked, len(question.supporting), gold.owners(ids))


def _rank(ids: list[str], key: str) -> int:
    """Return the rank from 1; 0 if it is absent."""
    return ids.index(key) + 1 if key in ids else 0


def weighed_rows(dataset: Dataset, models: Models, context: TaskContext) -> list[WeighedRow]:
    """Return (dense, path, gold) of every passage that either score ranks high, and of the gold ones, by question."""
    found: list[WeighedRow] = []
    for workspace, question in each_question(dataset, models, context):
        ids, dense, path = workspace.retrieval.asker().rankings.hybrid_scores(question.question)
        gold = np.isin(ids, list(question.supporting))
        rows = set(np.flatnonzero(gold).tolist())
        for scores in (dense, path):
            rows.update(np.argsort(-scores, kind="stable")[:_FIRST].tolist())
        found += [(float(dense[row]), float(path[row]), bool(gold[row])) for row in sorted(rows)]
    return found
