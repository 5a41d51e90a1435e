"""Times that a question restricts its answer to: "before May 2021", "in 1998", "between 1990 and 1995"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.text.dates import named_days, read_dates

_YEAR = re.compile(r"(?<![\d.,£$€/-])(?:1[0-9]|20)\d\d(?![\d.,%/-]\d|\d)")
_BETWEEN = re.compile(r"\b(?:between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_AND = re.compile(r"\s*(?:and|to|until|till|-|–)\s+(?:the\s+)?$", re.IGNORECASE)
_BOUNDS = {
    "earlier": re.compile(
        r"\b(?:before|prior to|earlier than)\s+(?:the\s+|early\s+|late\s+)?$", re.IGNORECASE
    ),
    "later": re.compile(r"\b(?:after|later than|following)\s+(?:the\s+|early\s+|late\s+)?$", re.IGNORECASE),
    "from": re.compile(r"\b(?:since|from|as of)\s+(?:the\s+|early\s+|late\s+)?$", re.IGNORECASE),
    "until": re.compile(r"\b(?:until|till|by|up to)\s+(?:the\s+|early\s+|late\s+)?$", re.IGNORECASE),
    "within": re.compile(r"\b(?:in|during|on)\s+(?:the\s+|early\s+|late\s+|year\s+)*$", re.IGNORECASE),
}
EVER, NEVER = 0, 10_000_000  # ordinals of days before and after every calendar's


@dataclass(frozen=True, slots=True)
class Period:
    """First and last day, by `datetime.date.toordinal`."""

    first: int
    last: int

    def overlaps(self, other: Period) -> bool:
        return self.first <= other.last and other.first <= self.last


def restriction_of(question: str) -> Period | None:
    """Return the time that the question restricts its answer to; None where it names none in such a way."""
    first, last = EVER, NEVER
    times = times_in(question)
    for at, (start, _, period) in enumerate(times):
        before = question[:start]
        if (
            at
            and _AND.search(question[times[at - 1][1] : start])
            and _BETWEEN.search(question[: times[at - 1][0]])
        ):
            first, last = times[at - 1][2].first, period.last
            continue
        bound = next((name for name, pattern in _BOUNDS.items() if pattern.search(before)), "")
        if bound in ("from", "within"):
            first = max(first, period.first)
        if bound in ("until", "within"):
            last = min(last, period.last)
        if bound == "earlier":
            last = min(last, period.first - 1)
        if bound == "later":
            first = max(first, period.last + 1)
    return None if (first, last) == (EVER, NEVER) or first > last else Period(first, last)


def lies_outside(restriction: Period, sentence: str) -> bool:
    """Return whether a sentence names times, and none of them within the restriction."""
    times = times_in(sentence)
    return bool(times) and not any(period.overlaps(restriction) for _, _, period in times)


def times_in(text: str) -> list[tuple[int, int, Period]]:
    """Return the dates and years of a text, with their places, in order."""
    dates = [(one.start, one.end) for one in read_dates(text)]
    years = [found.span() for found in _YEAR.finditer(text)]
    years = [(a, b) for a, b in years if not any(start < b and a < end for start, end in dates)]
    found = ((a, b, named_days(text[a:b])) for a, b in sorted((*dates, *years)))
    return [(a, b, Period(*days)) for a, b, days in found if days is not None]
