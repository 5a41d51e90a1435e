"""Which facts count in the open workspace: by its policy, which the person sees and changes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.look.translation import tr
from app.session.changes import Following
from app.session.tasks import KEEPING
from core.errors import WorkspaceError
from core.types import Policy

if TYPE_CHECKING:
    from app.session.session import Session


def policy_words(policy: Policy) -> str:
    """Which facts count, as a sentence without its stop."""
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
        """Why it cannot be changed now; "" where it can."""
        return self._session.blocked if self._session.workspace is not None else tr("No workspace is open.")

    def toggle(self) -> None:
        """Only approved facts count, or those that counted before."""
        self.set(self._before if self.approved_only else Policy("approved", self.now.bar))

    def set(self, policy: Policy) -> None:
        """As soon as no other change is at work."""
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
