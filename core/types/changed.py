"""What one act changed in a workspace, so that who shows it reads that again and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Changed:
    """Ids of what is new, other or gone; all empty where nothing is."""

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
