"""Decisions on the rows of the queue: shown at once, written behind, undone and done again without end."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.look.translation import tr
from app.review.editor import Edit, Quote
from app.review.queue_model import Note, QueueModel, Waiting
from app.review.wording import turned_words
from app.session.session import Session
from core.errors import CoreError
from core.types import FactFilter, ReviewAct

if TYPE_CHECKING:
    from core.workspace.review import ReviewApi

MOST_UNDOABLE = 200  # decisions that can be shown as undone before that is written


@dataclass(slots=True, eq=False)
class _Decision:
    """`row` as it was at this place of what was listed (`wanted`), None where there were many."""

    ids: tuple[str, ...]
    outcome: str
    wanted: FactFilter
    at: int = 0
    row: Waiting | None = None
    act_id: str = ""  # once it is written
    visible: bool = False  # whether the rows show it; else they are read again when it is written


class Decider(QObject):
    """Signals: went(row) to be current, counted(from one state, to another) for each fact, refused(Edit or Note, why)
    of words that were not kept, stale() when the rows are to be read again, rested() when all is written."""

    went = Signal(int)
    counted = Signal(str, str)
    refused = Signal(object, object)
    stale = Signal()
    rested = Signal()

    def __init__(self, session: Session, model: QueueModel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._decisions, self._model = session, session.decisions, model
        self.wanted = FactFilter()  # what is listed
        self.pending: Counter[str] = Counter()  # facts, by how much of them is not written yet
        self.acts = 0  # so far: what was read before one knows nothing of it
        self.sought: tuple[str, ...] | None = ()  # facts to go to when they are read; None: whatever changed
        self._done: deque[_Decision] = deque(maxlen=MOST_UNDOABLE)
        self._undone: list[_Decision] = []
        session.decisions.came.connect(self._on_came)

    def _on_came(self, by: QObject) -> None:
        if by is not self:
            self.forget()

    def forget(self) -> None:
        """What is undone next is what the log says."""
        self._done.clear()
        self._undone.clear()

    def clear(self) -> None:
        self.forget()
        self.pending.clear()

    # ------------------------------------------------------------ the person

    def decide(self, at: int, outcome: str, why: str) -> None:
        """On the fact of a row."""
        row = self._model.row(at)
        decision = _Decision((row.id,), outcome, self.wanted, at, row)
        self._decide(decision, lambda review: review.decide(decision.ids, outcome, why))

    def decide_many(self, ids: Sequence[str], outcome: str, why: str) -> None:
        """On facts that may not be listed."""
        decision = _Decision(tuple(ids), outcome, self.wanted)
        self._decide(decision, lambda review: review.decide(decision.ids, outcome, why))

    def keep(self, edit: Edit) -> None:
        """A fact in other words, or a new one."""
        of, words, reverse, why = edit.source, edit.words, edit.reverse, edit.why
        refused = partial(self.refused.emit, edit)
        if isinstance(of, Quote):
            document_id, quote, near = of.document_id, of.text, of.start
            decision = _Decision((), edit.outcome, self.wanted)
            self._decide(
                decision, lambda review: review.add(document_id, quote, words, near=near, why=why), refused
            )
        else:
            fact_id, at = of.id, self._model.place_of(of.id)
            decision = _Decision((fact_id,), edit.outcome, self.wanted, at, of)
            self._decide(
                decision, lambda review: review.edit(fact_id, words, reverse=reverse, why=why), refused
            )

    def note(self, fact_id: str, text: str) -> None:
        """The card shows it when it is written."""
        note = Note(fact_id, text)
        decision = _Decision((), "", self.wanted)
        refused = partial(self.refused.emit, note)
        self._decide(decision, lambda review: review.note(text, fact_id=fact_id), refused)

    def _decide(
        self,
        decision: _Decision,
        make: Callable[[ReviewApi], str],
        refused: Callable[[CoreError], object] = bool,
    ) -> None:
        """`make` gives the id of the act."""

        def write(review: ReviewApi) -> None:
            decision.act_id = make(review)

        def failed(error: CoreError) -> None:
            self._on_refused(decision)
            refused(error)

        self._undone.clear()
        self._done.append(decision)
        self._show_decided(decision)
        self._write(decision, write, failed)

    def undo(self) -> None:
        """The last decision; beyond those made here, the last one of the log."""
        if not self._done:
            self._turn(True, tr("There is nothing to undo."))
            return
        decision = self._done.pop()
        self._undone.append(decision)
        self._show_undone(decision)
        self._write(
            decision, lambda review: decision.act_id and review.undo(decision.act_id), self._read_again
        )

    def redo(self) -> None:
        """The decision that was undone last."""
        if not self._undone:
            self._turn(False, tr("There is nothing to do again."))
            return
        decision = self._undone.pop()
        self._done.append(decision)
        self._show_decided(decision)
        self._write(
            decision, lambda review: decision.act_id and review.redo(decision.act_id), self._read_again
        )

    # ------------------------------------------------------------ writing

    def _write(
        self,
        decision: _Decision,
        write: Callable[[ReviewApi], object],
        failed: Callable[[CoreError], object],
    ) -> None:
        """Without an id of its act it could not be written, and is undone already."""

        def ended(then: Callable[[CoreError], object] | None, result: Any) -> None:
            self.pending -= Counter(decision.ids)
            if then is not None:
                then(result)
            elif not decision.visible:
                self.stale.emit()
            if not self.pending:
                self._model.top_up()
                self.rested.emit()

        self.acts += 1
        self.pending.update(decision.ids)
        self._decisions.add(
            lambda workspace, _: write(workspace.review), partial(ended, None), partial(ended, failed), self
        )

    def _on_refused(self, decision: _Decision) -> None:
        if decision in self._done:
            self._done.remove(decision)
        self._show_undone(decision)
        if not decision.visible:
            self.stale.emit()

    def _read_again(self, _: CoreError) -> None:
        self.stale.emit()

    def _turn(self, undo: bool, nothing: str) -> None:
        """What the log says, which is seen when it is written."""

        def done(act: ReviewAct | None) -> None:
            self.forget()
            self._session.notify(turned_words(act, undo) if act is not None else nothing)

        self.sought = None
        self._decisions.turn(undo, "", done, self._read_again, self)

    # ------------------------------------------------------------ what is seen

    def _show_decided(self, decision: _Decision) -> None:
        """Show the row in its new state or, where that is not listed, gone; the next one is current."""
        row = decision.row
        at = self._model.place_of(row.id) if row is not None else -1
        decision.visible = row is not None and at >= 0 and decision.wanted == self.wanted
        if row is None or not decision.visible:
            return
        stays = decision.wanted.state in ("", decision.outcome)
        if stays:
            self._model.decide(at, decision.outcome)
        else:
            self._model.take(at)
        self.counted.emit(row.candidate.state, decision.outcome)
        self.went.emit(at + stays)

    def _show_undone(self, decision: _Decision) -> None:
        row = decision.row
        decision.visible = row is not None and decision.wanted == self.wanted
        if row is None or not decision.visible:
            self.sought = decision.ids[:1]
            return
        self._model.put(decision.at, row)
        self.counted.emit(decision.outcome, row.candidate.state)
        self.went.emit(self._model.place_of(row.id))
