"""Above the list of documents: the filter, and what failed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.look import theme
from app.look.counting import counted
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel


class LibraryHead(QWidget):
    """Signals: changed() when another part of the documents is wanted; retry_wanted() for all that failed."""

    changed = Signal()
    retry_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter documents")
        self.filter.setAccessibleName("Filter documents")
        self.filter.setToolTip(
            "Words, or author:lund  type:pdf  title:  path:  after:2021-05  before:2021-07"
        )
        self.filter.setClearButtonEnabled(True)
        self.filter.addAction(theme.icon("funnel", "muted"), QLineEdit.ActionPosition.LeadingPosition)
        self.failed = QToolButton()
        self.failed.setCheckable(True)
        self.failed.setIcon(theme.icon("warning", "warn"))
        self.failed.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.failed.setToolTip("Only what could not be read, with the reasons")
        self.words = PlainLabel(kind="small")
        self.retry = QPushButton("Try all again")
        self.retry.setIcon(theme.icon("arrow-counter-clockwise"))
        self.strip = QWidget()
        self._lay_out()
        self.filter.textChanged.connect(self.changed)
        self.failed.toggled.connect(self._on_toggled)
        self.retry.clicked.connect(self.retry_wanted)
        self.set_failed(0, 0)

    def _lay_out(self) -> None:
        row, below, column = QHBoxLayout(), QHBoxLayout(self.strip), QVBoxLayout(self)
        row.setSpacing(theme.GRID)
        row.addWidget(self.filter, 1)
        row.addWidget(self.failed)
        below.setContentsMargins(0, 0, 0, 0)
        below.addWidget(self.words, 1)
        below.addWidget(self.retry)
        column.setContentsMargins(12, theme.GRID, 12, theme.WITHIN)
        column.setSpacing(theme.WITHIN)
        column.addLayout(row)
        column.addWidget(self.strip)

    def set_failed(self, documents: int, passages: int) -> None:
        """Documents that could not be read, wholly or in part, and the passages that failed inside."""
        self.failed.setText(f"Failed ({documents:,})")
        self.failed.setAccessibleName(f"Only the {documents:,} that failed")
        self.failed.setVisible(documents > 0 or self.failed.isChecked())
        inside = f", {counted(passages, 'passage')}" if passages else ""
        self.words.setText(f"{counted(documents, 'document')}{inside}" if documents else "Nothing failed")
        self.retry.setVisible(documents > 0)
        self.strip.setVisible(self.failed.isChecked())

    def set_blocked(self, reason: str) -> None:
        """Why nothing can be tried again now; "" when it can."""
        self.retry.setEnabled(not reason)
        self.retry.setToolTip(tooltip(reason or "Read again all that failed"))

    def clear(self) -> None:
        """All documents."""
        self.filter.clear()
        self.failed.setChecked(False)

    def _on_toggled(self, only_failed: bool) -> None:
        self.strip.setVisible(only_failed)
        self.changed.emit()
