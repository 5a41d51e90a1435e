"""What a person makes of the graph: filters, what is hidden and pinned, colours and sizes; and its undoing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QTimer, Signal
from PySide6.QtWidgets import QMenu

from app.graph.canvas.arrays import Key, Tint
from app.graph.canvas.canvas import NO_GRAPH, GraphCanvas
from app.graph.drawing import FullGraph, Opened, community_of, node_id
from app.graph.node_actions import GraphFolding, add_action
from app.graph.scene import LiveScene
from app.look.translation import tr, trn
from app.session.collector import pause_collection
from app.session.session import Session
from core.progress import TaskContext
from core.types import GraphColumns, GraphFilter, GraphShape, GraphView, SavedView, kind_words
from core.types.graph_shape import REVIEWED
from core.workspace import Workspace

_MOST_DATES = (4, 100)  # percentiles of dates between which colours are told apart
_CLIP = 99.5  # percentile of a size above which nothing grows
Numbers = NDArray[np.float64]
SHAPING_TASK = "graph shaping"  # not shown
_CROWD = 5_000  # entities: more are not shaped while a hand moves
_REST = 250  # milliseconds
_MOST = 200  # steps that can be undone


def attribute_words(name: str) -> str:
    """Return what an attribute of entities is called."""
    return {
        "community": tr("Community"),
        "label": tr("Type"),
        "review": tr("State of review"),
        "degree": tr("Links"),
        "importance": tr("Importance (PageRank)"),
        "mentions": tr("Mentions"),
        "documents": tr("Documents"),
        "date": tr("Earliest date"),
    }[name]


def state_words(state: str) -> str:
    """Return a state of review, of facts or of an entity by its facts, in words."""
    return {
        "open": tr("Waiting"), "partly": tr("Partly approved"), "approved": tr("Approved"),
        "disputed": tr("Disputed"),
    }[state]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """Entities of labels that people call by the same word."""

    words: str
    labels: tuple[str, ...]
    count: int


def kinds(labels: Sequence[str]) -> list[Kind]:
    """Return the kinds, the commonest first."""
    counted: dict[str, int] = {}
    for label in labels:
        counted[label] = counted.get(label, 0) + 1
    found: dict[str, list[str]] = {}
    for label in sorted(counted):
        found.setdefault(kind_words(label), []).append(label)
    some = [Kind(words, tuple(own), sum(map(counted.__getitem__, own))) for words, own in found.items()]
    return sorted(some, key=lambda kind: (-kind.count, kind.words))


def needs_columns(shape: GraphShape) -> bool:
    """Return whether a shape needs more of the graph than drawing does."""
    wanted = shape.filter
    return (
        wanted.of_facts
        or bool(wanted.edges)
        or not {shape.colour, shape.size} <= {"community", "label", "degree"}
    )


def tint_of(view: GraphView, shape: GraphShape, columns: GraphColumns | None) -> tuple[Tint, Key]:
    """Of the entities of a view of the whole graph, by its rows; of the same view with and without a filter."""
    categories: NDArray[np.int32] | None = None
    levels = sizes = None
    key = Key()
    title = attribute_words(shape.colour)
    if shape.colour == "label":
        own = kinds(view.labels)
        number = {label: at for at, kind in enumerate(own) for label in kind.labels}
        categories = np.fromiter((number[label] for label in view.labels), np.int32, len(view.labels))
        key = Key(title, {at: _capital(kind.words) for at, kind in enumerate(own)})
    elif shape.colour == "review" and columns is not None:
        categories = columns.review
        key = Key(title, {at: state_words(state) for at, state in enumerate(REVIEWED)})
    elif shape.colour != "community" and (values := _values(shape.colour, view, columns)) is not None:
        levels, key = _scaled(values, title, dated=shape.colour == "date")
    if shape.size != "degree" and (values := _values(shape.size, view, columns)) is not None:
        sizes = _sizes(values, dated=shape.size == "date")
    return Tint(categories, levels, sizes), key


def _values(name: str, view: GraphView, columns: GraphColumns | None) -> Numbers | None:
    """Return the numbers of entities, (n,), NaN where there is none."""
    if name == "degree":
        return view.degree.astype(np.float64)
    if columns is None:
        return None
    if name == "date":
        year, rest = np.divmod(columns.first, 10_000)
        part = np.minimum((rest // 100 * 30.4 + rest % 100) / 366, 0.999)
        return np.where(columns.first > 0, year + part, np.nan)
    values: Numbers = getattr(columns, name).astype(np.float64)
    return np.where(values > 0, values, np.nan)


def _scaled(values: Numbers, title: str, dated: bool) -> tuple[NDArray[np.float32], Key]:
    """Levels 0..1 on a linear scale of years, or a logarithmic one of other numbers, and its key."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.full(len(values), np.nan, np.float32), Key(title, scale=("", tr("not known"), ""))
    low, high = float(known.min()), float(known.max())
    if dated:
        # A few that lie far away leave no colours for the rest.
        ends = np.percentile(known, _MOST_DATES)
        first, last = (int(year) for year in ends)
        levels = np.clip((values - ends[0]) / max(float(ends[1] - ends[0]), 1e-9), 0, 1)
        between = f"{int(ends.mean())}" if last > first + 1 else ""
        begin = tr("{year} and before", year=str(first)) if int(low) < first else str(first)
        return levels.astype(np.float32), Key(title, scale=(begin, between, str(last)))
    low = max(low, high * 1e-6)
    span = np.log(max(high / low, 1.0 + 1e-9))
    levels, middle = np.log(np.maximum(values, low) / low) / span, float(np.sqrt(low * high))
    words = [_number(value) for value in (low, middle, high)]
    return levels.astype(np.float32), Key(title, scale=(words[0], words[1], words[2]))


