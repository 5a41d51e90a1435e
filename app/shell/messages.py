"""The session's messages on their way to the message bar."""

from __future__ import annotations

from app.session.session import Message, Session
from app.shell.message_bar import MessageBar


class Messages(MessageBar):
    """Shows what the session tells: errors and offers stay until read, the rest goes by itself."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.told.connect(self.show_message)
        session.workspace_opening.connect(self.dismiss)
        session.workspace_closed.connect(self.withdraw)

    def show_message(self, message: Message) -> None:
        """One message, with its remedy as a button where there is one."""
        if message.level == "error":
            self.error(message.text, message.remedy, message.action or None, message.act)
        elif message.act is not None:
            self.offer(message.text, message.remedy, message.action, message.act)
        else:
            self.info(f"{message.text} {message.remedy}".strip())
