"""The stages at which questions ended, for compositions that stop as soon as they can. A2RAG IV-D and IV-F.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.lab.figures import SURE
from core.lab.metrics import mean
from core.lab.rows import LabRow

STAGES = ("local", "bridge", "global", "fail")


@dataclass(frozen=True, slots=True)
class Ending:
    """The questions of one composition that ended at one stage.

    Shares, 0..1, are of all its questions, their seconds and the reader's tokens. `recalls` are the means of `SURE`
    on the same questions, by composition of the run.
    """

    composition: str
    stage: str
    questions: int
    share: float
    seconds: float
    tokens: float
    recalls: dict[str, float]


def endings(rows: Sequence[LabRow]) -> list[Ending]:
    """Return the endings by composition in the order of the rows, then by stage; none for compositions without
    stages.
    """
    runs: dict[str, dict[str, LabRow]] = {}
    for row in rows:
        runs.setdefault(row.composition, {})[row.question] = row
    found = []
    for name, own in runs.items():
        for stage in STAGES:
            here = [row for row in own.values() if row.ended == stage]
            if here:
                found.append(_ending(name, stage, here, list(own.values()), runs))
    return found


def _ending(
    name: str,
    stage: str,
    here: Sequence[LabRow],
    own: Sequence[LabRow],
    runs: Mapping[str, Mapping[str, LabRow]],
) -> Ending:
    asked = [row.question for row in here if SURE in row.measures]
    recalls = {
        other: mean([rows[each].measures[SURE] for each in asked])
        for other, rows in runs.items()
        if asked and all(each in rows for each in asked)
    }
    seconds, tokens = (
        _share([measure(row) for row in here], [measure(row) for row in own])
        for measure in (lambda row: row.seconds["all"], lambda row: float(row.tokens))
    )
    return Ending(name, stage, len(here), len(here) / len(own), seconds, tokens, recalls)


def _share(subset: Sequence[float], values: Sequence[float]) -> float:
    return sum(subset) / (sum(values) or 1.0)
