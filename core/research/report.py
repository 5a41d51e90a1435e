"""Results of an evaluation by question, and their summaries: means, intervals, differences, and figures of many
sets.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from core.answering.reliability import mass_error, reliability_bins, width_error
from core.lab.bootstrap import Difference, bootstrap_means, difference, interval
from core.lab.metrics import ANSWERING, GROUPS, mean, percentile
from core.text.answer_score import is_right
from core.types import Bin

ALL = "all"  # the kind that holds every question
AUTO = "auto"
BM25 = "lexical"
ROUTES = (BM25, "dense", "graph", AUTO)  # the routes of a suite
JUDGE = "recall@5"  # the measure by which the best route is chosen


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question on one route. `measures` lacks those of the answer where none was asked for."""

    id: str
    question: str
    kind: str
    took: str  # the route that was taken
    milliseconds: float
    passages: tuple[str, ...]  # ids, best first
    measures: dict[str, float]
    answer: str | None = None  # or a guess; None: not asked for, or abstained
    gold: int = 0  # gold passages or documents; none: the question has no answer here
    confidence: float | None = None  # probability of the answer, also of an abstention
    documents: tuple[str, ...] = ()  # paths, of each passage
    guess: bool = False  # whether it is called one


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the questions of one kind on one route; latencies in milliseconds.

    `intervals` are the (low, high) bounds of each measure with 95 % confidence; `scored` is the number of questions
    whose answer was scored.
    """

    questions: int
    measures: dict[str, float]
    p50: float
    p95: float
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)
    scored: int = 0
    shares: dict[str, float] = field(default_factory=dict)  # of the routes taken, on `auto` only
    unanswerable: int = 0
    calibration: Calibration | None = None  # where answers were asked for


@dataclass(frozen=True, slots=True)
class RouteReport:
    """`shares` are of the routes that `auto` took; empty for the others."""

    kinds: dict[str, Row]
    shares: dict[str, float] = field(default_factory=dict)
    rows: tuple[QuestionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left` minus `right` over the questions of a kind, by measure; `best` if left was chosen as the best route."""

    kind: str
    left: str
    right: str
    measures: dict[str, Difference]
    best: bool = False


@dataclass(frozen=True, slots=True)
class EvalReport:
    dataset: str
    passages: int
    index_seconds: float  # of this run; 0 when the workspace was in the cache already
    routes: dict[str, RouteReport]
    comparisons: tuple[Comparison, ...] = ()
    fingerprint: str = ""  # of the corpus
    extraction: str = ""  # where entities and triples come from
    documents: int = 0
    entities: int = 0
    size: int = 0  # bytes of the files or passages
    full_index_seconds: float = 0.0  # of the last indexing of everything in one go; 0: unknown
    problems: tuple[str, ...] = ()  # gold that cannot be found
    plain: bool = False  # asked in lower case and without question marks

    @property
    def seconds_per_mb(self) -> float | None:
        """Return the seconds of indexing everything per MB; None where that was not measured."""
        return self.full_index_seconds / self.size * 1e6 if self.full_index_seconds and self.size else None


@dataclass(frozen=True, slots=True)
class _Sample:
    """One measure on one route: its mean over `questions`, and the means of the resamples."""

    questions: int
    mean: float
    means: NDArray[np.float64]


_Samples = dict[str, dict[str, _Sample]]  # by route and measure


def summarise(
    found: Mapping[str, Sequence[QuestionRow]],
) -> tuple[dict[str, RouteReport], tuple[Comparison, ...]]:
    """Summarise rows by route and kind, and compare routes. Each route has the same questions, in order.

    Raises ValueError for no questions.
    """
    sums: dict[str, dict[str, Row]] = {route: {} for route in found}
    comparisons: list[Comparison] = []
    for kind in [*sorted({row.kind for rows in found.values() for row in rows} - {ALL}), ALL]:
        part = {route: [row for row in rows if kind in (row.kind, ALL)] for route, rows in found.items()}
        samples = _samples(part)
        for route, rows in part.items():
            sums[route][kind] = _row(rows, samples[route], _shares(rows) if route == AUTO else {})
        comparisons += _comparisons(kind, samples)
    reports = {
        route: RouteReport(sums[route], sums[route][ALL].shares, tuple(rows)) for route, rows in found.items()
    }
    return reports, tuple(comparisons)


def _samples(rows: Mapping[str, Sequence[QuestionRow]]) -> _Samples:
    """Every measure of every route, resampled together so that routes see the same questions."""
    samples: _Samples = {route: {} for route in rows}
    for names in GROUPS:
        routes = {
            route: group
            for route, all_ in rows.items()
            if (group := [r for r in all_ if names[0] in r.measures])
        }
        if not routes:
            continue
        values = np.hstack(
            [np.array([[row.measures[name] for name in names] for row in group]) for group in routes.values()]
        )
        means = bootstrap_means(values)
        keys = [(route, name) for route in routes for name in names]
        for at, (route, name) in enumerate(keys):
            samples[route][name] = _Sample(len(values), float(values[:, at].mean()), means[:, at])
    return samples


def _row(rows: Sequence[QuestionRow], samples: Mapping[str, _Sample], shares: dict[str, float]) -> Row:
    times = [row.milliseconds for row in rows]
    bounds = {name: interval(sample.mean, sample.means) for name, sample in samples.items()}
    return Row(
        questions=len(rows),
        measures={name: found.value for name, found in bounds.items()},
        p50=percentile(times, 0.5),
        p95=percentile(times, 0.95),
        intervals={name: (found.low, found.high) for name, found in bounds.items()},
        scored=samples[ANSWERING[0]].questions if ANSWERING[0] in samples else 0,
        shares=shares,
        unanswerable=sum(not row.gold for row in rows),
        calibration=_calibration(rows),
    )


