"""A search over compositions on half of the questions, compared with the default route on the other half.

Grid, random, or successive halving (Jamieson and Talwalkar 2016, algorithm 1): all start on few questions, and the
better half of them continues on more.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product, zip_longest

import numpy as np

from core.errors import BadInput
from core.lab.bootstrap import Difference, paired_differences
from core.lab.metrics import DEPTH, mean
from core.progress import TaskContext
from core.research.datasets import EvalQuestion
from core.research.runner import Gold
from core.retrieval.composed import ComposedRetriever
from core.retrieval.compositions import (
    Composition,
    MappingPart,
    PathsPart,
    PruningPart,
    SubgraphPart,
    shipped_compositions,
)
from core.retrieval.path_ranking import Memo, scorer_names
from core.workspace import Workspace

FIGURE, TIES = "recall@5", "mrr"  # the figure to choose by, and the one for ties
DEFAULT = shipped_compositions()["graph"]
_SECOND = ((), ("retrieval.second_stage=false",))
_RESTART = tuple(  # shares of names, sentences and passages in the walk's restart
    (f"retrieval.name_share={names}", f"retrieval.fact_share={facts}", f"retrieval.passage_share={passages}")
    for names, facts, passages in ((0.2, 0.4, 0.4), (0.2, 0.2, 0.6), (0.6, 0.2, 0.2), (0, 0.8, 0.2))
)
_DAMPING = ((), ("retrieval.damping=0.4",), ("retrieval.damping=0.8",))
_POOL = ((), ("retrieval.pool=80",), ("retrieval.second_stage=false",))
# Settings tried for each of our own routes: the product of the choices, the default first.
_ROUTES: dict[str, tuple[tuple[tuple[str, ...], ...], ...]] = {
    "graph": (((), *_RESTART), _DAMPING, _POOL, ((), ("retrieval.top_facts=8",))),
    "fusion": (
        ((), ("retrieval.lexical_weight=0",), ("retrieval.lexical_weight=2",)),
        ((), ("retrieval.dense_weight=0",), ("retrieval.dense_weight=2",)),
        ((), ("retrieval.graph_weight=2",)),
        ((), ("retrieval.crowding=1",)),
        _POOL,
    ),
    "hierarchical": (
        ((), ("hierarchy.width=6",)),
        ((), ("hierarchy.reranked=24",)),
        ((), ("hierarchy.entities=80",)),
        _SECOND,
    ),
    "hybrid": (
        (
            (),
            *(
                (f"retrieval.hybrid_dense={dense}", f"retrieval.hybrid_path={1 - dense:.1f}")
                for dense in (0.5, 0.7, 0.9)
            ),
        ),
    ),
    "dense": (),
    "lexical": (),
}
LEAST = 4  # least questions of the first round, and of a half

Score = tuple[float, float]  # of one question: FIGURE and TIES, 0 to 1
Evaluate = Callable[[Composition, EvalQuestion], Score]


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a search: seconds, and evaluations of one composition on one question."""

    seconds: float
    evaluations: int
    begun: float  # of time.perf_counter

    @property
    def over(self) -> bool:
        """Return whether the seconds are spent."""
        return time.perf_counter() - self.begun >= self.seconds


@dataclass(frozen=True, slots=True)
class Tried:
    """A composition with the means of its scores over the first `questions` of the choosing half."""

    composition: Composition
    questions: int
    figure: float
    ties: float


@dataclass(frozen=True, slots=True)
class Found:
    """The compositions that were tried, best first, and the winner against the default on the test half.

    `difference`: winner - default in FIGURE, paired by question. `stopped`: the seconds ran out before the search
    ended.
    """

    tried: tuple[Tried, ...]
    evaluations: int
    seconds: float
    stopped: bool
    test_questions: int
    winner: float
    default: float
    difference: Difference

    @property
    def composition(self) -> Composition:
        return self.tried[0].composition

    @property
    def verdict(self) -> str:
        """Return the result in words."""
        off = self.difference
        if off.value < 0:
            sure = "" if off.significant else ", though the difference may be chance"
            return f"The default graph route wins{sure}: keep it."
        if off.significant:
            return "The composition that was found is better than the default graph route."
        if off.value > 0:
            return "The composition that was found did at least as well as the default graph route; more is not sure."
        return "Both are equal: keep the default graph route."


def space(scorers: Collection[str]) -> list[Composition]:
    """Return every composition of the design space that needs only these scorers, each once, in a fixed order.

    The default comes first, then the kinds in turn: our own routes under other settings, and compositions of parts.
    """
    kinds = [_variants(route, choices) for route, choices in _ROUTES.items()]
    composed = _composed(scorers)
    kinds += [[each for each in composed if each.second_stage == second] for second in (True, False)]
    return _in_turn(kinds)


def _in_turn(kinds: Sequence[Sequence[Composition]]) -> list[Composition]:
    """Interleave the kinds, so that a short search has tried each of them."""
    return [each for row in zip_longest(*kinds) for each in row if each is not None]


