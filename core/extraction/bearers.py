"""What the words around a name say of its bearer: a place, a thing, a person, a man or a woman, with which office.

Read off the stored text, so that it is the same whoever extracted the names. Only what hardly ever misleads counts:
"the harbour of Lincoln", "The Lincoln left", "Lincoln signed it and went home to his wife", "Zhao Min is CFO of
Calloway Freight. He joined the firm".
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from core.extraction.name_parts import OTHER, PERSON, PLACE, kind_of
from core.extraction.topic import PLACE_NOUNS
from core.types.kinds import VALUES

THING = "thing"
_BEFORE, _SENTENCE = 30, 300  # characters that are looked at before a name, and behind it
_LOCATED = re.compile(r"[ (](?:in|at|near) $", re.IGNORECASE)
_PLACE_OF = re.compile(
    rf"\b(?:{'|'.join(sorted(PLACE_NOUNS))}|harbou?r|port|river|outskirts|streets|ville|quartier|rues) (?:of|de) $",
    re.IGNORECASE,
)
_THING_BEFORE = re.compile(
    r"\b(?:(?:steam|war|motor|flag|battle|air)?ship|vessel|(?:steam|motor|sail|life)?boat|ferry|liner|frigate"
    r"|cutter|sloop|steamer|schooner|tug|yacht|barque|brig|trawler|freighter|tanker|aircraft|airplane"
    r"|locomotive|film|novel|song|album|opera|painting|navire|bateau|paquebot|SS|MS|MV|HMS|USS|aboard(?: the)?) $"
)
# What ships alone do: "The Durham put to sea", though Durham is a place.
_SAILS = re.compile(
    r" (?:sank|sailed|docked|moored|anchored|capsized|foundered|steamed|left port|put to sea|ran aground|lay at anchor"
    r"|was (?:launched|scuttled|torpedoed|salvaged|towed))\b"
)
_ARTICLE = re.compile(r"(?:^|[\s(\"“])[Tt]he $")
# What a name is followed by that stands by itself: "the Berg family" does not.
_BY_ITSELF = re.compile(
    r"['’]s\b|[.,;:!?)]|$| (?:is|was|were|are|has|had|will|would|and|or|in|on|at|of|to|from|with|by|for|which|that"
    r"|into|near|left|sank|ran|lay|came|went|took|made|struck|lost|set|put|bore|met|hit|fell|[a-z]{2,}ed)\b"
)
_BEGINS = re.compile(r"(?:^|[.!?][\"”’)]*\s+|\n)[\"“‘(]?$")
_ENDS = re.compile(r"[.!?][\"”’)]*(?=\s|$)|\n")
_OWN = re.compile(r"\b(his|himself|her|herself)\b")
_NEXT = re.compile(r"\s*(He|She|His|Her|Il|Elle)\b")
_WHO = re.compile(r",? who\b")
_MALE = frozenset({"he", "his", "himself", "il"})
# An office of which there is one: no "a" before it. In the present, for offices change.
_OFFICE = re.compile(
    r"(?:,| is| is now| serves as|, who is,?) (?:the |our |our new )?(?!an? )(?P<role>[^\W\d_][\w-]*(?: [\w-]+){0,3}?)"
    r" (?:of|at|for) (?:the )?$"
)


@dataclass(frozen=True, slots=True)
class Use:
    """A mention in a passage: the key of its name without sense, its label and place."""

    normal: str
    label: str
    start: int
    end: int


@dataclass(slots=True)
class Bearing:
    """What all uses of a name in one document say. `offices`: (office, firm as written)."""

    located: bool = False
    kinds: set[str] = field(default_factory=set)
    pronouns: Counter[str] = field(default_factory=Counter)
    offices: set[tuple[str, str]] = field(default_factory=set)

    @property
    def pronoun(self) -> str:
        """ "he" or "she" where no use says the other."""
        return next(iter(self.pronouns)) if len(self.pronouns) == 1 else ""


def bearings(passages: Iterable[tuple[str, Sequence[Use]]]) -> dict[str, Bearing]:
    """By name, of a document's passages, each with its uses in order."""
    found: dict[str, Bearing] = defaultdict(Bearing)
    for text, uses in passages:
        for at, use in enumerate(uses):
            # What begins a sentence may pass for a word; what is written small is one.
            if use.end > use.start and use.label not in VALUES and text[use.start].isupper():
                _look(text, use, uses[at + 1 :], found[use.normal])
    return dict(found)


def _look(text: str, use: Use, later: Sequence[Use], bearing: Bearing) -> None:
    before = text[max(0, use.start - _BEFORE) : use.start]
    kind = kind_of(use.label)
    bearing.located |= _LOCATED.search(before) is not None
    if _PLACE_OF.search(before) is not None:
        bearing.kinds.add(PLACE)
    elif _THING_BEFORE.search(before) is not None or (
        _ARTICLE.search(before) is not None
        and (_BY_ITSELF if kind == OTHER else _SAILS).match(text, use.end) is not None
    ):
        bearing.kinds.add(THING)
    if _WHO.match(text, use.end) is not None and kind != PLACE:
        bearing.kinds.add(PERSON)
    end = _ENDS.search(text, use.end, use.end + _SENTENCE)
    if end is None or _BEGINS.search(before) is None or _ARTICLE.search(before) is not None:
        return
    others = [one for one in later if one.start >= use.end and one.label not in VALUES]
    for other in others[:4]:
        office = _OFFICE.fullmatch(text, use.end, other.start) if kind_of(other.label) != PLACE else None
        if office is not None and other.end <= end.start():
            bearing.offices.add((office["role"].casefold(), text[other.start : other.end]))
            others = [one for one in others if one.start > other.start]  # whatever the firm is labelled
            break
    for word in _pronouns(text, use, others, end):
        bearing.kinds.add(PERSON)
        bearing.pronouns["he" if word.lower() in _MALE else "she"] += 1


def _pronouns(text: str, use: Use, others: Sequence[Use], end: re.Match[str]) -> Iterator[str]:
    """Those that mean the name which leads the sentence: in it with no other name before, or first in the next one."""
    first = min((one.start for one in others), default=len(text))
    if (own := _OWN.search(text, use.end, min(end.start(), first))) is not None:
        yield own[1]
    alone = not any(one.start < end.start() and kind_of(one.label) == PERSON for one in others)
    if use.label == "PERSON" and alone and (following := _NEXT.match(text, end.end())) is not None:
        yield following[1]
