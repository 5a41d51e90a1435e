"""The three zones around the graph, as docks that can be moved or hidden and brought back."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.ask.panel import AskPanel
from app.communities.panel import CommunitiesPanel
from app.evidence.panel import EvidencePanel
from app.graph.panel import GraphPanel
from app.language_models.panel import ModelsPanel
from app.library.panel import LibraryPanel
from app.look import theme
from app.look.plain_text import tooltip
from app.reader.panel import ReaderPanel
from app.session import operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.shell import features
from app.trace.panel import TracePanel
from app.widgets.plain_label import PlainLabel

LAYOUT = 1  # raised when the docks change, so that a saved layout of another shape is not restored
SIDES = {
    Area.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    Area.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    Area.BOTTOM: Qt.DockWidgetArea.BottomDockWidgetArea,
}
Panel = TypeVar("Panel", bound=QWidget)


class TitleBar(QWidget):
    """The thin title of a dock: its name (or tabs) and a button that hides it. Dragging moves the dock."""

    def __init__(self, dock: QDockWidget, name: str, tabs: QTabBar | None = None) -> None:
        super().__init__(dock)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 4, 0)
        row.setSpacing(4)
        if tabs is None:
            words = PlainLabel(name.upper(), "section")
            row.addWidget(words)
        else:
            row.setContentsMargins(0, 0, 4, 0)
            row.addWidget(tabs)
        row.addStretch()
        hide = QToolButton()
        hide.setIcon(theme.icon("x", "muted"))
        hide.setAutoRaise(True)
        hide.setFixedSize(24, 24)
        hide.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        hide.setToolTip(tooltip(f"Hide {name}; the View menu brings it back"))
        hide.setAccessibleName(f"Hide {name}")
        hide.clicked.connect(dock.hide)
        row.addWidget(hide)
        self.setFixedHeight(34)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)


class Tabs(QWidget):
    """Several panels of which one is seen; the tabs live in the dock's title."""

    def __init__(self, panels: list[tuple[str, QWidget]]) -> None:
        super().__init__()
        self.bar = QTabBar()
        self.bar.setExpanding(False)
        self.bar.setDrawBase(False)
        self.bar.setAccessibleName(", ".join(name for name, _ in panels))
        self.stack = QStackedWidget()
        for name, panel in panels:
            self.bar.addTab(name)
            self.stack.addWidget(panel)
        self.bar.currentChanged.connect(self.stack.setCurrentIndex)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.stack)

    def show_panel(self, panel: QWidget) -> None:
        """Bring a panel to the front."""
        self.bar.setCurrentIndex(self.stack.indexOf(panel))


