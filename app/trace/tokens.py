"""The words of a question on a line, each with its lemma and part of speech under it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from core.text.escape_controls import escape_controls
from core.types.stages import Word

# Universal parts of speech (universaldependencies.org/u/pos).
PARTS = {
    "ADJ": tr("adjective"), "ADP": tr("preposition"), "ADV": tr("adverb"), "AUX": tr("auxiliary"),
    "CCONJ": tr("conjunction"), "DET": tr("determiner"), "INTJ": tr("interjection"), "NOUN": tr("noun"),
    "NUM": tr("number"), "PART": tr("particle"), "PRON": tr("pronoun"), "PROPN": tr("name"),
    "PUNCT": tr("punctuation"), "SCONJ": tr("conjunction"), "SYM": tr("sign"), "VERB": tr("verb"),
}  # fmt: skip
_MOST = 120  # words that are drawn


def part_words(pos: str) -> str:
    """`noun`; letters that are unknown stay."""
    return PARTS.get(pos, pos.casefold())


class TokenLine(QWidget):
    """Wraps like words; a name stands on the colour of what is selected, and says so in its tooltip."""

    def __init__(self, words: tuple[Word, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words[:_MOST]
        self.setObjectName("tokenLine")
        descriptions = (self.described(word) for word in self._words)
        self.setAccessibleName(tr("The words of the question"))
        self.setAccessibleDescription(tr("; ").join(descriptions))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.follow(self, self.updateGeometry)

    @staticmethod
    def described(word: Word) -> str:
        """`arrested: arrest, verb`."""
        text, lemma, part = escape_controls(word.text), escape_controls(word.lemma), part_words(word.pos)
        if word.named:
            return tr("{word}: {lemma}, {part}, part of a name", word=text, lemma=lemma, part=part)
        return tr("{word}: {lemma}, {part}", word=text, lemma=lemma, part=part)

    def boxes(self, width: int) -> Iterator[tuple[Word, QRect]]:
        """Each word with its place in a line so wide."""
        body, small = QFontMetrics(_heavy()), QFontMetrics(theme.font(theme.SMALL))
        high, left, top = self._row(), 0, 0
        for word in self._words:
            texts = (
                body.horizontalAdvance(escape_controls(word.text)),
                small.horizontalAdvance(escape_controls(word.lemma)),
            )
            wide = min(max(*texts, small.horizontalAdvance(part_words(word.pos))) + 2 * theme.WITHIN, width)
            if left and left + wide > width:
                left, top = 0, top + high + theme.GRID
            yield word, QRect(left, top, wide, high)
            left += wide + theme.GRID

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((box.bottom() + 1 for _, box in self.boxes(max(width, 1))), default=0)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setFixedHeight(self.heightForWidth(self.width()))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            at = event.pos()
            word = next((word for word, box in self.boxes(self.width()) if box.contains(at)), None)
            QToolTip.showText(event.globalPos(), tooltip(self.described(word)) if word else "", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, row = smooth(self), theme.px(18)
        centre = Qt.AlignmentFlag.AlignHCenter
        for word, box in self.boxes(self.width()):
            rounded(
                painter, box, "accent" if word.named else "border", "accent_soft" if word.named else "surface"
            )
            inside = QRectF(box).adjusted(2, 3, -2, 0)
            for at, (text, role, size) in enumerate(
                (
                    (escape_controls(word.text), "text", theme.BODY),
                    (escape_controls(word.lemma), "muted", theme.SMALL),
                    (part_words(word.pos), "muted", theme.SMALL),
                )
            ):
                line = QRectF(inside.left(), inside.top() + at * row, inside.width(), row)
                weight = QFont.Weight.DemiBold if at == 0 else QFont.Weight.Normal
                paint_text(painter, line, text, role, size, weight, centre)

    def _row(self) -> int:
        return theme.px(3 * 18) + 6


def _heavy() -> QFont:
    return theme.font(theme.BODY, QFont.Weight.DemiBold)
