"""Traces that were kept, and what two of them differ in."""

from __future__ import annotations

from dataclasses import dataclass

from core.types.answers import Trace
from core.types.stages import PassageLabel, Stage


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """A trace with what came of it. `made` in ISO 8601, "" where nobody knows; `version` of its file's form."""

    trace: Trace
    answer: str = ""
    confidence: float = 0.0
    abstained: bool = False
    guess: bool = False
    created: str = ""
    version: int = 0
    ignored: tuple[str, ...] = ()  # what a newer form holds beyond this one: "stages.data.heads"


@dataclass(frozen=True, slots=True)
class StageChange:
    """A stage of both, or of one alone; `changed` where it says something else than before."""

    name: str
    before: Stage | None
    after: Stage | None
    changed: bool


@dataclass(frozen=True, slots=True)
class SeedChange:
    """Weights, None where it is no seed."""

    entity_id: str
    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class PassageChange:
    """Ranks from 1, None beyond what the trace lists."""

    passage_id: str
    label: PassageLabel | None
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class WeightChange:
    """What a list counted, 0 to 1; None where it was not joined."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class TraceComparison:
    """Two traces beside each other, of one question or of two."""

    before: SavedTrace
    after: SavedTrace
    stages: tuple[StageChange, ...]
    seeds: tuple[SeedChange, ...]  # the heaviest first
    passages: tuple[PassageChange, ...]  # as ranked after, then those that are gone
    weights: tuple[WeightChange, ...]
