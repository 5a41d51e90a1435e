"""What changed: in a folder that is watched, in a workspace by one act."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum


class WatchState(StrEnum):
    """Where a watched folder stands."""

    WATCHING = "watching"  # at rest: the workspace knows what is in it
    SETTLING = "settling"  # something changes; it is waited until writing ends
    CHANGED = "changed"  # it came to rest with changes; told once for each batch
    EMPTY = "empty"  # there, without any document: perhaps a disk that is not connected
    MISSING = "missing"  # not there, or not to be read


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two looks at a folder: paths relative to it, sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()  # (before, now)


@dataclass(frozen=True, slots=True)
class WatchNews:
    """One piece of news of a watched folder. `words` tell people why, or how it is followed."""

    state: WatchState
    changes: Changes = Changes()
    words: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """What one act changed, so that who shows it reads that again and nothing else.

    Ids of what is new, other or gone; all empty where nothing is.
    """

    documents: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()  # their names, facts, mentions, place or community
    names: frozenset[str] = frozenset()  # by the ids made of them: whose they are, how they are written
    facts: frozenset[str] = frozenset()  # also those of which an end is another entity now
    communities: frozenset[int] = frozenset()  # their entities, what they hold or what holds them
    reports: frozenset[int] = frozenset()  # by their communities
    everything: bool = False  # another process wrote: nobody here knows what

    def __or__(self, other: Changed) -> Changed:
        return Changed(*(getattr(self, each.name) | getattr(other, each.name) for each in fields(self)))

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))
