"""Chooses the date of a document: what its title or its first lines say of it, then its name, then its metadata.

The first lines date a document by their form alone: a date with a place or a weekday before it, as letters have it, or
behind the one word "date". What says more ("Born 3 May 1951", "Valid until 3 May 2025") is of something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from core.ingest.reading import Reading
from core.ingest.titles import iso_date
from core.text.dates import WEEKDAY, WrittenDate, day_span, month_first_of, read_dates
from core.types import BlockKind, Notice, NoticeKind

_HEAD = 2_000  # characters, and lines, in which a document says of when it is
_LINES = 15
_LONGEST = 90  # characters of a line that says only when and where
_USAGE = 50_000  # characters by which day and month are told apart
_YEAR = 366  # days
# A place and a comma, a weekday, or what letters, minutes and forms write before their date.
_ON = rf"(?:{WEEKDAY}\.?,?\s+)?"
_BEFORE = re.compile(
    rf"[\s(\[]*(?:[^\W\d_][\w.'’-]*(?:\s[^\W\d_][\w.'’-]*){{0,3}},\s*)?{_ON}"
    rf"(?:(?:dated?|datum|dato|fecha|data|дата|日期|日付|날짜|التاريخ)\s?[:.：]?\s*(?:of\s)?{_ON})?"
    r"(?:(?:the|den|am|le|il|lì|li|el|a|em|on|this)\s+)?",
    re.IGNORECASE,
)
# A label of which a word is "date" or "issued".
_LABEL = re.compile(
    r"\s*(?P<label>[^\W\d_](?:[^\W\d_]|[ '’./()-]){2,40}?)(?:\s?[:.]\s*|\s+)(?:(?:the|den|am|le|il|el|on)\s+)?",
    re.IGNORECASE,
)
_DATE_OF = re.compile(r"(?:\b|(?<=[^\W\d_]))(?:date|datum|dato)\b|\b(?:fecha|data|date) d", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")  # in the name of a file
_ISSUED = re.compile(
    r"\b(?:issued?|publi\w+|released?|ausgestellt|ausstellungs\w*|veröffentlicht|erstellt|emisión|emissione|émission|"
    r"expedición|uitgegeven|udgivet)\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:\s?г(?:ода)?\b\.?)?"  # "year" in Russian
    r"[\s)\].,;]*(?:(?:at|um|à|alle|a las)?\s?\d{1,2}(?:[:.h]\d\d)?(?::\d\d)?"
    r"\s?(?:[ap]\.?m\.?|uhr|h|[A-Z]{3,4}|Z)?)?[\s)\].,]*",
    re.IGNORECASE,
)
_APART = frozenset({BlockKind.TABLE, BlockKind.TURN, BlockKind.CODE, BlockKind.BOILERPLATE})


def document_date(reading: Reading, name: str) -> tuple[str | None, tuple[Notice, ...]]:
    """Return the date in ISO 8601, None where nothing tells, and a notice where the metadata differ by over a year.

    `name` is that of the file. What is sent is of when it was sent: of a message its own date counts.
    """
    stated = iso_date(reading.date) or ""
    if any(block.kind is BlockKind.TURN for block in reading.blocks[:1]) and stated:
        return stated, ()
    found = _own_date(reading, name)
    if not found or stated.startswith(found):
        return stated or None, ()
    first, second = day_span(found), day_span(stated)
    if first and second and max(first[0] - second[1], second[0] - first[1]) > _YEAR:
        return found, (Notice(NoticeKind.DATE, detail=stated[:10]),)
    return found, ()


def dated_by_name(*names: str) -> str:
    """Return the day or the month that the first of these titles or names of files has in it; "" for none."""
    for name in names:
        for date in read_dates(_COMPACT.sub(r"\1-\2-\3", name).replace("_", " ")):
            if len(found := date.iso()) > 4:
                return found
    return ""


def _own_date(reading: Reading, name: str) -> str:
    """Return what the document says of when it is, in the order of what counts more; "" where it says nothing."""
    dates = list(islice(_head_dates(reading), 3))
    found = dated_by_name(reading.title, reading.heading)
    several = len({(date.year, date.month, date.day) for date in dates}) > 1  # a list of persons, of events
    if found and not (several and found in {date.iso() for date in dates}):
        return found
    if several or not dates:
        return dated_by_name(name)
    if dates[0].unsure:
        usage = month_first_of(read_dates(reading.text[:_USAGE]))
        return dates[0].iso(usage) if usage is not None else dated_by_name(name) or dates[0].iso()
    return dates[0].iso()


def _head_dates(reading: Reading) -> Iterator[WrittenDate]:
    """Yield the dates of the first lines that say only when and where the document was written."""
    apart = [
        (block.start, block.end) for block in reading.blocks if block.kind in _APART and block.start < _HEAD
    ]
    at = lines = 0
    name = reading.heading or reading.title or reading.text[:_LONGEST].partition("\n")[0]
    for line in reading.text[:_HEAD].split("\n"):
        start, at = at, at + len(line) + 1
        if not line.strip():
            continue
        lines += 1
        if lines > _LINES:
            return
        if len(line) > _LONGEST or _within(start, apart):
            continue
        dates = read_dates(line)
        if len(dates) == 1 and dates[0].day and not dates[0].since[0]:
            before, after = line[: dates[0].start], line[dates[0].end :]
            if _AFTER.fullmatch(after) and (_BEFORE.fullmatch(before) or _is_issue(before, name)):
                yield dates[0]


def _is_issue(before: str, name: str) -> bool:
    """Whether a label says that the document was issued: so, or by what the document calls itself ("Invoice date")."""
    label = _LABEL.fullmatch(before)
    if label is None:
        return False
    if _ISSUED.search(label["label"]):
        return True
    if _DATE_OF.search(label["label"]) is None:
        return False
    words = _DATE_OF.sub("", label["label"]).casefold()
    return any(word[: max(5, len(word) - 3)] in words for word in _WORD.findall(name.casefold()))


def _within(place: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)
