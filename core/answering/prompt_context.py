"""What a language model is given to answer from, numbered: whole passages, or sentences that were distilled of them;
and what the numbers that it cites mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.answering.candidates import Candidate
from core.answering.claims import Sentences
from core.answering.integration.distiller import Distillation
from core.answering.prompts import answer_prompt, distilled_prompt
from core.types import Generation, Message, Sentence


@dataclass(frozen=True, slots=True)
class Given:
    """`candidates` are the passages that it stands in; `places` by number, from 0: which of them, and the sentence of
    it, None for all of it. `part` begins the names of its messages."""

    prompt: tuple[Message, ...]
    candidates: Sequence[Candidate]
    places: tuple[tuple[int, Sentence | None], ...]
    part: str

    def read(self, written: Generation) -> Given:
        """What of it was in the prompt: parts that did not fit are left out from the last."""
        out = sum(part.name.startswith(f"{self.part} ") for part in written.left_out)
        places = self.places[: len(self.places) - out]
        included = sorted({at for at, _ in places})
        rows = {at: row for row, at in enumerate(included)}
        return replace(
            self,
            candidates=[self.candidates[at] for at in included],
            places=tuple((rows[at], sentence) for at, sentence in places),
        )

    def of_passages(
        self, said: Sentences
    ) -> tuple[Sentences, tuple[Mapping[int, tuple[Sentence, ...]], ...]]:
        """The reply with its citations as rows of `candidates`, and for each of its sentences those that it cites."""
        cited, named = [], []
        for numbers in said.cited:
            by: dict[int, tuple[Sentence, ...]] = {}
            for number in numbers:
                at, sentence = self.places[number]
                by[at] = by.get(at, ()) + (() if sentence is None else (sentence,))
            cited.append(tuple(by))
            named.append(by)
        return replace(said, cited=tuple(cited)), tuple(named)

    def size(self, at: int) -> int:
        """Characters of a candidate that are read."""
        length = len(self.candidates[at].passage.text)
        return sum(length if s is None else s.end - s.start for row, s in self.places if row == at)


def whole_passages(question: str, candidates: Sequence[Candidate], strict: bool) -> Given:
    places = tuple((at, None) for at in range(len(candidates)))
    return Given(answer_prompt(question, candidates, strict), candidates, places, "passage")


def distilled(question: str, found: Distillation, strict: bool) -> Given:
    rows = {candidate.passage.id: at for at, candidate in enumerate(found.candidates)}
    pieces = [part.piece for part in found.text.parts]
    places = tuple((rows[piece.passage_id], Sentence(piece.start, piece.end)) for piece in pieces)
    pages = {candidate.passage.id: candidate.passage.page for candidate in found.candidates}
    prompt = distilled_prompt(question, found.text.parts, pages, strict)
    return Given(prompt, found.candidates, places, "sentence")
