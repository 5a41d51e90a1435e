"""Extraction by a language model, alone or where the rules find little, and a trial of it on a few passages."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Protocol

from core.errors import ModelFault
from core.extraction.aligning import Aligned, align
from core.extraction.prompts import (
    VERSION,
    EntitiesReply,
    TriplesReply,
    entity_prompt,
    read_entities,
    read_triples,
    triple_prompt,
    written,
)
from core.progress import TaskContext
from core.protocols import Extractor, LanguageModel
from core.store.replies import StoredReply
from core.text.translation import tr
from core.types import Extraction, Generation, Message, Passage, Role, Structured, Trial, Triple, Usage

NO_FACTS = tr("The model found no facts in this passage.")
_REMEDY = tr("Read what it said: clew status WORKSPACE --failures")
_FEWEST_WORDS = 3  # a passage of fewer words states nothing


class Memory(Protocol):
    """Where replies are kept: `core.store.replies.Replies`."""

    def get(self, passage_id: str, step: str, model: str, prompt: str) -> StoredReply | None: ...

    def put(self, passage_id: str, step: str, model: str, prompt: str, stored: StoredReply) -> None: ...


Reply = Structured[EntitiesReply] | Structured[TriplesReply]


class ModelExtractor:
    """Names, then triples given the names; both looked for in the passage. Safe in several threads.

    A reply that can be read is kept at once, so that a stop or a kill loses the calls in flight and no
    more. A passage without a triple is a failure to look at, and so is one that the model failed at:
    both carry prompt and reply.
    """

    def __init__(self, model: LanguageModel, memory: Memory | None = None) -> None:
        self.name = model.name
        self.version = f"prompts-{VERSION}"
        self._model = model
        self._memory = memory

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """Yield one Extraction a passage, in order.

        Raises Cancelled, and ModelUnavailable where none would fare better.
        """
        for number, passage in enumerate(passages, start=1):
            yield self._one(passage, context)
            context.report("extract", number, len(passages))

    def ask(
        self, passage: Passage, context: TaskContext, salt: str = "", replies: list[Reply] | None = None
    ) -> Aligned:
        """Run both steps, each from memory where it was taken before. Raises ModelFault, ModelUnavailable, Cancelled.

        For measurements: `salt` stands before the prompts, so that no cache of the server's helps, and
        `replies` is given every reply that does not come from memory.
        """
        replies = [] if replies is None else replies
        entities = self._entities(passage, context, salt, replies)
        names = list(dict.fromkeys(entity.name for entity in entities.entities))
        prompt = triple_prompt(passage, names, salt)
        triples = self._remembered_triples(passage)
        reply = None
        if triples is None:
            reply = self._model.structured(prompt, TriplesReply, context)
            replies.append(reply)
            triples = reply.value
        aligned = align(passage, entities.entities, triples.triples)
        if not aligned.extraction.triples:
            return _without_facts(aligned, prompt, entities, triples)
        if reply is not None:
            self._keep(passage, "triples", written(triples), reply.generation, aligned.rejected.total())
        return aligned

    def _one(self, passage: Passage, context: TaskContext) -> Extraction:
        if len(passage.text.split()) < _FEWEST_WORDS:
            return align(passage, (), ()).extraction
        try:
            return self.ask(passage, context).extraction
        except ModelFault as fault:
            return Extraction((), (), str(fault), quarantined(fault.prompt, fault.raw))

    def _entities(
        self,
        passage: Passage,
        context: TaskContext,
        salt: str,
        replies: list[Reply],
    ) -> EntitiesReply:
        stored = self._memory.get(passage.id, "entities", self.name, VERSION) if self._memory else None
        known = read_entities(stored.reply) if stored is not None else None
        if known is not None:
            return known
        reply = self._model.structured(entity_prompt(passage, salt), EntitiesReply, context)
        replies.append(reply)
        self._keep(passage, "entities", written(reply.value), reply.generation, 0)
        return reply.value

    def _remembered_triples(self, passage: Passage) -> TriplesReply | None:
        stored = self._memory.get(passage.id, "triples", self.name, VERSION) if self._memory else None
        return read_triples(stored.reply) if stored is not None else None

    def _keep(self, passage: Passage, step: str, reply: str, generation: Generation, rejected: int) -> None:
        if self._memory is not None:
            usage = Usage(generation.calls, generation.tokens_in, generation.tokens_out, generation.seconds)
            self._memory.put(passage.id, step, self.name, VERSION, StoredReply(reply, usage, rejected))


class MixedExtractor:
    """The rules first; the model only where they find fewer than `below` triples. Safe in several threads.

    What both find is joined, the rules' triples first. Where the model fails, the passage keeps what the
    rules found and is marked as failed, so that a retry completes it.
    """

    def __init__(self, rules: Extractor, model: ModelExtractor, below: int) -> None:
        self.name = f"mixed:{model.name.partition(':')[2]}"
        self.version = f"{rules.version} {model.version} below-{below}"
        self._rules = rules
        self._model = model
        self._below = below
        self._lock = threading.Lock()

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """Yield one Extraction a passage, in order. Raises Cancelled and ModelUnavailable."""
        # One thread at a time: spaCy promises nothing beyond that.
        with self._lock:
            found = list(self._rules.extract(passages, context))
        for number, (passage, extraction) in enumerate(zip(passages, found, strict=True), start=1):
            if len(extraction.triples) < self._below:
                (model_result,) = self._model.extract([passage], context)
                yield _joined(extraction, model_result)
            else:
                yield extraction
            context.report("extract", number, len(passages))


def quarantined(prompt: str, raw: str) -> str:
    """Return prompt and reply as they are put aside, word for word."""
    return f"Prompt:\n{prompt}\n\nReply:\n{raw or '(nothing)'}"


def _without_facts(
    aligned: Aligned, prompt: Sequence[Message], entities: EntitiesReply, triples: TriplesReply
) -> Aligned:
    """Mark the extraction as failed, with all that was said; the names that were found stay."""
    asked = "\n\n".join(f"[{message.role.value}]\n{message.text}" for message in prompt)
    rejected = [f"Rejected: {count} {words}" for words, count in aligned.rejected.items()]
    raw = quarantined(asked, "\n".join([written(entities), written(triples), *rejected]))
    failed = replace(aligned.extraction, failure=f"{NO_FACTS} {_REMEDY}", raw=raw)
    return Aligned(failed, aligned.dropped)


def _put_as(triple: Triple, rules: Sequence[Triple]) -> Triple:
    """Put a model's triple as the rules read its sentence: a model tells what is denied as if it were so."""
    ends = {triple.subject.casefold(), triple.object.casefold()}
    same = [
        one
        for one in rules
        if {one.subject.casefold(), one.object.casefold()} == ends
        and one.start < triple.end
        and triple.start < one.end
    ]
    if not same or any(not one.assertion for one in same):
        return triple
    return replace(triple, assertion=same[0].assertion, source=same[0].source)


