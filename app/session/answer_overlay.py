"""What the last answer draws upon the graph: its heat, and the facts and names behind a passage of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.look.translation import tr
from app.session.overlay import Overlay
from app.session.selection import Selected
from core.progress import TaskContext

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Answer

_REST = 60  # ms; the mouse may only pass by
_UNMARKED = {"marks": (), "communities": (), "neighbours": False}


def heat_title(answer: Answer) -> str:
    """What the colours of the heat stand for."""
    of_all = answer.trace.route.name == "global"
    return tr("Mentions (top name = 1)") if of_all else tr("Relevance (share of PageRank)")


def path_to(chosen: Selected | None, answer: Answer | None) -> tuple[str, ...]:
    """Entity ids from the question to a passage of the answer; () when no facts lead there."""
    if chosen is None or answer is None or chosen.kind not in ("passage", "citation"):
        return ()
    whys = (row.why for row in answer.evidence if row.passage.id == chosen.id)
    return next((why.entity_ids for why in whys if why is not None and why.path), ())


class AnswerOverlay(QObject):
    """Follows answers, the selection, and what the mouse points at elsewhere."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session, self._overlay = session, session.overlay
        self._pointed: Selected | None = None
        self._timer = QTimer(self, interval=_REST, singleShot=True)
        self._timer.timeout.connect(self._point)
        session.answered.connect(self._on_answer)
        session.selection.changed.connect(self._on_selection)
        session.pointed_at.connect(self._on_pointed)
        session.workspace_closed.connect(lambda: self._overlay.draw(Overlay()))

    def _on_answer(self, answer: Answer) -> None:
        path = path_to(self._session.selection.current, answer)
        self._overlay.change(heat=answer.trace.heat, title=heat_title(answer), path=path)

    def _on_selection(self, selected: Selected | None) -> None:
        self._overlay.change(path=path_to(selected, self._session.answer), **_UNMARKED)

    def _on_pointed(self, pointed: Selected | None) -> None:
        self._pointed = pointed
        self._timer.start()

    def _point(self) -> None:
        pointed, answer, workspace = self._pointed, self._session.answer, self._session.workspace
        path = path_to(pointed or self._session.selection.current, answer)
        self._session.tasks.drop("pointed")
        if pointed is None or workspace is None:
            self._overlay.change(path=path, **_UNMARKED)
            return
        self._overlay.change(path=path)
        if pointed.kind == "entity":
            self._overlay.change(marks=(pointed.id,), neighbours=True)
        elif pointed.document_id:
            seeds = [seed.entity_id for seed in answer.trace.seeds] if answer else []

            def work(_: TaskContext) -> tuple[str, ...]:
                mentions = workspace.documents.mentions(pointed.document_id)
                named = [mention.entity_id for mention in mentions if mention.passage_id == pointed.id]
                return tuple(dict.fromkeys([*named, *seeds]))

            self._session.tasks.start("pointed", work, self._mark)

    def _mark(self, entities: tuple[str, ...]) -> None:
        self._overlay.change(marks=entities, neighbours=False)
