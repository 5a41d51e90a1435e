"""Views of the graph that a person keeps by name: open one, keep what is seen, rename, forget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.graph.shaping import GraphShaping
from app.look.plain_text import button_words
from app.look.translation import tr
from app.session.session import Message, Session
from app.widgets.buttons import block, push_button, tool_button
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop, row
from core.errors import CoreError
from core.progress import TaskContext
from core.types import KeptView

if TYPE_CHECKING:
    from core.workspace import Workspace

READING, KEEPING = "kept views", "keeping a view"  # not shown


class KeptViews(QWidget):
    """The list and the field with the name of the next one."""

    def __init__(self, session: Session, shaping: GraphShaping, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._shaping = session, shaping
        self._tasks = session.tasks.owned_by(self)
        self.views: list[KeptView] = []
        self.rows: list[ViewRow] = []
        self.name = line_edit(tr("Name of this view"))
        self.keep = push_button(tr("Keep"), self.keep_view)
        self.name.returnPressed.connect(self.keep_view)
        self.name.textChanged.connect(self._show_blocked)
        self._none = PlainLabel(tr("Keep what you see by a name, to come back to it."), "small", wrap=True)
        self._list = column(spacing=0)
        column(self._none, self._list, row((self.name, 1), self.keep), on=self)
        session.blocked_changed.connect(self._show_blocked)
        session.workspace_closed.connect(self._clear)
        self._show_blocked()

    def _clear(self) -> None:
        self._fill([])

    def read(self) -> None:
        """Read the list again, off this thread."""
        workspace = self._session.workspace
        if workspace is not None:
            self._tasks.start(READING, lambda _: workspace.graph_views.all(), self._fill)

    def _show_blocked(self) -> None:
        reason = self._session.shut or ("" if self.name.text().strip() else tr("Type a name first."))
        block(
            self.keep,
            reason,
            tr("Keep filters, what is hidden and pinned, colours and the view by this name"),
        )
        self.name.setReadOnly(bool(self._session.shut))

    def _fill(self, views: list[KeptView]) -> None:
        self.views = views
        focused = next((view.kept.name for view in self.rows if view.isAncestorOf(view.focusWidget())), "")
        drop(self._list, self.rows)
        for view in views:
            one = ViewRow(view, self._session.shut)
            one.open.clicked.connect(partial(self.open_view, view))
            one.forget.clicked.connect(partial(self._forget, view))
            one.edit.clicked.connect(partial(self._begin, one))
            one.field.returnPressed.connect(partial(self._rename, one))
            self.rows.append(one)
            self._list.addWidget(one)
            if view.name == focused:
                one.open.setFocus()
        self._none.setVisible(not views)

    def open_view(self, view: KeptView, _: bool = False) -> None:
        self._shaping.open_view(view)

    def keep_view(self) -> None:
        name = self.name.text().strip()
        if not name or self._session.shut:
            return
        view = self._shaping.view(name)
        self._write(lambda workspace: workspace.graph_views.keep(view))
        self.name.clear()

    def _begin(self, one: ViewRow, _: bool = False) -> None:
        one.begin()

    def _rename(self, one: ViewRow) -> None:
        name, other = one.kept.name, one.field.text()
        one.end()
        if other.strip() != name:
            self._write(lambda workspace: workspace.graph_views.rename(name, other))

    def _forget(self, view: KeptView, _: bool = False) -> None:
        self._write(lambda workspace: workspace.graph_views.forget(view.name))
        undo = partial(self._write, lambda workspace: workspace.graph_views.keep(view))
        words = tr("The view “{name}” is deleted.", name=view.name)
        self._session.told.emit(Message(words, "info", "", tr("Undo"), undo))

    def _write(self, act: Callable[[Workspace], None]) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> list[KeptView]:
            act(workspace)
            return workspace.graph_views.all()

        self._tasks.start(KEEPING, work, self._fill, failed=self._refused)

    def _refused(self, error: CoreError) -> None:
        self._session.tell_error(error)
        self.read()


class ViewRow(QWidget):
    """The name of a view, which opens it, and what else can be done with it."""

    def __init__(self, kept: KeptView, shut: str) -> None:
        super().__init__()
        self.kept = kept
        self.open = push_button(
            button_words(kept.name), kind="link", icon="bookmark-simple", tip=tr("Opens this view")
        )
        self.edit = tool_button("pencil-simple", tr("Rename {name}", name=kept.name))
        self.forget = tool_button("trash", tr("Delete {name}", name=kept.name))
        for button in (self.edit, self.forget):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            block(button, shut, button.accessibleName())
        self.field = line_edit(tr("Another name"))
        self.field.hide()
        self.field.installEventFilter(self)
        row((self.open, 1), (self.field, 1), self.edit, self.forget, spacing=2, on=self)

    def begin(self) -> None:
        """Type another name in place of the one that is there."""
        self.field.setText(self.kept.name)
        self.open.hide()
        self.field.show()
        self.field.setFocus()
        self.field.selectAll()

    def end(self) -> None:
        self.field.hide()
        self.open.show()
        self.open.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Esc leaves the name as it was, and the card open."""
        is_key = event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
        if is_key and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.end()
            return True
        return super().eventFilter(watched, event)
