"""What anybody draws upon the graph: one value, checked, shared, and never changed."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError

import pytest

from app.session.overlay import Overlay, SharedOverlay, path_to
from app.session.session import Session
from core.types import Answer, Complexity, FactPath, PathStep, Route, Trace, Way


def test_a_drawn_overlay_can_no_longer_be_changed() -> None:
    heat = {"e1": 0.5}
    overlay = Overlay(heat, path=("e1", "e2"))
    heat["e1"] = 9.0
    assert overlay.heat == {"e1": 0.5}
    with pytest.raises(TypeError):
        overlay.heat["e1"] = 1.0  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        overlay.path = ()  # type: ignore[misc]


@pytest.mark.parametrize("value", [-0.1, math.inf, math.nan])
def test_heat_is_a_number_from_zero_on(value: float) -> None:
    assert Overlay({"e1": 0.0}).heat == {"e1": 0.0}
    with pytest.raises(ValueError, match="e2"):
        Overlay({"e1": 1.0, "e2": value})


def test_a_part_is_drawn_and_the_rest_stays() -> None:
    shared, told = SharedOverlay(), list[Overlay]()
    shared.changed.connect(told.append)
    shared.draw(Overlay({"e1": 1.0}, title="Mentions"))
    shared.change(path=("e1", "e2"))
    shared.change(marks=("e3",), communities=(7,))
    assert told[-1] == shared.current == Overlay({"e1": 1.0}, ("e1", "e2"), ("e3",), (7,), title="Mentions")
    assert told[-1].heat is told[0].heat, "who draws can tell that the heat is the same"
    shared.draw(Overlay())
    assert shared.current == Overlay() and len(told) == 4


def test_the_path_between_the_names_of_a_question_is_drawn() -> None:
    there = PathStep("e1", "Ada", "owns", "e2", "Falk", 0.6, "p1", 0, 4)
    back = PathStep("e3", "Nils", "serves", "e2", "Falk", 0.6, "p2", 0, 4)
    route = Route("fusion", Complexity(0.1, 0.3, 0.6, ()), way=Way.RELATION)
    trace = Trace("Ada and Nils?", route, (), (), {}, (), 0.0)
    answer = Answer("", (), (), (), trace, paths=(FactPath(("e1", "e2", "e3"), (there, back)),))
    drawn = path_to(None, answer)
    assert drawn["path"] == ("e1", "e2", "e3")
    assert [(fact.predicate, fact.forward) for fact in drawn["facts"]] == [("owns", True), ("serves", False)]


def test_nothing_is_left_of_a_workspace_that_was_closed(session: Session) -> None:
    session.overlay.draw(Overlay({"e1": 1.0}, marks=("e1",)))
    session.workspace_closed.emit()
    assert session.overlay.current == Overlay()
