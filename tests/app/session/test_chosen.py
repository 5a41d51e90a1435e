"""The chosen entities: a set in the order in which it came, told once a change."""

from __future__ import annotations

from app.session.session import Session


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