def _sizes(values: Numbers, dated: bool) -> NDArray[np.float32]:
    """Return 0..1, the area in proportion to the number; later dates are larger."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), np.float32)
    if dated:
        low = known.min()
        found = np.nan_to_num((values - low) / max(float(known.max() - low), 1e-9))
    else:
        found = np.sqrt(
            np.minimum(np.nan_to_num(values) / max(float(np.percentile(known, _CLIP)), 1e-12), 1.0)
        )
    sizes: NDArray[np.float32] = found.astype(np.float32)
    return sizes


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


@dataclass(frozen=True, slots=True)
class ViewState:
    """What is undone and done again."""

    shape: GraphShape = field(default_factory=GraphShape)
    folds: bool | None = None
    opened: Opened = ()


class GraphShaping(QObject):
    """Gives the scene the graph as it is shaped, made off this thread.

    Signals: changed() when the shape, what can be undone or what is known of the graph did.
    """

    changed = Signal()

    def __init__(self, session: Session, canvas: GraphCanvas, live: LiveScene) -> None:
        super().__init__(canvas)
        self._session, self._canvas, self._live = session, canvas, live
        self._tasks = session.tasks.owned_by(self)
        self._base: FullGraph | None = None  # read last; the scene has it once it is shaped
        self._parts: dict[str, Any] = {}  # of the scene, that come with it
        self._columns: tuple[FullGraph, GraphColumns] | None = None
        self._curious = False  # whether somebody looks at the columns
        self._last_state = ViewState()
        self._last_base: FullGraph | None = None
        self._before: list[ViewState] = []
        self._after: list[ViewState] = []
        self._moving = False  # through what was before
        # A large graph is shaped by the dates of the scope when they rest, a small one by the newest of them.
        self._undated: tuple[GraphShape, FullGraph | None] = (GraphShape(), None)  # shaped by all else
        self._dates = self._displayed_dates = ("", "")  # of the scope, by which it is shaped, or shown
        self._due = False  # whether they changed since
        self._rest = QTimer(self, interval=_REST, singleShot=True)
        self._rest.timeout.connect(self._make_rested)
        live.changed.connect(self._record_step)
        session.scope.changed.connect(self._on_scope)
        session.workspace_closed.connect(self._forget)

    # ------------------------------------------------------------ what holds

    @property
    def shape(self) -> GraphShape:
        return self._live.now.shape

    @property
    def wanted(self) -> GraphShape:
        """Return the shape, with its dates restricted to those of the session's scope."""
        scope, own = self._session.scope.current, self.shape.filter
        if not scope.dated:
            return self.shape
        # Years, months and days compare as texts, where the shorter one is the wider one.
        since = max(own.since, scope.since)
        until = min(filter(None, (own.until, scope.until)), key=lambda date: f"{date}-99", default="")
        return replace(self.shape, filter=replace(own, since=since, until=until))

    @property
    def _scope_dates(self) -> tuple[str, str]:
        scope = self._session.scope.current
        return scope.since, scope.until

    @property
    def dated(self) -> bool:
        """Return whether the dates of the scope shape what is displayed."""
        return (
            self._displayed_dates == self._scope_dates and self._live.now.full_graph is not self._undated[1]
        )

    @property
    def columns(self) -> GraphColumns | None:
        """Return what is known of the graph that was read last; None: not read yet."""
        known = self._columns
        return known[1] if known is not None and known[0] is self._base else None

    @property
    def base(self) -> FullGraph | None:
        return self._base

    @property
    def filtered(self) -> bool:
        """Return whether a filter is set or nodes are hidden."""
        wanted = self.wanted
        return wanted.filter != GraphFilter() or bool(wanted.hidden)

    @property
    def busy(self) -> bool:
        """Return whether the graph is being shaped."""
        return self._tasks.busy(SHAPING_TASK)

    def look_at_columns(self, wanted: bool) -> None:
        """Whether somebody shows what is known of the graph, so that it is to be read."""
        self._curious = wanted
        if wanted and self.columns is None and self._base is not None:
            self._make()

    # ------------------------------------------------------------ changes

    def show(self, base: FullGraph, **parts: Any) -> None:
        """Show the graph that was read in its shape, with other `parts` of the scene."""
        self._base, self._parts = base, {**self._parts, **parts}
        self._make()

    def change(self, **parts: Any) -> None:
        """Set another shape, with other `parts`, named as in `GraphShape`."""
        shape = replace(self.shape, **parts)
        if shape != self.shape:
            self._canvas.stay()  # what is left out does not move the rest
            self._live.change(shape=shape)
            self._make()

    def filter(self, **parts: Any) -> None:
        """Set another filter, with other `parts`, named as in `GraphFilter`."""
        self.change(filter=replace(self.shape.filter, **parts))

    def clear(self) -> None:
        """Let everything through again, hidden nodes and all dates included."""
        self._session.scope.change(since="", until="")
        self.change(filter=GraphFilter(), hidden=frozenset())

    def hide(self, nodes: Iterable[str]) -> None:
        """Hide these nodes; of a closed community all that it holds."""
        graph = self._live.now.full_graph
        found = set(self.shape.hidden)
        for node in nodes:
            community = community_of(node)
            group = graph.get(community) if graph is not None and community is not None else None
            found.update(group.entity_ids if group is not None else [node])
        self.change(hidden=frozenset(found))

    def show_hidden(self) -> None:
        self.change(hidden=frozenset())

    def pin(self, id: str, x: float, y: float) -> None:
        """Pin an entity to a place, in units of the layout."""
        others = tuple(one for one in self.shape.pinned if one[0] != id)
        self.change(pinned=(*others, (id, x, y)))

    def unpin(self, ids: Iterable[str]) -> None:
        """Move these back to where the layout has them."""
        gone = set(ids)
        self.change(pinned=tuple(one for one in self.shape.pinned if one[0] not in gone))

    def pinned(self, id: str) -> bool:
        return any(one == id for one, *_ in self.shape.pinned)

    # ------------------------------------------------------------ views

    def view(self, name: str) -> SavedView:
        """Return the current view, to be saved."""
        now = self._live.now
        return SavedView(name, now.shape, now.folds, now.opened, self._canvas.camera)

    def open_view(self, view: SavedView) -> None:
        """Show a saved view, where its communities still exist."""
        graph = self._base
        opened = graph.restrict_open(view.opened) if graph is not None else view.opened
        self._live.change(shape=view.shape, folds=view.folds, opened=opened, near=None)
        self._make(lambda: self._canvas.look_at(view.camera))

    # ------------------------------------------------------------ undo

    @property
    def can_undo(self) -> bool:
        return bool(self._before)

    @property
    def can_redo(self) -> bool:
        return bool(self._after)

    def undo(self) -> None:
        self._step(self._before, self._after)

    def redo(self) -> None:
        self._step(self._after, self._before)

    def _step(self, source: list[ViewState], target: list[ViewState]) -> None:
        if not source:
            return
        target.append(self._last_state)
        state = source.pop()
        self._moving = True
        self._live.change(shape=state.shape, folds=state.folds, opened=state.opened)
        self._moving = False
        self._make()

    def _record_step(self) -> None:
        """A step is what a person changed of one graph; not what a graph that was read anew did."""
        now = self._live.now
        state = ViewState(now.shape, now.folds, now.opened)
        if state == self._last_state and now.base is self._last_base:
            return
        if (
            state != self._last_state
            and now.base is not None
            and now.base is self._last_base
            and not self._moving
        ):
            self._before = [*self._before, self._last_state][-_MOST:]
            self._after = []
        self._last_state, self._last_base = state, now.base
        self.changed.emit()

    def _forget(self) -> None:
        self._tasks.drop(SHAPING_TASK)
        self._base = self._columns = None
        self._undated = (GraphShape(), None)
        self._parts, self._before, self._after = {}, [], []
        self._live.change(shape=GraphShape(), base=None, full_graph=None)

    # ------------------------------------------------------------ making

    def _on_scope(self, _: object) -> None:
        base = self._base
        if base is not None:
            self._canvas.stay()
        if self._scope_dates == self._dates:
            pass  # another part of the scope: the graph keeps to its dates alone
        elif base is not None and len(base.view.ids) > _CROWD:
            self._rest.start()  # until then `TimePreviewer` hides the others
            self._tasks.drop(SHAPING_TASK)
            shape, undated = self._undated
            if undated is not None and undated.base is base and shape == self.shape:
                self._live.change(full_graph=undated)
        elif self.busy:
            self._due = True  # the newest range next: while the hand moves, something is always shown
        elif base is not None:
            self._make()
        self.changed.emit()

    def _make_rested(self) -> None:
        self._make()

    def _make(self, then: Any = None) -> None:
        """Shape the graph off the window's thread; at once where there is nothing to shape."""
        base, workspace, wanted = self._base, self._session.workspace, self.wanted
        self._dates = self._scope_dates
        self._tasks.drop(SHAPING_TASK)
        self._rest.stop()
        self._due = False
        if base is None or workspace is None:
            return
        known, curious = self.columns, self._curious
        if wanted == GraphShape() and (known is not None or not curious):
            self._land(base, base, known, then)
            return

        def work(context: TaskContext) -> tuple[FullGraph, GraphColumns | None]:
            columns = known
            with pause_collection():
                if columns is None and (curious or needs_columns(wanted)):
                    columns = workspace.graph.columns(base.view, context)
                context.check()
                return _shape_graph(workspace, base, wanted, columns), columns

        self._tasks.start(SHAPING_TASK, work, lambda result: self._land(base, *result, then))

    def _land(self, base: FullGraph, full_graph: FullGraph, columns: GraphColumns | None, then: Any) -> None:
        if columns is not None:
            self._columns = (base, columns)
        parts, self._parts = self._parts, {}
        nothing = full_graph is not base and not full_graph.view.ids and bool(base.view.ids)
        if nothing:
            self._canvas.set_empty_text(
                tr("Nothing passes"), tr("Clear the filter, or ask for less of it, to see the graph again.")
            )
        elif not base.view.ids:
            self._canvas.set_empty_text(*NO_GRAPH)
        self._displayed_dates = self._dates
        if not any(self._dates):
            self._undated = (self.shape, full_graph)
        self._live.change(then, base=base, full_graph=full_graph, **parts)
        self.changed.emit()
        if self._due:
            self._make()


