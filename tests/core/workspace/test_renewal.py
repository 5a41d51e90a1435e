"""Questions keep their revision while the next one is opened beside it."""

from __future__ import annotations

import threading

import pytest

from core.workspace.retrieval import Renewal

SOON = 30.0  # seconds; far more than is needed


def test_it_is_created_once_for_all_who_ask() -> None:
    created: list[int] = []
    begun, go_on = threading.Event(), threading.Event()

    def make() -> int:
        begun.set()
        assert go_on.wait(SOON)
        created.append(len(created))
        return created[-1]

    renewal: Renewal[int] = Renewal(make)
    found: list[int] = []
    asking = [threading.Thread(target=lambda: found.append(renewal.get(1).value)) for _ in range(5)]
    for thread in asking:
        thread.start()
    assert begun.wait(SOON)
    go_on.set()
    for thread in asking:
        thread.join(SOON)
    assert found == [0] * 5 and created == [0]
    assert renewal.get(1).is_current and renewal.get(1).value == 0


def test_where_the_next_takes_long_questions_are_asked_of_the_last() -> None:
    go_on, values = threading.Event(), iter(["first", "second"])

    def make() -> str:
        value = next(values)
        if value == "second":
            assert go_on.wait(SOON)
        return value

    renewal: Renewal[str] = Renewal(make, patience=0.01)
    assert renewal.get(1).value == "first"
    while_read = renewal.get(2)
    assert (while_read.value, while_read.revision, while_read.is_current) == ("first", 1, False)
    go_on.set()
    assert renewal_of(renewal, 2) == "second"
    assert while_read.value == "first", "who asked before keeps what they asked of"


def renewal_of(renewal: Renewal[str], revision: int) -> str:
    while not (found := renewal.get(revision)).is_current:
        pass
    return found.value


def test_what_fails_is_raised_and_tried_again() -> None:
    tries: list[int] = []

    def make() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("once")
        return "there"

    renewal: Renewal[str] = Renewal(make)
    with pytest.raises(ValueError, match="once"):
        renewal.get(1)
    assert renewal.get(1).value == "there"


def test_what_was_begun_before_it_was_forgotten_is_not_stored() -> None:
    begun, go_on, values = threading.Event(), threading.Event(), iter(["old settings", "new settings"])

    def make() -> str:
        value = next(values)
        if value == "old settings":
            begun.set()
            assert go_on.wait(SOON)
        return value

    renewal: Renewal[str] = Renewal(make)
    thread = threading.Thread(target=lambda: renewal.get(1))
    thread.start()
    assert begun.wait(SOON)
    renewal.forget()
    assert renewal.get(1).value == "new settings"
    go_on.set()
    thread.join(SOON)
    assert renewal.get(1).value == "new settings"
