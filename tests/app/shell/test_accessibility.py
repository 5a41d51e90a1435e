"""The real window as a screen reader, a keyboard and a person with large letters meet it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.look import theme
from app.look.motion import may_move, set_motion
from app.session import operations
from app.session.session import Session
from app.shell.help import AboutDialog, KeyboardDialog
from app.shell.main_window import MainWindow
from app.shell.palette import Palette
from app.shell.workbench import Workbench
from app.widgets.elided_label import ElidedLabel
from tests.app.one_window import ONE_WINDOW, bench_on
from tests.waiting import process_events

Role, Text = QAccessible.Role, QAccessible.Text
ACTED_ON = {
    Role.Button,
    Role.ButtonMenu,
    Role.ButtonDropDown,
    Role.CheckBox,
    Role.RadioButton,
    Role.ComboBox,
    Role.EditableText,
    Role.SpinBox,
    Role.Slider,
    Role.ProgressBar,
    Role.Table,
    Role.Tree,
    Role.List,
    Role.ListItem,
    Role.TreeItem,
    Role.MenuItem,
    Role.PageTab,
    Role.Grouping,
    Role.Graphic,
    Role.Chart,
}
VAGUE = {Role.NoRole, Role.Client, Role.Border, Role.Pane, Role.Window}
ROWS = 12  # of a long list that are looked at
TAB, BACK = Qt.Key.Key_Tab, Qt.Key.Key_Backtab

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("indexed")


@pytest.fixture(scope="module")
def answered(bench: Workbench, session: Session, request: pytest.FixtureRequest) -> Workbench:
    """The window with an answer, its evidence and its trace."""
    qtbot = QtBot(request)
    operations.ask(session, "Who owns Calder Reach Trading?", "fusion")
    qtbot.waitUntil(lambda: session.answer is not None, timeout=60_000)
    qtbot.waitUntil(lambda: bool(bench.evidence.cards), timeout=20_000)
    return bench


def heard(widget: QWidget) -> Iterator[QAccessibleInterface]:
    """All that is told of a widget and what is visible in it."""
    yield from _below(QAccessible.queryAccessibleInterface(widget))


def _below(told: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    yield told
    for place in range(min(told.childCount(), ROWS)):
        child = told.child(place)
        if child is not None and child.isValid() and not child.state().invisible:
            yield from _below(child)


def check_told(told: QAccessibleInterface) -> None:
    """A name that is words, a role that fits, and no mark-up in what is read out."""
    thing, name = told.object(), told.text(Text.Name).strip()
    assert "<qt>" not in told.text(Text.Description), told.text(Text.Description)
    what = f"{type(thing).__name__} {told.role()} {name!r} in {_path(thing)}"
    widget = thing if isinstance(thing, QWidget) else None
    by_tab = widget is not None and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isEnabled()
    if by_tab and widget is not None and widget.focusProxy() is None:
        assert told.role() not in VAGUE, what
        assert told.state().focusable, what
    decoration = told.role() == Role.Graphic and isinstance(thing, QLabel)  # words beside it say the same
    if (by_tab or told.role() in ACTED_ON) and not decoration:
        assert name and name not in {type(thing).__name__, thing.metaObject().className() if thing else ""}, (
            what
        )


def _path(thing: object) -> str:
    names = []
    while isinstance(thing, QWidget):
        names.append(type(thing).__name__)
        thing = thing.parentWidget()
    return " < ".join(names[1:5])


def test_the_start_page_says_what_it_holds(window: MainWindow) -> None:
    said = list(heard(window.start))
    for told in said:
        check_told(told)
    assert {"Explore the sample", "Open a folder"} <= {told.text(Text.Name) for told in said}


def test_every_panel_says_what_it_holds(answered: Workbench, session: Session, qtbot: QtBot) -> None:
    assert session.workspace is not None
    operations.select_document(session, session.workspace.documents.all()[0].id)
    qtbot.waitUntil(lambda: answered.reader.opened is not None)
    roles = set()
    for id, panel in answered.panels.items():
        answered.focus(panel)
        QApplication.processEvents()
        said = list(heard(panel))
        assert said[0].text(Text.Name), id
        for told in said:
            check_told(told)
            roles.add(told.role())
    assert {Role.Tree, Role.Table, Role.List, Role.ListItem, Role.EditableText, Role.CheckBox} <= roles


def test_the_window_around_them_does_too(window: MainWindow, bench: Workbench, session: Session) -> None:
    for part in (window.top, window.status, window.menuBar(), bench):
        for told in heard(part):
            check_told(told)
    for menu in window.findChildren(QMenu):
        for action in menu.actions():
            assert action.isSeparator() or action.text().strip(), menu.title()
    for dialog in (
        KeyboardDialog(window, session.commands),
        Palette(window, session.commands),
        AboutDialog(window),
    ):
        dialog.show()
        for told in heard(dialog):
            check_told(told)
        dialog.close()


def test_values_are_told(answered: Workbench) -> None:
    answered.focus(answered.ask)
    answered.ask.route.why.setChecked(True)
    said = {told.text(Text.Name): told for told in heard(answered.ask)}
    gauge = said["Route gauge"]
    assert gauge.role() == Role.Grouping and 0 <= float(gauge.text(Text.Value)) <= 1
    ways = [gauge.child(at) for at in range(gauge.childCount())]
    assert [way.text(Text.Name) for way in ways] == ["dense", "fusion", "graph"]
    assert all(way.role() == Role.RadioButton and way.rect().width() > 0 for way in ways)
    assert sum(way.state().checked for way in ways) == 1
    bar = answered.ask.answer.certainty.bar
    bar.set_probability(0.81)
    assert QAccessible.queryAccessibleInterface(bar).role() == Role.ProgressBar and bar.value() == 81
    scores = [told for told in heard(answered.evidence) if told.role() == Role.ProgressBar]
    assert scores and all(float(told.text(Text.Value)) > 0 for told in scores)


def test_walking_over_the_graph_says_the_node_and_its_neighbours(
    bench: Workbench, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[tuple[QAccessible.Event, int]] = []

    def take(event: QAccessibleEvent) -> None:
        events.append((event.type(), event.child()))

    monkeypatch.setattr("app.widgets.accessible.QAccessible.updateAccessibility", take)
    monkeypatch.setattr("app.widgets.accessible.QAccessible.isActive", lambda: True)
    canvas, view = bench.graph.canvas, bench.graph.canvas.focusProxy()
    assert view is not None
    view.setFocus()
    graph = QAccessible.queryAccessibleInterface(view)
    assert graph.role() == Role.List and graph.text(Text.Name) == "Graph"
    assert 0 < graph.childCount() <= canvas.node_count
    names = {}
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down):
        qtbot.keyClick(view, key)
        chosen = canvas.selected()
        node = graph.focusChild()
        assert node is not None and node.role() == Role.ListItem
        assert node.state().selected and node.state().focused
        beside = [graph.child(at).text(Text.Name) for at in range(1, graph.childCount())]
        assert len(beside) == len(canvas.neighbours(chosen))
        assert "link" in node.text(Text.Description)
        described = graph.text(Text.Description)
        assert node.text(Text.Name) in described and beside[0] in described
        names[chosen] = node.text(Text.Name)
    assert len(names) > 1 and (QAccessible.Event.Focus, 0) in events


# ---------------------------------------------------------------- keyboard


def stops(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> list[QWidget]:
    """Where the keyboard goes, from where it is, until it is there again."""
    begin = QApplication.focusWidget()
    assert begin is not None
    found = [begin]
    for _ in range(400):
        focused = QApplication.focusWidget()
        assert focused is not None, f"the keyboard is nowhere after {found[-1]}"
        qtbot.keyClick(focused, key)
        focused = QApplication.focusWidget()
        if focused is begin:
            return found
        if focused is not None and focused is not found[-1]:
            found.append(focused)
    raise AssertionError(f"a trap: {found[-3:]}")


def takes_tab(widget: QWidget) -> bool:
    return bool(
        widget.isVisible()
        and widget.isEnabled()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not widget.visibleRegion().isEmpty()
    )


def test_tab_reaches_everything_in_the_order_in_which_it_is_seen(
    answered: Workbench, window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    assert session.answer is not None
    operations.select_entity(session, session.answer.trace.seeds[0].entity_id)
    qtbot.waitUntil(lambda: bool(answered.graph.card.lines))
    window.activateWindow()
    window.top.workspace.setFocus()
    there = stops(window, qtbot, TAB)
    missed = [one for one in window.findChildren(QWidget) if takes_tab(one) and one not in there]
    assert not missed, [(type(one).__name__, one.accessibleName(), _path(one)) for one in missed]
    window.top.workspace.setFocus()
    assert len(stops(window, qtbot, BACK)) == len(there)
    compared = 0
    for id, panel in answered.panels.items():
        answered.focus(panel)  # else another one lies upon it
        process_events()
        window.top.workspace.setFocus()
        inside = [one for one in stops(window, qtbot, TAB) if panel.isAncestorOf(one)]
        rows = [one.mapTo(panel, QPoint(0, one.height() // 2)) for one in inside]
        backwards = [
            (type(after).__name__, type(before).__name__)
            for (before, p), (after, q) in pairwise(zip(inside, rows, strict=True))
            if q.y() < p.y() - before.height() // 2 - after.height() // 2 and not _overlaid(before, after)
        ]
        assert not backwards, (id, backwards)
        compared += len(inside) > 1
    assert compared > 8


def _overlaid(before: QWidget, after: QWidget) -> bool:
    """Whether the two have no lines in common: what lies upon the graph, or only one of the two scrolls."""
    return any("Canvas" in _path(one) for one in (before, after)) or _scrolled(before) is not _scrolled(after)


def _scrolled(widget: QWidget | None) -> QWidget | None:
    while widget is not None and not isinstance(widget, QScrollArea):
        widget = widget.parentWidget()
    return widget


def test_the_focus_is_seen_wherever_it_is(answered: Workbench, window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    window.top.workspace.setFocus()
    unseen = []
    for widget in stops(window, qtbot, TAB):
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        ring = widget.grab().toImage()
        widget.clearFocus()
        if widget.grab().toImage() == ring:
            unseen.append((type(widget).__name__, widget.accessibleName(), _path(widget)))
    assert not unseen


# ---------------------------------------------------------------- large letters


def too_low(widget: QWidget) -> bool:
    needed = (
        widget.heightForWidth(widget.width()) if widget.hasHeightForWidth() else widget.sizeHint().height()
    )
    if isinstance(widget, QPushButton):
        needed = max(needed, widget.fontMetrics().height())
    return widget.height() < needed - 1


@pytest.mark.parametrize("percent", [80, 200])
def test_no_words_are_cut_off(
    answered: Workbench, window: MainWindow, qapp: QApplication, qtbot: QtBot, percent: int
) -> None:
    theme.apply(qapp, "light", percent)

    def cut() -> list[str]:
        words = [one for one in window.findChildren(QWidget) if isinstance(one, QLabel | QPushButton)]
        return [
            f"{type(one).__name__} {one.text()[:40]!r} {one.height()} {_path(one)}"
            for one in words
            if not one.visibleRegion().isEmpty()
            and one.text()
            and not isinstance(one, ElidedLabel)
            and too_low(one)
        ]

    def none_cut() -> None:
        assert not cut()

    for panel in answered.panels.values():
        answered.focus(panel)
        qtbot.waitUntil(none_cut)  # what a server told a moment ago may still be laid out
    scrolls = [area for area in window.findChildren(QScrollArea) if area.isVisible()]

    def none_sideways() -> None:
        assert [_path(area) for area in scrolls if area.horizontalScrollBar().maximum()] == []

    qtbot.waitUntil(none_sideways)


def test_text_grows_and_shrinks_by_keys_and_is_remembered(
    qtbot: QtBot, window: MainWindow, session: Session
) -> None:
    before = window.status.words.fontMetrics().height()
    for _ in range(10):
        session.commands.run("view.larger")
    assert theme.text_size() == window.preferences.text_size == 200
    assert session.commands["view.larger"].why_not() == "Text is already as large as it gets."
    qtbot.waitUntil(lambda: window.status.words.fontMetrics().height() > 1.8 * before)
    for _ in range(10):
        session.commands.run("view.smaller")
    assert theme.text_size() == 80 and session.commands["view.smaller"].why_not()
    session.commands.run("view.normal")
    assert theme.text_size() == 100
    qtbot.waitUntil(lambda: window.status.words.fontMetrics().height() == before)


def test_panels_come_together_where_large_letters_leave_little_room(
    bench: Workbench, window: MainWindow, qapp: QApplication, qtbot: QtBot
) -> None:
    bench.arrange()
    bench.docks["evidence"].hide()
    places = {id: dock.geometry().topLeft() for id, dock in bench.docks.items()}
    theme.apply(qapp, "light", 200)
    qtbot.waitUntil(lambda: bench.docks["ask"] in bench.tabifiedDockWidgets(bench.docks["library"]))
    theme.apply(qapp, "light", 100)
    qtbot.waitUntil(lambda: not bench.tabifiedDockWidgets(bench.docks["library"]))
    assert not bench.docks["evidence"].placed, "what was put away stays away"
    qtbot.waitUntil(lambda: bench.docks["library"].geometry().topLeft() == places["library"])


def test_less_motion_is_a_choice_that_stays(window: MainWindow, session: Session) -> None:
    set_motion(None)
    session.commands.run("view.still")
    assert window.preferences.less_motion and not may_move()
    session.commands.run("view.still")
    assert not window.preferences.less_motion
