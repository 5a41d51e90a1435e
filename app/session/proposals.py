"""Has facts that the sentences behind an answer tell wait in the review panel: never before the answer is shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.session.tasks import KEEPING, Lane
from core.progress import TaskContext

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Answer, JudgedAnswer, StatedFact


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
        """A guess that a person finds right is one no more."""
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
