"""One selection with the history of a browser, and beside it the chosen entities: a set, told once a change."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.session.selection import Selected, Selection
from app.session.session import Session

A, B, C = (Selected("entity", name) for name in "abc")


def test_back_and_forward(qtbot: QtBot) -> None:
    selection = Selection()
    heard: list[Selected | None] = []
    selection.changed.connect(heard.append)
    for item in (A, B, C):
        selection.select(item)
    selection.back()
    selection.back()
    assert selection.current == A and not selection.can_go_back and selection.can_go_forward
    selection.forward()
    assert heard == [A, B, C, B, A, B]


def test_a_new_choice_forgets_the_way_forward(qtbot: QtBot) -> None:
    selection = Selection()
    for item in (A, B):
        selection.select(item)
    selection.back()
    selection.select(C)
    assert not selection.can_go_forward
    selection.back()
    assert selection.current == A


def test_choosing_the_same_again_tells_it_but_adds_no_step(qtbot: QtBot) -> None:
    selection = Selection()
    heard: list[Selected | None] = []
    selection.changed.connect(heard.append)
    selection.select(A)
    selection.select(A)
    assert heard == [A, A] and not selection.can_go_back


def test_back_after_clearing_returns_to_the_last_choice(qtbot: QtBot) -> None:
    selection = Selection()
    selection.select(A)
    selection.select(B)
    selection.clear()
    assert selection.current is None and selection.can_go_back
    selection.back()
    assert selection.current == B


def test_forget_empties_everything(qtbot: QtBot) -> None:
    selection = Selection()
    selection.select(A)
    selection.forget()
    assert selection.current is None and not selection.can_go_back and not selection.can_go_forward


def test_what_is_chosen_is_told_once(session: Session) -> None:
    told: list[tuple[str, ...]] = []
    session.chosen.changed.connect(told.append)
    session.chosen.set(["b", "a", "b"])
    session.chosen.set(("b", "a"))  # the same
    session.chosen.add(["a", "c"])
    session.chosen.toggle("b")
    session.chosen.toggle("b")
    session.chosen.remove(["a", "nobody"])
    session.chosen.clear()
    session.chosen.clear()
    assert told == [("b", "a"), ("b", "a", "c"), ("a", "c"), ("a", "c", "b"), ("c", "b"), ()]


def test_another_workspace_begins_with_nothing_chosen(session: Session) -> None:
    session.chosen.set(["a"])
    session.workspace_closed.emit()
    assert session.chosen.current == ()
