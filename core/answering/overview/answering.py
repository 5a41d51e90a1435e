"""Answers a question about all documents by themes, names or dates, quote by quote."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.answering.candidate import Candidate
from core.answering.control import fall_back_to_quotes
from core.answering.overview.chronology import (
    asks_for_all_times,
    asks_for_events,
    asks_for_times,
    dated_points,
    in_periods,
)
from core.answering.overview.homes import homes
from core.answering.overview.named import (
    Kind,
    Named,
    Point,
    asked_kind,
    asks_for_all,
    most_named,
    most_named_here,
    named_points,
)
from core.answering.overview.themes import Texts, Theme, named_groups, read_texts, themes, told_best
from core.answering.validators import GROUNDING
from core.errors import BadInput, ModelFault, ModelUnavailable
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.retrieval.corpus import Corpus
from core.retrieval.routing.corpuswide import BROAD, CorpusWide, corpus_wide, in_particular
from core.store.store import Store
from core.text.translation import both, mark, tr, trn
from core.types import (
    Answer,
    Citation,
    CitedCommunity,
    CommunityReport,
    Evidence,
    Hit,
    Retrieval,
    Round,
    Route,
    Sentence,
    Stage,
    Trace,
    Validation,
    Verdict,
    Why,
)
from core.types.stages import MOST as ROWS
from core.types.stages import ChosenStatement, ChosenStatements

MOST = 12  # themes that are told
NEAR = 400  # passages nearest to a question about one kind of thing
RELEVANT = 0.25  # least cosine of these, and how many are looked at whatever it is
AT_LEAST = 20
SUREST = 0.99  # no share of the passages makes an answer certain
STRICTLY = tr("the same again, with nothing but what stands in the passages")
NO_DATES = tr("Too few dates are told for a time line.")
NOTHING = tr("Too little is told in the scope for an answer about all of it.")
NONE = tr("This workspace has no communities yet.")


@dataclass(frozen=True, slots=True)
class Overviewed:
    """How the answer begins, its sentences, and the communities below whose titles they stand.

    `lead` is a sentence without its stop, or, where things are `listed`, the part before its colon. `share` is that
    of what was looked at which the answer tells of, 0 to 1.
    """

    lead: str
    listed: tuple[str, ...]
    points: tuple[Point, ...]
    communities: tuple[CitedCommunity, ...]
    share: float
    stages: tuple[Stage, ...]
    named: tuple[tuple[Named, Point], ...] = ()  # where names were asked for, each with what tells of it

    @property
    def line(self) -> str:
        """Return the sentence that begins the answer."""
        if not self.listed:
            return tr("{lead}.", lead=self.lead)
        return tr("{lead}: {things}.", lead=self.lead, things=tr("; ").join(self.listed))

    @property
    def retrieval(self) -> Retrieval:
        """The passages that carry it, in the order of the answer."""
        return Retrieval(_hits(self.points), self.stages)


@dataclass(frozen=True, slots=True)
class Author:
    """A language model that answers from passages. `write` is its generator's `answer`.

    `grounding` is the least share of its sentences that the passages must carry, 0 to 1.
    """

    name: str
    write: Callable[..., Answer]
    grounding: float


class Overview:
    """Over the snapshot of a corpus."""

    def __init__(self, store: Store, corpus: Corpus, some: bool = False) -> None:
        """`some`: the corpus is a part of the workspace; of the reports, which are of all, nothing else is told."""
        self._store = store
        self._corpus = corpus
        self._inside = frozenset(corpus.passage_ids) if some else None
        self._texts: Texts | None = None  # read once, for a snapshot outlives no change
        self._themes: list[Theme] = []

    def answer(
        self,
        question: ParsedQuestion,
        vector: Callable[[], NDArray[np.float32]],
        minilm: Callable[[], NDArray[np.float32]],
        way: Route,
        candidates: Callable[[Sequence[Hit]], tuple[list[Candidate], Stage]],
        author: Author | None,
        context: TaskContext,
    ) -> Answer | None:
        """None for a question about something in particular, unless `way` is forced.

        `vector` is the question's by the encoder of the corpus, `minilm` by the one that the shipped model reads.
        `candidates` reads the passages of hits; `author` answers from them, None for quotes. Where they do not
        carry what it wrote quotes stand in its place. Raises BadInput where the way is forced and there are no
        communities; what the author raises.
        """
        begin = time.perf_counter()
        wide = corpus_wide(question, minilm())
        if not (wide.recognised or in_particular(question)) and (
            asks_for_all(question) or asks_for_all_times(question)
        ):
            wide = CorpusWide(True, tr("asks for all of a kind, and says nothing of which"), BROAD)
        if not (wide.recognised or way.forced):
            return None
        found = self.look(question, vector(), wide.breadth == BROAD or not wide.recognised)
        if found is None:
            if way.forced:
                if self._inside is not None:
                    raise BadInput(NOTHING, tr("Ask for something in particular, or clear the scope."))
                raise BadInput(NONE, tr("Index the folder again: they are made at the end."))
            return None
        way = replace(way, reason=wide.reason)
        reason = (
            wide.reason
            if wide.recognised
            else tr("chosen by hand; the question {reason}", reason=wide.reason)
        )
        spent = time.perf_counter() - begin - sum(stage.seconds for stage in found.stages)
        read, reading = candidates(found.retrieval.hits)
        context.check()
        *before, last = found.stages
        last = replace(last, data=_as_chosen(found.points))
        stages = (Stage(mark("breadth"), spent, reason), *before, last, reading)
        if author is None:
            return _quoted(question.text, found, way, stages, read)
        retrieval = replace(found.retrieval, stages=stages)
        write = partial(author.write, question, vector(), retrieval, way, read, context)
        written = _written(write, question.text, author)
        if written.trace.rounds and written.trace.rounds[-1].failure:
            return fall_back_to_quotes(written, _quoted(question.text, found, way, (), read), author.name)
        return replace(written, citations=_of_communities(written, found), communities=found.communities)

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
            found = told_best(self._corpus, texts, self._themes, question)
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
        return Overviewed(lead, listed, tuple(points), tuple(home for _, home in pairs), share, stages)

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
        reports = [self._kept(report) for report in self._store.reports.of_level(level)]
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

    def _kept(self, report: CommunityReport) -> CommunityReport:
        """With its dated facts as far as they are told here."""
        if (inside := self._inside) is None:
            return report
        timeline = tuple(fact for fact in report.timeline if fact.citation.passage_id in inside)
        return replace(report, timeline=timeline)

    def _title(self, community: int, title: str) -> str:
        """Return what to call a community here: its title names entities of the whole workspace."""
        return title if self._inside is None else tr("Community {id}", id=community)

    def _naming(self, kind: Kind, told: Sequence[tuple[Named, Point]]) -> float:
        """Share of the sentences with a name of this kind that name one of those told."""
        names = {each.id for each, _ in told}
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


def _written(write: Callable[..., Answer], question: str, author: Author) -> Answer:
    """What the author writes, with its rounds; once more, strictly, where the passages do not carry it.

    The last round has a failure where they do not carry that either. Raises what the author does the first time.
    """
    written, done = _round(write, question, author, 1)
    rounds = [done]
    if done.failure:
        rounds = [replace(done, rewrite=STRICTLY)]
        # Where the server fails now there is nothing but what was not carried: quotes, too.
        with contextlib.suppress(ModelFault, ModelUnavailable):
            written, done = _round(partial(write, strict=True), question, author, 2)
            rounds.append(done)
    return replace(written, trace=replace(written.trace, rounds=tuple(rounds)))


def _round(write: Callable[..., Answer], question: str, author: Author, number: int) -> tuple[Answer, Round]:
    begin = time.perf_counter()
    written = write()
    check = _grounded(written, author)
    failed = "" if check.passed or written.abstained else check.name
    done = Round(
        number,
        question,
        written.trace.route.name,
        "" if written.abstained else written.text,
        (check,),
        failed,
        seconds=time.perf_counter() - begin,
        claims=written.claims,
    )
    return written, done


def _grounded(written: Answer, author: Author) -> Validation:
    """Whether the passages carry enough of what was written. A2RAG eq. 3."""
    carried = sum(claim.verdict is Verdict.SUPPORTED for claim in written.claims)
    count = len(written.claims)
    share = carried / count if count else 0.0
    words = trn(
        "{carried} of {count} sentence is carried by the passages",
        "{carried} of {count} sentences are carried by the passages",
        count,
        carried=carried,
    )
    return Validation(GROUNDING, bool(carried) and share >= author.grounding, share, words)


def _as_chosen(points: Sequence[Point]) -> ChosenStatements:
    """For the trace: the sentences that were chosen."""
    rows = (ChosenStatement(p.citation.passage_id, p.citation.quote, p.score) for p in points[:ROWS])
    return ChosenStatements(tuple(rows), len(points), len(points))


def _of_communities(written: Answer, found: Overviewed) -> tuple[Citation, ...]:
    """The citations, each with the community whose passage it is; the same place's first."""
    places: dict[tuple[str, int | None], int | None] = {}
    for point in found.points:
        place = point.citation
        places.setdefault((place.passage_id, None), place.community)
        places.setdefault((place.passage_id, place.start), place.community)
    return tuple(
        replace(c, community=places.get((c.passage_id, c.start), places.get((c.passage_id, None))))
        for c in written.citations
    )