def _joined(rules: Extraction, model: Extraction) -> Extraction:
    """Join both; of two triples that say the same, the rules'. That the model found nothing more is no failure."""
    triples: dict[tuple[str, ...], Triple] = {}
    for triple in (*rules.triples, *(_put_as(triple, rules.triples) for triple in model.triples)):
        words = (triple.subject, triple.predicate, triple.object, triple.assertion, triple.source)
        triples.setdefault(tuple(map(str.casefold, words)), triple)
    placed = {(mention.start, mention.end) for mention in rules.mentions}
    more = tuple(mention for mention in model.mentions if (mention.start, mention.end) not in placed)
    failed = bool(model.failure) and not (rules.triples and model.failure.startswith(NO_FACTS))
    return Extraction(
        rules.mentions + more,
        tuple(triples.values()),
        model.failure if failed else "",
        model.raw if failed else "",
        rules.phrases,
    )


_MOST_PARALLEL = 3
_WORTH = 1.15  # times the throughput that another call at a time must bring
_HELLO = (Message(Role.USER, "Reply with the one word: ready"),)


@dataclass(slots=True)
class _Tally:
    """Sums while the passages are read."""

    valid: int = 0
    repaired: int = 0
    asked_again: int = 0
    failed: int = 0
    triples: int = 0
    rejected: int = 0
    generations: list[Generation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def measure(model: LanguageModel, passages: Sequence[Passage], context: TaskContext) -> Trial:
    """Read the passages as extraction does, then several at a time. Raises ModelUnavailable, Cancelled.

    Nothing comes from memory, and each round has prompts that begin otherwise, so that neither our
    cache nor the server's makes the model look quicker than it is.
    """
    context.report("trial", 0, len(passages) + _MOST_PARALLEL, tr("loading the model"))
    loading = 0.0
    with contextlib.suppress(ModelFault):  # what is wrong shows with the passages
        loading = model.generate(_HELLO, context, max_tokens=8).first_token_seconds
    extractor, tally = ModelExtractor(model), _Tally()
    for number, passage in enumerate(passages, start=1):
        _read(extractor, passage, f"(Trial {number}.) ", tally, context)
        context.report("trial", number, len(passages) + _MOST_PARALLEL, passage.title)
    throughput = _throughput(model, passages, tally, context)
    writing = sum(generation.seconds - generation.first_token_seconds for generation in tally.generations)
    usage = Usage(
        sum(generation.calls for generation in tally.generations),
        sum(generation.tokens_in for generation in tally.generations),
        sum(generation.tokens_out for generation in tally.generations),
        sum(generation.seconds for generation in tally.generations),
    )
    return Trial(
        len(passages),
        tally.valid + tally.repaired + tally.asked_again + tally.failed,
        tally.valid,
        tally.repaired,
        tally.asked_again,
        tally.failed,
        tally.triples,
        tally.rejected,
        usage,
        loading,
        median([generation.first_token_seconds for generation in tally.generations] or [0.0]),
        usage.tokens_out / writing if writing > 0 else 0.0,
        tuple(throughput),
        _useful(throughput),
        tuple(tally.problems),
    )


def _read(
    extractor: ModelExtractor, passage: Passage, salt: str, tally: _Tally, context: TaskContext
) -> None:
    """Run both steps on one passage."""
    replies: list[Reply] = []
    try:
        aligned = extractor.ask(passage, context, salt, replies)
        tally.triples += len(aligned.extraction.triples)
        tally.rejected += aligned.rejected.total()
        if aligned.extraction.failure:
            tally.problems.append(NO_FACTS)
    except ModelFault as fault:
        tally.failed += 1
        tally.problems.append(str(fault))
    for reply in replies:
        tally.generations.append(reply.generation)
        tally.asked_again += reply.asked_again
        tally.repaired += bool(reply.repairs) and not reply.asked_again
        tally.valid += not reply.repairs and not reply.asked_again


def _throughput(
    model: LanguageModel, passages: Sequence[Passage], tally: _Tally, context: TaskContext
) -> list[tuple[int, float]]:
    """(calls at a time, calls a second), until another call at a time is not worth it."""
    if not tally.generations:
        return []
    found: list[tuple[int, float]] = []
    for parallel in range(1, min(_MOST_PARALLEL, len(passages)) + 1):
        begin = time.monotonic()
        with ThreadPoolExecutor(parallel) as pool:
            salt = f"(Round {parallel}.) "
            list(pool.map(lambda p, salt=salt: _names(model, p, salt, context), passages[:parallel]))
        found.append((parallel, parallel / max(1e-6, time.monotonic() - begin)))
        context.report("trial", len(passages) + parallel, len(passages) + _MOST_PARALLEL)
        if parallel > 1 and found[-1][1] < _WORTH * found[-2][1]:
            break
    return found


def _names(model: LanguageModel, passage: Passage, salt: str, context: TaskContext) -> None:
    # What it says was judged before; here only the time counts.
    with contextlib.suppress(ModelFault):
        model.structured(entity_prompt(passage, salt), EntitiesReply, context)


def _useful(throughput: Sequence[tuple[int, float]]) -> int:
    """Return the fewest calls at a time that come near the best throughput."""
    best = max((rate for _, rate in throughput), default=0.0)
    return next((parallel for parallel, rate in throughput if rate * _WORTH >= best), 1)