def _variants(route: str, choices: Sequence[Sequence[tuple[str, ...]]]) -> list[Composition]:
    """Return a route under the product of all choices."""
    return [
        replace(shipped_compositions()[route], group="search", settings=tuple(chain(*chosen)))
        if any(chosen)
        else shipped_compositions()[route]
        for chosen in product(*choices)
    ]


def _composed(scorers: Collection[str]) -> list[Composition]:
    """Return the compositions of parts."""
    judges = [name for name in ("meaning", "words") if name in scorers]
    cheap = "meaning" if "reading" in scorers else ""
    prunings = [
        PruningPart(),
        *(PruningPart(kind, by) for kind in ("nodes", "edges", "triples") for by in judges),
    ]
    paths = [PathsPart(), *(PathsPart(kind, scorer=by) for kind in ("one-way", "beam") for by in judges)]
    if cheap:
        paths.append(PathsPart("one-way", scorer="reading", prefilter=cheap))
    mappings = [MappingPart(1.0, 0.5, dense) for dense in (0.5, 1.0, 2.0, 4.0)]
    subgraphs = [SubgraphPart(kind) for kind in ("importance", "hops", "walk")]
    return [
        Composition(
            group="search",
            second_stage=second,
            subgraph=subgraph,
            pruning=pruning,
            paths=path,
            mapping=mapping,
        )
        for subgraph, pruning, path, mapping, second in product(
            subgraphs, prunings, paths, mappings, (False, True)
        )
    ]


def halves(
    questions: Sequence[EvalQuestion], seed: int
) -> tuple[tuple[EvalQuestion, ...], tuple[EvalQuestion, ...]]:
    """Split the questions with gold documents into two random halves, stratified by kind (give or take one).

    Raises BadInput where these are too few.
    """
    chance, kinds = random.Random(seed), dict[str, list[EvalQuestion]]()
    for question in questions:
        if question.supporting:
            kinds.setdefault(question.kind, []).append(question)
    ordered: list[EvalQuestion] = []
    for _, group in sorted(kinds.items()):
        ordered += chance.sample(group, len(group))
    if len(ordered) < 2 * LEAST:
        raise BadInput(
            f"Only {len(ordered)} of the questions name documents that tell the answer.",
            f"Give at least {2 * LEAST}, so that half of them can choose and half can judge.",
        )
    first, second = ordered[::2], ordered[1::2]
    return tuple(chance.sample(first, len(first))), tuple(chance.sample(second, len(second)))


def choose(
    points: Sequence[Composition],
    questions: Sequence[EvalQuestion],
    evaluate: Evaluate,
    method: str,
    budget: Budget,
    seed: int,
    context: TaskContext,
) -> tuple[list[Tried], int]:
    """Return the compositions that were judged by most questions, best first, and the number of evaluations.

    All of a round are asked the same questions, even if the seconds ran out: questions that some were not asked do
    not count. Raises BadInput where not one question could be asked of one composition, Cancelled.
    """
    order = list(points) if method == "grid" else _shuffled(points, seed)
    race = _Race(questions, evaluate, budget, context)
    if method != "halving":
        return race.one_by_one(order), race.spent
    tried: list[Tried] = []
    # Rounds end when all questions are asked; the rest of the budget goes to the remaining compositions.
    while order and not (tried and (budget.over or race.left < 2 * LEAST)):
        arms = _arms(len(order), race.left)
        tried += race.halved(order[:arms])
        order = order[arms:]
    return _ranked(tried), race.spent


def _shuffled(points: Sequence[Composition], seed: int) -> list[Composition]:
    """Shuffle within each kind, the kinds in turn. A plain route precedes its variants, and the default all others:
    the search needs their scores.
    """
    chance, kinds = random.Random(seed), dict[tuple[tuple[str, ...], bool], list[Composition]]()
    for point in chance.sample(list(points), len(points)):
        kinds.setdefault((point.rank, point.second_stage), []).append(point)
    order = _in_turn([sorted(kind, key=lambda point: bool(point.settings)) for kind in kinds.values()])
    return sorted(order, key=lambda point: point != DEFAULT)


def _arms(points: int, evaluations: int) -> int:
    """Return the largest number of compositions that can each be asked LEAST questions in the first round."""
    arms = points
    while arms > 1 and evaluations // (arms * _rounds(arms)) < LEAST:
        arms -= 1
    return arms


def _rounds(arms: int) -> int:
    return max(1, math.ceil(math.log2(arms)))


