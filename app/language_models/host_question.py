"""Whether texts may be sent to a host that is not this machine: asked once, in the models panel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.look import theme
from app.widgets.plain_label import PlainLabel
from core.types import ModelHost


class HostQuestion(QFrame):
    """Not seen where models answer on this machine. Signal: decided(bool), whether it is allowed."""

    decided = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hostQuestion")
        self.setProperty("kind", "card")
        self._icon, self._host = PlainLabel(), ModelHost("", here=True, allowed=True)
        self.words, self.meaning = PlainLabel(wrap=True), PlainLabel(kind="muted", wrap=True)
        self.button = QPushButton()
        self.button.clicked.connect(lambda: self.decided.emit(not self._host.allowed))
        words = QVBoxLayout()
        words.setSpacing(theme.GRID)
        words.addWidget(self.words)
        words.addWidget(self.meaning)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 12, 12, 12)
        row.setSpacing(theme.WITHIN + theme.GRID)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def show_host(self, host: ModelHost | None) -> None:
        """Where models are asked for now."""
        self.setVisible(host is not None and not host.here)
        if host is None or host.here:
            return
        self._host = host
        self.words.setText(f"{host.place} is not this machine.")
        self.meaning.setText(
            "Texts of your documents may be sent to it: where a model writes, reads or is tried."
            if host.allowed
            else f"Texts of your documents would be sent to {host.address}. "
            "Clew opens no connection to it before you allow it."
        )
        self.button.setText("Allow it no more" if host.allowed else "Allow this host")
        self._icon.setPixmap(
            theme.icon("globe-simple" if host.allowed else "shield-warning", "warn").pixmap(20, 20)
        )
