"""What one stage recorded, laid open: its sentence, the question's words, its tables."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.answers.wording import duration
from app.look import theme
from app.look.translation import tr
from app.trace.columns import Labels
from app.trace.details import counted_words, sections_of, signals_section
from app.trace.section import Section
from app.trace.stages import stage_words
from app.trace.tokens import TokenLine
from app.widgets.buttons import tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, clear, column, row
from app.widgets.table import RECORD_ROLE, RecordTable, TraceTable
from core.types import Stage
from core.types.stages import QuestionRead, Reordered, SecondStageOrder


class SectionView(QWidget):
    """One table under its heading and note."""

    def __init__(self, section: Section, name: str, parent: QWidget) -> None:
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


class StageDetail(QWidget):
    """Hidden until a stage is shown. Signals: chosen(record of a table), closed()."""

    chosen = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stageDetail")
        self.stage: Stage | None = None
        self.sections: list[SectionView] = []
        self._labels: Labels = {}
        self._filter = ""
        self.title = PlainLabel(wrap=True, selectable=True, bold=True)
        self.told = PlainLabel(kind="muted", wrap=True, selectable=True)
        self.close_button = tool_button("x", tr("Close the stage (Esc)"), self.closed, side=24)
        self._parts = column(spacing=theme.GROUPS)
        self.head = QWidget()
        top = row((self.title, 1), (self.close_button, TOP))
        column(top, self.told, spacing=theme.GRID, on=self.head)
        column(self.head, self._parts, spacing=theme.WITHIN, on=self)
        # Inside a row of the list: a press here is none on the row.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.hide()

    def show_stage(self, stage: Stage, labels: Labels, words: str = "") -> None:
        """Replace what is shown; `labels` may fill later, then `renew`; `words` filter its tables."""
        self.leave()
        self.stage, self._labels, self._filter = stage, labels, words
        name = stage_words(stage.name)
        self.title.setText(tr("{stage}  \u00b7  {time}", stage=name, time=duration(stage.seconds)))
        self.setAccessibleName(tr("Stage: {stage}", stage=name))
        notes = (" ".join(stage.detail.split()), counted_words(stage.data))
        self.told.setText("  \u00b7  ".join(filter(None, notes)))
        self.told.setVisible(any(notes))
        if stage.data is None:
            self._parts.addWidget(
                PlainLabel(tr("This stage recorded nothing more."), "muted", self, wrap=True)
            )
        else:
            if isinstance(stage.data, QuestionRead):
                self._parts.addWidget(TokenLine(stage.data.words, self))
            for section in sections_of(stage.data, labels):
                self._add(section)
        self.show()

    def renew(self) -> None:
        """Call the passages by their names, now that these are known."""
        for section in self.sections:
            section.renew()

    def set_filter(self, words: str) -> None:
        self._filter = words
        for section in self.sections:
            section.table.set_filter(words)

    def leave(self) -> None:
        """Nothing is open any more."""
        self.stage, self.sections = None, []
        clear(self._parts)
        self.hide()

    def _add(self, section: Section) -> None:
        view = SectionView(section, f"stageTable{len(self.sections)}", self)
        view.table.set_filter(self._filter)
        view.table.chosen.connect(self.chosen)
        if not self.sections:
            view.table.selectionModel().currentRowChanged.connect(self._show_signals)
        self.sections.append(view)
        self._parts.addWidget(view)

    def _show_signals(self, index: QModelIndex) -> None:
        """Of the candidate of the second stage on which the keyboard is."""
        data = self.stage.data if self.stage is not None else None
        record = index.data(RECORD_ROLE)
        if isinstance(data, SecondStageOrder) and isinstance(record, Reordered) and record.values:
            section = signals_section(data, record, self._labels)
            if len(self.sections) == 1:
                self._add(section)
            else:
                self.sections[1].show_section(section)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What no table takes comes here: Escape goes back to the list of stages."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)
