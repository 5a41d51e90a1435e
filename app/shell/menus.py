"""The menus: every act of the window with its shortcut, in one place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.graph import name_decisions
from app.look import theme
from app.look.plain_text import button_words, tooltip
from app.session import operations
from app.widgets.copying import set_harmless

if TYPE_CHECKING:
    from app.library.watching import Watching
    from app.session.preferences import Preferences
    from app.session.session import Session
    from app.shell.main_window import MainWindow

THEMES: tuple[tuple[str, theme.Mode], ...] = (
    ("As the system", "system"),
    ("Light", "light"),
    ("Dark", "dark"),
    ("High contrast", "contrast"),
)


def fill(window: MainWindow) -> None:
    """(Re)write the menu bar; called again once the workbench exists."""
    bar = window.menuBar()
    for action in list(bar.actions()):
        bar.removeAction(action)
    fill_recents(window)
    bar.addMenu(window.workspace_menu)
    bar.addMenu(_view(window))
    bar.addMenu(_go(window))
    bar.addMenu(_indexing(window))
    bar.addMenu(_graph(window))
    bar.addMenu(_answer(window))
    bar.addMenu(_help(window))


def _add(
    menu: QMenu, words: str, keys: str, act: Callable[[], object], icon: str = "", enabled: bool = True
) -> QAction:
    action = QAction(theme.icon(icon), words, menu) if icon else QAction(words, menu)
    if keys:
        action.setShortcut(keys)
    action.setEnabled(enabled)
    action.triggered.connect(lambda: act())
    menu.addAction(action)
    return action


def fill_recents(window: MainWindow) -> None:
    """The workspace menu, with the workspaces opened before."""
    menu, session = window.workspace_menu, window.session
    menu.clear()
    _add(menu, "Open a &folder...", "Ctrl+O", window.choose_folder, "folder-open")
    _add(menu, "Open a &workspace...", "Ctrl+Shift+O", window.choose_workspace, "share-network")
    _add(menu, "Explore the &sample", "Ctrl+E", partial(operations.open_sample, session), "compass")
    menu.addSeparator()
    for recent in window.preferences.recents()[:8]:
        go = partial(operations.open_workspace, session, Path(recent.path))
        words = button_words(recent.name) + ("   (missing)" if recent.missing else "")
        _add(menu, words, "", go, enabled=not recent.missing).setToolTip(tooltip(recent.path))
    menu.addSeparator()
    _add(menu, "&Close the workspace", "Ctrl+W", partial(operations.close_workspace, session))
    _add(menu, "&Quit", "Ctrl+Q", window.close)


def _view(window: MainWindow) -> QMenu:
    menu = QMenu("&View", window)
    workbench = window.workbench
    if workbench is not None:
        for action in workbench.panel_actions():
            menu.addAction(action)
        menu.addSeparator()
        shown = menu.addMenu("Shown &panels")
        for dock in workbench.docks.values():
            shown.addAction(dock.toggleViewAction())
        _add(menu, "Bring all panels &back", "Ctrl+0", workbench.arrange)
        menu.addAction(workbench.graph.folding.toggle)
        menu.addSeparator()
    themes = menu.addMenu("&Theme")
    group = QActionGroup(themes)
    for words, mode in THEMES:
        action = _add(themes, words, "", partial(window.set_theme, mode))
        action.setCheckable(True)
        action.setChecked(theme.mode() == mode)
        group.addAction(action)
    _add(menu, "Light or &dark", "Ctrl+Shift+D", window.toggle_theme, "moon")
    _add(menu, "F&ull screen", "F11", partial(_full_screen, window))
    menu.addSeparator()
    menu.addAction(_CellsAction(menu, window.preferences))
    menu.setToolTipsVisible(True)
    return menu


class _CellsAction(QAction):
    """Whether copied cells are made harmless for spreadsheets; remembered."""

    def __init__(self, menu: QMenu, preferences: Preferences) -> None:
        super().__init__("Copy table cells that &run nothing", menu)
        self._preferences = preferences
        self.setToolTip(
            "A cell that a spreadsheet would run as a formula is copied with an apostrophe before it"
        )
        self.setCheckable(True)
        self.setChecked(preferences.harmless_cells)
        set_harmless(preferences.harmless_cells)
        self.toggled.connect(self._keep)

    def _keep(self, wanted: bool) -> None:
        self._preferences.harmless_cells = wanted
        set_harmless(wanted)


def _full_screen(window: MainWindow) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def _go(window: MainWindow) -> QMenu:
    menu, selection = QMenu("&Go", window), window.session.selection
    _add(menu, "&Search or ask", "Ctrl+K", window.focus_search, "magnifying-glass")
    _add(menu, "Ask a &question", "Ctrl+L", window.focus_question, "chat-circle-dots")
    menu.addSeparator()
    _add(menu, "&Back", "Alt+Left", selection.back, "arrow-left")
    _add(menu, "&Forward", "Alt+Right", selection.forward, "arrow-right")
    # Esc is no shortcut of the menu: the box or panel that has the keyboard takes it first.
    _add(menu, "&Nothing selected\tEsc", "", window.escape)
    return menu


def _indexing(window: MainWindow) -> QMenu:
    menu, session = QMenu("&Indexing", window), window.session
    again = partial(operations.index_again, session)
    read = _add(menu, "Read the folder &again", "F5", again, "arrows-clockwise")
    _add(menu, "&Pause or go on", "Ctrl+P", window.toggle_pause, "pause")
    _add(menu, "&Stop", "Ctrl+.", partial(operations.cancel_indexing, session), "stop")
    menu.addSeparator()
    menu.addAction(_WatchAction(menu, window.watching))
    menu.addSeparator()
    _add(menu, "Show what &failed", "Ctrl+Shift+F", window.show_failed, "warning")
    all_failed = partial(operations.retry, session)
    retry = _add(menu, "&Try again what failed", "Ctrl+Shift+R", all_failed, "arrow-counter-clockwise")
    menu.setToolTipsVisible(True)
    # Disabled only while one looks: pressed by its keys, an act that cannot be done says why.
    menu.aboutToShow.connect(lambda: _explain(read, session.shut))
    menu.aboutToShow.connect(lambda: _explain(retry, session.blocked))
    menu.aboutToHide.connect(lambda: _explain(read, ""))
    menu.aboutToHide.connect(lambda: _explain(retry, ""))
    return menu


def _explain(action: QAction, reason: str) -> None:
    """Disable an act for a reason, which its tooltip tells; enable it for none."""
    action.setEnabled(not reason)
    action.setToolTip(tooltip(reason))


class _WatchAction(QAction):
    """Watching on or off, for the open workspace."""

    def __init__(self, menu: QMenu, watching: Watching) -> None:
        super().__init__(theme.icon("eye"), "&Watch the folder", menu)
        self._watching = watching
        self.setShortcut("Shift+F5")
        self.setCheckable(True)
        self.triggered.connect(watching.set_wanted)
        watching.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        self.setChecked(self._watching.wanted)
        _explain(self, self._watching.shut)


class _SameAction(QAction):
    """Say which other entity is the same as the selected one; off, with the reason, where that cannot be."""

    def __init__(self, menu: QMenu, session: Session, act: Callable[[], None]) -> None:
        super().__init__(theme.icon("equals"), "The selected entity is the &same as...", menu)
        self._session = session
        self.setShortcut("Ctrl+J")
        self.triggered.connect(lambda: act())
        session.selection.changed.connect(self._show)
        session.blocked_changed.connect(self._show)
        session.tasks.busy_changed.connect(self._show)
        self._show()

    def _show(self, *_: object) -> None:
        current = self._session.selection.current
        chosen = current is not None and current.kind == "entity"
        hint = "" if chosen else "Select an entity first, in the graph or by the search box."
        busy = "Another change is at work." if self._session.tasks.busy(name_decisions.GROUP) else ""
        _explain(self, self._session.blocked or hint or busy)


def _graph(window: MainWindow) -> QMenu:
    menu, workbench = QMenu("Gra&ph", window), window.workbench
    if workbench is not None:
        graph = workbench.graph
        _add(menu, "&Find in the graph", "Ctrl+F", graph.focus_search, "magnifying-glass")
        _add(menu, "Fit to the &window", "Ctrl+Shift+A", graph.fit, "arrows-out")
        _add(menu, "Show the &heat", "Ctrl+H", graph.toggle_heat, "fire")
        _add(menu, "&Expand the selected entity", "Ctrl+Shift+N", graph.expand_selected, "share-network")
        _add(menu, "Back to the &whole graph", "Ctrl+Backspace", graph.show_whole, "arrow-left")
        menu.addSeparator()
        folding = graph.folding
        _add(menu, "&Open the selected community\tEnter", "", folding.open_selected, "arrows-out")
        _add(menu, "&Close the innermost open community\tBackspace", "", folding.close_innermost, "arrows-in")
        _add(menu, "Close &all communities", "Ctrl+Shift+G", folding.close_all)
        menu.addSeparator()
        menu.addAction(_SameAction(menu, window.session, graph.choose_same))
        menu.setToolTipsVisible(True)
    menu.setEnabled(workbench is not None)
    return menu


def _answer(window: MainWindow) -> QMenu:
    menu, workbench = QMenu("&Answer", window), window.workbench
    if workbench is not None:
        ask = workbench.ask
        _add(menu, "It is &right", "Ctrl+Shift+Y", partial(ask.judge, "right"), "check")
        _add(menu, "It is &wrong", "Ctrl+Shift+X", partial(ask.judge, "wrong"), "x")
        menu.addSeparator()
        _add(menu, "&Other readings", "Ctrl+Shift+L", ask.show_others, "list")
        _add(menu, "Why this &number?", "Ctrl+Shift+I", ask.show_why, "chart-line")
    menu.setEnabled(workbench is not None)
    return menu


def _help(window: MainWindow) -> QMenu:
    menu = QMenu("&Help", window)
    _add(menu, "&Keyboard", "F1", partial(_keyboard, window), "keyboard")
    _add(menu, "&About Clew", "", partial(_about, window), "info")
    return menu


def _keyboard(window: MainWindow) -> None:
    from app.shell.help import KeyboardDialog

    KeyboardDialog(window).show()


def _about(window: MainWindow) -> None:
    from app.shell.help import AboutDialog

    AboutDialog(window).show()
