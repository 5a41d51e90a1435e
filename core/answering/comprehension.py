"""Reading a question's passages together: the reader, its proposals, and how likely each is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from core.answering.joint import Proposal, Ranked, is_decided, proposals
from core.answering.listing import asks_for_several, asks_for_verdict
from core.answering.polar import says_yes
from core.answering.reader_calibration import SHIPPED, Calibration, load
from core.models.reader import UNREAD, PassageRead, Reader, ReaderPassage

_REMEMBERED = 8  # questions with their passages
_FIRST = 4  # passages that are read before the others: of ten, the likeliest words stand in these nine times of ten


@dataclass(frozen=True, slots=True)
class Understood:
    """`reads` of the passages in order, UNREAD for those below one that tells; `answers` with the probability that
    each is right, the likeliest first."""

    reads: tuple[PassageRead, ...]
    answers: tuple[tuple[Proposal, float], ...]


class Comprehension:
    """Thread-safe; the first question loads what ships."""

    def __init__(self, reader: Reader | None = None, calibration: Calibration | None = None) -> None:
        self.reader = reader or Reader()
        self._custom_calibration = calibration
        self._last: dict[tuple[str, tuple[ReaderPassage, ...]], Understood] = {}

    @cached_property
    def _calibration(self) -> Calibration:
        return self._custom_calibration or load(SHIPPED)

    def warm(self) -> None:
        """Read the weights, so that the first question need not. Raises ModelUnavailable."""
        self.reader.warm()
        self.understand("Who?", [ReaderPassage("", "Nobody.")], [1.0])

    def understand(
        self, question: str, passages: Sequence[ReaderPassage], scores: Sequence[float]
    ) -> Understood:
        """`passages` as retrieval ranked them, with its `scores`. Raises ModelUnavailable."""
        asked = question, tuple(passages)
        if (known := self._last.get(asked)) is not None:
            return known
        proposed, reads = self.propose(question, passages, scores)
        found = Understood(tuple(reads), tuple(self._calibration.ranked(proposed)))
        if len(self._last) >= _REMEMBERED:
            self._last.clear()
        self._last[asked] = found  # who checks the answer asks the same again
        return found

    def propose(
        self, question: str, passages: Sequence[ReaderPassage], scores: Sequence[float]
    ) -> tuple[list[Proposal], list[PassageRead]]:
        from core.models.spacy_model import parsed

        several, polar = asks_for_several(parsed(question)), asks_for_verdict(parsed(question))
        reads = self.reader.read(question, passages[:_FIRST])
        below = passages[_FIRST:]
        reads += [UNREAD] * len(below) if is_decided(reads, several) else self.reader.read(question, below)
        top = max(max(scores, default=0.0), 1e-9)
        ranked = [
            Ranked(passage.text, place, max(0.0, score) / top)
            for place, (passage, score) in enumerate(zip(passages, scores, strict=True), start=1)
        ]

        def yes(rows: Sequence[int]) -> list[float | None]:
            return says_yes(question, [passages[row] for row in rows], self.reader)

        return proposals(question, ranked, reads, yes if polar else None, several), reads
