"""A change tried for real: the question asked again over the same documents, with it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from core.answering.ask import Asker, Change
from core.answering.misses.diagnosis import JOINED, rests_on, says, words_at
from core.config import Config, with_settings
from core.errors import CoreError, DocumentError
from core.extraction.names import normalise
from core.ingest.reading_process import ReadingProcess
from core.progress import TaskContext
from core.retrieval.snapshot import Extracted
from core.store.settings import path_from_text
from core.store.store import Store
from core.text.stems import fold
from core.text.translation import tr
from core.types import Answer, Miss, MissChange, MissTrial

_LONGER = 4  # times the time limit of reading
AskerOver = Callable[[Change], Asker]


def asker_with(
    change: MissChange, asker: Asker, asker_over: AskerOver, store: Store, config: Config
) -> Asker:
    """One that answers as if the change were made. `asker_over` makes one over changed extractions."""
    if change.settings:
        return asker.with_config(with_settings(config, change.settings))
    return asker_over(_named(change, store)) if change.names else asker


def _named(change: MissChange, store: Store) -> Change:
    assert change.names is not None
    [key] = store.entities.keys_of(change.names.entity_ids)
    normal = normalise(change.names.value)

    def changed(extracted: Extracted) -> Extracted:
        return replace(extracted, aliases=(*extracted.aliases, (normal, key)))

    return changed


def tried(
    miss: Miss, change: MissChange, asker: Asker, store: Store, config: Config, context: TaskContext
) -> MissTrial:
    """`asker` answers as if the change were made, see `asker_with`. Raises Cancelled; other failures are told."""
    begin = time.perf_counter()
    try:
        if change.read_again:
            return _read_again(miss, change, store, config, context)
        asker = asker if change.unscoped else asker.restrict_to(miss.scope)
        question, route, k = change.question or miss.question, change.route or miss.route, change.k or miss.k
        rank = _rank(asker, question, route, miss.passage_id, config, context)
        answer = asker.ask(question, context, route, k, miss.generator)
    except CoreError as failure:
        context.check()
        return MissTrial(change, "failed", miss.standing.joined, None, str(failure), None, _since(begin))
    read = max(k, miss.standing.read)
    marked = words_at(store, store.passages.get(miss.passage_id).passage, miss.place)
    if marked is not None and not (miss.answer is not None and rests_on(miss.answer, miss.passage_id)):
        marked = replace(
            marked, text=marked.around
        )  # their sentence is enough, where not even that was found
    cited = says(answer, miss.generator, miss.passage_id, marked)
    before = miss.standing.joined
    outcome = "cited" if cited else _moved(before, rank, miss.standing.read, read)
    return MissTrial(change, outcome, before, rank, _words(outcome, rank, answer), answer, _since(begin))


def _rank(
    asker: Asker, question: str, route: str, passage_id: str, config: Config, context: TaskContext
) -> int | None:
    route = asker.rankings.resolve(route)
    if route in JOINED:
        hits = asker.rankings.joined(question, route, context)[2]
    else:
        hits = asker.retrieve(question, route, config.retrieval.candidates, context)[1].hits
    return next((hit.rank for hit in hits if hit.passage_id == passage_id), None)


def _moved(before: int | None, now: int | None, read: int, reads: int) -> str:
    """`read` passages were read before, `reads` are now."""
    if now is not None and now <= reads and (before is None or before > read):
        return "read"
    if now == before:
        return "same"
    return "nearer" if now is not None and (before is None or now < before) else "further"


def _words(outcome: str, rank: int | None, answer: Answer) -> str:
    reply = tr("no answer") if answer.abstained else " ".join(answer.text.split())
    values = {"answer": reply, "share": f"{answer.confidence:.0%}", "rank": f"{rank:,}" if rank else "–"}
    if outcome == "cited":
        return tr("The answer rests on it: “{answer}” ({share}).", **values)
    if outcome == "read":
        return tr("It is read now, place {rank}; the answer: “{answer}” ({share}).", **values)
    return tr("Place {rank}; the answer: “{answer}” ({share}).", **values)


def _since(begin: float) -> float:
    return time.perf_counter() - begin


def _read_again(
    miss: Miss, change: MissChange, store: Store, config: Config, context: TaskContext
) -> MissTrial:
    """Whether the file can be read now, and holds the words. Nothing is kept."""
    begin = time.perf_counter()
    folder = path_from_text(store.settings.get("folder"))
    reading = replace(config.reading, max_seconds=config.reading.max_seconds * _LONGER)
    path = folder / change.read_again
    try:
        with ReadingProcess(reading, context.check) as process:
            parts = process.parts(path, folder)
    except DocumentError as error:
        return MissTrial(change, "failed", None, None, str(error), None, _since(begin))
    texts = [part.document.text for part in parts if part.document is not None]
    wanted = fold(" ".join(miss.mark.quote.split())).strip()
    holds = bool(wanted) and any(wanted in fold(" ".join(text.split())) for text in texts)
    letters = f"{sum(map(len, texts)):,}"
    if not any(texts):
        return MissTrial(change, "failed", None, None, tr("It has no text."), None, _since(begin))
    words = tr("It can be read now: {letters} characters.", letters=letters)
    if holds:
        words = tr("It can be read now, and holds these words: {letters} characters.", letters=letters)
    elif wanted:
        words = tr(
            "It can be read now, but does not hold these words: {letters} characters.", letters=letters
        )
    return MissTrial(
        change, "read" if holds or not wanted else "same", None, None, words, None, _since(begin)
    )
