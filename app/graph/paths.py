"""What a person follows from an entity: a relation to all at its other end, or the short paths to another entity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QMenu, QScrollArea, QSizePolicy, QWidget

from app.answers.text_objects import StepButton
from app.graph.canvas.canvas import GraphCanvas
from app.graph.drawing import community_of
from app.graph.node_actions import add_action
from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.session import operations
from app.session.overlay import Overlay, path_parts
from app.session.scope import ask_about
from app.session.session import Session
from app.widgets.accessible import announce
from app.widgets.buttons import RowButton, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import Part, clear, column, row
from app.widgets.result_box import ResultBox
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import FactPath, FactPaths, PathStep, Relation, Scope

_WIDE, _HIGH = 330, 300  # pixels at 100 %
RELATIONS_TASK = "relations"  # not shown
MOST_ROWS = 60  # rows
_MANY = 10  # rows, from which on they can be filtered
PATHS_TASK = "paths"  # not shown
MOST, LONGEST = 30, 5  # paths, and facts of one
_MATCHES = 8
_DRAWN = {"path": (), "facts": (), "reaches": ""}


class CanvasCard(QFrame):
    """Up and Down go through its rows, Esc closes it."""

    closed = Signal()

    def __init__(self, canvas: GraphCanvas, name: str) -> None:
        super().__init__()
        self._canvas = canvas
        self.setAccessibleName(name)
        self.title, self.line = ElidedLabel(kind="section", end=True), ElidedLabel(kind="small", end=True)
        self._top = row(spacing=2)
        self._close = tool_button("x", tr("Close (Esc)"), self.close_card)
        self._close.setAccessibleName(tr("Close"))
        self._inside = QWidget()
        self.rows = column(spacing=0, on=self._inside)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setWidget(self._inside)
        self._area.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        head = column(self.title, self.line, spacing=0)
        self._parts = column(
            row((head, 1), self._top, self._close, spacing=4), spacing=4, margins=(10, 6, 6, 8), on=self
        )
        self._parts.addWidget(self._area, 1)
        canvas.lay(self)

    def add_above(self, part: Part) -> None:
        """Add a field between the title and the rows."""
        assert isinstance(part, QWidget)
        self._parts.insertWidget(1, part)

    def add_button(self, button: QWidget) -> None:
        """Add a button next to the one that closes."""
        self._top.addWidget(button)

    def buttons(self) -> list[QAbstractButton]:
        """Return the rows from the top."""
        items = (self.rows.itemAt(at) for at in range(self.rows.count()))
        found = (item.widget() for item in items if item is not None)
        return [part for part in found if isinstance(part, QAbstractButton)]

    def fill(self, parts: list[QWidget]) -> None:
        """Replace the rows."""
        clear(self.rows)
        for part in parts:
            self.rows.addWidget(part)
        self._area.setVisible(bool(parts))
        self._area.verticalScrollBar().setValue(0)
        self.show()
        self.place()

    def place(self) -> None:
        self.raise_()
        self._canvas.arrange()

    def close_card(self) -> None:
        if not self.isHidden():
            focus = QApplication.focusWidget()
            inside = focus is not None and (focus is self or self.isAncestorOf(focus))
            self.hide()
            self._canvas.arrange()
            if inside:
                self._canvas.setFocus()
            self.closed.emit()

    def sizeHint(self) -> QSize:
        tall = self._inside.sizeHint().height() + 2 if not self._area.isHidden() else 0
        margins = self._parts.contentsMargins()
        parts = (self._parts.itemAt(at) for at in range(self._parts.count() - 1))
        heights = [part.sizeHint().height() for part in parts if part is not None and not part.isEmpty()]
        above = sum(heights) + self._parts.spacing() * len(heights)
        high = margins.top() + margins.bottom() + above + tall
        return QSize(theme.px(_WIDE), min(high, theme.px(_HIGH)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        elif step and (buttons := self.buttons()):
            focused = [at for at, button in enumerate(buttons) if button.hasFocus()]
            at = min(max(focused[0] + step, 0), len(buttons) - 1) if focused else 0
            buttons[at].setFocus(Qt.FocusReason.TabFocusReason)
            self._area.ensureWidgetVisible(buttons[at], 0, 0)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        rounded(smooth(self), self.rect(), "border", "surface")


class RelationRow(RowButton):
    """`owns →   3`, or `← owned by   2` for facts that lead to the entity."""

    def __init__(self, relation: Relation) -> None:
        super().__init__()
        self.relation = relation
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        facts = trn("{count} fact", "{count} facts", relation.facts)
        direction = tr("to others") if relation.forward else tr("from others")
        name = escape_controls(" ".join(relation.predicate.split()))
        self.words = tr("{predicate}, {direction}, {facts}", predicate=name, direction=direction, facts=facts)
        self.setAccessibleName(self.words)
        set_tip(self, tr("{relation}\nPress to see who stands at the other end.", relation=self.words))
        theme.follow(self, self.updateGeometry)

    def text(self) -> str:
        return self.words

    def sizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(24))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        super().paintEvent(event)
        painter, right = smooth(self), Qt.AlignmentFlag.AlignRight
        box = QRectF(self.rect()).adjusted(8, 0, -8, 0)
        number = paint_text(painter, box, str(self.relation.facts), "muted", theme.SMALL, place=right)
        arrow = tr("→") if self.relation.forward else tr("←")
        sign = QRectF(box.left(), box.top(), theme.px(18), box.height())
        paint_text(painter, sign, arrow, "accent", weight=QFont.Weight.DemiBold)
        text_box = box.adjusted(theme.px(22), 0, -number - 8, 0)
        paint_text(painter, text_box, escape_controls(" ".join(self.relation.predicate.split())))


class GraphRelations(QObject):
    """The card of an entity's relations. `along` carries the entity and the ids at the other ends of the chosen one."""

    along = Signal(str, object)

    def __init__(self, session: Session, canvas: GraphCanvas, name: Callable[[str], str]) -> None:
        super().__init__(canvas)
        self._session, self._name = session, name
        self._tasks = session.tasks.owned_by(self)
        self.card = CanvasCard(canvas, tr("Relations"))
        self.field = line_edit(tr("Filter the relations"), clear=True)
        self.field.textChanged.connect(self._fill)
        self.card.add_above(self.field)
        self.entity = ""
        self._found: tuple[Relation, ...] = ()
        session.workspace_closed.connect(self.card.close_card)

    def show_of(self, entity: str) -> None:
        """Read the relations of an entity, by the id of any of its names, and show them."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> tuple[str, str, list[Relation]]:
            found = workspace.graph.entity(entity)
            return found.id, found.name, workspace.graph.relations_of(found.id)

        self._tasks.start(RELATIONS_TASK, work, lambda found: self._show(*found))

    def show_selected(self) -> None:
        current = self._session.selection.current
        if current is not None and current.kind == "entity":
            self.show_of(current.id)

    def _show(self, entity: str, name: str, relations: list[Relation]) -> None:
        self.entity, self._found = entity, tuple(relations)
        self.card.title.setText(tr("Along a relation of {name}", name=name))
        self.field.blockSignals(True)
        self.field.clear()
        self.field.blockSignals(False)
        self.field.setVisible(len(relations) > _MANY)
        self._fill()
        rows = self.card.buttons()
        target: QWidget = rows[0] if rows else self.card
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill(self) -> None:
        needle = self.field.text().strip().casefold()
        found = [each for each in self._found if needle in each.predicate.casefold()]
        rows: list[QWidget] = []
        for relation in found[:MOST_ROWS]:
            button = RelationRow(relation)
            button.clicked.connect(partial(self._choose, relation))
            rows.append(button)
        if len(found) > MOST_ROWS:
            rows.append(
                PlainLabel(tr("and {count} more: type to find them", count=len(found) - MOST_ROWS), "small")
            )
        summary = trn("{count} relation", "{count} relations", len(found))
        self.card.line.setText(summary if self._found else tr("No fact ties it to another entity."))
        self.card.fill(rows)

    def _choose(self, relation: Relation, _: bool = False) -> None:
        entity = self.entity
        self.card.close_card()
        self.along.emit(entity, relation.entity_ids)

    def add_to_menu(self, menu: QMenu, node: str, _: QPoint) -> None:
        """What can be done with an entity of the graph."""
        if node and community_of(node) is None:
            words = tr("Expand along a relation of {name}...", name=self._name(node)[:40])
            add_action(menu, button_words(words), lambda: self.show_of(node), "git-fork")


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
        self.one = ""
        self.card = CanvasCard(canvas, tr("Paths"))
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
        self.field.cancelled.connect(self.card.close_card)
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
    def current(self) -> FactPath | None:
        return self.paths[self.at] if 0 <= self.at < len(self.paths) else None

    # ------------------------------------------------------------ from where to where

    def why_not(self) -> str:
        """Return why there is nothing to begin with; "" where there is."""
        if self._ends():
            return ""
        return tr("Select an entity first, or choose two of them: Ctrl+click, or a loop drawn with Ctrl.")

    def _ends(self) -> tuple[str, ...]:
        """Return two entities, or the one from which paths begin."""
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
        """Search for the paths, off the window's thread."""
        workspace = self._session.workspace
        if workspace is None or not one or one == other:
            return
        self._clear()
        self.one = one
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

        self._tasks.start(PATHS_TASK, work, self._show)

    # ------------------------------------------------------------ one after the other

    def _show(self, found: FactPaths) -> None:
        self.paths, self._more = found.paths, found.more
        if not self.paths:
            self.card.line.setText(tr("No path joins them, of at most {count} steps.", count=LONGEST))
            return
        self._go_to(0)

    def step(self, by: int) -> None:
        """Go to the next path, or the one before."""
        if self.paths:
            self._go_to((self.at + by) % len(self.paths))

    def step_facts(self, by: int) -> None:
        """Open the sentence of the next fact of the path, or of the one before."""
        if (path := self.current) is not None:
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
        self.ask.setVisible(self.current is not None)

    def _ask_about(self) -> None:
        if (path := self.current) is not None:
            ask_about(self._session, Scope(entities=path.entity_ids), path=True)

    def open_fact(self, at: int, _: bool = False) -> None:
        """Open the sentence of a fact of the path."""
        if (path := self.current) is None:
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
        if (path := self.current) is not None:
            self._session.overlay.change(**path_parts(path))

    def _keep(self, _: Overlay) -> None:
        """What somebody else drew in its place has ended."""
        if not self._session.overlay.current.path and self.current is not None and not self.card.isHidden():
            self._draw()

    def _let_go(self) -> None:
        drawn = self.current is not None and self._session.overlay.current.path == self.current.entity_ids
        self._clear()
        if drawn:
            self._session.overlay.change(**_DRAWN)

    def _clear(self) -> None:
        self._tasks.drop(PATHS_TASK)
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
        ends = (other, node) if other else (node,)
        add_action(menu, button_words(words), lambda: self.begin_with(ends), "path")


def _open(session: Session, step: PathStep) -> None:
    operations.select_place(session, step.passage_id, step.start, step.end)
