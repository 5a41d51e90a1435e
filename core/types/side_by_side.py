"""Two answers to one question beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.types.answers import Answer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
