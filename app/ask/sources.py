"""Rows below an answer that lead to places: its sources, and passages or readings with their words."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.answers.answer_text import citation_tip, mark_width, paint_mark
from app.answers.marked_label import MarkedLabel
from app.answers.wording import citation_place
from app.look import theme
from app.look.painting import smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from app.widgets.row_button import RowButton
from core.types import Citation
from core.visible import visible


class SourceButton(RowButton):
    """One line of the sources: number, title, page."""

    HEIGHT = 28

    def __init__(self, number: int, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number, self.citation = number, citation
        place = citation_place(citation)
        self.setObjectName(f"source{number}")
        title = citation.title or citation.document
        words = tr("Source {number}: {title} {place}", number=str(number), title=title, place=place)
        self.setAccessibleName(words.strip())
        self.setToolTip(tooltip(citation_tip(citation)))

    def sizeHint(self) -> QSize:
        return QSize(200, theme.px(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        colors, painter = theme.current(), smooth(self)
        wide = mark_width(self.number)
        middle = self.height() / 2
        mark = QRectF(theme.GRID, middle - theme.px(8), wide, theme.px(16))
        paint_mark(painter, mark, self.number, self._lit or self._current)
        place = citation_place(self.citation)
        small = theme.font(theme.SMALL)
        place_wide = QFontMetrics(small).horizontalAdvance(place) if place else 0
        left = theme.GRID + wide + theme.WITHIN
        right = self.width() - theme.WITHIN - place_wide
        middle_flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.setFont(theme.font())
        room = right - left - (theme.WITHIN if place else 0)
        title = visible(" ".join((self.citation.title or self.citation.document).split()))
        title = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room)
        painter.setPen(colors.color("text"))
        painter.drawText(QRectF(left, 0, room, self.height()), middle_flags, title)
        painter.setFont(small)
        painter.setPen(colors.color("muted"))
        painter.drawText(QRectF(right, 0, place_wide, self.height()), middle_flags, place)


class PlaceRow(RowButton):
    """Words of a document, some of them marked, above the line that says where they stand."""

    def __init__(
        self, words: tuple[str, int, int], place: str, aside: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("; ".join(part for part in (words[0], aside, place) if part))
        self.words, self.place = MarkedLabel(), ElidedLabel(place, "small")
        self.aside = PlainLabel(aside, "small")
        self.words.set_marked(*words, bold=False)
        below = row((self.place, 1), self.aside)
        column(self.words, below, spacing=2, margins=(theme.WITHIN, theme.GRID), on=self)
        self.pass_the_mouse()
