"""Where a passage stands in every ranking of a question, and without each part of it; why it is not higher."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.config import RetrievalConfig
from core.progress import TaskContext
from core.retrieval.fusion import LISTS, join
from core.retrieval.ranking_session import DEPTH, RankingSession
from core.retrieval.rerank import append_below
from core.retrieval.selection.pool import SIGNALS, Pool, signals
from core.retrieval.selection.selector import STEPS, Selector, choose
from core.text.translation import mark, tr
from core.types import LISTS_CALLED, Hit, ListRank, Ranking, RankingRecord

_MOST_REASONS = 3  # reasons at most
_MATTERS = 0.02  # of the second stage's logit
Order = Sequence[Hit]


@dataclass(frozen=True, slots=True)
class Group:
    """Signals of the second stage that mean one thing; `main` is the one whose value is displayed."""

    name: str
    main: str
    words: str  # with {one} and {other}: of the passage above, and of this one
    signals: tuple[str, ...]


GROUPS = (
    Group(
        mark("rank by the graph"), "place",
        mark("The graph put it further up: number {one} against {other}."), ("place",),
    ),
    Group(
        mark("nearness in meaning"), "cosine",
        mark("It is nearer to the question in meaning: {one} against {other}."),
        ("cosine", "cosine_share", "cosine_place"),
    ),
    Group(
        mark("nearest sentence"), "sentence",
        mark("Its best sentence is nearer to the question: {one} against {other}."),
        ("sentence", "sentence_share", "second_sentence"),
    ),
    Group(
        mark("words of the question"), "words",
        mark("It holds more of the question's words: {one} against {other}."),
        ("words", "other_words", "new_words", "words_left"),
    ),
    Group(
        mark("names of the question"), "names",
        mark("It holds more of the question's names: {one} against {other}."),
        ("names", "name_words", "new_name", "question_name"),
    ),
    Group(
        mark("title"), "title_words",
        mark("Its title fits the question better: {one} against {other} of its words."),
        ("title_is_name", "title_words", "title_in_question", "new_title", "title_again"),
    ),
    Group(
        mark("bridge to a passage before it"), "bridge",
        mark("It is tied more closely to a passage chosen before, by names that both hold: {one} against {other}."),
        ("bridge", "shared", "likeness"),
    ),
    Group(
        mark("titles named by each other"), "title_nearness",
        mark("It and a passage chosen before name each other's title: {one} against {other}."),
        ("names_title", "named_title", "title_named", "title_nearness"),
    ),
)  # fmt: skip
_SHARES = {"words", "names", "title_words"}  # displayed in per cent


def explain_rank(
    opened: RankingSession,
    ranking: Ranking,
    passage_id: str,
    retrieval: RetrievalConfig,
    context: TaskContext,
) -> RankingRecord | None:
    """Everything about one passage of a ranking made with these settings; None for a passage that is not there."""
    if passage_id not in opened.rows:
        return None
    places = (*_alone(opened, ranking, passage_id), _place(tr("joined"), ranking.hits, passage_id))
    context.check()
    without = tuple(_without(opened, ranking, passage_id, retrieval, context))
    rank = places[-1].rank
    above = ranking.hits[rank - 2].passage_id if rank is not None and rank > 1 else ""
    reasons = tuple(_reasons(opened, ranking, passage_id, above, retrieval)) if rank != 1 else ()
    return RankingRecord(passage_id, places, without, above, reasons[:_MOST_REASONS])


def _rank_of(hits: Order, passage_id: str) -> int | None:
    return next((hit.rank for hit in _numbered(hits) if hit.passage_id == passage_id), None)


def _numbered(hits: Order) -> Iterator[Hit]:
    return (Hit(hit.passage_id, hit.score, rank) for rank, hit in enumerate(hits, start=1))


def _place(part: str, hits: Order, passage_id: str, note: str = "") -> ListRank:
    found = next((hit for hit in _numbered(hits) if hit.passage_id == passage_id), None)
    if found is None:
        return ListRank(part, None, None, note or tr("not among the first {count}", count=len(hits)))
    return ListRank(part, found.rank, found.score)


def _alone(opened: RankingSession, ranking: Ranking, passage_id: str) -> Iterator[ListRank]:
    """By words, by meaning, by the walk and after its second stage; ranks beyond the lists' ends, too."""
    row, corpus = opened.rows[passage_id], opened.view.corpus
    words = ranking.lists["lexical"]
    note = tr("not among the {count} passages that share the most words", count=len(words))
    yield _place(tr("words (BM25)"), words, passage_id, note)
    yield _among(tr("meaning"), opened.similarities, row, len(ranking.lists["dense"]))
    yield _among(tr("graph: the walk"), ranking.mass[corpus.graph.n_entities :], row, len(ranking.candidates))
    yield _place(tr("graph: second stage"), ranking.lists["graph"], passage_id)


