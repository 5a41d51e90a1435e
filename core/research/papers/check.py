"""One place of a paper: where it lives, how it is held against the paper's own definition, and what differs."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from core.progress import TaskContext

State = Literal["ok", "differs", "tested", "missing", "fails"]


@dataclass(frozen=True, slots=True)
class Check:
    """A numbered equation, algorithm, module or experiment of a paper.

    `where` are places such as "core/retrieval/dense.py:DenseRetriever.retrieve", () where nothing implements it: then
    `differs` says what stands in its place. `check` raises AssertionError where ours is not what the paper defines;
    where something `differs` it holds what is the same. Where there is none, docs/research/papers.md names tests.
    """

    paper: str
    place: str  # "eq. 6"
    what: str
    where: tuple[str, ...] = ()
    check: Callable[[], None] | None = None
    differs: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """`fault` is what a check that fails says; `seconds` are 0 where there is none."""

    check: Check
    state: State
    seconds: float
    fault: str = ""


def places(paper: str, table: str, checks: Mapping[str, Callable[[], None]]) -> tuple[Check, ...]:
    """Of a table in this folder, in its order, each with its check. Raises ValueError for a check of no place."""
    found = tomllib.loads(Path(__file__).with_name(table).read_text(encoding="utf-8"))
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
        )
        for place, entry in found.items()
    )


def run(checks: Sequence[Check], context: TaskContext) -> Iterator[Outcome]:
    """What each comes to, one after the other. Raises Cancelled."""
    for number, each in enumerate(checks):
        context.report("check", number, len(checks), f"{each.paper}, {each.place}")
        yield outcome(each)


def outcome(each: Check) -> Outcome:
    """Run it, where there is something to run."""
    begin = time.perf_counter()
    if each.check is None:
        return Outcome(each, state(each), 0.0)
    try:
        each.check()
    except AssertionError as fault:
        return Outcome(each, "fails", time.perf_counter() - begin, str(fault))
    return Outcome(each, state(each), time.perf_counter() - begin)


def state(each: Check) -> State:
    """What it comes to where nothing fails."""
    if not each.where:
        return "missing"
    if each.differs:
        return "differs"
    return "tested" if each.check is None else "ok"


def expect(true: bool, words: str) -> None:
    """Raises AssertionError with the words: `assert` is gone where Python runs with -O."""
    if not true:
        raise AssertionError(words)


def expect_equal(found: object, expected: object, words: str) -> None:
    expect(found == expected, f"{words}: {found} is not {expected}")


def expect_close(found: ArrayLike, expected: ArrayLike, words: str, within: float = 1e-6) -> None:
    """Numbers, or arrays of one shape; `within` is absolute."""
    one, other = np.asarray(found, dtype=np.float64), np.asarray(expected, dtype=np.float64)
    expect(one.shape == other.shape, f"{words}: shape {one.shape} is not {other.shape}")
    off = float(np.abs(one - other).max(initial=0.0))
    expect(off <= within, f"{words}: off by {off:.2g}")
