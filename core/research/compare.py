"""Two saved reports compared, paired by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import BadInput
from core.lab.bootstrap import Difference, paired_differences
from core.lab.metrics import GROUPS, percentile
from core.research.report import ALL, QuestionRow
from core.research.results_file import SavedReport


@dataclass(frozen=True, slots=True)
class Change:
    """A measure before and after, and the significance of the difference."""

    before: float
    after: float
    difference: Difference


@dataclass(frozen=True, slots=True)
class Pairing:
    """One route and kind over the questions that both reports contain; p50 in milliseconds, before and after."""

    route: str
    kind: str
    questions: int
    measures: dict[str, Change]
    p50: tuple[float, float]


@dataclass(frozen=True, slots=True)
class ReportComparison:
    """`unpaired` counts, by route, the questions that only one of the two contains."""

    before: SavedReport
    after: SavedReport
    pairings: tuple[Pairing, ...]
    unpaired: dict[str, int]


def compare_reports(before: SavedReport, after: SavedReport) -> ReportComparison:
    """Compare `after` with `before` on every route that both contain.

    Raises BadInput when the two do not fit: other passages, no route or no question in common, or an id that stands
    for another question.
    """
    if before.fingerprint != after.fingerprint:
        raise BadInput(
            f"{before.path} is about {before.dataset}, {after.path} about {_other(before, after)}.",
            "Compare two reports of one data set.",
        )
    routes = [route for route in before.rows if route in after.rows]
    if not routes:
        raise BadInput(
            f"{before.path} holds {_listed(before.rows)}, {after.path} {_listed(after.rows)}: no route in common.",
            "Measure one route in both: clew research eval DATASET --route ROUTE --out FILE",
        )
    pairings: list[Pairing] = []
    unpaired: dict[str, int] = {}
    for route in routes:
        pairs = _paired(before, after, route)
        if alone := len(before.rows[route]) + len(after.rows[route]) - 2 * len(pairs):
            unpaired[route] = alone
        for kind in [*sorted({old.kind for old, _ in pairs} - {ALL}), ALL]:
            part = [pair for pair in pairs if kind in (pair[0].kind, ALL)]
            if part:
                pairings.append(_pairing(route, kind, part))
    if not pairings:
        raise BadInput(
            f"{before.path} and {after.path} have no question in common.",
            "Measure the same questions in both.",
        )
    return ReportComparison(before, after, tuple(pairings), unpaired)


def _paired(before: SavedReport, after: SavedReport, route: str) -> list[tuple[QuestionRow, QuestionRow]]:
    new = _keyed(after.rows[route])
    pairs = [(old, new[key]) for key, old in _keyed(before.rows[route]).items() if key in new]
    for old, found in pairs:
        if (old.question, old.kind) != (found.question, found.kind):
            raise BadInput(
                f"Question {old.id!r} is not the same in {before.path} and {after.path}.",
                "Compare two reports of one data set.",
            )
    return pairs


def _keyed(rows: Sequence[QuestionRow]) -> dict[tuple[str, int], QuestionRow]:
    """Return the rows by id; a repeated id is keyed by its first, second... use as well."""
    uses: Counter[str] = Counter()
    keyed = {}
    for row in rows:
        keyed[row.id, uses[row.id]] = row
        uses[row.id] += 1
    return keyed


def _pairing(route: str, kind: str, pairs: Sequence[tuple[QuestionRow, QuestionRow]]) -> Pairing:
    measures: dict[str, Change] = {}
    for names in GROUPS:
        part = [
            (o.measures, n.measures) for o, n in pairs if set(names) <= o.measures.keys() & n.measures.keys()
        ]
        if not part:
            continue
        left = np.array([[old[name] for name in names] for old, _ in part])
        right = np.array([[new[name] for name in names] for _, new in part])
        found = paired_differences(right, left)
        for at, name in enumerate(names):
            measures[name] = Change(float(left[:, at].mean()), float(right[:, at].mean()), found[at])
    times = [[pair[side].milliseconds for pair in pairs] for side in (0, 1)]
    return Pairing(route, kind, len(pairs), measures, (percentile(times[0], 0.5), percentile(times[1], 0.5)))


def _listed(rows: Mapping[str, object]) -> str:
    return ", ".join(rows) or "no route"


def _other(before: SavedReport, after: SavedReport) -> str:
    return after.dataset if after.dataset != before.dataset else f"another state of {after.dataset}"