def _quoted(
    question: str,
    found: Overviewed,
    route: Route,
    stages: Sequence[Stage],
    candidates: Sequence[Candidate],
) -> Answer:
    """The answer in quotes: every sentence stands in its passage word for word."""
    hits = _hits(found.points)
    citations = tuple(point.citation for point in found.points)
    first = {citation.passage_id: citation for citation in reversed(citations)}
    passages = {candidate.passage.id: candidate for candidate in candidates}
    whys = _whys(found)
    most = max((one.count for one, _ in found.named), default=1)
    heat = {one.id: one.count / max(1, most) for one, _ in found.named}
    evidence = tuple(
        _evidence(passages[hit.passage_id], hit, first[hit.passage_id].start, whys.get(hit.passage_id))
        for hit in hits
        if hit.passage_id in passages
    )
    return Answer(
        text=found.line,
        lead=found.lead,
        listed=found.listed,
        sentences=tuple(citation.quote for citation in citations),
        citations=citations,
        evidence=evidence,
        trace=Trace(question, route, tuple(stages), (), heat, hits, sum(s.seconds for s in stages)),
        confidence=min(found.share, SUREST),
        communities=found.communities,
    )


def _hits(points: Sequence[Point]) -> tuple[Hit, ...]:
    """Each passage once, at the place of its first sentence."""
    scores: Mapping[str, float] = {point.citation.passage_id: point.score for point in reversed(points)}
    order = dict.fromkeys(point.citation.passage_id for point in points)
    return tuple(Hit(id, scores[id], rank) for rank, id in enumerate(order, 1))


def _whys(found: Overviewed) -> dict[str, Why]:
    """Why a passage is shown, where names were asked for: those of which a sentence of it tells."""
    by_passage: dict[str, list[Named]] = {}
    for one, point in found.named:
        by_passage.setdefault(point.citation.passage_id, []).append(one)
    return {
        passage: Why(
            tr("tells of {names}", names=both([one.name for one in named])),
            entity_ids=tuple(one.id for one in named),
        )
        for passage, named in by_passage.items()
    }


def _evidence(candidate: Candidate, hit: Hit, start: int, why: Why | None) -> Evidence:
    passage = candidate.passage
    inside: list[Sentence] = [s for s in passage.sentences if passage.start + s.start == start]
    return Evidence(hit, passage, candidate.document, inside[0] if inside else None, why)


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
        "The documents have one theme, {share} of their passages hold words of those told here",
        "The documents have {count} themes, {share} of their passages hold words of those told here",
        count,
        share=f"{share:.0%}",
    )


def _from(passages: int, themes: str) -> str:
    return trn("{count} passage in {themes}", "{count} passages in {themes}", passages, themes=themes)


def _of(passages: int, dates: str) -> str:
    return trn("{count} passage of {dates}", "{count} passages of {dates}", passages, dates=dates)
