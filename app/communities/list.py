"""The communities as a tree: colour mark, label, size; a word filters all levels. Below it how good the levels are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QFont, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from app.answers.communities_model import COMMUNITY, MATCHES, CommunityTree, Index, name_of
from app.look import theme
from app.look.painting import paint_text
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.copying import CopyKeys, Rows, make_copyable
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from app.widgets.legend import paint_mark
from app.widgets.row_list import RowDelegate
from core.types import Community, CommunityQuality

ROW = 32
MOST_LINES = 40  # lines of the view that are looked at for one that is still there
FILTER_FROM = 12  # fewer communities need no filter


class _Row(RowDelegate):
    HEIGHT = ROW

    def draw_chosen(self, painter: QPainter, box: QRect) -> None:
        """Draw nothing: the view itself marks the full width."""

    def draw(self, painter: QPainter, box: QRect, index: Index) -> None:
        community = index.data(COMMUNITY)
        paint_mark(painter, QPointF(box.left() + 12, box.center().y() + 0.5), 6, community.colour)
        text, size = box.adjusted(26, 0, -12, 0), f"{len(community.entity_ids):,}"
        wide = paint_text(painter, text, size, "muted", place=Qt.AlignmentFlag.AlignRight)
        text.setWidth(text.width() - wide - 8)
        weight = QFont.Weight.Normal if index.parent().isValid() else QFont.Weight.DemiBold
        # What only leads to a match steps back.
        paint_text(
            painter, text, name_of(community), "text" if index.data(MATCHES) else "muted", weight=weight
        )


class _View(CopyKeys, QTreeView):
    """Tells a double click, which opens and closes, from two clicks."""

    def __init__(self) -> None:
        super().__init__()
        self.double = False

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        self.double = False
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        self.double = True
        super().mouseDoubleClickEvent(event)

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802
        """The chosen row is marked over its whole width, indent and all."""
        if self.selectionModel().isSelected(index):
            row = QRect(0, options.rect.top(), self.viewport().width(), options.rect.height())
            painter.fillRect(row, theme.current().color("accent_soft"))
            painter.fillRect(QRect(0, row.top(), 3, row.height()), theme.current().color("accent"))
        super().drawRow(painter, options, index)


class CommunityList(QWidget):
    """Signals: toggled(id) by a click, which may also let go; chosen(id) by Enter or a double click."""

    toggled = Signal(int)
    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = CommunityTree(self)
        self.filter = line_edit(tr("Filter all levels"), tr("Filter communities of all levels"), clear=True)
        self.filter.textChanged.connect(self._on_filter)
        self.nothing = PlainLabel(kind="muted", wrap=True)
        self.nothing.setContentsMargins(12, 4, 12, 4)
        self.nothing.hide()
        self.tree = _View()
        self._dress()
        self._open: set[int] = set()  # what is open while a filter opens others
        self._filter_row = QWidget()
        row(self.filter, margins=(12, 0, 12, 4), on=self._filter_row)
        column(self._filter_row, self.nothing, (self.tree, 1), spacing=0, on=self)

    def _dress(self) -> None:
        tree = self.tree
        tree.setModel(self.model)
        tree.setItemDelegate(_Row(tree))
        tree.setHeaderHidden(True)
        tree.setFrameShape(QFrame.Shape.NoFrame)
        tree.setObjectName("communityTree")
        tree.setStyleSheet(
            "QTreeView#communityTree { border: none; border-radius: 0;"
            " selection-background-color: transparent; }"
            " QTreeView#communityTree::item:selected { background: transparent; }"
        )
        tree.setUniformRowHeights(True)
        tree.setIndentation(18)
        theme.follow(tree, lambda: tree.setMinimumHeight(2 * theme.px(ROW)))
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.setAccessibleName(tr("Communities, largest first, with the number of their entities"))
        tree.clicked.connect(self._on_clicked)
        tree.activated.connect(lambda index: self.chosen.emit(index.data(COMMUNITY).id))
        make_copyable(tree, self._rows)

    # ------------------------------------------------------------ content

    def set_communities(self, communities: list[Community]) -> None:
        """Show these; what was open stays open, and what stood at the top of the view stays there."""
        opened, top_ids = self._expanded(), self._at_top()
        self.model.set_communities(communities)
        self._filter_row.setVisible(len(communities) >= FILTER_FROM)
        self._expand(opened)
        self._expand_matches()
        self._put_at_top(top_ids)

    def _at_top(self) -> list[int]:
        """The communities that are seen, from the first line of the view down; none where it is not scrolled."""
        tree = self.tree
        index = tree.indexAt(QPoint(4, 1))
        visible_ids: list[int] = []
        while tree.verticalScrollBar().value() and index.isValid() and len(visible_ids) < MOST_LINES:
            visible_ids.append(index.data(COMMUNITY).id)
            index = tree.indexBelow(index)
        return visible_ids

    def _put_at_top(self, visible_ids: Sequence[int]) -> None:
        """Scroll to the first of these that is still there."""
        index = next((at for each in visible_ids if (at := self.model.index_of(each)).isValid()), None)
        if index is not None:
            self.tree.scrollTo(index, QTreeView.ScrollHint.PositionAtTop)

    def select(self, community: int | None, go: bool = True) -> None:
        """Mark one as chosen, None or one that the filter hides: none. go: bring it in sight."""
        index = self.model.index_of(community) if community is not None else QModelIndex()
        if not index.isValid():
            self.tree.clearSelection()
            return
        flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.tree.setAutoScroll(go)
        self.tree.selectionModel().setCurrentIndex(index, flag)
        self.tree.setAutoScroll(True)
        if go:
            self.tree.scrollTo(index)

    def _rows(self) -> Rows:
        """Return the chosen community, or all, with the number of their entities."""
        chosen = [index.data(COMMUNITY) for index in self.tree.selectedIndexes()]
        cells = ((name_of(each), str(len(each.entity_ids))) for each in chosen or self.model.communities)
        return Rows((tr("Community"), tr("Entities")), tuple(cells))

    # ------------------------------------------------------------ parts

    def _on_clicked(self, index: QModelIndex) -> None:
        community: Community = index.data(COMMUNITY)
        (self.chosen if self.tree.double else self.toggled).emit(community.id)

    def _on_filter(self, text: str) -> None:
        chosen = [index.data(COMMUNITY).id for index in self.tree.selectedIndexes()]
        if not self._open and not self.model.holding_matches():
            self._open = self._expanded()
        self.model.set_filter(text)
        if text.strip():
            self._expand_matches()
        else:
            self._expand(self._open)
            self._open = set()
        self.select(chosen[0] if chosen else None)
        none = bool(text.strip()) and not self.model.found
        self.nothing.setVisible(none)
        self.nothing.setText(tr("No community has “{name}” in its name.", name=text.strip()) if none else "")
        found = trn("{count} community found", "{count} communities found", self.model.found)
        self.filter.setAccessibleDescription(found if text.strip() else "")

    def _expanded(self) -> set[int]:
        """Return those that are open. Rows that were never taken cannot be: they are not looked at."""
        found: set[int] = set()
        inside = [QModelIndex()]
        while inside:
            parent = inside.pop()
            for at in range(self.model.rowCount(parent)):
                index = self.model.index(at, 0, parent)
                if self.tree.isExpanded(index):
                    found.add(index.data(COMMUNITY).id)
                    inside.append(index)
        return found

    def _expand(self, wanted: set[int]) -> None:
        for community in self.model.communities:
            if community.id in wanted:
                self.tree.expand(self.model.index_of(community.id))

    def _expand_matches(self) -> None:
        for community in self.model.holding_matches():
            self.tree.expand(self.model.index_of(community.id))


class QualityLine(ElidedLabel):
    """Counts and modularity of the top level; its tooltip has the figures of all."""

    def __init__(self) -> None:
        self._figures, self._wanted = "", True
        super().__init__(kind="small", end=True)
        self.set_margins(12, 0, 12, 6)
        self.hide()

    def show_quality(self, quality: Sequence[CommunityQuality]) -> None:
        """Show the figures of each level; without any the line is not seen."""
        levels = sorted(quality, key=lambda row: -row.level)
        self._figures = "\n".join(level_words(row) for row in levels)
        if levels:
            counts = " / ".join(f"{row.communities:,}" for row in levels)
            self.setText(
                trn(
                    "{count} level: {counts} communities, modularity {modularity}",
                    "{count} levels: {counts} communities, modularity {modularity}",
                    len(levels),
                    counts=counts,
                    modularity=f"{levels[0].modularity:.2f}",
                )
            )
            self.setAccessibleDescription(self._figures)
        self.setVisible(self._wanted and bool(self._figures))

    def set_wanted(self, wanted: bool) -> None:
        """Set whether there is room for the line."""
        self._wanted = wanted
        self.setVisible(wanted and bool(self._figures))

    def _update_tip(self) -> None:
        set_tip(self, self._figures)


def level_words(row: CommunityQuality) -> str:
    """Return the figures of one level in a sentence."""
    return trn(
        "Level {level}: {count} community of {smallest} to {largest} entities (half have at most {median}), "
        "modularity {modularity}, {coverage} of the facts' strength inside",
        "Level {level}: {count} communities of {smallest} to {largest} entities (half have at most {median}), "
        "modularity {modularity}, {coverage} of the facts' strength inside",
        row.communities,
        level=str(row.level),
        smallest=row.smallest,
        largest=row.largest,
        median=f"{row.median:,}",
        modularity=f"{row.modularity:.2f}",
        coverage=f"{row.coverage:.0%}",
    )
