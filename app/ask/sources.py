"""Rows below an answer that lead to places: its sources, and passages or readings with their words."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.answers.answer_text import citation_tip
from app.answers.marked_label import MarkedLabel
from app.answers.text_objects import mark_width, paint_mark
from app.answers.wording import citation_place
from app.look import theme
from app.look.painting import paint_text, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import RowButton
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from core.text.escape_controls import escape_controls
from core.types import Citation


class SourceButton(RowButton):
    """One line of the sources: number, title, page."""

    HEIGHT = 28

    def __init__(self, number: int, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number, self.citation = number, citation
        self._place, self._title = citation_place(citation), citation.title or citation.document
        self.setObjectName(f"source{number}")
        words = tr(
            "Source {number}: {title} {place}", number=str(number), title=self._title, place=self._place
        )
        self.setAccessibleName(words.strip())
        set_tip(self, citation_tip(citation))

    def sizeHint(self) -> QSize:
        return QSize(200, theme.px(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, wide = smooth(self), mark_width(self.number)
        mark = QRectF(theme.GRID, self.height() / 2 - theme.px(8), wide, theme.px(16))
        paint_mark(painter, mark, self.number, self._lit or self.current)
        room = QRectF(self.rect()).adjusted(theme.GRID + wide + theme.WITHIN, 0, -theme.WITHIN, 0)
        right = Qt.AlignmentFlag.AlignRight
        taken = paint_text(painter, room, self._place, "muted", theme.SMALL, place=right)
        room.setRight(room.right() - taken - (theme.WITHIN if taken else 0))
        paint_text(painter, room, escape_controls(" ".join(self._title.split())))


class PlaceRow(RowButton):
    """Words of a document, some of them marked, above the line that says where they stand."""

    def __init__(
        self, words: tuple[str, int, int], place: str, aside: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(tr("; ").join(filter(None, (words[0], aside, place))))
        self.words, self.place = MarkedLabel(), ElidedLabel(place, "small")
        self.aside = PlainLabel(aside, "small")
        self.words.set_marked(*words, bold=False)
        below = row((self.place, 1), self.aside)
        column(self.words, below, spacing=2, margins=(theme.WITHIN, theme.GRID), on=self)
        self.pass_the_mouse()
