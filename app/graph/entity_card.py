"""The card of one entity upon the graph: names, facts and passages, loaded off the window's thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.controls import LOW
from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr, trn
from app.session import operations
from app.session.scope import ask_about
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.buttons import PaintedButton, block, push_button, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import LEFT, TOP, clear, column, flow, row
from core.errors import CoreError
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import (
    EDGE_KINDS,
    EDGES_CALLED,
    Changed,
    DerivedEdge,
    EdgeSource,
    Entity,
    Fact,
    NameChange,
    NameMerge,
    Passage,
    Scope,
    kind_words,
)
from core.types.edges import BEFORE

FACTS, PASSAGES, EDGES = 12, 6, 6  # rows shown; edges of each kind
_ACROSS, _DOWN, _UP = (
    QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.BottomToTop
)  # fmt: skip
CARD_TASK, _EDGES_TASK = "entity card", "edges of the entity card"  # not shown


@dataclass(frozen=True, slots=True)
class OtherName:
    """A name that belongs to an entity of another name, and why."""

    id: str
    name: str
    reason: str


def other_names(entity: Entity, merges: Sequence[NameMerge]) -> list[OtherName]:
    """Return each other name once, the surest first, with the reason that ties it to the entity.

    A name that hangs on another of its names says on which.
    """
    direct: dict[str, OtherName] = {}
    behind: dict[str, OtherName] = {}
    for merge in merges:
        ends = ((merge.one_id, merge.one, merge.other), (merge.other_id, merge.other, merge.one))
        own = entity.id in (merge.one_id, merge.other_id)
        for id, name, partner in ends:
            as_partner = tr("as {name}: {reason}", name=partner, reason=merge.reason)
            if own and id != entity.id:
                direct.setdefault(id, OtherName(id, name, merge.reason))
            elif not own:
                behind.setdefault(id, OtherName(id, name, as_partner))
    return [*direct.values(), *(found for id, found in behind.items() if id not in direct)]


class EntityNames(QWidget):
    """A part of the entity's card."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._entity: Entity | None = None
        self._others: list[OtherName] = []
        self.labels: list[PlainLabel] = []
        self.apart: list[QPushButton] = []  # one for each label
        self.acts: list[QPushButton] = []
        self._rows, acts = column(spacing=theme.GRID), QWidget()
        self._buttons = flow(acts)
        for id, words in (
            ("rename", tr("Rename")), ("retype", tr("Kind")), ("alias", tr("Other name")),
            ("merge", tr("Merge")), ("split", tr("Split")),
        ):  # fmt: skip
            self._offer(f"entity.{id}", words)
        column(self._rows, acts, spacing=theme.GRID, margins=(8, theme.GRID), on=self)
        session.blocked_changed.connect(self._show_blocked)

    def _offer(self, id: str, words: str) -> None:
        button = push_button(words, lambda: self._session.commands.run(id), kind="link", name=id)
        self.acts.append(button)
        self._buttons.addWidget(button)

    def show_names(self, entity: Entity, merges: Sequence[NameMerge]) -> None:
        self._entity, self._others = entity, other_names(entity, merges)
        clear(self._rows)
        self.labels, self.apart = [], []
        for other in self._others:
            self._add(other)
        self._show_blocked()

    def fit(self, width: int) -> int:
        """Take the height that the names need at a width; returns it."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        height = (
            layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height()
        )
        self.setFixedHeight(height)
        return height

    def _add(self, other: OtherName) -> None:
        row = QWidget()
        words = tr("Also: {name} ({reason})", name=other.name, reason=other.reason)
        label = PlainLabel(words, wrap=True, selectable=True)
        # A name of one long word is cut off rather than making the card's inside wider than the card.
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        label.setSizePolicy(policy)
        button = push_button(tr("Keep apart"), partial(self._keep_apart, other), kind="link")
        button.setAccessibleName(tr("Keep {name} apart", name=other.name))
        column(label, (button, LEFT), spacing=0, on=row)
        self._rows.addWidget(row)
        row.show()  # at once: what is hidden has no height
        QWidget.setTabOrder(self.apart[-1] if self.apart else self, button)
        self.labels.append(label)
        self.apart.append(button)

    def _keep_apart(self, other: OtherName) -> None:
        if self._entity is not None:
            self._session.name_change_wanted.emit(NameChange("part", (self._entity.id, other.id)))

    def _show_blocked(self) -> None:
        """Enable the actions and say what they do, or say why they are off."""
        reason, commands = self._session.blocked, self._session.commands
        for button, other in zip(self.apart, self._others, strict=True):
            says = tr("Shows what changes when “{name}” is an entity of its own again", name=other.name)
            block(button, reason, says)
        for button in self.acts:
            known = button.objectName() in commands
            button.setVisible(known)
            if known:
                block(button, reason, commands.tip(button.objectName()))
                button.setAccessibleName(commands[button.objectName()].name.rstrip("."))


@dataclass(frozen=True, slots=True)
class EntityDetails:
    """All that the card shows."""

    entity: Entity
    facts: tuple[Fact, ...]
    passages: tuple[Passage, ...]
    merges: tuple[NameMerge, ...] = ()  # pairs of its names, the surest first
    community: tuple[int, str] | None = None  # id and title of the finest one that holds it
    unasserted: tuple[Fact, ...] = ()  # what the documents deny, suppose, plan or report
    definition: EdgeSource | None = None


class _Line(PaintedButton):
    """Two lines of plain text that can be pressed: what is said, and where it comes from."""

    def __init__(self, text: str, detail: str, tip: str) -> None:
        super().__init__()
        self.words = text  # not `text`: Qt would make shortcuts of its ampersands
        self._detail = escape_controls(detail)
        self._fitted = (0, 0)  # the width for which it has its height, and the size of text
        self.setAccessibleName(f"{text}. {self._detail}")
        self.setAccessibleDescription(tip)

    def fit(self, width: int) -> int:
        """Take the height that the text needs at a width; returns it."""
        if self._fitted != (width, theme.text_size()):
            self._fitted = (width, theme.text_size())
            flags = int(Qt.TextFlag.TextWordWrap)
            words = QFontMetrics(theme.font()).boundingRect(0, 0, width - 16, 400, flags, self.words)
            self.setFixedHeight(words.height() + QFontMetrics(theme.font(theme.SMALL)).height() + 12)
        return self.height()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = smooth(self)
        if self.underMouse() or self.hasFocus() or self.isDown():
            rounded(painter, self.rect(), "accent" if self.hasFocus() else "", "accent_soft", 4)
        box = self.rect().adjusted(8, 4, -8, -4)
        painter.setFont(theme.font())
        painter.setPen(theme.current().color("text"))
        painter.drawText(box, int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop), self.words)
        paint_text(painter, box, self._detail, "muted", theme.SMALL, place=Qt.AlignmentFlag.AlignBottom)


class EntityCard(QFrame):
    """Lies upon the graph. Signals say what the person wants to see."""

    fact_wanted = Signal(object)  # Fact
    passage_wanted = Signal(object)  # Passage
    source_wanted = Signal(object)  # EdgeSource
    expand_wanted = Signal(str)  # entity id
    community_wanted = Signal(int)  # community id
    ask_wanted = Signal(str)  # entity id, to ask about it
    closed = Signal()

    def __init__(self, parent: QWidget, names: EntityNames) -> None:
        super().__init__(parent)
        self._canvas = parent
        self.names = names
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName(tr("Entity"))
        self.entity_id = ""
        self.name, self.kind = PlainLabel(kind="heading", wrap=True), PlainLabel(kind="muted", wrap=True)
        self.expand = push_button(
            tr("Show the neighbourhood"), lambda: self.expand_wanted.emit(self.entity_id), kind="quiet"
        )
        self.expand.setIcon(theme.icon("share-network", "accent"))
        self.along = push_button(tr("Relations..."), kind="quiet")
        self.along.setIcon(theme.icon("git-fork", "accent"))
        self.community = push_button("", self._want_community, kind="quiet")
        self.community.setIcon(theme.icon("circles-three", "accent"))
        self._home: tuple[int, str] | None = None
        self._inside = QWidget()
        self._rows = column(spacing=0)
        self._order = column(names, self._rows, spacing=0, on=self._inside)
        self._area = QScrollArea(widgetResizable=True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidget(self._inside)
        self._area.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)  # setWidget turned it on: the card shines through
        self._foot = column((self.community, LEFT), (self.expand, LEFT), (self.along, LEFT), spacing=0)
        column(self._top(), (self._area, 1), self._foot, spacing=4, margins=(4, 12, 8, 8), on=self)
        self.lines: list[_Line] = []
        self._headings = 0
        self.hide()

    def _top(self) -> QHBoxLayout:
        """Return the row with name and kind, and the button that closes."""
        close = tool_button("x", tr("Close the card (Esc)"), self.closed)
        close.setAccessibleName(tr("Close the card"))
        self.ask = tool_button(
            "chat-circle-dots", tr("Ask about this"), lambda: self.ask_wanted.emit(self.entity_id)
        )
        titles = column(self.name, self.kind, spacing=0)
        # Lines and names keep 8 free for their frame: so their words stand under the title's.
        return row((titles, 1), (self.ask, TOP), (close, TOP), spacing=4, margins=(8, 0, 0, 0))

    def show_details(self, details: EntityDetails, drawn: bool) -> None:
        """Fill and show the card. drawn: whether the entity is in the drawn graph."""
        entity = details.entity
        self.entity_id = entity.id
        self.name.setText(entity.name)
        kind, count = kind_words(entity.label), entity.passages
        words = trn("{kind}, in {count} passage", "{kind}, in {count} passages", count, kind=kind)
        self.kind.setText(words if drawn else tr("{words}; not on the map as drawn", words=words))
        self.expand.setVisible(drawn or bool(details.facts))
        self.along.setVisible(bool(details.facts))
        self._home = details.community
        self.community.setVisible(self._home is not None)
        self.names.show_names(entity, details.merges)
        self._empty()
        if (defined := details.definition) is not None:
            self._heading(tr("Definition"))
            line = _Line(escape_controls(defined.words), defined.document, tr("Opens the sentence"))
            line.clicked.connect(lambda _=False: self.source_wanted.emit(defined))
            self._add(line)
        self._show_facts(tr("Strongest facts"), details.facts)
        self._show_facts(tr("Not stated as facts"), details.unasserted)
        if details.passages:
            self._heading(tr("Passages"))
        for passage in details.passages[:PASSAGES]:
            where = passage.title
            if passage.page:
                where = tr("{title}, page {page}", title=passage.title, page=str(passage.page))
            line = _Line(where, " ".join(passage.text[:160].split()), tr("Opens the passage"))
            line.clicked.connect(lambda _=False, passage=passage: self.passage_wanted.emit(passage))
            self._add(line)
        self._rows.addStretch(1)
        self._area.verticalScrollBar().setValue(0)
        self.show()
        self.raise_()
        self.place()

    def _show_facts(self, heading: str, facts: Sequence[Fact]) -> None:
        if facts:
            self._heading(heading)
        for fact in facts[:FACTS]:
            words = f"{fact.subject} {fact.put_predicate} {fact.object}"
            line = _Line(words, _rests(fact), tr("Opens its evidence"))
            if fact.description:
                set_tip(
                    line,
                    tr("{description}\nOpens its evidence", description=escape_controls(fact.description)),
                )
            line.clicked.connect(lambda _=False, fact=fact: self.fact_wanted.emit(fact))
            self._add(line)

    def show_edges(self, edges: Sequence[DerivedEdge]) -> None:
        """Add what follows from facts and references, below what is shown."""
        self._rows.takeAt(self._rows.count() - 1)  # the stretch
        for kind in EDGE_KINDS:
            own = [edge for edge in edges if edge.kind == kind]
            if own:
                self._heading(tr("Follows: {kind}", kind=tr(EDGES_CALLED[kind])))
            for edge in own[:EDGES]:
                line = _Line(*edge_lines(edge), tr("Opens the sentence that it follows from"))
                line.setEnabled(bool(edge.sources))
                line.clicked.connect(lambda _=False, edge=edge: self.source_wanted.emit(edge.sources[0]))
                self._add(line)
                line.show()
        self._rows.addStretch(1)
        self.place()

    def place(self) -> None:
        """Move it to the right edge of the parent, under its buttons, as high as needed and possible."""
        room = self._canvas.size()
        low = room.height() < theme.px(LOW)  # then it is wider, and begins where the buttons were
        widest = min(theme.px(420), room.width() // 2) if low else min(theme.px(300), room.width() // 3)
        width = min(max(theme.px(240), widest - theme.WITHIN), room.width() - 24)
        is_wide = low and width >= theme.px(360)
        self._foot.setDirection(_ACROSS if is_wide else _DOWN)
        self._order.setDirection(_UP if low else _DOWN)  # where little is seen, facts come before names
        inside = sum(line.fit(width - 28) for line in self.lines) + theme.px(24) * self._headings
        inside += self.names.fit(width - 28)
        names = self.name.heightForWidth(width - 90) + self.kind.heightForWidth(width - 90)
        acts = self.expand.sizeHint().width() + self.along.sizeHint().width()
        self._fit_community(width - 60 - (acts if is_wide else 0))
        footed = theme.px(64) + 20 + (self.community.sizeHint().height() if self._home is not None else 0)
        footed += 0 if is_wide or self.along.isHidden() else self.along.sizeHint().height()
        top = 12 if low else theme.px(48) + 12
        height = min(names + inside + footed, room.height() - top - 12)
        self.setGeometry(room.width() - width - 12, top, width, max(height, 120))

    def _fit_community(self, width: int) -> None:
        """Fit the title of the community to its button."""
        if self._home is None:
            return
        title = " ".join(self._home[1].split()) or tr("Its community")
        words = tr("Community: {title}", title=title) if self._home[1].strip() else title
        short = self.community.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, width)
        self.community.setText(button_words(short))
        set_tip(self.community, tr("Shows its community: {title}", title=title))
        self.community.setAccessibleName(tr("Show its community: {title}", title=title))

    def _want_community(self) -> None:
        if self._home is not None:
            self.community_wanted.emit(self._home[0])

    def _heading(self, words: str) -> None:
        label = PlainLabel(words, "section")
        label.setContentsMargins(8, 8, 0, 2)
        label.setFixedHeight(theme.px(24))
        self._rows.addWidget(label)
        self._headings += 1

    def _add(self, line: _Line) -> None:
        self._rows.addWidget(line)
        QWidget.setTabOrder(self.lines[-1] if self.lines else self.names.acts[-1], line)
        self.lines.append(line)

    def _empty(self) -> None:
        self.lines, self._headings = [], 0
        clear(self._rows)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        rounded(smooth(self), self.rect(), "border", "surface")


def edge_lines(edge: DerivedEdge) -> tuple[str, str]:
    """Return what an edge says, and what it follows from."""
    fields = {"one": edge.source, "relation": tr(edge.relation), "other": edge.target}
    if edge.kind == BEFORE:
        fields |= {"one": f"{edge.source} ({edge.dates[0]})", "other": f"{edge.target} ({edge.dates[1]})"}
        first, then = edge.predicates
        origin = tr("{name}: {first}, then {then}", name=edge.subject, first=first, then=then)
    else:
        origin = edge.sources[0].document if edge.sources else ""
    return escape_controls(tr("{one} {relation} {other}").format(**fields)), origin


def _rests(fact: Fact) -> str:
    count, strength = len(fact.triples), f"{fact.strength:.2f}"
    if not count:
        return tr("strength {strength}", strength=strength)
    return trn(
        "rests on {count} place, strength {strength}", "rests on {count} places, strength {strength}",
        count, strength=strength,
    )  # fmt: skip


class GraphCard(QObject):
    """Shows one entity on `card`, which lies where the canvas has its map."""

    found = Signal(str)  # id of the entity that was asked for by one of its names, before it is shown

    def __init__(self, session: Session, canvas: GraphCanvas, drawn: Callable[[str], bool]) -> None:
        super().__init__(canvas)
        self._session, self._canvas = session, canvas
        self._drawn = drawn  # whether the graph as drawn has an entity
        self._tasks = session.tasks.owned_by(self)
        self._wanted = ""  # id that was asked for last, "" when the card is hidden
        self._displayed: tuple[EntityDetails, bool] | None = None
        self.card = EntityCard(canvas, EntityNames(session))
        self.card.closed.connect(session.selection.clear)
        self.card.fact_wanted.connect(self._open_fact)
        self.card.passage_wanted.connect(self._open_passage)
        self.card.source_wanted.connect(self._open_source)
        self.card.ask_wanted.connect(lambda id: ask_about(session, Scope(entities=(id,))))
        self.card.community_wanted.connect(partial(operations.select_community, session))
        session.changes.published.connect(self._on_changed)

    @property
    def entity_id(self) -> str:
        """Of the entity that is shown, "" for none. A selected name may be only one of its names."""
        return self.card.entity_id if self.card.isVisible() else ""

    def hide(self) -> None:
        self._tasks.drop(CARD_TASK)
        self._tasks.drop(_EDGES_TASK)
        self._wanted = ""
        if self.card.isVisible():
            self.card.hide()
            self._canvas.set_map_room(True)

    def load(self, entity_id: str) -> None:
        """Show an entity, by its id or by that of any of its names."""
        self._wanted = entity_id
        self._load(entity_id, self._session.notify_error)

    def _on_changed(self, changed: Changed) -> None:
        if self._wanted and (changed.everything or self._concerns(changed)):
            self._load(self._wanted, lambda _: self.hide())  # it may have gone with its documents

    def _concerns(self, changed: Changed) -> bool:
        """Return whether a change affects the card: its entity, the facts of it, or its community."""
        details = self._displayed[0] if self._displayed is not None else None
        if details is None or {self._wanted, details.entity.id} & (changed.entities | changed.names):
            return True
        home = {details.community[0]} if details.community is not None else set()
        facts, documents = (
            {f.id for f in (*details.facts, *details.unasserted)},
            {p.document_id for p in details.passages},
        )
        changed_home = home & (changed.communities | changed.reports)
        return bool(changed_home or facts & changed.facts or documents & changed.documents)

    def _load(self, entity_id: str, failed: Callable[[CoreError], None]) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(context: TaskContext) -> EntityDetails:
            entity = workspace.graph.entity(entity_id)
            context.check()
            facts = workspace.graph.facts_of(entity.id, FACTS)
            passages = workspace.passages.of_entity(entity.id, PASSAGES)
            merges, home = (
                tuple(workspace.names.merges_of(entity.id)),
                workspace.graph.community_of(entity.id),
            )
            unasserted = workspace.graph.unasserted_facts(entity.id, FACTS)
            defined = workspace.graph.definition(entity.id)
            return EntityDetails(
                entity, tuple(facts), tuple(passages), merges, home, tuple(unasserted), defined
            )

        self._tasks.start(CARD_TASK, work, self._show, failed=failed)

    def _show(self, details: EntityDetails) -> None:
        found = details.entity.id
        if found != self._wanted:
            self.found.emit(found)
        content = (details, self._drawn(found))
        if not self.card.isVisible() or content != self._displayed:  # what the person reads does not jump
            self._displayed = content
            self._canvas.set_map_room(False)
            self.card.show_details(*content)
            self._load_edges(found)

    def _load_edges(self, entity_id: str) -> None:
        """Load what follows from facts later: in a large workspace it takes a while at first."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> list[DerivedEdge]:
            graph = workspace.graph
            edges = graph.derived_edges(now=False)  # after one decision all are not made anew
            kinds = (graph.edge_rows(edges, kind, entity_id)[:EDGES] for kind in EDGE_KINDS)
            return graph.describe_edges(edges, [row for rows in kinds for row in rows])

        def done(edges: list[DerivedEdge]) -> None:
            if edges and self.card.entity_id == entity_id:
                self.card.show_edges(edges)

        self._tasks.start(_EDGES_TASK, work, done, failed=lambda _: None, lane=Lane.GRAPH)  # it may have gone

    def _open_passage(self, passage: Passage) -> None:
        operations.select_passage(self._session, passage.id, passage.document_id)

    def _open_source(self, source: EdgeSource) -> None:
        operations.select_place(self._session, source.passage_id, source.start, source.end)

    def _open_fact(self, fact: Fact) -> None:
        if fact.triples:
            best = max(fact.triples, key=lambda triple: triple.confidence)
            operations.select_place(self._session, best.passage_id, best.start, best.end)
