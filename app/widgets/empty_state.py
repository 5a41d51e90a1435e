"""What a panel shows while it has nothing: an icon, what this is, and what to do first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QWidget

from app.look import theme as look
from app.widgets.buttons import push_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import CENTRE, STRETCH, Stretch, column, row


class EmptyState(QWidget):
    """Icon, headline, one line, buttons; centred in the room that it gets."""

    def __init__(self, icon: str, headline: str, line: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = Icon(icon, "muted", 40)
        self._headline = PlainLabel(kind="heading", wrap=True, centred=True)
        self._line = PlainLabel(kind="muted", wrap=True, centred=True)
        self._buttons = row(STRETCH, STRETCH)
        said = ((self._icon, CENTRE), look.GRID, self._headline, self._line, look.WITHIN, self._buttons)
        column(Stretch(2), *said, Stretch(3), margins=look.AROUND, on=self)
        self.set_text(headline, line)

    def set_text(self, headline: str, line: str = "") -> None:
        """Say what is missing and what to do first; plain text."""
        self._headline.setText(headline)
        self._line.setText(line)
        self._line.setVisible(bool(line))

    def set_icon(self, icon: str) -> None:
        """A Phosphor icon by name."""
        self._icon.show_icon(icon, "muted")

    def add_button(self, text: str, action: Callable[[], object], primary: bool = False) -> QPushButton:
        """A button under the text, to the right of those before it."""
        button = push_button(text, lambda: action(), kind="primary" if primary else "")
        self._buttons.insertWidget(self._buttons.count() - 1, button)
        return button

