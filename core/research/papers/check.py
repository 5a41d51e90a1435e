"""One place of a paper: where it is implemented, its check against the paper's own definition, and what differs."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.progress import TaskContext

CITES = "cites"
State = Literal["checked", "tested", "unverified", "absent", "fails"]


@dataclass(frozen=True, slots=True)
class Check:
    """A numbered equation, algorithm, module or experiment of a paper.

    `where` are places such as "core/retrieval/dense.py:DenseRetriever.retrieve", () where nothing implements it:
    `differs` then says what replaces it. `check` raises AssertionError where ours is not what the paper defines; if
    something `differs`, it covers the common part. `tests` of the suite verify it, too: "tests/file.py::test". `worth`
    links to what the difference is worth, where that was measured.
    """

    paper: str
    place: str  # "eq. 6"
    what: str
    where: tuple[str, ...] = ()
    check: Callable[[], None] | None = None
    differs: str = ""
    tests: tuple[str, ...] = ()
    worth: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`fault` is the message of a failed check; `seconds` are 0 without a check."""

    check: Check
    state: State
    seconds: float
    fault: str = ""


def read_table(table: str) -> dict[str, Any]:
    """Return what a file of this folder says of each place, and under CITES of the paper itself."""
    return tomllib.loads(Path(__file__).with_name(table).read_text(encoding="utf-8"))


def places(paper: str, table: str, checks: Mapping[str, Callable[[], None]]) -> tuple[Check, ...]:
    """Return the places of a table in this folder, in its order. Raises ValueError for a check of an unknown place."""
    found = {name: entry for name, entry in read_table(table).items() if name != CITES}
    if strange := checks.keys() - found.keys():
        raise ValueError(f"{table} has no place {sorted(strange)}")
    return tuple(
        Check(
            paper,
            place,
            entry["what"],
            tuple(entry.get("where", ())),
            checks.get(place),
            entry.get("differs", ""),
            tuple(entry.get("tests", ())),
            entry.get("worth", ""),
        )
        for place, entry in found.items()
    )


def run(checks: Sequence[Check], context: TaskContext) -> Iterator[Outcome]:
    """Yield the outcome of each check in turn. Raises Cancelled."""
    for number, each in enumerate(checks):
        context.report("check", number, len(checks), f"{each.paper}, {each.place}")
        yield outcome(each)


def outcome(each: Check) -> Outcome:
    """Run the check, if there is one."""
    begin = time.perf_counter()
    if each.check is None:
        return Outcome(each, state(each), 0.0)
    try:
        each.check()
    except AssertionError as fault:
        return Outcome(each, "fails", time.perf_counter() - begin, str(fault))
    return Outcome(each, state(each), time.perf_counter() - begin)


def state(each: Check) -> State:
    """Return the state of a place whose check does not fail; whether it differs is told beside it."""
    if not each.where:
        return "absent"
    if each.check is not None:
        return "checked"
    return "tested" if each.tests else "unverified"


def expect(true: bool, words: str) -> None:
    """Raise AssertionError with the words; `assert` would be removed by python -O."""
    if not true:
        raise AssertionError(words)


def expect_equal(found: object, expected: object, words: str) -> None:
    expect(found == expected, f"{words}: {found} is not {expected}")


def expect_close(found: ArrayLike, expected: ArrayLike, words: str, within: float = 1e-6) -> None:
    """Compare numbers, or arrays of one shape; `within` is absolute."""
    one, other = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    expect(one.shape == other.shape, f"{words}: shape {one.shape} is not {other.shape}")
    off = float(np.abs(one - other).max(initial=0.0))
    expect(off <= within, f"{words}: off by {off:.2g}")
