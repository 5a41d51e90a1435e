"""Answers a question about all documents by themes, names or dates, quote by quote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.answering.control import fall_back_from_silence, fall_back_to_quotes
from core.answering.generate import ModelGenerator
from core.answering.models import QuestionVectors
from core.answering.overview.composing import Overviewed, quoted, write_themes
from core.answering.overview.named import (
    Kind,
    Named,
    Point,
    asked_kind,
    asks_for_all,
    asks_for_all_times,
    asks_for_events,
    asks_for_times,
    dated_points,
    in_periods,
    most_named,
    most_named_here,
    named_points,
)
from core.answering.overview.themes import Texts, Theme, homes, named_groups, rank_themes, read_texts, themes
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.writers import GENERATORS, Request, Writers
from core.config import Config
from core.errors import BadInput, ModelSilent
from core.extraction.question import ParsedQuestion
from core.models.capped import budgeted
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.ranking import by_rank
from core.retrieval.routes import GLOBAL
from core.retrieval.routing.corpuswide import BROAD, CorpusWide, corpus_wide, in_particular
from core.store.store import Store
from core.text.translation import mark, tr, trn
from core.types import Answer, Citation, CitedCommunity, CommunityReport, Stage
from core.types.stages import MOST as ROWS
from core.types.stages import ChosenStatement, ChosenStatements

MOST = 12  # themes that are told
_OF_REPORT = 2  # sentences of a community's report that a language model reads beside those of the theme
NEAR = 400  # passages nearest to a question about one kind of thing
RELEVANT = 0.25  # least cosine of these, and how many are looked at whatever it is
AT_LEAST = 20
NO_DATES = tr("Too few dates are told for a time line.")
NOTHING = tr("Too little is told in the scope for an answer about all of it.")
NONE = tr("This workspace has no communities yet.")


class Overview:
    """Answers over one snapshot, from the reports of its communities."""

    def __init__(
        self,
        store: Store,
        corpus: Corpus,
        vectors: QuestionVectors,
        rankings: Rankings,
        reader: PassageReader,
        writers: Writers,
        config: Config,
        is_scoped: bool,
    ) -> None:
        """`is_scoped`: the corpus is a part of the workspace, and of the reports nothing else may be quoted."""
        self._store = store
        self._corpus = corpus
        self._vectors = vectors
        self._rankings = rankings
        self._reader = reader
        self._writers = writers
        self._config = config
        self._inside = frozenset(corpus.passage_ids) if is_scoped else None
        self._texts: Texts | None = None  # read once, for a snapshot outlives no change
        self._themes: list[Theme] = []

    def answer(self, request: Request, context: TaskContext) -> Answer | None:
        """Return the answer from reports where a question is about all documents, or where that route is chosen.

        A language model sums up the themes where the settings say so; where their sentences do not carry what it wrote,
        quotes stand in its place. Raises BadInput where the route is chosen and there are no communities; what the
        model raises.
        """
        if request.route not in ("", GLOBAL):
            return None
        with budgeted(self._config.caps) as budget:
            answer = self._answer(request, context)
        return None if answer is None else self._reader.with_places(replace(answer, usage=budget.usage))

    def _answer(self, request: Request, context: TaskContext) -> Answer | None:
        begin = time.perf_counter()
        question, is_forced = request.question, bool(request.route)
        wide = corpus_wide(question, self._vectors.models.embed_question(question.text))
        if not (wide.recognised or in_particular(question)) and (
            asks_for_all(question) or asks_for_all_times(question)
        ):
            wide = CorpusWide(True, tr("asks for all of a kind, and says nothing of which"), BROAD)
        if not (wide.recognised or is_forced):
            return None
        vector = self._vectors.embed_question(question.text)
        found = self.look(question, vector, wide.breadth == BROAD or not wide.recognised)
        if found is None:
            if is_forced and self._inside is not None:
                raise BadInput(NOTHING, tr("Ask for something in particular, or clear the scope."))
            if is_forced:
                raise BadInput(NONE, tr("Index the folder again: they are made at the end."))
            return None
        route = self._rankings.global_route(question, is_forced, wide.reason)
        reason = wide.reason
        if not wide.recognised:
            reason = tr("chosen by hand; the question {reason}", reason=wide.reason)
        spent = time.perf_counter() - begin - sum(stage.seconds for stage in found.stages)
        candidates, reading = self._reader.read(found.retrieval.hits)
        context.check()
        *before, last = found.stages
        last = replace(last, data=_as_chosen(found.points))
        stages = (Stage(mark("breadth"), spent, reason), *before, last, reading)
        quotes = quoted(question.text, found, route, stages, candidates)
        # Names and dates are counted: there is nothing for a model to add.
        is_written = self._config.answer.write_themes and request.generator not in GENERATORS
        if not (is_written and found.material):
            return quotes
        generator = self._writers.create(request.generator, context, distilled=False).generator
        assert isinstance(generator, ModelGenerator)
        places = dict.fromkeys(each.passage_id for sentences in found.material for each in sentences)
        read, _ = self._reader.read(by_rank(places))
        try:
            answer = write_themes(
                quotes, found, read, generator, self._config.control.grounding, context, request.on_text
            )
        except ModelSilent as fault:
            return fall_back_from_silence(quotes, fault, request.generator)
        if answer.trace.rounds[-1].failure:
            return fall_back_to_quotes(
                answer, replace(quotes, trace=replace(quotes.trace, stages=())), request.generator
            )
        return answer

    def look(self, question: ParsedQuestion, vector: NDArray[np.float32], broad: bool) -> Overviewed | None:
        """By names or dates where these are asked for, else by themes. For a question that is not `broad` these are of
        the passages near to it, the nearest first; else of all, those first that tell of most documents.

        None where there are no communities, or nothing that tells.
        """
        if not (levels := self._store.communities.levels()):
            return None
        kind = asked_kind(question)
        if kind is not None and (found := self._by_name(kind, max(1, levels - 1))):
            return found
        if asks_for_times(question):
            ways = (partial(self._by_event, levels), self._by_period)
            for way in ways if asks_for_events(question) else reversed(ways):
                if found := way():
                    return found
            found = self._by_theme(vector, None)
            return found and replace(found, lead=f"{NO_DATES} {found.lead}")
        return (None if broad else self._by_theme(vector, vector)) or self._by_theme(vector, None)

    def _by_theme(
        self, question: NDArray[np.float32], toward: NDArray[np.float32] | None
    ) -> Overviewed | None:
        begin = time.perf_counter()
        texts = self._read()
        if toward is None:
            self._themes = self._themes or themes(self._store, self._corpus, texts)
            found = rank_themes(self._corpus, texts, self._themes, question)
        else:
            near = self._corpus.passage_vectors.of(texts.rows, toward)
            order = np.argsort(-near, kind="stable")[
                : max(AT_LEAST, min(NEAR, int((near >= RELEVANT).sum())))
            ]
            found = themes(self._store, self._corpus, texts.some(order), toward)
        grouped = time.perf_counter()
        pairs = [(theme, home) for theme, home in self._at_home(found[:MOST]) if home is not None]
        if not pairs:
            return None
        share = sum(theme.share for theme, _ in pairs)
        lead = _themes_lead(len(found), share, broad=toward is None)
        listed = _named_themes([theme for theme, _ in pairs], len(found))
        points = [
            Point(
                replace(theme.sentence, community=home.id),
                theme.share if toward is None else max(0.0, theme.cosine),
            )
            for theme, home in pairs
        ]
        stages = (
            Stage(
                mark("map"),
                grouped - begin,
                _from(texts.looked_at, trn("{count} theme", "{count} themes", len(found))),
            ),
            Stage(
                mark("reduce"),
                time.perf_counter() - grouped,
                trn("a sentence of {count} theme", "a sentence of each of {count} themes", len(pairs)),
            ),
        )
        material = tuple(self._material(theme, home.id) for theme, home in pairs)
        return Overviewed(
            lead,
            listed,
            tuple(points),
            tuple(home for _, home in pairs),
            share,
            stages,
            material=material,
            is_broad=toward is None,
        )

    def _material(self, theme: Theme, community: int) -> tuple[Citation, ...]:
        """Return the sentences that tell most of a theme, and those of its passages that the report quotes."""
        report = self._store.reports.get(community)
        inside = {self._corpus.passage_ids[row] for row in theme.passages.tolist()}
        statements = report.statements if report is not None else ()
        places = (place for statement in statements for place in statement.citations)
        known = {sentence.quote for sentence in theme.sentences}
        more = {p.quote: p for p in places if p.passage_id in inside and p.quote not in known}
        return (*theme.sentences, *tuple(more.values())[:_OF_REPORT])

    def _by_period(self) -> Overviewed | None:
        """What distinguishes the documents of each year, month or day; None where they have no dates."""
        begin = time.perf_counter()
        texts = self._read()
        dates = {document.id: document.date for document in self._store.documents.all()}
        periods = in_periods(texts.stored, dates)
        found = named_groups(self._store, self._corpus, texts, [rows for _, rows in periods])
        dated = [(date, theme) for (date, _), theme in zip(periods, found, strict=True) if theme is not None]
        if not dated:
            return None
        first, last = dated[0][0], dated[-1][0]
        lead = tr("From {first} to {last}, by what distinguishes each", first=first, last=last)
        listed = tuple(tr("{date}: {theme}", date=date, theme=theme.name) for date, theme in dated)
        points = tuple(Point(theme.sentence, theme.share) for _, theme in dated)
        cited = tuple(home for _, home in self._at_home([theme for _, theme in dated]) if home is not None)
        stages = (
            Stage(
                mark("map"),
                time.perf_counter() - begin,
                _of(texts.looked_at, trn("{count} date", "{count} dates", len(periods))),
            ),
        )
        share = sum(theme.share for _, theme in dated)
        return Overviewed(lead, listed, points, cited, share, stages)

    def _by_event(self, level: int) -> Overviewed | None:
        """Dated sentences of the reports of a level; None where there are none."""
        begin = time.perf_counter()
        reports = [self._restrict_timeline(report) for report in self._store.reports.of_level(level)]
        dated = dated_points(reports)
        if not dated:
            return None
        places = {point.citation.passage_id for _, point in dated}
        quoted = [r for r in reports if places & {fact.citation.passage_id for fact in r.timeline}]
        cited = tuple(
            CitedCommunity(r.community_id, r.level, self._title(r.community_id, r.title)) for r in quoted
        )
        stages = (
            Stage(
                mark("map"),
                time.perf_counter() - begin,
                trn(
                    "{count} report of level {level}",
                    "{count} reports of level {level}",
                    len(reports),
                    level=level,
                ),
            ),
        )
        lead = tr("From {first} to {last}, by date", first=dated[0][0], last=dated[-1][0])
        points, share = tuple(point for _, point in dated), len(quoted) / len(reports)
        return Overviewed(lead, (), points, cited, share, stages)

    def _by_name(self, kind: Kind, level: int) -> Overviewed | None:
        """The names of a kind that lead the communities of a level, a sentence for each; None without any."""
        begin = time.perf_counter()
        sizes = {row.key: row.entities for row in self._store.contents.communities(level)}
        if self._inside is None:
            named, only = most_named(self._store, kind, level, sizes), None
        else:
            named = most_named_here(self._store, kind, self._corpus)
            only = self._corpus.graph.passage_keys.tolist()
        entries = named_points(self._store, named, only)
        if not entries:
            return None
        points = tuple(dict.fromkeys(point for _, point in entries))
        of = dict.fromkeys(each.community for each, _ in entries if each.community is not None)
        titles = self._store.reports.titles(of)
        cited = tuple(CitedCommunity(key, level, self._title(key, title)) for key, title in titles.items())
        words = trn(
            "{count} sentence of {names} that lead communities of level {level}",
            "{count} sentences of {names} that lead communities of level {level}",
            len(points),
            names=trn("{count} name", "{count} names", len(entries)),
            level=level,
        )
        stages = (Stage(mark("map"), time.perf_counter() - begin, words),)
        listed = (tr(", ").join(one.name for one, _ in entries),)
        apart = tuple(replace(point, citation=replace(point.citation, community=None)) for point in points)
        share = self._naming(kind, entries)
        return Overviewed(kind.begin, listed, apart, cited, share, stages, tuple(entries))

    def _restrict_timeline(self, report: CommunityReport) -> CommunityReport:
        """With its dated facts as far as they are told here."""
        if (inside := self._inside) is None:
            return report
        timeline = tuple(fact for fact in report.timeline if fact.citation.passage_id in inside)
        return replace(report, timeline=timeline)

    def _title(self, community: int, title: str) -> str:
        """Return what to call a community here: its title names entities of the whole workspace."""
        return title if self._inside is None else tr("Community {id}", id=community)

    def _naming(self, kind: Kind, listed: Sequence[tuple[Named, Point]]) -> float:
        """Share of the sentences with a name of this kind that name one of those told."""
        names = {each.id for each, _ in listed}
        ids, labels = self._corpus.entity_ids, self._corpus.entity_labels
        of_kind = np.array([label in kind.labels for label in labels], dtype=bool)
        ours = np.array([id in names for id in ids], dtype=bool)
        rows = np.repeat(np.arange(len(self._corpus.named_starts) - 1), np.diff(self._corpus.named_starts))
        every = np.unique(rows[of_kind[self._corpus.named_entities]])
        return len(np.unique(rows[ours[self._corpus.named_entities]])) / max(1, len(every))

    def _at_home(self, found: Sequence[Theme]) -> list[tuple[Theme, CitedCommunity | None]]:
        rows = homes(self._store, self._corpus, [theme.passages for theme in found])
        return [
            (theme, CitedCommunity(row.key, row.level, theme.name) if row is not None else None)
            for theme, row in zip(found, rows, strict=True)
        ]

    def _read(self) -> Texts:
        if self._texts is None:
            self._texts = read_texts(self._store, self._corpus)
        return self._texts


def _as_chosen(points: Sequence[Point]) -> ChosenStatements:
    """For the trace: the sentences that were chosen."""
    rows = (ChosenStatement(p.citation.passage_id, p.citation.quote, p.score) for p in points[:ROWS])
    return ChosenStatements(tuple(rows), len(points), len(points))


def _named_themes(themes: Sequence[Theme], count: int) -> tuple[str, ...]:
    """Return the first of `count` themes by name, each with its share of the passages, and how many more there are."""
    names = [tr("{theme} ({share})", theme=theme.name, share=f"{theme.share:.0%}") for theme in themes]
    if more := count - len(themes):
        names.append(tr("and {count} more", count=more))
    return tuple(names)


def _themes_lead(count: int, share: float, broad: bool) -> str:
    """Return what comes before the names of themes; where it is `broad`, with the share of the passages they hold."""
    if not broad:
        return trn(
            "What is near to the question has one theme",
            "What is near to the question has {count} themes",
            count,
        )
    return trn(
        "The documents have one theme, {share} of their passages contain words of those listed",
        "The documents have {count} themes, {share} of their passages contain words of those listed",
        count,
        share=f"{share:.0%}",
    )


def _from(passages: int, themes: str) -> str:
    return trn("{count} passage in {themes}", "{count} passages in {themes}", passages, themes=themes)


def _of(passages: int, dates: str) -> str:
    return trn("{count} passage of {dates}", "{count} passages of {dates}", passages, dates=dates)
