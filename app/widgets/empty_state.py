"""What a panel shows while it has nothing: an icon, what this is, and what to do first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.look import theme as look
from app.widgets.plain_label import PlainLabel


class EmptyState(QWidget):
    """Icon, headline, one line, buttons; centred in the room that it gets."""

    def __init__(self, icon: str, headline: str, line: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = PlainLabel()
        self._icon.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._headline = _text(headline, "heading")
        self._line = _text(line, "muted")
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(look.WITHIN)
        self._buttons.addStretch(1)
        self._buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(look.AROUND, look.AROUND, look.AROUND, look.AROUND)
        column.setSpacing(look.WITHIN)
        column.addStretch(2)
        column.addWidget(self._icon)
        column.addSpacing(look.GRID)
        column.addWidget(self._headline)
        column.addWidget(self._line)
        column.addSpacing(look.WITHIN)
        column.addLayout(self._buttons)
        column.addStretch(3)
        self.set_icon(icon)
        self.set_text(headline, line)
        look.notifier().changed.connect(self._restyle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The icon makes room where there is little."""
        room, high = self.width() - 2 * look.AROUND, look.px(40) + 2 * look.AROUND + 5 * look.WITHIN
        texts, buttons = (self._headline, self._line), self._buttons.sizeHint().height()
        self._icon.setVisible(self.height() >= high + sum(text.heightForWidth(room) for text in texts) + buttons)

    def set_text(self, headline: str, line: str = "") -> None:
        """Say what is missing and what to do first; plain text."""
        self._headline.setText(headline)
        self._line.setText(line)
        self._line.setVisible(bool(line))

    def set_icon(self, icon: str) -> None:
        """A Phosphor icon by name."""
        self._icon_name = icon
        self._restyle()

    def add_button(self, text: str, action: Callable[[], object], primary: bool = False) -> QPushButton:
        """A button under the text, to the right of those before it."""
        button = QPushButton(text)
        button.setProperty("kind", "primary" if primary else "")
        button.clicked.connect(lambda: action())
        self._buttons.insertWidget(self._buttons.count() - 1, button)
        return button

    def _restyle(self, *_: object) -> None:
        side = look.px(40)
        self._icon.setPixmap(look.icon(self._icon_name, "muted").pixmap(side, side))


def _text(words: str, kind: str) -> PlainLabel:
    label = PlainLabel(words, kind, wrap=True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    return label
