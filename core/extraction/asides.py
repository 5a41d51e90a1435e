"""What brackets say of the name before them: '(born 5 May 1930 in Oslo)', '(12 March 1901 - 1960)', '(IBM)'."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.extraction.mentions import NOT_NAMES
from core.extraction.names import Name, clean, normalise
from core.extraction.reading import Aside
from core.text.dates import find_dates

BORN, ALIAS, YEAR_OF_WORK = 0.95, 0.8, 0.7

_YEAR = re.compile(r"(?<![\w.,/$€£-])(?:[1-9]\d{2}|1\d{3}|20\d{2})(?![\w/]|[.,]\d)")
_BIRTH = re.compile(r"^\W*(?:born|b\.|né|née|nee)(?!\w)\s*", re.IGNORECASE)
_DEATH = re.compile(r"^\W*(?:died|d\.|†)\s*", re.IGNORECASE)
_RANGE = re.compile(r"\s*[–—]\s*|\s+-\s*|(?<=\d)-\s*(?=\d{3,4}\b|[A-Z])")
_CAPITALISED = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’.&-]*(?:\s+(?:(?:of|de|da|di|du|van|von|the|la|le|del|el|al|-)\s+)*[A-ZÀ-ÖØ-Þ][\w'’.&-]*)*"
)
_ALIAS = re.compile(
    r"(?:\b(?:also|formerly|previously|better|commonly|often|professionally|sometimes|or)\b\s*)*"
    r"\b(?:known|called|spelled|spelt|written|romani[sz]ed|transliterated|abbreviated|styli[sz]ed|aka|a\.k\.a\.)"
    r"(?:\s+(?:professionally|simply))?(?:\s+(?:as|by))?\s*:?\s*",
    re.IGNORECASE,
)
_LOWER = re.compile(r"\b[a-z]{2,}\b")
_DATE_WORDS = frozenset(
    "in at of near ca circa about before after the or de da di la le von van died".split()
)
_ACRONYM = re.compile(r"[A-Z][A-Z0-9&.-]{1,8}")


@dataclass(frozen=True, slots=True)
class AsideFact:
    """One thing that a bracket says: predicate and object name (source offsets) with its confidence."""

    predicate: str
    name: Name
    confidence: float


def read_aside(aside: Aside, person: bool | None, name: str) -> Iterator[AsideFact]:
    """Yield what the bracket says of the name before it. `person`: whether that is one; None when not known."""
    opening = aside.text.index("(")
    inside = aside.text[opening + 1 : -1]
    base = aside.source_start + opening + 1
    if _ACRONYM.fullmatch(inside.strip()):
        if _abbreviates(inside, name):
            yield AsideFact("also known as", _name(inside, 0, len(inside), base, "OTHER"), ALIAS)
        return
    at = 0
    born = False
    for segment in inside.split(";"):
        yield from _segment(segment, base + at, person, born)
        born = born or _BIRTH.match(segment) is not None
        at += len(segment) + 1


def _abbreviates(short: str, name: str) -> bool:
    """Return whether a name holds the letters of the short form in order, from an initial on: not "Fees (STUART)"."""
    wanted = "".join(filter(str.isalnum, short.casefold()))
    words = normalise(name).split()
    tails = (iter("".join(words[at:])) for at, word in enumerate(words) if word[:1] == wanted[:1])
    return any(all(letter in tail for letter in wanted) for tail in tails)


def aside_names(aside: Aside) -> list[Name]:
    """Return dates, years and capitalised runs of the bracket."""
    dates = [(start, end, "DATE") for start, end in _times(aside.text)]
    names = [
        (found.start(), found.end(), "OTHER")
        for found in _CAPITALISED.finditer(aside.text)
        if not any(start < found.end() and found.start() < end for start, end, _ in dates)
    ]
    candidates = (
        _name(aside.text, start, end, aside.source_start, label) for start, end, label in dates + names
    )
    return [name for name in candidates if len(name.text) > 1 and normalise(name.text) not in NOT_NAMES]


def _segment(text: str, base: int, person: bool | None, after_birth: bool) -> Iterator[AsideFact]:
    """Yield one part between semicolons; `after_birth`: an earlier part began with "born"."""
    alias = _ALIAS.match(text.lstrip())
    if alias is not None:
        start = len(text) - len(text.lstrip()) + alias.end()
        for found in re.finditer(r"[^,;/]+?(?=\s+or\s+|,|/|$)|[^,;/]+", text[start:]):
            part = re.sub(r"^\W*(?:or|and)\s+", "", found.group())
            at = start + found.start() + found.group().rindex(part)
            name = _name(text, at, at + len(part), base, "OTHER")
            if name.text[:1].isupper() and len(name.text) > 1:
                yield AsideFact("also known as", name, ALIAS)
        return
    parts = _parts(text)
    born, dies = _BIRTH.match(text), _DEATH.match(text)
    exact = bool(find_dates(text))
    if len(parts) == 2 and any(_times(part) for _, part in parts):
        if person or born or (person is None and exact):
            yield from _event("born", *parts[0], base)
            if not set(_LOWER.findall(_DEATH.sub("", parts[1][1]))) - _DATE_WORDS:
                yield from _event("died", *parts[1], base)
    elif born or (after_birth and _times(text)):
        yield from _event("born", 0, text, base)
    elif dies:
        yield from _event("died", 0, text, base)
    elif (times := _times(text)) and len(times) == 1 and not person:
        start, end = times[0]
        if not text[:start].strip(" ,") and not text[end:].strip(" ,"):
            yield AsideFact("dated", _name(text, start, end, base, "DATE"), YEAR_OF_WORK)


def _parts(text: str) -> list[tuple[int, str]]:
    """Return left and right of the dash between two dates, with their offsets; else the whole text."""
    for dash in _RANGE.finditer(text):
        left, right = text[: dash.start()], text[dash.end() :]
        if (_times(left) or re.search(r"\d\d|\?|unknown", left)) and (
            _times(right) or re.search(r"\d\d|\?", right)
        ):
            return [(0, left), (dash.end(), right)]
    dates = find_dates(text)
    if len(dates) == 2:  # the dash is missing
        return [(0, text[: dates[0][1]]), (dates[0][1], text[dates[0][1] :])]
    return [(0, text)]


def _event(event: str, offset: int, text: str, base: int) -> Iterator[AsideFact]:
    """Yield the date and places of a birth or a death; a name between "born" and the date is a former name."""
    times = _times(text)
    word = _BIRTH.match(text) or _DEATH.match(text)
    head = word.end() if word else 0
    base += offset
    start, end = times[0] if times else (len(text), len(text))
    if times:
        yield AsideFact(
            f"{event} on" if find_dates(text) else f"{event} in", _name(text, start, end, base, "DATE"), BORN
        )
    before = text[head:start]
    for found in _CAPITALISED.finditer(before):
        lead = before[: found.start()].rstrip()
        placed = lead.endswith((" in", " at")) or lead in {"in", "at"} or not word
        name = _name(before, found.start(), found.end(), base + head, "GPE" if placed else "OTHER")
        if placed:
            yield AsideFact(f"{event} in", name, BORN)
        elif word and event == "born" and found.start() == len(before) - len(before.lstrip(' "')):
            yield AsideFact("born as", name, ALIAS)
    for found in _CAPITALISED.finditer(text[end:]):
        yield AsideFact(
            f"{event} in", _name(text, end + found.start(), end + found.end(), base, "GPE"), BORN * 0.9
        )


def _times(text: str) -> list[tuple[int, int]]:
    """Return dates, and the years that stand outside them, in order."""
    dates = find_dates(text)
    years = [
        found.span()
        for found in _YEAR.finditer(text)
        if not any(start <= found.start() < end for start, end in dates)
    ]
    return sorted(dates + years)


def _name(text: str, start: int, end: int, base: int, label: str) -> Name:
    """Return the name without white space and quotes around it, at its exact source offsets."""
    raw = text[start:end]
    name = clean(raw)
    at = raw.find(name) if name else -1
    if at < 0:
        return Name(name, label, base + start, base + end)
    return Name(name, label, base + start + at, base + start + at + len(name))
