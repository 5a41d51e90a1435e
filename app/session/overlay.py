"""What anybody draws upon the graph: heat, a chain of facts, marks; one value, shared by all who show a graph.

session.overlay.draw(Overlay(heat={entity_id: 0.4}, title="Relevance (share of PageRank)"))
session.overlay.change(path=(one_id, other_id))  # the heat stays
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.look.translation import tr
from app.session.selection import Selected
from core.progress import TaskContext
from core.types import FactPath

if TYPE_CHECKING:
    from app.session.session import Session
    from core.types import Answer

_REST = 60  # ms; the mouse may only pass by
_UNMARKED = {"marks": (), "communities": (), "neighbours": False}


@dataclass(frozen=True, slots=True)
class ChainFact:
    """A fact between two entities of a path: told `forward`, or from the later of them to the earlier."""

    predicate: str
    forward: bool


@dataclass(frozen=True, slots=True)
class Overlay:
    """Entities are named by their ids; those that a graph does not draw are left out of it.

    Raises ValueError for a heat that is negative or no number.
    """

    # Entity -> at least 0, all in one unit, that of `title`. Colours are logarithmic, from the largest value down to
    # its 500th part; below that nothing is hot. A node that stands for several entities has their sum.
    heat: Mapping[str, float] = field(default_factory=dict)
    path: tuple[str, ...] = ()  # a chain of entities, each joined to the next; drawn only if all of them are
    marks: tuple[str, ...] = ()  # entities in front, in any order; the rest of the graph fades
    communities: tuple[int, ...] = ()  # likewise, by id; seen where they are single nodes
    neighbours: bool = False  # whether all that is joined to the marks comes to the front with them
    title: str = tr("Relevance")  # what the heat is, for its legend
    facts: tuple[ChainFact, ...] = ()  # between the entities of the path, or none of them
    reaches: str = ""  # what the path leads to, beside its last entity: "passage 3"

    def __post_init__(self) -> None:
        if not isinstance(self.heat, MappingProxyType):
            object.__setattr__(self, "heat", MappingProxyType(dict(self.heat)))
            wrong = {id: value for id, value in self.heat.items() if not 0.0 <= value < math.inf}
            if wrong:
                raise ValueError(f"Heat is a finite number from 0 on, not {wrong}.")


class SharedOverlay(QObject):
    """The overlay of a session. `changed` carries it."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current = Overlay()

    @property
    def current(self) -> Overlay:
        return self._current

    def draw(self, overlay: Overlay) -> None:
        """Draw this in place of what was drawn. Drawing the same again tells it again."""
        self._current = overlay
        self.changed.emit(overlay)

    def change(self, **parts: Any) -> None:
        """Draw other `parts`, named as in `Overlay`, and leave the rest."""
        self.draw(replace(self._current, **parts))


def heat_title(answer: Answer) -> str:
    """Return what the colours of the heat stand for."""
    if answer.trace.route.name == "global":
        return tr("Mentions (top name = 1)")
    return tr("By a walk (share of PageRank)") if spared(answer) else tr("Relevance (share of PageRank)")


def spared(answer: Answer) -> bool:
    """Return whether the graph was not asked, of itself: people want to see where it leads all the same."""
    trace = answer.trace
    return bool(trace.hits and not trace.heat and not trace.route.forced and trace.route.name != "global")


def path_to(chosen: Selected | None, answer: Answer | None) -> dict[str, Any]:
    """The chain from the question to a passage of the answer, by the fields of `Overlay`; empty where nothing leads.

    A passage that names an entity of the question has a chain of that entity alone. Where no passage is chosen, the
    path between the names that the question asks to relate.
    """
    none = {"path": (), "facts": (), "reaches": ""}
    if chosen is None or answer is None or chosen.kind not in ("passage", "citation"):
        return path_parts(answer.paths[0]) if answer is not None and answer.paths else none
    wanted = chosen.chain or chosen.id
    row = next((row for row in answer.evidence if row.passage.id == wanted), None)
    if row is None or row.why is None or not row.why.entity_ids:
        return none
    why, reaches = row.why, tr("passage {rank}", rank=row.hit.rank)
    ids = why.entity_ids if why.path else why.entity_ids[:1]
    parts = path_parts(FactPath(ids, why.path))
    return {**parts, "facts": parts["facts"] if len(why.path) == len(ids) - 1 else (), "reaches": reaches}


def path_parts(path: FactPath) -> dict[str, Any]:
    """Return what draws a path of facts, by the fields of `Overlay`."""
    facts = tuple(
        ChainFact(step.predicate, step.subject_id == before)
        for step, before in zip(path.steps, path.entity_ids, strict=False)
    )
    return {"path": path.entity_ids, "facts": facts, "reaches": ""}


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
        self._overlay.change(heat=answer.trace.heat, title=heat_title(answer), **path)
        trace, workspace = answer.trace, self._session.workspace
        self._session.tasks.drop("heat")
        if workspace is None or not spared(answer):
            return

        def work(context: TaskContext) -> dict[str, float]:
            return workspace.retrieval.heat(trace.question, context, trace.scope)

        def done(heat: dict[str, float]) -> None:
            self._overlay.change(heat=heat, title=heat_title(answer))

        self._session.tasks.start("heat", work, done)

    def _on_selection(self, selected: Selected | None) -> None:
        self._overlay.change(**path_to(selected, self._session.answer), **_UNMARKED)

    def _on_pointed(self, pointed: Selected | None) -> None:
        self._pointed = pointed
        self._timer.start()

    def _point(self) -> None:
        pointed, answer, workspace = self._pointed, self._session.answer, self._session.workspace
        path = path_to(pointed or self._session.selection.current, answer)
        self._session.tasks.drop("pointed")
        if pointed is None or workspace is None:
            self._overlay.change(**path, **_UNMARKED)
            return
        self._overlay.change(**path)
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
