"""Answers from the passages that a route ranks: quotes, or what a language model writes, checked and asked again."""

from __future__ import annotations

import time
from dataclasses import replace

from core.answering.clause_answers import ClauseAnswers
from core.answering.control import Control, fall_back_from_silence, fall_back_to_quotes, ungrounded
from core.answering.extractive import apply_thresholds, ranked_only
from core.answering.graph_answers import GraphAnswers, join_graph_answer
from core.answering.models import QuestionVectors
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.validators import Attempt
from core.answering.writers import GENERATORS, QUOTING, Request, Writer, Writers
from core.config import Config
from core.errors import ModelSilent
from core.models.capped import budgeted
from core.progress import TaskContext
from core.retrieval.routes import AUTO
from core.text.translation import mark
from core.types import Answer, PathStep, Stage

READ = 10  # passages that an answer is looked for in, at least


class PassageAnswers:
    """Over one snapshot: retrieve, write, check, and ask again in other words. A2RAG III-B."""

    def __init__(
        self,
        vectors: QuestionVectors,
        rankings: Rankings,
        clauses: ClauseAnswers,
        graph: GraphAnswers,
        reader: PassageReader,
        writers: Writers,
        config: Config,
    ) -> None:
        self._vectors = vectors
        self._rankings = rankings
        self._clauses = clauses
        self._graph = graph
        self._reader = reader
        self._writers = writers
        self._config = config

    def answer(self, request: Request, context: TaskContext) -> Answer:
        """Return the answer, one that is likely enough by the thresholds, or that there is none.

        Raises what the model does where its server fails before there is any answer.
        """
        with budgeted(self._config.caps) as budget:
            answer = self._checked(request, context)
        return replace(apply_thresholds(answer, self._config.answer), usage=budget.usage)

    def _checked(self, request: Request, context: TaskContext) -> Answer:
        """Return the answer of the attempt that holds; quotes where no passage carries what a model wrote."""
        writer = self._writers.create(request.generator, context, distilled=True)

        def attempt(question: str, route: str, strict: bool = False) -> Attempt:
            by = AUTO if route in ("", own) else route
            return self._attempt(question, by, request, writer, strict, context)

        own, config = self._rankings.resolve(AUTO), self._config.control
        preset = request.route or ("" if own == AUTO else own)
        cutoff, sure = self._config.answer.min_probability, self._config.answer.sure
        control = Control(
            attempt, writer.validators, config, config.widest, preset, writer.rewriter, cutoff, sure
        )
        try:
            answer = control.run(request.question.text, context)
        except ModelSilent as fault:
            quotes = self._checked(replace(request, generator=QUOTING, on_text=None), context)
            return fall_back_from_silence(quotes, fault, request.generator)
        if request.generator in GENERATORS:
            return answer
        answer = apply_thresholds(answer, self._config.answer)
        if not ungrounded(answer):
            return answer
        quotes = self._checked(replace(request, generator=QUOTING, on_text=None), context)
        return fall_back_to_quotes(answer, quotes, request.generator)

    def _attempt(
        self, question: str, by: str, request: Request, writer: Writer, strict: bool, context: TaskContext
    ) -> Attempt:
        """Retrieve by one route and answer once. A route that the loop chose is not the person's choice."""
        begin = time.perf_counter()
        route, stages = self._rankings.choose_route(question, by)
        route = replace(route, forced=bool(request.route))
        context.check()
        query = request.query if question == request.query.text else self._rankings.analyse(question)
        seconds = time.perf_counter() - begin - stages[0].seconds
        stages.append(Stage(mark("encode"), seconds, self._vectors.described))
        name = self._rankings.resolve(by)
        route, found = self._rankings.retrieve_along(
            query, route, name, stages, max(request.k, READ), context
        )
        by_graph = self._graph.find(query, context)
        facts: tuple[PathStep, ...] = ()
        if request.generator not in GENERATORS:
            facts = self._graph.relevant_facts(query, by_graph)
        extra = [*request.prior_passages, *(by_graph.passages if by_graph is not None else ())]
        extra += [step.passage_id for step in facts]
        found = self._rankings.with_passages(self._clauses.promoted(query.text, found), extra)
        found = replace(found, facts=facts)
        candidates, read = self._reader.read(found.hits)
        found = replace(found, stages=(*found.stages, read))
        on_text, on_ranked = request.on_text, request.on_ranked
        if on_ranked is not None and question == request.question.text:
            ranked = ranked_only(query, found, route, candidates[: request.k])
            on_ranked(ranked)
            if request.generator in GENERATORS:

                def on_text(text: str) -> None:
                    on_ranked(replace(ranked, text=text, abstained=False))

        answer = writer.generator.answer(
            query.parsed,
            query.vector,
            found,
            route,
            candidates,
            context,
            on_text=on_text,
            strict=strict,
        )
        if by_graph is not None and request.generator in GENERATORS:
            answer = join_graph_answer(answer, by_graph, candidates)
        answer = self._reader.with_places(answer)
        cited = {citation.passage_id for citation in answer.citations}
        evidence = [e for e in answer.evidence if e.hit.rank <= request.k or e.hit.passage_id in cited]
        known = {candidate.passage.id for candidate in candidates}
        extras, _ = self._reader.read([e.hit for e in evidence if e.hit.passage_id not in known])
        candidates = [*candidates, *extras]
        explained, why = self._reader.explain(query.parsed, query.vector, found, evidence, candidates)
        hits = tuple(each.hit for each in explained)
        trace = replace(answer.trace, hits=hits, stages=(*answer.trace.stages, why))
        return Attempt(
            query.parsed, query.vector, tuple(candidates), replace(answer, evidence=explained, trace=trace)
        )
