"""Where the walk over the graph starts. EA-GraphRAG 3.4.2, eq. 4 and 5; HippoRAG 2, section 3."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.index.vector_table import Near
from core.retrieval.corpus import Corpus
from core.retrieval.fact_seeds import CandidateFact
from core.translation import tr
from core.types import Seed

_TOKEN = re.compile(r"\S+")
_LONGEST_NAME = 12  # words
_FEW, _RARE = 3, 0.02  # passages that a name may stand in, and share of all, to be one however it is written
# Labels of what has a name of its own: neither amounts and times nor common nouns.
PROPER = frozenset("PERSON ORG GPE LOC FAC NORP PRODUCT EVENT WORK_OF_ART WORK LAW LANGUAGE".split())
NEAREST = 200  # passages that the walk starts from
NAMED = tr("named in the question")  # the reason of seeds that the question itself names
Normalise = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Words of the question that are no name here, and why; `rows` of the entities that bear them, if any."""

    words: str
    rows: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Restart:
    """`mass` (n_nodes,), summing to 1, and the entity seeds in words, heaviest first."""

    mass: NDArray[np.float64]
    seeds: tuple[Seed, ...]


def names_in_question(
    question: str, corpus: Corpus, normalise: Normalise, passed: list[PassedOver] | None = None
) -> dict[int, str]:
    """Entity rows that the question names, with the words that name them; longest names win.

    Words count as a name where they are written as one, with a capital or a digit and not for being the first of
    the question; or, however they are written, where a proper name is borne by something that few passages mention.
    Whoever bears a name is meant. What else might have named something is added to `passed`.
    """
    words = [match.group().strip("?!,.;:") for match in _TOKEN.finditer(question)]
    taken = [False] * len(words)
    found: dict[int, str] = {}
    few = max(_FEW, int(_RARE * (len(corpus.graph.passage_keys))))
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for first in range(len(words) - length + 1):
            span = slice(first, first + length)
            inside = any(taken[span])
            if inside and passed is None:
                continue
            text = " ".join(words[span])
            borne = rows = corpus.entity_rows.get(normalise(text), ())
            if not _written_as_name(words[span], first):
                rows = tuple(row for row in rows if _is_rare_name(row, corpus, few))
            if passed is not None and borne and (inside or not rows):
                why = tr("a longer name took its words") if inside else tr("not written as a name")
                passed.append(PassedOver(text, borne, why))
            if inside:
                continue
            if rows:
                found.update(dict.fromkeys(rows, text))
                taken[span] = [True] * length
    if passed is not None:
        passed += (PassedOver(name, (), tr("no entity of this name")) for name in _unknown(words, taken))
    return found


def _unknown(words: Sequence[str], taken: Sequence[bool]) -> Iterator[str]:
    """Runs of words that are written as names and named nothing."""
    open_ = [not taken[at] and _written_as_name([word], at) for at, word in enumerate(words)]
    for written, run in groupby(range(len(words)), key=open_.__getitem__):
        if written:
            yield " ".join(words[at] for at in run)


def _written_as_name(words: Sequence[str], place: int) -> bool:
    if len(words) > 1:
        return any(word[:1].isupper() for word in words)
    return (words[0][:1].isupper() and place > 0) or any(c.isdigit() for c in words[0])


def _is_rare_name(row: int, corpus: Corpus, few: int) -> bool:
    return corpus.entity_labels[row] in PROPER and corpus.entity_passages[row] <= few


