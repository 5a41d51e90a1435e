"""Reports as JSON, with every row in files of `--out`; and two reports compared, question by question."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from core.errors import BadInput, CoreError
from core.files.safe_files import WRONG_SHAPE, read_json
from core.lab.bootstrap import CONFIDENCE, RESAMPLES, Difference, paired_differences
from core.lab.metrics import GROUPS, percentile
from core.research.report import ALL, EvalReport, QuestionRow, Row, below_bm25, mean_figures, suite_row

FORMAT = "clew-eval 2"
_REMEDY = "Give files that were written with: clew research eval DATASET --out FILE"


@dataclass(frozen=True, slots=True)
class SavedReport:
    """The part of a file that comparing needs. `rows` are by route."""

    path: Path
    dataset: str
    fingerprint: str
    extraction: str
    rows: dict[str, tuple[QuestionRow, ...]]


def as_object(report: EvalReport) -> dict[str, object]:
    """Return the object that `eval --json` promises."""
    routes: dict[str, object] = {}
    for name, route in report.routes.items():
        kinds: dict[str, object] = {kind: _row(row) for kind, row in route.kinds.items()}
        routes[name] = {**kinds, "shares": route.shares} if route.shares else kinds
    return {
        "dataset": report.dataset,
        "fingerprint": report.fingerprint,
        "extraction": report.extraction,
        "plain": report.plain,
        "bytes": report.size,
        "documents": report.documents,
        "passages": report.passages,
        "entities": report.entities,
        "index_seconds": report.index_seconds,
        "whole_index_seconds": report.full_index_seconds,
        "index_seconds_per_mb": report.seconds_per_mb,
        "problems": list(report.problems),
        "confidence": CONFIDENCE,
        "resamples": RESAMPLES,
        "routes": routes,
        "comparisons": [
            {
                "kind": pair.kind,
                "left": pair.left,
                "right": pair.right,
                "best": pair.best,
                "measures": {name: as_difference(found) for name, found in pair.measures.items()},
            }
            for pair in report.comparisons
        ],
    }


def as_difference(found: Difference) -> dict[str, object]:
    """Return a difference as an object."""
    return {
        "difference": found.value,
        "low": found.low,
        "high": found.high,
        "p": found.p,
        "significant": found.significant,
    }


def check_writable(path: Path) -> None:
    """Check before a long run that the report can be written. Raises BadInput."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"No report can be written to {path}.", "Name a file in a folder that exists.")


def write_report(path: Path, report: EvalReport) -> None:
    """Write the object of `as_object` with every question's row. Raises BadInput when it cannot be written."""
    _write(path, _with_rows(report))


def suite_object(
    reports: Mapping[str, EvalReport], failed: Mapping[str, CoreError], rows: bool = False
) -> dict[str, object]:
    """Return the object that `eval --suite --json` promises; `rows` adds every question's row."""
    lines = [suite_row(report) for report in reports.values()]
    convert = _with_rows if rows else as_object
    return {
        "corpora": {name: convert(report) for name, report in reports.items()},
        "figures": {line.name: line.figures for line in lines},
        "mean": mean_figures(lines),
        "below_bm25": below_bm25(lines),
        "failed": {name: {"error": e.message, "remedy": e.remedy} for name, e in failed.items()},
    }


def check_suite_writable(path: Path) -> None:
    """Check before a long run that a folder, or a file as for `check_writable`, can be written. Raises BadInput."""
    if not path.is_dir():
        check_writable(path)


def write_suite(path: Path, reports: Mapping[str, EvalReport], failed: Mapping[str, CoreError]) -> None:
    """Write one report for each question set into a folder, or all into one file. Raises BadInput when it cannot be
    written.
    """
    if not path.is_dir():
        _write(path, suite_object(reports, failed, rows=True))
        return
    for name, report in reports.items():
        write_report(path / f"{name}.json", report)


def _with_rows(report: EvalReport) -> dict[str, object]:
    rows = {name: [asdict(row) for row in route.rows] for name, route in report.routes.items()}
    return {"format": FORMAT, **as_object(report), "rows": rows}


def _write(path: Path, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    part = path.with_name(f"{path.name}.part")
    try:
        # Atomic: a truncated report would compare wrongly.
        part.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
        part.replace(path)
    except OSError as error:
        raise BadInput(
            f"The report cannot be written to {path} ({error.strerror}).", "Name another file."
        ) from error


def read_report(path: Path) -> SavedReport:
    """Read a saved report. Raises BadInput for a file that is no report with rows."""
    found = read_json(path, _REMEDY)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise BadInput(f"{path} is not a report that Clew can compare.", _REMEDY)
    try:
        rows = {
            str(route): tuple(_question_row(row) for row in items) for route, items in found["rows"].items()
        }
        return SavedReport(
            path, str(found["dataset"]), str(found["fingerprint"]), str(found["extraction"]), rows
        )
    except WRONG_SHAPE as error:
        raise BadInput(f"{path} is a damaged report.", _REMEDY) from error


def _row(row: Row) -> dict[str, object]:
    return {
        "questions": row.questions,
        "unanswerable": row.unanswerable,
        **row.measures,
        "latency_ms": {"p50": row.p50, "p95": row.p95},
        "intervals": {name: list(bounds) for name, bounds in row.intervals.items()},
        "scored": row.scored,
        **({"calibration": asdict(row.calibration)} if row.calibration else {}),
        **({"shares": row.shares} if row.shares else {}),
    }


def _question_row(row: Mapping[str, object]) -> QuestionRow:
    """Parse a row. Raises KeyError, TypeError, ValueError or AttributeError for anything else."""
    measures, answer = row["measures"], row["answer"]
    passages, documents = row["passages"], row["documents"]
    if not isinstance(measures, dict) or not isinstance(passages, list) or not isinstance(documents, list):
        raise TypeError("measures are an object, passages and documents lists")
    return QuestionRow(
        id=str(row["id"]),
        question=str(row["question"]),
        kind=str(row["kind"]),
        took=str(row["took"]),
        milliseconds=float(str(row["milliseconds"])),
        passages=tuple(str(passage) for passage in passages),
        measures={str(name): float(value) for name, value in measures.items()},
        answer=None if answer is None else str(answer),
        gold=int(str(row["gold"])),
        confidence=None if row["confidence"] is None else float(str(row["confidence"])),
        documents=tuple(str(path) for path in documents),
        guess=bool(row.get("guess")),
    )


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
