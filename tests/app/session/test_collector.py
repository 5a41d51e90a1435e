"""Garbage dies on the GUI thread only, while a session lives."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable

import pytest
import srsly
from pytestqt.qtbot import QtBot

from app.session.collector import FLOOD, pause_collection
from app.session.session import Session
from app.session.tasks import Lane
from core.progress import TaskContext

DUE = gc.get_threshold()[0] + 10  # objects, after which the youngest are collected


def automatic() -> bool:
    """Whether Python collects by itself, on whatever thread allocates."""
    return gc.isenabled() and gc.get_threshold()[0] > 0


class Knot:
    """A cycle, as widgets with callbacks are."""

    def __init__(self) -> None:
        self.me = self


def test_a_session_takes_collection_over_and_gives_it_back(qtbot: QtBot) -> None:
    qtbot.waitUntil(automatic)
    before = gc.get_threshold()
    first, second = Session(), Session()
    assert not automatic()
    first.close()
    first.close()
    assert not automatic()
    second.close()
    qtbot.waitUntil(automatic)
    assert gc.get_threshold() == before


def deaths_while(qtbot: QtBot, session: Session, work: Callable[[], object]) -> list[int]:
    """Threads on which a cycle of this one dies while another allocates after `work`."""
    deaths: list[int] = []
    knot = Knot()
    weakref.finalize(knot, lambda: deaths.append(threading.get_ident()))
    del knot

    def allocate(_: TaskContext) -> int:
        work()
        return len([Knot() for _ in range(20_000)])

    session.tasks.start("allocate", allocate)
    qtbot.waitUntil(lambda: not session.tasks.busy("allocate"))
    return deaths


def test_cycles_die_on_this_thread_even_when_another_allocates(qtbot: QtBot, session: Session) -> None:
    deaths = deaths_while(qtbot, session, bool)
    assert deaths == []
    for _ in range(50):
        session._collector.look()
    gc.collect()
    assert deaths == [threading.get_ident()]


def test_a_library_that_enables_collection_changes_nothing(qtbot: QtBot, session: Session) -> None:
    # So spaCy reads each of its files; a widget that died on that thread took the window down.
    packed = srsly.msgpack_dumps({"words": ["Ines"]})
    assert deaths_while(qtbot, session, lambda: srsly.msgpack_loads(packed)) == []
    assert gc.isenabled() and not automatic()


def closed_while_busy() -> threading.Event:
    """A session is closed while something runs; it runs on until the event is set."""
    session, begun, gate = Session(), threading.Event(), threading.Event()

    def work(_: TaskContext) -> None:
        begun.set()
        gate.wait()

    session.tasks.start("long", work)
    assert begun.wait(20)
    session.close()
    return gate


def test_what_waited_for_the_last_thread_dies_on_the_thread_of_the_window(qtbot: QtBot) -> None:
    deaths: list[int] = []
    before = set(threading.enumerate())
    gate = closed_while_busy()
    knot = Knot()
    weakref.finalize(knot, lambda: deaths.append(threading.get_ident()))
    del knot
    keep = [Knot() for _ in range(20_000)]
    gate.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(20)
    assert deaths == [] and keep
    qtbot.waitUntil(automatic)
    assert set(deaths) == {threading.get_ident()}


def test_nothing_is_collected_while_it_is_held_and_a_failure_lets_go(qtbot: QtBot, session: Session) -> None:
    with pytest.raises(ValueError, match="no"), pause_collection():
        keep = [Knot() for _ in range(DUE)]
        assert session._collector.look() == -1 and keep
        raise ValueError("no")
    session.close()
    qtbot.waitUntil(automatic)


def test_while_the_whole_graph_is_read_nothing_is_collected_and_what_was_read_is_passed_by(
    qtbot: QtBot, session: Session
) -> None:
    found: list[list[Knot]] = []
    looks: list[int] = []

    def read(_: TaskContext) -> list[Knot]:
        made = [Knot() for _ in range(FLOOD + 10)]
        looks.append(session._collector.look())
        return made

    before = gc.get_freeze_count()
    try:
        session.tasks.start("read", read, found.append, lane=Lane.GRAPH)
        qtbot.waitUntil(lambda: bool(found))
        qtbot.waitUntil(lambda: gc.get_freeze_count() > before + FLOOD)
        assert looks == [-1]
        assert gc.get_count()[0] < FLOOD
        session.tasks.start("read", lambda _: None, lane=Lane.GRAPH)  # little is not set aside
        few = gc.get_freeze_count()
        qtbot.waitUntil(lambda: not session.tasks.busy("read"))
        assert gc.get_freeze_count() <= few
    finally:
        gc.unfreeze()