def restart(
    question: str,
    passages: Near,
    sentences: Near,
    corpus: Corpus,
    config: RetrievalConfig,
    normalise: Normalise,
    names: Mapping[int, float] | None = None,
    facts: Sequence[CandidateFact] | None = None,
) -> Restart:
    """Shares of names, of the nearest sentences' entities and of passages, as configured.

    `passages` and `sentences` are those nearest to the question: the walk starts from the best `NEAREST` passages and
    the best `config.top_facts` sentences. A share without any seed goes to the others. `names` weighs nodes in the
    place of those that the question names: a passage may stand for a name that no entity bears. `facts`
    that were chosen stand in the place of the nearest sentences.
    """
    n_entities = corpus.graph.n_entities
    named = names_in_question(question, corpus, normalise)
    parts = [
        (config.name_share, _name_mass(named, corpus) if names is None else _weighed(names, corpus)),
        (
            config.fact_share,
            _sentence_mass(sentences.first(config.top_facts), corpus, config)
            if facts is None
            else _fact_mass(facts, sentences, corpus, config),
        ),
    ]
    mass = np.zeros(corpus.graph.n_nodes)
    for share, part in parts:
        if part.sum() > 0:
            mass[: len(part)] += share * part / part.sum()
    passages = passages.first(NEAREST)
    near = _spread(passages) ** config.passage_sharpness
    if near.sum() > 0:
        mass[n_entities + passages.rows] += config.passage_share * near / near.sum()
    if mass.sum() <= 0:
        mass[:] = 1.0
    mass /= mass.sum()
    meant = named if names is None else {node for node in names if node < n_entities}
    reasons = _reasons(meant, facts or ())
    return Restart(mass, _in_words(mass[:n_entities], reasons, corpus, config.top_seeds))


def _name_mass(named: dict[int, str], corpus: Corpus) -> NDArray[np.float64]:
    """A name that many passages hold says less about which of them is meant."""
    mass = np.zeros(corpus.graph.n_entities)
    for row in named:
        mass[row] = 1.0 / max(1, corpus.entity_passages[row])
    return mass


def _weighed(names: Mapping[int, float], corpus: Corpus) -> NDArray[np.float64]:
    mass = np.zeros(corpus.graph.n_nodes)
    for row, weight in names.items():
        mass[row] = weight
    return mass


def _sentence_mass(near: Near, corpus: Corpus, config: RetrievalConfig) -> NDArray[np.float64]:
    """Similarity of the best sentences, shared among their entities, held down for hubs (eq. 5)."""
    mass = np.zeros(corpus.graph.n_entities)
    counts = np.zeros_like(mass)
    for sentence, score in zip(near.rows.tolist(), _spread(near).tolist(), strict=True):
        inside = slice(corpus.named_starts[sentence], corpus.named_starts[sentence + 1])
        for row in corpus.named_entities[inside]:
            mass[row] += score / max(1, corpus.entity_passages[row]) ** config.hub_power
            counts[row] += 1
    return np.divide(mass, counts, out=mass, where=counts > 0)


def _fact_mass(
    facts: Sequence[CandidateFact],
    near: Near,
    corpus: Corpus,
    config: RetrievalConfig,
) -> NDArray[np.float64]:
    """Nearness of the chosen facts, scaled by the sentences' range, at their ends; held down for hubs."""
    mass = np.zeros(corpus.graph.n_entities)
    counts = np.zeros_like(mass)
    low, high = near.low, float(near.cosines.max(initial=-1.0))
    for fact in facts:
        score = (fact.cosine - low) / (high - low) if high - low > 1e-12 else 1.0
        for row in (fact.subject, fact.object):
            mass[row] += score / max(1, corpus.entity_passages[row]) ** config.hub_power
            counts[row] += 1
    return np.divide(mass, counts, out=mass, where=counts > 0)


def _spread(near: Near) -> NDArray[np.float64]:
    """Cosines scaled to 0..1, between the least and the greatest of all."""
    high = float(near.cosines.max(initial=-1.0))
    if high - near.low < 1e-12:
        return np.ones(len(near.cosines))
    return (near.cosines.astype(np.float64) - near.low) / (high - near.low)


def _reasons(named: Collection[int], facts: Sequence[CandidateFact]) -> dict[int, str]:
    """Why entity rows are seeds, where it is not for a sentence."""
    reasons: dict[int, str] = {}
    for fact in facts:
        for row in (fact.subject, fact.object):
            reasons.setdefault(row, tr("fact: {fact}", fact=fact.words))
    return {**reasons, **dict.fromkeys(named, NAMED)}


def _in_words(
    mass: NDArray[np.float64], reasons: Mapping[int, str], corpus: Corpus, limit: int
) -> tuple[Seed, ...]:
    held = np.flatnonzero(mass)
    rows = [int(row) for row in held[np.argsort(-mass[held], kind="stable")][:limit]]
    return tuple(
        Seed(
            corpus.entity_ids[row],
            corpus.entity_names[row],
            float(mass[row]),
            reasons.get(row, tr("in a sentence near the question")),
        )
        for row in rows
    )
