"""Where the walk over the graph starts. EA-GraphRAG 3.4.2, eq. 4 and 5; HippoRAG 2, section 3."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from core.config import RetrievalConfig
from core.extraction.names import normalise
from core.index.vector_table import Near
from core.retrieval.corpus import Corpus
from core.text.translation import tr
from core.types import Seed

_TOKEN = re.compile(r"\S+")
_AROUND = "?!,.;:"  # marks around a word
_POSSESSIVE = re.compile(r"['’]s$")
_LONGEST_NAME = 12  # words
_FEW, _RARE = 3, 0.02  # passages that a name may stand in, and share of all, to be one however it is written
# Labels of what has a name of its own: neither amounts and times nor common nouns.
PROPER = frozenset("PERSON ORG GPE LOC FAC NORP PRODUCT EVENT WORK_OF_ART WORK LAW LANGUAGE".split())
NEAREST = 200  # passages that the walk starts from
NAMED = tr("named in the question")  # the reason of seeds that the question itself names
Weighed = Mapping[int, float]  # nodes


@dataclass(frozen=True, slots=True)
class CandidateFact:
    """A fact near the question: its ends as entity rows, and the cosine of the sentence that tells it."""

    subject: int
    object: int
    cosine: float
    words: str  # "Otto Kask born in Tartu"
    clause: str  # what the passage says


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Words of the question that are no name here, and why; `rows` of the entities that bear them, if any."""

    words: str
    rows: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Restart:
    """The nodes that a walk returns to, (m,) ascending, with their `mass`, (m,), summing to 1, and the entities among
    them in words, heaviest first."""

    nodes: NDArray[np.int64]
    mass: NDArray[np.float64]
    seeds: tuple[Seed, ...]

    def dense(self, n_nodes: int) -> NDArray[np.float64]:
        """The mass of all nodes, (n_nodes,)."""
        found = np.zeros(n_nodes)
        found[self.nodes] = self.mass
        return found


def names_in_question(
    question: str, corpus: Corpus, passed: list[PassedOver] | None = None
) -> dict[int, str]:
    """Entity rows that the question names, with the words that name them; longest names win.

    Words count as a name where they are written as one, with a capital or a digit and not for being the first of
    the question; or, however they are written, where a proper name is borne by something that few passages mention.
    Whoever bears a name is meant. What else might have named something is added to `passed`.
    """
    words = [match.group().strip(_AROUND) for match in _TOKEN.finditer(question)]
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


def restore_capitals(question: str, named: Mapping[int, str], corpus: Corpus) -> str:
    """Return the question with names of two words or more written as the documents write them: a parser sees no name in
    "felix aumann". `named` are those that the question names; others count where they are proper names.
    """
    words = list(_TOKEN.finditer(question))
    written = list(question)
    taken = [False] * len(words)
    for length in range(min(_LONGEST_NAME, len(words)), 1, -1):
        for first in range(len(words) - length + 1):
            span = words[first : first + length]
            stripped = [_POSSESSIVE.sub("", word.group().strip(_AROUND)) for word in span]
            text = " ".join(stripped)
            if any(taken[first : first + length]) or text != text.lower():
                continue
            rows = corpus.entity_rows.get(normalise(text), ())
            name = next(
                (
                    corpus.entity_names[row]
                    for row in rows
                    if row in named or corpus.entity_labels[row] in PROPER
                ),
                "",
            )
            parts = name.split()
            if name.casefold() != text.casefold() or not any(part[:1].isupper() for part in parts):
                continue
            if [*map(len, parts)] != [*map(len, stripped)]:
                continue  # a letter that is two in capitals
            taken[first : first + length] = [True] * length
            for word, part in zip(span, parts, strict=True):
                at = word.start() + len(word.group()) - len(word.group().lstrip(_AROUND))
                written[at : at + len(part)] = part
    return "".join(written)


