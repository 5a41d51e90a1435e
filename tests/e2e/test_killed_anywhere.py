"""Commands that are killed after any of their commits end, once they are run again, as if nothing had happened."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import written
from tests.core.ingest.test_grouping import house, name
from tests.e2e.killed import Ended, Runner, kill_points, runner

pytestmark = pytest.mark.long

# Few enough to be encoded alike however often the encoding begins again.
TEXTS = {f"{number:02}.md": house(number) for number in range(14)}
CHANGED = f"{house(5)} Gwendolyn Ashworth met Barnaby Thistle in Riga. Barnaby Thistle owns Thistle Mills.\n"
GONE = "09.md"
FIRM, OTHER = f"{name(7)} Lines", f"{name(15)} Lines"


@pytest.fixture(scope="module")
def clew() -> Iterator[Runner]:
    with runner() as running:
        yield running


class Place:
    """A folder `papers` with its workspace, put back to how it was: a copy elsewhere would be another one."""

    def __init__(self, clew: Runner, path: Path) -> None:
        self._clew = clew
        self._path = path
        written(path / "papers", TEXTS)

    def index(self, commits: int = 0) -> Ended:
        papers, workspace = self._path / "papers", self._path / "workspace"
        return self._clew.run("index", papers, "--workspace", workspace, commits=commits)

    def remove(self, commits: int = 0) -> Ended:
        return self.run("remove", "*", GONE, commits=commits)

    def run(self, *words: str, commits: int = 0) -> Ended:
        """A command on the workspace, whose place is `*`."""
        workspace = str(self._path / "workspace")
        return self._clew.run(*(workspace if word == "*" else word for word in words), commits=commits)

    def json(self, *words: str) -> Any:
        """What a command answers to machines."""
        (answer,) = self.json_of_each([words])
        return answer

    def json_of_each(self, commands: Sequence[Sequence[str]], index: bool = False) -> list[Any]:
        """What each of these commands answers to machines, in one process; `index`: after indexing again."""
        papers, workspace = self._path / "papers", str(self._path / "workspace")
        asked = [[*(workspace if word == "*" else word for word in words), "--json"] for words in commands]
        ended = self._clew.run_each([["index", papers, "--workspace", workspace]] * index + asked)
        for each in ended:
            assert each.code == 0, each.err
        return [json.loads(each.out) for each in ended[index:]]

    def content(self, index: bool = False) -> dict[str, object]:
        """All digests by what they are of, so that a difference says where it lies."""
        return digests(self.json_of_each([("status", "*")], index)[0])

    def keep(self, name: str = "kept") -> None:
        shutil.copytree(self._path / "workspace", self._path / name)

    def put_back(self, changed: bool = False, name: str = "kept") -> None:
        """As it was kept under this name; `changed`: but for a file."""
        shutil.rmtree(self._path / "workspace")
        shutil.copytree(self._path / name, self._path / "workspace")
        text = CHANGED if changed else TEXTS["05.md"]
        (self._path / "papers" / "05.md").write_text(text, encoding="utf-8")


def digests(status: dict[str, Any]) -> dict[str, object]:
    assert (status["pending"], status["failed"]) == (0, 0)
    return {"documents": status["digest"], **status["derived"]}


@pytest.fixture(scope="module")
def place(clew: Runner, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Indexed and kept so; each test puts it back first."""
    found = Place(clew, tmp_path_factory.mktemp("killed"))
    assert found.index().code == 0
    found.keep()
    return found


def until_through(run: Callable[[int], Ended]) -> int:
    """Kill it after its first commit, run it again and kill it after its second, and so on; how many kills it took."""
    for commits in count(1):
        ended = run(commits)
        if not ended.killed:
            assert ended.code == 0, ended.err
            return commits - 1
    raise AssertionError


def test_a_removal_that_is_killed_is_pending_and_finished_by_repeating_it_or_by_indexing(
    place: Place,
) -> None:
    place.put_back()
    assert place.remove().code == 0
    expected = place.content()
    pending = []
    for commits in count(1):
        place.put_back()
        if not place.remove(commits).killed:
            break
        pending.append(place.json("status", "*")["pending"])
        if repeated := commits % 2:
            again = place.remove()
            assert again.code == 0, again.err
        assert place.content(index=not repeated) == expected, f"killed after commit {commits}"
    assert len(pending) > 5
    assert pending == [1] * (len(pending) - 1) + [0]


def test_a_first_indexing_that_is_killed_over_and_over(place: Place, clew: Runner, tmp_path: Path) -> None:
    place.put_back()
    other = Place(clew, tmp_path)
    assert until_through(other.index) >= 5
    assert other.content() == place.content()


def test_a_changed_file_whose_indexing_is_killed_over_and_over(place: Place) -> None:
    place.put_back(changed=True)
    expected = place.content(index=True)
    place.put_back(changed=True)
    assert until_through(place.index) >= 4
    assert place.content() == expected


CHANGES = {
    "rename": ("The Firm",),
    "join": (OTHER,),
    "split": ("--as", "the rival"),
    "undo": (),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_of_names_that_is_killed_is_there_whole_or_not_at_all(place: Place, kind: str) -> None:
    place.put_back()
    passage = place.json("names", "show", "*", FIRM, "--passages")["passages"][-1]["id"]
    words = ("names", kind, "*", FIRM, *CHANGES[kind], *([passage] if kind == "split" else []))
    change = ("review", "undo", "*") if kind == "undo" else words

    def state() -> tuple[tuple[tuple[str, bool], ...], dict[str, object]]:
        """The log: what was done, and whether it is undone; and the content, both after indexing again."""
        verified, log, status = place.json_of_each(
            [("verify", "*"), ("review", "log", "*"), ("status", "*")], index=True
        )
        assert all(check["ok"] for check in verified["checks"])
        return tuple((act["verb"], act["undone"]) for act in log["acts"]), digests(status)

    assert place.run("names", "alias", "*", FIRM, "The Earlier One").code == 0
    contents = dict([state()])
    place.keep(kind)
    assert place.run(*change).code == 0
    contents |= [state()]
    assert len(contents) == 2
    after = []
    for commits in kill_points(every=kind == "join"):  # what follows the change is the same
        place.put_back(name=kind)
        if not place.run(*change, commits=commits).killed:
            break
        log, content = state()
        after.append(log)
        assert content == contents[log], f"killed after commit {commits}"
    assert after
