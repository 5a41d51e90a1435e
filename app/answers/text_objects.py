"""How answers and passages draw what is no letter: marks of citations, signs, marked words and steps of a chain."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.answers.claims import LOOKS
from app.look import theme
from app.look.painting import paint_text, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import RowButton
from app.widgets.labels import PlainLabel
from core.text.escape_controls import escape_controls
from core.types import Claim, PathStep, Verdict

MARK_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
SIGN_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 2
_PLACE = QTextFormat.Property.UserProperty.value + 1
MARK_HEIGHT = 16
LINE_HEIGHT = 12  # what a line is told: taller than the letters, an object would push lines apart
ICON = 14


class TextObjects(QPyTextObject):
    """All of one kind in a text, by their place from 0: how wide one is, and how it is drawn."""

    def __init__(
        self,
        parent: QObject,
        width: Callable[[int], float],
        draw: Callable[[QPainter, QRectF, int], None],
    ) -> None:
        super().__init__(parent)
        self._width, self._draw = width, draw

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        return QSizeF(self._width(int(format.property(_PLACE))), theme.px(LINE_HEIGHT))

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        self._draw(painter, QRectF(rect), int(format.property(_PLACE)))


def object_format(kind: int, place: int, address: str) -> QTextCharFormat:
    """Return the format of such an object in a text. address: what `anchorAt` finds there."""
    char_format = QTextCharFormat()
    char_format.setObjectType(kind)
    char_format.setProperty(_PLACE, place)
    char_format.setAnchor(True)
    char_format.setAnchorHref(address)
    return char_format


def paint_mark(painter: QPainter, rect: QRectF, number: int, lit: bool, ring: bool = False) -> None:
    """Paint a citation's number in a rounded box: filled when lit, ringed when it has the keyboard."""
    colors = theme.current()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(colors.color("text") if ring else Qt.PenStyle.NoPen)
    painter.setBrush(colors.color("accent" if lit else "accent_soft"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    role, middle = "on_accent" if lit else "accent", Qt.AlignmentFlag.AlignCenter
    paint_text(painter, rect, str(number), role, theme.SMALL, QFont.Weight.DemiBold, middle)
    painter.restore()


def mark_width(number: int) -> int:
    return theme.px(12 + 7 * len(str(number)))


def paint_sign(painter: QPainter, rect: QRectF, claim: Claim) -> None:
    """Paint an icon for what the passages carry; for what they do not, icon and word."""
    look, top = LOOKS[claim.verdict], rect.center().y() - ICON / 2
    place = QRect(round(rect.left()), round(top), ICON, ICON)
    theme.icon(look.icon, look.role).paint(painter, place)
    if claim.verdict is not Verdict.SUPPORTED:
        words = QRectF(rect.left() + ICON + theme.GRID, top - ICON / 2, rect.width(), 2 * ICON)
        painter.save()
        paint_text(painter, words, look.word, look.role, theme.SMALL, QFont.Weight.DemiBold)
        painter.restore()


def sign_width(claim: Claim) -> float:
    if claim.verdict is Verdict.SUPPORTED:
        return ICON
    face = QFontMetricsF(theme.font(theme.SMALL, QFont.Weight.DemiBold))
    return ICON + theme.GRID + face.horizontalAdvance(LOOKS[claim.verdict].word)


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
        """Return the marked piece of the text."""
        return self.text()[self._start : self._end]

    def lines(self) -> list[str]:
        """Return the lines as they are shown now."""
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
        """Return the text broken into lines of at most this many pixels."""
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
    """Return how words are marked that carry an answer."""
    now, shape = theme.current(), QTextCharFormat()
    shape.setBackground(QColor(now.mark))
    shape.setForeground(QColor(now.on_mark))
    shape.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return shape


def _mark(start: int, length: int, bold: bool) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, cited_format(bold)
    return found


SIDE = 16  # pixels of a number's circle


class StepButton(RowButton):
    """`2  Calder Reach Trading  owned by  Oriel Nominees`: the predicate is set apart."""

    def __init__(self, number: int, step: PathStep) -> None:
        super().__init__()
        self.number, self.step = number, step
        self.words = escape_controls(step.words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.follow(self, self.updateGeometry)
        self.setAccessibleName(tr("Fact {number}: {fact}", number=number, fact=self.words))
        set_tip(self, tr("{fact}\nPress to open the sentence that tells it.", fact=self.words))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(SIDE) + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, side = smooth(self), float(theme.px(SIDE))
        circle = QRectF(2, (self.height() - side) / 2, side, side)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().color("accent"))
        painter.drawEllipse(circle)
        centre = Qt.AlignmentFlag.AlignCenter
        paint_text(painter, circle, str(self.number), "on_accent", theme.SMALL, QFont.Weight.DemiBold, centre)
        left, room = circle.right() + theme.WITHIN, self.width() - theme.GRID
        parts = ((self.step.subject, "text"), (self.step.predicate, "accent"), (self.step.object, "text"))
        for words, role in parts:
            if left < room:
                box = QRectF(left, 0, room - left, self.height())
                left += paint_text(painter, box, " ".join(escape_controls(words).split()), role, theme.SMALL)
                left += theme.GRID + 2
