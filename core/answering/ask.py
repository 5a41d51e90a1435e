"""One question from words to a cited answer: read, route, retrieve, answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from core.answering.candidate import Candidate
from core.answering.citations import place_of
from core.answering.clause_answers import Clauses, FoundClauses, answer_from_clauses, clause_hits
from core.answering.control import Control, fall_back_to_quotes, ungrounded
from core.answering.diagnostics import BehindRankings
from core.answering.extractive import apply_thresholds
from core.answering.integration.distiller import Distiller, gatherer_over
from core.answering.missing_terms import (
    LookedUp,
    look_up,
    losses,
    missing_names,
    nothing_found,
    reason_to_look,
    refuse_unknown_code,
    sentences,
)
from core.answering.models import Models, QuestionVectors
from core.answering.needs import needs_of
from core.answering.overview.answering import Author, Overview
from core.answering.reader_candidates import read_candidates
from core.answering.table_answers import TableAnswers
from core.answering.validators import Attempt
from core.answering.writers import GENERATORS, VALIDATORS, Writer, check_generator, model_writer
from core.config import Config
from core.errors import BadInput, NothingIndexed
from core.extraction.speech_acts import asks_nothing
from core.models.capped import CappedModel, budgeted, current_budget
from core.models.loading import LANGUAGE_MODELS
from core.progress import TaskContext
from core.protocols import OnText
from core.retrieval.composed import ComposedRetriever, compose
from core.retrieval.compositions import Composition
from core.retrieval.explain import Explainer, explanation_stage
from core.retrieval.gate import Gate
from core.retrieval.graph_filter import restrict_to_passages
from core.retrieval.hierarchy.nearest import Nearest
from core.retrieval.path_ranking import Memo
from core.retrieval.ppr import nearest_to
from core.retrieval.query import Query, analyse
from core.retrieval.routes import (
    AUTO,
    FUSION,
    GLOBAL,
    LAB,
    ROUTES,
    check_route,
    composition_of,
    route_stage,
)
from core.retrieval.routing.weighing import Weigher
from core.retrieval.scope import NothingInScope, ScopedPassages, restrict_to_scope
from core.retrieval.seeds import named_seeds
from core.retrieval.snapshot_file import Snapshot, snapshot_of
from core.retrieval.view import RetrievalModels, view_snapshot
from core.store.settings import COMPOSITIONS, OWN_ROUTE
from core.store.store import Store
from core.text.escape_controls import checked, choose
from core.text.translation import mark, tr
from core.types import EVERYTHING, Answer, Citation, Evidence, Retrieval, Route, Scope, Stage, Trace
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from core.index.vector import IndexFolder
    from core.retrieval.snapshot import Extracted

Change = Callable[["Extracted"], "Extracted"]
QUOTING = "extractive"  # the generator that says nothing but what stands in the passages
_NOT_COMPUTED = tr(
    "No table tells this as it is asked. Name the column and its value as they stand in the table, "
    "or choose a route yourself."
)
_ASKS_NOTHING = tr(
    "This asks nothing that can be looked up by itself: what was asked before is not remembered. "
    "Type a whole question, such as “Who signed the lease?”, or a name or a thing to look for."
)
_FIRST = 5  # passages whose language is looked at where that of no document is known
_SCOPES = 4  # that are at hand
_NEAR = 20  # passages by each of two ways, whose documents' tables are looked at
READ = 10  # passages that an answer is looked for in, at least


class Asker:
    """Answers questions over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        vectors: QuestionVectors,
        config: Config,
        kept: ScopedPassages | None = None,
    ) -> None:
        """The vectors of the snapshot are of the encoder of `vectors`; `kept` says to which scope it was cut."""
        self._store = store
        self._models = models = vectors.models
        self.vectors = vectors
        self._config = config
        if config.control.widest:
            choose(mark("route"), config.control.widest, dict.fromkeys(ROUTES))
        self._generator = GENERATORS[QUOTING](config.answer, models.comprehension)
        self._validators = VALIDATORS["triple check"](config.control, models.comprehension)
        self.view = view = view_snapshot(store, snapshot, config.retrieval, kept)
        corpus = view.corpus
        self._explainer = Explainer(store, corpus, view.facts)
        # How rare a word is does not depend on the scope; which names are known does.
        passages = kept.found.count if kept else len(corpus.passage_ids)
        learned, counts = models.weights(vectors.encoder), view.word_search.counts
        self.weigher = Weigher(learned, config.routing, view.wording, counts, passages, corpus.entity_rows)
        (provider,) = LANGUAGE_MODELS  # alone it names the model that is configured
        self.retrieval_models = RetrievalModels(
            vectors,
            models.parse,
            needs_of,
            self.weigher,
            lambda: models.adapter(vectors.encoder),
            models.selection(vectors.encoder),
            models.comprehension.reader.relevance,
            partial(_model_of_question, store, models, config),  # not self: a cycle would keep the models
            provider if config.models.model else "",
        )
        self._snapshot, self._inside = snapshot, view.passages if kept else None
        self._kept, self._cut = kept, dict[Scope, Asker]()
        self.nearest = Nearest(corpus, view.tree, VALUES)
        self._gate = Gate(corpus, snapshot.summaries)
        self._candidates = partial(read_candidates, store)
        self.overview = Overview(store, corpus, some=kept is not None)
        ids = frozenset(corpus.passage_ids)
        self._clauses = Clauses(store, self._inside, ids if view.passages else None)
        self._tables = TableAnswers(store, ids if kept else None)
        # Made when they are asked for: a scope is for a few questions.
        self._retrievers = dict[Composition, ComposedRetriever]()

    def restrict_to(self, scope: Scope) -> Asker:
        """The same over the passages in scope, of which it finds, reads and cites no others.

        Raises NothingInScope where there is none.
        """
        if scope.all:
            return self
        if scope not in self._cut:
            corpus = self.view.corpus
            selection = restrict_to_scope(self._store, scope, corpus.graph.passage_keys)
            if not len(selection.keys):
                raise NothingInScope(selection)
            rows = np.searchsorted(corpus.graph.passage_keys, selection.keys)
            cut = snapshot_of(
                *restrict_to_passages(
                    corpus, self.view.facts, rows, *self._store.scopes.evidence(selection.keys.tolist())
                ),
                self._snapshot.documents[rows],
                self._config.retrieval.exact_up_to,
            )
            found = Asker(self._store, cut, self.vectors, self._config, selection)
            self._cut = dict([*self._cut.items(), (scope, found)][-_SCOPES:])
            return found
        return self._cut[scope]

    def ask(
        self,
        question: str,
        context: TaskContext,
        route: str = "auto",
        k: int = 5,
        generator: str = QUOTING,
        on_text: OnText | None = None,
        scope: Scope = EVERYTHING,
    ) -> Answer:
        """`generator` is "extractive" or "ollama:MODEL"; `on_text` is told what a model writes.

        What is outside of `scope` is neither looked at nor told. Where nothing is inside, the answer says so.

        Raises BadInput for an empty or endless question, an unknown route or generator or a k below 1;
        Cancelled; ModelUnavailable and ModelFault where the model's server fails before there is any answer.
        """
        if scope.all:
            answer, seconds = self._asked(question, context, route, k, generator, on_text), 0.0
            return answer if self._kept is None else self._kept.of(answer, seconds)
        begin = time.perf_counter()
        try:
            asker = self.restrict_to(scope)
        except NothingInScope as nothing:
            way, stages = self.route(checked(question), route)
            trace = Trace(question, way, tuple(stages), (), {}, (), stages[0].seconds)
            empty = Answer("", (), (), (), trace, abstained=True, missing=str(nothing))
            return nothing.selection.of(empty, time.perf_counter() - begin)
        seconds = time.perf_counter() - begin
        answer = asker._asked(question, context, route, k, generator, on_text)
        assert asker._kept is not None
        return asker._kept.of(answer, seconds)

    def _asked(
        self,
        question: str,
        context: TaskContext,
        route: str,
        k: int,
        generator: str,
        on_text: OnText | None,
    ) -> Answer:
        question = checked(question)
        if k < 1:
            raise BadInput(tr("At least one passage must be asked for."), tr("Use -k 1 or more."))
        begin, cold = time.perf_counter(), not self._models.loaded
        forced = "" if route == "auto" else route
        check_generator(generator, self._config.models)
        context.check()
        clauses = None if forced or generator != QUOTING else self._clauses.find(question)
        if clauses and (of_clause := self._from_clauses(question, clauses, k, context)):
            return replace(of_clause, trace=replace(of_clause.trace, seconds=time.perf_counter() - begin))
        if asks_nothing(self._models.parse(question)):
            return replace(self._refused(question, (), begin, _ASKS_NOTHING), unasked=True)
        query = self.analyse(question)
        reply, uncomputed = (None, False) if forced else self._from_table(query, context)
        if reply is not None:
            return replace(reply, trace=replace(reply.trace, seconds=time.perf_counter() - begin))
        if uncomputed:  # a number that some passage or model has is not the one that is asked for
            generator = QUOTING
        if forced in ("", GLOBAL) and (
            about_all := self._overviewed(question, forced, generator, on_text, context)
        ):
            return replace(about_all, trace=replace(about_all.trace, seconds=time.perf_counter() - begin))
        before = Stage(mark("loading models") if cold else mark("preparing"), time.perf_counter() - begin)
        closed, gate = self._gate.closed(
            query,
            self._config.control.gate,
            self._store.documents.path_of,
            partial(self._why_look, question),
        )
        if closed and not forced:
            return self._nothing(question, (before, gate), begin)
        with budgeted(self._config.caps) as budget:
            answer = self._looped(query, forced, k, generator, on_text, context)
        answer = apply_thresholds(answer, self._config.answer)
        if uncomputed and not answer.abstained:
            answer = answer.withdrawn(_NOT_COMPUTED)
        answer = refuse_unknown_code(self._store, self._models.parse(question), answer, self._inside)
        if answer.abstained:
            refused, found = time.perf_counter(), self._looked_up(question)
            absent = missing_names(found, self._kept is not None)
            answer = replace(answer, missing=sentences(absent, answer.missing, self._losses()))
            # What the gate looks up is looked up again.
            gate = replace(gate, seconds=gate.seconds + time.perf_counter() - refused)
        stages = (before, gate, *answer.trace.stages)
        trace = replace(answer.trace, stages=stages, seconds=time.perf_counter() - begin)
        return replace(answer, trace=trace, usage=budget.usage)

    def _overviewed(
        self, question: str, forced: str, generator: str, on_text: OnText | None, context: TaskContext
    ) -> Answer | None:
        """The answer from reports, where the question is about all documents or that way is forced."""
        parsed = self._models.parse(question)
        way = Route(GLOBAL, self.weigher.of_question(parsed), bool(forced))
        with budgeted(self._config.caps) as budget:
            author = None
            if generator not in GENERATORS:
                write = partial(self._writer(generator).generator.answer, on_text=on_text)
                author = Author(generator, write, self._config.control.grounding)
            vector, minilm = (partial(by.embed_question, question) for by in (self.vectors, self._models))
            answer = self.overview.answer(parsed, vector, minilm, way, self._candidates, author, context)
        if answer is None:
            return None
        return replace(answer, citations=tuple(map(self._placed, answer.citations)), usage=budget.usage)

    def _from_table(self, query: Query, context: TaskContext) -> tuple[Answer | None, bool]:
        """What a table of the nearest documents tells, read or computed, None where none does; whether it is asked to
        compute what none does."""
        question, near = query.text, []
        # What is near in meaning is found on another core meanwhile, and remembered by the vectors.
        with ThreadPoolExecutor(1) as pool:
            ahead = pool.submit(self._nearest, query)
            for name in ("lexical", "dense"):
                near += [hit.passage_id for hit in self.retriever(name).retrieve(query, _NEAR, context).hits]
                ahead.result()
        reply = self._tables.answer(question, near)
        if reply is None:
            return None, self._tables.computes(question, near)
        way, stages = self.route(question)
        candidates, read = self._candidates(reply.hits)
        sources = tuple(Evidence(c.hit, c.passage, c.document) for c in candidates)
        found = Retrieval(reply.hits, (*stages, reply.stage, read))
        sources, why = self._explained(question, found, sources, candidates)
        trace = Trace(question, way, (*found.stages, why), (), {}, reply.hits, 0.0)
        citations = tuple(map(self._placed, reply.citations))
        answer = Answer(
            reply.text, reply.sentences, citations, sources, trace, confidence=reply.confidence, claims=reply.claims,
            guess=reply.guess, table_note=reply.note,
        )  # fmt: skip
        return answer, False

    def _from_clauses(
        self, question: str, found: FoundClauses, k: int, context: TaskContext
    ) -> Answer | None:
        """What the parts that the question names by their numbers tell: words in them, else they themselves."""
        asked = self._models.parse(question), self.vectors.embed_question(question)
        way, stages = self.route(question)
        candidates, read = self._candidates(clause_hits(found.clauses))
        retrieval = Retrieval(clause_hits(found.clauses), (*stages, found.stage, read))
        answer = answer_from_clauses(
            *asked, found, retrieval, way, candidates, self._generator, self._config.answer, context
        )
        if answer is None or not candidates:
            return answer
        evidence = tuple(Evidence(c.hit, c.passage, c.document) for c in candidates)
        evidence, why = self._explained(question, retrieval, evidence, candidates)
        trace = replace(answer.trace, hits=retrieval.hits, stages=(*answer.trace.stages, why))
        return replace(
            answer, evidence=evidence[:k], trace=trace, citations=tuple(map(self._placed, answer.citations))
        )

    def _nearest(self, query: Query) -> None:
        """Large tables remember what was nearest to the last questions."""
        if len(self.view.corpus.passage_ids) > self._config.retrieval.exact_up_to:
            nearest_to(query.vector, self.view.corpus, self._config.retrieval)
            self._gate.similarity(query.vector)

    def _looped(
        self,
        query: Query,
        forced: str,
        k: int,
        generator: str,
        on_text: OnText | None,
        context: TaskContext,
    ) -> Answer:
        """Attempts until one stands. A2RAG III-B."""
        writer = self._writer(generator, self._distiller)

        def attempt(question: str, route: str, strict: bool = False) -> Attempt:
            by = "auto" if route in ("", own) else route
            rewritten = query if question == query.text else self.analyse(question)
            return self._attempt(rewritten, by, k, bool(forced), context, writer, on_text, strict)

        own, config = self.asked_by("auto"), self._config.control
        preset = forced or ("" if own == "auto" else own)
        cutoff = self._config.answer.min_probability
        control = Control(attempt, writer.validators, config, config.widest, preset, writer.rewriter, cutoff)
        answer = control.run(query.text, context)
        if generator in GENERATORS:
            return answer
        answer = apply_thresholds(answer, self._config.answer)
        if not ungrounded(answer):
            return answer
        quotes = self._looped(query, forced, k, QUOTING, None, context)
        return fall_back_to_quotes(answer, quotes, generator)

    def _nothing(self, question: str, before: tuple[Stage, ...], begin: float) -> Answer:
        """No document is about this: nothing is looked for but its words, of which none or no name was found."""
        words = sentences(nothing_found(self._looked_up(question), self._kept is not None), self._losses())
        return self._refused(question, before, begin, words)

    def _refused(self, question: str, before: tuple[Stage, ...], begin: float, missing: str) -> Answer:
        """That there is no answer, without a look at passages."""
        way, stages = self.route(question)
        trace = Trace(question, way, (*before, *stages), (), {}, (), time.perf_counter() - begin)
        return Answer("", (), (), (), trace, abstained=True, missing=missing)

    def _looked_up(self, question: str) -> LookedUp:
        """What of the question stands in what is looked in."""
        return look_up(self._store, self._models.parse(question), self._inside)

    def _why_look(self, question: str) -> str:
        """Why passages may tell of a question that is far from all documents in meaning, in words; "" for nothing."""
        first, parsed = self.view.corpus.graph.passage_keys[:_FIRST].tolist(), self._models.parse(question)
        return reason_to_look(self._store, parsed, partial(self._looked_up, question), first)

    def _losses(self) -> str:
        """What was not read of the documents that are looked in, in words; "" for nothing."""
        return losses(self._store, np.unique(self._snapshot.documents).tolist() if self._kept else None)

    def _writer(self, generator: str, distiller: Callable[[], Distiller | None] = lambda: None) -> Writer:
        """Who writes and checks this one question's answer; a language model, for which alone `distiller` is called,
        reads what that makes of the passages."""
        if generator in GENERATORS:
            return Writer(self._generator, self._validators)
        model = _model_of_question(self._store, self._models, self._config, generator)
        return model_writer(model, self._generator, self._validators, distiller())

    def _distiller(self) -> Distiller | None:
        """None where a language model is to read whole passages."""
        config = self._config.answer
        if not config.distilled:
            return None
        return Distiller(
            gatherer_over(self._store, self.view),
            lambda hits: self._candidates(hits)[0],
            self._models.integrator(self.vectors.encoder, config.integrator),
            config.distilled_share,
        )

    def _attempt(
        self,
        query: Query,
        route: str,
        k: int,
        forced: bool,
        context: TaskContext,
        writer: Writer,
        on_text: OnText | None,
        strict: bool,
    ) -> Attempt:
        """Read, route, retrieve and answer once. A route that the loop chose is not the person's choice."""
        begin = time.perf_counter()
        way, stages = self.route(query.text, route)
        way = replace(way, forced=forced)
        context.check()
        encoded = time.perf_counter()
        stages.append(Stage(mark("encode"), encoded - begin - stages[0].seconds, self.vectors.described))
        write = partial(writer.generator.answer, on_text=on_text, strict=strict)
        return self._along(query, way, self.asked_by(route), stages, k, context, write)

    def _along(
        self,
        query: Query,
        way: Route,
        by: str,
        stages: Sequence[Stage],
        k: int,
        context: TaskContext,
        write: Callable[..., Answer],
    ) -> Attempt:
        """Retrieve `by` one route, and answer from what it found."""
        question, parsed, vector = query.text, query.parsed, query.vector
        found = self.retriever(by).retrieve(query, max(k, READ), context)
        if found.complexity is not None:
            joined, named = self.weigher.route(found.complexity), way.forced or way.name.startswith(LAB)
            way = replace(joined, name=way.name, forced=way.forced) if named else joined
            stages = (route_stage(way, stages[0].seconds, parsed), *stages[1:])
            if not found.seeds:  # the graph was spared: chains lead from what the question names
                limit = self._config.retrieval.top_seeds
                found = replace(found, seeds=named_seeds(query.entities, self.view.corpus, limit))
        found = self._clauses.promoted(question, found)
        candidates, read = self._candidates(found.hits)
        found = replace(found, stages=(*stages, *found.stages, read))
        answer = write(parsed, vector, found, way, candidates, context)
        answer = replace(answer, citations=tuple(map(self._placed, answer.citations)))
        cited = {citation.passage_id for citation in answer.citations}
        evidence = tuple(e for e in answer.evidence if e.hit.rank <= k or e.hit.passage_id in cited)
        known = {candidate.passage.id for candidate in candidates}
        extras, _ = self._candidates([e.hit for e in evidence if e.hit.passage_id not in known])
        candidates = [*candidates, *extras]
        evidence, why = self._explained(question, found, evidence, candidates)
        trace = replace(answer.trace, hits=tuple(e.hit for e in evidence), stages=(*answer.trace.stages, why))
        return Attempt(parsed, vector, tuple(candidates), replace(answer, evidence=evidence, trace=trace))

    def _placed(self, citation: Citation) -> Citation:
        regions = self._store.documents.regions(citation.document_id, citation.start, citation.end)
        return replace(citation, place=place_of(regions, citation.start, citation.end))

    def _explained(
        self, question: str, found: Retrieval, shown: tuple[Evidence, ...], candidates: Sequence[Candidate]
    ) -> tuple[tuple[Evidence, ...], Stage]:
        """What is shown, with why it was found."""
        begin = time.perf_counter()
        vectors = {candidate.passage.id: candidate.vectors for candidate in candidates}
        parsed, vector = self._models.parse(question), self.vectors.embed_question(question)
        explained = self._explainer.explain(parsed, vector, found, shown, vectors)
        return explained, explanation_stage(explained, time.perf_counter() - begin)

    def heat(self, question: str, context: TaskContext) -> dict[str, float]:
        """Where a walk over the graph leads for a question, by entity id, for one that was answered without it."""
        return self.retriever("walk").retrieve(self.analyse(question), 1, context).heat

    def asked_by(self, route: str) -> str:
        """The same route, but for "auto" the composition that the workspace adopted, if it did."""
        return (self._store.settings.get(OWN_ROUTE) if route == "auto" else "") or route

    def route(self, question: str, route: str = "auto") -> tuple[Route, list[Stage]]:
        """The route that a question takes before anything is found, by its words alone, and the stage that tells it."""
        begin = time.perf_counter()
        taken = self.asked_by(route)
        check_route(taken, "auto", own=self._store.settings.get(COMPOSITIONS))
        parsed = self._models.parse(question)
        complexity = self.weigher.of_question(parsed)
        way = Route(FUSION if taken == AUTO else taken, complexity, route != "auto")
        return way, [route_stage(way, time.perf_counter() - begin, parsed)]

    def retrieve(self, question: str, route: str, k: int, context: TaskContext) -> tuple[str, Retrieval]:
        """Only the ranking: the route taken and its hits."""
        route = self.asked_by(route)
        check_route(route, "auto", own=self._store.settings.get(COMPOSITIONS))
        found = self.retriever(route).retrieve(self.analyse(question), k, context)
        found = self._clauses.promoted(question, found)
        if route != "auto" or found.complexity is None:
            return route, found
        return self.weigher.route(found.complexity).name, found

    @property
    def config(self) -> Config:
        return self._config

    @property
    def store(self) -> Store:
        return self._store

    @property
    def snapshot(self) -> Snapshot:
        """What it answers over."""
        return self._snapshot

    def with_config(self, config: Config) -> Asker:
        """Another asker over the same snapshot."""
        return Asker(self._store, self._snapshot, self.vectors, config, self._kept)

    @property
    def behind(self) -> BehindRankings:
        """What its rankings are made of."""
        return BehindRankings(self)

    def analyse(self, question: str) -> Query:
        """Return the question with everything that is known of it before anything is searched for."""
        return analyse(question, self.view.corpus, self._models.parse, self.vectors)

    def retriever(self, name: str) -> ComposedRetriever:
        """Return what ranks passages by a route. Raise BadInput for one that is none."""
        own = self._store.settings.get(COMPOSITIONS) if name.startswith(LAB) else ""
        # By its value: a person may change what a name stands for.
        composition = composition_of(name, own)
        if composition not in self._retrievers:
            self._retrievers[composition] = self.compose(composition)
        return self._retrievers[composition]

    def compose(self, composition: Composition, memo: Memo | None = None) -> ComposedRetriever:
        """Return the composition at work over this snapshot; `memo` as for `compose`. Raise BadInput."""
        return compose(self.view, self.retrieval_models, self._config, composition, memo)


def asker_over(
    store: Store,
    models: Models,
    config: Config,
    folder: IndexFolder,
    change: Change | None = None,
    earlier: Asker | None = None,
) -> Asker:
    """An asker over the workspace as it stands, or over what `change` makes of a copy in memory.

    `folder` holds the snapshot; `earlier` is one at hand, whose snapshot may be brought up to date. Raises
    NothingIndexed when there is no passage.
    """
    encoder = models.question_encoder(store, config.models)
    from core.retrieval.load_snapshot import load_snapshot  # it imports what only asking needs

    at_hand = None if earlier is None else earlier.snapshot
    found = load_snapshot(store, config.retrieval, folder, change, at_hand)
    if not found.corpus.passage_ids:
        if store.candidates.passages() is not None and store.census.status(digest=False).passages:
            raise BadInput(
                tr("Only approved facts count, and none is approved yet."),
                tr("Approve facts, or let others count."),
            )
        raise NothingIndexed
    return Asker(store, found, QuestionVectors(models, encoder), config)


def _model_of_question(store: Store, models: Models, config: Config, name: str) -> CappedModel:
    """A model that answers as long as the question's caps allow."""
    return CappedModel(models.language_model(store, name, config.models), current_budget(config.caps))
