"""The queue: facts that wait for a decision, decided by single keys; what is written follows behind."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QSplitter, QStackedWidget, QWidget
from superqt.utils import qdebounced

from app.look import theme
from app.look.translation import tr, trn
from app.review.bulk import Bulk, BulkQuestion
from app.review.card import FactCard
from app.review.decisions import Decisions
from app.review.filters import Choices, FilterBar
from app.review.queue_model import PAGE, QueueModel, Waiting, read_page
from app.review.row import FactRow
from app.review.wording import STATES, fact_words, proposers_words
from app.session import operations
from app.session.changes import Following
from app.session.commands import Command
from app.session.session import Session
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.empty_state import EmptyState
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from core.progress import TaskContext
from core.types import Changed, FactFilter, ReviewAct

if TYPE_CHECKING:
    from core.workspace import Workspace
    from core.workspace.review import ReviewApi

REST = 150  # milliseconds: the reader opens where one stays, not where one passes by
UNDONE_AT_ONCE = 200  # decisions that are kept to be shown as undone before that is written
READ_AGAIN = 300  # rows at most
LOW, WIDE = 480, 1000  # pixels at 100 %: less height, or more width, puts the card beside the list
BUTTONS = ("review.approve", "review.reject", "review.skip", "review.undo")


@dataclass(slots=True, eq=False)
class _Decision:
    """`row` as it was at this place, None where there were many; `wanted`: what was listed then."""

    ids: tuple[str, ...]
    outcome: str
    wanted: FactFilter
    at: int = 0
    row: Waiting | None = None
    act_id: str = field(default="")  # once it is written


@dataclass(frozen=True, slots=True)
class _Found:
    """One reading of the queue."""

    wanted: FactFilter
    rows: list[Waiting]
    ended: bool
    changed: Changed


class _List(CopyKeys, QListView):
    pass


class QueueView(QWidget):
    """Decides on the current fact, on the selected ones, or on all that match."""

    def __init__(self, session: Session, decisions: Decisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks, self._decisions = session, session.tasks.owned_by(self), decisions
        self._made: deque[_Decision] = deque(maxlen=UNDONE_AT_ONCE)
        self._undone: list[_Decision] = []
        self._pending: Counter[str] = Counter()  # facts by how much of them is not written yet
        self._counts: dict[str, int] = {}
        self._sought: tuple[str, ...] | None = ()  # facts to go to when they are read; None: whatever changed
        self._all = False  # all that match are meant
        self._recount = False  # once nothing is pending
        self.model, self.list, self.filters = QueueModel(), _List(), FilterBar()
        self.card, self.bulk, self.hint = FactCard(), BulkQuestion(), PlainLabel(kind="small", wrap=True)
        self.empty = EmptyState("checks", "")
        self.side, self.split = QStackedWidget(), QSplitter(handleWidth=1, childrenCollapsible=False)
        self._dress()
        self._lay_out()
        self._read_soon = qdebounced(self._open_place, REST, parent=self)
        session.commands.add(self, *self._commands(), scoped=True)
        self.card.add_commands(session.commands, BUTTONS)
        self._following = Following(self, session, self._read, self._show, concerns=self._concerns, pause=250)
        self._connect()
        self._say_empty()

    def _dress(self) -> None:
        view = self.list
        view.setModel(self.model)
        view.setItemDelegate(FactRow(view))
        view.setUniformItemSizes(True)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setStyleSheet("QListView { border: none; border-radius: 0; }")
        view.setAccessibleName(tr("Facts to decide on"))
        make_copyable(view, self._rows)
        theme.follow(view, view.doItemsLayout)

    def _lay_out(self) -> None:
        listed = QWidget()
        self.hint.setContentsMargins(12, 4, 12, 4)
        self.hint.hide()
        column(self.hint, (self.list, 1), spacing=0, on=listed)
        self.side.addWidget(self.empty)
        self.side.addWidget(self.card)
        self.side.addWidget(self.bulk)
        self.split.addWidget(listed)
        self.split.addWidget(self.side)
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 2)
        column(self.filters, (self.split, 1), spacing=0, on=self)

    def _connect(self) -> None:
        session = self._session
        self.model.wanted.connect(self._read_more)
        self.filters.changed.connect(self._on_filter)
        self.filters.choices_wanted.connect(self._read_choices)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        self.list.selectionModel().selectionChanged.connect(self._on_chosen)
        self.list.clicked.connect(self._open_place)
        self.list.activated.connect(self.read_on)
        self.card.read_wanted.connect(self.read_on)
        self.card.entity_wanted.connect(partial(operations.select_entity, session))
        self.card.why_done.connect(self.list.setFocus)
        self.bulk.agreed.connect(self._decide_many)
        self.bulk.closed.connect(self._on_bulk_closed)
        session.workspace_closed.connect(self._clear)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.height() < theme.px(LOW) or self.width() >= theme.px(WIDE)
        self.split.setOrientation(Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical)

    # ------------------------------------------------------------ content

    def _concerns(self, changed: Changed) -> bool:
        """Not of what was decided here, which is shown already."""
        return bool(changed.documents or changed.names or changed.facts - self._pending.keys())

    def _read(self, workspace: Workspace, changed: Changed, _: TaskContext) -> _Found:
        wanted, limit = self.filters.wanted, min(max(PAGE, self.model.rowCount()), READ_AGAIN)
        rows = read_page(workspace, wanted, limit)
        return _Found(wanted, rows, len(rows) < limit, changed)

    def _show(self, found: _Found) -> None:
        if found.wanted != self.filters.wanted:
            return  # another reading is on its way
        at, now = self.list.currentIndex().row(), self.current()
        rows = [row for row in found.rows if row.id not in self._pending or not found.wanted.state]
        self.model.show_rows(rows, found.ended)
        sought = found.changed.facts if self._sought is None else self._sought
        kept = next((id for id in (*sought, now.id if now else "") if self.model.place_of(id) >= 0), "")
        if kept in sought:
            self._sought = ()
        self._go(self.model.place_of(kept) if kept else max(at, 0))
        self._read_counts()

    def _read_more(self, skip: int) -> None:
        workspace, wanted = self._session.workspace, self.filters.wanted
        if workspace is None:
            return

        def work(_: TaskContext) -> list[Waiting]:
            return read_page(workspace, wanted, PAGE, skip)

        def done(rows: list[Waiting]) -> None:
            if wanted == self.filters.wanted:
                new = [row for row in rows if row.id not in self._pending or not wanted.state]
                self.model.append(new, len(rows) < PAGE)
                if self.current() is None:  # one was faster than the reading
                    self._go(0)
                self._say_counts()

        self._tasks.start("page", work, done)

    def _read_counts(self) -> None:
        """How many there are in each state, which among very many takes longer than to list the first."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> dict[str, int]:
            return {state: workspace.review.count(FactFilter(state)) for state in STATES}

        def done(counts: dict[str, int]) -> None:
            self._recount = bool(self._pending)  # which they know nothing of
            if not self._recount:
                self._counts = counts
                self._say_counts()

        self._tasks.start("counts", work, done)

    def _clear(self) -> None:
        self._forget_made()
        self._pending.clear()
        self._counts = {}
        self.bulk.give_up()
        self.model.show_rows([], True)
        self.filters.clear()
        self._say_counts()

    def _forget_made(self) -> None:
        """What is undone next is what the log says."""
        self._made.clear()
        self._undone.clear()

    def refresh(self) -> None:
        """Read the queue again: something was turned in the log."""
        self._forget_made()
        self._following.again()

    def _on_filter(self) -> None:
        self.list.scrollToTop()
        self.list.setCurrentIndex(QModelIndex())
        self._following.again()

    def _read_choices(self) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return
        places = self._places()

        def work(_: TaskContext) -> Choices:
            return Choices(workspace.review.predicates(), workspace.review.proposers(), places)

        self._tasks.start("choices", work, self.filters.open_menu)

    def _places(self) -> list[tuple[str, str, str]]:
        """What can be asked for beside: the ends and the document of the current fact, the selected entity."""
        now, selected = self.current(), self._session.selection.current
        found = []
        if selected is not None and selected.kind == "entity":
            found.append((tr("about the selected entity"), "entity_id", selected.id))
        if now is not None:
            fact = now.candidate.fact
            for name, id in ((fact.subject, fact.subject_id), (fact.object, fact.object_id)):
                found.append((tr("about {name}", name=name), "entity_id", id))
            if now.passage is not None:
                said = tr("in {document}", document=now.passage.title)
                found.append((said, "document_id", now.passage.document_id))
        return found

    # ------------------------------------------------------------ the current fact

    def current(self) -> Waiting | None:
        index = self.list.currentIndex()
        return self.model.row(index.row()) if index.isValid() else None

    def _go(self, at: int) -> None:
        index = self.model.index(max(0, min(at, self.model.rowCount() - 1)))
        self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.list.scrollTo(index)
        self._on_current()

    def step(self, by: int) -> None:
        self._go(self.list.currentIndex().row() + by)

    def skip(self) -> None:
        """The next one; this one comes again behind the others that are listed."""
        at = self.list.currentIndex().row()
        self.model.move_last(at)
        self._go(at)

    def _on_current(self) -> None:
        now = self.current()
        self.card.show_row(now)
        self.bulk.give_up()
        self.side.setCurrentWidget(self.card if now is not None else self.empty)
        if now is not None and self.isAncestorOf(self.focusWidget()) and self.list.hasFocus():
            self._read_soon()

    def _open_place(self) -> None:
        now = self.current()
        if now is not None and (place := now.place) is not None and self._session.workspace is not None:
            self._session.selection.select(place)

    def read_on(self) -> None:
        """Open the reader at the sentence, and go there."""
        self._open_place()
        if "panel.reader" in self._session.commands:
            self._session.commands.run("panel.reader")

    def _on_chosen(self) -> None:
        self._all = False
        self._say_hint()

    def choose_all(self) -> None:
        """All that match, also those that are not listed yet."""
        self.list.selectAll()
        self._all = True
        self._say_hint()

    def _say_hint(self) -> None:
        count = len(self.list.selectionModel().selectedRows())
        approve, reject = (self._session.commands.keys(id) for id in BUTTONS[:2])
        if self._all:
            words = tr("All that match are chosen: {approve} approves them, {reject} rejects them.",
                       approve=approve, reject=reject)  # fmt: skip
        else:
            words = trn("{count} fact is chosen: {approve} approves it, {reject} rejects it.",
                        "{count} facts are chosen: {approve} approves them, {reject} rejects them.",
                        count, approve=approve, reject=reject)  # fmt: skip
        self.hint.setText(words)
        self.hint.setVisible(self._all or count > 1)

    # ------------------------------------------------------------ deciding

    def decide(self, outcome: str) -> None:
        """On the current fact at once; on more of them when the person has seen which."""
        chosen = self.list.selectionModel().selectedRows()
        if self._all:
            self._preview(outcome)
        elif len(chosen) > 1:
            rows = [self.model.row(index.row()) for index in sorted(chosen)]
            words = [fact_words(row.candidate.fact) for row in rows]
            self._ask(Bulk(outcome, tuple(row.id for row in rows), words))
        else:
            self._decide_one(self.list.currentIndex().row(), outcome)

    def _decide_one(self, at: int, outcome: str) -> None:
        row = self.model.row(at)
        if row.candidate.state == outcome:
            self.step(1)
            return
        decision = _Decision((row.id,), outcome, self.filters.wanted, at, row)
        self._undone.clear()
        self._made.append(decision)
        self._show_decided(decision)
        why = self.card.take_why()
        self._write(decision, lambda review: review.decide(decision.ids, outcome, why))

    def _write(self, decision: _Decision, write: Callable[[ReviewApi], str]) -> None:
        self._pending.update(decision.ids)

        def kept(review: ReviewApi) -> None:
            decision.act_id = write(review)

        done, failed = partial(self._on_written, decision), partial(self._on_refused, decision)
        self._decisions.add(kept, done, failed)

    def _settled(self, decision: _Decision) -> None:
        self._pending -= Counter(decision.ids)
        if not self._pending:
            self.model.top_up()

    def _on_written(self, decision: _Decision, _: object) -> None:
        self._settled(decision)
        if decision.row is None:
            self._following.again()
        elif self._recount and not self._pending:
            self._read_counts()

    def _on_refused(self, decision: _Decision) -> None:
        self._settled(decision)
        if decision in self._made:
            self._made.remove(decision)
        self._show_undone(decision)

    def _show_decided(self, decision: _Decision) -> None:
        """The row in its new state or, where that is not listed, gone; the next one is current."""
        row = decision.row
        at = self.model.place_of(decision.ids[0])
        if row is None or at < 0 or decision.wanted != self.filters.wanted:
            self._following.again()
            return
        stays = decision.wanted.state in ("", decision.outcome)
        if stays:
            self.model.decide(at, decision.outcome)
        else:
            self.model.take(at)
        self._move_count(row.candidate.state, decision.outcome)
        self._go(at + stays)

    def _show_undone(self, decision: _Decision) -> None:
        if decision.row is None or decision.wanted != self.filters.wanted:
            self._sought = decision.ids[:1]
            self._following.again()
            return
        self.model.put(decision.at, decision.row)
        self._move_count(decision.outcome, decision.row.candidate.state)
        self._go(self.model.place_of(decision.row.id))

    def undo(self) -> None:
        """The last decision; beyond those made here, the last one of the log."""
        if not self._made:
            self._turn(lambda review: review.undo(), tr("There is nothing to undo."))
            return
        decision = self._made.pop()
        self._undone.append(decision)
        self._show_undone(decision)
        self._write_turn(decision, lambda review: review.undo(decision.act_id))

    def redo(self) -> None:
        """The decision that was undone last."""
        if not self._undone:
            self._turn(lambda review: review.redo(), tr("There is nothing to do again."))
            return
        decision = self._undone.pop()
        self._made.append(decision)
        self._show_decided(decision)
        self._write_turn(decision, lambda review: review.redo(decision.act_id))

    def _write_turn(self, decision: _Decision, write: Callable[[ReviewApi], object]) -> None:
        self._pending.update(decision.ids)

        def turned(review: ReviewApi) -> None:
            if decision.act_id:  # else it could not be written, and is undone already
                write(review)

        self._decisions.add(turned, partial(self._on_written, decision), self.refresh)

    def _turn(self, write: Callable[[ReviewApi], ReviewAct | None], nothing: str) -> None:
        def done(act: ReviewAct | None) -> None:
            self._forget_made()
            if act is None:
                self._session.tell(nothing)

        self._sought = None
        self._decisions.add(write, done, self.refresh)

    # ------------------------------------------------------------ deciding on many

    def _preview(self, outcome: str) -> None:
        workspace, wanted = self._session.workspace, self.filters.wanted
        if workspace is None:
            return

        def work(_: TaskContext) -> Bulk:
            first = workspace.review.queue(wanted, 10)
            words = [fact_words(each.fact) for each in first]
            return Bulk(outcome, tuple(workspace.review.ids(wanted)), words)

        self._tasks.start("preview", work, self._ask)

    def _ask(self, bulk: Bulk) -> None:
        self.side.setCurrentWidget(self.bulk)
        self.bulk.ask(bulk)

    def _on_bulk_closed(self) -> None:
        self._on_current()
        self.list.setFocus()

    def _decide_many(self, bulk: Bulk, why: str) -> None:
        decision = _Decision(bulk.ids, bulk.outcome, self.filters.wanted)
        self._undone.clear()
        self._made.append(decision)
        if bulk.outcome == "approved":
            words = trn("Approving {count} fact...", "Approving {count} facts...", len(bulk.ids))
        else:
            words = trn("Rejecting {count} fact...", "Rejecting {count} facts...", len(bulk.ids))
        self._session.tell(words)
        self._write(decision, lambda review: review.decide(bulk.ids, bulk.outcome, why))

    # ------------------------------------------------------------ in words

    def _move_count(self, before: str, now: str) -> None:
        self._counts[before] = self._counts.get(before, 0) - 1
        self._counts[now] = self._counts.get(now, 0) + 1
        self._say_counts()

    def _say_counts(self) -> None:
        self.filters.show_counts(self._counts)
        if not self.model.rowCount():
            self._say_empty()

    def _say_empty(self) -> None:
        """What to do first where nothing is listed."""
        state, undo = self.filters.wanted.state, self._session.commands.keys("review.undo")
        if not sum(self._counts.values()):
            words = tr("No facts yet"), tr("Open a folder: what its documents say is listed here.")
        elif self.filters.narrow:
            words = tr("No fact matches"), tr("Take a filter away, or look at those in another state.")
        elif state == "open":
            words = (
                tr("All is decided"),
                tr("{undo} undoes the last decision; the log has them all.", undo=undo),
            )
        else:
            words = (
                tr("Nothing here yet"),
                tr("Facts that are {state} are listed here.", state=STATES[state][0]),
            )
        self.empty.set_text(*words)
        self._on_current()

    def _rows(self) -> Rows:
        titles = (tr("Subject"), tr("Predicate"), tr("Object"), tr("State"), tr("Probability"),
                  tr("Proposed by"), tr("Document"), tr("Sentence"))  # fmt: skip
        return Rows(titles, tuple(_cells(self.model.row(at)) for at in chosen_rows(self.list)))

    def _commands(self) -> Sequence[Command]:
        def why_not() -> str:
            blocked = self._session.blocked
            return blocked or ("" if self.current() is not None else tr("No fact is chosen."))

        def none() -> str:
            return "" if self.current() is not None else tr("No fact is chosen.")

        def shut() -> str:
            workspace = self._session.workspace
            return self._session.blocked if workspace is not None else tr("No workspace is open.")

        approve, reject = partial(self.decide, "approved"), partial(self.decide, "rejected")
        step, focus = self.step, self.filters.words.setFocus
        return (
            Command("review.approve", tr("Approve"), approve, "A", "check-circle", why_not),
            Command("review.reject", tr("Reject"), reject, "R", "x-circle", why_not),
            Command("review.skip", tr("Skip"), self.skip, "S", "skip-forward", none),
            Command("review.undo", tr("Undo"), self.undo, "U", "arrow-counter-clockwise", shut),
            Command("review.redo", tr("Do again"), self.redo, "Shift+U", "arrow-clockwise", shut),
            Command("review.next", tr("Next fact"), lambda: step(1), "J", "caret-down", none),
            Command("review.before", tr("Fact before"), lambda: step(-1), "K", "caret-up", none),
            Command("review.all", tr("Choose all that match"), self.choose_all, "Ctrl+A", "checks", none),
            Command("review.why", tr("Say why"), self.card.why.setFocus, "W", "chat-circle-dots", none),
            Command("review.find", tr("Filter the facts"), focus, "Ctrl+F", "funnel"),
        )


def _cells(row: Waiting) -> tuple[str, ...]:
    candidate, fact = row.candidate, row.candidate.fact
    return (
        fact.subject, fact.predicate, fact.object, STATES[candidate.state][0], f"{candidate.probability:.2f}",
        proposers_words(candidate), row.title, row.sentence,
    )  # fmt: skip
