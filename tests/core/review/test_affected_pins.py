"""Before names are changed, pinned questions are asked as if they were: what would change then comes about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli import main
from core.extraction.names import normalise
from core.progress import Cancelled, Progress, TaskContext
from core.store.workspace_files import WriterLock
from core.types import NameChange, PinChange
from core.types.kinds import stable_id
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
        NameChange("rename", (GANNET,), "The Grey Petrel"),
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
        before, after = set(pin.passages_before), set(pin.passages_now)
        assert ("passages" in pin.parts) or before == after


def test_nobody_waits_for_it_and_nothing_of_it_is_left(
    pinned: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = tmp_path / "meanwhile"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    merge = NameChange("merge", (RENWICK, HOLM))
    events: list[Progress] = []
    with WriterLock(pinned.path, "indexed"):
        found = pinned.names.affected_pins(merge, TaskContext(events.append))
    assert found and not list(place.iterdir())
    assert [p.done for p in events if p.stage == "questions"][-1] == 2 * len(QUESTIONS)

    events.clear()
    halfway = TaskContext(
        events.append, lambda: any(p.stage == "questions" and p.done == 2 for p in events), 0
    )
    with pytest.raises(Cancelled):
        pinned.names.affected_pins(merge, halfway)
    assert not list(place.iterdir()) and pinned.review.log() == []
    pinned.pins.unpin(pin.id for pin in pinned.pins.all())
    assert pinned.names.affected_pins(merge, TaskContext()) == ()


def test_the_command_line_lists_them(pinned: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    merge = ["names", "join", str(pinned.path), "Tobias Renwick", "Ines Holm"]
    pinned.close()
    assert main([*merge, "--pins"]) == 0
    text = capsys.readouterr().out
    assert main([*merge, "--pins", "--json"]) == 0
    pins = json.loads(capsys.readouterr().out)["pins"]
    assert pins and all(pin["change"]["now"]["question"] in text for pin in pins)
    for pin in pins:
        assert ("passages" in pin["parts"]) == (pin["passages_before"] != pin["passages_now"])
