"""What failed in a document: the stage, the reason, what to do, and what was said word for word."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from app.look import theme
from app.look.translation import tr, trn
from app.widgets.buttons import block, fold_button, push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, clear, column, line, row
from core.types import Failure

MOST = 40  # rows; a document may fail at thousands of passages
RAW_LINES = 8
LEAST = 132  # pixels: stage, reason and remedy of one failure in a narrow panel
STAGES = {"read": tr("Reading"), "embed": tr("Encoding"), "extract": tr("Extraction")}
STAGE_TIPS = {
    "read": tr("The file could not be read, so nothing of it is in the workspace"),
    "embed": tr("A passage could not be encoded: it is not found by meaning"),
    "extract": tr("Names and facts could not be extracted from a passage: it is not in the graph"),
}


class FailureCard(QFrame):
    """The failures of the chosen document; hidden where there is none.

    Signals: retry_wanted(); passage_wanted(passage id, document id).
    """

    retry_wanted = Signal()
    passage_wanted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.failures: tuple[Failure, ...] = ()
        self.rows: list[FailureRow] = []
        self.setAccessibleName(tr("What failed in this document"))
        self._inside = QWidget()
        self._column = column(margins=(12, theme.WITHIN, 12, theme.GRID), on=self._inside)
        self._area = _Area(self._inside, self._column)
        self.retry = push_button(tr("Try again"), self.retry_wanted, icon="arrow-counter-clockwise")
        foot = row(self.retry, STRETCH, margins=(12, theme.GRID, 12, theme.WITHIN))
        column(line(), (self._area, 1), foot, spacing=0, on=self)
        self.hide()

    def show_failures(self, failures: Sequence[Failure]) -> None:
        """Show these; what is unfolded stays so where nothing changed."""
        if tuple(failures) != self.failures:
            self.failures = tuple(failures)
            self._fill()
        self.setVisible(bool(self.failures))

    def set_blocked(self, reason: str) -> None:
        """Set why nothing can be tried again now; "" when it can."""
        block(self.retry, reason, tr("Read this document, or what failed in it, again"))

    def _fill(self) -> None:
        clear(self._column)
        self.rows = [FailureRow(failure) for failure in self.failures[:MOST]]
        for each in self.rows:
            each.passage_wanted.connect(self.passage_wanted)
            each.folded.connect(self._area.updateGeometry)
            self._column.addWidget(each)
        if len(self.failures) > MOST:
            rest = len(self.failures) - MOST
            words = trn("and {count} more passage", "and {count} more passages", rest)
            self._column.addWidget(PlainLabel(words, "small"))
        self._column.addStretch(1)
        self._area.verticalScrollBar().setValue(0)
        self._area.updateGeometry()


class FailureRow(QWidget):
    """One failure. The raw output is folded away, and shown letter by letter."""

    passage_wanted = Signal(str, str)
    folded = Signal()

    def __init__(self, failure: Failure) -> None:
        super().__init__()
        self.failure = failure
        tip = STAGE_TIPS.get(failure.stage, "")
        stage = PlainLabel(STAGES.get(failure.stage, failure.stage.capitalize()), "chip", tip=tip)
        opened = partial(self.passage_wanted.emit, failure.passage_id, failure.document_id)
        button = (
            push_button(tr("Open the passage"), lambda: opened(), kind="quiet")
            if failure.passage_id
            else None
        )
        self.reason = PlainLabel(failure.reason, "error", wrap=True, selectable=True)
        self.remedy = PlainLabel(failure.remedy, wrap=True, selectable=True)
        self.raw = QPlainTextEdit(failure.raw, readOnly=True)
        self.raw.setAccessibleName(tr("Raw output"))
        self.raw.setFont(theme.mono_font(theme.SMALL))
        self.fold = fold_button(tr("What it said"), self.raw)
        self.fold.setToolTip(tr("The raw output of the part that failed, word for word"))
        self.fold.toggled.connect(self._fit_raw)
        head = row((stage, Qt.AlignmentFlag.AlignVCenter), STRETCH, button)
        column(head, self.reason, self.remedy, self.fold, self.raw, spacing=theme.GRID, on=self)
        self.remedy.setVisible(bool(failure.remedy))  # once it has a parent: else it is a window
        self.fold.setVisible(bool(failure.raw))

    def _fit_raw(self) -> None:
        # The document of a plain text edit is as high as its lines are many, broken ones counted.
        lines = min(int(self.raw.document().size().height()), RAW_LINES)
        self.raw.setFixedHeight(self.raw.fontMetrics().lineSpacing() * (lines + 1) + 2 * theme.WITHIN)
        self.folded.emit()


class _Area(QScrollArea):
    """Scrolls, and wants to be no higher than what is in it."""

    def __init__(self, inside: QWidget, column: QVBoxLayout) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._inside = column
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)

    def sizeHint(self) -> QSize:
        width = max(self.width(), 200)
        return QSize(width, self._inside.totalHeightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, min(self.sizeHint().height(), LEAST))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Another width wraps the words otherwise, and wants another height."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()
