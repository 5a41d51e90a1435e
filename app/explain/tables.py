"""Tables of an explanation: their columns, which several tabs share, and a table under its heading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.answers.wording import place_words, placed
from app.look import theme
from app.look.translation import tr
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from app.widgets.table import Column, RecordTable, TraceTable
from core.types import LISTS_CALLED, Evidence, PassageLabel

RANK, FIGURE = 56, 76  # widths of columns of numbers
Labels = Mapping[str, PassageLabel]
Rank = Callable[[Any], int | None]


@dataclass(frozen=True, slots=True)
class Section:
    """A table under a heading; `note` stands between them. Records with a `passage_id` or `entity_id` lead there."""

    title: str
    columns: tuple[Column, ...]
    records: tuple[Any, ...]
    note: str = ""


class SectionView(QWidget):
    """One table under its heading and note."""

    def __init__(self, section: Section, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = PlainLabel(kind="caps", wrap=True)
        self.note = PlainLabel(kind="small", wrap=True, selectable=True)
        self._records = RecordTable(section.columns, self)
        self.table = TraceTable(self._records, name)
        column(self.heading, self.note, self.table, spacing=theme.GRID, on=self)
        self.show_section(section)

    def show_section(self, section: Section) -> None:
        """Other words in the same columns."""
        self._section = section
        self.heading.setText(section.title)
        self.note.setText(section.note)
        self.note.setVisible(bool(section.note))
        self.table.setAccessibleName(section.title)
        self.table.set_records(section.records)

    def renew(self) -> None:
        """What the columns say of the same records has changed."""
        if self._section.records:
            self._records.renew(self._section.records)


class SectionTables(QWidget):
    """Tables below each other; Escape comes here where no table takes it.

    Signals: chosen(record of a table), closed().
    """

    chosen = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sections: list[SectionView] = []

    def show_passage(self, passage_id: str) -> None:
        """Select the rows of this passage."""
        for section in self.sections:
            section.table.select_passage(passage_id)

    def set_filter(self, words: str) -> None:
        for section in self.sections:
            section.table.set_filter(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


def labels_of(evidence: Sequence[Evidence]) -> dict[str, PassageLabel]:
    """Return what an answer itself knows of its passages."""
    return {
        row.passage.id: PassageLabel(
            row.passage.title, row.document, row.passage.page, row.passage.ordinal + 1
        )
        for row in evidence
    }


def title_of(passage_id: str, labels: Labels) -> str:
    """`Title, page 3`, or `Title, passage 2` where there are no pages; the id of one that nobody knows by name."""
    label = labels.get(passage_id)
    if label is None:
        return passage_id
    number = tr("passage {number}", number=str(label.number)) if label.number else ""
    return placed(label.title or label.document, place_words(label.page) or number) or passage_id


def ranking_columns(labels: Labels, *moved: Column) -> tuple[Column, ...]:
    """Of ranked passages: records with `rank`, `score` and `passage_id`; `moved` stands behind the rank."""
    tip = tr("As the last stage gave it; comparable within one ranking only")
    return (
        rank_column(tr("Rank"), lambda row: row.rank),
        *moved,
        replace(number_column(tr("Score"), lambda row: row.score, 4, tip), needs=340),
        passage_column(labels, 1.4),
    )


def seed_columns(*more: Column) -> tuple[Column, ...]:
    """Of entities at which the walk may start: records with `name`, `weight` and `reason`."""
    return (
        Column(tr("Entity"), lambda row: row.name),
        number_column(
            tr("Weight"),
            lambda row: row.weight,
            tip=tr("Share of the restart mass, 0 to 1: how often the walk begins here"),
        ),
        Column(tr("Why"), _reason, share=1.1),
        *more,
    )


def _reason(row: Any) -> str:
    words = getattr(row, "words", "")
    return tr("{reason}: \u201c{words}\u201d", reason=row.reason, words=words) if words else row.reason


def passage_column(labels: Labels, share: float = 1.0) -> Column:
    # Cut in the middle: the number of the passage stands at its end.
    return Column(tr("Passage"), lambda row: title_of(row.passage_id, labels), share=share, path=True)


def document_column(labels: Labels) -> Column:
    def document(row: Any) -> str:
        label = labels.get(row.passage_id)
        return label.document if label else ""

    return Column(tr("Document"), document, needs=520, path=True)


def rank_column(title: str, of: Rank, tip: str = "", width: int = RANK) -> Column:
    """Ranks from 1; a dash where there is none, which sorts last."""
    return Column(
        title, lambda row: str(of(row) or "\u2013"), lambda row: of(row) or 1 << 30, True, tip, width
    )


def number_column(title: str, of: Callable[[Any], float], places: int = 3, tip: str = "") -> Column:
    return Column(title, lambda row: f"{of(row):,.{places}f}", of, True, tip, FIGURE)


def move_column(before: Rank, after: Rank, tip: str) -> Column:
    """Return how many places up or down: `▲ 9`, `▼ 2`, `=`, `new`."""

    def places(row: Any) -> int:
        old, new = before(row), after(row)
        return old - new if old and new else -(1 << 30)

    return Column(tr("Move"), lambda row: move_words(before(row), after(row)), places, True, tip, RANK)


def move_words(before: int | None, after: int | None) -> str:
    """Return the way of a passage from one rank to another."""
    if before is None or after is None:
        return tr("new") if after is not None else tr("gone")
    if before == after:
        return "="
    places = abs(before - after)
    return f"\u25b2 {places}" if after < before else f"\u25bc {places}"


def list_name(name: str) -> str:
    """Return a ranked list as people call it; others keep their letters."""
    return tr(LISTS_CALLED[name]) if name in LISTS_CALLED else name


def rejected_column(share: float = 1.0) -> Column:
    return Column(
        tr("Why not"),
        lambda row: row.rejected,
        share=share,
        tip=tr("What kept it from going on to the next stage"),
    )
