"""Numbers in a text and what they count: money, shares, times of day, plain counts."""

from __future__ import annotations

import re

from core.answering.words import Word

_NUMBER = re.compile(r"(?<![\w.,-])(?:[$€£¥]\s?|(?:USD|EUR|GBP|CHF):?\s)?\d[\d,.:]*(?<=\d)")
_SCALE = re.compile(r"\s?(?:thousand|million|billion|trillion)\b", re.IGNORECASE)
_CURRENCY = re.compile(r"\s?(?:dollars?|euros?|pounds|francs|crowns|EUR|USD|GBP|CHF|[€£¥])(?!\w)")
_SHARE = re.compile(r"\s?(?:%|per\s?cent\b)", re.IGNORECASE)
_CLOCK = re.compile(r"\s?[ap]\.?m\b\.?", re.IGNORECASE)
_SHAPE_OF_TIME = re.compile(r"\d{1,2}[:.]\d{2}")
_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand dozen once twice".split()
)


def find_amounts(text: str, words: tuple[Word, ...]) -> list[tuple[str, int, int]]:
    """(label, start, end) with labels as spaCy names them; offsets in `text`, in order of kind.

    `words` are the text's; only those written as words ("seven") are taken from them.
    """
    found = [_labelled(text, match) for match in _NUMBER.finditer(text)]
    if not words:
        return found
    offset = words[0].start - _first_word(text)
    for word in words:
        start, end = word.start - offset, word.end - offset
        if text[start:end].lower() in _WORDS:
            found.append(("CARDINAL", start, end))
    return found


def _first_word(text: str) -> int:
    return next((i for i, c in enumerate(text) if c.isalnum()), 0)


def _labelled(text: str, match: re.Match[str]) -> tuple[str, int, int]:
    start, end = match.span()
    scale = _SCALE.match(text, end)
    end = scale.end() if scale else end
    currency = _CURRENCY.match(text, end)
    if currency:
        return "MONEY", start, currency.end()
    if not text[start].isdigit():
        return "MONEY", start, end
    share = _SHARE.match(text, end)
    if share:
        return "PERCENT", start, share.end()
    clock = _CLOCK.match(text, end)
    if clock:
        return "TIME", start, clock.end()
    if _SHAPE_OF_TIME.fullmatch(match.group()) and ":" in match.group():
        return "TIME", start, end
    return "CARDINAL", start, end
