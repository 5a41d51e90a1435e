"""Commands that are killed after a commit end, once they are run again, as if nothing had happened."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
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

    def _words(self, words: Sequence[str]) -> list[str]:
        """A command on the workspace, whose place is `*`."""
        return [str(self._path / "workspace") if word == "*" else word for word in words]

    def index(self, commits: int = 0) -> Ended:
        return self.run("index", str(self._path / "papers"), "--workspace", "*", commits=commits)

    def remove(self, commits: int = 0) -> Ended:
        return self.run("remove", "*", GONE, commits=commits)

    def run(self, *words: str, commits: int = 0) -> Ended:
        return self._clew.run(*self._words(words), commits=commits)

    def json_of_each(self, commands: Sequence[Sequence[str]], index: bool = False) -> list[Any]:
        """What each of these commands answers to machines, in one process; `index`: after indexing again."""
        begin = [["index", str(self._path / "papers"), "--workspace", "*"]] * index
        ended = self._clew.run_each(
            [*map(self._words, [*begin, *([*words, "--json"] for words in commands)])]
        )
        for each in ended:
            assert each.code == 0, each.err
        return [json.loads(each.out) for each in ended[index:]]

    def content(self, index: bool = False) -> dict[str, object]:
        """All digests by what they are of, so that a difference says where it lies."""
        return digests(self.json_of_each([("status", "*")], index)[0])

    def state(self) -> tuple[list[tuple[str, bool]], dict[str, object]]:
        """After indexing again: what was done and whether it is undone, and the content."""
        commands = [("verify", "*"), ("review", "log", "*"), ("status", "*")]
        verified, log, status = self.json_of_each(commands, index=True)
        assert all(check["ok"] for check in verified["checks"])
        return [(act["verb"], act["undone"]) for act in log["acts"]], digests(status)

    def save(self, name: str) -> None:
        shutil.copytree(self._path / "workspace", self._path / name)

    def put_back(self, name: str = "indexed") -> None:
        """As it was saved under this name."""
        shutil.rmtree(self._path / "workspace")
        shutil.copytree(self._path / name, self._path / "workspace")

    def edit(self, text: str) -> None:
        (self._path / "papers" / "05.md").write_text(text, encoding="utf-8")


def digests(status: dict[str, Any]) -> dict[str, object]:
    assert (status["pending"], status["failed"]) == (0, 0)
    return {"documents": status["digest"], **status["derived"]}


@pytest.fixture(scope="module")
def place(clew: Runner, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Indexed, and saved so; each test puts it back first."""
    found = Place(clew, tmp_path_factory.mktemp("killed"))
    assert found.index().code == 0
    found.save("indexed")
    return found


def until_through(run: Callable[[int], Ended]) -> int:
    """Run it again and again, killed later each time, until it ends; how many kills it took."""
    for kills, commits in enumerate(kill_points()):
        ended = run(commits)
        if not ended.killed:
            assert ended.code == 0, ended.err
            return kills
    raise AssertionError


def test_indexing_that_is_killed_over_and_over(place: Place, clew: Runner, tmp_path: Path) -> None:
    other = Place(clew, tmp_path)
    assert until_through(other.index) >= 2
    place.put_back()
    assert other.content() == place.content()
    place.edit(CHANGED)
    other.edit(CHANGED)
    assert until_through(other.index) >= 2
    assert other.content() == place.content(index=True)
    place.edit(TEXTS["05.md"])


def test_a_removal_that_is_killed_is_finished_by_repeating_it_or_by_indexing(place: Place) -> None:
    place.put_back()
    assert place.remove().code == 0
    expected = place.content()
    pending = []
    for number, commits in enumerate(kill_points()):
        place.put_back()
        if not place.remove(commits).killed:
            break
        pending += [status["pending"] for status in place.json_of_each([("status", "*")])]
        if repeated := number % 2:
            again = place.remove()
            assert again.code == 0, again.err
        assert place.content(index=not repeated) == expected, f"killed after commit {commits}"
    assert len(pending) >= 2 and pending[0] == 1


ACTS = (
    ("names", "join", "*", FIRM, OTHER),
    ("review", "undo", "*"),
    ("review", "edit", "*", "FACT", "--predicate", "sold", "--object", "Grey Heron"),
    ("review", "policy", "*", "approved"),
)


def test_a_decision_that_is_killed_is_there_in_full_or_not_at_all(place: Place) -> None:
    place.put_back()
    (listed,) = place.json_of_each([("review", "list", "*")])
    fact = listed["facts"][0]["fact"]["id"]
    before = place.state()
    for number, words in enumerate(ACTS):
        act = [fact if word == "FACT" else word for word in words]
        place.save(f"before {number}")
        ended = place.run(*act)
        assert ended.code == 0, ended.err
        after = place.state()
        assert after != before
        place.save(f"after {number}")
        found = []
        for commits in kill_points():
            place.put_back(f"before {number}")
            if not place.run(*act, commits=commits).killed:
                break
            found.append(place.state())
            assert found[-1] in (before, after), f"{act} killed after commit {commits}"
        assert found and found[-1] == after
        place.put_back(f"after {number}")
        before = after
