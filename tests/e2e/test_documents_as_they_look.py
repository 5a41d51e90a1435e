"""A person reads an answer's source as it looks: by clicks and keys, in both themes and on two screens."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.reader.panel import ReaderPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from tests.app.reader.conftest import drawn
from tests.e2e.pictures import pictures
from tests.waiting import process_events, wait_until_landed

pytestmark = pytest.mark.long
LEFT = Qt.MouseButton.LeftButton
QUESTION = "How much marine gas oil did Sahel Fuel Company deliver to the Grey Petrel?"


def choose(qtbot: QtBot, window: MainWindow, title: str, reader: ReaderPanel) -> None:
    """Click a document in the library."""
    assert window.workbench is not None
    table = window.workbench.library.table
    model = table.model()
    wanted = next(
        model.index(row, 0) for row in range(model.rowCount()) if title in str(model.index(row, 0).data())
    )
    table.scrollTo(wanted)
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(wanted).center())
    qtbot.waitUntil(lambda: reader.opened is not None and title in reader.opened.document.title)


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None, "no part of the window has the keyboard"
    return widget


def test_a_source_is_read_as_it_looks(
    qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path
) -> None:
    window.resize(1440, 900)
    window.activateWindow()
    operations.open_workspace(session, sample_copy)
    qtbot.waitUntil(lambda: window.workbench is not None and session.workspace is not None, timeout=30_000)
    bench = window.workbench
    assert bench is not None
    qtbot.waitUntil(lambda: bench.library.table.model().rowCount() > 5, timeout=30_000)
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)  # the arrangement for reading
    with qtbot.waitSignal(session.answered, timeout=200_000):
        operations.ask(session, QUESTION)
    answer, reader = session.answer, bench.reader
    assert answer is not None and any("0388" in citation.document for citation in answer.citations)

    choose(qtbot, window, "Invoice 0388", reader)
    assert reader.text.isVisible()
    qtbot.mouseClick(reader.header.switch.buttons["look"], LEFT)
    pages = reader.side.pages
    qtbot.waitUntil(lambda: drawn(pages), timeout=20_000)
    assert pages.isVisible() and window.preferences.reader == "look"
    at = next(at for at, citation in enumerate(answer.citations) if "0388" in citation.document)
    pages.setFocus()
    for _ in range(at + 1):
        QTest.keyClick(focus(), Qt.Key.Key_F4)  # the keyboard stays with what is read
        wait_until_landed(session.tasks)
    cited = answer.citations[at]
    wait_until_landed(session.tasks)
    process_events()
    assert pages.isVisible()
    assert 0 <= pages.point_of(cited.start).y() <= pages.viewport().height()
    pictures(window, "point-7-page", lambda: qtbot.waitUntil(lambda: drawn(pages), timeout=20_000))

    name = next(one for one in reader.opened.mentions if one.start >= cited.start)  # type: ignore[union-attr]
    qtbot.mouseClick(pages.viewport(), LEFT, pos=pages.point_of(name.start).toPoint())
    assert session.selection.current is not None and session.selection.current.id == name.entity_id

    choose(qtbot, window, "Port calls", reader)
    assert reader.side.sheet.isVisible() and not reader.text.isVisible()
    pictures(window, "point-7-sheet")
    choose(qtbot, window, "Dinner in Luxembourg", reader)
    assert reader.text.isVisible()
    pictures(window, "point-7-mail")
    choose(qtbot, window, "Letter from Kabwana", reader)
    assert reader.text.isVisible() and not reader.header.switch.isVisible(), "it has no other look"
