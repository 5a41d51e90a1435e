"""Messages without windows: news goes by itself, errors stay until they are read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.look import theme as look
from app.widgets.plain_label import PlainLabel

INFO_MS = 5000


class MessageBar(QFrame):
    """One message at a time; an error or an offer is never pushed away by news. Plain text only."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = "info"
        self._action: Callable[[], object] | None = None
        self._icon, self._text, self._remedy = PlainLabel(), _line(), _line()
        self._remedy.setProperty("kind", "muted")
        self._button = QPushButton()
        self._button.clicked.connect(self._act)
        self._close = QToolButton()
        self._close.setToolTip("Close this message (Esc)")
        self._close.setAccessibleName("Close this message")
        self._close.clicked.connect(self.dismiss)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._text)
        words.addWidget(self._remedy)
        row = QHBoxLayout(self)
        row.setContentsMargins(look.GROUPS, look.WITHIN, look.WITHIN, look.WITHIN)
        row.setSpacing(look.WITHIN + look.GRID)
        row.addWidget(self._icon)
        row.addLayout(words, 1)
        row.addWidget(self._button)
        row.addWidget(self._close)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._going = QTimer(self)
        self._going.setSingleShot(True)
        self._going.timeout.connect(self.dismiss)
        look.notifier().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def info(self, text: str) -> None:
        """Say something that needs no answer; it goes by itself, and never hides an unread error."""
        if self._kind in ("error", "offer") and not self.isHidden():
            return
        self._say("info", text, "", None, None)
        self._going.start(INFO_MS)

    def error(
        self,
        message: str,
        remedy: str = "",
        action_text: str | None = None,
        action: Callable[[], object] | None = None,
    ) -> None:
        """Say what failed and what to do about it; stays until closed. The button runs `action`."""
        self._going.stop()
        self._say("error", message, remedy, action_text, action)

    def offer(self, text: str, remedy: str, action_text: str, action: Callable[[], object]) -> None:
        """Say something that may be answered with a button; stays until closed. No failure."""
        self._going.stop()
        self._say("offer", text, remedy, action_text, action)

    def dismiss(self) -> None:
        """Take the message away."""
        self._going.stop()
        if not self.isHidden():
            self.hide()
            self._kind = "info"
            self.closed.emit()

    def withdraw(self) -> None:
        """Take an offer away that can no longer be taken; an error stays until it is read."""
        if self._kind == "offer":
            self.dismiss()

    def text(self) -> str:
        """The message and its remedy, as shown."""
        return f"{self._text.text()} {self._remedy.text()}".strip()

    def _say(
        self, kind: str, text: str, remedy: str, action_text: str | None, action: Callable[[], object] | None
    ) -> None:
        self._kind, self._action = kind, action
        self._text.setText(text)
        self._remedy.setText(remedy)
        self._remedy.setVisible(bool(remedy))
        self._button.setText(action_text or "")
        self._button.setVisible(bool(action_text and action))
        self.setAccessibleName(f"{'Error' if kind == 'error' else 'Message'}: {self.text()}")
        self._restyle()
        self.show()

    def _act(self) -> None:
        action = self._action
        self.dismiss()
        if action is not None:
            action()

    def _restyle(self, *_: object) -> None:
        name, role = ("warning-circle", "error") if self._kind == "error" else ("info", "accent")
        self._icon.setPixmap(look.icon(name, role).pixmap(20, 20))
        self._close.setIcon(look.icon("x", "muted"))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = look.current(), QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.raised))
        color = QColor(theme.error if self._kind == "error" else theme.accent)
        painter.fillRect(0, 0, 4, self.height(), color)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.end()


def _line() -> PlainLabel:
    return PlainLabel(wrap=True, selectable=True)
