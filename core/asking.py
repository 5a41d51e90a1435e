"""One question from words to a cited answer: read, route, retrieve, answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.answering.candidate import Candidate
from core.answering.citations import place_of
from core.answering.needs import needs_of, stems_of
from core.catalog import (
    FIRST_STAGES,
    GENERATORS,
    RETRIEVERS,
    ROUTERS,
    RetrievalParts,
    choose,
    name_key,
    pools,
)
from core.config import Config
from core.errors import BadInput, WorkspaceError
from core.explaining import Explainer
from core.models import DIMENSION, MODEL, Models
from core.progress import TaskContext
from core.protocols import Retriever
from core.retrieval.agentic.facts import fact_edges
from core.retrieval.agentic.needs import Language
from core.retrieval.corpus import Corpus
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.paths import Scores, path_graph
from core.retrieval.selection.pool import Pool
from core.retrieval.selection.wording import Wording
from core.store.facts import FactColumns
from core.store.store import Store
from core.types import Answer, Citation, Evidence, Hit, Retrieval, Route, Stage

if TYPE_CHECKING:
    from core.retrieval.snapshot import Extracted

Change = Callable[["Extracted"], "Extracted"]
LONGEST_QUESTION = 2_000  # characters
_WIDEST = "graph"  # the route that a second try takes
_READ = 10  # passages that an answer is looked for in, at least


class _QuestionVectors:
    """The Embedder that retrievers see: each question is encoded once."""

    dimension = DIMENSION

    def __init__(self, models: Models) -> None:
        self._models = models
        self.name = "question"

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]:
        return self._models.encoder().embed(texts, context)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return self._models.embed_question(question)


class Asker:
    """Answers questions over one snapshot of a workspace."""

    def __init__(
        self, store: Store, corpus: Corpus, columns: FactColumns, models: Models, config: Config
    ) -> None:
        """`corpus` and the facts' `columns` are of one snapshot."""
        self._store = store
        self._models = models
        self._router = choose("router", config.routing.router, ROUTERS)(config.routing, models.parse)
        self._generator = GENERATORS["extractive"](config.answer)
        paths = path_graph(corpus.graph, columns)
        self._explainer = Explainer(store, corpus, paths)
        parts = RetrievalParts(
            corpus,
            _QuestionVectors(models),
            config.retrieval,
            self._lexical,
            self._score,
            paths,
            names=lambda question: tuple(name.key for name in models.parse(question).names),
            wording=Wording(store.passages.texts, name_key),
            texts=store.passages.texts,
            edges=fact_edges(corpus.graph, columns),
            tell=store.facts.told,
            language=Language(lambda question: needs_of(models.parse(question)), stems_of, name_key),
            agentic=config.agentic,
            selection=models.selection(),
        )
        self._parts = parts
        self._firsts: dict[str, Retriever] | None = None  # made when a training asks for them
        self._retrievers: dict[str, Retriever] = {name: make(parts) for name, make in RETRIEVERS.items()}

    def ask(self, question: str, context: TaskContext, route: str = "auto", k: int = 5) -> Answer:
        """Raises BadInput for an empty or endless question, an unknown route or a k below 1; Cancelled."""
        question = checked(question)
        if k < 1:
            raise BadInput("At least one passage must be asked for.", "Use -k 1 or more.")
        begin = time.perf_counter()
        way, stages = self.route(question, route)
        context.check()
        self._models.embed_question(question)
        encoded = time.perf_counter()
        stages.append(Stage("encode", encoded - begin - stages[0].seconds, f"{DIMENSION} dimensions"))
        answer = self._along(question, way, stages, k, context)
        if answer.abstained and not way.forced and way.name != _WIDEST:
            answer = self._again(question, answer, k, context)
        return replace(answer, trace=replace(answer.trace, seconds=time.perf_counter() - begin))

    def _along(
        self, question: str, way: Route, stages: Sequence[Stage], k: int, context: TaskContext
    ) -> Answer:
        """Retrieve along one route and answer from what it found."""
        found = self._retrievers[way.name].retrieve(question, max(k, _READ), context)
        candidates, read = self._candidates(found.hits)
        found = replace(found, stages=(*stages, *found.stages, read))
        answer = self._generator.answer(
            self._models.parse(question),
            self._models.embed_question(question),
            found,
            way,
            candidates,
            context,
        )
        answer = replace(answer, citations=tuple(map(self._placed, answer.citations)))
        cited = {citation.passage_id for citation in answer.citations}
        shown = tuple(e for e in answer.evidence if e.hit.rank <= k or e.hit.passage_id in cited)
        shown, why = self._explained(question, found, shown, candidates)
        hits = tuple(evidence.hit for evidence in shown)
        trace = replace(answer.trace, hits=hits, stages=(*answer.trace.stages, why))
        return replace(answer, evidence=shown, trace=trace)

    def _placed(self, citation: Citation) -> Citation:
        regions = self._store.documents.regions(citation.document_id, citation.start, citation.end)
        return replace(citation, place=place_of(regions, citation.start, citation.end))

    def _explained(
        self, question: str, found: Retrieval, shown: tuple[Evidence, ...], candidates: Sequence[Candidate]
    ) -> tuple[tuple[Evidence, ...], Stage]:
        """What is shown, with why it was found."""
        begin = time.perf_counter()
        vectors = {candidate.passage.id: candidate.vectors for candidate in candidates}
        parsed, vector = self._models.parse(question), self._models.embed_question(question)
        explained = self._explainer.explain(parsed, vector, found, shown, vectors)
        chains = sum(bool(e.why and e.why.path) for e in explained)
        detail = f"{len(explained)} passages, {chains} by chains of facts"
        return explained, Stage("explain", time.perf_counter() - begin, detail)

    def _again(self, question: str, weak: Answer, k: int, context: TaskContext) -> Answer:
        """The evidence was too weak: look once more over the graph, and say so.

        Rows of tables and passages that only name what is asked for are far from the question's
        vector and near to its names. When the graph does no better, the first result stands.
        """
        first = weak.trace
        said = Stage("second try", 0.0, f"the evidence of the {first.route.name} route was too weak")
        way = replace(first.route, name=_WIDEST)
        second = self._along(question, way, (*first.stages, said), k, context)
        if not second.abstained:
            return second
        tried = replace(said, detail=f"{said.detail}; the graph found none either")
        spent = second.trace.stages[len(first.stages) + 1 :]
        return replace(weak, trace=replace(first, stages=(*first.stages, tried, *spent)))

    def route(self, question: str, route: str = "auto") -> tuple[Route, list[Stage]]:
        """The route that a question takes, and the stage that found it."""
        begin = time.perf_counter()
        parsed = self._models.parse(question)
        way = self._router.route(parsed)
        if route != "auto":
            choose("route", route, dict.fromkeys(RETRIEVERS))
            way = replace(way, name=route, forced=True)
        spent = time.perf_counter() - begin
        return way, [Stage("route", spent, f"{way.name}, complexity {way.complexity.score:.2f}")]

    def retrieve(self, question: str, route: str, k: int, context: TaskContext) -> tuple[str, Retrieval]:
        """Only the ranking: the route taken and its hits."""
        choose("route", route, dict.fromkeys(("auto", *RETRIEVERS)))
        name = self.route(question)[0].name if route == "auto" else route
        return name, self._retrievers[name].retrieve(question, k, context)

    def pools(self, question: str, context: TaskContext) -> dict[str, tuple[tuple[str, ...], Pool]]:
        """For training the second stage: what each first stage hands it, ids and signals in order."""
        if self._firsts is None:
            self._firsts = {name: make(self._parts) for name, make in FIRST_STAGES.items()}
        maker = pools(self._parts)
        found = {}
        for name, first in self._firsts.items():
            hits = first.retrieve(question, self._parts.config.pool, context).hits
            found[name] = (tuple(hit.passage_id for hit in hits), maker.pool(question, hits))
        return found

    def hybrid_scores(self, question: str) -> tuple[tuple[str, ...], Scores, Scores]:
        """For fitting the hybrid route's weights: ids, cosine and path score of all passages."""
        hybrid = self._retrievers["hybrid"]
        assert isinstance(hybrid, HybridRetriever)
        dense, path, _ = hybrid.scores(question)
        return self._parts.corpus.passage_ids, dense, path

    def _score(self, question: str) -> float:
        return self._router.complexity(self._models.parse(question)).score

    def _lexical(self, match: str, limit: int) -> list[tuple[str, float]]:
        found = self._store.passages.search(match, limit)
        ids = {
            stored.key: stored.passage.id for stored in self._store.passages.by_keys([k for k, _ in found])
        }
        return [(ids[key], score) for key, score in found if key in ids]

    def _candidates(self, hits: Sequence[Hit]) -> tuple[list[Candidate], Stage]:
        begin = time.perf_counter()
        stored = [self._store.passages.get(hit.passage_id) for hit in hits]
        vectors = self._store.embeddings.get("sentence", [item.key for item in stored])
        candidates = [
            Candidate(
                hit=hit,
                passage=item.passage,
                document=item.path,
                vectors=vectors.get(item.key, np.zeros((len(item.passage.sentences), DIMENSION), np.float32)),
                mentions=tuple(self._store.entities.mentions_of_passage(item.key)),
                pages=tuple(self._store.documents.pages(item.passage.document_id)),
            )
            for hit, item in zip(hits, stored, strict=True)
        ]
        return candidates, Stage("read", time.perf_counter() - begin, f"{len(candidates)} passages")


def asker_over(
    store: Store, models: Models, config: Config, folder: Path, change: Change | None = None
) -> Asker:
    """An asker over the workspace as it stands, or over what `change` makes of a copy in memory.

    `folder` holds the vector index. Raises WorkspaceError when there is no passage.
    """
    from core.retrieval.snapshot import read_corpus, read_extracted

    extracted = read_extracted(store, config.retrieval.synonymy)
    if change is not None:
        extracted = change(extracted)
    corpus = read_corpus(store, extracted, MODEL, DIMENSION, folder)
    if not corpus.passage_ids:
        raise WorkspaceError(
            "The workspace holds no passages yet.",
            "Index a folder first: clew index FOLDER --workspace WORKSPACE",
        )
    return Asker(store, corpus, extracted.facts, models, config)


def checked(question: str) -> str:
    """The question without outer white space. Raises BadInput when it is empty or too long."""
    clean = " ".join(question.split())
    if not clean:
        raise BadInput("The question is empty.", "Type what you want to know.")
    if len(clean) > LONGEST_QUESTION:
        raise BadInput(
            f"The question has {len(clean):,} characters; at most {LONGEST_QUESTION:,} are read.",
            "Shorten it to what you want to know.",
        )
    return clean