def _among(part: str, scores: np.ndarray, row: int, depth: int) -> ListRank:
    own = scores[row]
    rank = 1 + int((scores > own).sum()) + int((scores[:row] == own).sum())
    note = "" if rank <= depth else tr("only the first {count} are heard", count=depth)
    return ListRank(part, rank, float(own), note)


# ------------------------------------------------------------ with one part left out


def _without(
    opened: RankingSession,
    ranking: Ranking,
    passage_id: str,
    retrieval: RetrievalConfig,
    context: TaskContext,
) -> Iterator[ListRank]:
    weights = ranking.complexity.weights if ranking.complexity is not None else {}
    for name in LISTS:
        if weights.get(name, 0.0) > 0:
            left = {**weights, name: 0.0}
            words = tr("without the {list} list", list=tr(LISTS_CALLED[name]))
            note = "" if any(left.values()) else tr("nothing else is heard")
            yield _place(words, _joined(opened, ranking, ranking.lists, left, retrieval), passage_id, note)
    second = opened.second
    if (
        not (opened.route == "graph" or weights.get("graph", 0.0) > 0)
        or not retrieval.second_stage
        or second is None
    ):
        return

    def end(graph: Order) -> Order:
        lists = {**ranking.lists, "graph": tuple(_numbered(graph[: len(ranking.lists["graph"])]))}
        return (
            lists["graph"]
            if ranking.complexity is None
            else _joined(opened, ranking, lists, weights, retrieval)
        )

    yield _place(tr("without the second stage"), end(ranking.candidates), passage_id)
    if not isinstance(second, Selector):
        return
    hits, below = ranking.candidates[: retrieval.pool], ranking.candidates[retrieval.pool :]
    pool = second.pool(opened.query, hits)
    for group in GROUPS:
        context.check()
        columns = [SIGNALS.index(name) for name in group.signals]

        def score(values: np.ndarray, columns: list[int] = columns) -> np.ndarray:
            values = values.copy()
            values[:, columns] = values[:, columns].mean(axis=0)
            return second.model.score(values)

        order, _ = choose(pool, score)
        chosen = [hits[at] for at in order]
        yield _place(
            tr("without: {signal}", signal=tr(group.name)), end(append_below(chosen, below)), passage_id
        )


def _joined(
    opened: RankingSession,
    ranking: Ranking,
    lists: Mapping[str, tuple[Hit, ...]],
    weights: Mapping[str, float],
    retrieval: RetrievalConfig,
) -> tuple[Hit, ...]:
    return join(lists, weights, retrieval, DEPTH, opened.view.documents_of)


# ------------------------------------------------------------ what the passage above has more of


def _reasons(
    opened: RankingSession, ranking: Ranking, passage_id: str, above: str, retrieval: RetrievalConfig
) -> Iterator[str]:
    weights = {opened.route: 1.0} if ranking.complexity is None else ranking.complexity.weights
    active_lists = [name for name in LISTS if weights.get(name, 0.0) > 0]
    if not above:
        yield tr("None of the lists that are heard has it far enough up.")
    elif ranking.complexity is not None:
        yield from _by_lists(opened, ranking, passage_id, above, weights, retrieval)
    if "graph" in active_lists:
        yield from _by_second_stage(opened, ranking, passage_id, above, retrieval)
    if ranking.complexity is None and above and active_lists[0] != "graph":
        one, other = (_score(ranking.hits, id) for id in (above, passage_id))
        yield tr("Its score is higher: {one} against {other}.", one=f"{one:.3f}", other=f"{other:.3f}")


def _score(hits: Order, passage_id: str) -> float:
    return next((hit.score for hit in hits if hit.passage_id == passage_id), 0.0)