def _shape_graph(
    workspace: Workspace, base: FullGraph, shape: GraphShape, columns: GraphColumns | None
) -> FullGraph:
    tint, key = tint_of(base.view, shape, columns)
    graph, passing = workspace.graph.shaped(base.graph, shape, columns)
    if graph is base.graph and shape.colour == "community" and shape.size == "degree":
        return base
    rows = passing.nonzero()[0]
    return FullGraph(graph, base.fold, base, rows, tint.of_rows(rows.astype("int32")), key)


class ShapeKeys(QObject):
    """What is done with the selected node, or with the one under the pointer."""

    def __init__(
        self,
        session: Session,
        shaping: GraphShaping,
        live: LiveScene,
        canvas: GraphCanvas,
        folding: GraphFolding,
    ) -> None:
        super().__init__(canvas)
        self._session, self._shaping, self._live, self._canvas = session, shaping, live, canvas
        canvas.shape_wanted.connect(lambda act: session.commands.run(f"graph.{act}"))
        canvas.node_placed.connect(shaping.pin)
        folding.more.append(self._offer)

    def node(self) -> str:
        """Return the selected node: an entity or a community's disc, open or closed; "" for none."""
        selected, community = self._canvas.selected(), self._live.now.community
        return selected or (node_id(community) if community is not None else "")

    def nodes(self) -> tuple[str, ...]:
        """Return the gathered nodes, or else the selected one."""
        return self._session.chosen.current or tuple(filter(None, [self.node()]))

    def hide(self) -> None:
        self._hide(*self.nodes())

    def _hide(self, *nodes: str) -> None:
        self._session.selection.clear()
        self._session.chosen.clear()
        self._shaping.hide(nodes)

    def entity(self) -> str:
        selected = self._canvas.selected()
        return selected if selected and community_of(selected) is None else ""

    def pin(self) -> None:
        """Pin the selected entity where it is, or let go of it."""
        self._pin(self.entity())

    def _pin(self, id: str) -> None:
        place = self._canvas.place_of(id)
        if self._shaping.pinned(id):
            self._shaping.unpin([id])
        elif place is not None:
            self._shaping.pin(id, *place)

    def _offer(self, menu: QMenu, node: str, _: QPoint) -> None:
        """Add to the menu of a place what can be done with the node there."""
        shaping, shape = self._shaping, self._shaping.shape
        if node:
            community = community_of(node)
            if community is not None:
                act = partial(shaping.filter, communities=(community,))
                add_action(menu, tr("Show only this community"), act, "funnel")
            else:
                words = tr("Unpin") if shaping.pinned(node) else tr("Pin here")
                add_action(menu, words, partial(self._pin, node), "push-pin")
            add_action(menu, tr("Hide"), partial(self._hide, node), "eye-slash")
        if shape.hidden:
            words = trn(
                "Show {count} hidden entity again", "Show {count} hidden entities again", len(shape.hidden)
            )
            add_action(menu, words, shaping.show_hidden, "eye")
