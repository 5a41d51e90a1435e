"""What the ranked lists themselves tell of a question: how well each covers it, where they agree, what they hold.

Query performance prediction (Carmel and Yom-Tov 2010) over three lists: words (BM25), meaning (cosine), graph.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.retrieval.fusion import LISTS, Lists
from core.retrieval.routing.features.signal import Signal
from core.retrieval.selection.wording import PassageWords
from core.text.translation import tr
from core.types import LISTS_CALLED

HEAD = 10  # passages of each list whose words are read
_FIRST = 5


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
    lists: Lists,
    terms: Terms,
    words: Mapping[str, PassageWords],
    names: Sequence[str],
    is_name: Mapping[str, object],
) -> tuple[Signal, ...]:
    """`words` of the passages of `head`; `names` of the question and the keys of `is_name` are comparable names."""
    ids = {name: [hit.passage_id for hit in lists[name]] for name in LISTS}
    shares = {passage: _share(words[passage], terms) for passage in head(lists)}
    found: list[Signal] = []
    for name in LISTS:
        scores = [hit.score for hit in lists[name]]
        found += _of_list(name, [shares[i] for i in ids[name][:_FIRST]], scores)
        found.append(_same_title(name, [words[i].key for i in ids[name][:HEAD]]))
    found += [_agreement(one, other, ids) for one, other in combinations(LISTS, 2)]
    return (*found, *_strength(lists, terms), *_titles([words[i] for i in shares], names, is_name))


def _share(passage: PassageWords, terms: Terms) -> float:
    """Of the question's words, by rarity squared: the rarest say most about which passage is meant."""
    total = sum(r * r for r in terms.rarity)
    matched = sum(r * r for stem, r in zip(terms.stems, terms.rarity, strict=True) if stem in passage.words)
    return matched / total if total > 0 else 0.0


def _of_list(name: str, shares: Sequence[float], scores: Sequence[float]) -> list[Signal]:
    first, best = (shares[0], max(shares)) if shares else (0.0, 0.0)
    fifth = scores[min(_FIRST, len(scores)) - 1] if scores else 0.0
    margin = (scores[0] - fifth) / max(abs(scores[0]), 1e-9) if scores else 0.0
    return [
        Signal(
            f"{name}_first",
            first,
            lambda: tr(
                "first by {called} covers {share}", called=tr(LISTS_CALLED[name]), share=f"{first:.0%}"
            ),
        ),
        Signal(
            f"{name}_best",
            best,
            lambda: tr("best by {called} covers {share}", called=tr(LISTS_CALLED[name]), share=f"{best:.0%}"),
        ),
        Signal(
            f"{name}_margin",
            margin,
            lambda: tr("lead by {called} {share}", called=tr(LISTS_CALLED[name]), share=f"{margin:.0%}"),
        ),
    ]


def _same_title(name: str, titles: Sequence[str]) -> Signal:
    most = max(Counter(titles).values(), default=0) / max(1, len(titles))
    return Signal(
        f"{name}_one_title",
        most,
        lambda: tr("one title by {called} {share}", called=tr(LISTS_CALLED[name]), share=f"{most:.0%}"),
    )


def _agreement(one: str, other: str, ids: Mapping[str, Sequence[str]]) -> Signal:
    shared = len(set(ids[one][:_FIRST]) & set(ids[other][:_FIRST])) / _FIRST
    return Signal(
        f"{one}_{other}",
        shared,
        lambda: tr(
            "{one}, {other} agree {share}",
            one=tr(LISTS_CALLED[one]),
            other=tr(LISTS_CALLED[other]),
            share=f"{shared:.0%}",
        ),
    )


def _strength(lists: Lists, terms: Terms) -> list[Signal]:
    words, meaning = (lists[name][0].score if lists[name] else 0.0 for name in ("lexical", "dense"))
    full = words / max(sum(terms.rarity), 1e-9)
    return [
        Signal("words_strength", full, lambda: tr("score by words {full}", full=f"{full:.2f}")),
        Signal("cosine", meaning, lambda: tr("cosine by meaning {meaning}", meaning=f"{meaning:.2f}")),
    ]


def _titles(
    passages: Sequence[PassageWords], names: Sequence[str], is_name: Mapping[str, object]
) -> list[Signal]:
    n = max(1, len(passages))
    own = sum(p.key in names for p in passages) / n
    entities = sum(p.key in is_name for p in passages) / n
    several = len({p.key for p in passages}) / n
    letters = sum(len(p.text) for p in passages) / n
    return [
        Signal("titles_asked", own, lambda: tr("titles asked for {own}", own=f"{own:.0%}")),
        Signal(
            "titles_names",
            entities,
            lambda: tr("titles that are names {entities}", entities=f"{entities:.0%}"),
        ),
        Signal("titles_distinct", several, lambda: tr("unlike titles {several}", several=f"{several:.0%}")),
        Signal(
            "length",
            math.log(max(1.0, letters)) - 6.5,
            lambda: tr("passages of {letters} letters", letters=f"{letters:.0f}"),
        ),
    ]
