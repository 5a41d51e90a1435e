"""Reads the passages that were found as candidates for an answer, and completes what an answer says about them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.answering.candidates import Candidate, place_of
from core.extraction.question import ParsedQuestion
from core.retrieval.corpus import Corpus
from core.retrieval.explain import Explainer, explanation_stage
from core.retrieval.query import Query
from core.retrieval.ranking import by_rank
from core.store.store import Store
from core.text.translation import mark, trn
from core.types import Answer, Citation, Evidence, Hit, Retrieval, Sentence, Stage
from core.types.stages import MOST, Packed, Packing


class PassageReader:
    """Reads passages of one snapshot, and explains why each of them was found."""

    def __init__(self, store: Store, explainer: Explainer) -> None:
        self._store = store
        self._explainer = explainer

    def read(self, hits: Sequence[Hit]) -> tuple[list[Candidate], Stage]:
        """Return the passages of hits as candidates, and the stage that read them."""
        return read_candidates(self._store, hits)

    def read_sentences(self, corpus: Corpus, rows: NDArray[np.int64]) -> list[tuple[Candidate, Sentence]]:
        """Return sentences by their rows, (n,), each with its passage."""
        passages = corpus.sentence_passages[rows].tolist()
        ids = dict.fromkeys(corpus.passage_ids[passage] for passage in passages)
        by_id = {candidate.passage.id: candidate for candidate in self.read(by_rank(ids))[0]}
        found = [by_id[corpus.passage_ids[passage]] for passage in passages]
        places = rows - corpus.sentence_starts[passages]
        return [(each, each.passage.sentences[at]) for each, at in zip(found, places.tolist(), strict=True)]

    def explain(
        self,
        question: ParsedQuestion,
        vector: NDArray[np.float32],
        retrieval: Retrieval,
        evidence: Sequence[Evidence],
        candidates: Sequence[Candidate],
    ) -> tuple[tuple[Evidence, ...], Stage]:
        """Return the evidence with why each passage was found, and the stage that explained it.

        `vector` is the question's unit vector, shape (d,).
        """
        begin = time.perf_counter()
        vectors = {candidate.passage.id: candidate.vectors for candidate in candidates}
        explained = self._explainer.explain(question, vector, retrieval, evidence, vectors)
        return explained, explanation_stage(explained, time.perf_counter() - begin)

    def complete(self, query: Query, answer: Answer, candidates: Sequence[Candidate]) -> Answer:
        """Return an answer with why each of its passages was found, and the places of what it cites."""
        retrieval = Retrieval(answer.trace.hits, answer.trace.stages)
        evidence, why = self.explain(query.parsed, query.vector, retrieval, answer.evidence, candidates)
        trace = replace(answer.trace, stages=(*answer.trace.stages, why))
        return self.with_places(replace(answer, evidence=evidence, trace=trace))

    def with_places(self, answer: Answer) -> Answer:
        """Return the answer whose citations name their place, a cell, a heading, a slide, and the document's date."""
        conflicts = (replace(each, citation=self._with_place(each.citation)) for each in answer.conflicts)
        citations = tuple(map(self._with_place, answer.citations))
        return replace(answer, citations=citations, conflicts=tuple(conflicts))

    def _with_place(self, citation: Citation) -> Citation:
        regions = self._store.documents.regions(citation.document_id, citation.start, citation.end)
        date = self._store.documents.get(citation.document_id).date or ""
        return replace(citation, place=place_of(regions, citation.start, citation.end), date=date[:10])


def read_candidates(store: Store, hits: Sequence[Hit]) -> tuple[list[Candidate], Stage]:
    """Return each hit with its passage, document, vectors, mentions and pages, and the stage that read them."""
    begin = time.perf_counter()
    stored = [store.passages.get(hit.passage_id) for hit in hits]
    vectors = store.embeddings.get("sentence", [item.key for item in stored])
    dimension = store.embeddings.dimension
    candidates = [
        Candidate(
            hit=hit,
            passage=item.passage,
            document=item.path,
            vectors=vectors.get(item.key, np.zeros((len(item.passage.sentences), dimension), np.float32)),
            mentions=tuple(store.entities.mentions_of_passage(item.key)),
            pages=tuple(store.documents.pages(item.passage.document_id)),
            date=store.documents.get(item.passage.document_id).date or "",
        )
        for hit, item in zip(hits, stored, strict=True)
    ]
    spent, count = time.perf_counter() - begin, len(candidates)
    packed = tuple(Packed(c.passage.id, c.hit.rank, len(c.passage.text)) for c in candidates[:MOST])
    packing = Packing("reader", packed, count, count)
    return candidates, Stage(mark("read"), spent, trn("{count} passage", "{count} passages", count), packing)
