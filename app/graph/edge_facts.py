"""What edges say: the legend of their lines, the card under the pointer, words at a node, the fact behind a click."""

from __future__ import annotations

import textwrap
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap, QPolygonF
from PySide6.QtWidgets import QFrame

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.lines import derived_colour, line_pen
from app.graph.canvas.words import EdgeWord
from app.graph.drawing import community_of, links
from app.graph.entity_card import edge_lines
from app.graph.scene import LiveScene
from app.look import theme
from app.look.painting import paint_text
from app.look.translation import tr, trn
from app.session import operations
from app.session.session import Session
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import EDGE_KINDS, EDGES_CALLED, CommonPlace, DerivedEdge, Fact, Relation
from core.workspace import Workspace

_ROW, _SAMPLE, _GAP = 22, 40, 8  # pixels at 100 %
REST_MS = 90  # the pointer may only pass by
MOST_PLACES = 50  # of a tie that are read
MOST_FACTS = 4  # facts of an edge that its card tells
_LONGEST = 32  # letters of a name
_LETTERS, _LINES = 72, 3  # letters of a line of a fact's description, and lines of it
_MOST_CACHED = 200  # edges and nodes that were read
_FACTS, _WORDS = "edge facts", "edge words"  # not shown
Pair = tuple[str, str]


