"""What a language model reads in place of whole passages: sentences chosen from more of them than it could be given,
each with its place. Deep GraphRAG, algorithm 1, phase 4."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate
from core.answering.integration.gathering import Gatherer, Stated
from core.answering.integration.pieces import Distilled, Integrator, Piece, Pieces
from core.answering.passage_reader import read_candidates
from core.models.tokenizer import WordPieceTokenizer
from core.retrieval.parts import RetrievalParts
from core.store.store import Store
from core.text.translation import mark, tr, trn
from core.types import Hit, Retrieval, Stage
from core.types.stages import MOST, DistilledPiece, Integration

SEEDS, FACTS = 6, 20  # entities whose details are gathered, and facts of each
GATHERED, MEASURE = 10, 5  # passages that are looked at, and those whose length the budget is a share of


@dataclass(frozen=True, slots=True)
class Distillation:
    """A distilled text with the passages that its parts stand in: those that were found, as ranked, then others."""

    text: Distilled
    candidates: tuple[Candidate, ...]
    stage: Stage


class Distiller:
    """Of one question's passages."""

    def __init__(self, store: Store, parts: RetrievalParts, integrator: Integrator, share: float) -> None:
        """`share` of the tokens of the first MEASURE passages is the budget."""
        self._store = store
        self._gatherer = gatherer_over(store, parts)
        self._integrator = integrator
        self._share = share

    def distil(
        self,
        question: str,
        vector: NDArray[np.float32],
        retrieval: Retrieval,
        found: Sequence[Candidate],
        more: bool = False,
    ) -> Distillation | None:
        """None where nothing fits the budget; `more`: a share of all that was gathered, when the first was not
        enough."""
        begin, looked = time.perf_counter(), found[:GATHERED]
        seeds = [seed.entity_id for seed in retrieval.seeds[:SEEDS]]
        pieces = self._gatherer.gather(vector, looked, seeds)
        measured = (pieces.rank > 0) & (pieces.rank <= (GATHERED if more else MEASURE))
        budget = int(self._share * pieces.tokens[measured].sum())
        text = self._integrator.integrate(question, pieces, budget)
        if not text.parts:
            return None
        known = {candidate.passage.id: candidate for candidate in looked}
        beyond = dict.fromkeys(p.piece.passage_id for p in text.parts if p.piece.passage_id not in known)
        hits = [Hit(id, 0.0, len(found) + at) for at, id in enumerate(beyond, start=1)]
        others, _ = read_candidates(self._store, hits)
        stands = {part.piece.passage_id for part in text.parts}
        candidates = tuple(each for each in (*looked, *others) if each.passage.id in stands)
        record = integration(pieces, text)
        stage = Stage(mark("integrate"), time.perf_counter() - begin, _detail(record, len(looked)), record)
        return Distillation(text, candidates, stage)


def gatherer_over(store: Store, parts: RetrievalParts) -> Gatherer:
    """What there is to distil of a workspace's passages."""

    def stated(entity: str) -> list[Stated]:
        facts = store.facts.of_entity(entity, FACTS)
        return [Stated(each.passage_id, each.start, each.end) for fact in facts for each in fact.triples]

    return Gatherer(
        parts.corpus,
        parts.tree,
        lambda passage: store.passages.get(passage).passage,
        stated,
        WordPieceTokenizer().counts,
    )


def integration(pieces: Pieces, text: Distilled) -> Integration:
    """For the trace: what is read, by its numbers, then what was left out, the nearest to the question first."""
    read = {(part.piece.passage_id, part.piece.start) for part in text.parts}
    taken = [_as_distilled(part.piece, number) for number, part in enumerate(text.parts, start=1)]
    order = np.argsort(-(pieces.vectors @ pieces.question), kind="stable").tolist()
    left = [pieces.pieces[row] for row in order]
    left = [piece for piece in left if (piece.passage_id, piece.start) not in read]
    after = sum(piece.tokens for piece in taken)
    every = (*taken, *(_as_distilled(piece, 0) for piece in left))
    return Integration(every[:MOST], int(pieces.tokens.sum()), after, len(taken), len(pieces))


def _as_distilled(piece: Piece, number: int) -> DistilledPiece:
    words, why = " ".join(piece.text.split()), "" if number else tr("others say more within the budget")
    section = piece.section.name.lower()
    return DistilledPiece(piece.passage_id, piece.start, piece.end, words, section, piece.tokens, number, why)


def _detail(told: Integration, passages: int) -> str:
    return tr(
        "{after} of {before} tokens, of {passages}",
        after=told.after,
        before=told.before,
        passages=trn("{count} passage", "{count} passages", passages),
    )
