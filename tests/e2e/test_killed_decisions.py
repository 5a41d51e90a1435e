"""A person who decides on facts, and is killed while it is written, loses that decision at most."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import NAMES, written
from tests.e2e.killed import Ended, Runner, kill_points, runner

pytestmark = pytest.mark.long

OWNS = ("--words", "owns")
DECISIONS: dict[str, list[tuple[str, ...]]] = {
    "rejected": [("reject", "W", *OWNS, "--yes")],
    "edited": [("edit", "W", "FACT", "--predicate", "sold", "--object", "Grey Heron")],
    "undone, of one that was edited": [("edit", "W", "FACT", "--reverse"), ("undo", "W")],
    "another policy": [("approve", "W", *OWNS, "--yes"), ("policy", "W", "approved")],
}


class Desk:
    def __init__(self, clew: Runner, path: Path) -> None:
        self._clew = clew
        self._path = path
        indexed = clew.run("index", written(path / "papers", NAMES), "--workspace", path / "workspace")
        assert indexed.code == 0, indexed.err
        shutil.copytree(path / "workspace", path / "kept")
        (self._fact,) = [fact["fact"]["id"] for fact in self.told("list", "W", *OWNS)["facts"]]

    def run(self, *words: str, commits: int = 0) -> Ended:
        place = {"W": self._path / "workspace", "FACT": self._fact}
        return self._clew.run("review", *(place.get(word, word) for word in words), commits=commits)

    def told(self, *words: str) -> dict[str, list[dict[str, dict[str, str]]]]:
        self._fact = getattr(self, "_fact", "")
        found = json.loads(self.run(*words, "--json").out)
        assert isinstance(found, dict)
        return found

    def digest(self) -> tuple[str, int]:
        """With everything in step, and how many acts there are."""
        workspace = self._path / "workspace"
        index = ("index", self._path / "papers", "--workspace", workspace)
        status, log = ("status", workspace, "--json"), ("review", "log", workspace, "--json")
        ended = self._clew.run_each([index, ("verify", workspace), status, log])
        for each in ended:
            assert each.code == 0, each.err + each.out
        return json.loads(ended[2].out)["digest"], len(json.loads(ended[3].out)["acts"])

    def put_back(self) -> None:
        shutil.rmtree(self._path / "workspace")
        shutil.copytree(self._path / "kept", self._path / "workspace")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with runner() as clew:
        yield Desk(clew, tmp_path_factory.mktemp("decisions"))


@pytest.mark.parametrize("what", DECISIONS)
def test_a_decision_that_is_killed_holds_or_was_never_made(what: str, desk: Desk) -> None:
    *before, last = DECISIONS[what]

    def prepared() -> None:
        desk.put_back()
        for words in before:
            assert desk.run(*words).code == 0

    prepared()
    without = desk.digest()
    ended = desk.run(*last)
    assert ended.code == 0, ended.err
    whole = desk.digest()
    found = []
    for commits in kill_points(every=what == "edited"):  # what follows the decision is the same
        prepared()
        if not desk.run(*last, commits=commits).killed:
            break
        found.append(desk.digest())
    assert len(found) > 1
    assert set(found) <= {without, whole}
    assert found[0] == whole, "its first commit is the whole of it"
