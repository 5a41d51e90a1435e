"""The three zones around the graph, made of docks that can be moved, split, stacked, floated and hidden."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from PySide6.QtCore import QByteArray, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QSizePolicy, QTabWidget, QWidget
from shiboken6 import isValid

from app.ask.panel import AskPanel
from app.communities.panel import CommunitiesPanel
from app.evidence.panel import EvidencePanel
from app.explain.panel import ExplainPanel
from app.graph.panel import GraphPanel
from app.language_models.panel import ModelsPanel
from app.library.panel import LibraryPanel
from app.look import theme
from app.look.translation import tr
from app.reader.panel import ReaderPanel
from app.review.panel import ReviewPanel
from app.session import operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.shell import features
from app.shell.perspectives import Perspective, everyday, narrowed
from app.widgets.buttons import tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, row
from core.types.review import ANSWER

_TITLE = 34  # pixels


class _Title(QWidget):
    """The panel's name and a button that hides it. Dragging moves the dock, a double click floats it."""

    def __init__(self, dock: QDockWidget, name: str, least: int) -> None:
        super().__init__(dock)
        self._least = least
        hide = tool_button(
            "x", tr("Hide {panel}; the View menu brings it back", panel=name), dock.hide, side=24
        )
        hide.setAutoRaise(True)
        hide.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        hide.setAccessibleName(tr("Hide {panel}", panel=name))
        row(PlainLabel(name, "caps"), STRETCH, hide, spacing=4, margins=(12, 0, 4, 0), on=self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._tall = True
        theme.follow(self, self._fit)

    def set_tall(self, tall: bool) -> None:
        """Beside others it has no height, though its parts would claim theirs."""
        self._tall = tall
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(self._height())
        self.updateGeometry()  # the least width follows the size of text, too

    def _height(self) -> int:
        return theme.px(_TITLE) if self._tall else 0

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        # A dock is never narrower than its title, shown or not; a least width of the panel would hide what it needs.
        return QSize(max(super().minimumSizeHint().width(), theme.px(self._least)), self._height())


class PanelDock(QDockWidget):
    def __init__(self, spec: PanelSpec, panel: QWidget, bench: QMainWindow) -> None:
        super().__init__(spec.title, bench)
        self.setObjectName(f"dock-{spec.id}")
        self.setWidget(panel)
        self._bench = bench
        self._front = False
        self._settling = QTimer(self, interval=0, singleShot=True)
        self._settling.timeout.connect(self._settle)
        self.visibilityChanged.connect(self._on_visible)
        self.toggleViewAction().triggered.connect(self._on_wanted)
        self._title = _Title(self, spec.title, spec.least)
        self.setTitleBarWidget(self._title)

    @property
    def placed(self) -> bool:
        """Return whether it has a place in the workbench, even behind another panel."""
        return self.toggleViewAction().isChecked()

    def come(self) -> None:
        """Show it, in front of those that share its place."""
        self.show()
        self.raise_()

    def _on_wanted(self, placed: bool) -> None:
        """Raise it as well: the menu itself only gives its tab back."""
        if placed:
            self.come()

    def _on_visible(self, front: bool) -> None:
        self._front = front
        self._settling.start()

    def _settle(self) -> None:
        # Qt only moves the docks behind another out of sight: no event tells what they hold.
        if (notify := getattr(self.widget(), "set_in_front", None)) is not None:
            notify(self._front)

    def fit_title(self) -> None:
        """Hide the title where its tab says its name already."""
        neighbours = [each for each in self._bench.tabifiedDockWidgets(self) if not each.isHidden()]
        tabbed = bool(neighbours) and not self.isFloating()
        self._title.set_tall(not tabbed)


NARROW = 900  # pixels of a window, at 100 %, that has no room for columns on both sides
LAYOUT = 2  # raised when the docks change, so that a saved layout of another shape is not restored
EXPLAIN, TRACE = "dock-explain", "dock-trace"  # as saved layouts name them
SIDES = {
    Area.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    Area.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    Area.BOTTOM: Qt.DockWidgetArea.BottomDockWidgetArea,
}
Panel = TypeVar("Panel", bound=QWidget)


class Workbench(QMainWindow):
    """All panels of an open workspace."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self._session = session
        self.specs = tuple(features.PANELS)
        self.panels = {spec.id: spec.make(session) for spec in self.specs}
        for spec in self.specs:
            self.panels[spec.id].setAccessibleName(spec.title)
        self.graph, self.library = self._panel(GraphPanel), self._panel(LibraryPanel)
        self.communities, self.ask = self._panel(CommunitiesPanel), self._panel(AskPanel)
        self.evidence, self.reader = self._panel(EvidencePanel), self._panel(ReaderPanel)
        self.explain, self.models = self._panel(ExplainPanel), self._panel(ModelsPanel)
        self.review = self._panel(ReviewPanel)
        center = next(spec for spec in self.specs if spec.area is Area.CENTER)
        self.setCentralWidget(self.panels[center.id])
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.setDocumentMode(True)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self._room = QTimer(self, interval=0, singleShot=True)
        self._room.timeout.connect(self._fit_room)
        docked = [spec for spec in self.specs if spec is not center]
        self.docks = {spec.id: PanelDock(spec, self.panels[spec.id], self) for spec in docked}
        for spec in docked:
            dock = self.docks[spec.id]
            dock.visibilityChanged.connect(self._on_moved)
            dock.dockLocationChanged.connect(self._on_moved)
            dock.topLevelChanged.connect(self._on_moved)
            self.addDockWidget(SIDES[spec.area], dock)
            if not spec.everyday:  # else it makes the others narrow, and so high, before all are arranged
                dock.hide()
        session.commands.add(self, *self._commands())
        session.selection.changed.connect(self._on_selection)
        self._narrow, self._needs = False, 0  # pixels at 100 %: what lies side by side is not narrower
        self._roomy: QByteArray | None = None  # how the panels lay before they came together
        theme.notifier().changed.connect(self._room.start)
        self.ask.trace_wanted.connect(partial(session.commands.run, "explain.timeline"))
        self.ask.review_wanted.connect(self._review_proposed)
        self.ask.models_wanted.connect(partial(self.focus, self.models))
        self.reader.fact_wanted.connect(self._state_fact)
        self.evidence.community_wanted.connect(self.show_community)
        self.ask.community_chosen.connect(self.docks["communities"].come)

    def _panel(self, kind: type[Panel]) -> Panel:
        """Return the panel of a kind that the shell talks to."""
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def _on_moved(self) -> None:
        for dock in self.docks.values():
            if isValid(dock):  # with the window they die one after the other, and each tells that it moved
                dock.fit_title()
        self._room.start()

    def arrange(self, wanted: Perspective | None = None) -> None:
        """Bring all panels to their places, whatever was hidden, moved or floated; None: the default."""
        self._needs = 0
        self._arrange(wanted or everyday(self.specs))

    def _arrange(self, wanted: Perspective) -> None:
        self._narrow = self._short_of_room()
        if self._narrow:
            wanted = narrowed(wanted)
        for dock in self.docks.values():
            dock.setFloating(False)
            self.removeDockWidget(dock)
        for area, stacks in zip(SIDES.values(), (wanted.left, wanted.right, wanted.bottom), strict=True):
            self._place(area, [[self.docks[id] for id in stack if id in self.docks] for stack in stacks])
        named = {id for stack in (*wanted.left, *wanted.right, *wanted.bottom) for id in stack}
        for spec in self.specs:
            if spec.id in self.docks and spec.id not in named:  # saved with the others, so that it stays away
                self.addDockWidget(SIDES[spec.area], self.docks[spec.id])
                self.docks[spec.id].hide()
        self._stack_hidden()
        self._size(wanted)
        self._on_moved()
        # Again when all have their places: a panel that comes from behind another has its say in the layout.
        QTimer.singleShot(0, self, lambda: self._size(wanted))

    def _stack_hidden(self) -> None:
        """Stack hidden panels as tabs, so that none that opens takes a column from the visible ones."""
        visible_docks = [dock for dock in self.docks.values() if dock.placed and not dock.isFloating()]
        for dock in self.docks.values():
            if dock.placed or dock.isFloating() or self.tabifiedDockWidgets(dock):
                continue
            area = self.dockWidgetArea(dock)
            places = [each for each in visible_docks if self.dockWidgetArea(each) == area]
            others = [each for each in self.docks.values() if each is not dock and not each.placed]
            waiting = [each for each in others if self.dockWidgetArea(each) == area]
            if places or waiting:  # the last: what one reads in stands first
                self.tabifyDockWidget((places or waiting)[-1], dock)
                dock.hide()

    def _size(self, wanted: Perspective) -> None:
        width, height = max(self.width(), 1000), max(self.height(), 600)
        widths = (264, 340) if width < 1360 else (min(340, width // 5), min(460, width // 4))
        widths = (0, width // 2) if self._narrow else (theme.px(widths[0]), theme.px(widths[1]))
        for stacks, wide in zip((wanted.left, wanted.right), widths, strict=True):
            fronts = [self.docks[stack[0]] for stack in stacks]
            shares = [int(height * self._spec(stack[0]).share) for stack in stacks]
            self.resizeDocks(fronts[:1], [wide][: len(fronts)], Qt.Orientation.Horizontal)
            self.resizeDocks(fronts, shares, Qt.Orientation.Vertical)
        fronts = [self.docks[stack[0]] for stack in wanted.bottom]
        if len(fronts) > 1:
            room, parts = self.centralWidget().width(), wanted.widths or (1 / len(fronts),) * len(fronts)
            self.resizeDocks(fronts, [int(room * part) for part in parts], Qt.Orientation.Horizontal)
        self.resizeDocks(fronts[:1], [int(height * wanted.height)], Qt.Orientation.Vertical)

    def _fit_room(self) -> None:
        """Where panels would paint over one another, or letters are large in a small window, the sides become one;
        what a person had comes back with the room."""
        if not self.isVisible() or theme.notifier().dressing:
            return
        if not self._narrow:
            self._needs = 100 * self.minimumSizeHint().width() // theme.text_size()
        narrow, roomy, here = self._short_of_room(), self._roomy, self._current()
        if narrow == self._narrow:
            return
        self._roomy = self.saved() if narrow else None
        if roomy is None or not self.restore(roomy):
            self._arrange(everyday(self.specs))
        if here is not None:
            here.come()

    def _short_of_room(self) -> bool:
        return self.window().width() < theme.px(max(NARROW, self._needs))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._room.start()

    def _place(self, area: Qt.DockWidgetArea, stacks: list[list[PanelDock]]) -> None:
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        along = Qt.Orientation.Horizontal if area is bottom else Qt.Orientation.Vertical
        for front, *behind in stacks:
            self.addDockWidget(area, front, along)
            front.show()
            for dock in behind:
                self.tabifyDockWidget(front, dock)
                dock.show()
            front.come()

    def _spec(self, id: str) -> PanelSpec:
        return next(spec for spec in self.specs if spec.id == id)

    def restore(self, saved: QByteArray) -> bool:
        """Restore a saved arrangement; return whether that worked."""
        self._needs = 0
        if not saved.contains(
            _stored(EXPLAIN)
        ):  # of a Clew that had a panel for traces, whose place it takes
            saved = saved.replace(_stored(TRACE), _stored(EXPLAIN))
        done = not saved.isEmpty() and self.restoreState(saved, LAYOUT)
        self._stack_hidden()
        self._narrow = self._short_of_room()
        self._on_moved()
        return done

    def saved(self) -> QByteArray:
        return self.saveState(LAYOUT)

    def focus(self, panel: QWidget) -> None:
        """Show a panel and focus it."""
        for dock in self.docks.values():
            if dock.widget() is panel:
                dock.come()
        # Not a focus proxy: to Qt a panel with one would be a single stop, and Tab would pass by the rest of it.
        target = getattr(panel, "entrance", None) or _first_focusable(panel) or panel
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_community(self, community: int) -> None:
        """Select a community, and show it in its panel."""
        self.docks["communities"].come()
        operations.select_community(self._session, community)

    def _review_proposed(self) -> None:
        self.focus(self.review)
        self.review.show_proposed(ANSWER)

    def _state_fact(self, document_id: str, quote: str, start: int) -> None:
        self.focus(self.review)
        self.review.state(document_id, quote, start)

    def _commands(self) -> tuple[Command, ...]:
        """Return the commands that show and focus panels: a panel's own keys, or Ctrl+1 to Ctrl+9."""

        def none() -> str:
            return "" if self._current() else tr("Click into a panel first.")

        actions = ((spec, partial(self.focus, self.panels[spec.id])) for spec in self.specs)
        return (
            *(
                Command(f"panel.{spec.id}", spec.title, go, spec.keys or (f"Ctrl+{n}" if n < 10 else ""))
                for n, (spec, go) in enumerate(actions, 1)
            ),
            Command("window.arrange", tr("Bring all panels &back"), self.arrange, "Ctrl+0"),
            Command(
                "window.float", tr("F&loat this panel, or dock it"), self._float, "Ctrl+Shift+J", why_not=none
            ),
            Command("window.hide", tr("&Hide this panel"), self._hide, "Ctrl+Shift+W", why_not=none),
        )

    def _current(self) -> PanelDock | None:
        """Return the dock that has the keyboard."""
        widget = QApplication.focusWidget()
        return next((dock for dock in self.docks.values() if widget and dock.isAncestorOf(widget)), None)

    def _float(self) -> None:
        if dock := self._current():
            dock.setFloating(not dock.isFloating())
            dock.come()

    def _hide(self) -> None:
        if dock := self._current():
            dock.hide()

    def _on_selection(self, selected: Selected | None) -> None:
        # A place in a document is read, but where a panel shows more of it; an entity leaves the tab as it is.
        dock = self.docks["reader"]
        if selected is not None and selected.kind in ("citation", "passage", "document") and dock.placed:
            here = self._current()
            if not (here in self.tabifiedDockWidgets(dock) and getattr(here.widget(), "stays", False)):
                dock.raise_()


def _stored(name: str) -> QByteArray:
    """Return a name as Qt writes it into a saved layout: its length in bytes, then UTF-16."""
    written = name.encode("utf-16-be")
    return QByteArray(len(written).to_bytes(4, "big") + written)


def _first_focusable(panel: QWidget) -> QWidget | None:
    for child in panel.findChildren(QWidget):
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            return child
    return None
