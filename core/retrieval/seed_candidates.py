"""What the walk might start from, for the trace: who was taken as a seed, and what rejected the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from core.config import RetrievalConfig
from core.index.vector_table import Near
from core.retrieval.corpus import Corpus
from core.retrieval.query import Query
from core.retrieval.seeds import NAMED, PassedOver, Restart
from core.text.translation import tr, trn
from core.types import Seed
from core.types.stages import MOST, NearSentence, SeedCandidate, SeedCandidates

BELOW = 12  # sentences that are told beyond those that seed


def candidates_of(
    query: Query,
    nearest: Near,
    corpus: Corpus,
    config: RetrievalConfig,
    start: Restart,
    sentences: bool,
) -> SeedCandidates:
    """`nearest` sentences, some `BELOW` those that seed; `start` is what `restart` made of it all.

    `sentences`: whether the nearest ones seed, not facts that were chosen.
    """
    most = config.top_facts
    order = nearest.first(most + BELOW if sentences else 0)
    own = start.nodes < corpus.graph.n_entities
    own_mass = dict(zip(start.nodes[own].tolist(), start.mass[own].tolist(), strict=True))
    mass = defaultdict(float, own_mass)
    rows = sorted(own_mass, key=lambda row: -own_mass[row])[:MOST]
    taken = tuple(_taken(rows, mass, query.entities, start.seeds, corpus))
    others = (
        *_passed_over(query.passed_over, mass, corpus),
        *_in_far_sentences(order.rows.tolist(), most, mass, corpus),
    )
    near_sentences = tuple(_sentences(order, most, corpus))
    room = MOST - len(taken)
    return SeedCandidates(
        (*taken, *others[:room]), near_sentences, len(own_mass), len(own_mass) + len(others)
    )


def _taken(
    rows: Sequence[int],
    mass: Mapping[int, float],
    named: Mapping[int, str],
    seeds: Sequence[Seed],
    corpus: Corpus,
) -> Iterator[SeedCandidate]:
    reasons = {seed.entity_id: seed.reason for seed in seeds}
    for row in rows:
        id = corpus.entity_ids[row]
        # Beyond the seeds that are shown by name the reason is not told by anybody.
        reason = reasons.get(id) or (NAMED if row in named else tr("in a sentence near the question"))
        yield SeedCandidate(id, corpus.entity_names[row], named.get(row, ""), mass[row], reason)


def _passed_over(
    passed: Sequence[PassedOver], mass: Mapping[int, float], corpus: Corpus
) -> Iterator[SeedCandidate]:
    yielded: set[int] = set()
    for each in passed:
        if not each.rows:
            yield SeedCandidate("", each.words, each.words, 0.0, NAMED, each.why)
        for row in each.rows:
            if not mass[row] and row not in yielded:
                yielded.add(row)
                yield SeedCandidate(
                    corpus.entity_ids[row], corpus.entity_names[row], each.words, 0.0, NAMED, each.why
                )


def _in_far_sentences(
    order: Sequence[int], most: int, mass: Mapping[int, float], corpus: Corpus
) -> Iterator[SeedCandidate]:
    """Entities that only sentences name which were not near enough."""
    reason = tr("in a sentence near the question")
    rows = dict.fromkeys(row for sentence in order[most:] for row in _named(sentence, corpus))
    for row in rows:
        if not mass[row]:
            yield SeedCandidate(
                corpus.entity_ids[row], corpus.entity_names[row], "", 0.0, reason, _too_far(most)
            )


def _sentences(order: Near, most: int, corpus: Corpus) -> Iterator[NearSentence]:
    found = zip(order.rows.tolist(), order.cosines.tolist(), strict=True)
    for place, (sentence, cosine) in enumerate(found):
        passage = int(corpus.sentence_passages[sentence])
        yield NearSentence(
            corpus.passage_ids[passage],
            sentence - int(corpus.sentence_starts[passage]),
            cosine,
            tuple(corpus.entity_names[row] for row in _named(sentence, corpus)),
            "" if place < most else _too_far(most),
        )


def _too_far(most: int) -> str:
    return trn("not in the nearest sentence", "not in the {count} nearest sentences", most)


def _named(sentence: int, corpus: Corpus) -> list[int]:
    """Rows of the entities that a sentence names."""
    inside = slice(corpus.named_starts[sentence], corpus.named_starts[sentence + 1])
    named: list[int] = corpus.named_entities[inside].tolist()
    return named
