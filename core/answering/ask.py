"""One question from words to a cited answer: read, route, retrieve, answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from core.answering.clause_answers import ClauseAnswers
from core.answering.graph_answers import GraphAnswers
from core.answering.missing_terms import MissingTerms
from core.answering.models import Models, QuestionVectors
from core.answering.overview.answering import Overview
from core.answering.passage_answers import PassageAnswers
from core.answering.passage_reader import PassageReader
from core.answering.plan import needs_of
from core.answering.profile_answers import ProfileAnswers
from core.answering.rankings import Rankings
from core.answering.relation_answers import RelationAnswers
from core.answering.table_answers import TableAnswers
from core.answering.writers import QUOTING, Request, Writers, capped_model, check_generator
from core.config import Config
from core.errors import BadInput, NothingIndexed
from core.extraction.question import ParsedQuestion
from core.extraction.speech_acts import asks_nothing
from core.models.loading import LANGUAGE_MODELS
from core.progress import TaskContext
from core.protocols import OnRanked, OnText
from core.retrieval.agentic.alignment import Aligner, Phrases
from core.retrieval.explain import Explainer
from core.retrieval.gate import Gate
from core.retrieval.graph_filter import restrict_to_passages
from core.retrieval.hierarchy.nearest import Nearest
from core.retrieval.relation_search import RelationSearch
from core.retrieval.routes import AUTO, ROUTES
from core.retrieval.routing.weighing import Weigher
from core.retrieval.scope import NothingInScope, ScopedPassages, restrict_to_scope
from core.retrieval.snapshot_file import Snapshot, snapshot_of
from core.retrieval.view import RetrievalModels, view_snapshot
from core.store.store import Store
from core.text.escape_controls import checked, choose
from core.text.translation import mark, tr
from core.types import EVERYTHING, Answer, Retrieval, Scope, Stage, Trace, Way
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from core.index.vector import IndexFolder
    from core.retrieval.snapshot import Extracted

Change = Callable[["Extracted"], "Extracted"]
_NOT_COMPUTED = tr(
    "No table tells this as it is asked. Name the column and its value as they stand in the table, "
    "or choose a route yourself."
)
_ASKS_NOTHING = tr(
    "This asks nothing that can be looked up by itself, and nothing asked before it completes it. "
    "Type a whole question, such as “Who signed the lease?”, or a name or a thing to look for."
)
_SCOPES = 4  # that are at hand


class Asker:
    """Answers questions over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        snapshot: Snapshot,
        vectors: QuestionVectors,
        config: Config,
        selection: ScopedPassages | None = None,
    ) -> None:
        """The vectors of the snapshot are of the encoder of `vectors`; `selection` says to which scope it was cut."""
        self._store = store
        self._models = models = vectors.models
        self.vectors = vectors
        self._config = config
        if config.control.widest:
            choose(mark("route"), config.control.widest, dict.fromkeys(ROUTES))
        self.view = view = view_snapshot(store, snapshot, config.retrieval, selection)
        corpus = view.corpus
        # How rare a word is does not depend on the scope; which names are known does.
        passages = selection.found.count if selection else len(corpus.passage_ids)
        learned, counts = models.weights(vectors.encoder), view.word_search.counts
        weigher = Weigher(learned, config.routing, view.wording, counts, passages, corpus.entity_rows)
        (provider,) = LANGUAGE_MODELS  # alone it names the model that is configured
        retrieval_models = RetrievalModels(
            vectors,
            models.parse,
            needs_of,
            weigher,
            lambda: models.adapter(vectors.encoder),
            models.selection(vectors.encoder),
            models.comprehension(config.models).reader.relevance,
            partial(capped_model, store, models, config),  # not self: a cycle would keep the models
            provider if config.models.model else "",
        )
        self._snapshot, self._selection = snapshot, selection
        self._cut = dict[Scope, Asker]()
        self.nearest = Nearest(corpus, view.tree, VALUES)
        self._gate = Gate(corpus, snapshot.summaries)
        self.rankings = Rankings(store, view, retrieval_models, self._gate, config)
        reader = PassageReader(store, Explainer(store, corpus, view.facts))
        writers = Writers(store, vectors, view, config)
        ids = frozenset(corpus.passage_ids)
        scoped, documents = (view.passages, snapshot.documents) if selection else (None, None)
        self._missing = MissingTerms(store, corpus.graph.passage_keys, scoped, documents)
        self._clauses = ClauseAnswers(
            store,
            self.rankings,
            reader,
            writers.quotes,
            config.answer,
            scoped,
            ids if view.passages else None,
        )
        aligner = Aligner(corpus, Phrases(retrieval_models.embedder), view.word_search.search, config.agentic)
        search = RelationSearch(store, view, aligner)
        self._relations = RelationAnswers(view, self.rankings, reader, search, config.answer)
        self._profiles = ProfileAnswers(store, view, self.rankings, reader, search)
        self._tables = TableAnswers(store, self.rankings, reader, ids if selection else None)
        self.overview = Overview(
            store, corpus, vectors, self.rankings, reader, writers, config, is_scoped=selection is not None
        )
        self.graph = GraphAnswers(store, view, aligner, needs_of, config.agentic)
        self._passages = PassageAnswers(
            vectors, self.rankings, self._clauses, self.graph, reader, writers, config
        )

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
        route: str = AUTO,
        k: int = 5,
        generator: str = QUOTING,
        on_text: OnText | None = None,
        scope: Scope = EVERYTHING,
        on_ranked: OnRanked | None = None,
        prior_passages: tuple[str, ...] = (),
    ) -> Answer:
        """Return the answer. `generator` is "extractive" or "ollama:MODEL"; `on_text` receives what a model writes,
        `on_ranked` the passages before they are read.

        `prior_passages` are ids of passages that are read besides those found: the answer before rests on them.
        What is outside of `scope` is neither read nor cited. Where nothing is inside, the answer says so.

        Raises BadInput for an empty or endless question, an unknown route or generator or a k below 1;
        Cancelled; ModelUnavailable and ModelFault where the model's server fails before there is any answer.
        """
        begin, seconds, asker = time.perf_counter(), 0.0, self
        if not scope.all:
            try:
                asker = self.restrict_to(scope)
            except NothingInScope as nothing:
                empty = self._refused(self._models.parse(checked(question)), str(nothing), route)
                return nothing.selection.of(empty, time.perf_counter() - begin)
            seconds = time.perf_counter() - begin
        answer = asker._answer(question, context, route, k, generator, on_text, on_ranked, prior_passages)
        return answer if asker._selection is None else asker._selection.of(answer, seconds)

    def _answer(
        self,
        question: str,
        context: TaskContext,
        route: str,
        k: int,
        generator: str,
        on_text: OnText | None,
        on_ranked: OnRanked | None,
        prior_passages: tuple[str, ...],
    ) -> Answer:
        """Return the first answer that applies: of clauses, relations, tables, reports, then ranked passages."""
        begin, cold = time.perf_counter(), not self._models.loaded
        question = checked(question)
        if k < 1:
            raise BadInput(tr("At least one passage must be asked for."), tr("Use -k 1 or more."))
        check_generator(generator, self._config.models)
        context.check()
        forced = "" if route == AUTO else route
        request = Request(
            self.rankings.analyse(question), forced, k, generator, on_text, on_ranked, prior_passages
        )
        answer = self._clauses.answer(request, context)
        if answer is None and asks_nothing(request.question):
            answer = replace(self._refused(request.question, _ASKS_NOTHING), unasked=True)
        is_uncomputed = False
        if answer is None:
            answer = self._profiles.answer(request, context) or self._relations.answer(request, context)
        if answer is None:
            answer, is_uncomputed = self._tables.answer(request, context)
        if is_uncomputed:  # a number that some passage or model has is not the one that is asked for
            request = replace(request, generator=QUOTING)
        if answer is None:
            answer = self.overview.answer(request, context)
        if answer is None:
            answer = self._from_passages(request, context, is_uncomputed, begin, cold)
        return replace(answer, trace=replace(answer.trace, seconds=time.perf_counter() - begin))

    def _from_passages(
        self, request: Request, context: TaskContext, is_uncomputed: bool, begin: float, cold: bool
    ) -> Answer:
        """Return the answer from ranked passages, verified; or that no document is about the question."""
        question = request.question
        self.vectors.embed_question(question.text)  # loads the encoder, in the time of the first stage
        before = Stage(mark("loading models") if cold else mark("preparing"), time.perf_counter() - begin)
        is_closed, gate = self._gate.closed(
            request.query,
            self._config.control.gate,
            self._store.documents.path_of,
            partial(self._missing.reason_to_look, question),
        )
        if is_closed and not request.route:
            answer = self._refused(question, self._missing.nothing_found(question))
        else:
            answer = self._passages.answer(request, context)
            if is_uncomputed:
                route = replace(
                    answer.trace.route, way=Way.TABLE, reason=tr("asks to compute over the rows of a table")
                )
                answer = replace(answer, trace=replace(answer.trace, route=route))
                answer = answer if answer.abstained else answer.withdrawn(_NOT_COMPUTED)
            answer = self._missing.refuse_unknown_names(question, answer)
            if answer.abstained:
                refused = time.perf_counter()
                gap = self._missing.refusal(question, answer.missing)
                answer = replace(
                    answer, missing=f"{gap} {self._relations.nearest_facts(request.query)}".strip()
                )
                # What the gate looks up is looked up again.
                gate = replace(gate, seconds=gate.seconds + time.perf_counter() - refused)
        stages = (before, gate, *answer.trace.stages)
        return replace(answer, trace=replace(answer.trace, stages=stages))

    def _refused(self, question: ParsedQuestion, missing: str, route: str = AUTO) -> Answer:
        """Return that there is no answer, without a look at passages."""
        chosen, stages = self.rankings.choose_route(question.text, route)
        trace = Trace(question.text, chosen, tuple(stages), (), {}, (), stages[0].seconds)
        return Answer("", (), (), (), trace, abstained=True, missing=missing)

    def retrieve(self, question: str, route: str, k: int, context: TaskContext) -> tuple[str, Retrieval]:
        """Return only the ranking: the route taken and its hits."""
        name, found = self.rankings.retrieve(question, route, k, context)
        return name, self._clauses.promoted(question, found)

    @property
    def config(self) -> Config:
        return self._config

    @property
    def snapshot(self) -> Snapshot:
        """What it answers over."""
        return self._snapshot

    def with_config(self, config: Config) -> Asker:
        """Another asker over the same snapshot."""
        return Asker(self._store, self._snapshot, self.vectors, config, self._selection)


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
