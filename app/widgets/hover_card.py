"""A small card of plain text beside the pointer. (Qt's own tooltips would guess at rich text.)"""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QWidget

from app.look import theme as look
from app.widgets.labels import PlainLabel
from app.widgets.layout import column


class HoverCard(QFrame):
    """A headline and a line, kept inside its parent; the pointer passes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self.setProperty("kind", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._headline, self._line = PlainLabel(), PlainLabel(kind="small")
        column(self._headline, self._line, spacing=0, margins=(10, 6), on=self)
        look.wear(self._headline, look.BODY, QFont.Weight.Bold)
        self.hide()

    def show_at(self, point: QPointF, headline: str, line: str, wide: int = 320) -> None:
        """Show beside a point in the parent's pixels; `wide`: the most pixels at 100 % of the headline."""
        metrics = self._headline.fontMetrics()
        self._headline.setText(metrics.elidedText(headline, Qt.TextElideMode.ElideMiddle, look.px(wide)))
        self._line.setText(line)
        self.adjustSize()
        parent = self._host
        x, y = int(point.x()) + 16, int(point.y()) + 16
        if x + self.width() > parent.width() - 4:
            x = int(point.x()) - 12 - self.width()
        if y + self.height() > parent.height() - 4:
            y = int(point.y()) - 12 - self.height()
        self.move(max(x, 4), max(y, 4))
        self.show()
        self.raise_()

    def text(self) -> str:
        """What the card says, for tests and assistive tools."""
        return f"{self._headline.text()}\n{self._line.text()}"
