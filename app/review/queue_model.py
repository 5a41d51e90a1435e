"""Facts to decide on as rows, fetched in pages as one goes down the list, and how a row is painted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from app.answers.wording import place_words, placed
from app.look import theme
from app.look.painting import paint_share
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.review.wording import STATES, fact_words, proposers_words
from app.session.selection import Selected
from app.widgets.row_list import RowDelegate, paint_marked
from core.errors import BadInput
from core.text.escape_controls import escape_controls
from core.types import CandidateFact, FactFilter, Passage

if TYPE_CHECKING:
    from core.workspace import Workspace

PAGE = 100  # facts read at a time
LOW = 40  # rows left, below which more are fetched
Index = QModelIndex | QPersistentModelIndex
ROLE = Qt.ItemDataRole
ROW = ROLE.UserRole  # the Waiting of a row
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class Waiting:
    """A fact and where it is said; without a passage where nothing says it any more."""

    candidate: CandidateFact
    passage: Passage | None

    @property
    def id(self) -> str:
        return self.candidate.fact.id

    @property
    def sentence(self) -> str:
        """Of its evidence, on one line."""
        return " ".join(self.passage.text[slice(*self.span)].split()) if self.passage is not None else ""

    @property
    def span(self) -> tuple[int, int]:
        """Of the sentence, in the passage's text."""
        triples = self.candidate.fact.triples
        return (triples[0].start, triples[0].end) if triples else (0, 0)

    @property
    def place(self) -> Selected | None:
        """Of the sentence, in the document's text."""
        start, end, passage = *self.span, self.passage
        if passage is None:
            return None
        return Selected(
            "citation", passage.id, passage.start + start, passage.start + end, passage.document_id
        )

    @property
    def title(self) -> str:
        return placed(self.passage.title, place_words(self.passage.page)) if self.passage is not None else ""


@dataclass(frozen=True, slots=True)
class Note:
    """What a person writes on a fact."""

    fact_id: str
    text: str


def marked_words(waiting: Waiting) -> list[tuple[int, int]]:
    """Return where subject, predicate and object stand in the sentence, as (start, end)."""
    sentence, found = waiting.sentence, []
    triples = [(each.subject, each.predicate, each.object) for each in waiting.candidate.fact.triples[:1]]
    for words in (words for each in triples for words in each):
        pattern = r"\W+".join(map(re.escape, words.split()))
        if pattern and (match := re.search(rf"(?<!\w){pattern}(?!\w)", sentence, re.IGNORECASE)):
            found.append(match.span())
    return sorted(found)


def read_page(workspace: Workspace, wanted: FactFilter, limit: int = PAGE, skip: int = 0) -> list[Waiting]:
    """Off the window's thread: facts that match, by priority, each with the passage of its surest triple."""
    found = workspace.review.queue(wanted, limit, skip)
    return [Waiting(each, _passage(workspace, each)) for each in found]


def _passage(workspace: Workspace, candidate: CandidateFact) -> Passage | None:
    try:
        return next((workspace.passages.get(each.passage_id) for each in candidate.fact.triples), None)
    except BadInput:  # its document goes just now
        return None


class QueueModel(QAbstractListModel):
    """Signal: wanted(how many rows are there) when more are to be appended."""

    wanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Waiting] = []
        self._ids: set[str] = set()
        self._taken: set[str] = set()  # they do not come back with a page that was read before
        self._ended, self._asked = True, False

    def row(self, at: int) -> Waiting:
        return self._rows[at]

    def place_of(self, fact_id: str) -> int:
        return next((at for at, row in enumerate(self._rows) if row.id == fact_id), -1)

    # ------------------------------------------------------------ content

    def show_rows(self, rows: Sequence[Waiting], ended: bool) -> None:
        """In place of all others; what is the same stays where it is."""
        self._ended, self._asked = ended, False
        self._taken.clear()
        if rows == self._rows:
            return
        self.beginResetModel()
        self._rows, self._ids = list(rows), {row.id for row in rows}
        self.endResetModel()

    def append(self, rows: Iterable[Waiting], ended: bool) -> None:
        self._ended, self._asked = ended, False
        new = [row for row in rows if row.id not in self._ids | self._taken]
        if new:
            self.beginInsertRows(_ROOT, len(self._rows), len(self._rows) + len(new) - 1)
            self._rows += new
            self._ids.update(row.id for row in new)
            self.endInsertRows()

    def take(self, at: int) -> None:
        self.beginRemoveRows(_ROOT, at, at)
        gone = self._rows.pop(at).id
        self._ids.discard(gone)
        self._taken.add(gone)
        self.endRemoveRows()
        self.top_up()

    def top_up(self) -> None:
        if len(self._rows) < LOW:
            self.fetchMore(_ROOT)

    def put(self, at: int, row: Waiting) -> None:
        """Back among the others, or in place of its own."""
        if (there := self.place_of(row.id)) >= 0:
            self._rows[there] = row
            self.dataChanged.emit(self.index(there), self.index(there))
            return
        at = min(at, len(self._rows))
        self.beginInsertRows(_ROOT, at, at)
        self._rows.insert(at, row)
        self._ids.add(row.id)
        self._taken.discard(row.id)
        self.endInsertRows()

    def decide(self, at: int, state: str) -> None:
        """Show a row in another state."""
        row = self._rows[at]
        self._rows[at] = replace(row, candidate=replace(row.candidate, state=state))
        self.dataChanged.emit(self.index(at), self.index(at))

    def move_last(self, at: int) -> None:
        row = self._rows[at]
        self.take(at)
        self.put(len(self._rows), row)

    # ------------------------------------------------------------ Qt

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def canFetchMore(self, parent: Index) -> bool:
        return not (parent.isValid() or self._ended or self._asked)

    def fetchMore(self, parent: Index) -> None:
        if self.canFetchMore(parent):
            self._asked = True
            self.wanted.emit(len(self._rows))

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW:
            return row
        if role == ROLE.DisplayRole:
            return escape_controls(fact_words(row.candidate.fact))
        if role == ROLE.AccessibleTextRole:
            return escape_controls(_spoken(row))
        if role == ROLE.ToolTipRole:
            return tooltip(f"{fact_words(row.candidate.fact)}\n{row.sentence}")
        return None


def _spoken(row: Waiting) -> str:
    candidate = row.candidate
    return tr(
        "{fact}, {state}, {probability}, proposed by {proposer}, in {document}: {sentence}",
        fact=fact_words(candidate.fact), state=STATES[candidate.state][0],
        probability=f"{candidate.probability:.0%}", proposer=proposers_words(candidate),
        document=row.title, sentence=row.sentence,
    )  # fmt: skip


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
    """Paint the number, and a bar before it where there is room."""
    wide, figure = theme.px(BAR), f"{probability:.0%}"
    left = line.right() - wide
    painter.setFont(theme.font(theme.SMALL))
    painter.setPen(theme.current().color("muted"))
    right = Qt.AlignmentFlag.AlignRight | _MIDDLE
    painter.drawText(QRect(left, line.top(), wide, line.height()), right, figure)
    if line.width() >= theme.px(BAR_FROM):
        track = QRectF(left, line.center().y() - 1, wide - theme.px(FIGURE), 4)
        paint_share(painter, track, probability, 4)
