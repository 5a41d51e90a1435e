"""Communities as a tree: the top level first, each with those inside it, filtered by words of their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.look.plain_text import tooltip
from app.look.translation import tr, trn
from core.types import Community

COMMUNITY = Qt.ItemDataRole.UserRole
MATCHES = Qt.ItemDataRole.UserRole + 1  # False: shown only because it holds one that matches
BATCH = 200  # rows that are taken at a time
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(slots=True)
class _Branch:
    """Communities inside one, or of the top level: all that the filter leaves, and how many rows exist."""

    visible: list[int]
    taken: int = 0


class CommunityTree(QAbstractItemModel):
    """Rows are taken lazily, as the view asks for them. Indexes carry the community's number in the list."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[Community] = []
        self._at: dict[int, int] = {}  # id -> place in the list
        self._below: dict[int, list[int]] = {}  # place (-1: the top) -> places inside
        self._branches: dict[int, _Branch] = {}
        self._row: dict[int, int] = {}
        self._matching: set[int] = set()
        self._words: list[str] = []

    # ------------------------------------------------------------ content

    def set_communities(self, communities: Sequence[Community]) -> None:
        """Show these; the largest first within each. One whose parent is not there stands at the top."""
        self.beginResetModel()
        self._all = sorted(communities, key=lambda c: (-c.level, -len(c.entity_ids), c.id))
        self._at = known = {community.id: at for at, community in enumerate(self._all)}
        below: dict[int, list[int]] = {}
        self._below = below
        for at, community in enumerate(self._all):
            parent = community.parent_id
            below.setdefault(known.get(parent, -1) if parent is not None else -1, []).append(at)
        self._refilter()
        self.endResetModel()

    def renew(self, communities: Sequence[Community]) -> bool:
        """Show these of the communities as they are now, each in its row; False, and nothing done, where one has none
        yet or is inside another one now."""
        places = [self._at.get(community.id, -1) for community in communities]
        if any(
            at < 0 or self._all[at].parent_id != community.parent_id
            for at, community in zip(places, communities, strict=True)
        ):
            return False
        for at, community in zip(places, communities, strict=True):
            self._all[at] = community
            if self._words:
                (self._matching.add if self._matches(at) else self._matching.discard)(at)
            branch = self._branches.get(self._parent_of(at))
            if branch is not None and self._row.get(at, branch.taken) < branch.taken:
                index = self.createIndex(self._row[at], 0, at)
                self.dataChanged.emit(index, index)
        return True

    def set_filter(self, text: str) -> None:
        """Leave what has all words in its label, with everything around and inside it."""
        self.beginResetModel()
        self._words = text.casefold().split()
        self._refilter()
        self.endResetModel()

    def _refilter(self) -> None:
        self._branches, self._row = {}, {}
        if not self._words:  # the usual case, and quick for tens of thousands
            self._matching = set(range(len(self._all)))
            for parent, inside in self._below.items():
                self._branches[parent] = _Branch(inside)
                self._row.update(zip(inside, range(len(inside)), strict=True))
            return
        matches = self._matches
        self._matching = {at for at in range(len(self._all)) if matches(at)}
        retained = set(self._matching)
        for at in self._matching:
            retained.update(self._around(at))
        for parent, inside in self._below.items():
            # Inside a match everything can be looked at; otherwise only what leads to one.
            show_all = parent in self._matching or self._inside_match(parent)
            visible = inside if show_all else [at for at in inside if at in retained]
            if visible:
                self._branches[parent] = _Branch(visible)
                self._row.update((at, row) for row, at in enumerate(visible))

    def _matches(self, at: int) -> bool:
        label = self._all[at].label.casefold()
        return all(word in label for word in self._words)

    def _inside_match(self, at: int) -> bool:
        return any(above in self._matching for above in self._around(at))

    def _around(self, at: int) -> Iterator[int]:
        """Yield the places of all that hold one, the nearest first."""
        while at >= 0 and (at := self._parent_of(at)) >= 0:
            yield at

    def _parent_of(self, at: int) -> int:
        if at < 0:
            return -1
        parent = self._all[at].parent_id
        return self._at.get(parent, -1) if parent is not None else -1

    # ------------------------------------------------------------ what the panel asks

    @property
    def communities(self) -> Sequence[Community]:
        """Return all of them, the top level first."""
        return self._all

    @property
    def found(self) -> int:
        """Return how many match the filter."""
        return len(self._matching)

    def get(self, community: int) -> Community | None:
        at = self._at.get(community)
        return self._all[at] if at is not None else None

    def path_to(self, community: int) -> list[Community]:
        """From the top down to one, itself included; nothing for one that is not there."""
        at = self._at.get(community)
        if at is None:
            return []
        return [self._all[each] for each in (*reversed(list(self._around(at))), at)]

    def inside(self, community: int) -> list[Community]:
        """Return those right below one, the largest first."""
        return [self._all[at] for at in self._below.get(self._at.get(community, -2), ())]

    def index_of(self, community: int) -> QModelIndex:
        """Return where a community is, its row taken if need be; invalid where the filter hides it."""
        at = self._at.get(community, -1)
        if at not in self._row:
            return QModelIndex()
        parent = self._parent_of(at)
        above = self.index_of(self._all[parent].id) if parent >= 0 else QModelIndex()
        branch = self._branches[parent]
        while branch.taken <= self._row[at]:
            self.fetchMore(above)
        return self.createIndex(self._row[at], 0, at)

    def holding_matches(self) -> list[Community]:
        """Return those that must be open for every match to be seen, the top first; none without a filter."""
        if not self._words:
            return []
        wanted = {above for at in self._matching for above in self._around(at)}
        return [self._all[at] for at in sorted(wanted)]

    # ------------------------------------------------------------ what the view asks

    def _branch(self, parent: Index) -> _Branch | None:
        if parent.isValid() and parent.column() != 0:
            return None
        return self._branches.get(int(parent.internalId()) if parent.isValid() else -1)

    def hasChildren(self, parent: Index = ROOT) -> bool:  # noqa: N802 - Qt's name
        return self._branch(parent) is not None

    def rowCount(self, parent: Index = ROOT) -> int:  # noqa: N802 - Qt's name
        branch = self._branch(parent)
        return branch.taken if branch is not None else 0

    def columnCount(self, parent: Index = ROOT) -> int:  # noqa: N802 - Qt's name
        return 1

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802 - Qt's name
        branch = self._branch(parent)
        return branch is not None and branch.taken < len(branch.visible)

    def fetchMore(self, parent: Index) -> None:  # noqa: N802 - Qt's name
        branch = self._branch(parent)
        if branch is None or branch.taken >= len(branch.visible):
            return
        end = min(branch.taken + BATCH, len(branch.visible))
        self.beginInsertRows(parent, branch.taken, end - 1)
        branch.taken = end
        self.endInsertRows()

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        branch = self._branch(parent)
        if branch is None or column != 0 or not 0 <= row < branch.taken:
            return QModelIndex()
        return self.createIndex(row, 0, branch.visible[row])

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]
        if not index.isValid():
            return QModelIndex()
        above = self._parent_of(int(index.internalId()))
        return self.createIndex(self._row[above], 0, above) if above >= 0 else QModelIndex()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        at = int(index.internalId())
        community = self._all[at]
        if role == Qt.ItemDataRole.DisplayRole:
            return name_of(community)
        if role == COMMUNITY:
            return community
        if role == MATCHES:
            return at in self._matching
        if role == Qt.ItemDataRole.AccessibleTextRole:
            size = size_words(community, len(self._below.get(at, ())))
            return tr("{community}, {size}", community=name_of(community), size=size)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{name_of(community)}\n{size_words(community, len(self._below.get(at, ())))}")
        return None


def name_of(community: Community) -> str:
    """Return its label; its number where it has none."""
    return " ".join(community.label.split()) or tr("Community {number}", number=str(community.id + 1))


def size_words(community: Community, inside: int = 0) -> str:
    """`Level 2, 34 entities, 5 communities inside`."""
    entities = trn("{count} entity", "{count} entities", len(community.entity_ids))
    size = tr("Level {level}, {entities}", level=community.level, entities=entities)
    if not inside:
        return size
    return trn("{size}, {count} community inside", "{size}, {count} communities inside", inside, size=size)
