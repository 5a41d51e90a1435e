"""Measures a language model on a few passages before it is let loose on a corpus."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import median

from core.errors import ModelFault
from core.extraction.language_model import NO_FACTS, ModelExtractor, Reply
from core.extraction.prompts import EntitiesReply, entity_prompt
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.text.translation import tr
from core.types import Generation, Message, Passage, Role, Trial, Usage

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
    """Reads the passages as extraction does, then several at a time. Raises ModelUnavailable, Cancelled.

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
    """Both steps on one passage."""
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
    """The fewest calls at a time that come near the best throughput."""
    best = max((rate for _, rate in throughput), default=0.0)
    return next((parallel for parallel, rate in throughput if rate * _WORTH >= best), 1)
