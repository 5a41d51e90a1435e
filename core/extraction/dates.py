"""Where full and partial dates stand in a text: '5 October 1987', 'Oct. 5, 1987', 'May 1987', '1987-10-05'."""

from __future__ import annotations

import re

MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"(?:(?<![\w.])|(?<=[a-z] \d{{4}}))(?:\d{{4}}-\d{{2}}-\d{{2}}|{_DAY}(?:\s+of)?\s+{MONTH},?\s+\d{{3,4}}"
    rf"|{MONTH}\s+{_DAY}\s*,\s*\d{{3,4}}|{MONTH}\s+{_DAY}\s+\d{{4}}|{MONTH},?\s+\d{{4}})(?:(?!\w)|(?=\d{{1,2}}\s+{MONTH}))"
)


def find_dates(text: str) -> list[tuple[int, int]]:
    """Spans of dates with at least a month and a year, in order, none overlapping."""
    return [match.span() for match in _DATE.finditer(text)]
