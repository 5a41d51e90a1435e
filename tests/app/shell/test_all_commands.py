"""Over the whole table of commands, in the real window: places, keys, what tooltips promise, the palette."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QLabel, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.session import Session
from app.shell.help import MORE_KEYS, KeyboardDialog
from app.shell.main_window import MainWindow
from app.shell.palette import Palette, find_commands
from app.shell.workbench import Workbench
from tests.app.one_window import ONE_WINDOW, bench_on
from tests.waiting import process_events

ROOT = Path(__file__).resolve().parents[3]
KEYS = re.compile(
    r"\b(?:(?:Ctrl|Shift|Alt)\+)+(?:Page (?:Up|Down)|Backspace|Left|Right|Enter|F\d+|\w|[.+-])(?!\w)"
)
TYPED = {
    "Ctrl+Enter",
    "Shift+Enter",
    "Ctrl+C",
    "Ctrl+Left",
    "Ctrl+Right",
}  # what has the keyboard takes them by itself
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("indexed")


def in_menus(menu: QMenu) -> list[QAction]:
    found = []
    for action in menu.actions():
        inner = action.menu()
        found += in_menus(inner) if isinstance(inner, QMenu) else [action]
    return found


def test_every_command_has_words_and_a_place(window: MainWindow, bench: Workbench, session: Session) -> None:
    tops = [action.menu() for action in window.menuBar().actions()]
    shown = [action for menu in tops if isinstance(menu, QMenu) for action in in_menus(menu)]
    for command in session.commands:
        assert command.name and command.name[0].isupper(), command.id
        placed = session.commands.action(command.id) in shown
        assert placed or session.commands.scope(command.id) is not None, f"{command.id} is nowhere"


def test_no_key_means_two_things(window: MainWindow, bench: Workbench, session: Session) -> None:
    commands = [command for command in session.commands if command.keys and command.bound]
    for one, other in combinations(commands, 2):
        if QKeySequence(one.keys) == QKeySequence(other.keys):
            scopes = {session.commands.scope(one.id), session.commands.scope(other.id)}
            assert len(scopes) == 2, f"{one.id} and {other.id}"
    assert len(commands) > 25


def test_every_key_that_is_named_exists(window: MainWindow, bench: Workbench, session: Session) -> None:
    known = {QKeySequence(command.keys).toString() for command in session.commands} | TYPED
    named: dict[str, str] = {}
    for widget in window.findChildren(QWidget):
        texts = [widget.toolTip(), widget.accessibleDescription()]
        texts += [widget.placeholderText()] if isinstance(widget, QLineEdit) else []
        named |= {keys: text for text in texts for keys in KEYS.findall(text)}
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    named |= {keys: page.name for page in pages for keys in KEYS.findall(page.read_text("utf-8"))}
    assert len(named) > 10
    for keys, where in named.items():
        assert QKeySequence(keys.replace("Page ", "Pg")).toString() in known, (keys, where)


def test_ctrl_f_finds_where_the_keyboard_is(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    assert session.workspace is not None
    operations.select_document(session, session.workspace.documents.all()[0].id)
    qtbot.waitUntil(lambda: bench.reader.opened is not None)
    bench.reader.text.setFocus()
    qtbot.keyClick(bench.reader.text, Qt.Key.Key_F, CTRL)
    assert bench.reader.find_bar.isVisible() and not bench.graph.search.hasFocus()
    bench.graph.canvas.setFocus()
    qtbot.keyClick(bench.graph.canvas, Qt.Key.Key_F, CTRL)
    qtbot.waitUntil(bench.graph.search.hasFocus)


def test_the_palette_runs_what_is_typed(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    bench.docks["communities"].hide()
    qtbot.keyClick(window, Qt.Key.Key_P, CTRL | SHIFT)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), Palette))
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, Palette)
    assert {found.id for found in palette.listed_commands()} == {command.id for command in session.commands}
    qtbot.keyClicks(palette.box, "panels back")
    assert [found.id for found in palette.listed_commands()] == ["window.arrange"]
    qtbot.keyClick(palette, Qt.Key.Key_Return)
    assert bench.docks["communities"].isVisible()


def test_the_palette_says_why_not(window: MainWindow, bench: Workbench, session: Session) -> None:
    found = next(each for each in find_commands(session.commands, "rename") if each.id == "entity.rename")
    assert found.detail == "Select an entity first, in the graph or by the search box."
    session.commands.run(found.id)
    assert window.messages.text() == found.detail


def test_the_search_box_finds_commands(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, CTRL)
    qtbot.waitUntil(window.top.search.hasFocus)
    qtbot.keyClicks(window.top.search, "full screen")
    qtbot.waitUntil(lambda: window.top.search.open, timeout=10_000)
    rows = [
        window.top.search.list.item(n).data(Qt.ItemDataRole.UserRole)
        for n in range(window.top.search.list.count())
    ]
    (command,) = [row for row in rows if row.kind == "command"]
    window.top.search.chosen.emit(command)
    assert window.isFullScreen()
    session.commands.run("window.full")


def test_the_list_of_keys_is_that_of_the_commands(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    dialog = KeyboardDialog(window, session.commands)
    qtbot.addWidget(dialog)
    words = {label.text() for label in dialog.findChildren(QLabel)}
    bound = [command for command in session.commands if command.keys and command.bound]
    assert all(
        {command.name.rstrip("."), session.commands.full_name(command.id)} & words for command in bound
    )
    assert words >= {"Workspace", "View", "Panels", "Graph", "Answer", "Review", "Pins"}, "in groups"
    assert all(words >= {told} for told, _ in MORE_KEYS)


@pytest.mark.long
def test_every_table_copies_in_three_forms(
    bench: Workbench, window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    operations.ask(session, "Who owns the Northern Gannet?")
    qtbot.waitUntil(lambda: session.answer is not None, timeout=30_000)
    qtbot.waitUntil(lambda: bool(bench.evidence.cards))
    seen = set()
    for spec in bench.specs:
        bench.focus(bench.panels[spec.id])
        process_events()  # what comes to the front shows what it kept for then
        for view in bench.panels[spec.id].findChildren(QAbstractItemView):
            if not view.isVisible() or isinstance(view.parent(), QComboBox) or not view.model().rowCount():
                continue
            view.setFocus()
            said = []
            for form in ("text", "markdown", "csv"):
                QGuiApplication.clipboard().clear()
                session.commands.run(f"table.{form}")
                said.append(QGuiApplication.clipboard().text())
            assert all(said) and said[1].startswith("| ") and len(set(said)) >= 2, view.objectName()
            seen.add(spec.id)
    assert {"library", "communities", "explain"} <= seen
    card = bench.evidence.cards[0]
    qtbot.waitUntil(lambda: process_events() or card.setFocus() or card.hasFocus())
    session.commands.run("table.csv")
    assert QGuiApplication.clipboard().text().startswith("Rank,Score,Document,Place,Passage\n1,")


@pytest.mark.long
def test_every_command_can_be_pressed_at_any_time(
    window: MainWindow, bench: Workbench, session: Session, workspace_path: Path, qtbot: QtBot
) -> None:
    asks = {
        "window.quit",
        "panel.models",
        "workspace.folder",
        "workspace.open",
        "workspace.sample",
        "workspace.close",
    }
    operations.close_workspace(session)
    for path in (None, workspace_path):
        if path is not None:
            operations.open_workspace(session, path)
            qtbot.waitUntil(lambda: session.workspace is not None)
        for command in [one for one in session.commands if one.id not in asks]:
            reason = command.why_not()
            session.commands.run(command.id)
            assert not reason or window.messages.text() == reason, command.id
            if (popup := QApplication.activePopupWidget()) is not None:
                popup.close()
