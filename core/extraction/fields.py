"""Rows of tables as passages write them: 'Ship: Grey Petrel; Port: Antwerp', one a line.

They have no grammar, so they are read here and kept from the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.extraction.dates import find_dates
from core.extraction.found import Name
from core.extraction.identifiers import find_identifiers
from core.extraction.names import clean, normalise

FIELD = 0.6  # confidence: the row says that the values belong together, not how
MAX_VALUE_WORDS = 4  # longer values are prose and stay with the parser
MAX_FIELDS = 24  # of one row

_FIELD = re.compile(r"(?:^|;)\s*([^\W\d_][^:;\n]{0,39}?)\s?:[ \t]+([^;\n]*[^;\s])")
_NUMBER = re.compile(r"[^\d\n]{0,4}\d[\d.,: ]*\D{0,4}")


@dataclass(frozen=True, slots=True)
class Field:
    """One 'key: value'; `start` is where the key begins, the others bound the value."""

    key: str
    value: str
    start: int
    value_start: int
    end: int

    @property
    def short(self) -> bool:
        words = self.value.split()
        return len(words) <= MAX_VALUE_WORDS or (len(words) <= 2 * MAX_VALUE_WORDS and _capitalised(words))


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of one line."""

    fields: tuple[Field, ...]


def find_rows(text: str) -> list[Row]:
    """Lines of two fields or more, most of whose values are short, in order."""
    rows: list[Row] = []
    at = 0
    for line in text.split("\n"):
        fields = _fields(line, at) if ": " in line and ";" in line else ()
        if len(fields) > 1 and 2 * sum(field.short for field in fields) >= len(fields):
            rows.append(Row(fields[:MAX_FIELDS]))
        at += len(line) + 1
    return rows


def row_triples(row: Row) -> Iterator[tuple[Name, str, Name]]:
    """(subject, key, value): the first value that reads as a name has the others as its properties."""
    values = [(field, name) for field in row.fields if field.short and (name := _value(field)) is not None]
    subject = next(
        (name for _, name in values if name.label == "OTHER" and _capitalised(name.text.split())), None
    )
    if subject is None:
        return
    for field, name in values:
        if name is not subject and normalise(name.text) != normalise(subject.text):
            yield subject, field.key, name


def row_names(row: Row) -> list[Name]:
    """The short values that read as names, dates or long numbers."""
    names = [name for field in row.fields if field.short and (name := _value(field)) is not None]
    return [name for name in names if name.label != "OTHER" or _capitalised(name.text.split())]


def _fields(line: str, offset: int) -> tuple[Field, ...]:
    """The fields of a line; none where it begins otherwise."""
    found = [
        Field(m[1].lower(), m[2], offset + m.start(1), offset + m.start(2), offset + m.end(2))
        for m in _FIELD.finditer(line)
    ]
    return tuple(found) if found and not line[: found[0].start - offset].strip() else ()


def _capitalised(words: list[str]) -> bool:
    return all(not word[:1].islower() for word in words if len(word) > 3)


def _value(field: Field) -> Name | None:
    """The value as a name; numbers of fewer than three digits join nothing."""
    text = clean(field.value)
    if not normalise(text):
        return None
    at = field.value.find(text)
    start = field.value_start + max(at, 0)
    end = start + len(text) if at >= 0 else field.end
    identifiers = find_identifiers(field.value)
    if len(identifiers) == 1 and field.value[identifiers[0].start : identifiers[0].end] == text:
        return Name(identifiers[0].text, identifiers[0].label, start, end)
    dates = find_dates(text)
    if dates and dates[0][0] == 0:
        return Name(text, "DATE", start, end)
    if _NUMBER.fullmatch(text):
        return Name(text, "CARDINAL", start, end) if sum(c.isdigit() for c in text) > 2 else None
    return Name(text, "OTHER", start, end) if any(c.isalpha() for c in text) else None
