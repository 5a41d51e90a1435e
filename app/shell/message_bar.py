"""Messages without windows: news goes by itself, errors stay until they are read."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.look import theme as look
from app.look.translation import tr
from app.widgets.buttons import push_button, tool_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import column, row
from app.widgets.notices import paint_strip

INFO_MS = 5000


class MessageBar(QFrame):
    """One message at a time; an error or an offer is never pushed away by news. Plain text only."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = "info"
        self._action: Callable[[], object] | None = None
        self._icon, self._button = Icon("info", "accent", 20), push_button("", self._act)
        self._text = PlainLabel(wrap=True, selectable=True)
        self._remedy = PlainLabel(kind="muted", wrap=True, selectable=True)
        close = tool_button("x", tr("Close this message (Esc)"), self.dismiss)
        close.setAccessibleName(tr("Close this message"))
        words = column(self._text, self._remedy, spacing=0)
        margins = (look.GROUPS, look.WITHIN, look.WITHIN, look.WITHIN)
        parts = (self._icon, (words, 1), self._button, close)
        row(*parts, spacing=look.WITHIN + look.GRID, margins=margins, on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._going = QTimer(self, singleShot=True)
        self._going.timeout.connect(self.dismiss)
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
        error, body = kind == "error", self.text()
        self.setAccessibleName(tr("Error: {said}", said=body) if error else tr("Message: {said}", said=body))
        self._icon.show_icon(*("warning-circle", "error") if kind == "error" else ("info", "accent"))
        self.update()
        self.show()

    def _act(self) -> None:
        action = self._action
        self.dismiss()
        if action is not None:
            action()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_strip(self, "error" if self._kind == "error" else "accent")
