"""Why a passage was found: the chain of facts that leads to it, the concepts that match, its ranks.

Triple-layer GraphRAG 4.5.2 (strength of a path) and 4.5.3 (explanations).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.extraction.question import ParsedQuestion
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.retrieval.paths.strongest import LONGEST, Chain, Reached, chain_to, named_in, reach
from core.retrieval.seeds import NAMED
from core.store.store import Store
from core.text.stems import fold, stem, words
from core.text.translation import mark, tr, trn
from core.types import Evidence, Fact, PathStep, Retrieval, Seed, Sentence, Stage, Why
from core.types.stages import MOST, Explained, Explanations

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONGEST_NAME = 60  # characters of a name or predicate in the words for people
_MOST_FACTS = 2  # facts that led the graph route to a passage, in the words for people
_MOST_NAMES = 3  # names or concepts in the words for people


@dataclass(frozen=True, slots=True)
class _Found:
    """What leads to one passage: a chain, or the seeds that it names itself."""

    seeds: tuple[Seed, ...] = ()
    chain: Chain | None = None


class Explainer:
    """Explains what was found in one snapshot of a workspace."""

    def __init__(self, store: Store, corpus: Corpus, facts: FactGraph) -> None:
        """`facts` are those of the same snapshot."""
        self._store = store
        self._corpus = corpus
        self._facts = facts
        self._entities = corpus.entity_ids.rows
        self._passages = corpus.passage_ids.rows

    def explain(
        self,
        question: ParsedQuestion,
        question_vector: NDArray[np.float32],
        retrieval: Retrieval,
        evidence: Sequence[Evidence],
        vectors: Mapping[str, NDArray[np.float32]],
    ) -> tuple[Evidence, ...]:
        """The same evidence with `why`. `vectors`: unit sentence vectors, (n_sentences, d), by passage id."""
        found = self._lead_to(evidence, retrieval.seeds)
        keys = sorted({key for each in found if each.chain for key in each.chain.facts})
        facts = self._store.facts.with_triples(keys) if keys else {}
        explained = []
        for row, each in zip(evidence, found, strict=True):
            nearest, cosine = _nearest(row, vectors.get(row.passage.id), question_vector)
            why = Why(
                words="",
                path=self._steps(each.chain, facts, row.passage.id),
                entity_ids=self._ids(each),
                strength=each.chain.strength if each.chain else 0.0,
                concepts=shared_concepts(question, row, row.sentence or nearest),
                cosine=cosine,
                ranks=retrieval.ranks.get(row.passage.id, {}),
                brought=retrieval.brought.get(row.passage.id),
            )
            explained.append(replace(row, why=replace(why, words=_in_words(why, each.seeds))))
        return tuple(explained)

    def _lead_to(self, evidence: Sequence[Evidence], seeds: Sequence[Seed]) -> list[_Found]:
        """Names of the question come first; the other seeds speak where those lead nowhere."""
        known = [seed for seed in seeds if seed.entity_id in self._entities]
        named = [seed for seed in known if seed.reason == NAMED]
        near = [seed for seed in known if seed.reason != NAMED]
        found = [_Found() for _ in evidence]
        for part in (named, near):
            open_ = [at for at, each in enumerate(found) if not each.seeds and each.chain is None]
            if not part or not open_:
                continue
            by_row = {self._entities[seed.entity_id]: seed for seed in part}
            seeds_alike = dict.fromkeys(by_row, 1.0)
            reached = reach(self._facts, self._facts.name_importance, seeds_alike, LONGEST - 1)
            for at in open_:
                found[at] = self._leads(evidence[at], by_row, reached)
        return found

    def _leads(self, evidence: Evidence, seeds: Mapping[int, Seed], reached: tuple[Reached, ...]) -> _Found:
        """The strongest chain to the marked sentence, or else to anything that the passage names."""
        row = self._passages.get(evidence.passage.id)
        if row is None:
            return _Found()
        names = named_in(self._corpus.graph, row)
        named_seeds = tuple(seed for at, seed in seeds.items() if at in names)
        if named_seeds or not len(names):
            return _Found(named_seeds)
        chain_to_any = partial(chain_to, self._facts, self._facts.name_importance, reached)
        return _Found(chain=chain_to_any(self._named_in_sentence(row, evidence)) or chain_to_any(names))

    def _named_in_sentence(self, row: int, evidence: Evidence) -> NDArray[np.int64]:
        """Entity rows of the sentence that is marked."""
        corpus, sentences = self._corpus, evidence.passage.sentences
        first, last = corpus.sentence_starts[row : row + 2]
        if evidence.sentence not in sentences or last - first != len(sentences):
            return corpus.named_entities[:0]
        at = first + sentences.index(evidence.sentence)
        return corpus.named_entities[corpus.named_starts[at] : corpus.named_starts[at + 1]]

    def _steps(self, chain: Chain | None, facts: Mapping[int, Fact], passage_id: str) -> tuple[PathStep, ...]:
        if chain is None:
            return ()
        return tuple(
            self._step(facts[key], strength, passage_id)
            for key, strength in zip(chain.facts, chain.strengths, strict=True)
            if key in facts
        )

    def _step(self, fact: Fact, strength: float, passage_id: str) -> PathStep:
        """The fact with its evidence: in the passage that is explained where it says so, else the surest here."""
        triple = max(
            fact.triples,
            key=lambda t: (t.passage_id == passage_id, t.passage_id in self._passages, t.confidence),
        )
        return PathStep(
            fact.subject_id,
            fact.subject,
            fact.predicate,
            fact.object_id,
            fact.object,
            strength,
            triple.passage_id,
            triple.start,
            triple.end,
        )

    def _ids(self, found: _Found) -> tuple[str, ...]:
        if found.chain is not None:
            return tuple(self._corpus.entity_ids[row] for row in found.chain.entities)
        return tuple(seed.entity_id for seed in found.seeds)


def _nearest(
    evidence: Evidence, vectors: NDArray[np.float32] | None, question: NDArray[np.float32]
) -> tuple[Sentence | None, float | None]:
    """The sentence nearest to the question and its cosine."""
    sentences = evidence.passage.sentences
    if vectors is None or not len(vectors) or len(vectors) != len(sentences):
        return None, None
    cosines = vectors @ question
    best = int(cosines.argmax())
    return sentences[best], float(cosines[best])


def shared_concepts(
    question: ParsedQuestion, evidence: Evidence, sentence: Sentence | None
) -> tuple[str, ...]:
    """Names, then words, that the question shares with the sentence; in the question's words and order.

    A name may stand in the passage's title instead: its sentences go on with "he" and "it".
    """
    passage = evidence.passage
    text = passage.text[sentence.start : sentence.end] if sentence else ""
    folded = fold(f"{passage.title} | {text}")
    names = [name.text for name in question.names if len(fold(name.key)) > 2 and fold(name.key) in folded]
    stems = {word.stem for word in words(text)}
    inside = {at for name in question.names for at in range(name.first, name.last)}
    shared = [
        token.text
        for at, token in enumerate(question.tokens)
        if at not in inside and token.lemma in question.content and stem(token.text) in stems
    ]
    return tuple(dict.fromkeys((*names, *shared)))


def _in_words(why: Why, seeds: Sequence[Seed]) -> str:
    """One line: how the passage is reached, or what it shares with the question; ranks in brackets."""
    if why.path:
        summary = "; ".join(f"{_short(s.subject)} {_short(s.predicate)} {_short(s.object)}" for s in why.path)
    elif why.brought and why.brought.facts:
        summary = "; ".join(_short(fact) for fact in why.brought.facts[:_MOST_FACTS])
        summary = tr("{facts} (found by the {stage} stage)", facts=summary, stage=tr(why.brought.stage))
    elif seeds:
        summary = tr("names {names}", names=_listed([seed.name for seed in seeds]))
        if all(seed.reason != NAMED for seed in seeds):
            summary = tr("{said}, {reason}", said=summary, reason=seeds[0].reason)
        known = fold(" ".join(seed.name for seed in seeds))
        extra = [concept for concept in why.concepts if fold(concept) not in known]
        if extra:
            summary = tr("{said}; shares {concepts}", said=summary, concepts=_listed(extra))
    elif why.concepts:
        summary = tr("shares {concepts} with the question", concepts=_listed(why.concepts))
    elif why.cosine is not None:
        summary = tr("nearest sentence: cosine {cosine}", cosine=f"{why.cosine:.2f}")
    else:
        summary = tr("ranked by its words")
    ranks = ", ".join(f"{part} {rank}" for part, rank in why.ranks.items())
    return tr("{said} (rank: {ranks})", said=summary, ranks=ranks) if ranks else summary


def _listed(names: Sequence[str]) -> str:
    listed = tr(", ").join(_short(name) for name in names[:_MOST_NAMES])
    if len(names) <= _MOST_NAMES:
        return listed
    return tr("{names} and {count} more", names=listed, count=len(names) - _MOST_NAMES)


def _short(name: str) -> str:
    """One line of at most 60 characters."""
    line = " ".join(name.split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1].rstrip() + "\u2026"


def explanation_stage(explained: Sequence[Evidence], seconds: float) -> Stage:
    """Return the stage that says why passages were found, and how many of them by chains of facts."""
    chains = sum(bool(e.why and e.why.path) for e in explained)
    detail = trn(
        "{count} passage, {chains} by chains of facts",
        "{count} passages, {chains} by chains of facts",
        len(explained),
        chains=chains,
    )
    entries = tuple(
        Explained(e.hit.passage_id, e.why.words, e.why.strength) for e in explained[:MOST] if e.why
    )
    return Stage(mark("explain"), seconds, detail, Explanations(entries, chains, len(explained)))
