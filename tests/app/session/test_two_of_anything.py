"""Two panels of a kind live side by side, and one that is gone is called no more."""

from __future__ import annotations

import gc
import threading
import weakref
from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMetaMethod, QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from app.graph.panel import GraphPanel
from app.look import theme
from app.reader.panel import ReaderPanel
from app.session import operations
from app.session.session import Session
from app.session.tasks import TaskRunner
from app.shell.features import PANELS
from core.progress import TaskContext
from tests.app.panel_case import Case


def deleted(widget: QObject) -> None:
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not isValid(widget)


def listeners(session: Session) -> Counter[str]:
    """How many are connected to each signal of what outlives panels."""
    parts: tuple[QObject, ...] = (
        session,
        session.selection,
        session.changes,
        session.tasks,
        session.indexing,
        session.commands,
        session.language,
        session.streaming,
        theme.notifier(),
    )
    found: Counter[str] = Counter()
    for part in parts:
        meta = part.metaObject()
        for at in range(meta.methodCount()):
            method = meta.method(at)
            if method.methodType() is QMetaMethod.MethodType.Signal:
                signature = method.methodSignature().toStdString()
                found[f"{type(part).__name__}.{signature}"] = part.receivers(f"2{signature}")
    return found


def test_no_connection_outlives_its_panel(qtbot: QtBot, case: Case) -> None:
    for spec in PANELS:
        deleted(spec.make(case.session))  # what is created once for all
    before = listeners(case.session)
    gone: dict[str, weakref.ref[QWidget]] = {}
    for spec in PANELS:
        panel = spec.make(case.session)
        gone[spec.id] = weakref.ref(panel)
        deleted(panel)
        del panel
        assert listeners(case.session) == before, spec.id
    case.session.selection.clear()
    case.session.blocked_changed.emit()
    gc.collect()
    assert [id for id, panel in gone.items() if panel() is not None] == []


@pytest.fixture
def readers(qtbot: QtBot, case: Case) -> Iterator[tuple[ReaderPanel, ReaderPanel]]:
    made = ReaderPanel(case.session), ReaderPanel(case.session)
    for panel in made:
        panel.show()
    yield made
    for panel in filter(isValid, made):
        deleted(panel)


def test_two_readers_open_the_same_place_at_once(
    qtbot: QtBot, case: Case, readers: tuple[ReaderPanel, ReaderPanel]
) -> None:
    operations.select_document(case.session, case.letter.id)
    for reader in readers:
        qtbot.waitUntil(lambda reader=reader: reader.opened is not None)
    for reader, word in zip(readers, ("solicitor", "account"), strict=True):
        reader.find_bar.open_bar()
        reader._find(word)
    for reader in readers:
        qtbot.waitUntil(lambda reader=reader: len(reader._matches) == 1)
    assert readers[0]._matches != readers[1]._matches


def test_a_reader_that_goes_while_it_reads_is_not_called(
    qtbot: QtBot, case: Case, readers: tuple[ReaderPanel, ReaderPanel]
) -> None:
    first, other = readers
    shown: list[object] = []
    first._show = lambda *found: shown.append(found)  # type: ignore[method-assign]
    operations.select_document(case.session, case.letter.id)
    deleted(first)
    qtbot.waitUntil(lambda: other.opened is not None)
    assert shown == []


def test_two_graphs_show_what_they_read(qtbot: QtBot, case: Case) -> None:
    graphs = GraphPanel(case.session), GraphPanel(case.session)
    for graph in graphs:
        graph.refresh()
    for graph in graphs:
        qtbot.waitUntil(lambda graph=graph: graph.live.now.full_graph is not None)
    name = next(entity for entity in case.workspace.graph.entities() if entity.name == "Tobias Renwick")
    operations.select_entity(case.session, name.id)
    for graph in graphs:
        qtbot.waitUntil(lambda graph=graph: graph.card.name.text() == "Tobias Renwick")
    graphs[0].refresh()
    deleted(graphs[0])
    graphs[1].refresh()
    qtbot.waitUntil(lambda: not case.session.tasks._current)
    case.session.commands.run("graph.find")
    assert case.session.commands.action("graph.find").parent() is graphs[1]
    deleted(graphs[1])
    assert "graph.find" not in case.session.commands


def test_tasks_die_with_their_owner_and_not_with_its_like(qtbot: QtBot) -> None:
    runner, one, other = TaskRunner(), QObject(), QObject()
    gate, landed = threading.Event(), []

    def wait(_: TaskContext) -> str:
        gate.wait(5)
        return "here"

    mine, theirs = runner.owned_by(one), runner.owned_by(other)
    mine.start("read", wait, lambda _: landed.append("one"))
    theirs.start("read", wait, lambda _: landed.append("other"))
    assert mine.busy("read") and theirs.busy("read") and not runner.busy("read")
    one.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gate.set()
    qtbot.waitUntil(lambda: landed == ["other"])
    runner.close()
