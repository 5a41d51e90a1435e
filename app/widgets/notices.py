"""Words in place of what is not there yet, above what a window shows, and beside the pointer."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from app.look import theme
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import CENTRE, Stretch, column, row


class EmptyState(QWidget):
    """Icon, headline, one line; centred in the room that it gets."""

    def __init__(self, icon: str, headline: str, line: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headline = PlainLabel(kind="heading", wrap=True, centred=True)
        self._line = PlainLabel(kind="muted", wrap=True, centred=True)
        self._icon = Icon(icon, "muted", 40)
        content = ((self._icon, CENTRE), theme.GRID, self._headline, self._line, 2 * theme.WITHIN)
        column(Stretch(2), *content, Stretch(3), margins=theme.AROUND, on=self)
        self.set_text(headline, line)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The icon makes room where there is little."""
        room, high = self.width() - 2 * theme.AROUND, theme.px(40) + 2 * theme.AROUND + 5 * theme.WITHIN
        texts = (self._headline, self._line)
        self._icon.setVisible(self.height() >= high + sum(text.heightForWidth(room) for text in texts))

    def set_text(self, headline: str, line: str = "") -> None:
        """Say what is missing and what to do first; plain text."""
        self._headline.setText(headline)
        self._line.setText(line)
        self._line.setVisible(bool(line))


class Banner(QFrame):
    """Hidden until it is shown. `column` takes its words."""

    def __init__(self, icon: str, button: QPushButton, place: Qt.AlignmentFlag) -> None:
        super().__init__()
        self.column = column(spacing=0)
        parts = ((Icon(icon, "warn", 20), place), (self.column, 1), (button, place))
        margins = (theme.GROUPS, theme.WITHIN, theme.WITHIN, theme.WITHIN)
        row(*parts, spacing=theme.WITHIN + theme.GRID, margins=margins, on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_strip(self, "warn")


def paint_strip(widget: QWidget, role: str) -> None:
    """Paint a bar of a colour at the left, a hairline below."""
    now, painter = theme.current(), QPainter(widget)
    painter.fillRect(widget.rect(), QColor(now.raised))
    painter.fillRect(0, 0, 4, widget.height(), now.color(role))
    painter.setPen(QPen(QColor(now.border), 1))
    painter.drawLine(0, widget.height() - 1, widget.width(), widget.height() - 1)


class HoverCard(QFrame):
    """A headline and a line, kept inside its parent; the pointer passes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._host = parent
        self.setProperty("kind", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._headline, self._line = PlainLabel(), PlainLabel(kind="small")
        column(self._headline, self._line, spacing=0, margins=(10, 6), on=self)
        theme.wear(self._headline, theme.BODY, QFont.Weight.Bold)
        self.hide()

    def show_at(self, point: QPointF, headline: str, line: str, wide: int = 320) -> None:
        """Show beside a point in the parent's pixels; `wide`: the most pixels at 100 % of the headline."""
        metrics = self._headline.fontMetrics()
        self._headline.setText(metrics.elidedText(headline, Qt.TextElideMode.ElideMiddle, theme.px(wide)))
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
        """Return what the card says, for tests and assistive tools."""
        return f"{self._headline.text()}\n{self._line.text()}"