def _calibration(rows: Sequence[QuestionRow]) -> Calibration | None:
    found = []
    for row in rows:
        if row.confidence is None:
            continue
        known = row.answer is not None and ("f1" in row.measures or not row.gold)
        found.append(Confidence(row.confidence, bool(row.gold), is_right(row.measures) if known else None))
    return calibration(found) if found else None


def _comparisons(kind: str, samples: _Samples) -> list[Comparison]:
    """Compare `auto` with every other route, then the best route with those that were not compared with it.

    The best is chosen on the same questions, so its lead is slightly overestimated.
    """
    if not all(JUDGE in measured for measured in samples.values()):
        return []  # no question of this kind has an answer
    best = max(samples, key=lambda route: samples[route][JUDGE].mean)
    pairs = [(AUTO, other) for other in samples if other != AUTO] if AUTO in samples else []
    pairs += [(best, other) for other in samples if other != best and AUTO not in (best, other)]
    return [
        Comparison(kind, left, right, _differences(samples[left], samples[right]), left == best)
        for left, right in pairs
    ]


def _differences(left: Mapping[str, _Sample], right: Mapping[str, _Sample]) -> dict[str, Difference]:
    return {
        name: difference(mine.mean - right[name].mean, mine.means - right[name].means)
        for name, mine in left.items()
        if name in right
    }


def _shares(rows: Sequence[QuestionRow]) -> dict[str, float]:
    taken = Counter(row.took for row in rows)
    return {name: count / taken.total() for name, count in sorted(taken.items())}


# ---------------------------------------------------------------- many question sets


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One question set. `figures` by name: recall@5 by route, the others of `auto`; those that apply."""

    name: str
    questions: int
    passages: int
    figures: dict[str, float]


def suite_row(report: EvalReport) -> SuiteRow:
    """Return the figures over the questions of all kinds."""
    figures: dict[str, float | None] = {}
    for route, found in report.routes.items():
        figures[f"{JUDGE} {route}"] = found.kinds[ALL].measures.get(JUDGE)
    if AUTO in report.routes:
        found = report.routes[AUTO]
        row = found.kinds[ALL]
        figures["several"] = _several(found.rows)
        figures[f"quote {JUDGE}"] = row.measures.get(f"quote {JUDGE}")
        for name in ("exact", "f1", "abstained", "answered"):
            figures[name] = row.measures.get(name)
        if row.calibration is not None:
            figures["right auc"] = row.calibration.right_auc
    figures["s/MB"] = report.seconds_per_mb
    known = {name: value for name, value in figures.items() if value is not None}
    questions = next(iter(report.routes.values())).kinds[ALL].questions
    return SuiteRow(report.dataset, questions, report.passages, known)


def _several(rows: Sequence[QuestionRow]) -> float | None:
    """Return recall@5 of the questions whose evidence lies in more than one document; None if there are none."""
    found = [row.measures[JUDGE] for row in rows if row.gold > 1]
    return mean(found) if found else None


def mean_figures(rows: Sequence[SuiteRow]) -> dict[str, float]:
    """Return the mean of each figure over the question sets that have it: all sets count the same."""
    names = dict.fromkeys(name for row in rows for name in row.figures)
    return {name: mean([row.figures[name] for row in rows if name in row.figures]) for name in names}


def below_bm25(rows: Sequence[SuiteRow], route: str = AUTO) -> list[str]:
    """Return the names of the question sets where plain word search finds more than `route`."""
    none = -math.inf
    return [
        row.name
        for row in rows
        if row.figures.get(f"{JUDGE} {route}", none) < row.figures.get(f"{JUDGE} {BM25}", none)
    ]


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confidence of one question. `right` is None where there is no answer, or no gold answer to compare it
    with.
    """

    value: float  # 0 to 1
    answerable: bool
    right: bool | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration figures, None where there are no two classes or no answers. Guesses count as answers, refusals do
    not.
    """

    answers: int  # answers that are known to be right or wrong
    right: float  # share of them
    right_auc: float | None
    calibration_error: float | None  # expected, over ten bins of equal width
    mass_calibration_error: float | None  # over ten bins of as many answers each
    answerable_auc: float | None
    bins: tuple[Bin, ...]  # of equal width


def calibration(found: Sequence[Confidence]) -> Calibration:
    """Separate right answers from wrong ones, and answerable questions from the others."""
    answered = [(one.value, one.right) for one in found if one.right is not None]
    values, right = [value for value, _ in answered], [is_right for _, is_right in answered]
    return Calibration(
        len(answered),
        sum(right) / len(answered) if answered else 0.0,
        auc(values, right),
        width_error(values, right),
        mass_error(values, right),
        auc([one.value for one in found], [one.answerable for one in found]),
        reliability_bins(values, right),
    )


def auc(values: Sequence[float], positive: Sequence[bool]) -> float | None:
    """Return the area under the ROC curve, a tie counting half; None where one side is empty. Hanley and McNeil
    1982.
    """
    sides = np.array(positive, dtype=bool)
    n, m = int(sides.sum()), int((~sides).sum())
    if not n or not m:
        return None
    ranks = float(rankdata(np.array(values))[sides].sum())
    return (ranks - n * (n + 1) / 2) / (n * m)
