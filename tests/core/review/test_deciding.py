"""Decisions on facts, their log, and two people's logs joined."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.types import FactFilter, FactWords, Policy
from core.workspace import Workspace
from tests.conftest import copied
from tests.core.review.conftest import Settled, broken, counting, find_fact


@pytest.fixture
def other(tmp_path: Path, names_path: Path, models: Models) -> Iterator[Workspace]:
    """Another person's workspace of the same documents."""
    opened = Workspace.open(copied(names_path, tmp_path / "other"), models=models)
    yield opened
    opened.close()


def hand_over(giver: Workspace, taker: Workspace, file: Path) -> tuple[int, int]:
    giver.review.export_log(file, TaskContext())
    return taker.review.replay(file)


def all_ids(workspace: Workspace) -> list[str]:
    return workspace.review.ids(FactFilter(""))


# ------------------------------------------------------------ one log


def test_the_log_only_grows_and_one_that_cannot_be_read_is_found_and_not_invented(
    workspace: Workspace,
) -> None:
    workspace.review.decide(all_ids(workspace)[:1], "rejected")
    with closing(sqlite3.connect(workspace.path / "clew.db", isolation_level=None)) as connection:
        (guard,) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'review_items_stay'"
        ).fetchone()
        for statement in (
            "UPDATE review_acts SET person = 'nobody'",
            "DELETE FROM review_acts",
            "UPDATE review_items SET detail = '{'",
            "DELETE FROM review_items",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                connection.execute(statement)
        connection.execute("DROP TRIGGER review_items_stay")
        connection.execute("UPDATE review_items SET detail = '{'")
        connection.execute(guard)
    assert set(broken(workspace)) == {"log of decisions"}
    workspace.verify(TaskContext(), repair=True)
    assert set(broken(workspace)) == {"log of decisions"}, "nobody but a person knows what was decided"


def test_undo_and_redo_have_no_end_and_outlive_a_restart(
    workspace: Workspace, settled: Settled, models: Models
) -> None:
    begin, ids = settled(), all_ids(workspace)
    for id in ids:
        workspace.review.decide([id], "rejected")
    done = settled()
    assert workspace.counts().facts == 0
    for _ in ids:
        assert workspace.review.undo() is not None
    assert workspace.review.undo() is None
    assert settled() == begin
    workspace.close()
    with Workspace.open(workspace.path, models=models) as again:
        for _ in ids:
            assert again.review.redo() is not None
        assert again.review.redo() is None
        again.review.settle(TaskContext())
        assert again.status().digest == done
        assert len(again.review.log(100)) == 3 * len(ids)


def test_the_last_decision_holds_and_undoing_it_gives_the_one_before(workspace: Workspace) -> None:
    (id, other, *_) = all_ids(workspace)
    first = workspace.review.decide([id], "approved")
    workspace.review.decide([id], "rejected")
    workspace.review.decide([id], "open")
    assert workspace.review.fact(id).state == "open"
    workspace.review.undo()
    assert workspace.review.fact(id).state == "rejected"
    workspace.review.undo(first)
    assert workspace.review.fact(id).state == "rejected"
    workspace.review.undo()
    assert workspace.review.fact(id).state == "open"
    assert [a.verb for a in workspace.review.log(fact_id=id)] == ["reopen", "reject", "approve"]
    workspace.review.decide([other], "approved")
    assert workspace.review.redo() is None, "a new decision ends what can be done again"


def test_the_log_names_who_decided(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ada", "ben"):
        monkeypatch.setenv("LOGNAME", name)
        workspace.review.decide(all_ids(workspace)[:1], "approved", why=f"{name} saw it")
    assert [(act.person, act.why) for act in workspace.review.log(person="ada")] == [("ada", "ada saw it")]


@pytest.mark.parametrize(
    ("policy", "count"), [(Policy("all"), 4), (Policy("sure", 1.0), 1), (Policy("approved"), 1)]
)
def test_what_nobody_decided_on_counts_by_the_policy(
    workspace: Workspace, settled: Settled, policy: Policy, count: int
) -> None:
    total = workspace.counts().facts
    assert total > 4
    for state, id in zip(("approved", "rejected"), all_ids(workspace), strict=False):
        workspace.review.decide([id], state)
    workspace.review.set_policy(policy, TaskContext())
    settled()
    assert workspace.counts().facts == (total - 1 if policy.counts == "all" else count)


# ------------------------------------------------------------ two logs


def test_a_log_gives_another_workspace_of_the_same_documents_the_same_state(
    workspace: Workspace, other: Workspace, settled: Settled, tmp_path: Path
) -> None:
    own, stranger = (find_fact(workspace, words).fact.id for words in ("owns", "hired"))
    workspace.review.edit(own, FactWords(predicate="chartered"), why="seen")
    workspace.review.decide([stranger], "rejected")
    workspace.review.undo()
    workspace.review.note("Hm.", fact_id=own)
    one, two = workspace.names.id_of("Ines Holm"), workspace.names.id_of("Tobias Renwick")
    workspace.names.decide(one, two, "same", TaskContext())
    done = settled()
    assert hand_over(workspace, other, tmp_path / "log.json")[1] == 0
    other.review.settle(TaskContext())
    assert other.status().digest == done
    assert broken(other) == {}
    assert [a.id for a in other.review.log()] == [a.id for a in workspace.review.log()]
    assert other.review.replay(tmp_path / "log.json") == (0, 0), "known already"
    with pytest.raises(BadInput, match="exists already"):
        workspace.review.export_log(tmp_path / "log.json", TaskContext())


def test_two_who_disagree_are_both_asked(workspace: Workspace, other: Workspace, tmp_path: Path) -> None:
    """Each took the other's log in; the fact is open again for both, until somebody decides in view of both."""
    (id, agreed, *_) = all_ids(workspace)
    workspace.review.decide([id, agreed], "approved")
    other.review.decide([id, agreed], "rejected")
    other.review.decide([agreed], "approved")
    assert hand_over(workspace, other, tmp_path / "a.json") == (2, 1)
    hand_over(other, workspace, tmp_path / "b.json")
    for each in (workspace, other):
        assert each.review.states()["disputed"] == 1
        assert each.review.fact(id).state == "disputed"
        assert each.review.fact(agreed).state == "approved"
        assert each.review.fact(id).counts, "by the policy, as nobody had decided"
        each.review.set_policy(Policy("approved"), TaskContext())
        assert not each.review.fact(id).counts
        assert broken(each) == {}
    workspace.review.decide([id], "rejected", why="looked again")
    assert workspace.review.fact(id).state == "rejected"
    assert hand_over(workspace, other, tmp_path / "c.json") == (1, 0)
    assert other.review.fact(id).state == "rejected"
    other.review.undo()
    assert other.review.fact(id).state == "disputed"
    assert broken(other) == {}


def test_what_one_undid_is_undone_for_the_other_in_whatever_order_it_arrives(
    workspace: Workspace, other: Workspace, tmp_path: Path
) -> None:
    (id, *_) = all_ids(workspace)
    workspace.review.decide([id], "rejected")
    hand_over(workspace, other, tmp_path / "before.json")
    workspace.review.undo()
    workspace.review.export_log(tmp_path / "log.json", TaskContext())
    log = json.loads((tmp_path / "log.json").read_text(encoding="utf-8"))
    log["acts"].reverse()
    (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")
    assert other.review.fact(id).state == "rejected"
    assert other.review.replay(tmp_path / "log.json") == (1, 0)
    assert other.review.fact(id).state == "open"
    assert broken(other) == {}


def test_acts_of_other_zones_and_of_clocks_that_are_ahead_are_in_order(
    workspace: Workspace, tmp_path: Path
) -> None:
    (id, *_) = all_ids(workspace)
    act = workspace.review.decide([id], "rejected")
    for hours, verb in enumerate(("undo", "redo"), 1):
        soon = datetime.now(timezone(timedelta(hours=14))) + timedelta(hours=hours)
        joined = {
            **GOOD,
            "id": verb,
            "made": soon.strftime("%Y%m%dT%H%M%S%z"),
            "verb": verb,
            "about": act,
            "items": [],
        }
        workspace.review.replay(as_file(tmp_path, joined))
        if verb == "undo":
            workspace.review.redo(act)
            assert workspace.review.fact(id).state == "rejected"
        workspace.review.undo(act)
        assert workspace.review.fact(id).state == "open"


# ------------------------------------------------------------ a log that is not meant well

GOOD = {
    "id": "1f", "made": "2026-11-21T10:00:00+00:00", "person": "Eve", "verb": "approve", "why": "", "about": "",
    "items": [{"subject": "fact 0123456789abcdef", "outcome": "approved", "saw": [], "detail": {"words": "A is B"}}],
}  # fmt: skip
ITEM = GOOD["items"][0]
QUOTE = {"words": "", "subject": "A", "predicate": "is", "object": "B", "quote": "A is B", "path": "b.txt"}
STATES = {**QUOTE, "sha256": "", "start": 0, "end": 6, "subject_label": "", "object_label": ""}
REFUSED = {
    "no JSON": "[[",
    "deep": "[" * 100_000,
    "another form": json.dumps({"form": "clew review log 9", "acts": []}),
    "no acts": json.dumps({"form": "clew review log 1", "acts": 7}),
    "numbers for words": {**GOOD, "person": 7},
    "a time to come": {**GOOD, "made": "9999-12-31T23:59:59+00:00"},
    "a time of no zone": {**GOOD, "made": "2026-11-21T10:00:00"},
    "an id of two columns": {**GOOD, "id": "a\tb"},
    "no id": {**GOOD, "id": ""},
    "a long reason": {**GOOD, "why": "x" * 50_000},
    "an undoing that decides": {**GOOD, "verb": "undo", "about": "x"},
    "an outcome of no name": {**GOOD, "items": [{**ITEM, "outcome": "maybe"}]},
    "deep names": {**GOOD, "items": [{**ITEM, "subject": f"names {'[' * 9000}", "outcome": "same"}]},
    "names in another order": {**GOOD, "items": [{**ITEM, "subject": 'names ["b","a"]', "outcome": "same"}]},
    "half a statement": {**GOOD, "items": [{**ITEM, "detail": {"quote": "A is B"}}]},
    "a place far outside": {**GOOD, "items": [{**ITEM, "detail": {**STATES, "end": 10**30}}]},
}
HARMLESS = {
    "a fact that nobody knows": GOOD,
    "an undoing of an act that nobody knows": {**GOOD, "verb": "undo", "about": "nobody", "items": []},
    "acts that saw each other": {**GOOD, "items": [{**ITEM, "saw": ["1f", "2e"]}]},
    "the same subject twice": {**GOOD, "items": [ITEM, {**ITEM, "outcome": "rejected"}]},
    "a statement under another's id": {**GOOD, "items": [{**ITEM, "detail": STATES}]},
    "a statement of no names": {**GOOD, "items": [{**ITEM, "detail": {**STATES, "subject": "..."}}]},
    "a name that steers the terminal": {**GOOD, "person": "\x1b[2J\u202e"},
}


def as_file(place: Path, act: object) -> Path:
    text = act if isinstance(act, str) else json.dumps({"form": "clew review log 1", "acts": [act]})
    (place / "log.json").write_text(text, encoding="utf-8")
    return place / "log.json"


def test_a_log_that_is_none_is_refused_and_changes_nothing(workspace: Workspace, tmp_path: Path) -> None:
    before, accepted = workspace.revision, []
    for what, act in REFUSED.items():
        with contextlib.suppress(BadInput):
            workspace.review.replay(as_file(tmp_path, act))
            accepted.append(what)
    assert (accepted, workspace.review.log(), workspace.revision) == ([], [], before)
    (tmp_path / "huge.json").touch()
    os.truncate(tmp_path / "huge.json", 1 << 29)
    for place in (tmp_path / "huge.json", tmp_path / "nothing.json", tmp_path):
        with pytest.raises(BadInput):
            workspace.review.replay(place)


def test_a_log_of_what_is_not_there_does_no_harm(
    workspace: Workspace, settled: Settled, tmp_path: Path
) -> None:
    digest, facts = settled(), counting(workspace)
    for number, act in enumerate(HARMLESS.values(), 1):
        assert workspace.review.replay(as_file(tmp_path, {**act, "id": f"{number}f"}))[1] == 0
        assert len(workspace.review.log()) == number
        assert (settled(), counting(workspace)) == (digest, facts)
    (id, *_) = all_ids(workspace)
    workspace.review.decide([id], "rejected")
    workspace.review.undo()
    assert workspace.review.redo() is not None
    assert workspace.review.fact(id).state == "rejected"
