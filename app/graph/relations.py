"""Expanding along a relation: the predicates of an entity, with their directions, and who stands at the other ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.graph.canvas.canvas import GraphCanvas
from app.graph.laid_card import LaidCard
from app.graph.whole import community_of
from app.look import theme
from app.look.painting import paint_text, smooth
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.row_button import RowButton
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import Relation

TASK = "relations"  # not shown
SHOWN = 60  # rows
_MANY = 10  # rows, from which on they can be filtered


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
        self.card = LaidCard(canvas, tr("Relations"))
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

        self._tasks.start(TASK, work, lambda found: self._show(*found))

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
        for relation in found[:SHOWN]:
            button = RelationRow(relation)
            button.clicked.connect(partial(self._choose, relation))
            rows.append(button)
        if len(found) > SHOWN:
            rows.append(
                PlainLabel(tr("and {count} more: type to find them", count=len(found) - SHOWN), "small")
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
            action = menu.addAction(theme.icon("git-fork"), button_words(words))
            action.triggered.connect(lambda: self.show_of(node))
