"""The queue: facts that wait for a decision, decided by single keys; what is written follows behind."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QListView,
    QSplitter,
    QStackedWidget,
    QWidget,
)
from superqt.utils import qdebounced

from app.look import theme
from app.look.translation import tr, trn
from app.review.card import FactCard
from app.review.commands import queue_commands
from app.review.decider import Decider
from app.review.editor import Edit, FactEditor, Quote
from app.review.filters import Choices, FilterBar
from app.review.queue_model import PAGE, FactRow, Note, QueueModel, Waiting, read_page
from app.review.sheet import FIRST, Bulk, BulkQuestion
from app.review.wording import STATES, fact_words, proposers_words
from app.session import operations
from app.session.changes import Following
from app.session.session import Session
from app.widgets.copying import CopyKeys, Rows, chosen_rows, make_copyable
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from app.widgets.notices import EmptyState
from core.errors import CoreError
from core.progress import TaskContext
from core.types import Changed, FactFilter, ReviewAct

if TYPE_CHECKING:
    from core.workspace import Workspace

REST = 150  # milliseconds: the reader opens where one stays, not where one passes by
READ_AGAIN = 1_000  # rows at most
LOW, WIDE = 480, 1000  # pixels
SHARES = {"low": (3, 7), "wide": (4, 3), "tall": (4, 3)}  # of list and card
BUTTONS = {
    "review.approve": tr("Approve"), "review.reject": tr("Reject"), "review.edit": tr("Edit"),
    "review.note": tr("Note"), "review.skip": tr("Skip"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Found:
    """One reading of the queue."""

    wanted: FactFilter
    rows: list[Waiting]
    ended: bool
    changed: Changed
    acts: int  # of the decider, before it


class _List(CopyKeys, QListView):
    pass


class QueueView(QWidget):
    """Decides on the current fact, on the selected ones, or on all that match."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._counts: dict[str, int] = {}
        self._all = False  # all that match are meant
        self._refused: deque[tuple[Edit, CoreError]] = (
            deque()
        )  # words that were not kept, until they are taken up
        self._behind = False  # something was read that knows nothing of what was pending
        self.model, self.list, self.filters = QueueModel(), _List(), FilterBar()
        self._row = FactRow(self.list)
        self.card, self.bulk, self.editor = FactCard(), BulkQuestion(), FactEditor()
        self.hint = PlainLabel(kind="small", wrap=True)
        self.decider = Decider(session, self.model, self)
        self.empty = EmptyState("checks", "")
        self.listed, self.side = QWidget(self), QStackedWidget()  # a child: shown alone it would be a window
        self.split, self._shape = QSplitter(handleWidth=1, childrenCollapsible=False), ""
        self._dress()
        self._lay_out()
        self._read_soon = qdebounced(self._open_rested, REST, parent=self)
        self._notes_soon = qdebounced(self._read_notes, REST, parent=self)
        session.commands.add(self, *queue_commands(self, session), scoped=True)
        self.card.add_commands(session.commands, BUTTONS)
        session.commands.press(self.filters.undo, "review.undo")
        self._following = Following(self, session, self._read, self._show, concerns=self._concerns, pause=250)
        self._connect()
        self._say_empty()

    def _dress(self) -> None:
        view = self.list
        view.setModel(self.model)
        view.setItemDelegate(self._row)
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
        self.hint.setContentsMargins(12, 4, 12, 4)
        self.hint.hide()
        column(self.filters, self.hint, (self.list, 1), spacing=0, on=self.listed)
        self.side.currentChanged.connect(self._give_way)
        self.side.addWidget(self.empty)
        self.side.addWidget(self.card)
        self.side.addWidget(self.bulk)
        self.side.addWidget(self.editor)
        self.split.addWidget(self.listed)
        self.split.addWidget(self.side)
        column(self.split, spacing=0, on=self)

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
        self.card.why_done.connect(self._on_written)
        self.bulk.agreed.connect(self._decide_many)
        for sheet in (self.bulk, self.editor):
            sheet.closed.connect(self._on_side_closed)
        self.editor.submitted.connect(self._keep)
        self.editor.named.connect(self._ask_kinds)
        self.card.noted.connect(self.decider.note)
        self.decider.refused.connect(self._on_refused)
        self.decider.went.connect(self._go)
        self.decider.counted.connect(self._move_count)
        self.decider.stale.connect(self._following.again)
        self.decider.rested.connect(self._on_rested)
        session.workspace_closed.connect(self._clear)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The card stands beside the list where there is more room than below it; a low one has more of it."""
        super().resizeEvent(event)
        low, wide = self.height() < theme.px(LOW), self.width() >= theme.px(WIDE)
        shape = "low" if low else "wide" if wide else "tall"
        if shape != self._shape:
            self._shape = shape
            self.split.setOrientation(
                Qt.Orientation.Vertical if shape == "tall" else Qt.Orientation.Horizontal
            )
            self.split.setSizes([share * self.width() for share in SHARES[shape]])
            self._row.lines = 2 if low else 3
            self.list.doItemsLayout()
            self._give_way()

    @property
    def entrance(self) -> QWidget:
        return self.editor.subject if self.listed.isHidden() else self.list

    def _give_way(self) -> None:
        """Where it is low, the list leaves its room to the editor, unless somebody filters."""
        now = QApplication.focusWidget()
        typing = now is not None and self.filters.isAncestorOf(now)
        edits = self.side.currentWidget() is self.editor
        self.listed.setVisible(typing or not edits or self._shape != "low")

    # ------------------------------------------------------------ content

    def _concerns(self, changed: Changed) -> bool:
        """Not of what was decided here, which is shown already."""
        return bool(changed.documents or changed.names or changed.facts - self.decider.pending.keys())

    def _read(self, workspace: Workspace, changed: Changed, _: TaskContext) -> _Found:
        acts = self.decider.acts
        wanted, limit = self.filters.wanted, min(max(PAGE, self.model.rowCount()), READ_AGAIN)
        rows = read_page(workspace, wanted, limit)
        return _Found(wanted, rows, len(rows) < limit, changed, acts)

    def _show(self, found: _Found) -> None:
        if found.wanted != self.filters.wanted:
            return  # another reading is on its way
        if self._read_too_early(found.acts):
            return
        at, now = self.list.currentIndex().row(), self.current()
        self._tasks.drop("page")  # it would leave a gap
        self.model.show_rows(found.rows, found.ended)
        sought = found.changed.facts if self.decider.sought is None else self.decider.sought
        target = next((id for id in (*sought, now.id if now else "") if self.model.place_of(id) >= 0), "")
        if target in sought:
            self.decider.sought = ()
        self._go(self.model.place_of(target) if target else max(at, 0))
        self._read_counts()

    def _read_more(self, skip: int) -> None:
        workspace, wanted = self._session.workspace, self.filters.wanted
        if workspace is None:
            return

        def work(_: TaskContext) -> list[Waiting]:
            return read_page(workspace, wanted, PAGE, skip)

        def done(rows: list[Waiting]) -> None:
            if wanted == self.filters.wanted:
                self.model.append(rows, len(rows) < PAGE)
                if self.current() is None:  # one was faster than the reading
                    self._go(0)
                self._say_counts()

        self._tasks.start("page", work, done)

    def _read_counts(self) -> None:
        """How many match in each state, which among very many takes longer than to list the first."""
        workspace = self._session.workspace
        if workspace is None:
            return

        acts, wanted = self.decider.acts, self.filters.wanted

        def work(_: TaskContext) -> dict[str, int]:
            return workspace.review.states(wanted)

        def done(counts: dict[str, int]) -> None:
            if not self._read_too_early(acts):
                self._counts = counts
                self._say_counts()

        self._tasks.start("counts", work, done)

    def _read_too_early(self, acts: int) -> bool:
        """Return whether something was decided since; then all is read again once that is written."""
        early = bool(self.decider.pending) or acts != self.decider.acts
        self._behind = self._behind or early
        if early and not self.decider.pending:
            self._on_rested()
        return early

    def _on_rested(self) -> None:
        if self._behind:
            self._behind = False
            self._following.again()

    def _clear(self) -> None:
        self.decider.clear()
        self._counts = {}
        self._refused.clear()
        self.bulk.give_up()
        self.editor.give_up()
        self.model.show_rows([], True)
        self.filters.clear()
        self._say_counts()

    def refresh(self) -> None:
        """Read the queue again: something was turned in the log."""
        self.decider.forget()
        self._following.again()

    def _on_filter(self) -> None:
        self.decider.wanted = self.filters.wanted
        self._tasks.drop("preview")
        self.bulk.give_up()  # it asks about what was listed
        self.list.clearSelection()
        self.list.scrollToTop()
        self.list.setCurrentIndex(QModelIndex())
        self._following.again()

    def _read_choices(self) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return
        places, asked_by, wanted = self._places(), QApplication.focusWidget(), self.filters.wanted

        def work(_: TaskContext) -> Choices:
            review = workspace.review
            return Choices(
                review.predicates(wanted), review.proposers(wanted), places, review.families(wanted)
            )

        def done(choices: Choices) -> None:
            if QApplication.focusWidget() is asked_by:  # else one types elsewhere by now
                self.filters.open_menu(choices)

        self._tasks.start("choices", work, done)

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
                label = tr("in {document}", document=now.passage.title)
                found.append((label, "document_id", now.passage.document_id))
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
        self._notes_soon()
        typing = not self.list.hasFocus()  # rows were read again meanwhile
        if self.bulk.active and typing:
            return
        self.bulk.give_up()
        if self.editor.dirty or (self.editor.active and typing):
            self.side.setCurrentWidget(self.editor)
            return
        self.editor.give_up()
        self.side.setCurrentWidget(self.card if now is not None else self.empty)
        if now is not None and self.list.hasFocus():
            self._read_soon()

    def _on_written(self) -> None:
        self.list.setFocus()
        self.card.fit_why()
        self._take_up_refused()

    def _read_notes(self) -> None:
        workspace, now = self._session.workspace, self.current()
        if workspace is None or now is None:
            return

        def work(_: TaskContext) -> list[ReviewAct]:
            return workspace.review.notes(fact_id=now.id)

        def done(notes: list[ReviewAct]) -> None:
            if (here := self.current()) is not None and here.id == now.id:
                self.card.show_notes(notes)

        self._tasks.start("notes", work, done)

    def _open_rested(self) -> None:
        if self.list.hasFocus():  # else somebody has gone elsewhere, and chosen something there
            self._open_place()

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
        approve, reject = (self._session.commands.keys(id) for id in ("review.approve", "review.reject"))
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
            words = [fact_words(row.candidate.fact) for row in rows[:FIRST]]
            self._ask(Bulk(outcome, tuple(row.id for row in rows), words))
        else:
            at = self.list.currentIndex().row()
            if self.model.row(at).candidate.state == outcome:
                self.step(1)
            else:
                self.decider.decide(at, outcome, self.card.take_why())

    # ------------------------------------------------------------ in a person's words

    def edit(self) -> None:
        """The current fact."""
        if (now := self.current()) is not None:
            self._open_editor(now)

    def state(self, document_id: str, quote: str, start: int) -> None:
        """A new fact, from words of a document."""
        self._open_editor(Quote(document_id, quote, start))

    def write_note(self) -> None:
        self.card.write_note()

    def _open_editor(self, of: Waiting | Quote) -> None:
        self._tasks.drop("preview")
        self.bulk.give_up()
        self.side.setCurrentWidget(self.editor)
        if self.editor.dirty:
            self.editor.subject.setFocus()  # these words first
        else:
            self.editor.edit(of)

    def _keep(self, edit: Edit) -> None:
        if reason := self._session.blocked:
            self.editor.refuse(edit, reason, keyboard=True)
        else:
            self.editor.give_up()
            self.decider.keep(edit)

    def _on_refused(self, refused: Edit | Note, why: CoreError) -> None:
        if isinstance(refused, Note):
            self.card.return_note(refused)
        else:
            self._refused.append((refused, why))
            self._take_up_refused()

    def _take_up_refused(self) -> None:
        """Words that were not kept come back with the reason when nobody writes others beside the list."""
        now = QApplication.focusWidget()
        if self._refused and not (
            self.bulk.active or self.editor.active or now in (self.card.why, self.card.note)
        ):
            self.side.setCurrentWidget(self.editor)
            edit, why = self._refused.popleft()
            self.editor.refuse(edit, str(why), keyboard=now is self.list)

    def _ask_kinds(self) -> None:
        workspace, names = self._session.workspace, self.editor.names
        if workspace is not None:
            self._tasks.start("kinds", lambda _: workspace.review.without_kind(names), self.editor.ask_kinds)

    # ------------------------------------------------------------ deciding on many

    def _preview(self, outcome: str) -> None:
        workspace, wanted = self._session.workspace, self.filters.wanted
        if workspace is None or self.editor.active:
            return

        def work(_: TaskContext) -> Bulk:
            first = workspace.review.queue(wanted, FIRST)
            words = [fact_words(each.fact) for each in first]
            return Bulk(outcome, tuple(workspace.review.ids(wanted)), words)

        self._tasks.start("preview", work, self._ask)

    def _ask(self, bulk: Bulk) -> None:
        self.side.setCurrentWidget(self.bulk)
        self.bulk.ask(bulk, keyboard=self.list.hasFocus())

    def _on_side_closed(self) -> None:
        now = QApplication.focusWidget()
        self.listed.show()
        if now is not None and self.side.isAncestorOf(now):
            self.list.setFocus()
        self._on_current()
        self._take_up_refused()

    def _decide_many(self, bulk: Bulk, why: str) -> None:
        if bulk.outcome == "approved":
            words = trn("Approving {count} fact...", "Approving {count} facts...", len(bulk.ids))
        else:
            words = trn("Rejecting {count} fact...", "Rejecting {count} facts...", len(bulk.ids))
        self._session.notify(words)
        self.decider.decide_many(bulk.ids, bulk.outcome, why)

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
        if self.filters.narrow:
            words = tr("No fact matches"), tr("Take a filter away, or look at those in another state.")
        elif not sum(self._counts.values()):
            words = tr("No facts yet"), tr("Open a folder: what its documents say is listed here.")
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


def _cells(row: Waiting) -> tuple[str, ...]:
    candidate, fact = row.candidate, row.candidate.fact
    return (
        fact.subject, fact.put_predicate, fact.object, STATES[candidate.state][0], f"{candidate.probability:.2f}",
        proposers_words(candidate), row.title, row.sentence,
    )  # fmt: skip
