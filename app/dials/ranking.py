"""The ranking beside the one that is configured: who went up, who went down, who came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.look.translation import tr
from app.widgets.table import Column, RecordTable
from core.types import Ranking

SHOWN = 20


@dataclass(frozen=True, slots=True)
class RankedRow:
    """`before` is the rank as configured, None for a passage that was not in that ranking."""

    passage_id: str
    rank: int
    before: int | None
    score: float
    title: str

    @property
    def moved(self) -> str:
        """`▲ 3`, `▼ 1`, "" where it stayed."""
        if self.before is None:
            return tr("new")
        if self.before == self.rank:
            return ""
        way = "\u25b2" if self.before > self.rank else "\u25bc"
        return f"{way} {abs(self.before - self.rank)}"


def ranked_rows(now: Ranking, configured: Ranking, titles: Mapping[str, str]) -> tuple[RankedRow, ...]:
    """The first SHOWN of them."""
    before = {hit.passage_id: hit.rank for hit in configured.hits}
    return tuple(
        RankedRow(
            hit.passage_id,
            hit.rank,
            before.get(hit.passage_id),
            hit.score,
            titles.get(hit.passage_id) or tr("A passage that is gone"),
        )
        for hit in now.hits[:SHOWN]
    )


def ranking_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(tr("Rank"), lambda row: str(row.rank), lambda row: row.rank, number=True, width=48),
            Column(
                tr("Moved"),
                lambda row: row.moved,
                lambda row: (row.before or SHOWN * 9) - row.rank,
                width=56,
                tip=tr("Places up or down from the ranking as it is configured"),
            ),
            Column(tr("Passage"), lambda row: row.title),
            Column(
                tr("Score"),
                lambda row: f"{row.score:.4f}",
                lambda row: row.score,
                number=True,
                width=72,
                needs=300,
                tip=tr("As the last stage gave it; comparable within one ranking only"),
            ),
        ),
        parent,
    )
