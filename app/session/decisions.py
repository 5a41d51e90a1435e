"""What a person decides on facts, entities and the policy, written in order on another thread."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from shiboken6 import isValid

from app.look.translation import tr
from app.session.changes import Following
from app.session.errors import in_window
from app.session.tasks import KEEPING, Lane, Task
from core.errors import CoreError, WorkspaceError
from core.progress import TaskContext
from core.types import NAME_CHANGES, Policy, ReviewAct

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Answer, JudgedAnswer, StatedFact
    from core.workspace import Workspace


_OF_NAMES = {*NAME_CHANGES, "same", "different", "leave", "run"}
REST = 2_000  # milliseconds without a decision, before communities and reports follow
Write = Callable[["Workspace", TaskContext], Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Act:
    workspace: Workspace | None
    write: Write
    done: Callable[[Any], None]
    failed: Callable[[CoreError], object]
    in_place: bool


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What a decision would change, which only the one writer can try out."""

    work: Callable[[Workspace, TaskContext], Any]
    done: Callable[[Any], None]
    failed: Callable[[CoreError], None]


class Decisions(QObject):
    """Writes one after the other while the person goes on; what cannot be written is told and taken back.

    Signal: came(by) when something was decided, with who shows it.
    """

    came = Signal(object)
    _landed = Signal(object, object, object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._waiting: deque[_Act] = deque()
        self._workspace: Workspace | None = session.workspace  # to which the waiting ones belong
        self._looked: Look | None = None
        self._idle: Task | None = None  # what can be done later
        self._due = False  # graph, communities and reports are to follow
        self._rest = QTimer(self, interval=REST, singleShot=True)
        self._rest.timeout.connect(self.settle)
        self._landed.connect(self._on_landed, Qt.ConnectionType.QueuedConnection)
        session.tasks.busy_changed.connect(self._on_busy)
        session.workspace_opened.connect(self._on_opened)
        session.workspace_closed.connect(self._write_rest)

    def add(
        self,
        write: Write,
        done: Callable[[Any], None],
        failed: Callable[[CoreError], object],
        by: QObject,
        in_place: bool = False,
    ) -> None:
        """`done` gets what `write` gave, `failed` why it could not be written, which the session tells unless that is
        told `in_place`."""
        self._waiting.append(_Act(self._workspace, write, done, failed, in_place))
        self._let_go()  # communities can wait, a decision cannot
        self.came.emit(by)
        self._start()

    def turn(
        self,
        undo: bool,
        act_id: str,
        done: Callable[[ReviewAct | None], None],
        failed: Callable[[CoreError], object],
        by: QObject,
    ) -> None:
        """Undo an act of the log, or do it again; "": the last one. `done` gets the act or None."""

        def turned(act: ReviewAct | None) -> None:
            done(act)
            if act is not None and act.verb in _OF_NAMES:
                self.settle()  # who is who shows in the graph alone when that has followed

        def write(workspace: Workspace, _: TaskContext) -> ReviewAct | None:
            return (workspace.review.undo if undo else workspace.review.redo)(act_id)

        self.add(write, turned, failed, by)

    def look(self, wanted: Look | None) -> None:
        """Run `wanted` once nothing is being written, again after each decision; a newer look replaces it."""
        self._looked = wanted
        self._let_go()
        self._start()

    def _let_go(self) -> None:
        if self._idle is not None:
            self._idle.cancel()

    def _start(self) -> None:
        workspace, tasks = self._workspace, self._session.tasks
        if workspace is None or tasks.busy(KEEPING):
            return
        if self._waiting:
            tasks.start(KEEPING, partial(self._write, workspace))
        elif (look := self._looked) is not None:
            work = partial(look.work, workspace)
            done, failed = (
                partial(self._finish_look, look, look.done),
                partial(self._finish_look, look, look.failed),
            )
            self._idle = tasks.start(KEEPING, work, done, failed=failed, ended=self._idled)
        elif self._due and self._session.blocked:
            self._rest.start()
        elif self._due:
            self._due = False
            self._idle = tasks.start(KEEPING, workspace.review.settle, ended=self._settled)

    def _finish_look(self, look: Look, deliver: Callable[[Any], None], found: Any) -> None:
        if look is self._looked:
            self._looked = None
            deliver(found)

    def _write(self, workspace: Workspace, context: TaskContext) -> None:
        """Write the waiting acts, on another thread. Each lands by itself, even where a task replaces this one."""
        while self._waiting:
            act = self._waiting.popleft()
            result, error = None, None
            try:
                result = act.write(workspace, context)
            except BaseException as raised:
                error = raised
                if not isinstance(raised, CoreError):
                    raise  # a bug, which the window reports
            finally:
                if isValid(self):
                    self._landed.emit(act, result, error)

    def _on_landed(self, act: _Act, result: Any, error: BaseException | None) -> None:
        if act.workspace is not self._workspace:
            return
        if error is None:
            act.done(result)
            self._rest.start()
            return
        known = in_window(error) if isinstance(error, CoreError) else CoreError(tr("This could not be kept."))
        if isinstance(error, CoreError) and not act.in_place:  # anything else the window reports
            self._session.notify_error(known)
        act.failed(known)

    def _on_busy(self, group: str, busy: bool) -> None:
        if group == KEEPING and not busy:
            QTimer.singleShot(0, self, self._start)  # when that which ended has told what came of it

    def notify_written(self, by: QObject) -> None:
        """Announce that `by` has written a decision of its own: undo takes it back next."""
        self.came.emit(by)
        self.settle()

    def settle(self) -> None:
        """Bring graph, communities and reports up to date as soon as nothing is being written."""
        self._due = True
        self._start()

    def _settled(self) -> None:
        if self._idle is not None and self._idle.cancelled:
            self._rest.start()
        self._idled()

    def _idled(self) -> None:
        self._idle = None

    def _on_opened(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def _write_rest(self) -> None:
        """Write what still waits. The workspace closes after its tasks have ended, so no decision is lost."""
        workspace, self._workspace, self._looked, self._idle = self._workspace, None, None, None
        self._due = False
        if self._waiting and workspace is not None:
            self._session.tasks.start(KEEPING, partial(self._write, workspace))


class Proposals(QObject):
    """Whatever stands in the way is told nobody: nobody asked for it.

    Signal: proposed(Answer, how many of its facts wait now, which did not before).
    """

    proposed = Signal(object, int)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.wanted = True
        self._waiting: deque[tuple[Answer, list[StatedFact]]] = deque()
        session.answered.connect(self._read)
        session.judged.connect(self._on_judged)
        session.tasks.busy_changed.connect(self._on_busy)
        session.blocked_changed.connect(self._write)
        session.workspace_closed.connect(self._waiting.clear)

    def _on_judged(self, answer: Answer, judged: Sequence[JudgedAnswer]) -> None:
        """Propose the facts of a guess once a person has judged it right."""
        if answer.guess and any(one.right and one.answer == answer.text for one in judged):
            self._read(answer)

    def _read(self, answer: Answer) -> None:
        workspace = self._session.workspace
        if workspace is None or not self.wanted or self._session.shut:
            return

        def work(context: TaskContext) -> list[StatedFact]:
            return workspace.review.facts_in(answer, context)

        def done(facts: list[StatedFact]) -> None:
            if facts:
                self._waiting.append((answer, facts))
                self._write()

        self._tasks.start("read", work, done, failed=lambda _: None, lane=Lane.MODEL)

    def _on_busy(self, group: str, busy: bool) -> None:
        if group == KEEPING and not busy:
            QTimer.singleShot(0, self, self._write)  # when that which ended has told what came of it

    def _write(self) -> None:
        session, workspace = self._session, self._session.workspace
        if not self._waiting or workspace is None or session.blocked or session.tasks.busy(KEEPING):
            return
        answer, facts = self._waiting.popleft()
        session.tasks.start(
            KEEPING,
            lambda _: workspace.review.propose(answer.trace.question, facts),
            lambda ids: self.proposed.emit(answer, len(ids)) if ids else None,
            failed=lambda _: None,
        )


def policy_words(policy: Policy) -> str:
    """Return which facts count, as a sentence without its stop."""
    if policy.counts == "approved":
        return tr("Only approved facts count")
    if policy.counts == "sure":
        return tr("Sure facts count, from {bar}", bar=f"{policy.bar:.0%}")
    return tr("All facts count but the rejected")


class FactPolicy(QObject):
    """`now` is that of the open workspace, `wanted` one that is on its way to be. Signal: changed() of either."""

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.now, self._before = Policy(), Policy()
        self.wanted: Policy | None = None
        self._following = Following(
            self, session, lambda workspace, *_: workspace.review.policy, self._show, concerns=lambda _: False
        )
        session.tasks.busy_changed.connect(self._on_busy)
        session.workspace_closed.connect(self._forget)

    @property
    def tip(self) -> str:
        return tr("Questions, graph and reports rest on facts alone that somebody approved")

    @property
    def approved_only(self) -> bool:
        return (self.wanted or self.now).counts == "approved"

    def why_not(self) -> str:
        """Return why the policy cannot be changed now; "" where it can."""
        return self._session.blocked if self._session.workspace is not None else tr("No workspace is open.")

    def toggle(self) -> None:
        """Let only approved facts count, or go back to the policy before."""
        self.set(self._before if self.approved_only else Policy("approved", self.now.bar))

    def set(self, policy: Policy) -> None:
        """Change the policy as soon as no other change is being written."""
        if reason := self.why_not():
            self._session.notify_error(WorkspaceError(reason))
        elif policy != (self.wanted or self.now):
            self.wanted = policy
            self.changed.emit()
            self._start()

    def _start(self) -> None:
        workspace, wanted, tasks = self._session.workspace, self.wanted, self._session.tasks
        if workspace is None or wanted is None or tasks.busy(KEEPING):
            return
        work = partial(workspace.review.set_policy, wanted)
        ended = partial(self._end, wanted)
        tasks.start(KEEPING, work, lambda _: self._done(wanted), ended=ended)

    def _on_busy(self, group: str, busy: bool) -> None:
        if group == KEEPING and not busy:
            QTimer.singleShot(0, self, self._start)  # when that which ended has told what came of it

    def _done(self, policy: Policy) -> None:
        self._session.notify(tr("{policy}.", policy=policy_words(policy)))
        self._show(policy)

    def _show(self, policy: Policy) -> None:
        if policy.counts != "approved":
            self._before = policy
        self.now = policy
        self.changed.emit()

    def _end(self, policy: Policy) -> None:
        if self.wanted is policy:
            self._forget()

    def _forget(self) -> None:
        self.wanted = None
        self.changed.emit()
