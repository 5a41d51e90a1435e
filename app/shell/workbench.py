"""The three zones around the graph, as docks that can be moved or hidden and brought back."""

from __future__ import annotations

from functools import partial

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
from app.session.selection import Selected
from app.session.session import Session
from app.trace.panel import TracePanel
from app.widgets.plain_label import PlainLabel

LAYOUT = 1  # raised when the docks change, so that a saved layout of another shape is not restored
LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea


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
        self.bar.setAccessibleName("Reader, trace and models")
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
        self.graph = GraphPanel(session)
        self.library = LibraryPanel(session)
        self.communities = CommunitiesPanel(session)
        self.ask = AskPanel(session)
        self.evidence = EvidencePanel(session)
        self.reader = ReaderPanel(session)
        self.trace = TracePanel(session)
        self.models = ModelsPanel(session)
        self.tabs = Tabs([("Reader", self.reader), ("Trace", self.trace), ("Models", self.models)])
        self.setCentralWidget(self.graph)
        self.setDockNestingEnabled(True)
        self.setCorner(Qt.Corner.BottomLeftCorner, LEFT)
        self.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        self.docks: dict[str, QDockWidget] = {}
        self._dock("Library", self.library, LEFT)
        self._dock("Communities", self.communities, LEFT)
        self._dock("Ask", self.ask, RIGHT)
        self._dock("Evidence", self.evidence, RIGHT)
        self._dock("Reader", self.tabs, BOTTOM, self.tabs.bar)
        session.commands.add(self, *self._commands())
        session.selection.changed.connect(self._on_selection)
        session.content_changed.connect(self.graph.refresh)
        session.content_changed.connect(self.communities.refresh)
        self.ask.trace_wanted.connect(partial(self.focus, self.trace))
        self.ask.models_wanted.connect(partial(self.focus, self.models))
        self.evidence.community_wanted.connect(self.show_community)
        self.ask.answer.community_chosen.connect(self.show_community)

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
        for name, dock in self.docks.items():
            area = BOTTOM if name == "Reader" else LEFT if name in ("Library", "Communities") else RIGHT
            dock.setFloating(False)
            self.addDockWidget(area, dock)
            dock.show()
        width, height = max(self.width(), 1000), max(self.height(), 600)
        side = 264 if width < 1360 else min(340, width // 5)
        right = 340 if width < 1360 else min(460, width // 4)
        docks = self.docks
        horizontal, vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.resizeDocks([docks["Library"], docks["Ask"]], [side, right], horizontal)
        for upper, lower, share in (("Library", "Communities", 0.45), ("Ask", "Evidence", 0.58)):
            heights = [int(height * share), int(height * (1 - share))]
            self.resizeDocks([docks[upper], docks[lower]], heights, vertical)
        self.resizeDocks([docks["Reader"]], [int(height * 0.38)], vertical)

    def restore(self, saved: QByteArray) -> None:
        """The layout of the last time, or the first one."""
        if saved.isEmpty() or not self.restoreState(saved, LAYOUT):
            self.arrange()

    def saved(self) -> QByteArray:
        return self.saveState(LAYOUT)

    def focus(self, panel: QWidget) -> None:
        """Show a panel and give it the keyboard."""
        if panel in (self.reader, self.trace, self.models):
            self.docks["Reader"].show()
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
        """Ctrl+1..8 shows a panel and gives it the keyboard."""
        panels = [
            ("Library", self.library),
            ("Graph", self.graph),
            ("Reader", self.reader),
            ("Ask", self.ask),
            ("Evidence", self.evidence),
            ("Communities", self.communities),
            ("Trace", self.trace),
            ("Models", self.models),
        ]
        shown = (
            Command(f"panel.{name.lower()}", name, partial(self.focus, panel), f"Ctrl+{number}")
            for number, (name, panel) in enumerate(panels, 1)
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
