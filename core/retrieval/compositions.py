"""Ways of retrieving as compositions of parts: a table that people read, copy and change. LEGO-GraphRAG, table 2."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from core.config import SHARE, Config, every_setting, setting, with_settings
from core.errors import BadInput
from core.text.translation import tr

SHIPPED = Path(__file__).with_suffix(".toml")
MODEL = "model"
SCORERS = ("words", "meaning", "reading", MODEL)
SETTLED = ("retrieval", "agentic", "hierarchy")  # stages whose settings a composition may set
PATHS, THOUGHTS = "paths", "thoughts"
# What ranks passages: the paths of the other parts; BM25 of passages, and of their documents besides; vectors; the walk
# (EA-GraphRAG 3.4.2); strongest paths beside vectors (triple-layer 4.5.2); three stages (A2RAG III-C); communities
# from the top (Deep GraphRAG 2.1.2); words and a language model's thoughts in turn (IRCoT).
RANKERS = (PATHS, "words", "document-words", "meaning", "walk", "strength", "stages", "tree", THOUGHTS)
WEIGHED, ADAPTER = "weighed", "adapter"
_WEIGHED, _ROUTED = 3, 2  # lists
_NAME = re.compile(r"[\w.-]{1,60}")
_LARGEST = 1 << 20  # characters of a table
_Record = TypeVar("_Record")


def _one_of(*names: str) -> str:
    return "|".join(map(re.escape, names))


_SCORER = _one_of(*SCORERS)


@dataclass(frozen=True, slots=True)
class SubgraphPart:
    """Structure-based extraction, 3.2.1. `kind` "none" leaves the whole graph."""

    kind: str = setting("importance", "how", form=_one_of("none", "walk", "hops", "importance"))
    most: int = setting(1_000, "most entities (N_ppr)", "entities", (1, 100_000))
    damping: float = setting(0.6, "importance: share of the mass that walks on", span=(0.01, 0.99))
    hops: int = setting(2, "hops: facts from a seed (K)", "facts", (1, 6))
    facts: int = setting(200, "hops: strongest facts of an entity that are followed", "facts", (1, 10_000))
    walks: int = setting(64, "walk: walkers from each seed", span=(1, 10_000))
    length: int = setting(4, "walk: facts that each goes over", "facts", (1, 100))
    seed: int = setting(7, "walk: seed of the random numbers", span=(0, 2**31 - 1))


@dataclass(frozen=True, slots=True)
class PruningPart:
    """Semantic pruning, 3.2.2. `kind` "none" keeps the subgraph as it is."""

    kind: str = setting("none", "what is pruned", form=_one_of("none", "nodes", "edges", "triples"))
    scorer: str = setting("meaning", "by whom", form=_SCORER)
    most: int = setting(64, "how many stay (N_v, N_e, N_t)", span=(1, 100_000))
    prefilter: str = setting("", "a cheaper scorer that chooses what the scorer sees", form=f"|{_SCORER}")
    prefiltered: int = setting(128, "how many it sees", span=(1, 10_000))


@dataclass(frozen=True, slots=True)
class PathsPart:
    """Path retrieval, 3.3, and the hybrids of table 5."""

    kind: str = setting("shortest", "how", form=_one_of("enumerated", "shortest", "one-way", "beam"))
    base: str = setting(
        "shortest", "one-way: what it chooses from", form=_one_of("enumerated", "shortest"), key="of"
    )
    scorer: str = setting("meaning", "one-way and beam: by whom", form=_SCORER)
    most: int = setting(32, "paths that are kept (N_p)", "paths", (1, 10_000))
    longest: int = setting(4, "facts of a path (L)", "facts", (1, 6))
    candidates: int = setting(20_000, "paths that are looked at", "paths", (1, 1_000_000))
    width: int = setting(8, "beam: paths from each seed that go on (B)", "paths", (1, 1_000))
    pruned: float = setting(0.2, "beam: lowest share of a step's scores that is not followed", span=SHARE)
    prefilter: str = setting("", "a cheaper scorer that chooses what the scorer sees", form=f"|{_SCORER}")
    prefiltered: int = setting(64, "how many it sees", span=(1, 10_000))
    supplement: str = setting("", "a cheaper scorer that fills up what the scorer leaves", form=f"|{_SCORER}")
    supplemented: int = setting(8, "how many there are then, at least", span=(1, 10_000))
    refine: str = setting("", "a scorer that chooses from what was found", form=f"|{_SCORER}")


@dataclass(frozen=True, slots=True)
class MappingPart:
    """What counts for a passage; each is scaled to 0..1 before."""

    facts: float = setting(1.0, "that it tells facts of the paths", span=(0, 100))
    entities: float = setting(1.0, "that it names entities of the paths", span=(0, 100))
    dense: float = setting(1.0, "its nearness to the question", span=(0, 100))


@dataclass(frozen=True, slots=True)
class Composition:
    """One way of retrieving: who ranks passages, how several lists are joined, and whether the best are chosen anew.

    `rank` holds names of RANKERS or of compositions that Clew comes with. Of words, meaning and graph, in this order,
    `join` may weigh each for the question; of meaning and graph the adapter may take one or both; else all count
    alike. From `seeds` on the parts are those of the ranker
    "paths". `settings`, as in "retrieval.damping=0.6", are those of all.
    """

    group: str = setting("", "of table 2 (I to V), or whose it is", form=".{0,40}")
    source: str = setting("", "what it is taken from", form=".{0,300}")
    differs: str = setting("", "where it differs from that", form=".{0,600}")
    rank: tuple[str, ...] = (PATHS,)
    join: str = setting(
        "reciprocal", "what several lists count", form=_one_of("reciprocal", WEIGHED, ADAPTER)
    )
    sparing: bool = setting(False, "weighed: leave the graph out where words and meaning are enough")
    settings: tuple[str, ...] = ()
    seeds: int = setting(8, "heaviest entities of the question that paths begin at", "entities", (1, 1_000))
    second_stage: bool = setting(False, "choose the best passages anew, each for what it adds")
    subgraph: SubgraphPart = field(default_factory=SubgraphPart)
    pruning: PruningPart = field(default_factory=PruningPart)
    paths: PathsPart = field(default_factory=PathsPart)
    mapping: MappingPart = field(default_factory=MappingPart)

    @property
    def scorers(self) -> frozenset[str]:
        """All that take part."""
        if PATHS not in self.rank:
            return frozenset()
        used = {self.paths.refine}
        if self.pruning.kind != "none":
            used |= {self.pruning.scorer, self.pruning.prefilter}
        if self.paths.kind in ("one-way", "beam"):
            used |= {self.paths.scorer, self.paths.prefilter, self.paths.supplement}
        return frozenset(used - {""})

    @property
    def needs_model(self) -> bool:
        """Whether it asks a language model."""
        others = (shipped_compositions()[name] for name in self.rank if name not in RANKERS)
        return MODEL in self.scorers or THOUGHTS in self.rank or any(other.needs_model for other in others)


def read_compositions(text: str, where: str) -> dict[str, Composition]:
    """The compositions of a TOML text, by name. `where` it stands, for people. Raises BadInput in words."""
    found = _read(text, where)
    for name, each in found.items():
        _check(each, f"{where}: {name}", shipped_compositions())
    return found


@cache
def shipped_compositions() -> Mapping[str, Composition]:
    """Those that Clew comes with, by name."""
    found = _read(SHIPPED.read_text(encoding="utf-8"), SHIPPED.name)
    for name, each in found.items():
        _check(each, f"{SHIPPED.name}: {name}", found)
    return found


def _read(text: str, where: str) -> dict[str, Composition]:
    if len(text) > _LARGEST:
        raise BadInput(tr("{where} is too long.", where=where), tr("A table of compositions has up to 1 MB."))
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(
            tr("{where} cannot be read: {error}", where=where, error=str(error)), tr("Mend it as TOML.")
        ) from error
    for name in table:
        if _NAME.fullmatch(name) is None:
            raise BadInput(
                tr("{where}: {name} is no name.", where=where, name=repr(name)),
                tr("Use up to 60 letters, digits, dots, dashes and underscores."),
            )
    return {name: _record(Composition, value, f"{where}: {name}") for name, value in table.items()}


def _check(composition: Composition, where: str, others: Mapping[str, Composition]) -> None:
    """Raises BadInput for lists that are none or cannot be joined so, and for settings. `others` may rank, too."""
    _check_settings(composition, where)
    # Those that name others are not named: no composition is ever part of itself.
    plain = (name for name, each in others.items() if {*each.rank} <= {*RANKERS})
    known = dict.fromkeys((*RANKERS, *plain))
    rank = composition.rank
    if not rank or len({*rank}) < len(rank) or not {*rank} <= known.keys():
        raise BadInput(
            tr("{where} cannot be {value}.", where=f"{where}.rank", value=json.dumps(rank)[:60]),
            tr("It is a list of these, none of them twice: {names}.", names=", ".join(known)),
        )
    if composition.join == WEIGHED and len(rank) != _WEIGHED:
        raise BadInput(
            tr("{where}: lists that are weighed are three.", where=where),
            tr("Name one by words, one by meaning and one of the graph, or leave out join."),
        )
    if composition.join == ADAPTER and len(rank) != _ROUTED:
        raise BadInput(
            tr("{where}: the adapter chooses between two lists.", where=where),
            tr("Name one by meaning and one of the graph, or leave out join."),
        )


def _check_settings(composition: Composition, where: str) -> None:
    """Raises BadInput for settings that are none, or that name a folder or a model: a table may come from others."""
    texts = {each.name for each in every_setting(Config(), SETTLED) if isinstance(each.default, str)}
    with_settings(Config(), composition.settings, SETTLED)
    if named := texts.intersection(line.partition("=")[0] for line in composition.settings):
        raise BadInput(
            tr("{where}: {name} cannot be set here.", where=where, name=min(named)),
            tr("Set it for the workspace, or for one run with --set."),
        )


def varied(composition: Composition, change: str) -> Composition:
    """With one thing changed, as in "paths.most=8" or "second_stage=true". Raises BadInput."""
    place, _, value = change.partition("=")
    part, _, name = place.partition(".")
    table = tomllib.loads(as_toml("one", composition))["one"]
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value  # a text
    current = table.get(part)
    table[part] = (
        ({**current, name: parsed} if isinstance(current, dict) else {name: parsed}) if name else parsed
    )
    found = _record(Composition, table, change)
    _check(found, change, shipped_compositions())
    return found


def _key(item: Field[Any]) -> str:
    """Return the key in files of a field of a part."""
    key: str = item.metadata.get("key", item.name)
    return key


def as_toml(name: str, composition: Composition) -> str:
    """A composition as `read_compositions` reads it, to be copied and changed."""
    lines, like = [f"[{name}]"], Composition()
    for item in fields(composition):
        value = getattr(composition, item.name)
        if value == getattr(like, item.name):
            continue
        if isinstance(value, (SubgraphPart, PruningPart, PathsPart, MappingPart)):
            default = type(value)()
            changed = [p for p in fields(value) if getattr(value, p.name) != getattr(default, p.name)]
            written = ", ".join(f"{_key(part)} = {json.dumps(getattr(value, part.name))}" for part in changed)
            lines.append(f"{item.name} = {{ {written} }}")
        else:
            # JSON's texts, numbers and lists are TOML's, but for the escapes of signs beyond 16 bits, and for one sign.
            lines.append(f"{item.name} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f"))
    return "\n".join(lines) + "\n"


def _record(record: type[_Record], value: object, where: str) -> _Record:
    """The record that a table of TOML describes; what it does not name is as by default. Raises BadInput."""
    known = {_key(item): item for item in fields(record)}  # type: ignore[arg-type] # a dataclass
    if not isinstance(value, dict) or (strange := [name for name in value if name not in known]):
        problem = ", ".join(map(repr, strange)) if isinstance(value, dict) else tr("no table")
        raise BadInput(
            tr("{where}: {said} cannot stand here.", where=where, said=problem),
            tr("Choose from: {names}.", names=", ".join(known)),
        )
    default = record()
    kwargs: dict[str, Any] = {}
    for name, entry in value.items():
        field_name, place = known[name].name, f"{where}.{name}"
        like = getattr(default, field_name)
        if isinstance(like, (SubgraphPart, PruningPart, PathsPart, MappingPart)):
            kwargs[field_name] = _record(type(like), entry, place)
        elif isinstance(like, tuple):
            kwargs[field_name] = _texts(entry, place)
        else:
            kwargs[field_name] = _fitting(like, entry, known[name].metadata, place)
    return record(**kwargs)


def _texts(value: object, where: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    raise BadInput(tr("{where} is no list of texts.", where=where), tr('Write ["one", "another"].'))


def _fitting(like: object, value: object, metadata: Mapping[str, Any], where: str) -> object:
    """`value`, of the type of `like` and within its bounds. Raises BadInput."""
    if isinstance(like, float) and type(value) is int:
        value = float(value)
    fits = type(value) is type(like)
    if fits and isinstance(value, str):
        fits = re.fullmatch(metadata["form"] or ".*", value) is not None
        choices = ", ".join(metadata["form"].replace("\\", "").split("|"))
        remedy = tr("It takes: {choices}.", choices=choices)
    elif isinstance(like, bool):
        remedy = tr("Give true or false.")
    elif isinstance(like, str):
        remedy = tr("It takes: {choices}.", choices=metadata["words"])
    else:
        least, most = metadata["span"]
        fits = fits and isinstance(value, (int, float)) and least <= value <= most
        remedy = tr("Give a number from {least} to {most}.", least=f"{least:,}", most=f"{most:,}")
    if not fits:
        raise BadInput(tr("{where} cannot be {value}.", where=where, value=repr(value)[:60]), remedy)
    return value
