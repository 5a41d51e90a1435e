"""The sign behind a sentence: an icon for what the passages carry, icon and word for what they do not."""

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
from core.types import Claim, Verdict

SIGN_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 2
ROW = QTextFormat.Property.UserProperty.value + 3  # the sentence that a sign belongs to, from 0
ICON = 14
TALL = 12  # what a line is told, so that it stays as high as the others


def sign_format(row: int, claim: Claim) -> QTextCharFormat:
    """How the sign of sentence `row` is put into a text."""
    made = QTextCharFormat()
    made.setObjectType(SIGN_OBJECT)
    made.setProperty(ROW, row)
    made.setAnchor(True)
    made.setAnchorHref(f"sign:{row}")
    return made


class ClaimSigns(QPyTextObject):
    """Draws the signs of the claims that `claim_of(row)` gives."""

    def __init__(self, parent: QObject, claim_of: Callable[[int], Claim | None]) -> None:
        super().__init__(parent)
        self._claim_of = claim_of

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        claim = self._claim_of(int(format.property(ROW)))
        return QSizeF(sign_width(claim) if claim is not None else 0, theme.px(TALL))

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        claim = self._claim_of(int(format.property(ROW)))
        if claim is not None:
            paint_sign(painter, QRectF(rect), claim)


def sign_width(claim: Claim) -> float:
    """Pixels that a sign takes."""
    if claim.verdict is Verdict.SUPPORTED:
        return ICON
    return ICON + theme.GRID + QFontMetricsF(_font()).horizontalAdvance(LOOKS[claim.verdict].word)


def paint_sign(painter: QPainter, rect: QRectF, claim: Claim) -> None:
    """The icon, and the word where the passages do not carry the sentence."""
    look = LOOKS[claim.verdict]
    top = rect.center().y() - ICON / 2
    place = QRect(round(rect.left()), round(top), ICON, ICON)
    theme.icon(look.icon, look.role).paint(painter, place)
    if claim.verdict is Verdict.SUPPORTED:
        return
    painter.save()
    painter.setFont(_font())
    painter.setPen(theme.current().color(look.role))
    words = QRectF(rect.left() + ICON + theme.GRID, top - ICON / 2, rect.width(), 2 * ICON)
    painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), look.word)
    painter.restore()


def _font() -> QFont:
    return theme.font(theme.SMALL, QFont.Weight.DemiBold)
