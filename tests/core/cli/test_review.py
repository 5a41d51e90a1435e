"""`clew review`: everything about decisions without a window."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.cli import main
from tests.conftest import copied

QUOTE = "Ines Holm commands the Northern Gannet."


class Command:
    def __init__(self, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._workspace = workspace
        self._capsys = capsys

    def __call__(self, name: str, *words: str, code: int = 0) -> dict[str, Any]:
        """What it tells a machine."""
        assert main(["review", name, str(self._workspace), *words, "--json"]) == code
        found = json.loads(self._capsys.readouterr().out)
        assert isinstance(found, dict)
        return found

    def words(self, name: str, *words: str, code: int = 0) -> str:
        """What it tells a person."""
        assert main(["review", name, str(self._workspace), *words]) == code
        told = self._capsys.readouterr()
        return told.out + told.err

    def facts(self, *filters: str) -> list[str]:
        return [found["fact"]["id"] for found in self("list", *filters)["facts"]]


@pytest.fixture
def review(tmp_path: Path, names_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(copied(names_path, tmp_path / "workspace"), capsys)


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        (("--document", "c.txt"), {"hired"}),
        (("--words", "gannet own"), {"owns"}),
        (("--predicate", "commands"), {"commands"}),
        (("--entity", "Calder Reach Trading Ltd", "--words", "gannet"), {"owns"}),
        (("--proposer", "a model"), set()),
        (("--state", "approved"), set()),
    ],
)
def test_the_list_is_filtered(review: Command, filters: tuple[str, ...], words: set[str]) -> None:
    found = review("list", *filters)
    assert {fact["fact"]["predicate"] for fact in found["facts"]} == words
    assert found["total"] == len(words)


def test_the_list_for_people_has_each_fact_with_its_sentence(review: Command) -> None:
    told = review.words("list", "--words", "hired")
    assert "Tobias Renwick | hired | Ines Holm  (open, counts, " in told
    assert "Tobias Renwick hired Ines Holm" in told.splitlines()[1]
    assert told.splitlines()[-1] == "1 of 1 facts."
    assert "no document" in review.words("list", "--document", "z.txt", code=1)
    assert "No document holds" in review.words("list", "--entity", "Nobody Atall", code=1)


def test_facts_are_decided_on_by_id_or_by_filter_and_undone(review: Command) -> None:
    (own,) = review.facts("--words", "owns")
    assert review("reject", own, "--why", "sold long ago")["facts"] == 1
    assert review.facts("--state", "rejected") == [own]
    assert "nobody could be asked" in review("approve", "--words", "gannet", code=1)["error"]
    told = review.words("approve", "--words", "gannet", code=1)
    assert "commands" in told
    assert review.facts("--state", "approved") == []
    rest = review("approve", "--yes")["facts"]
    assert len(review.facts("--state", "approved")) == rest
    assert review("reopen", own)["facts"] == 1
    (act,) = [act for act in review("log", "--fact", own)["acts"] if act["verb"] == "reject"]
    assert act["why"] == "sold long ago"
    assert "approve" in review.words("log")
    review("undo")
    assert review.facts("--state", "rejected") == [own]
    review("undo", act["id"])
    assert f"undo  reject: {act['subject']}" in review.words("log", "--limit", "1")
    assert review.facts("--state", "rejected") == []
    review("redo", act["id"])
    assert review.facts("--state", "rejected") == [own]
    assert "nothing to undo" in review.words("undo", "nobody", code=1).lower()
    assert "no longer" in review.words("approve", "nobody", code=1)


def test_facts_are_put_right_added_and_noted(review: Command) -> None:
    (own,) = review.facts("--words", "owns")
    edited = review("edit", own, "--predicate", "sold", "--reverse", "--date", "2024")["facts"]
    assert {(f["fact"]["subject"], f["fact"]["predicate"], f["state"]) for f in edited} == {
        ("Calder Reach Trading", "owns", "rejected"),
        ("Northern Gannet", "sold", "approved"),
    }
    added = ("Ines Holm", "captain of", "Harbour Master", "--object-label", "PERSON")
    (new,) = review("add", "b.txt", QUOTE, *added)["facts"]
    assert (new["state"], new["proposers"]) == ("approved", ["person"])
    assert "does not hold this quote" in review.words("add", "b.txt", "Nothing of that.", *added, code=1)
    review("note", "Ask her.", "--entity", "Ines Holm")
    assert "Ask her." in review.words("note", "--entity", "Ines Holm")
    assert [note["why"] for note in review("note", "--entity", "Ines Holm")["notes"]] == ["Ask her."]
    assert review("note", "--fact", own)["notes"] == []
    review.words("note", "Whose?", code=2)


def test_a_log_is_handed_on(
    review: Command, tmp_path: Path, names_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Command(copied(names_path, tmp_path / "other"), capsys)
    (own,) = review.facts("--words", "owns")
    review("reject", own)
    other("approve", own)
    assert review("export", str(tmp_path / "log.json"))["acts"] == 1
    assert other("replay", str(tmp_path / "log.json")) == {"act": "", "news": 1, "disputed": 1}
    assert other.facts("--state", "disputed") == [own]
    assert other("orphans")["orphans"] == []
    assert "None" in other.words("orphans")


def test_the_policy_says_which_facts_count(review: Command) -> None:
    (own,) = review.facts("--words", "owns")
    review("approve", own)
    whole = review("policy")
    assert whole["policy"]["counts"] == "all"
    assert review("policy", "approved")["counted"] == 1
    assert review("policy", "sure", "--bar", "1")["policy"] == {"counts": "sure", "bar": 1.0}
    assert "sure (bar 100%)" in review.words("policy")
    assert review("policy", "all")["counted"] == whole["counted"]
