"""From the one box to a community and to the words of a fact, in one step."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.session.selection import Selected
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from app.widgets.result_box import ICONS, ROLE
from core.retrieval.quick_search import KINDS
from tests.app.one_window import ONE_WINDOW, bench_on

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("indexed")


def go_to(kind: str, text: str, window: MainWindow, qtbot: QtBot) -> str:
    """Type, walk down to the first line of this kind, press Enter; its title."""
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    box = window.top.search
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClicks(box, text)
    qtbot.waitUntil(lambda: box.open, timeout=10_000)
    kinds = [box.list.item(row).data(ROLE).kind for row in range(box.list.count())]
    for _ in range(kinds.index(kind)):
        qtbot.keyClick(box, Qt.Key.Key_Down)
    title: str = box.list.currentItem().data(ROLE).title
    qtbot.keyClick(box, Qt.Key.Key_Return)
    return title


def test_a_fact_opens_the_reader_at_its_words(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    title = go_to("fact", "Oriel Nominees", window, qtbot)
    qtbot.waitUntil(lambda: session.selection.current is not None, timeout=10_000)
    current, workspace = session.selection.current, session.workspace
    assert current is not None and workspace is not None and current.kind == "citation"
    told = workspace.documents.text(current.document_id)[current.start : current.end]
    assert "Oriel Nominees" in told and title.split()[0] in told
    assert bench.reader.isVisible()


def test_a_community_is_shown_though_its_panel_was_hidden(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    assert session.workspace is not None
    bench.docks["communities"].hide()
    title = go_to("community", session.workspace.graph.communities()[0].label, window, qtbot)
    current = session.selection.current
    assert current is not None and current.kind == "community"
    labels = {str(each.id): each.label for each in session.workspace.graph.communities()}
    assert labels[current.id] == title
    assert bench.docks["communities"].isVisible()


def test_every_kind_has_its_sign() -> None:
    assert set(ICONS) == {*KINDS, "ask", "command"}


def test_a_community_that_a_card_names_is_seen_in_its_panel(
    window: MainWindow, bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    assert session.workspace is not None
    wanted = session.workspace.graph.communities()[0]
    qtbot.waitUntil(lambda: bench.communities.model.get(wanted.id) is not None)
    bench.docks["communities"].hide()
    bench.evidence.community_wanted.emit(wanted.id)
    assert bench.docks["communities"].isVisible()
    qtbot.waitUntil(lambda: bench.communities.report.report is not None)
    assert bench.communities.report.report.community_id == wanted.id
    assert session.selection.current == Selected("community", str(wanted.id))
