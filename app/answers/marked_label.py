"""Plain text over as many lines as it needs, with one marked range; nothing in it is selected or scrolled.

A text view of Qt's is seven widgets; where twenty texts stand in a column this label is one widget each.
"""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPointF, QSize
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.widgets.labels import PlainLabel

_RESTYLED = (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.PaletteChange)
_LINE_BREAK = "\u2028"


class MarkedLabel(PlainLabel):
    """Shows text as it is, never as HTML. Offsets are Python code points; Qt counts UTF-16 units."""

    def __init__(self, parent: QWidget | None = None) -> None:
        # Wrapped, or QLabel denies that its height depends on its width.
        super().__init__(parent=parent, wrap=True, prose=True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._start = self._end = 0
        self._bold = True
        self._layout: QTextLayout | None = None  # as of `_width`
        self._width = -1
        self._heights: dict[int, int] = {}  # by width: a layout asks for the same few again and again

    def set_marked(self, text: str, start: int, end: int, bold: bool = True) -> None:
        """Show a text with a half-open range of it marked."""
        self._start, self._end, self._bold = start, max(end, start), bold
        self.setText(text)
        self._forget()

    def marked(self) -> str:
        """The marked piece of the text."""
        return self.text()[self._start : self._end]

    def lines(self) -> list[str]:
        """The lines as they are shown now."""
        layout = self._laid_out(self.width())
        words = layout.text().encode("utf-16-le")
        places = [layout.lineAt(at) for at in range(layout.lineCount())]
        return [
            words[2 * line.textStart() : 2 * (line.textStart() + line.textLength())].decode("utf-16-le")
            for line in places
        ]

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            layout = self._laid_out(width)
            last = layout.lineAt(layout.lineCount() - 1) if layout.lineCount() else None
            self._heights[width] = ceil(last.y() + last.height()) if last is not None else 0
        return self._heights[width]

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # the height follows from the width

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.fontMetrics().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in _RESTYLED:
            self._forget()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        self._laid_out(self.width()).draw(painter, QPointF(0, 0))
        painter.end()

    def _forget(self) -> None:
        self._layout, self._width = None, -1
        self._heights.clear()
        self.updateGeometry()
        self.update()

    def _laid_out(self, width: int) -> QTextLayout:
        """The text broken into lines of at most this many pixels."""
        if self._layout is not None and width == self._width:
            return self._layout
        text = self.text()
        layout = QTextLayout(text.replace("\n", _LINE_BREAK), self.font())
        layout.setCacheEnabled(True)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        if self._end > self._start:
            places = (_wide(text[: self._start]), _wide(text[self._start : self._end]))
            layout.setFormats([_mark(*places, self._bold)])
        layout.beginLayout()
        top = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
            line.setPosition(QPointF(0, top))
            top += line.height()
        layout.endLayout()
        self._layout, self._width = layout, width
        return layout


def _wide(text: str) -> int:
    """Length in UTF-16 units."""
    return len(text) + sum(sign > "\uffff" for sign in text)


def cited_format(bold: bool = True) -> QTextCharFormat:
    """How words are marked that carry an answer."""
    now, shape = theme.current(), QTextCharFormat()
    shape.setBackground(QColor(now.mark))
    shape.setForeground(QColor(now.on_mark))
    shape.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return shape


def _mark(start: int, length: int, bold: bool) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, cited_format(bold)
    return found