def _by_lists(
    opened: RankingSession,
    ranking: Ranking,
    passage_id: str,
    above: str,
    weights: Mapping[str, float],
    retrieval: RetrievalConfig,
) -> Iterator[str]:
    ranks = {
        name: (_rank_of(hits, above), _rank_of(hits, passage_id)) for name, hits in ranking.lists.items()
    }

    def worth(name: str, rank: int | None) -> float:
        return weights[name] / (retrieval.rrf_k + rank) if rank is not None else 0.0

    gains = {name: worth(name, one) - worth(name, other) for name, (one, other) in ranks.items()}
    if sum(weight > 0 for weight in weights.values()) == 1:
        return  # what the one list does with both is told by itself
    for name in sorted(gains, key=lambda name: -gains[name]):
        one, other = ranks[name]
        if gains[name] > 0 and one is not None:
            params = {"list": tr(LISTS_CALLED[name]), "one": one, "share": f"{weights[name]:.0%}"}
            if other is None:
                words = tr(
                    "The one above is number {one} by {list} (counts {share}); this one is not in that list."
                )
            else:
                params["other"] = other
                words = tr(
                    "The one above is number {one} by {list} (counts {share}), this one number {other}."
                )
            yield words.format(**params)
    if sum(gains.values()) <= 0:
        ids = [hit.passage_id for hit in ranking.hits]
        own, *owners = opened.view.documents_of([passage_id, *ids])
        better = [id for id, owner in zip(ids, owners, strict=True) if owner == own]
        if better and better[0] != passage_id:
            yield tr("A better passage of its document stands above, so it counts a little less.")


def _by_second_stage(
    opened: RankingSession, ranking: Ranking, passage_id: str, above: str, retrieval: RetrievalConfig
) -> Iterator[str]:
    """Which signals would have cost the one above its place, were they those of this one."""
    second, ids = opened.second, [hit.passage_id for hit in ranking.candidates]
    if not retrieval.second_stage or not isinstance(second, Selector):
        if above and opened.route == "graph":
            n = opened.view.corpus.graph.n_entities
            one, other = (f"{ranking.mass[n + opened.rows[id]]:.2%}" for id in (above, passage_id))
            yield tr("The walk leaves more there: {one} of its mass against {other}.", one=one, other=other)
        return
    at = ids.index(passage_id) + 1 if passage_id in ids else None
    if at is None or at > retrieval.pool:
        place = str(at) if at else tr("beyond {count}", count=len(ids))
        yield tr(
            "The graph puts it at place {place}; the second stage chooses from the first {count} only.",
            place=place,
            count=retrieval.pool,
        )
        return
    if not above or above not in ids[: retrieval.pool]:
        return
    if (_rank_of(ranking.lists["graph"], above) or DEPTH) > (
        _rank_of(ranking.lists["graph"], passage_id) or DEPTH
    ):
        return  # the graph's list has them the other way round
    pool = second.pool(opened.query, ranking.candidates[: retrieval.pool])
    yield from _explain_choice(second, pool, ids.index(above), at - 1)


def _explain_choice(second: Selector, pool: Pool, one: int, other: int) -> Iterator[str]:
    """Rows of the pool; when `one` was chosen."""
    order, _ = choose(pool, second.model.score)
    values = signals(pool, order[: min(order.index(one), STEPS - 1)])
    tried = np.repeat(values[one : one + 1], len(GROUPS) + 1, axis=0)
    for number, group in enumerate(GROUPS, start=1):
        columns = [SIGNALS.index(name) for name in group.signals]
        tried[number, columns] = values[other, columns]
    scores = second.model.score(tried)
    lost = scores[0] - scores[1:]
    for number in np.argsort(-lost).tolist():
        group = GROUPS[number]
        at = SIGNALS.index(group.main)
        mine, theirs = float(values[one, at]), float(values[other, at])
        if lost[number] > _MATTERS and mine > theirs:
            yield tr(group.words).format(one=_figure(group.main, mine), other=_figure(group.main, theirs))


def _figure(signal: str, value: float) -> str:
    if signal == "place":
        return str(round(1.0 / value))
    return f"{value:.0%}" if signal in _SHARES else f"{value:.2f}"
