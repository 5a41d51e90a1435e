"""The session's messages on their way to the message bar."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.session import Message, Session


class Messages(QWidget):
    """Shows what the session tells."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        self.label = QLabel()
        layout.addWidget(self.label)
        self.label.hide()
        session.told.connect(self.show_message)

    def show_message(self, message: Message) -> None:
        self.label.setText(f"{message.text} {message.remedy}".strip())
        self.label.show()
