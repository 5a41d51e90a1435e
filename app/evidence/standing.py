"""Why a passage is not higher: in words, and its rank in every ranking, beside that of another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from app.answers.asked import asked_of
from app.answers.evidence_rows import EvidenceRow
from app.look import theme
from app.look.translation import tr
from app.session.session import Session
from app.session.tasks import Lane, Tasks
from app.session.warming import warm
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop, line
from app.widgets.table import Column, RecordTable, TraceTable
from core.errors import CoreError
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import Answer, Place, Standing

if TYPE_CHECKING:
    from core.workspace import Workspace

_MOST = 20  # rows of the table
_RANK = 62  # pixels
_LONGEST = 48  # letters of a title to choose from


@dataclass(frozen=True, slots=True)
class Beside:
    """One ranking: where the passage stands in it, and the other one. `end`: where each stands at the end."""

    own: Place
    other: Place | None = None
    left_out: bool = False
    ends: tuple[int | None, int | None] = (None, None)

    def rank(self, other: bool = False) -> str:
        """`4`, `7 ▼ 3` where leaving something out costs three places, a dash where it is not in it."""
        place, end = (self.other, self.ends[1]) if other else (self.own, self.ends[0])
        if place is None or place.rank is None:
            return "\u2013"
        if not self.left_out or end is None or place.rank == end:
            return str(place.rank)
        way = "\u25b2" if place.rank < end else "\u25bc"
        return f"{place.rank} {way} {abs(place.rank - end)}"


def beside(own: Standing, other: Standing | None = None) -> tuple[Beside, ...]:
    """All rankings of one passage, those of the other one beside them where they have the same name."""
    others = {place.part: place for place in (*other.places, *other.without)} if other is not None else {}
    ends = (own.rank, other.rank if other is not None else None)
    return (
        *(Beside(place, others.get(place.part)) for place in own.places),
        *(Beside(place, others.get(place.part), True, ends) for place in own.without),
    )


class StandingView(QWidget):
    """Of one card. Signal: compared(EvidenceRow | None) to stand beside it."""

    compared = Signal(object)

    def __init__(self, row: EvidenceRow, rows: Sequence[EvidenceRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = row
        self._others: list[EvidenceRow | None] = [None, *(other for other in rows if other is not row)]
        self.said = PlainLabel(tr("Ranking it again..."), "small", wrap=True, selectable=True)
        self.choice = QComboBox()
        self.choice.setAccessibleName(tr("Compare with another passage"))
        self.choice.addItem(tr("Compare with..."))
        for other in self._others[1:]:
            assert other is not None
            self.choice.addItem(_called(other))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.choice.setMinimumContentsLength(8)
        self.choice.activated.connect(lambda at: self.compared.emit(self._others[at]))
        self._tables: list[TraceTable] = []
        self._column = column(line(), self.said, self.choice, spacing=theme.WITHIN, on=self)
        self.choice.hide()

    @property
    def table(self) -> TraceTable | None:
        return self._tables[0] if self._tables else None

    def show_error(self, error: CoreError) -> None:
        drop(self._column, self._tables)
        self.said.setText(" ".join(filter(None, (error.message, error.remedy))))

    def show_standing(
        self, own: Standing | None, other: Standing | None, against: EvidenceRow | None
    ) -> None:
        """Say it, `other` being that of `against`."""
        drop(self._column, self._tables)
        self.choice.setVisible(own is not None)
        if own is None:
            self.said.setText(tr("This passage is not in the index any more."))
            return
        self.said.setText("\n".join(f"\u2022 {words}" for words in self._words(own)))
        table = TraceTable(_records(self._row, against), "standing", self, most=_MOST)
        table.setAccessibleName(tr("Its rank in every ranking"))
        table.set_records(beside(own, other))
        self._column.addWidget(table)
        table.show()
        self._tables.append(table)

    def _words(self, own: Standing) -> list[str]:
        words = list(own.reasons)
        if own.rank == 1:
            words = [tr("Nothing stands above it.")]
        elif not words:
            words = [tr("What stands above it is ahead in all that counts, by little.")]
        if own.rank is None:
            words.insert(0, tr("Asked now, it is not among the first passages."))
        elif own.rank != self._row.evidence.hit.rank:
            words.insert(0, tr("Asked now, it stands at number {rank}.", rank=own.rank))
        return words


def _called(row: EvidenceRow) -> str:
    title = " ".join(escape_controls(row.evidence.passage.title or row.evidence.document).split())
    short = title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "\u2026"
    return f"{row.evidence.hit.rank}  {short}"


def _records(row: EvidenceRow, against: EvidenceRow | None) -> RecordTable:
    tip = tr(
        "From 1; an arrow: places that it would gain or lose without that part. A dash: it is not found there."
    )
    columns = [
        Column(tr("Ranked by"), lambda each: _part(each.own)),
        Column(
            tr("No. {rank}", rank=row.evidence.hit.rank),
            lambda each: each.rank(),
            lambda each: each.own.rank or 10**9,
            number=True,
            width=_RANK,
            tip=tip,
        ),
    ]
    if against is not None:
        columns.append(
            Column(
                tr("No. {rank}", rank=against.evidence.hit.rank),
                lambda each: each.rank(other=True),
                lambda each: (each.other.rank if each.other else None) or 10**9,
                number=True,
                width=_RANK,
                tip=tip,
            )
        )
    return RecordTable(tuple(columns))


def _part(place: Place) -> str:
    return tr("{ranking} ({note})", ranking=place.part, note=place.note) if place.note else place.part


class Standings:
    """Reads where passages of an answer stand, off the window's thread."""

    def __init__(self, session: Session, tasks: Tasks) -> None:
        self._session, self._tasks = session, tasks

    def read(self, answer: Answer, view: StandingView, row: EvidenceRow, against: EvidenceRow | None) -> None:
        """Show it in `view`."""
        workspace = self._session.workspace
        if workspace is None:
            return
        ids = [each.evidence.passage.id for each in (row, against) if each is not None]

        def work(context: TaskContext) -> list[Standing | None]:
            return _standings(workspace, answer, ids, context)

        def done(found: list[Standing | None]) -> None:
            view.show_standing(found[0], found[1] if against is not None else None, against)

        self._tasks.start("standing", work, done, failed=view.show_error, lane=Lane.MODEL)

    def forget(self) -> None:
        self._tasks.drop("standing")


def _standings(
    workspace: Workspace, answer: Answer, ids: Sequence[str], context: TaskContext
) -> list[Standing | None]:
    warm(workspace, context)
    question, route = asked_of(answer)
    laid = workspace.retrieval.laid_open(question, context, route, answer.trace.scope)
    ranking = laid.rank(context)
    return [laid.explain_rank(ranking, id, context) for id in ids]