class EdgeLegend(QFrame):
    """Lies upon the canvas, below its counts, while there is such an edge."""

    def __init__(self, canvas: GraphCanvas, live: LiveScene) -> None:
        super().__init__(canvas)
        self._canvas, self._live = canvas, live
        self.rows: Sequence[tuple[int, str]] = ()  # row of EDGE_KINDS, and what is said of it
        self.setProperty("kind", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        canvas.lay(self)
        live.redrawn.connect(self.refresh)

    def refresh(self) -> None:
        drawn = self._live.now.drawing.kinds
        kinds = [] if drawn is None else drawn.tolist()
        rows = [
            (number, tr("{kind} {count}", kind=tr(EDGES_CALLED[kind]), count=count))
            for number, kind in enumerate(EDGE_KINDS)
            if (count := kinds.count(number))
        ]
        if rows != self.rows:
            self.rows = rows
            self.setAccessibleName(tr("Links: {kinds}", kinds=", ".join(words for _, words in rows)))
            self.setVisible(bool(rows))
            self.updateGeometry()
            self._canvas.arrange()
            self.update()

    def sizeHint(self) -> QSize:
        widest = max((self.fontMetrics().horizontalAdvance(words) for _, words in self.rows), default=0)
        wide = widest + theme.px(_SAMPLE) + 4 * theme.px(_GAP)
        return QSize(wide, len(self.rows) * theme.px(_ROW) + theme.px(_GAP))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        high, gap = theme.px(_ROW), theme.px(_GAP)
        for at, (kind, words) in enumerate(self.rows):
            middle, begin, end = gap / 2 + (at + 0.5) * high, float(gap), float(gap + theme.px(_SAMPLE))
            paint_line(painter, kind, QPointF(begin, middle), end - begin)
            box = QRectF(end + gap, middle - high / 2, self.width() - end - gap, high)
            paint_text(painter, box, words, "text", theme.SMALL)
        painter.end()


def paint_line(painter: QPainter, kind: int, begin: QPointF, length: float) -> None:
    """Paint a sample of a kind, a row of EDGE_KINDS, from left to right."""
    end, y = begin.x() + length, begin.y()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(line_pen(kind))
    painter.drawLine(begin, QPointF(end - 6, y))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(derived_colour())
    painter.drawPolygon(QPolygonF([QPointF(end, y), QPointF(end - 8, y - 3.5), QPointF(end - 8, y + 3.5)]))


def line_icon(kind: int) -> QIcon:
    wide, high = theme.px(28), theme.px(12)
    picture = QPixmap(2 * wide, 2 * high)
    picture.setDevicePixelRatio(2.0)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint_line(painter, kind, QPointF(1.0, high / 2), wide - 2.0)
    painter.end()
    return QIcon(picture)


@dataclass(frozen=True, slots=True)
class EdgeFacts:
    """The facts between two entities, strongest first, and where the strongest is told; or the edges that follow from
    others, where these are seen; or, where no fact joins `names`, the places that name both."""

    facts: tuple[Fact, ...]
    where: str
    edges: tuple[DerivedEdge, ...] = ()
    names: Pair = ("", "")
    places: tuple[CommonPlace, ...] = ()


class EdgeReader(QObject):
    """Reads off the window's thread, once the pointer rests."""

    def __init__(self, session: Session, canvas: GraphCanvas, selected: Callable[[], str]) -> None:
        """`selected`: the node that is selected, "" for none."""
        super().__init__(canvas)
        self._session, self._canvas, self._selected = session, canvas, selected
        self._tasks = session.tasks.owned_by(self)
        self._facts: OrderedDict[Pair, EdgeFacts] = OrderedDict()
        self._words: OrderedDict[str, dict[str, EdgeWord]] = OrderedDict()
        self._edge: Pair = ("", "")
        self._followed = False  # whether what was read of edges follows from others
        self._node = self._pointed = ""
        self._opened: tuple[Pair, int] = (("", ""), -1)  # the edge that was clicked, and which of its facts
        self._edge_rest, self._node_rest = self._timer(self._read_edge), self._timer(self._read_words)
        canvas.edge_hovered.connect(self._on_edge)
        canvas.edge_clicked.connect(self._on_click)
        canvas.node_hovered.connect(self._on_node)
        # Queued: the panel hears of it, too, and which node is meant is known after that.
        session.selection.changed.connect(self._on_selection, Qt.ConnectionType.QueuedConnection)
        session.changes.published.connect(self.forget)
        session.workspace_closed.connect(self.forget)

    def _timer(self, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self, interval=REST_MS, singleShot=True)
        timer.timeout.connect(act)
        return timer

    def forget(self, *_: object) -> None:
        """Forget what was read: it may be wrong by now."""
        self._facts.clear()
        self._words.clear()
        self.follow(again=True)

    def redrawn(self) -> None:
        """Update after other edges may be drawn between the same entities."""
        if self._canvas.has_derived_edges != self._followed:
            self._followed = self._canvas.has_derived_edges
            self._facts.clear()
        self.follow(again=True)

    # ------------------------------------------------------------ the edge under the pointer

    def _on_edge(self, one: str, other: str) -> None:
        self._edge = (one, other)
        self._tasks.drop(_FACTS)
        self._edge_rest.stop()
        if not one:
            return
        if self._edge in self._facts:
            self._show_card()
        else:
            self._edge_rest.start()

    def _read_edge(self) -> None:
        self._read_then(self._edge, self._show_card)

    def _read_then(self, edge: Pair, then: Callable[[], object]) -> None:
        """Read the facts of an edge, unless they are known, and go on; those of closed communities are only counted."""
        workspace = self._session.workspace
        if edge in self._facts:
            then()
            return
        if workspace is None or any(community_of(end) is not None for end in edge):
            self._show_edge_summary(edge)
            return

        has_derived_edges = self._canvas.has_derived_edges
        names = self._canvas.name_of(edge[0]), self._canvas.name_of(edge[1])

        def work(_: TaskContext) -> EdgeFacts:
            if has_derived_edges:
                return EdgeFacts((), "", _derived_edges_between(workspace, edge))
            facts = tuple(workspace.graph.facts_between(*edge))
            if not facts:
                return EdgeFacts(
                    (), "", (), names, tuple(workspace.graph.common_places(*edge, MOST_PLACES + 1))
                )
            passage = (
                workspace.passages.get(facts[0].triples[0].passage_id) if facts and facts[0].triples else None
            )
            where = passage.title if passage is not None else ""
            if passage is not None and passage.page:
                where = tr("{title}, page {page}", title=where, page=str(passage.page))
            return EdgeFacts(facts, where)

        def done(found: EdgeFacts) -> None:
            self._facts[edge] = found
            while len(self._facts) > _MOST_CACHED:
                self._facts.popitem(last=False)
            then()

        self._tasks.start(_FACTS, work, done)

    def _show_card(self) -> None:
        found = self._facts.get(self._edge)
        if found is not None and (found.facts or found.edges or found.places):
            self._canvas.show_edge_card(*edge_words(found))

    def _show_edge_summary(self, edge: Pair) -> None:
        one, other = (self._canvas.name_of(end) for end in edge)
        headline = tr("{one} and {other}", one=one, other=other)
        self._canvas.show_edge_card(headline, links(self._canvas.facts_of_edge(*edge)))

    def _on_click(self, one: str, other: str) -> None:
        edge = (one, other)
        self._read_then(edge, lambda: self._open(edge))

    def _open(self, edge: Pair) -> None:
        """Open the sentence of its strongest fact; pressed again, that of the next one."""
        found = self._facts[edge]
        best = [max(fact.triples, key=lambda triple: triple.confidence) for fact in found.facts]
        sources = [source for each in found.edges for source in each.sources]
        places = [(top_triple.passage_id, top_triple.start, top_triple.end) for top_triple in best]
        places += [(source.passage_id, source.start, source.end) for source in sources]
        places += [(place.passage_id, place.start, place.end) for place in found.places]
        if not places:
            return
        before, at = self._opened
        at = (at + 1) % len(places) if before == edge else 0
        self._opened = (edge, at)
        operations.select_place(self._session, *places[at])

    # ------------------------------------------------------------ the edges at a node

    def _on_node(self, id: str) -> None:
        self._pointed = id
        self.follow()

    def _on_selection(self, _: object) -> None:
        self.follow()

    def follow(self, again: bool = False) -> None:
        """Have the edges of the pointed node speak, or else those of the selected one."""
        wanted = self._pointed or self._selected()
        wanted = "" if community_of(wanted) is not None else wanted
        if wanted == self._node and not again:
            return
        self._node = wanted
        self._tasks.drop(_WORDS)
        self._node_rest.stop()
        self._canvas.set_edge_words("", {})
        if wanted in self._words:
            self._canvas.set_edge_words(wanted, self._words[wanted])
        elif wanted:
            self._node_rest.start()

    def _read_words(self) -> None:
        workspace, node = self._session.workspace, self._node
        if workspace is None or not node:
            return

        def done(relations: list[Relation]) -> None:
            self._words[node] = words_of(relations)
            while len(self._words) > _MOST_CACHED:
                self._words.popitem(last=False)
            if node == self._node:
                self._canvas.set_edge_words(node, self._words[node])

        self._tasks.start(
            _WORDS, lambda _: workspace.graph.relations_of(node), done, failed=lambda _: None
        )  # it may have gone with its documents


def _derived_edges_between(workspace: Workspace, edge: Pair) -> tuple[DerivedEdge, ...]:
    """Return the derived edges between two entities."""
    graph = workspace.graph
    edges = graph.derived_edges(now=False)
    one, other = (set(graph.edge_rows(edges, entity_id=end)) for end in edge)
    derived = graph.describe_edges(edges, sorted(one & other))
    return tuple(each for each in derived if {each.source_id, each.target_id} == set(edge))


def words_of(relations: list[Relation]) -> dict[str, EdgeWord]:
    """By the entity at the other end: of several relations the one with most facts, and how many others there are."""
    found: dict[str, EdgeWord] = {}
    for relation in relations:
        for other in relation.entity_ids:
            known = found.get(other)
            if known is None:
                found[other] = EdgeWord(
                    escape_controls(" ".join(relation.predicate.split())), relation.forward
                )
            else:
                found[other] = EdgeWord(known.predicate, known.forward, known.more + 1)
    return found


def edge_words(found: EdgeFacts) -> tuple[str, str]:
    """Headline and lines of the card: each fact as it is told, the first one with the sentence that describes it, how
    many there are, and where the first stands."""
    if found.edges:
        headline, origin = edge_lines(found.edges[0])
        return headline, "\n".join((origin, *(edge_lines(edge)[0] for edge in found.edges[1:MOST_FACTS])))
    if found.places:
        one, other = map(_short, found.names)
        headline = escape_controls(tr("{one} and {other}", one=one, other=other))
        count = trn("together in {count} place", "together in {count} places", len(found.places))
        if len(found.places) > MOST_PLACES:
            count = tr("together in more than {count} places", count=MOST_PLACES)
        titles = dict.fromkeys(place.title for place in found.places)
        lines = [escape_controls(_short(title)) for title in list(titles)[:MOST_FACTS]]
        return headline, "\n".join((tr("{places}; no fact joins them", places=count), *lines))
    first, *others = found.facts[:MOST_FACTS]
    count = trn("{count} fact", "{count} facts", len(found.facts))
    described = textwrap.wrap(escape_controls(first.description), _LETTERS, max_lines=_LINES, placeholder="…")
    lines = [*described, *(_fact(fact) for fact in others)]
    if len(found.facts) > MOST_FACTS:
        lines.append(tr("and {count} more", count=len(found.facts) - MOST_FACTS))
    lines.append(tr("{facts}, told in {where}", facts=count, where=found.where) if found.where else count)
    return _fact(first), "\n".join(lines)


def _fact(fact: Fact) -> str:
    one, predicate, other = map(_short, (fact.subject, fact.predicate, fact.object))
    return escape_controls(tr("{one} – {predicate} → {other}", one=one, predicate=predicate, other=other))


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1].rstrip()}…"