def named_seeds(named: Mapping[int, str], corpus: Corpus, limit: int) -> tuple[Seed, ...]:
    """Return the entities that a question names as seeds, heaviest first, for a question without a walk."""
    mass = _name_mass(named, corpus)
    rows = np.array(sorted(mass), dtype=np.int64)
    weights = np.array([mass[row] for row in rows.tolist()])
    weights /= max(float(weights.sum()), 1e-12)
    return _in_words(rows, weights, dict.fromkeys(mass, NAMED), corpus, limit)


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
    named: Mapping[int, str],
    passages: Near,
    sentences: Near,
    corpus: Corpus,
    config: RetrievalConfig,
    names: Mapping[int, float] | None = None,
    facts: Sequence[CandidateFact] | None = None,
) -> Restart:
    """Return shares of names, of the nearest sentences' entities and of passages, as configured.

    `named` are the entities of `Query.entities`. `passages` and `sentences` are those nearest to the question: the walk
    starts from the best `NEAREST` passages and the best `config.top_facts` sentences. A share without any seed goes to
    the others. `names` weighs nodes in the place of those that the question names: a passage may stand for a name that
    no entity bears. `facts` that were chosen take the place of the nearest sentences.
    """
    n_entities = corpus.graph.n_entities
    passages = passages.first(NEAREST)
    sharpened = _spread(passages) ** config.passage_sharpness
    parts: list[tuple[float, Weighed]] = [
        (config.name_share, _name_mass(named, corpus) if names is None else names),
        (
            config.fact_share,
            _heaviest(
                _sentence_mass(sentences.first(config.top_facts), corpus, config)
                if facts is None
                else _fact_mass(facts, sentences, corpus, config),
                config.walk_seeds,
            ),
        ),
        (
            config.passage_share,
            dict(zip((n_entities + passages.rows).tolist(), sharpened.tolist(), strict=True)),
        ),
    ]
    nodes, mass = _joined(parts, corpus.graph.n_nodes)
    meant = named if names is None else {node for node in names if node < n_entities}
    own = nodes < n_entities
    seeds = _in_words(nodes[own], mass[own], _reasons(meant, facts or ()), corpus, config.top_seeds)
    return Restart(nodes, mass, seeds)


def _joined(
    parts: Iterable[tuple[float, Weighed]], n_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Nodes, ascending, and what the shares of the parts give each, summing to 1; all alike where none has any."""
    found: defaultdict[int, float] = defaultdict(float)
    for share, part in parts:
        if (total := sum(part.values())) > 0:
            for node, weight in part.items():
                found[node] += share * weight / total
    positive = {node: mass for node, mass in found.items() if mass > 0}
    nodes = np.array(sorted(positive) or range(n_nodes), dtype=np.int64)
    mass = np.array([positive.get(node, 1.0) for node in nodes.tolist()])
    return nodes, mass / mass.sum()


def _name_mass(named: Mapping[int, str], corpus: Corpus) -> Weighed:
    """A name that many passages hold says less about which of them is meant."""
    return {row: 1.0 / max(1, int(corpus.entity_passages[row])) for row in named}


def _sentence_mass(near: Near, corpus: Corpus, config: RetrievalConfig) -> Weighed:
    """Similarity of the best sentences, shared among their entities, held down for hubs (eq. 5)."""
    starts = corpus.named_starts
    ends = (
        (row, score)
        for sentence, score in zip(near.rows.tolist(), _spread(near).tolist(), strict=True)
        for row in corpus.named_entities[starts[sentence] : starts[sentence + 1]].tolist()
    )
    return _means(ends, corpus, config)


def _heaviest(mass: Weighed, most: int) -> Weighed:
    """The k' heaviest entities, of equal ones the first (EA-GraphRAG 3.4.2); all for 0."""
    if not 0 < most < len(mass):
        return mass
    return {row: mass[row] for row in sorted(mass, key=lambda row: (-mass[row], row))[:most]}


def _fact_mass(
    facts: Sequence[CandidateFact],
    near: Near,
    corpus: Corpus,
    config: RetrievalConfig,
) -> Weighed:
    """Nearness of the chosen facts, scaled by the sentences' range, at their ends; held down for hubs."""
    low, high = near.low, float(near.cosines.max(initial=-1.0))
    ends = (
        (row, (fact.cosine - low) / (high - low) if high - low > 1e-12 else 1.0)
        for fact in facts
        for row in (fact.subject, fact.object)
    )
    return _means(ends, corpus, config)


def _means(ends: Iterable[tuple[int, float]], corpus: Corpus, config: RetrievalConfig) -> Weighed:
    """The mean of each entity's scores, held down for hubs."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for row, score in ends:
        found[row].append(score / max(1, int(corpus.entity_passages[row])) ** config.hub_power)
    return {row: sum(scores) / len(scores) for row, scores in found.items()}


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
    rows: NDArray[np.int64],
    mass: NDArray[np.float64],
    reasons: Mapping[int, str],
    corpus: Corpus,
    limit: int,
) -> tuple[Seed, ...]:
    order = np.argsort(-mass, kind="stable")[:limit]
    return tuple(
        Seed(
            corpus.entity_ids[row],
            corpus.entity_names[row],
            weight,
            reasons.get(row, tr("in a sentence near the question")),
        )
        for row, weight in zip(rows[order].tolist(), mass[order].tolist(), strict=True)
    )
