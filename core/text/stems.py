"""Words of a text and their stems, light enough to be taken afresh for every question."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_FOLD = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)*")

# Irregular forms, each line one word.
_FORMS = """
write wrote written | sing sang sung | die died dies dying death dead deceased | bear born birth birthday birthplace
pay paid payment | buy bought | sell sold sale | meet met meeting | make made | win won winner | lead led leader
hold held | build built | leave left | send sent | take took taken | give gave given | run ran | fly flew flown flight
draw drew drawn | fall fell fallen | begin began begun | become became | grow grew grown | see saw seen
speak spoke spoken
say said | tell told | think thought | teach taught
lose lost loss | spend spent | sink sank sunk | marry married marriage
find found-out | know known knew | keep kept | bring brought | choose chose chosen | drive drove driven
ride rode ridden | rise rose risen | wear wore worn | steal stole stolen theft | hide hid hidden | shoot shot
strike struck | arrive arrived arrival | publish published publication | establish established establishment
found founded founder founding foundation | invade invaded invasion | discover discovered discovery | inherit inherited
nation national nationality | country countries | citizen citizenship citizens | city cities | company companies
produce produced production producer | employ employed employer employee employment | sign signed signature
appoint appointed appointment | retire retired retirement | educate educated education | release released releases
play played player plays | premiere premiered premieres | insure insured insurance insurer
deliver delivered delivery | approve approved approval | decide decided decision | acquire acquired acquisition
charter charters chartered charterer charterers chartering
locate located location | situate situated situation | elect elected election | bury buried burial
weigh weight weighed
own owned owner owns ownership | child children | wife wives | man men | woman women | person people | life lives
"""
_HEAD_OF = {
    form: group.split()[0]
    for line in _FORMS.strip().splitlines()
    for group in line.split("|")
    for form in group.split()
}
_SUFFIXES = ("ings", "ing", "ers", "ors", "er", "or", "ed", "es", "s", "e")
_KEEP = 3  # letters that a stem keeps at least
_ENDINGS = ("ing", "ed", "es", "s")


class Word(NamedTuple):  # a thousand are made for each question: half the time of a frozen dataclass
    """A stem with the place of its word; offsets in the text it was read from."""

    stem: str
    start: int
    end: int


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """'directed', 'director' and 'directs' -> 'direct'; irregular forms by list. Lower case."""
    lower = word.casefold()
    if lower.endswith(("'s", "’s")):
        lower = lower[:-2]
    one = lower[:-3] + "y" if lower.endswith("ies") else lower.removesuffix("s")
    lower = _HEAD_OF.get(lower) or _HEAD_OF.get(one, lower)  # "employees" as "employee"
    for suffix in _SUFFIXES:
        if lower.endswith(suffix) and len(lower) - len(suffix) >= _KEEP and lower[-2:] != "ss":
            lower = lower[: -len(suffix)]
            break
    if len(lower) > _KEEP and lower[-1] == lower[-2] and lower[-1] not in "ls":
        lower = lower[:-1]
    return lower[:-1] + "i" if lower.endswith("y") and len(lower) > _KEEP else lower


@lru_cache(maxsize=100_000)
def strip_ending(word: str) -> str:
    """The word without a plural or verb ending: cruder than `stem`, and what the weights of retrieval were trained on.

    Whoever changes it trains `clew select` and `clew router` anew.
    """
    for ending in _ENDINGS:
        if len(word) > len(ending) + _KEEP and word.endswith(ending):
            return word[: -len(ending)]
    return word


def words(text: str, offset: int = 0) -> tuple[Word, ...]:
    """The words of `text`; `offset` is added to the places."""
    return tuple(Word(stem(m.group()), m.start() + offset, m.end() + offset) for m in _WORD.finditer(text))


def fold(text: str) -> str:
    """The words alone in lower case, spaced on both sides, so that a whole name is found as a string."""
    return f" {' '.join(_FOLD.findall(text.casefold()))} "
