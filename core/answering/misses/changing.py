"""Changes that may keep a passage, by the stage that lost it: a short list, written out, the likeliest first."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from rapidfuzz import fuzz

from core.answering.ask import Asker, Change
from core.answering.misses.diagnosis import JOINED, rests_on, says, words_at
from core.config import Config, with_settings
from core.errors import BadInput, CoreError, DocumentError
from core.extraction.names import normalise
from core.ingest.reading_process import ReadingProcess
from core.progress import TaskContext
from core.retrieval.routes import AUTO, FUSION
from core.retrieval.snapshot import Extracted
from core.store.settings import path_from_text
from core.store.store import Store
from core.text.stems import fold
from core.text.translation import tr
from core.types import Answer, Miss, MissChange, MissStage, MissTrial, NameChange

_ALIKE = 75  # of 100: two names that may be written differently; Belgium and Belem are 67
_NAMES = 2  # further names that are tried
_DEEPEST = 100  # passages that may be asked for

# Settings by stage, as (name, value); what holds already is left out.
_SETTINGS: dict[MissStage, tuple[tuple[str, str], ...]] = {
    MissStage.GATE: (("control.gate", "0"),),
    MissStage.NAMES: (("retrieval.name_share", "0"), ("retrieval.top_facts", "10"), ("routing.high", "1")),
    MissStage.SEEDS: (
        ("retrieval.top_facts", "10"),
        ("retrieval.passage_share", "0.6"),
        ("retrieval.pool", "120"),
        ("routing.high", "1"),
    ),
    MissStage.WALK: (
        ("retrieval.pool", "120"),
        ("retrieval.damping", "0.3"),
        ("retrieval.damping", "0.85"),
        ("retrieval.passage_share", "0.6"),
        ("retrieval.hub_power", "0"),
        ("routing.high", "1"),
    ),
    MissStage.SECOND: (
        ("retrieval.second_stage", "false"),
        ("retrieval.pool", "120"),
        ("retrieval.pool", "20"),
        ("routing.high", "1"),
    ),
    MissStage.WORDS: (("retrieval.candidates", "400"), ("routing.low", "0"), ("retrieval.crowding", "1")),
    MissStage.MEANING: (("retrieval.candidates", "400"), ("routing.low", "0"), ("retrieval.crowding", "1")),
    MissStage.JOIN: (
        ("routing.high", "1"),
        ("routing.high", "0.3"),
        ("retrieval.rrf_k", "5"),
        ("retrieval.rrf_k", "60"),
        ("retrieval.crowding", "1"),
    ),
    MissStage.CUT: (("retrieval.crowding", "1"), ("retrieval.pool", "120"), ("routing.high", "1")),
    MissStage.PACK: (("retrieval.second_stage", "false"), ("retrieval.pool", "120")),
    MissStage.READER: (
        ("retrieval.second_stage", "false"),
        ("control.rounds", "0"),
        ("retrieval.pool", "20"),
    ),
    MissStage.CHECKS: (("control.relevance", "0"), ("control.aligned", "0"), ("control.rounds", "0")),
}
_BY_NAME = (MissStage.NAMES, MissStage.SEEDS, MissStage.WALK, MissStage.JOIN, MissStage.CUT, MissStage.GATE)
_UNSEARCHED = (MissStage.FILE, MissStage.PASSAGE, MissStage.INDEX)


def changes(miss: Miss, config: Config) -> list[MissChange]:
    """What is worth a try; nothing where the answer rests on the passage."""
    if miss.lost is None:
        return []
    if miss.lost is MissStage.SCOPE:
        return [MissChange(tr("Ask without the scope"), unscoped=True)]
    if miss.lost in _UNSEARCHED:
        words = tr("Read {file} again, with four times as much time", file=miss.again)
        return [MissChange(words, read_again=miss.again)] if miss.again else []
    found = [*_deeper(miss), *_names(miss), *_lower_bar(miss), *_settings(miss, config), *_routes(miss)]
    return list(dict.fromkeys([*found, *_rephrased(miss)]))


def _deeper(miss: Miss) -> Iterator[MissChange]:
    at = miss.ranks
    if miss.lost is MissStage.CUT and at.joined is not None and at.joined <= _DEEPEST:
        yield MissChange(tr("Ask for {count} passages", count=at.joined), k=at.joined)


def _settings(miss: Miss, config: Config) -> Iterator[MissChange]:
    assert miss.lost is not None
    for name, value in _SETTINGS.get(miss.lost, ()):
        part, _, field = name.partition(".")
        now = getattr(getattr(config, part), field)
        if str(now).casefold() != value and not (isinstance(now, float) and now == float(value)):
            yield _setting(name, value, now)


def _setting(name: str, value: str, now: object) -> MissChange:
    words = tr("{name} {value} in place of {now}", name=name, value=value, now=str(now).lower())
    return MissChange(words, settings=(f"{name}={value}",))


def _lower_bar(miss: Miss) -> Iterator[MissChange]:
    """The bar just below the reading that it refused."""
    at = miss.ranks
    own = at.reader.confidence if at.reader is not None else 0.0
    if miss.lost is MissStage.BAR and own > 0:
        yield _setting("answer.min_probability", f"{int(own * 100) / 100:.2f}", tr("what holds now"))


def _routes(miss: Miss) -> Iterator[MissChange]:
    """Other ways than the one that was taken, that which ranks the passage best first."""
    at = miss.ranks
    ranks = {"lexical": at.words, "dense": at.meaning, "graph": at.graph}
    forced = sorted(ranks, key=lambda name: ranks[name] or at.passages + 1)
    alone = next((name for name, share in at.weights if share == 1.0), "")
    spared = miss.route == AUTO and dict(at.weights).get("graph") == 0.0
    ways = [FUSION] if spared or miss.lost is MissStage.WAY else []
    for route in (*ways, *forced):
        if route not in (miss.route, alone):
            yield MissChange(tr("Force the route {route}", route=route), route=route)


def _names(miss: Miss) -> Iterator[MissChange]:
    """A name of the question that nobody bears, as a further name of what the passage calls nearly so."""
    at = miss.ranks
    asked = at.unknown or tuple(name for name in at.names if name not in at.shared)
    entities = tuple(zip(at.passage_names, at.passage_entities, strict=True))
    pairs = sorted(
        (
            (fuzz.token_set_ratio(one.lower(), name.lower()), one, name, id)
            for one in asked
            for name, id in entities
        ),
        reverse=True,
    )
    likely = [pair for pair in pairs if pair[0] >= _ALIKE and normalise(pair[1]) != normalise(pair[2])]
    for _, one, name, id in likely[:_NAMES]:
        words = tr("“{name}” as a further name of “{entity}”", name=one, entity=name)
        yield MissChange(words, names=NameChange("alias", (id,), one))


def _rephrased(miss: Miss) -> Iterator[MissChange]:
    """The question without a name that leads elsewhere."""
    at = miss.ranks
    if miss.lost not in _BY_NAME:
        return
    for name in (*at.unknown, *(name for name in at.names if name not in at.shared))[:_NAMES]:
        question = " ".join(re.sub(re.escape(name), "", miss.question).split())
        if len(question.split()) > 2 and question != miss.question:
            yield MissChange(
                tr("Ask without “{name}”: {question}", name=name, question=question), question=question
            )


def checked(change: MissChange) -> None:
    """Raises BadInput for one that belongs to its question alone."""
    if not change.saved_in and not change.route:
        raise BadInput(
            tr("This change belongs to its question alone: pinned questions are not asked so."),
            tr("Choose a change of settings, of a route or of names."),
        )


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
        return MissTrial(change, "failed", miss.ranks.joined, None, str(failure), None, _since(begin))
    read = max(k, miss.ranks.read)
    marked = words_at(store, store.passages.get(miss.passage_id).passage, miss.place)
    if marked is not None and not (miss.answer is not None and rests_on(miss.answer, miss.passage_id)):
        marked = replace(
            marked, text=marked.around
        )  # their sentence is enough, where not even that was found
    cited = says(answer, miss.generator, miss.passage_id, marked)
    before = miss.ranks.joined
    outcome = "cited" if cited else _moved(before, rank, miss.ranks.read, read)
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
