"""Views of the graph that a person keeps by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.errors import BadInput
from core.store.layout import GraphViews
from core.text.translation import tr
from core.types import SavedView
from core.workspace.handle import WorkspaceHandle


class GraphViewsApi:
    """`workspace.graph_views`. Safe from every thread.

    Nothing of the documents follows from them, so that they need trust but no lock: one can be kept while another
    process indexes. All that writes raises Untrusted, and WorkspaceError where nothing can be written.
    """

    def __init__(self, opened: WorkspaceHandle) -> None:
        self._views = GraphViews(opened.store.settings)
        self._store = opened.store
        self._check_trusted = opened.check_trusted

    def all(self) -> list[SavedView]:
        """By name, whatever its case."""
        return sorted(self._views.all(), key=lambda view: (view.name.casefold(), view.name))

    def keep(self, view: SavedView) -> None:
        """Keep a view, in place of the one of its name. Raises BadInput without a name."""
        name = view.name.strip()
        if not name:
            raise BadInput(tr("A view needs a name."), tr("Type one."))
        self._change(lambda views: [*_without(views, name), replace(view, name=name)])

    def rename(self, name: str, other: str) -> None:
        """Raises BadInput where there is none of that name, or one of the other, or no other name."""
        other = other.strip()
        if not other:
            raise BadInput(tr("A view needs a name."), tr("Type one."))
        names = [view.name for view in self.all()]
        if name not in names:
            raise BadInput(tr("There is no view called “{name}”.", name=name))
        if other != name and other in names:
            raise BadInput(
                tr("There is a view called “{name}” already.", name=other), tr("Take another name.")
            )
        self._change(lambda views: [replace(one, name=other) if one.name == name else one for one in views])

    def forget(self, name: str) -> None:
        """One that is not kept is passed by."""
        self._change(lambda views: _without(views, name))

    def _change(self, act: Callable[[list[SavedView]], list[SavedView]]) -> None:
        self._check_trusted()
        with self._store.database.transaction():
            self._views.set(act(self._views.all()))


def _without(views: list[SavedView], name: str) -> list[SavedView]:
    return [view for view in views if view.name != name]
