"""What is drawn in a line of text: the numbers of citations, and the signs behind sentences that were checked."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)

from app.answers.claims import LOOKS
from app.look import theme
from app.look.painting import paint_text
from core.types import Claim, Verdict

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
    """How one is put into a text. address: what `anchorAt` finds there."""
    char_format = QTextCharFormat()
    char_format.setObjectType(kind)
    char_format.setProperty(_PLACE, place)
    char_format.setAnchor(True)
    char_format.setAnchorHref(address)
    return char_format


def paint_mark(painter: QPainter, rect: QRectF, number: int, lit: bool, ring: bool = False) -> None:
    """A citation's number in a rounded box: filled when lit, ringed when it has the keyboard."""
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
    """An icon for what the passages carry; for what they do not, icon and word."""
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
