"""Tables of the trace: seeds and hits."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.look.translation import tr
from app.widgets.table import Column, RecordTable
from core.types import Answer, Hit


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit with what the answer knows of its passage."""

    hit: Hit
    document: str
    title: str


def hit_rows(answer: Answer) -> tuple[HitRow, ...]:
    """The trace's hits; those outside the evidence are named by their passage id only."""
    known = {row.passage.id: row for row in answer.evidence}
    rows = []
    for hit in answer.trace.hits:
        row = known.get(hit.passage_id)
        rows.append(HitRow(hit, row.document if row else "", row.passage.title if row else hit.passage_id))
    return tuple(rows)


def seeds_table(parent: QObject | None = None) -> RecordTable:
    """Entities at which the walk starts."""
    return RecordTable(
        (
            Column(tr("Entity"), lambda seed: seed.name),
            Column(
                tr("Weight"),
                lambda seed: f"{seed.weight:.3f}",
                lambda seed: seed.weight,
                number=True,
                width=76,
                tip=tr("Share of the restart mass, 0 to 1: how often the walk begins here"),
            ),
            Column(tr("Why"), lambda seed: seed.reason, share=1.1),
        ),
        parent,
    )


def hits_table(parent: QObject | None = None) -> RecordTable:
    """Passages in the order of the route."""
    return RecordTable(
        (
            Column(
                tr("Rank"), lambda row: str(row.hit.rank), lambda row: row.hit.rank, number=True, width=52
            ),
            Column(
                tr("Score"),
                lambda row: f"{row.hit.score:.4f}",
                lambda row: row.hit.score,
                number=True,
                width=76,
                tip=tr("As the route's last stage gave it; comparable within one answer only"),
            ),
            Column(tr("Title"), lambda row: row.title),
            Column(tr("Document"), lambda row: row.document, needs=420, path=True),
        ),
        parent,
    )
