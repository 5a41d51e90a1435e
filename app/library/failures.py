"""What failed in a document: the stage, the reason, what to do, and what was said word for word."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.look import theme
from app.look.counting import counted
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel
from core.types import Failure

MOST = 40  # rows; a document may fail at thousands of passages
RAW_LINES = 8
LEAST = 132  # pixels: stage, reason and remedy of one failure in a narrow panel
STAGES = {"read": "Reading", "embed": "Encoding", "extract": "Extraction"}
STAGE_TIPS = {
    "read": "The file could not be read, so nothing of it is in the workspace",
    "embed": "A passage could not be encoded: it is not found by meaning",
    "extract": "Names and facts could not be extracted from a passage: it is not in the graph",
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
        self.setAccessibleName("What failed in this document")
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(12, theme.WITHIN, 12, theme.GRID)
        self._column.setSpacing(theme.WITHIN)
        self._area = _Area(self._inside, self._column)
        self.retry = QPushButton("Try again")
        self.retry.setIcon(theme.icon("arrow-counter-clockwise"))
        self.retry.clicked.connect(self.retry_wanted)
        foot = QHBoxLayout()
        foot.setContentsMargins(12, theme.GRID, 12, theme.WITHIN)
        foot.addWidget(self.retry)
        foot.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        line = QFrame()
        line.setProperty("kind", "line")
        line.setFixedHeight(1)
        whole.addWidget(line)
        whole.addWidget(self._area, 1)
        whole.addLayout(foot)
        self.hide()

    def show_failures(self, failures: Sequence[Failure]) -> None:
        """Show these; what is unfolded stays so where nothing changed."""
        if tuple(failures) != self.failures:
            self.failures = tuple(failures)
            self._fill()
        self.setVisible(bool(self.failures))

    def set_blocked(self, reason: str) -> None:
        """Why nothing can be tried again now; "" when it can."""
        self.retry.setEnabled(not reason)
        self.retry.setToolTip(tooltip(reason or "Read this document, or what failed in it, again"))

    def _fill(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self.rows = [FailureRow(failure) for failure in self.failures[:MOST]]
        for row in self.rows:
            row.passage_wanted.connect(self.passage_wanted)
            row.folded.connect(self._area.updateGeometry)
            self._column.addWidget(row)
        if len(self.failures) > MOST:
            more = PlainLabel(f"and {counted(len(self.failures) - MOST, 'more passage')}", "small")
            self._column.addWidget(more)
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
        stage = PlainLabel(STAGES.get(failure.stage, failure.stage.capitalize()), "chip")
        stage.setToolTip(tooltip(STAGE_TIPS.get(failure.stage, "")))
        head = QHBoxLayout()
        head.setSpacing(theme.WITHIN)
        head.addWidget(stage, alignment=Qt.AlignmentFlag.AlignVCenter)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addLayout(head)
        if failure.passage_id:
            head.addWidget(self._passage_button())
        self.reason, self.remedy = _text(failure.reason, "error"), _text(failure.remedy, "")
        column.addWidget(self.reason)
        column.addWidget(self.remedy)
        self.remedy.setVisible(bool(failure.remedy))  # once it has a parent: else it is a window
        self.fold, self.raw = QToolButton(self), QPlainTextEdit(failure.raw, self)
        self._add_raw(column)
        self.fold.setVisible(bool(failure.raw))

    def _passage_button(self) -> QPushButton:
        button = QPushButton("Open the passage")
        button.setProperty("kind", "quiet")
        button.clicked.connect(
            lambda: self.passage_wanted.emit(self.failure.passage_id, self.failure.document_id)
        )
        return button

    def _add_raw(self, column: QVBoxLayout) -> None:
        self.fold.setText("What it said")
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setCheckable(True)
        self.fold.setIcon(theme.icon("caret-right", "muted"))
        self.fold.setToolTip("The raw output of the part that failed, word for word")
        self.fold.toggled.connect(self._unfold)
        self.raw.setReadOnly(True)
        theme.follow(self.raw, lambda: self.raw.setFont(theme.mono_font(theme.SMALL)))
        self.raw.setAccessibleName("Raw output")
        self.raw.hide()
        column.addWidget(self.fold)
        column.addWidget(self.raw)

    def _unfold(self, opened: bool) -> None:
        self.fold.setIcon(theme.icon("caret-down" if opened else "caret-right", "muted"))
        self.raw.setVisible(opened)
        # The document of a plain text edit is as high as its lines are many, broken ones counted.
        lines = min(int(self.raw.document().size().height()), RAW_LINES)
        self.raw.setFixedHeight(self.raw.fontMetrics().lineSpacing() * (lines + 1) + 2 * theme.WITHIN)
        self.folded.emit()


class _Area(QScrollArea):
    """Scrolls, and wants to be no higher than what is in it."""

    def __init__(self, inside: QWidget, column: QVBoxLayout) -> None:
        super().__init__()
        self._inside = column
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
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


def _text(words: str, kind: str) -> PlainLabel:
    return PlainLabel(words, kind, wrap=True, selectable=True)
