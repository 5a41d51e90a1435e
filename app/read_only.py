"""The banner of a workspace that another process uses: by whom, and what that means."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout

from app import operations, theme
from app.session import Session
from app.widgets.plain_label import PlainLabel

READING_ONLY = (
    "You can read, search and ask. Indexing, removing, retrying, watching and deciding on names are off."
)
WAITING = "Indexing, removing, retrying and deciding on names wait until it ends. What it adds is shown as it comes."


class ReadOnlyBanner(QFrame):
    """Stays as long as the workspace cannot be changed from here. Its button tries to open it anew."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._icon = PlainLabel()
        self.words, self.meaning = _line(), _line()
        self.meaning.setProperty("kind", "muted")
        self.again = QPushButton("Try again")
        self.again.setToolTip("Open the workspace anew: it may be free by now")
        self.again.clicked.connect(partial(operations.open_again, session))
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.words)
        words.addWidget(self.meaning)
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.GROUPS, theme.WITHIN, theme.WITHIN, theme.WITHIN)
        row.setSpacing(theme.WITHIN + theme.GRID)
        row.addWidget(self._icon)
        row.addLayout(words, 1)
        row.addWidget(self.again)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        session.blocked_changed.connect(self._show)
        session.workspace_closed.connect(self.hide)
        theme.notifier().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def _show(self) -> None:
        shut, writer = self._session.shut, self._session.written_by
        if not self._session.trusted:
            self.hide()  # the banner of trust says it
            return
        words = shut or (f"The workspace is {writer}." if writer else "")
        self.words.setText(words)
        self.meaning.setText(READING_ONLY if shut else WAITING)
        self.again.setVisible(bool(shut))
        self.setAccessibleName(f"{words} {self.meaning.text()}")
        self.setVisible(bool(words))

    def _restyle(self, *_: object) -> None:
        self._icon.setPixmap(theme.icon("lock", "warn").pixmap(20, 20))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        now, painter = theme.current(), QPainter(self)
        painter.fillRect(self.rect(), QColor(now.raised))
        painter.fillRect(0, 0, 4, self.height(), QColor(now.warn))
        painter.setPen(QPen(QColor(now.border), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.end()


def _line() -> PlainLabel:
    return PlainLabel(wrap=True)
