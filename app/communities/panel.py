"""See the whole: the communities as a tree or as areas, and the report of the one that is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QMenu, QSplitter, QStackedWidget, QWidget
from superqt.utils import qdebounced

from app.answers.communities_model import COMMUNITY, name_of, size_words
from app.communities.list import CommunityList, QualityLine
from app.communities.report import CommunityReportView
from app.communities.report_writer import ReportWriter
from app.look import theme
from app.look.counting import range_words
from app.look.translation import tr
from app.session import operations
from app.session.changes import EVERYTHING, Following
from app.session.panels import Area, PanelSpec
from app.session.scope import about_action
from app.session.selection import Selected
from app.session.session import Session
from app.session.tasks import Lane
from app.widgets.breadcrumb import Breadcrumb
from app.widgets.buttons import tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from app.widgets.notices import EmptyState
from app.widgets.treemap import Treemap
from app.widgets.treemap_tiles import TreemapItem
from core.progress import TaskContext
from core.types import Scope

if TYPE_CHECKING:
    from core.errors import CoreError
    from core.types import Changed, Community, CommunityQuality, CommunityReport, InTime
    from core.workspace import Workspace

LIST, TREEMAP = "list", "treemap"
SMALL = 2_000  # entities: of so few all facts are read again for the quality
VIEWS = ((LIST, "list-bullets", tr("Show as a list")), (TREEMAP, "layout", tr("Show as areas (treemap)")))
_REST = 60  # milliseconds: a choice that is passed by is not read
_MOVING = 120  # milliseconds: while the range of dates is moved the rows stay


@dataclass(frozen=True, slots=True)
class _Found:
    """One reading; without the quality where that was not read again."""

    communities: list[Community]
    quality: list[CommunityQuality] | None
    changed: Changed = EVERYTHING
    of_now: bool = True  # or as they were seen last, while they are read
    areas: Sequence[TreemapItem] = ()  # of all, where all were read


class CommunitiesPanel(QWidget):
    """Choosing a community selects it everywhere; choosing it again lets it go."""

    view_changed = Signal(str)  # "list" or "treemap"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._divided = False  # whether the report was given its room
        self._reported_id: int | None = None  # the community whose report is shown
        self._areas: Sequence[TreemapItem] = ()  # of all, where they were made on another thread
        self._all: list[Community] = []  # also those of which nothing is told in the dates of the scope
        self._outdated = False  # whether what is shown is of an older state, and is read again
        self._period: InTime | None = None
        self._sought: int | None = None  # a chosen one that was not among those read last
        self.crumbs = Breadcrumb(tr("All"))
        self.as_list, self.as_treemap = (
            tool_button(icon, words, partial(self.show_as, view), side=26, checkable=True)
            for view, icon, words in VIEWS
        )
        self.list, self.treemap, self.report = CommunityList(), Treemap(), CommunityReportView()
        self.writer = ReportWriter(session)
        self.report.add_writer(self.writer, self.writer.button, self.writer.more, self.writer.stop)
        self.model = self.list.model
        self.views, self.quality = QStackedWidget(), QualityLine()
        self.dates = PlainLabel(kind="small", wrap=True)
        self.empty = EmptyState(
            "circles-three", tr("No communities yet"), tr("They are found when indexing ends.")
        )
        self.stack = QStackedWidget()
        self._lay_out()
        self._read_soon = qdebounced(self._read_report, _REST, parent=self)
        self._keep_soon = qdebounced(self._keep, _MOVING, parent=self)
        self._following = Following(
            self,
            session,
            self._read,
            self._show_read,
            concerns=_concerns,
            failed=self._on_no_communities,
            lane=Lane.GRAPH,
        )
        self._connect()

    def _lay_out(self) -> None:
        page, upper, switch = QWidget(), QWidget(), QButtonGroup(self)
        column(self.treemap, margins=(8, 4, 8, 8), on=page)
        self.views.addWidget(self.list)
        self.views.addWidget(page)
        switch.addButton(self.as_list)
        switch.addButton(self.as_treemap)
        self.as_list.setChecked(True)
        top = row((self.crumbs, 1), self.as_list, self.as_treemap, spacing=2, margins=(8, 4, 8, 0))
        self.dates.setContentsMargins(12, 0, 8, 0)
        self.dates.hide()
        column(top, self.dates, (self.views, 1), self.quality, spacing=theme.GRID, on=upper)
        self.split = QSplitter(Qt.Orientation.Vertical, handleWidth=1, childrenCollapsible=False)
        self.split.addWidget(upper)
        self.split.addWidget(self.report)
        self.split.setStretchFactor(0, 2)
        self.split.setStretchFactor(1, 3)
        self.report.hide()
        crumb = self.crumbs.crumbs[0]
        parts = (crumb, self.as_list, self.as_treemap, self.list.filter, self.list.tree, self.treemap)
        for one, next_ in pairwise((*parts, self.report.copy)):
            QWidget.setTabOrder(one, next_)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.split)
        column(self.stack, on=self)

    def _connect(self) -> None:
        session = self._session
        self.crumbs.went.connect(self._on_crumb)
        self.list.toggled.connect(self._toggle)
        self.list.chosen.connect(partial(operations.select_community, session))
        self.list.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.tree.customContextMenuRequested.connect(self._row_menu)
        self.treemap.chosen.connect(self._toggle)
        self.treemap.opened.connect(lambda _: self._say_place())
        self.treemap.rose.connect(lambda _: self._say_place())
        self.report.entity_wanted.connect(partial(operations.select_entity, session))
        self.report.place_wanted.connect(partial(operations.select_citation, session))
        self.report.document_wanted.connect(partial(operations.select_document, session))
        self.report.changed.connect(self.writer.show_report)
        self.report.again_wanted.connect(self._read_report)
        self.report.closed.connect(self._close_report)
        session.workspace_opened.connect(self._on_opened)
        session.workspace_closed.connect(self._on_closed)
        session.selection.changed.connect(self._on_selection)
        session.time.changed.connect(self._keep_to)

    # ------------------------------------------------------------ content

    def refresh(self) -> None:
        """Read the communities again, off this thread."""
        self._following.again()

    def _read(self, workspace: Workspace, changed: Changed, _: TaskContext) -> _Found:
        known, graph = list(self._all), workspace.graph
        if not (known or self._outdated) and (cached := graph.at_hand()) is not None:
            found = list(cached[0].communities)
            return _Found(found, cached[1], of_now=cached[2], areas=areas_of(found))
        if changed.everything or not known:
            found = graph.communities()
            return _Found(found, graph.community_quality(), areas=areas_of(found))
        now = graph.renewed_communities(known, changed)
        small = sum(len(one.entity_ids) for one in now if one.parent_id is None) <= SMALL
        # Of a large graph a decision moves no digit that is shown, and all of it would be read.
        return _Found(now, graph.community_quality() if small else None, changed)

    def _show_read(self, found: _Found) -> None:
        changed, quality = found.changed, found.quality
        self._outdated = not found.of_now
        if self._outdated:
            QTimer.singleShot(0, self, self.refresh)
        if quality is not None:
            self.quality.show_quality(quality)
        ids = changed.communities | changed.reports
        now = [one for one in found.communities if one.id in ids] if ids else []
        if (
            changed.everything
            or self._period is not None
            or len(found.communities) != len(self.model.communities)
            or not self.model.renew(now)
        ):
            self.show_communities(found.communities, found.areas)
            return
        self._all, self._areas = found.communities, ()
        self.treemap.renew([self._item(one) for one in now])
        if self._reported_id in ids:
            self._renew_report(self._reported_id)
        self._say_place()
        self._warn_if_gone()

    def _on_opened(self) -> None:
        self.empty.set_text(tr("Reading the communities..."))

    def _on_closed(self) -> None:
        self.quality.show_quality(())
        self._period = None
        self.show_communities([])

    def _on_no_communities(self, error: CoreError) -> None:
        """What was shown before stays; where there was nothing, why."""
        if self._all:
            self._session.notify_error(error)
        else:
            self.empty.set_text(
                tr("The communities cannot be read"), f"{error.message} {error.remedy}".strip()
            )

    def show_communities(self, communities: list[Community], areas: Sequence[TreemapItem] = ()) -> None:
        """Show these, of all levels, as far as they are told of in the dates of the scope. `areas` are those of all."""
        self._all, self._areas = communities, areas
        self._keep()

    def _put(self, communities: list[Community], areas: Sequence[TreemapItem] = ()) -> None:
        """`areas` are theirs, where they were made on another thread."""
        self.list.set_communities(communities)
        self.treemap.set_items(areas or [self._item(community) for community in self.model.communities])
        if self._all:
            self.empty.set_text(tr("Nothing is told in these dates"), tr("Choose others under the graph."))
        else:
            self.empty.set_text(tr("No communities yet"), tr("They are found when indexing ends."))
        self.stack.setCurrentIndex(1 if communities else 0)
        chosen = self._chosen()
        if self._reported_id is not None:
            self._renew_report(self._reported_id)
        elif chosen is not None:
            self._show_report(chosen)
        self._mark(chosen, go=False)
        self._warn_if_gone()

    def _item(self, community: Community) -> TreemapItem:
        parent = community.parent_id
        known = parent is not None and self.model.get(parent) is not None
        return area_of(community, len(self.model.inside(community.id)), known)

    def _warn_if_gone(self) -> None:
        """A community that was chosen and is not there, now that all were read again: say so."""
        sought, self._sought = self._sought, None
        current = self._session.selection.current
        if sought is None or current is None or (current.kind, current.id) != ("community", str(sought)):
            return
        if self._get(sought) is None:
            self._session.notify(tr("This community is no longer there: the documents changed since."))
            self._session.selection.clear()

    # ------------------------------------------------------------ the dates of the scope

    def _keep_to(self, period: InTime | None) -> None:
        self._period = period
        self._keep_soon()

    def _keep(self) -> None:
        """Leave out what is not told in the dates of the scope; numbers are of what is."""
        period, communities = self._period, self._all
        self._tasks.drop("told")
        self.dates.setVisible(period is not None)
        self.report.keep_to((period.since, period.until) if period is not None else ("", ""))
        if period is None:
            self._put(communities, self._areas)
            return
        self.dates.setText(tr("Only what is told in {dates}", dates=range_words(*period.visible_days)))
        self._tasks.start(
            "told", lambda _: communities_within(communities, period), lambda found: self._put(*found)
        )

    def _get(self, community: int) -> Community | None:
        """One that lives, empty where nothing is told of it in the dates of the scope."""
        known = self.model.get(community)
        left_out = (replace(one, entity_ids=()) for one in self._all if one.id == community)
        return known if known is not None else next(left_out, None)

    # ------------------------------------------------------------ views

    @property
    def view(self) -> str:
        """`list` or `treemap`."""
        return (LIST, TREEMAP)[self.views.currentIndex()]

    @property
    def entrance(self) -> QWidget:
        """What is given the keyboard first. A focus proxy would have Tab jump over what stands before it."""
        return self.treemap if self.view == TREEMAP else self.list.tree

    def show_as(self, view: str, *_: object) -> None:
        """Change to a list or to areas."""
        areas = view == TREEMAP
        self.views.setCurrentIndex(int(areas))
        (self.as_treemap if areas else self.as_list).setChecked(True)
        self._mark(self._chosen())
        self.view_changed.emit(self.view)

    def _say_place(self) -> None:
        """The way to what is looked at: the place of the treemap, or the report below the list."""
        place = self.treemap.place if self.view == TREEMAP else self._reported_id
        path = self.model.path_to(place) if place is not None else []
        self.crumbs.set_path([(community.id, name_of(community)) for community in path])

    def _on_crumb(self, community: int | None) -> None:
        if self.view == TREEMAP:
            self.treemap.set_place(community)
            self._say_place()
        elif community is None:
            self._close_report()
            self.list.tree.scrollToTop()
        else:
            operations.select_community(self._session, community)

    # ------------------------------------------------------------ selection

    def _chosen(self) -> int | None:
        """Return the community that is selected, where there is one that still lives."""
        current = self._session.selection.current
        if current is None or current.kind != "community":
            return None
        return int(current.id) if self._get(int(current.id)) is not None else None

    def _toggle(self, community: int) -> None:
        if self._chosen() == community:
            self._session.selection.clear()
        else:
            operations.select_community(self._session, community)

    def _on_selection(self, selected: Selected | None) -> None:
        chosen = self._chosen()
        if chosen is not None and chosen != self._reported_id:
            self._show_report(chosen)
        elif chosen is None and (selected is None or selected.kind == "community"):
            self._hide_report()  # an entity or a place of the report leaves it open
            if selected is not None:  # gone, or so new that it was not read yet
                self._sought = int(selected.id)
                self.refresh()
        self._mark(chosen)

    def _mark(self, chosen: int | None, go: bool = True) -> None:
        """Mark what is chosen in both views. go: change to a place of the treemap where it is seen."""
        self.list.select(chosen, go)
        if chosen is not None and go and self.view == TREEMAP:
            self.treemap.reveal(chosen)
        self.treemap.select(chosen)
        self._say_place()

    # ------------------------------------------------------------ report

    def _show_report(self, community: int) -> None:
        known = self._get(community)
        if known is None:
            self._hide_report()
            return
        self._reported_id = community
        self.report.begin(known, len(self.model.inside(community)))
        self._make_room(True)
        self._read_soon()

    def _renew_report(self, community: int) -> None:
        """Read the report again; it stays as it is until another one is there."""
        known = self._get(community)
        if known is None or self.report.report is None:
            self._show_report(community)
            return
        self.report.head(known, len(self.model.inside(community)))
        self._read_soon()

    def _read_report(self) -> None:
        community, opened = self._reported_id, self._session.workspace
        if community is None or opened is None:
            return
        workspace = opened

        def work(_: TaskContext) -> CommunityReport:
            return workspace.reports.get(community)

        self._tasks.start("community report", work, self._on_report, failed=self._on_no_report)

    def _on_report(self, report: CommunityReport) -> None:
        if report.community_id == self._reported_id:
            self.report.show_report(report)

    def _on_no_report(self, error: CoreError) -> None:
        if self._reported_id is not None:
            self.report.show_failed(error)

    def _hide_report(self) -> None:
        self._read_soon.cancel()
        self._tasks.drop("community report")
        self._reported_id = None
        self._make_room(False)
        self.report.clear()

    def _make_room(self, wanted: bool) -> None:
        """For the report, below; the first time it gets more than half, then what the person gave it."""
        self.report.setVisible(wanted)
        self.quality.set_wanted(not wanted)
        if wanted and not self._divided:
            self._divided, height = True, self.split.height()
            self.split.setSizes([height * 2 // 5, height - height * 2 // 5])

    def row_menu(self, community: int) -> QMenu:
        """Return what can be done with a community of the list."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        about_action(self._session, menu, Scope(communities=(community,)))
        return menu

    def _row_menu(self, at: QPoint) -> None:
        index, tree = self.list.tree.indexAt(at), self.list.tree
        if index.isValid():
            self.row_menu(index.data(COMMUNITY).id).popup(tree.viewport().mapToGlobal(at))

    def _close_report(self) -> None:
        if self._chosen() is not None:
            self._session.selection.clear()
        self._hide_report()
        self._say_place()
        self.entrance.setFocus()


def _concerns(changed: Changed) -> bool:
    return bool(changed.communities or changed.reports)


def communities_within(
    communities: Sequence[Community], period: InTime
) -> tuple[list[Community], list[TreemapItem]]:
    """Return those with entities told of in these dates, with these alone, and their areas. For any thread."""
    ids = period.entity_ids
    members = ((one, tuple(filter(ids.__contains__, one.entity_ids))) for one in communities)
    found = [replace(one, entity_ids=entities) for one, entities in members if entities]
    return found, areas_of(found)


def areas_of(communities: Sequence[Community]) -> list[TreemapItem]:
    """Return all of these in the treemap. For any thread."""
    known = {one.id for one in communities}
    inside = Counter(one.parent_id for one in communities)
    return [area_of(one, inside[one.id], one.parent_id in known) for one in communities]


def area_of(community: Community, inside: int, within: bool) -> TreemapItem:
    """In the treemap. inside: communities right below it; within: whether the one above it is there."""
    return TreemapItem(
        community.id,
        community.parent_id if within else None,
        max(len(community.entity_ids), 1),
        name_of(community),
        community.colour,
        size_words(community, inside),
    )


PANEL = PanelSpec("communities", tr("Communities"), Area.LEFT, CommunitiesPanel, share=0.55)
