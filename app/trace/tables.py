"""Tables of the trace: seeds and hits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject

from app.look.translation import tr
from app.trace.columns import Labels
from app.widgets.table import Column, RecordTable
from core.types import Evidence, Hit, PassageLabel


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit with what the answer knows of its passage."""

    hit: Hit
    document: str
    title: str


def labels_of(evidence: Sequence[Evidence]) -> dict[str, PassageLabel]:
    """What an answer itself knows of its passages."""
    return {
        row.passage.id: PassageLabel(
            row.passage.title, row.document, row.passage.page, row.passage.ordinal + 1
        )
        for row in evidence
    }


def hit_rows(hits: Sequence[Hit], labels: Labels) -> tuple[HitRow, ...]:
    """Those that nobody knows by name are called by their passage id."""
    rows = []
    for hit in hits:
        label = labels.get(hit.passage_id)
        rows.append(HitRow(hit, label.document if label else "", label.title if label else hit.passage_id))
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
