"""Strips above what the window shows: messages that pass, and the banner of a workspace that another process uses.

News goes by itself, errors stay until they are read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.look import theme as look
from app.look.translation import tr
from app.session import operations
from app.session.session import Message, Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import column, row
from app.widgets.notices import Banner, paint_strip

INFO_MS = 5000
READING_ONLY = tr(
    "You can read, search and ask. Indexing, removing, retrying, watching and deciding on names are off."
)
WAITING = tr(
    "Indexing, removing, retrying and deciding on names wait until it ends. What it adds is shown as it comes."
)


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
        """Show a message that needs no answer; it disappears by itself, and never hides an unread error."""
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
        """Show what failed and what to do about it until it is closed. The button runs `action`."""
        self._going.stop()
        self._say("error", message, remedy, action_text, action)

    def offer(self, text: str, remedy: str, action_text: str, action: Callable[[], object]) -> None:
        """Show a message that a button may answer until it is closed. Not a failure."""
        self._going.stop()
        self._say("offer", text, remedy, action_text, action)

    def dismiss(self) -> None:
        """Remove the message."""
        self._going.stop()
        if not self.isHidden():
            self.hide()
            self._kind = "info"
            self.closed.emit()

    def withdraw(self) -> None:
        """Remove an offer that no longer applies; an error stays until it is read."""
        if self._kind == "offer":
            self.dismiss()

    def text(self) -> str:
        """Return the message and its remedy as displayed."""
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


class Messages(MessageBar):
    """Shows what the session tells: errors and offers stay until read, the rest goes by itself."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.message_posted.connect(self.show_message)
        session.workspace_opening.connect(self.dismiss)
        session.workspace_closed.connect(self.withdraw)

    def show_message(self, message: Message) -> None:
        """Show one message, with its remedy as a button where it has one."""
        if message.level == "error":
            self.error(message.text, message.remedy, message.action or None, message.act)
        elif message.act is not None:
            self.offer(message.text, message.remedy, message.action, message.act)
        else:
            self.info(f"{message.text} {message.remedy}".strip())


class ReadOnlyBanner(Banner):
    """Stays as long as the workspace cannot be changed from here. Its button tries to open it anew."""

    def __init__(self, session: Session) -> None:
        reopen = partial(operations.open_again, session)
        self.again = push_button(
            tr("Try again"), reopen, tip=tr("Open the workspace anew: it may be free by now")
        )
        super().__init__("lock", self.again, Qt.AlignmentFlag.AlignVCenter)
        self._session = session
        self.words, self.meaning = PlainLabel(wrap=True), PlainLabel(kind="muted", wrap=True)
        self.column.addWidget(self.words)
        self.column.addWidget(self.meaning)
        session.blocked_changed.connect(self._show)
        session.workspace_closed.connect(self.hide)

    def _show(self) -> None:
        shut, writer = self._session.shut, self._session.written_by
        if not self._session.trusted:
            self.hide()  # the banner of trust says it
            return
        words = shut or (tr("The workspace is {written}.", written=writer) if writer else "")
        self.words.setText(words)
        self.meaning.setText(READING_ONLY if shut else WAITING)
        self.again.setVisible(bool(shut))
        self.setAccessibleName(f"{words} {self.meaning.text()}")
        self.setVisible(bool(words))
