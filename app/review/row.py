"""A row of the queue: the fact, its sentence with the words of the fact marked, and what is known of it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.look import theme
from app.look.painting import paint_share
from app.look.translation import tr
from app.review.queue_model import ROW, Index, Waiting, marked_words
from app.review.wording import STATES, proposers_words
from app.widgets.marked_line import paint_marked
from app.widgets.row_list import RowDelegate
from core.text.escape_controls import escape_controls

PAD, BAR, FIGURE = 12, 76, 34
HEIGHTS = {2: 48, 3: 68}  # pixels of a row, by its lines
BAR_FROM = 260  # pixels of a row that has room for the bar beside the figure
_Part = tuple[str, QFont, str]  # words, their font, the role of their colour
_RIGHT, _MIDDLE = Qt.TextElideMode.ElideRight, Qt.AlignmentFlag.AlignVCenter


class FactRow(RowDelegate):
    """`lines`: three, or two with nothing but the fact."""

    lines = 3

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, theme.px(HEIGHTS[self.lines]))

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        super().draw_chosen(painter, box)
        painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), theme.current().color("accent"))

    def draw(self, painter: QPainter, box: QRect, index: Index) -> None:
        now, row = theme.current(), index.data(ROW)
        side = theme.px(16)
        left = PAD + side + theme.WITHIN
        painter.setPen(now.color("border"))
        painter.drawLine(box.left() + left, box.bottom(), box.right(), box.bottom())
        state, icon, role = STATES[row.candidate.state]
        theme.icon(icon, role).paint(painter, QRect(box.left() + PAD, box.top() + theme.px(8), side, side))
        inside = box.adjusted(left, theme.px(6), -PAD, -theme.px(6))
        high = inside.height() // self.lines
        lines = [
            QRect(inside.left(), inside.top() + at * high, inside.width(), high) for at in range(self.lines)
        ]
        _paint_probability(painter, lines[0], row.candidate.probability)
        taken = theme.px(BAR if inside.width() >= theme.px(BAR_FROM) else FIGURE)
        lines[0].setWidth(max(inside.width() - taken - PAD, 0))
        words = _fact_parts(row)
        if self.lines == 2:
            _paint_words(painter, lines[0], words[:1])
            _paint_words(painter, lines[1], words[1:])
            return
        _paint_words(painter, lines[0], words)
        paint_marked(painter, lines[1], row.sentence, marked_words(row))
        painter.setFont(theme.font(theme.SMALL))
        painter.setPen(now.color("muted"))
        footer = tr(
            "{state} · proposed by {proposer} · {document}",
            state=state, proposer=proposers_words(row.candidate), document=row.title,
        )  # fmt: skip
        short = painter.fontMetrics().elidedText(escape_controls(footer), _RIGHT, inside.width())
        painter.drawText(lines[2], _MIDDLE, short)


def _fact_parts(row: Waiting) -> list[_Part]:
    """Subject and object strong, the predicate between them quieter."""
    fact = row.candidate.fact
    strong, plain = theme.font(weight=QFont.Weight.DemiBold), theme.font()
    return [
        (f"{escape_controls(fact.subject)} ", strong, "text"),
        (f"{escape_controls(fact.put_predicate)} ", plain, "muted"),
        (escape_controls(fact.object), strong, "text"),
    ]


def _paint_words(painter: QPainter, line: QRect, parts: list[_Part]) -> None:
    """Side by side; the longest gives way first."""
    wide = [QFontMetrics(font).horizontalAdvance(words) for words, font, _ in parts]
    while (over := sum(wide) - line.width()) > 0 and max(wide) > 24:
        longest = wide.index(max(wide))
        wide[longest] = max(wide[longest] - over, sorted([0, *wide])[-2] - 1, 24)
    left = line.left()
    for (words, font, role), room in zip(parts, wide, strict=True):
        painter.setFont(font)
        painter.setPen(theme.current().color(role))
        metrics = QFontMetrics(font)
        text = words if room == metrics.horizontalAdvance(words) else metrics.elidedText(words, _RIGHT, room)
        painter.drawText(QRect(left, line.top(), room + 2, line.height()), _MIDDLE, text)
        left += room


def _paint_probability(painter: QPainter, line: QRect, probability: float) -> None:
    """The number, and a bar before it where there is room."""
    wide, figure = theme.px(BAR), f"{probability:.0%}"
    left = line.right() - wide
    painter.setFont(theme.font(theme.SMALL))
    painter.setPen(theme.current().color("muted"))
    right = Qt.AlignmentFlag.AlignRight | _MIDDLE
    painter.drawText(QRect(left, line.top(), wide, line.height()), right, figure)
    if line.width() >= theme.px(BAR_FROM):
        track = QRectF(left, line.center().y() - 1, wide - theme.px(FIGURE), 4)
        paint_share(painter, track, probability, 4)
