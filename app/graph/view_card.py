"""The card "View" upon the graph: filters, what is hidden and pinned, colours and sizes, saved views."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from app.graph.canvas.canvas import GraphCanvas
from app.graph.filters import FilterForm
from app.graph.shapes import GraphShaping, attribute_words
from app.look import theme
from app.look.plain_text import button_words
from app.look.translation import tr, trn
from app.session.session import Message, Session
from app.widgets.buttons import block, push_button, tool_button
from app.widgets.fields import ChoiceBox, Segments, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, column, drop, grid, line, row
from core.errors import CoreError
from core.progress import TaskContext
from core.types import SavedView
from core.types.graph_shape import NAMED, NUMBERED

if TYPE_CHECKING:
    from core.workspace import Workspace


_READING, _KEEPING = "kept views", "keeping a view"  # not shown
_EDGE, _TOP, _WIDTH = 12, 48, 320  # pixels
FILTER, LOOKS, VIEWS = "filter", "looks", "kept"  # not shown


class SavedViews(QWidget):
    """The list and the field with the name of the next one."""

    def __init__(self, session: Session, shaping: GraphShaping, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._shaping = session, shaping
        self._tasks = session.tasks.owned_by(self)
        self.views: list[SavedView] = []
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
            self._tasks.start(_READING, lambda _: workspace.graph_views.all(), self._fill)

    def _show_blocked(self) -> None:
        reason = self._session.shut or ("" if self.name.text().strip() else tr("Type a name first."))
        block(
            self.keep,
            reason,
            tr("Keep filters, what is hidden and pinned, colours and the view by this name"),
        )
        self.name.setReadOnly(bool(self._session.shut))

    def _fill(self, views: list[SavedView]) -> None:
        self.views = views
        focused = next((view.saved.name for view in self.rows if view.isAncestorOf(view.focusWidget())), "")
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

    def open_view(self, view: SavedView, _: bool = False) -> None:
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
        name, other = one.saved.name, one.field.text()
        one.end()
        if other.strip() != name:
            self._write(lambda workspace: workspace.graph_views.rename(name, other))

    def _forget(self, view: SavedView, _: bool = False) -> None:
        self._write(lambda workspace: workspace.graph_views.forget(view.name))
        undo = partial(self._write, lambda workspace: workspace.graph_views.keep(view))
        words = tr("The view “{name}” is deleted.", name=view.name)
        self._session.message_posted.emit(Message(words, "info", "", tr("Undo"), undo))

    def _write(self, act: Callable[[Workspace], None]) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(_: TaskContext) -> list[SavedView]:
            act(workspace)
            return workspace.graph_views.all()

        self._tasks.start(_KEEPING, work, self._fill, failed=self._refused)

    def _refused(self, error: CoreError) -> None:
        self._session.notify_error(error)
        self.read()


class ViewRow(QWidget):
    """The name of a view, which opens it, and what else can be done with it."""

    def __init__(self, saved: SavedView, shut: str) -> None:
        super().__init__()
        self.saved = saved
        self.open = push_button(
            button_words(saved.name), kind="link", icon="bookmark-simple", tip=tr("Opens this view")
        )
        self.edit = tool_button("pencil-simple", tr("Rename {name}", name=saved.name))
        self.forget = tool_button("trash", tr("Delete {name}", name=saved.name))
        for button in (self.edit, self.forget):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            block(button, shut, button.accessibleName())
        self.field = line_edit(tr("Another name"))
        self.field.hide()
        self.field.installEventFilter(self)
        row((self.open, 1), (self.field, 1), self.edit, self.forget, spacing=2, on=self)

    def begin(self) -> None:
        """Type another name in place of the one that is there."""
        self.field.setText(self.saved.name)
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


class ShapeCard(QFrame):
    """Shown by its command; Esc closes it. Signal: opened(bool)."""

    opened = Signal(bool)

    def __init__(self, session: Session, shaping: GraphShaping, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._shaping, self._canvas = shaping, canvas
        self.setProperty("kind", "card")
        self.setAccessibleName(tr("View of the graph"))
        self.undo = tool_button("arrow-counter-clockwise", tr("Undo the last change of the view"))
        self.redo = tool_button("arrow-clockwise", tr("Do the undone change of the view again"))
        self.close_button = tool_button("x", tr("Close this card"), self.close_card)
        self.form = FilterForm(shaping)
        self.colour_by, self.size_by = (
            _choice(tr("Colour by"), NAMED + NUMBERED),
            _choice(tr("Size by"), NUMBERED),
        )
        self.colour_by.activated.connect(lambda at: shaping.change(colour=self.colour_by.itemData(at)))
        self.size_by.activated.connect(lambda at: shaping.change(size=self.size_by.itemData(at)))
        self.hidden, self.pinned = PlainLabel(), PlainLabel()
        self.show_hidden = push_button(tr("Show again"), shaping.show_hidden, kind="quiet")
        self.unpin = push_button(tr("Let go"), self._unpin, kind="quiet")
        self.views = SavedViews(session, shaping)
        self._lay_out()
        self.hide()
        shaping.changed.connect(self.refresh)
        canvas.installEventFilter(self)
        theme.follow(self, self.place)

    def _lay_out(self) -> None:
        buttons = (self.undo, self.redo, self.close_button)
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._put_away = QWidget()
        lines = ((self.hidden, self.show_hidden), (self.pinned, self.unpin))
        put_away = grid(lines, across=8, down=0)
        put_away.setColumnStretch(0, 1)
        column(line(), put_away, spacing=12, on=self._put_away)
        looks = grid(
            ((PlainLabel(tr("Colour by")), self.colour_by), (PlainLabel(tr("Size by")), self.size_by)),
            across=8, down=6, wide=1,
        )  # fmt: skip
        self._looks = QWidget()
        column(looks, self._put_away, STRETCH, spacing=12, on=self._looks)
        self.pages = {FILTER: self.form, LOOKS: self._looks, VIEWS: self.views}
        words = {FILTER: tr("Filter"), LOOKS: tr("Look"), VIEWS: tr("Kept")}
        segments = Segments(words, self.turn_to)
        self.tabs = segments.buttons
        head = QWidget()
        row(segments, STRETCH, *buttons, spacing=2, on=head)
        self._head = head
        self._inside = QWidget()
        # As tall as its width makes it: the least height is that of a width at which each toggle has a line of its own.
        self._inside.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._column = column(
            *((page, TOP) for page in self.pages.values()), STRETCH, margins=(0, 0, 8, 0), on=self._inside
        )
        self.area = QScrollArea(widgetResizable=True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self._inside)
        self.area.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)
        column(head, (self.area, 1), spacing=8, margins=(12, 8, 4, 8), on=self)
        self.turn_to(FILTER)

    # ------------------------------------------------------------ open and close

    def turn(self) -> None:
        """Open the card, or close it."""
        if self.isVisible():
            self.close_card()
        else:
            self.open_card()
            self.tabs[self.page].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def open_card(self) -> None:
        self.show()
        self.raise_()
        self.refresh()
        self.place()
        self._shaping.look_at_columns(True)
        self.views.read()
        self.opened.emit(True)

    def close_card(self) -> None:
        had_focus = self.isAncestorOf(self.window().focusWidget() or self._canvas)
        self.hide()
        self._shaping.look_at_columns(False)
        self.opened.emit(False)
        if had_focus:
            self._canvas.setFocus()

    def turn_to(self, page: str, _: bool = False) -> None:
        """Show one of the pages."""
        self.page = page
        self.tabs[page].setChecked(True)
        for each, widget in self.pages.items():
            widget.setVisible(each == page)
        self.area.verticalScrollBar().setValue(0)
        self.refresh()

    def name_view(self) -> None:
        """Focus the field with the name of a view that is to be saved."""
        if not self.isVisible():
            self.open_card()
        self.turn_to(VIEWS)
        self.views.name.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def place(self) -> None:
        """Along the left edge of the canvas, under its counts, as high as it needs or there is room."""
        room = self._canvas.size()
        width = min(theme.px(_WIDTH), room.width() - 2 * _EDGE)
        self.form.setMaximumWidth(width - 32)
        box = self._column
        inside = box.totalHeightForWidth(width - 24) if box.hasHeightForWidth() else box.sizeHint().height()
        wanted = inside + self._head.sizeHint().height() + 32
        top = min(theme.px(_TOP), max(room.height() - theme.px(320), _EDGE))
        self.setGeometry(_EDGE, top, width, max(min(wanted, room.height() - top - _EDGE), theme.px(120)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.close_card()
        event.accept()  # keys that nobody wants here are not for the graph below

    # ------------------------------------------------------------ content

    def refresh(self) -> None:
        """Show the current shape."""
        if not self.isVisible():
            return
        shape = self._shaping.shape
        self.form.refresh()
        for box, value in ((self.colour_by, shape.colour), (self.size_by, shape.size)):
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(value))
        hidden, pinned = len(shape.hidden), len(shape.pinned)
        self.hidden.setText(trn("{count} entity hidden", "{count} entities hidden", hidden))
        self.pinned.setText(trn("{count} entity pinned", "{count} entities pinned", pinned))
        for count, *parts in ((hidden, self.hidden, self.show_hidden), (pinned, self.pinned, self.unpin)):
            for part in parts:
                part.setVisible(bool(count))
        self._put_away.setVisible(bool(hidden or pinned))
        self.undo.setEnabled(self._shaping.can_undo)
        self.redo.setEnabled(self._shaping.can_redo)
        self.place()

    def _unpin(self) -> None:
        self._shaping.unpin([id for id, *_ in self._shaping.shape.pinned])


def _choice(name: str, attributes: tuple[str, ...]) -> ChoiceBox:
    box = ChoiceBox(name, 12)
    for attribute in attributes:
        box.addItem(attribute_words(attribute), attribute)
    return box
