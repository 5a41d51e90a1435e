"""Extraction by a language model, alone or where the rules find little."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
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
from core.types import Extraction, Generation, Message, Passage, Structured, Triple, Usage

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
        """One Extraction a passage, in order. Raises Cancelled, and ModelUnavailable where none would fare better."""
        for number, passage in enumerate(passages, start=1):
            yield self._one(passage, context)
            context.report("extract", number, len(passages))

    def ask(
        self, passage: Passage, context: TaskContext, salt: str = "", replies: list[Reply] | None = None
    ) -> Aligned:
        """Both steps, each from memory where it was taken before. Raises ModelFault, ModelUnavailable, Cancelled.

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
        """One Extraction a passage, in order. Raises Cancelled and ModelUnavailable."""
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
    """Prompt and reply as they are put aside, word for word."""
    return f"Prompt:\n{prompt}\n\nReply:\n{raw or '(nothing)'}"


def _without_facts(
    aligned: Aligned, prompt: Sequence[Message], entities: EntitiesReply, triples: TriplesReply
) -> Aligned:
    """Marked as failed, with all that was said; the names that were found stay."""
    asked = "\n\n".join(f"[{message.role.value}]\n{message.text}" for message in prompt)
    rejected = [f"Rejected: {count} {words}" for words, count in aligned.rejected.items()]
    raw = quarantined(asked, "\n".join([written(entities), written(triples), *rejected]))
    failed = replace(aligned.extraction, failure=f"{NO_FACTS} {_REMEDY}", raw=raw)
    return Aligned(failed, aligned.dropped)


def _put_as(triple: Triple, rules: Sequence[Triple]) -> Triple:
    """A model's triple as the rules read its sentence: a model tells what is denied as if it were so."""
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
    """Both; of two triples that say the same, the rules'. That the model found nothing more is no failure."""
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
    )
