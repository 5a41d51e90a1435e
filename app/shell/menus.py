"""The menus: which command stands where. What a command is, its own place says."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.look.plain_text import button_words, tooltip
from app.look.translation import tr
from app.session import operations

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow

LINE = "-"
WORKSPACE = "workspace.folder workspace.open workspace.sample"  # not shown
LEAVING = "- workspace.export workspace.close window.quit"  # not shown
PERSPECTIVES = "perspective. - window.keep window.forget"  # not shown
THEMES = "theme.system theme.light theme.dark theme.contrast"  # not shown
VIEW = tr("&View")
MENUS = {
    VIEW: (
        "panel. - window.arrange window.float window.hide graph.folded - theme.toggle view. window.full"  # not shown
        " - table. window.harmless"
    ),
    tr("&Go"): "go.search go.ask ask. thread. - go.back go.forward go.nothing",  # not shown
    tr("&Indexing"): (
        "indexing.again indexing.pause indexing.stop - indexing.watch - indexing.failed indexing.retry"  # not shown
    ),
    tr("Gra&ph"): (
        "graph.find graph.fit graph.heat graph.time graph.expand graph.whole"  # not shown
        " - graph.open graph.close graph.close_all"  # not shown
        " - graph.view graph.clear graph.hide graph.show graph.pin graph.keep_view graph.undo graph.redo"  # not shown
        " - graph.choose graph.choose_all graph.choose_none graph.relations graph.paths"  # not shown
        " graph.next_path graph.previous_path graph.next_fact graph.previous_fact"  # not shown
        " - graph.picture graph.copy_picture"  # not shown
        " - entity. - decisions.undo decisions.redo"
    ),
    tr("&Answer"): (
        "answer.right answer.wrong answer.pin - answer.others answer.why answer.copy answer.pack"  # not shown
        " - explain. - trace. - miss.mark compare.answer - answer.approved answer.proposes"  # not shown
        " - pins.run pins.baseline pins.before pins.train pins.import pins.export"  # not shown
    ),
    tr("&Help"): "help.keys help.palette help.about",  # not shown
}


def fill(window: MainWindow) -> None:
    """Fill the menu bar, also again once the workbench exists."""
    bar = window.menuBar()
    for action in list(bar.actions()):
        bar.removeAction(action)
    fill_recents(window)
    bar.addMenu(window.workspace_menu)
    for title, ids in MENUS.items():
        menu = _menu(title, ids, window)
        menu.setEnabled(bool(menu.actions()))
        bar.addMenu(menu)
        if title == VIEW:
            _add_view(menu, window)


def _menu(title: str, ids: str, window: MainWindow) -> QMenu:
    """Return a menu; an id that ends with a dot stands for all commands of that place."""
    menu, commands = QMenu(title, window), window.session.commands
    menu_ids: list[str] = []
    for id in ids.split():
        if id == LINE:
            if menu_ids:
                menu.addSeparator()
            continue
        found = [one.id for one in commands if one.id == id or (id.endswith(".") and one.id.startswith(id))]
        for each in found:
            menu.addAction(commands.action(each))
        menu_ids += found
    menu.setToolTipsVisible(True)
    commands.explain_in(menu, menu_ids)
    return menu


def _add_view(menu: QMenu, window: MainWindow) -> None:
    """Add submenus for what is visible, and how."""
    themes = _menu(tr("&Theme"), THEMES, window)
    toggle = window.session.commands.action("theme.toggle")
    menu.insertMenu(toggle, themes)
    if window.workbench is not None:
        panel_menu = QMenu(tr("Shown &panels"), menu)
        for dock in window.workbench.docks.values():
            panel_menu.addAction(dock.toggleViewAction())
        before = window.session.commands.action("window.arrange")
        menu.insertMenu(before, panel_menu)
        menu.insertMenu(before, _menu(tr("&Arrangement"), PERSPECTIVES, window))


def fill_recents(window: MainWindow) -> None:
    """Fill the workspace menu with the workspaces opened before."""
    menu, session = window.workspace_menu, window.session
    menu.clear()
    for id in WORKSPACE.split():
        menu.addAction(session.commands.action(id))
    menu.addSeparator()
    for recent in window.preferences.recents()[:8]:
        words = button_words(recent.name)
        if recent.missing:
            words = tr("{name}   (missing)", name=words)
        action = QAction(words, menu)
        action.setEnabled(not recent.missing)
        action.setToolTip(tooltip(recent.path))
        go = partial(operations.open_workspace, session, Path(recent.path))
        action.triggered.connect(lambda _=False, go=go: go())
        menu.addAction(action)
    for id in LEAVING.split():
        if id == LINE:
            menu.addSeparator()
        else:
            menu.addAction(session.commands.action(id))
