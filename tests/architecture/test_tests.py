"""What the tests promise of themselves: none waits for a fixed time, and those that are left out in haste are few."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.test_code import ROOT, name, nodes_of

TESTS = sorted((ROOT / "tests").rglob("*.py"))
# Files that may sleep, and why.
SLEEPING = {"tests/waiting.py": "between two looks whether what is waited for has come"}


WAITS = re.compile("assertNotEmitted|sleep|wait", re.IGNORECASE)


def fixed_waits(source: str) -> list[int]:
    """Lines that wait for a time rather than for something."""
    lines: list[int] = []
    if not WAITS.search(source):
        return lines
    for call in (node for node in nodes_of(source) if isinstance(node, ast.Call)):
        called = ast.unparse(call.func)
        listens = called.endswith(".assertNotEmitted") and any(word.arg == "wait" for word in call.keywords)
        if listens or called.endswith(
            ("time.sleep", "qtbot.wait", "QTest.qWait", "QTest.qSleep", "Event().wait")
        ):
            lines.append(call.lineno)
    return lines


@pytest.mark.parametrize(
    "line",
    [
        "time.sleep(0.1)",
        "qtbot.wait(50)",
        "with qtbot.assertNotEmitted(signal, wait=50): pass",
        "threading.Event().wait(1)",
    ],
)
def test_a_fixed_wait_is_noticed(line: str) -> None:
    assert fixed_waits(line) == [1]


@pytest.mark.long  # it parses every test
def test_no_test_waits_for_a_fixed_time() -> None:
    found = {
        name(path): fixed_waits(path.read_text(encoding="utf-8"))
        for path in TESTS
        if name(path) not in SLEEPING
    }
    assert {path: lines for path, lines in found.items() if lines} == {}, (
        "wait for a condition: qtbot.waitUntil, tests/waiting.py"
    )
