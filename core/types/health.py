"""What is told of a workspace's health: a copy that was made, an invariant that was checked."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of a workspace as it stood at one moment."""

    path: str
    size: int  # bytes
    seconds: float
    documents: int
    passages: int
    pending: int  # passages that indexing had not reached yet; indexing the copy goes on from there
    digest: str  # of the copy; "" for a workspace of an older Clew


@dataclass(frozen=True, slots=True)
class Check:
    """One invariant. `count` is how many things break it, `detail` says in words what was found."""

    name: str
    ok: bool
    count: int
    detail: str
    remedy: str = ""
    repaired: bool = False  # it was broken, and was mended now


@dataclass(frozen=True, slots=True)
class Exported:
    """A graph written for other programs: where, and how much of what."""

    path: str
    documents: int
    entities: int
    facts: int
    edges: int  # that follow from others
