"""Words of a text, their stems, and whether a text carries what a claim says, by its words alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from core.text.sentences import STARTERS

_LONG_ENOUGH = 5  # letters of a word that may be misspelled
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


def parts_of(name: str) -> list[str]:
    """Return the words of a name, casefolded, without accents taken off: "Credit-Note" has two."""
    return [word.casefold() for word in _FOLD.findall(name)]


def fold(text: str) -> str:
    """The words alone in lower case, spaced on both sides, so that a whole name is found as a string."""
    return f" {' '.join(_FOLD.findall(text.casefold()))} "


NEGATIONS = frozenset("not no never none neither nor without nobody nothing".split())
_TERM = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_QUOTE = re.compile(r"[\"“]([^\"”]{3,300})[\"”]")
_SENTENCE_BEFORE = re.compile(r"[.!?:]\s*[\"“]?$")
_POSSESSIVE = re.compile(r"[’']s$")
_FUNCTION_WORDS = frozenset(
    "a an the of in on at to for from by with as and or but is are was were be been being it its he she they his her"
    " their this that these those which who whom whose has have had do does did there also into about while when"
    " after before between among through during both other another such than then".split()
)
_MOST = 0.6  # share of a statement's words that sentences must hold


def holds(text: str, claim: str, question: str = "") -> bool:
    """Whether the claim's names, numbers and quotes stand in the text; names and numbers may be the question's."""
    folded, asked = fold(text), fold(question)
    if any(fold(quote) not in folded for quote in _QUOTE.findall(claim)):
        return False
    if not all(name in folded or name in asked for name in _names(claim)):
        return False
    return numbers(claim) <= numbers(text) | numbers(question)


def carries(sentences: str, statement: str) -> bool:
    """Whether the sentences, joined, carry the statement: they hold what it names and most of its other words, and it
    denies only where they do."""
    wanted = content_stems(statement)
    if not wanted or len(wanted & content_stems(sentences)) < _MOST * len(wanted):
        return False
    return holds(sentences, statement) and (not _denies(statement) or _denies(sentences))


def content_stems(text: str) -> frozenset[str]:
    """Stems of the words that say something, without numbers."""
    return frozenset(
        word.stem
        for word in words(text)
        if text[word.start : word.end].casefold() not in _FUNCTION_WORDS and not text[word.start].isdigit()
    )


def numbers(text: str) -> frozenset[str]:
    """Numbers without the marks that group their digits."""
    return frozenset(re.sub(r"[.,](?=\d{3}\b)", "", number) for number in _NUMBER.findall(text))


def _names(text: str) -> Iterator[str]:
    """Words with a capital, folded; at the head of a sentence only where another one follows, or within."""
    found = list(_TERM.finditer(text))
    for at, word in enumerate(found):
        low = word[0].casefold()
        if not word[0][0].isupper() or low in _FUNCTION_WORDS:
            continue
        if at == 0 or _SENTENCE_BEFORE.search(text[: word.start()]):
            followed = at + 1 < len(found) and found[at + 1][0][0].isupper()
            if low in STARTERS or not (followed or any(letter.isupper() for letter in word[0][1:])):
                continue
        yield fold(_POSSESSIVE.sub("", word[0]))


def _denies(text: str) -> bool:
    tokens = {word.casefold() for word in _TERM.findall(text)}
    return bool(tokens & NEGATIONS) or any(word.endswith(("n't", "n’t")) for word in tokens)


def is_misspelled(word: str, known: Iterable[str]) -> bool:
    """Return whether a word of five letters or more is a known one with a letter more, less, wrong or moved."""
    if len(word) < _LONG_ENOUGH:
        return False
    return any(
        sorted(word) == sorted(other) or Levenshtein.distance(word, other, score_cutoff=1) <= 1
        for other in known
    )
