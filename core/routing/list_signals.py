"""What the ranked lists themselves tell of a question: how well each covers it, where they agree, what they hold.

Query performance prediction (Carmel and Yom-Tov 2010) over three lists: words (BM25), meaning (cosine), graph.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.retrieval.joined import CALLED, LISTS, Lists
from core.retrieval.selection.wording import PassageWords
from core.routing.features.signal import Signal

HEAD = 10  # passages of each list whose words are read
_FIRST = 5
_PAIRS = tuple(combinations(LISTS, 2))


@dataclass(frozen=True, slots=True)
class Terms:
    """The question's words that say something, as stems, and how rare each is among all passages, (n,) each."""

    stems: tuple[str, ...]
    rarity: tuple[float, ...]


def rarity(passages: int, holding: int) -> float:
    """Inverse document frequency as BM25 has it; above 0."""
    return math.log(1.0 + (passages - holding + 0.5) / (holding + 0.5))


def head(lists: Lists) -> list[str]:
    """Ids of the passages whose words `list_signals` reads."""
    return list(dict.fromkeys(hit.passage_id for name in LISTS for hit in lists[name][:HEAD]))


def list_signals(
    lists: Lists, terms: Terms, words: Mapping[str, PassageWords], names: Sequence[str], is_name: Mapping[str, object]
) -> tuple[Signal, ...]:
    """`words` of the passages of `head`; `names` of the question and the keys of `is_name` are comparable names."""
    ids = {name: [hit.passage_id for hit in lists[name]] for name in LISTS}
    held = {passage: _held(words[passage], terms) for passage in head(lists)}
    found: list[Signal] = []
    for name in LISTS:
        found += _of_list(name, [held[i] for i in ids[name][:_FIRST]], [h.score for h in lists[name]], terms)
        found.append(_same_title(name, [words[i].key for i in ids[name][:HEAD]]))
    for one, other in _PAIRS:
        found += _agreement(one, other, ids)
    return (*found, *_titles([words[i] for i in held], names, is_name))


def _held(passage: PassageWords, terms: Terms) -> frozenset[int]:
    return frozenset(at for at, stem in enumerate(terms.stems) if stem in passage.words)


def _share(held: frozenset[int], terms: Terms) -> float:
    """By rarity squared: the rarest words say most about which passage is meant."""
    total = sum(r * r for r in terms.rarity)
    return sum(terms.rarity[at] ** 2 for at in held) / total if total > 0 else 0.0


def _of_list(name: str, held: Sequence[frozenset[int]], scores: Sequence[float], terms: Terms) -> list[Signal]:
    called = CALLED[name]
    each = [_share(own, terms) for own in held]
    best = max(each, default=0.0)
    together = _share(frozenset().union(*held), terms)
    top = max(abs(scores[0]), 1e-9) if scores else 1.0
    margin, drop = ((scores[0] - scores[min(at, len(scores) - 1)]) / top if scores else 0.0 for at in (4, 19))
    first = each[0] if each else 0.0
    return [
        Signal(f"{name}_first", first, f"the first by {called} holds {first:.0%} of the question's words, by rarity"),
        Signal(f"{name}_best", best, f"one of the first five by {called} holds {best:.0%} of the question's words"),
        Signal(f"{name}_adds", together - best, f"the first five by {called} hold {together - best:.0%} more together"),
        Signal(f"{name}_margin", margin, f"by {called} the first is {margin:.0%} ahead of the fifth"),
        Signal(f"{name}_drop", drop, f"by {called} the first is {drop:.0%} ahead of the twentieth"),
    ]


def _same_title(name: str, titles: Sequence[str]) -> Signal:
    most = max(Counter(titles).values(), default=0) / max(1, len(titles))
    return Signal(f"{name}_one_title", most, f"{most:.0%} of the first ten by {CALLED[name]} share a title")


def _agreement(one: str, other: str, ids: Mapping[str, Sequence[str]]) -> list[Signal]:
    shared = len(set(ids[one][:_FIRST]) & set(ids[other][:_FIRST])) / _FIRST
    wide = len(set(ids[one][:20]) & set(ids[other][:20])) / 20
    called = f"{CALLED[one]} and {CALLED[other]}"
    return [
        Signal(f"{one}_{other}_5", shared, f"{called} share {shared:.0%} of their first five"),
        Signal(f"{one}_{other}_20", wide, f"{called} share {wide:.0%} of their first twenty"),
        Signal(f"{one}_first_in_{other}", _place(ids[one], ids[other]), f"how high {CALLED[other]} has the first by {CALLED[one]}"),
        Signal(f"{other}_first_in_{one}", _place(ids[other], ids[one]), f"how high {CALLED[one]} has the first by {CALLED[other]}"),
    ]


def _place(ids: Sequence[str], among: Sequence[str]) -> float:
    """2 / (1 + rank) of the first of `ids` in the other list, 0 where it is not there."""
    return 2.0 / (among.index(ids[0]) + 2.0) if ids and ids[0] in among else 0.0


def _titles(passages: Sequence[PassageWords], names: Sequence[str], is_name: Mapping[str, object]) -> list[Signal]:
    n = max(1, len(passages))
    own = sum(p.key in names for p in passages) / n
    entities = sum(p.key in is_name for p in passages) / n
    several = len({p.key for p in passages}) / n
    letters = sum(len(p.text) for p in passages) / n
    return [
        Signal("titles_asked", own, f"{own:.0%} of the titles are names of the question"),
        Signal("titles_names", entities, f"{entities:.0%} of the titles are names that the documents hold"),
        Signal("titles_distinct", several, f"{several:.0%} as many titles as passages"),
        Signal("length", math.log(max(1.0, letters)) - 6.5, f"passages of {letters:.0f} letters"),
    ]
