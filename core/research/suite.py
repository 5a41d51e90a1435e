"""Many question sets of unlike kinds, one after another, and what they say together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.lab.metrics import mean
from core.research.datasets import CORPUS, DOCUMENTS, QUESTIONS
from core.research.report import ALL, AUTO, JUDGE, EvalReport, QuestionRow

BM25 = "lexical"
ROUTES = (BM25, "dense", "graph", AUTO)


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One question set. `figures` by name: recall@5 by route, the others of `auto`; those that apply."""

    name: str
    questions: int
    passages: int
    figures: dict[str, float]


def corpora(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """The question sets right below a folder, by name. Raises BadInput for none, or no such name."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder.", "Give a folder of question sets.")
    found = {path.name: path for path in sorted(folder.iterdir()) if _is_corpus(path)}
    if not found:
        raise BadInput(
            f"{folder} holds no question sets.",
            f"Each is a folder with {QUESTIONS} beside {DOCUMENTS}/ or {CORPUS}.",
        )
    for name in only:
        if name not in found:
            raise BadInput(
                f"There is no question set {name!r} in {folder}.", f"Choose one of: {', '.join(found)}."
            )
    return [path for name, path in found.items() if not only or name in only]


def _is_corpus(path: Path) -> bool:
    return (path / QUESTIONS).is_file() and ((path / DOCUMENTS).is_dir() or (path / CORPUS).is_file())


def suite_row(report: EvalReport) -> SuiteRow:
    """Of the questions of all kinds."""
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
    """recall@5 of the questions whose evidence lies in more than one document; None for none."""
    found = [row.measures[JUDGE] for row in rows if row.gold > 1]
    return mean(found) if found else None


def mean_figures(rows: Sequence[SuiteRow]) -> dict[str, float]:
    """Each figure's mean over the question sets that have it: a small set counts as much as a large one."""
    names = dict.fromkeys(name for row in rows for name in row.figures)
    return {name: mean([row.figures[name] for row in rows if name in row.figures]) for name in names}


def below_bm25(rows: Sequence[SuiteRow], route: str = AUTO) -> list[str]:
    """Names of the question sets where plain word search finds more than `route`."""
    none = -math.inf
    return [
        row.name
        for row in rows
        if row.figures.get(f"{JUDGE} {route}", none) < row.figures.get(f"{JUDGE} {BM25}", none)
    ]
