"""Figures of a lab run by composition, with their confidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from core.lab.bootstrap import Interval, bootstrap_means, difference, interval
from core.lab.metrics import mean, percentile
from core.lab.rows import LabRow
from core.text.translation import trn

FIGURES = (
    "recall@2",
    "recall@5",
    "recall@10",
    "all@5",
    "mrr",
    "quote recall@2",
    "quote recall@5",
    "quote all@5",
    "reach",
    "precision",
    "exact",
    "f1",
    "right",
)
SURE = "recall@5"  # the figure with an interval


@dataclass(frozen=True, slots=True)
class LabFigures:
    """Figures of one composition over the questions.

    `figures` are means and `sure` is an interval, each over the questions to which it applies; `seconds` are
    medians by module; `against` is the p-value of its `SURE` being that of the first composition, 1 for itself;
    `failed` questions found nothing, the first of them for `fault`; `peak` is the 95th percentile of bytes, None
    where a row has none.
    """

    composition: str
    questions: int
    figures: dict[str, float]
    sure: Interval
    against: float
    seconds: dict[str, float]
    entities: float
    facts: float
    paths: float
    tokens: float
    shared: float
    scored_tokens: float
    peak: float | None
    failed: int = 0
    fault: str = ""
    note: str = ""


def summarised(rows: Sequence[LabRow], kind: str = "") -> list[LabFigures]:
    """Return the figures of each composition, in the order of the rows, over the questions that all of them
    answered.

    `kind` is one of the `kinds`, "" for all questions.
    """
    rows = [row for row in rows if kind in ("", row.kind, _hops(row))]
    names = list(dict.fromkeys(row.composition for row in rows))
    by = {(row.composition, row.question): row for row in rows}
    asked = [
        each
        for each in dict.fromkeys(row.question for row in rows)
        if all((name, each) in by for name in names)
    ]
    if not asked:
        return []
    golden = [each for each in asked if SURE in by[names[0], each].measures] or asked
    table = np.array([[by[name, each].measures.get(SURE, 0.0) for name in names] for each in golden])
    means = bootstrap_means(np.hstack([table, table - table[:, :1]]))
    count = len(names)
    return [
        _figures(
            name,
            [by[name, each] for each in asked],
            interval(float(table[:, at].mean()), means[:, at]),
            difference(float((table[:, at] - table[:, 0]).mean()), means[:, count + at]).p,
        )
        for at, name in enumerate(names)
    ]


def kinds(rows: Collection[LabRow]) -> list[str]:
    """Return the kinds of questions, then the numbers of hops in words; each only if there are several."""
    named = dict.fromkeys(row.kind for row in rows)
    hops = dict.fromkeys(_hops(row) for row in sorted(rows, key=lambda row: row.hops) if row.hops)
    return [each for group in (named, hops) if len(group) > 1 for each in group]


def _hops(row: LabRow) -> str:
    return trn("{count} hop", "{count} hops", row.hops)


def _figures(name: str, rows: Sequence[LabRow], sure: Interval, against: float) -> LabFigures:
    means = {
        figure: mean([row.measures[figure] for row in rows if figure in row.measures])
        for figure in FIGURES
        if any(figure in row.measures for row in rows)
    }
    modules = dict.fromkeys(module for row in rows for module in row.seconds)
    seconds = {each: percentile([row.seconds.get(each, 0.0) for row in rows], 0.5) for each in modules}
    sizes = ("entities", "facts", "paths", "tokens", "shared", "scored_tokens")
    entities, facts, paths, tokens, shared, scored = (
        mean([float(getattr(row, of)) for row in rows]) for of in sizes
    )
    peaks = [float(row.peak) for row in rows if row.peak is not None]
    # Not the maximum: the first row that needs them pays for models and shared results.
    peak = percentile(peaks, 0.95) if len(peaks) == len(rows) else None
    return LabFigures(
        name,
        len(rows),
        means,
        sure,
        against,
        seconds,
        entities,
        facts,
        paths,
        tokens,
        shared,
        scored,
        peak,
        sum(bool(row.fault) for row in rows),
        next((row.fault for row in rows if row.fault), ""),
        rows[0].note,
    )
