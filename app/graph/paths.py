"""The short paths between two entities: one after the other on the graph, each step with the sentence that tells it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.answers.steps import StepButton
from app.graph.canvas.canvas import GraphCanvas
from app.graph.laid_card import LaidCard
from app.graph.whole import community_of
from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr, trn
from app.session import operations
from app.session.about import ask_about
from app.session.overlay import ChainFact, Overlay
from app.session.session import Session
from app.widgets.accessible import announce
from app.widgets.buttons import tool_button
from app.widgets.result_box import ResultBox
from core.progress import TaskContext
from core.types import FactPath, FactPaths, PathStep, Scope

TASK = "paths"  # not shown
MOST, LONGEST = 30, 5  # paths, and facts of one
_MATCHES = 8
_DRAWN = {"path": (), "facts": (), "reaches": ""}


@dataclass(frozen=True, slots=True)
class _Entity:
    """A line of the list below the field."""

    id: str
    title: str
    kind: str = "entity"
    detail: str = ""


class GraphPaths(QObject):
    """The card of the paths. While it is open its path stays on the graph, whatever else is selected."""

    drawn = Signal(object)  # ids of the entities of the path that is shown

    def __init__(
        self,
        session: Session,
        canvas: GraphCanvas,
        name: Callable[[str], str],
        find: Callable[[str], list[str]],
    ) -> None:
        super().__init__(canvas)
        self._session, self._canvas, self._name, self._find = session, canvas, name, find
        self._tasks = session.tasks.owned_by(self)
        self.one, self.other = "", ""
        self.card = LaidCard(canvas, tr("Paths"))
        self.before = tool_button("caret-left", "", partial(self.step, -1), role="text")
        self.after = tool_button("caret-right", "", partial(self.step, 1), role="text")
        self.ask = tool_button("chat-circle-dots", tr("Ask about this path"), self._ask_about, role="text")
        for button in (self.before, self.after, self.ask):
            self.card.add_button(button)
        self.field = ResultBox()
        self.field.setPlaceholderText(tr("To which entity?"))
        self.field.setAccessibleName(tr("The entity at the other end"))
        self.field.wanted.connect(self._look_up)
        self.field.chosen.connect(lambda match: self.between(self.one, match.id))
        self.field.given_up.connect(self.card.close_card)
        self.card.add_above(self.field)
        self.card.closed.connect(self._let_go)
        self.paths: tuple[FactPath, ...] = ()
        self.at = self.fact = -1  # which path, and which fact of it was opened last
        self._more = False
        # Queued: whoever else hears of what was drawn hears of the path after it.
        session.overlay.changed.connect(self._keep, Qt.ConnectionType.QueuedConnection)
        session.answered.connect(self._on_answered)
        session.workspace_closed.connect(self.card.close_card)

    def _on_answered(self, _: object) -> None:
        self.card.close_card()

    @property
    def shown(self) -> FactPath | None:
        return self.paths[self.at] if 0 <= self.at < len(self.paths) else None

    # ------------------------------------------------------------ from where to where

    def why_not(self) -> str:
        """Why there is nothing to begin with; "" where there is."""
        if self._ends():
            return ""
        return tr("Select an entity first, or choose two of them: Ctrl+click, or a loop drawn with Ctrl.")

    def _ends(self) -> tuple[str, ...]:
        """Two entities, or the one from which paths begin."""
        current = self._session.selection.current
        selected = (current.id,) if current is not None and current.kind == "entity" else ()
        chosen = self._session.chosen.current
        if len(chosen) == 2:
            return chosen
        return tuple(dict.fromkeys((*selected, *chosen))) if len(chosen) < 2 else selected

    def begin(self) -> None:
        """Between the two that are chosen, or from the selected one to another that is asked for."""
        self.begin_with(self._ends())

    def begin_with(self, ends: Sequence[str]) -> None:
        if len(ends) == 2:
            self.between(*ends)
        elif ends:
            self._ask(ends[0])

    def _ask(self, one: str) -> None:
        self._clear()
        self.one = one
        self.card.title.setText(tr("Paths from {name}", name=self._name(one)))
        self.card.line.setText(tr("Type the name of another entity."))
        self.field.clear()
        self.field.show()
        self._say_buttons()
        self.card.fill([])
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look_up(self, text: str) -> None:
        found = [id for id in self._find(text) if community_of(id) is None and id != self.one]
        self.field.show_results(text, [_Entity(id, self._name(id)) for id in found[:_MATCHES]])

    def between(self, one: str, other: str) -> None:
        """Look for the paths, off this thread."""
        workspace = self._session.workspace
        if workspace is None or not one or one == other:
            return
        self._clear()
        self.one, self.other = one, other
        names = tr("{one} to {other}", one=self._name(one), other=self._name(other))
        self.card.title.setText(names)
        self.card.line.setText(tr("Looking for paths..."))
        self.field.close_results()
        self.field.hide()
        self._say_buttons()
        self.card.fill([])
        self.card.setFocus(Qt.FocusReason.OtherFocusReason)

        def work(context: TaskContext) -> FactPaths:
            return workspace.graph.paths_between(one, other, MOST, LONGEST, context)

        self._tasks.start(TASK, work, self._show)

    # ------------------------------------------------------------ one after the other

    def _show(self, found: FactPaths) -> None:
        self.paths, self._more = found.paths, found.more
        if not self.paths:
            self.card.line.setText(tr("No path joins them, of at most {count} steps.", count=LONGEST))
            return
        self._go_to(0)

    def step(self, by: int) -> None:
        """To the next path, or the one before."""
        if self.paths:
            self._go_to((self.at + by) % len(self.paths))

    def step_facts(self, by: int) -> None:
        """Open the sentence of the next fact of the path, or of the one before."""
        if (path := self.shown) is not None:
            self.open_fact(
                (self.fact + by) % len(path.steps) if self.fact >= 0 or by > 0 else len(path.steps) - 1
            )

    def _go_to(self, at: int) -> None:
        self.at, self.fact = at, -1
        path = self.paths[at]
        known = trn("{count} path", "{count} paths", len(self.paths))
        all_ = tr("the first {paths}", paths=known) if self._more else known
        facts = trn("{count} fact", "{count} facts", len(path.steps))
        words = tr("Path {number} of {all}, {facts}", number=at + 1, all=all_, facts=facts)
        self.card.line.setText(words)
        rows: list[QWidget] = []
        for number, step in enumerate(path.steps):
            button = StepButton(number + 1, step)
            button.clicked.connect(partial(self.open_fact, number))
            rows.append(button)
        had_focus = self._holds_keys()
        self.card.fill(rows)
        self._say_buttons()
        if had_focus:
            rows[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self._draw()
        self.drawn.emit(path.entity_ids)
        announce(self._canvas, words)

    def _holds_keys(self) -> bool:
        focus = QApplication.focusWidget()
        return focus is not None and (focus is self.card or self.card.isAncestorOf(focus))

    def _say_buttons(self) -> None:
        for button in (self.before, self.after):
            button.setVisible(len(self.paths) > 1)
        self.ask.setVisible(self.shown is not None)

    def _ask_about(self) -> None:
        if (path := self.shown) is not None:
            ask_about(self._session, Scope(entities=path.entity_ids), path=True)

    def open_fact(self, at: int, _: bool = False) -> None:
        """The sentence that tells a fact of the path."""
        if (path := self.shown) is None:
            return
        self.fact, step = at, path.steps[at]
        for number, button in enumerate(self.card.buttons()):
            if isinstance(button, StepButton):
                button.set_current(number == at)
                if number == at and self._holds_keys():
                    button.setFocus(Qt.FocusReason.OtherFocusReason)
        _open(self._session, step)

    # ------------------------------------------------------------ on the graph

    def _draw(self) -> None:
        if (path := self.shown) is not None:
            facts = tuple(
                ChainFact(step.predicate, step.subject_id == before)
                for step, before in zip(path.steps, path.entity_ids, strict=False)
            )
            self._session.overlay.change(path=path.entity_ids, facts=facts, reaches="")

    def _keep(self, _: Overlay) -> None:
        """What somebody else drew in its place has ended."""
        if not self._session.overlay.current.path and self.shown is not None and not self.card.isHidden():
            self._draw()

    def _let_go(self) -> None:
        drawn = self.shown is not None and self._session.overlay.current.path == self.shown.entity_ids
        self._clear()
        if drawn:
            self._session.overlay.change(**_DRAWN)

    def _clear(self) -> None:
        self._tasks.drop(TASK)
        self.paths, self.at, self.fact, self._more = (), -1, -1, False

    def add_to_menu(self, menu: QMenu, node: str, _: QPoint) -> None:
        """What can be done with an entity of the graph."""
        if not node or community_of(node) is not None:
            return
        current = self._session.selection.current
        other = current.id if current is not None and current.kind == "entity" and current.id != node else ""
        words = tr("Paths from here...")
        if other:
            words = tr("Paths from {name} to here", name=self._name(other)[:40])
        action = menu.addAction(theme.icon("path"), button_words(words))
        action.triggered.connect(lambda: self.begin_with((other, node) if other else (node,)))


def _open(session: Session, step: PathStep) -> None:
    operations.select_place(session, step.passage_id, step.start, step.end)
