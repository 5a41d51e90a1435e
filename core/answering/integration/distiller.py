"""What a language model reads in place of whole passages: sentences chosen from more of them than it could be given,
each with its place. Deep GraphRAG, algorithm 1, phase 4."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate
from core.answering.integration.pieces import Distilled, Integrator, Piece, Pieces, Section, Vectors
from core.answering.passage_reader import read_candidates
from core.models.minilm import WordPieceTokenizer
from core.retrieval.corpus import Corpus
from core.retrieval.hierarchy.tree import Tree
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.translation import mark, tr, trn
from core.types import Hit, Passage, PathStep, Retrieval, Stage
from core.types.stages import MOST, DistilledPiece, Integration

COMMUNITIES = 3  # the beam's width
DETAILS = 8  # sentences of entities' facts that no retrieved passage holds
_FEWEST = 6  # words of a line without a stop that says something
_FACT = Section.FACT.name.lower()
Counts = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class Stated:
    """Where a fact of an entity was read from: offsets in the text of a passage."""

    passage_id: str
    start: int
    end: int


def _is_label(text: str) -> bool:
    """Whether it is a heading or the name below a signature: a few words without a stop, a number or a colon."""
    words = text.split()
    return len(words) < _FEWEST and not any(char in ".!?:…" or char.isdigit() for char in text)


class Gatherer:
    """Over one corpus with its communities."""

    def __init__(
        self,
        corpus: Corpus,
        tree: Callable[[], Tree],
        read: Callable[[str], Passage],
        stated: Callable[[str], Iterable[Stated]],
        counts: Counts,
    ) -> None:
        """`read` gives a passage by id, `stated` where the facts of an entity (by id) were read from, `counts` the
        tokens of texts."""
        self._corpus, self._tree, self._read, self._stated, self._counts = corpus, tree, read, stated, counts

    def gather(self, vector: Vectors, candidates: Sequence[Candidate], entities: Sequence[str]) -> Pieces:
        """Of a question's unit vector (d,), the passages that were found, the best first, and the ids of the entities
        that the search began with. Each sentence stands once, in the first section that it belongs to."""
        corpus = self._corpus
        passages = {candidate.passage.id: candidate.passage for candidate in candidates}
        rows = [corpus.passage_ids.rows[passage] for passage in passages]
        own = [row for at in rows for row in range(*corpus.sentence_starts[at : at + 2].tolist())]
        homes = self._homes()
        summaries = self._summaries(vector, own, homes)
        details = self._details(vector, entities, passages)
        section = dict.fromkeys(own, Section.PASSAGE)
        section |= dict.fromkeys(details, Section.ENTITY) | dict.fromkeys(summaries, Section.COMMUNITY)
        order = [*summaries, *details, *own]
        rank = {row: place for place, row in enumerate(rows, start=1)}
        top = max((candidate.hit.score for candidate in candidates), default=0.0) or 1.0
        score = {at: candidate.hit.score / top for at, candidate in zip(rows, candidates, strict=True)}
        picked: list[int] = []
        pieces: list[Piece] = []
        for row in dict.fromkeys(order):
            piece = self._piece(row, section[row], passages)
            if piece is not None and not _is_label(piece.text):
                picked.append(row)
                pieces.append(piece)
        tokens = self._counts([piece.text for piece in pieces])
        owners = [int(corpus.sentence_passages[row]) for row in picked]
        return Pieces(
            tuple(replace(piece, tokens=count) for piece, count in zip(pieces, tokens, strict=True)),
            vector,
            np.asarray(corpus.sentence_vectors[np.array(picked, dtype=np.int64)], dtype=np.float32),
            self._communities(picked, homes, len(vector)),
            np.array([row in details for row in picked], dtype=bool),
            np.array([rank.get(owner, 0) for owner in owners], dtype=np.int64),
            np.array([score.get(owner, 0.0) for owner in owners]),
        )

    def _piece(self, row: int, section: Section, passages: dict[str, Passage]) -> Piece | None:
        """A row of the corpus as a piece; None where the passage has other sentences by now."""
        corpus = self._corpus
        owner = int(corpus.sentence_passages[row])
        passage_id = corpus.passage_ids[owner]
        if passage_id not in passages:
            passages[passage_id] = self._read(passage_id)
        passage = passages[passage_id]
        at = row - int(corpus.sentence_starts[owner])
        if at >= len(passage.sentences):
            return None
        place = passage.sentences[at]
        text = passage.text[place.start : place.end]
        return Piece(passage_id, passage.title, place.start, place.end, text, section, 0)

    def _homes(self) -> NDArray[np.int64]:
        """The row of each entity's finest community, -1 for none."""
        homes = np.full(len(self._corpus.entity_ids), -1, dtype=np.int64)
        levels = self._tree().levels
        if levels:
            finest = levels[0]
            homes[finest.inside] = np.repeat(np.arange(len(finest.keys)), np.diff(finest.starts))
        return homes

    def _named(self, row: int) -> NDArray[np.int64]:
        starts = self._corpus.named_starts
        return self._corpus.named_entities[starts[row] : starts[row + 1]]

    def _summaries(self, vector: Vectors, own: Sequence[int], homes: NDArray[np.int64]) -> list[int]:
        """Of the communities that the passages' entities lie in and that are nearest to the question, the sentence that
        is nearest to the community's vector: its summary, in the documents' words."""
        levels = self._tree().levels
        if not levels:
            return []
        met = np.unique([home for row in own for home in homes[self._named(row)].tolist() if home >= 0])
        if not len(met):
            return []
        met = met.astype(np.int64)
        near = met[np.argsort(-(levels[0].vectors[met] @ vector), kind="stable")[:COMMUNITIES]]
        naming, starts = self._tree().naming[0], self._tree().naming_starts[0]
        found = []
        for community in near.tolist():
            rows = naming[starts[community] : starts[community + 1]]
            if len(rows):
                cosines = self._corpus.sentence_vectors[rows] @ levels[0].vectors[community]
                found.append(int(rows[int(cosines.argmax())]))
        return found

    def _details(
        self, vector: Vectors, entities: Sequence[str], passages: Mapping[str, Passage]
    ) -> dict[int, float]:
        """Rows of the sentences that facts were read from, with their cosine to the question, the nearest first: all of
        the retrieved passages, of others the nearest."""
        corpus = self._corpus
        rows: dict[int, bool] = {}
        read = dict(passages)
        for stated in (each for entity in entities for each in self._stated(entity)):
            owner = corpus.passage_ids.rows.get(stated.passage_id)
            if owner is None:
                continue
            if stated.passage_id not in read:
                read[stated.passage_id] = self._read(stated.passage_id)
            for at, sentence in enumerate(read[stated.passage_id].sentences):
                if sentence.start <= stated.start < sentence.end:
                    row = int(corpus.sentence_starts[owner]) + at
                    if row < corpus.sentence_starts[owner + 1]:
                        rows[row] = stated.passage_id in passages
        if not rows:
            return {}
        listed = list(rows)
        cosines = corpus.sentence_vectors[np.array(listed)] @ vector
        found: dict[int, float] = {}
        others = 0
        for at in np.argsort(-cosines, kind="stable").tolist():
            inside = rows[listed[at]]
            others += not inside
            if inside or others <= DETAILS:
                found[listed[at]] = float(cosines[at])
        return found

    def _communities(self, rows: Sequence[int], homes: NDArray[np.int64], d: int) -> Vectors:
        """(n, d): of the communities of each sentence's entities the one that most of them lie in."""
        found = np.zeros((len(rows), d), dtype=np.float32)
        levels = self._tree().levels
        for at, row in enumerate(rows):
            inside = homes[self._named(row)]
            inside = inside[inside >= 0]
            if len(inside):
                values, counts = np.unique(inside, return_counts=True)
                found[at] = levels[0].vectors[int(values[int(counts.argmax())])]
        return found


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

    def __init__(self, store: Store, view: SnapshotView, integrator: Integrator, share: float) -> None:
        """`share` of the tokens of the first MEASURE passages is the budget."""
        self._store = store
        self._gatherer = gatherer_over(store, view)
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
        known = {candidate.passage.id: candidate for candidate in found}
        beyond = dict.fromkeys(p.piece.passage_id for p in text.parts if p.piece.passage_id not in known)
        hits = [Hit(id, 0.0, len(found) + at) for at, id in enumerate(beyond, start=1)]
        others, _ = read_candidates(self._store, hits)
        stands = {part.piece.passage_id for part in text.parts}
        candidates = tuple(each for each in (*found, *others) if each.passage.id in stands)
        record = integration(pieces, text, retrieval.facts)
        stage = Stage(mark("integrate"), time.perf_counter() - begin, _detail(record, len(looked)), record)
        return Distillation(text, candidates, stage)


