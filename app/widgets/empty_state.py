"""What a panel shows while it has nothing: an icon, what this is, and what to do first."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
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
        self._icon = Icon(icon, "muted", 40)
        content = ((self._icon, CENTRE), look.GRID, self._headline, self._line, 2 * look.WITHIN)
        column(Stretch(2), *content, Stretch(3), margins=look.AROUND, on=self)
        self.set_text(headline, line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The icon makes room where there is little."""
        room, high = self.width() - 2 * look.AROUND, look.px(40) + 2 * look.AROUND + 5 * look.WITHIN
        texts = (self._headline, self._line)
        self._icon.setVisible(self.height() >= high + sum(text.heightForWidth(room) for text in texts))

    def set_text(self, headline: str, line: str = "") -> None:
        """Say what is missing and what to do first; plain text."""
        self._headline.setText(headline)
        self._line.setText(line)
        self._line.setVisible(bool(line))
