"""What a panel shows while it has nothing: an icon, what this is, and what to do first."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.look import theme as look
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import CENTRE, Stretch, column


class EmptyState(QWidget):
    """Icon, headline, one line; centred in the room that it gets."""

    def __init__(self, icon: str, headline: str, line: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headline = PlainLabel(kind="heading", wrap=True, centred=True)
        self._line = PlainLabel(kind="muted", wrap=True, centred=True)
        said = ((Icon(icon, "muted", 40), CENTRE), look.GRID, self._headline, self._line, 2 * look.WITHIN)
        column(Stretch(2), *said, Stretch(3), margins=look.AROUND, on=self)
        self.set_text(headline, line)

    def set_text(self, headline: str, line: str = "") -> None:
        """Say what is missing and what to do first; plain text."""
        self._headline.setText(headline)
        self._line.setText(line)
        self._line.setVisible(bool(line))