class Workbench(QMainWindow):
    """All panels of an open workspace. `shown_changed` fires when a dock appears or goes."""

    shown_changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self._session = session
        self.specs = tuple(features.PANELS)
        self.panels = {spec.id: spec.make(session) for spec in self.specs}
        self.graph, self.library = self._panel(GraphPanel), self._panel(LibraryPanel)
        self.communities, self.ask = self._panel(CommunitiesPanel), self._panel(AskPanel)
        self.evidence, self.reader = self._panel(EvidencePanel), self._panel(ReaderPanel)
        self.trace, self.models = self._panel(TracePanel), self._panel(ModelsPanel)
        bottom = self._in(Area.BOTTOM)
        self.tabs = Tabs([(spec.title, self.panels[spec.id]) for spec in bottom])
        (center,) = self._in(Area.CENTER)
        self.setCentralWidget(self.panels[center.id])
        self.setDockNestingEnabled(True)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.docks: dict[str, QDockWidget] = {}
        for spec in (*self._in(Area.LEFT), *self._in(Area.RIGHT)):
            self._dock(spec.title, self.panels[spec.id], SIDES[spec.area])
        self._dock(bottom[0].title, self.tabs, SIDES[Area.BOTTOM], self.tabs.bar)
        session.commands.add(self, *self._commands())
        session.selection.changed.connect(self._on_selection)
        session.content_changed.connect(self.graph.refresh)
        session.content_changed.connect(self.communities.refresh)
        self.ask.trace_wanted.connect(partial(self.focus, self.trace))
        self.ask.models_wanted.connect(partial(self.focus, self.models))
        self.evidence.community_wanted.connect(self.show_community)
        self.ask.answer.community_chosen.connect(self.show_community)

    def _in(self, area: Area) -> list[PanelSpec]:
        return [spec for spec in self.specs if spec.area is area]

    def _panel(self, kind: type[Panel]) -> Panel:
        """The one that the shell talks to."""
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def _dock(self, name: str, panel: QWidget, area: Qt.DockWidgetArea, tabs: QTabBar | None = None) -> None:
        dock = QDockWidget(name, self)
        dock.setObjectName(f"dock-{name.lower()}")
        dock.setWidget(panel)
        dock.setTitleBarWidget(TitleBar(dock, name, tabs))
        dock.visibilityChanged.connect(lambda _: self.shown_changed.emit())
        self.addDockWidget(area, dock)
        self.docks[name] = dock

    def arrange(self) -> None:
        """The layout that everybody begins with; also brings back what was hidden or moved."""
        sides = {spec.title: SIDES[spec.area] for spec in self.specs if spec.area is not Area.CENTER}
        for name, dock in self.docks.items():
            dock.setFloating(False)
            self.addDockWidget(sides[name], dock)
            dock.show()
        width, height = max(self.width(), 1000), max(self.height(), 600)
        widths = {
            Area.LEFT: 264 if width < 1360 else min(340, width // 5),
            Area.RIGHT: 340 if width < 1360 else min(460, width // 4),
        }
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        firsts = [self.docks[self._in(area)[0].title] for area in widths]
        self.resizeDocks(firsts, list(widths.values()), horizontal)
        for area in widths:
            specs = self._in(area)
            docks, heights = [self.docks[s.title] for s in specs], [int(height * s.share) for s in specs]
            self.resizeDocks(docks, heights, vertical)
        self.resizeDocks([self.docks[self._in(Area.BOTTOM)[0].title]], [int(height * 0.38)], vertical)

    def restore(self, saved: QByteArray) -> None:
        """The layout of the last time, or the first one."""
        if saved.isEmpty() or not self.restoreState(saved, LAYOUT):
            self.arrange()

    def saved(self) -> QByteArray:
        return self.saveState(LAYOUT)

    def focus(self, panel: QWidget) -> None:
        """Show a panel and give it the keyboard."""
        if self.tabs.stack.indexOf(panel) >= 0:
            self.docks[self._in(Area.BOTTOM)[0].title].show()
            self.tabs.show_panel(panel)
        for dock in self.docks.values():
            if dock.widget() is panel:
                dock.show()
                dock.raise_()
        entrance = self.communities.entrance if panel is self.communities else panel.focusProxy()
        target = entrance or _first_focusable(panel) or panel
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_community(self, community: int) -> None:
        """Select a community, and see it in its panel."""
        dock = self.docks["Communities"]
        dock.show()
        dock.raise_()
        operations.select_community(self._session, community)

    def _commands(self) -> tuple[Command, ...]:
        """Ctrl+1 and on show a panel and give it the keyboard."""
        shown = (
            Command(
                f"panel.{spec.id}", spec.title, partial(self.focus, self.panels[spec.id]), f"Ctrl+{number}"
            )
            for number, spec in enumerate(self.specs, 1)
        )
        return (*shown, Command("window.arrange", "Bring all panels &back", self.arrange, "Ctrl+0"))

    def _on_selection(self, selected: Selected | None) -> None:
        # A place in a document is read, not traced; an entity leaves the tab as it is.
        if selected is not None and selected.kind in ("citation", "passage", "document"):
            self.tabs.show_panel(self.reader)


def _first_focusable(panel: QWidget) -> QWidget | None:
    for child in panel.findChildren(QWidget):
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            return child
    return None
