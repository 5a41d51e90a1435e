"""What a question found, in words: its paths and its passages as tables."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, Signal

from app.lab.growing_table import GrowingTable
from app.look.translation import tr
from app.session.overlay import ChainFact
from app.widgets.table import RECORD_ROLE, Column, RecordTable
from core.types import LabPassage, LabPath

_LETTERS = 160  # of a passage that are shown


def path_words(found: LabPath) -> str:
    """`Alan Turing — worked at → Bletchley Park`; an arrow to the left where a fact is told the other way round."""
    words = [found.names[0]]
    for step, before, name in zip(found.path.steps, found.path.entity_ids, found.names[1:], strict=False):
        verb = step.predicate
        words.append(
            f"\u2014 {verb} \u2192 {name}" if step.subject_id == before else f"\u2190 {verb} \u2014 {name}"
        )
    return " ".join(words)


def chain_of(found: LabPath) -> tuple[ChainFact, ...]:
    """The facts of a path as the overlay draws them."""
    pairs = zip(found.path.steps, found.path.entity_ids, strict=False)
    return tuple(ChainFact(step.predicate, step.subject_id == before) for step, before in pairs)


class FoundTable(GrowingTable):
    """Signals besides `chosen`: lit(record) where the mouse rests on a row or the keyboard comes to one."""

    lit = Signal(object)

    def __init__(self, records: RecordTable, name: str) -> None:
        super().__init__(records, name)
        self.setMouseTracking(True)
        self.entered.connect(self._light)
        self.selectionModel().currentRowChanged.connect(lambda now, _: self._light(now))

    def _light(self, index: QModelIndex) -> None:
        if index.isValid():
            self.lit.emit(index.data(RECORD_ROLE))


def paths_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(tr("Path"), path_words),
            Column(
                tr("Facts"), lambda found: str(len(found.path.steps)), lambda found: len(found.path.steps),
                number=True, width=56, needs=380,
            ),
            Column(
                tr("Score"), lambda found: f"{found.score:.3f}", lambda found: found.score, number=True, width=64,
                tip=tr("As the last scorer gave it; comparable within one list only"),
            ),
        ),
        parent,
    )  # fmt: skip


def passages_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(tr("Rank"), lambda each: str(each.rank), lambda each: each.rank, number=True, width=48),
            Column(tr("Document"), lambda each: each.title, share=0.7),
            Column(tr("Passage"), _opening, share=1.5, needs=320),
            Column(
                tr("Score"), lambda each: f"{each.score:.3f}", lambda each: each.score, number=True, width=64,
                needs=280, tip=tr("As the last stage gave it; comparable within one list only"),
            ),
        ),
        parent,
    )  # fmt: skip


def _opening(passage: LabPassage) -> str:
    return " ".join(passage.text.split())[:_LETTERS]