class _Race:
    """Counts evaluations, and stops in time."""

    def __init__(
        self, questions: Sequence[EvalQuestion], evaluate: Evaluate, budget: Budget, context: TaskContext
    ) -> None:
        self._questions, self._evaluate = questions, evaluate
        self._budget, self._context = budget, context
        self.spent = 0

    @property
    def left(self) -> int:
        """Return the evaluations that remain."""
        return self._budget.evaluations - self.spent

    def one_by_one(self, points: Sequence[Composition]) -> list[Tried]:
        """Evaluate each on all questions, as many as the budget allows; the first on at least some."""
        tried: list[Tried] = []
        for point in points:
            if tried and self.left < len(self._questions):
                break
            scores = list(self._asked([point], 0, len(self._questions)))
            if scores and (not tried or len(scores) == len(self._questions)):
                tried.append(_tried(point, [each[0] for each in scores]))
        return _ranked(tried)

    def halved(self, points: Sequence[Composition]) -> list[Tried]:
        """Run algorithm 1: the same number of evaluations in every round, with half as many compositions each time."""
        scores: dict[Composition, list[Score]] = {point: [] for point in points}
        share = self.left // _rounds(len(points))
        left, asked = list(points), 0
        while True:
            until = min(len(self._questions), asked + max(1, share // len(left)))
            rows = list(self._asked(left, asked, until))
            for row in rows:
                for point, score in zip(left, row, strict=True):
                    scores[point].append(score)
            ranked = _ranked([_tried(point, scores[point]) for point in left])
            asked += len(rows)
            if len(left) == 1 or asked < until or self._budget.over:
                return ranked
            if asked == len(self._questions):
                return ranked  # all known questions
            left = [each.composition for each in ranked[: math.ceil(len(left) / 2)]]
            if len(left) == 1:
                return ranked

    def _asked(self, points: Sequence[Composition], start: int, stop: int) -> Iterator[list[Score]]:
        """Return the scores of all the points, a question at a time, while the budget lasts."""
        for question in self._questions[start:stop]:
            row: list[Score] = []
            for point in points:
                first = not self.spent  # at least one is evaluated
                if not first and (self._budget.over or not self.left):
                    return
                self._context.report("evaluations", self.spent, self._budget.evaluations)
                row.append(self._evaluate(point, question))
                self.spent += 1
            yield row


def _tried(point: Composition, scores: Sequence[Score]) -> Tried:
    figures, ties = ([score[at] for score in scores] for at in (0, 1))
    return Tried(point, len(scores), mean(figures), mean(ties))


def _ranked(tried: Sequence[Tried]) -> list[Tried]:
    """Return those asked most questions first, then the best; ties in the earlier order."""
    return sorted(tried, key=lambda each: (-each.questions, -each.figure, -each.ties))


class _Evaluator:
    """Evaluates compositions; reads gold after retrieval, and computes shared results once."""

    def __init__(self, workspace: Workspace, context: TaskContext) -> None:
        workspace.load_models(context)
        self.asker = workspace.retrieval.asker()
        self._gold, self._memo, self._context = Gold(workspace), Memo(), context
        self._retrievers: dict[Composition, ComposedRetriever] = {}

    def __call__(self, composition: Composition, question: EvalQuestion) -> Score:
        if composition not in self._retrievers:
            self._retrievers[composition] = self.asker.rankings.compose(composition, self._memo)
        query = self.asker.rankings.analyse(question.question)
        found = self._retrievers[composition].retrieve(query, DEPTH, self._context)
        passages = [hit.passage_id for hit in found.hits]
        measured = self._gold.measures(question, passages)
        # Where a quote is gold, finding its document is not enough.
        kind = "quote " if question.quotes else ""
        return measured[kind + FIGURE], measured[kind + TIES]


def search(
    workspace: Workspace,
    questions: Sequence[EvalQuestion],
    context: TaskContext,
    method: str = "halving",
    seconds: float = 300.0,
    evaluations: int = 0,
    seed: int = 7,
    second_half: bool = False,
) -> Found:
    """Choose on one half of the questions (`second_half`: on the other one), and judge on the rest.

    `evaluations` 0: as many as the seconds allow, by the time that a few take; another run may then find another
    winner. `seconds` bounds the choosing; judging comes on top. Raises BadInput, NothingIndexed, Cancelled.
    """
    choosing, judging = halves(questions, seed)[:: -1 if second_half else 1]
    evaluate = _Evaluator(workspace, context)
    points = space(scorer_names(evaluate.asker.rankings.models))
    begun = time.perf_counter()
    most = evaluations or _affordable(points, choosing, evaluate, seconds, seed, context)
    budget = Budget(seconds, most, begun)
    tried, spent = choose(points, choosing, evaluate, method, budget, seed, context)
    stopped, took = budget.over, time.perf_counter() - begun
    scores: list[list[float]] = []
    for number, question in enumerate(judging):
        context.report("held-out questions", number, len(judging))
        scores.append([evaluate(each, question)[0] for each in (tried[0].composition, DEFAULT)])
    table = np.array(scores)
    (difference,) = paired_differences(table[:, :1], table[:, 1:])
    winner, default = table.mean(axis=0).tolist()
    return Found(tuple(tried), spent, took, stopped, len(judging), winner, default, difference)


def _affordable(
    points: Sequence[Composition],
    questions: Sequence[EvalQuestion],
    evaluate: Evaluate,
    seconds: float,
    seed: int,
    context: TaskContext,
) -> int:
    """Return how many evaluations the seconds allow, timed with some compositions on two questions of the choosing
    half.

    The first one warms up the caches.
    """
    some = random.Random(seed + 1).sample(list(points), min(8, len(points)))
    begin = time.perf_counter()
    for question in questions[:2]:
        warm = time.perf_counter()
        for point in some:
            context.check()
            evaluate(point, question)
    end = time.perf_counter()
    return max(LEAST, int((seconds - (end - begin)) * len(some) / (end - warm)))
