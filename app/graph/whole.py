"""The whole graph with its communities: which holds what, what opening and closing one means, what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.answers.communities_model import name_of
from app.graph.canvas.arrays import Key, Tint, matching

if TYPE_CHECKING:
    from core.types import Community, Foldable, FoldedView

CROWD = 2_000  # entities; larger graphs begin with closed communities
# No entity's id has a space.
_MARK = "community "  # not shown
Fold = Callable[["Foldable", "Sequence[int]"], "FoldedView"]
Opened = tuple[int, ...]  # ids of open communities as they were opened, each after those that hold it


def node_id(community: int) -> str:
    """The id of a community's disc on the canvas."""
    return f"{_MARK}{community}"


def community_of(id: str) -> int | None:
    """The community whose disc a node of the canvas is; None for an entity."""
    return int(id.removeprefix(_MARK)) if id.startswith(_MARK) else None


class WholeGraph:
    """A graph as it was last read; it never changes, so it may be made and asked on any thread."""

    def __init__(
        self,
        graph: Foldable,
        fold: Fold,
        base: WholeGraph | None = None,
        rows: NDArray[np.intp] | None = None,
        tint: Tint = Tint(),  # noqa: B008 - a value
        key: Key = Key(),  # noqa: B008 - a value
    ) -> None:
        """`base`: the graph as it was read, of which a person shaped this one; `rows` of its entities there.

        `tint` of the entities, and the `key` to it.
        """
        self.graph, self.view, self.fold, self.tint, self.key = graph, graph.view, fold, tint, key
        self.base = base if base is not None else self
        self.rows_in_base = rows if rows is not None else np.arange(len(graph.view.ids))
        # For who asks on the window's thread.
        self._pairs = np.sort(_keys(graph.view.edges)) if base is not None else np.zeros(0, np.int64)
        self.tops = {each.colour: each for each in graph.communities if each.parent_id is None}
        # Whether there are communities that could be closed; a filter does not open or close any.
        self.possible: bool = bool((self.base.graph.drawn > 0).any())
        self.large = len(self.base.view.ids) > CROWD
        self._row = {community.id: at for at, community in enumerate(graph.communities)}
        self.row_of = {id: at for at, id in enumerate(graph.view.ids)}  # entity -> its row in the view
        pairs = zip(graph.communities, graph.drawn.tolist(), strict=True)
        self._titled = [community for community, drawn in pairs if drawn]
        self._words = [name.casefold() for name in (*graph.view.names, *map(name_of, self._titled))]
        sizes = [len(community.entity_ids) for community in self._titled]
        self._weight = np.concatenate([graph.view.degree, np.array(sizes, np.int32)])

    def get(self, community: int) -> Community | None:
        at = self._row.get(community)
        return self.graph.communities[at] if at is not None else None

    @property
    def filtered(self) -> bool:
        """Whether some of what was read is left out."""
        base = self.base.view
        return len(self.view.ids) < len(base.ids) or len(self.view.edges) < len(base.edges)

    def joins(self, pairs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Whether a link joins the entities of each pair of rows, (k, 2); (k,). Of a shaped graph."""
        known, keys = self._pairs, _keys(pairs)
        at = np.searchsorted(known, keys)
        found: NDArray[np.bool_] = known[np.minimum(at, len(known) - 1)] == keys if len(known) else at < 0
        return found

    def rows(self, entities: Iterable[str]) -> list[int]:
        """Rows of entities in the view; others are left out."""
        return [self.row_of[id] for id in entities if id in self.row_of]

    def around(self, entity: str = "", community: int | None = None) -> list[int]:
        """The communities around an entity, or around a community and that itself: the innermost last."""
        row = self._row.get(community, -1) if community is not None else -1
        if entity in self.row_of:
            row = int(self.graph.home[self.row_of[entity]])
        return self._upwards(row)[::-1]

    def _upwards(self, row: int) -> list[int]:
        found: list[int] = []
        while row >= 0:
            found.append(self.graph.communities[row].id)
            row = int(self.graph.parent[row])
        return found

    # ------------------------------------------------------------ what is open

    def still_open(self, opened: Opened) -> Opened:
        """Those that were open in another state of the graph and can be so in this one."""
        wanted = {id for id in opened if id in self._row and self.graph.drawn[self._row[id]]}
        return tuple(id for id in opened if id in wanted and wanted.issuperset(self.around(community=id)))

    def innermost(self, opened: Opened, entity: str = "", community: int | None = None) -> int | None:
        """The innermost open community around what is selected, else the one opened last; None: none is open."""
        open_ids = [id for id in self.around(entity, community) if id in opened]
        return open_ids[-1] if open_ids else opened[-1] if opened else None

    def opening(self, opened: Opened, communities: Iterable[int]) -> Opened:
        """After opening these, each after those that hold it."""
        some = (id for id in communities if self.graph.drawn[self._row[id]])
        return tuple(dict.fromkeys((*opened, *some)))

    def revealing(self, opened: Opened, entities: Iterable[str]) -> Opened:
        """After opening all that hold these entities."""
        homes = sorted({int(self.graph.home[at]) for at in self.rows(entities)})
        return self.opening(opened, [id for home in homes for id in self._upwards(home)[::-1]])

    def closing(self, opened: Opened, community: int) -> Opened:
        """After closing one and all in it."""
        return tuple(id for id in opened if community not in self.around(community=id))

    def find(self, text: str) -> list[str]:
        """Ids of entities by name and of communities (as nodes) by title: at most 50, the best first."""
        ids, count = self.view.ids, len(self.view.ids)
        rows = matching(self._words, self._weight, text)
        return [ids[row] if row < count else node_id(self._titled[row - count].id) for row in rows]


def _keys(pairs: NDArray[np.int32]) -> NDArray[np.int64]:
    """One number for each pair of rows, whatever their order."""
    wide = pairs.astype(np.int64).reshape(-1, 2)
    keys: NDArray[np.int64] = wide.min(axis=1, initial=1 << 31) << 32 | wide.max(axis=1, initial=0)
    return keys
