"""Saved traces, two traces compared, and two answers to one question compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.types.answers import Answer, Trace
from core.types.stages import PassageLabel, Stage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """A trace with what came of it. `created` in ISO 8601, "" where nobody knows; `version` of its file's form."""

    trace: Trace
    answer: str = ""
    confidence: float = 0.0
    abstained: bool = False
    guess: bool = False
    created: str = field(default="", metadata={"key": "made"})
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


@dataclass(frozen=True, slots=True)
class RankedTwice:
    """A passage in either ranking; rank None where it is not in that one."""

    passage_id: str  # in the first workspace that has it
    document_id: str
    title: str
    document: str
    text: str
    rank_a: int | None
    rank_b: int | None


@dataclass(frozen=True, slots=True)
class SideBySide:
    """`words_a` and `words_b`: spans, (start, end), of the answers' text that the other one does not say.

    `passages`: those of A in their order, then those that only B has. `heat` is B's minus A's, by entity id.
    """

    a: Answer
    b: Answer
    words_a: tuple[tuple[int, int], ...]
    words_b: tuple[tuple[int, int], ...]
    passages: tuple[RankedTwice, ...]
    heat: dict[str, float]

    @property
    def same_answer(self) -> bool:
        return not self.words_a and not self.words_b and self.a.abstained == self.b.abstained


@dataclass(frozen=True, slots=True)
class CommonLayout:
    """Where the entities of two graphs stand when both are drawn on one layout. Rows correspond."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    positions: NDArray[np.float32]  # (n, 2)
