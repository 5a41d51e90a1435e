"""Tasks run off the GUI thread, land on it, and a superseded one never lands."""

from __future__ import annotations

import threading
import time

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from app.session.tasks import Lane, TaskRunner
from core.errors import BadInput, CoreError
from core.progress import Progress, TaskContext
from tests.waiting import process_events, wait_until_landed


@pytest.fixture
def tasks(qtbot: QtBot):  # type: ignore[no-untyped-def]
    runner = TaskRunner()
    yield runner
    runner.close()


def test_work_runs_elsewhere_and_lands_here(qtbot: QtBot, tasks: TaskRunner) -> None:
    threads: list[tuple[int, int]] = []
    tasks.start(
        "a", lambda _: threading.get_ident(), lambda there: threads.append((there, threading.get_ident()))
    )
    assert tasks.busy("a")
    qtbot.waitUntil(lambda: bool(threads))
    there, here = threads[0]
    assert there != here == threading.get_ident()
    assert not tasks.busy("a")


def test_a_new_task_of_the_group_silences_the_old_one(qtbot: QtBot, tasks: TaskRunner) -> None:
    landed: list[str] = []
    gate = threading.Event()

    def slow(context: TaskContext) -> str:
        gate.wait(5)
        return "old"

    old = tasks.start("search", slow, landed.append, ended=lambda: landed.append("old ended"))
    tasks.start("search", lambda _: "new", landed.append)
    assert old.cancelled
    qtbot.waitUntil(lambda: landed == ["new"])
    gate.set()
    wait_until_landed(tasks)
    assert landed == ["new"]


def test_many_results_that_come_together_are_called_back_in_turns(qtbot: QtBot, tasks: TaskRunner) -> None:
    """Twelve panels read at once; keys and paint events must not wait for all of them."""
    events: list[str] = []

    def call_back(_: object) -> None:
        until = time.perf_counter() + 0.006
        while time.perf_counter() < until:
            pass
        events.append("result")
        if events.count("result") == 1:
            QTimer.singleShot(0, lambda: events.append("key"))

    for number in range(12):
        tasks.start(f"{number}", lambda _: None, call_back)
    _wait_for_all(tasks)
    qtbot.waitUntil(lambda: events.count("result") == 12)
    assert events.index("key") <= 4


def test_a_callback_that_fails_leaves_the_others_theirs(qtbot: QtBot, tasks: TaskRunner) -> None:
    landed: list[str] = []

    def fail(_: object) -> None:
        raise RuntimeError("a bug")

    with qtbot.captureExceptions() as caught:
        tasks.start("one", lambda _: "one", fail)
        tasks.start("two", lambda _: "two", landed.append)
        _wait_for_all(tasks)
        qtbot.waitUntil(lambda: landed == ["two"])
    assert [str(error) for _, error, _ in caught] == ["a bug"]


def test_other_groups_are_left_alone(qtbot: QtBot, tasks: TaskRunner) -> None:
    landed: list[str] = []
    tasks.start("one", lambda _: "one", landed.append)
    tasks.start("two", lambda _: "two", landed.append)
    qtbot.waitUntil(lambda: sorted(landed) == ["one", "two"])


def test_cancel_stops_at_the_next_report_and_ends_silently(qtbot: QtBot, tasks: TaskRunner) -> None:
    seen: list[str] = []
    gate = threading.Event()

    def endless(context: TaskContext) -> None:
        gate.wait(5)
        while True:
            context.report("work", 0, 0)

    failures: list[CoreError] = []
    tasks.failed.connect(failures.append)
    tasks.start("long", endless, lambda _: seen.append("done"), ended=lambda: seen.append("ended"))
    tasks.cancel("long")
    assert seen == []
    gate.set()
    qtbot.waitUntil(lambda: seen == ["ended"])
    assert failures == []


def test_a_known_failure_goes_to_the_callback_or_to_the_signal(qtbot: QtBot, tasks: TaskRunner) -> None:
    def fail(_: TaskContext) -> None:
        raise BadInput("No.", "Try yes.")

    told: list[CoreError] = []
    tasks.start("a", fail, failed=told.append)
    qtbot.waitUntil(lambda: len(told) == 1)
    with qtbot.waitSignal(tasks.failed) as caught:
        tasks.start("a", fail)
    assert caught.args[0].remedy == "Try yes."


def test_a_bug_is_a_crash_with_its_traceback(qtbot: QtBot, tasks: TaskRunner) -> None:
    def bug(_: TaskContext) -> None:
        raise ZeroDivisionError("oops")

    with qtbot.waitSignal(tasks.crashed) as caught:
        tasks.start("a", bug)
    assert isinstance(caught.args[0], ZeroDivisionError)
    assert caught.args[0].__traceback__ is not None


def test_progress_arrives_in_order(qtbot: QtBot, tasks: TaskRunner) -> None:
    seen: list[int] = []

    def work(context: TaskContext) -> str:
        for done in (0, 2):
            context.report(f"stage {done}", done, 2)
        return "end"

    def hear(progress: Progress) -> None:
        seen.append(progress.done)

    tasks.start("a", work, lambda _: seen.append(99), progress=hear, lane=Lane.MODEL)
    qtbot.waitUntil(lambda: seen == [0, 2, 99])


def test_after_drop_nothing_lands(qtbot: QtBot, tasks: TaskRunner) -> None:
    landed: list[int] = []
    tasks.start("a", lambda _: 1, landed.append, ended=lambda: landed.append(2))
    tasks.drop("a")
    wait_until_landed(tasks)
    assert landed == [] and not tasks.busy("a")


def test_what_a_dropped_task_uses_is_closed_only_after_it(qtbot: QtBot, tasks: TaskRunner) -> None:
    gate, order = threading.Event(), []

    def slow(_: TaskContext) -> None:
        gate.wait(5)
        order.append("worked")

    tasks.start("a", slow)
    tasks.start("b", lambda _: None)
    tasks.drop_all()
    tasks.after_running(lambda: order.append("closed"))
    process_events()
    assert order == []
    gate.set()
    qtbot.waitUntil(lambda: order == ["worked", "closed"])
    tasks.after_running(lambda: order.append("at once"))
    qtbot.waitUntil(lambda: order[-1] == "at once")


def test_a_closed_runner_still_closes_what_its_tasks_used(qtbot: QtBot, tasks: TaskRunner) -> None:
    gate, closed = threading.Event(), threading.Event()
    for group in ("a", "b", "c", "d"):  # more than there are threads: some never begin
        tasks.start(group, lambda _: gate.wait(5))
    tasks.after_running(closed.set)
    tasks.close()
    assert not closed.is_set()
    gate.set()
    assert closed.wait(5)


def _wait_for_all(tasks: TaskRunner) -> None:
    """Hold the window's thread until every call has ended, so that their results come together."""
    ended = threading.Event()
    tasks.after_running(ended.set)
    assert ended.wait(10)
