"""Before names are changed, pinned questions are asked as if they were: what would change then comes about."""

from __future__ import annotations

import pytest

from core.extraction.names import normalise
from core.identity import stable_id
from core.progress import TaskContext
from core.types import NameChange, PinChange
from core.workspace import Workspace

pytestmark = pytest.mark.long

RENWICK, HOLM, GANNET = (
    stable_id("entity", normal) for normal in ("tobias renwick", "ines holm", "northern gannet")
)
QUESTIONS = (
    ("Who commands the Northern Gannet?", "auto"),
    ("Whom did Tobias Renwick hire?", "auto"),
    ("Where does the man who hired Ines Holm live?", "graph"),
)


@pytest.fixture
def pinned(workspace: Workspace) -> Workspace:
    workspace.review.settle(TaskContext())
    for question, route in QUESTIONS:
        workspace.pins.add(question, TaskContext(), route)
    return workspace


def differing(changes: tuple[PinChange, ...]) -> set[str]:
    """Questions for which two runs differ in what they tell."""
    return {change.now.question for change in changes if change.outcome not in ("new", "same")}


@pytest.mark.parametrize(
    "change",
    [
        NameChange("part", (RENWICK, stable_id("entity", normalise("Tobias J. Renwick")))),
        NameChange("merge", (RENWICK, HOLM)),
        NameChange("rename", (GANNET,), "The Grey Petrel"),
        NameChange("retype", (RENWICK,), "NOUN"),
    ],
    ids=lambda change: change.kind,
)
def test_answers_that_would_change_do(change: NameChange, pinned: Workspace) -> None:
    pinned.pins.run(TaskContext())
    digest, runs = pinned.status().digest, pinned.pins.runs()
    found = pinned.names.affected_pins(change, TaskContext())
    assert (pinned.status().digest, pinned.pins.runs(), pinned.review.log()) == (digest, runs, [])
    pinned.names.change(change, TaskContext())
    run = pinned.pins.run(TaskContext())
    assert differing(run.changes) <= {pin.change.now.question for pin in found}
    now = {result.pin_id: result for result in run.now.results}
    for pin in found:
        assert pin.parts and pin.change.before is not None
        came = now[pin.change.now.pin_id]
        assert (came.answer, came.route, came.ranks) == (
            pin.change.now.answer, pin.change.now.route, pin.change.now.ranks,
        )  # fmt: skip
        print(change.kind, pin)
        before, after = set(pin.passages_before), set(pin.passages_now)
        assert ("passages" in pin.parts) or before == after
