"""Facts to decide on as rows, fetched in pages as one goes down the list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from app.answers.wording import place_words, placed
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.review.wording import STATES, fact_words, proposers_words
from app.session.selection import Selected
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
    """Where subject, predicate and object stand in the sentence, as (start, end)."""
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
