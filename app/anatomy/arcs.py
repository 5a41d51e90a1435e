"""A sentence with its dependencies as arcs, from each word to those that depend on it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from app.look import theme
from app.look.painting import paint_text, smooth
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, speak
from app.widgets.copying import Form, Rows, copy, make_copyable
from core.text.escape_controls import escape_controls
from core.types import ParsedSentence, ParsedToken

LEVEL = 17  # pixels between two heights of arcs
_TIP = 4  # of an arrow
_LONGEST = 24  # letters of a word that are shown


def levels(heads: list[int]) -> list[int]:
    """Height of the arc to each word, 0 for a root (its own head): above all arcs that lie within it."""
    spans = {at: (min(at, head), max(at, head)) for at, head in enumerate(heads) if head != at}
    found = [0] * len(heads)
    for at in sorted(spans, key=lambda at: spans[at][1] - spans[at][0]):
        low, high = spans[at]
        within = (found[other] for other, (a, b) in spans.items() if other != at and low <= a and b <= high)
        found[at] = 1 + max(within, default=0)
    return found


def word_words(token: ParsedToken, sentence: ParsedSentence) -> str:
    """Return a word with what was read of it."""
    head = sentence.tokens[token.head]
    if head is token:
        return tr("{lemma}, {pos}, {relation}", lemma=token.lemma, pos=token.pos, relation=token.dep)
    return tr(
        "{lemma}, {pos}, {relation} of {head}",
        lemma=token.lemma, pos=token.pos, relation=token.dep, head=head.text,
    )  # fmt: skip


class Arcs(QWidget):
    """As wide as its words; Ctrl+C copies the parse as a table."""

    def __init__(self, sentence: ParsedSentence) -> None:
        super().__init__()
        self._sentence = sentence
        self._levels = levels([token.head for token in sentence.tokens])
        self._lefts: list[float] = []
        self._wides: list[float] = []
        speak(self, Spoken(Role.List, parts=self._parts))
        self.setAccessibleName(tr("Parse"))
        make_copyable(self, self._as_rows)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.follow(self, self._fit)

    def _fit(self) -> None:
        words, small = QFontMetrics(theme.font()), QFontMetrics(theme.font(theme.SMALL))
        tokens, left = self._sentence.tokens, float(theme.WITHIN)
        self._lefts, self._wides = [], []
        for token in tokens:
            relation = small.horizontalAdvance(token.dep) if abs(token.head - len(self._lefts)) == 1 else 0
            wide = max(
                words.horizontalAdvance(_short(token)), small.horizontalAdvance(token.pos), relation + 10
            )
            self._lefts.append(left)
            wide += 4  # what is as wide as its box is cut
            self._wides.append(float(wide))
            left += wide + theme.GROUPS
        height = theme.px(LEVEL) * (max(self._levels, default=0) + 1) + theme.px(44)
        self.setFixedSize(QSize(round(left), height))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(self)
        now, base = theme.current(), self.height() - theme.px(40)
        for at, token in enumerate(self._sentence.tokens):
            self._arc(painter, at, token, base)
        for at, token in enumerate(self._sentence.tokens):
            box = QRectF(self._lefts[at], base + 2, self._wides[at], theme.px(20))
            paint_text(painter, box, _short(token), place=Qt.AlignmentFlag.AlignHCenter)
            below = box.translated(0, theme.px(17))
            paint_text(painter, below, token.pos, "muted", theme.SMALL, place=Qt.AlignmentFlag.AlignHCenter)
        if self.hasFocus():
            painter.setPen(now.color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _arc(self, painter: QPainter, at: int, token: ParsedToken, base: float) -> None:
        now, end = theme.current(), self._middle(at)
        if token.head == at:  # from above all arcs
            painter.setPen(QPen(now.color("accent"), 1.0))
            painter.drawLine(QPointF(end, theme.px(14)), QPointF(end, base))
            self._tip(painter, end, base, "accent")
            self._relation(painter, token.dep, end, theme.px(7), "accent")
            return
        # Beside each other at the head, so that arcs to both sides can be told apart.
        begin = self._middle(token.head) + (5 if at > token.head else -5)
        top = base - theme.px(LEVEL) * self._levels[at]
        path = QPainterPath(QPointF(begin, base))
        bend = min(abs(end - begin) / 2, 14.0) * (1 if end > begin else -1)
        path.cubicTo(QPointF(begin, top), QPointF(begin, top), QPointF(begin + bend, top))
        path.lineTo(end - bend, top)
        path.cubicTo(QPointF(end, top), QPointF(end, top), QPointF(end, base))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(now.color("strong_border"), 1.0))
        painter.drawPath(path)
        self._tip(painter, end, base, "strong_border")
        self._relation(painter, token.dep, (begin + end) / 2, top, "muted")

    def _tip(self, painter: QPainter, x: float, base: float, role: str) -> None:
        tip = QPainterPath(QPointF(x, base + 1))
        tip.lineTo(x - _TIP, base - _TIP - 1)
        tip.lineTo(x + _TIP, base - _TIP - 1)
        tip.closeSubpath()
        painter.fillPath(tip, theme.current().color(role))

    def _relation(self, painter: QPainter, words: str, x: float, y: float, role: str) -> None:
        """On a ground of its own, so that no line runs through it."""
        wide = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(words) + 6
        label = QRectF(x - wide / 2, y - theme.px(7), wide, theme.px(14))
        painter.fillRect(label, theme.current().color("window"))
        paint_text(painter, label, words, role, theme.SMALL, place=Qt.AlignmentFlag.AlignHCenter)

    def _middle(self, at: int) -> float:
        return self._lefts[at] + self._wides[at] / 2

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not (event.matches(QKeySequence.StandardKey.Copy) and copy(self, Form.TEXT)):
            super().keyPressEvent(event)

    def _as_rows(self) -> Rows:
        headings = (tr("Word"), tr("Lemma"), tr("Part of speech"), tr("Relation"), tr("Head"))
        tokens = self._sentence.tokens
        return Rows(headings, tuple((t.text, t.lemma, t.pos, t.dep, tokens[t.head].text) for t in tokens))

    def _parts(self) -> list[Part]:
        return [
            Part(
                token.text,
                word_words(token, self._sentence),
                QRect(round(self._lefts[at]), self.height() - theme.px(40), round(self._wides[at]), 20),
            )
            for at, token in enumerate(self._sentence.tokens)
        ]


def arcs(sentence: ParsedSentence) -> QScrollArea:
    """Return the drawing, to be moved sideways where it is wider than its place."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    drawn = Arcs(sentence)
    area.setWidget(drawn)
    theme.follow(
        area,
        lambda: area.setFixedHeight(drawn.height() + area.horizontalScrollBar().sizeHint().height() + 2),
    )
    return area


def _short(token: ParsedToken) -> str:
    words = escape_controls(token.text)
    return words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…"