def gatherer_over(store: Store, view: SnapshotView) -> Gatherer:
    """What there is to distil of a workspace's passages."""

    def stated(entity: str) -> list[Stated]:
        facts = store.facts.of_entity(entity, FACTS)
        return [Stated(each.passage_id, each.start, each.end) for fact in facts for each in fact.triples]

    return Gatherer(
        view.corpus,
        view.tree,
        lambda passage: store.passages.get(passage).passage,
        stated,
        WordPieceTokenizer().counts,
    )


def integration(pieces: Pieces, text: Distilled, facts: Sequence[PathStep] = ()) -> Integration:
    """For the trace: what is read, by its numbers, `facts` first, then what was left out, the nearest to the question
    first."""
    read = {(part.piece.passage_id, part.piece.start) for part in text.parts}
    numbered = enumerate(text.parts, start=1 + len(facts))
    taken = [_as_distilled(part.piece, number) for number, part in numbered]
    order = np.argsort(-(pieces.vectors @ pieces.question), kind="stable").tolist()
    left = [pieces.pieces[row] for row in order]
    left = [piece for piece in left if (piece.passage_id, piece.start) not in read]
    after = sum(piece.tokens for piece in taken)
    stated = [
        DistilledPiece(fact.passage_id, fact.start, fact.end, fact.words, _FACT, 0, number)
        for number, fact in enumerate(facts, start=1)
    ]
    every = (*stated, *taken, *(_as_distilled(piece, 0) for piece in left))
    count = len(stated) + len(taken)
    return Integration(every[:MOST], int(pieces.tokens.sum()), after, count, len(pieces))


def _as_distilled(piece: Piece, number: int) -> DistilledPiece:
    words, why = " ".join(piece.text.split()), "" if number else tr("others say more within the budget")
    section = piece.section.name.lower()
    return DistilledPiece(piece.passage_id, piece.start, piece.end, words, section, piece.tokens, number, why)


def _detail(record: Integration, passages: int) -> str:
    return tr(
        "{after} of {before} tokens, of {passages}",
        after=record.after,
        before=record.before,
        passages=trn("{count} passage", "{count} passages", passages),
    )
