"""Changes that may keep a passage, by the stage that lost it: a short list, written out, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rapidfuzz import fuzz

from core.config import Config
from core.errors import BadInput
from core.extraction.names import normalise
from core.retrieval.routes import AUTO, FUSION
from core.text.translation import tr
from core.types import Miss, MissChange, MissStage, NameChange

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
