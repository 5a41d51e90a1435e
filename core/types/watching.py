"""What a watched folder tells."""

from __future__ import annotations

from dataclasses import dataclass
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
