"""Commands that are killed after any of their commits end, once they are run again, as if nothing had happened."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import written
from tests.core.test_grouping import house
from tests.e2e.killed import Ended, Runner, runner

# Few enough to be encoded alike however often the encoding begins again.
TEXTS = {f"{number:02}.md": house(number) for number in range(14)}
CHANGED = f"{house(5)} Gwendolyn Ashworth met Barnaby Thistle in Riga. Barnaby Thistle owns Thistle Mills.\n"
GONE = "09.md"


@pytest.fixture(scope="module")
def clew() -> Iterator[Runner]:
    with runner() as running:
        yield running


@pytest.fixture(scope="module")
def indexed(clew: Runner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the folder `papers` and its workspace; for copying only."""
    place = tmp_path_factory.mktemp("killed")
    assert index(clew, written(place / "papers", TEXTS).parent).code == 0
    return place


def index(clew: Runner, place: Path, commits: int = 0) -> Ended:
    return clew.run("index", place / "papers", "--workspace", place / "workspace", commits=commits)


def remove(clew: Runner, place: Path, commits: int = 0) -> Ended:
    return clew.run("remove", place / "workspace", GONE, commits=commits)


def status(clew: Runner, place: Path) -> dict[str, object]:
    told = json.loads(clew.run("status", place / "workspace", "--json").out)
    assert isinstance(told, dict)
    return told


def content(clew: Runner, place: Path) -> dict[str, object]:
    """All digests by what they are of, so that a difference says where it lies."""
    told = status(clew, place)
    assert (told["pending"], told["failed"]) == (0, 0)
    assert isinstance(told["derived"], dict)
    return {"documents": told["digest"], **told["derived"]}


def until_through(clew: Runner, place: Path, run: Callable[[Runner, Path, int], Ended]) -> int:
    """Kill it after its first commit, run it again and kill it after its second, and so on; how many kills it took."""
    for commits in count(1):
        ended = run(clew, place, commits)
        if not ended.killed:
            assert ended.code == 0, ended.err
            return commits - 1
    raise AssertionError


def test_a_removal_that_is_killed_is_pending_and_finished_by_repeating_it_or_by_indexing(
    clew: Runner, indexed: Path, tmp_path: Path
) -> None:
    whole = Path(shutil.copytree(indexed, tmp_path / "whole"))
    assert remove(clew, whole).code == 0
    expected = content(clew, whole)
    pending = []
    for commits in count(1):
        place = Path(shutil.copytree(indexed, tmp_path / f"{commits}"))
        if not remove(clew, place, commits).killed:
            break
        pending.append(status(clew, place)["pending"])
        again = (remove if commits % 2 else index)(clew, place)
        assert again.code == 0, again.err
        assert content(clew, place) == expected, f"killed after commit {commits}"
    assert len(pending) > 5
    assert pending == [1] * (len(pending) - 1) + [0]


def test_a_changed_file_whose_indexing_is_killed_over_and_over(
    clew: Runner, indexed: Path, tmp_path: Path
) -> None:
    places = [Path(shutil.copytree(indexed, tmp_path / name)) for name in ("whole", "killed")]
    for place in places:
        (place / "papers" / "05.md").write_text(CHANGED, encoding="utf-8")
    assert index(clew, places[0]).code == 0
    assert until_through(clew, places[1], index) >= 4
    assert content(clew, places[1]) == content(clew, places[0])


def test_a_first_indexing_that_is_killed_over_and_over(clew: Runner, indexed: Path, tmp_path: Path) -> None:
    written(tmp_path / "papers", TEXTS)
    assert until_through(clew, tmp_path, index) >= 5
    assert content(clew, tmp_path) == content(clew, indexed)
