"""Spans with whole edges: no half number or address, no open bracket, no preposition left at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.index.lexical import STOP_WORDS

# What is read as one although words and marks alternate in it: addresses, sums, times, codes, "don't".
_TOKEN = re.compile(
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|https?://[^\s<>\"')\]]+|www\.[^\s<>\"')\]]+"
    r"|[-+]?(?:[€$£¥]|(?:USD|EUR|GBP|CHF)\s)?\s?\d+(?:[.,:/'\u2019\u00a0\u202f]\d+)*(?:\s?[%‰€£$°])?"
    r"|[^\W_]+(?:[-/'’_.][^\W_]+)+"
)
_WORD = re.compile(r"[^\W_]+")
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»", "„": "“"}
_LONGEST = 120  # characters within which a bracket that is open must close
# A name or an amount does not end on these; "the ship that he came from" may.
_DANGLING = frozenset(
    "a an the of and or nor but to in on at by for from with as than that which who whose is are was were be been "
    "this these those its their his her my our your le la les un une des du de et ou der die das ein eine und oder "
    "von zu den dem el los las y o il lo gli e".split()
)
_OUTSIDE = " \t\r\n,;:.-–—*•|/"
_STOPS = re.compile(r"(?:\b[A-Z]\.|\b(?:Ltd|Inc|Co|Corp|Jr|Sr|St|Dr|Mr|Mrs|no|No|a\.m|p\.m|etc)\.)$")


def complete(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span with whole edges; None where nothing is left that could be an answer.

    Edges move out to the ends of the number, address or code that they cut, and to the bracket that closes an open
    one; then in past marks and words that an answer does not end on.
    """
    start, end = _to_tokens(text, start, end)
    end = _to_bracket(text, start, end)
    start, end = _without_edges(text, start, end)
    words = [found.group().casefold() for found in _WORD.finditer(text, start, end)]
    if not words or all(word in STOP_WORDS or word in _DANGLING for word in words):
        return None
    return start, end


def _to_tokens(text: str, start: int, end: int) -> tuple[int, int]:
    for low, high in _tokens(text, start, end):
        if low < start < high:
            start = low
        if low < end < high:
            end = high
    return start, end


def _tokens(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the tokens of the lines on which the span begins and ends."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    return (found.span() for found in _TOKEN.finditer(text, first, len(text) if last < 0 else last))


def _to_bracket(text: str, start: int, end: int) -> int:
    """Return the end behind the bracket that closes one that the span opens; before that one where none does."""
    for at in range(start, end):
        closing = _PAIRS.get(text[at])
        if closing is None or closing in text[at + 1 : end]:
            continue
        found = text.find(closing, end, at + _LONGEST)
        if found >= 0 and "\n" not in text[end:found]:
            return found + 1
        return at if at > start else end
    return end


def _without_edges(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end:
        before = start, end
        while start < end and (text[start] in _OUTSIDE or _closes_nothing(text, start, end)):
            if text[start] == "-" and text[start + 1 : start + 2].isdigit():
                break
            start += 1
        while start < end and (text[end - 1] in _OUTSIDE or _opens_nothing(text, start, end)):
            if text[end - 1] == "." and _STOPS.search(text, start, end):
                break
            end -= 1
        last = _last_word(text, start, end)
        if last is not None and last.start() > start and last.group().islower() and last.group() in _DANGLING:
            end = last.start()
        if (start, end) == before:
            break
    return start, end


def _last_word(text: str, start: int, end: int) -> re.Match[str] | None:
    return next((found for found in _WORD.finditer(text, start, end) if found.end() == end), None)


def _closes_nothing(text: str, start: int, end: int) -> bool:
    return text[start] in _PAIRS.values() and text[start] not in _PAIRS


def _opens_nothing(text: str, start: int, end: int) -> bool:
    """Return whether the last character opens what the span does not hold, or closes what it does not open."""
    last = text[end - 1]
    if last in _PAIRS and last not in _PAIRS.values():
        return True
    opening = next((one for one, other in _PAIRS.items() if other == last), None)
    return opening is not None and opening not in text[start : end - 1]
