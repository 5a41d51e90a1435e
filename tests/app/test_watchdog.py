"""The watchdog sees what holds the window's thread, and nothing else."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from types import FunctionType

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from tests.app.watchdog import Watchdog, watching

ROOT = Path(__file__).resolve().parents[2]
LIMIT = (
    0.050  # seconds: a sixth to an eighth of what `compute` takes, so that a fast machine passes it as well
)


def compute() -> None:
    """300 to 420 ms on quiet machines; on a slow or busy one it takes longer, and so does the yardstick."""
    for _ in range(3000):
        sum(number * number for number in range(4_000))


def computing(file: str) -> Callable[[], None]:
    """That function, as if it stood in a file of this repository."""
    return FunctionType(compute.__code__.replace(co_filename=str(ROOT / file)), globals())


@pytest.fixture
def button(qtbot: QtBot) -> QPushButton:
    made = QPushButton("Compute")
    qtbot.addWidget(made)
    return made


def test_a_click_that_computes_is_noted_with_its_place(
    qtbot: QtBot, button: QPushButton, watchdog: Watchdog
) -> None:
    watchdog.limit = LIMIT
    button.clicked.connect(computing("app/made.py"))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (held,) = watchdog.holds
    watchdog.holds.clear()
    assert held.seconds > watchdog.limit and "app/made.py:compute:" in str(held)


def turns_held(qtbot: QtBot, watchdog: Watchdog, files: tuple[str, ...]) -> list[list[bool]]:
    """Which of two files each hold names, after turns that compute in one, in nothing and in the other."""
    timer = QTimer(interval=0)
    acts = iter([computing(files[0]), lambda: None, computing(files[1])])
    timer.timeout.connect(lambda: next(acts, timer.stop)())
    timer.start()
    qtbot.waitUntil(lambda: not timer.isActive())
    held = list(watchdog.holds)
    watchdog.holds.clear()
    return [[file in str(one) for file in files] for one in held]


def test_turns_of_the_event_loop_are_told_apart(qtbot: QtBot, watchdog: Watchdog) -> None:
    watchdog.limit = LIMIT
    files = ("app/made.py", "app/other.py")
    # The yardstick is as noisy as the machine: a moment of another's work hides a turn.
    found = [turns_held(qtbot, watchdog, files)]
    while found[-1] != [[True, False], [False, True]] and len(found) < 3:
        found.append(turns_held(qtbot, watchdog, files))
    assert found[-1] == [[True, False], [False, True]], found


def test_what_the_test_computes_does_not_count(qtbot: QtBot, button: QPushButton, watchdog: Watchdog) -> None:
    watchdog.limit = LIMIT
    computing("app/made.py")()
    button.clicked.connect(computing("tests/app/made.py"))
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not watchdog.holds


def test_a_hold_fails_the_test(qtbot: QtBot, button: QPushButton) -> None:
    button.clicked.connect(computing("app/made.py"))
    with (
        pytest.raises(pytest.fail.Exception, match=r"thread was held:\n.* ms in app/made.py:compute"),
        watching() as made,
    ):
        made.limit = LIMIT
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0), "it looks no more"
