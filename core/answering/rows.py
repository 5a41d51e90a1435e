"""Rows of tables written as one sentence each: 'Name: Ada Hale; Post: Cook; Amount EUR: 412.50.'"""

from __future__ import annotations

import re
from typing import NamedTuple

from core.answering.words import stem
from core.extraction.question_words import MONEY, NATIONS, PEOPLE, labels_of

_FIELD = re.compile(r"(?:^|;\s+)([^\W\d_][^:;]{0,40}):\s+([^;]*[^;\s])")
_CURRENCIES = frozenset("EUR USD GBP CHF NOK SEK DKK PLN JPY CNY CAD AUD".split())
_FIGURE = re.compile(r"\d[\d ,.]*(?<=\d)")
_PLAIN = re.compile(r"(\d+)(?:\.(\d+))?")
_LONGEST = 8  # words of a value that is a name
_COLUMNS = {"name": PEOPLE, "person": PEOPLE, "supplier": ("ORG",), "nationality": NATIONS}
_RUNNING = frozenset(stem(word) for word in "balance carried remaining".split())


class Field(NamedTuple):
    """One cell; [start, end) of the value in the row's text, `begin` where its column's name starts."""

    column: str
    stems: frozenset[str]  # of the column's name
    value: str
    begin: int
    start: int
    end: int

    @property
    def running(self) -> bool:
        """Whether the column sums up what came before instead of telling of this row."""
        return bool(self.stems & _RUNNING)


def fields_of(text: str) -> tuple[Field, ...]:
    """The cells of a row in order, or of a form's single line ('Place: Oslo'); () for other sentences."""
    if ":" not in text:
        return ()
    found = []
    for match in _FIELD.finditer(text):
        column, value = match.group(1).strip(), match.group(2)
        if match.end() == len(text.rstrip()):
            value = value.removesuffix(".")
        stems = frozenset(stem(word) for word in re.findall(r"[^\W_]+", column))
        start = match.start(2)
        found.append(Field(column, stems, value, match.start(1), start, start + len(value)))
    if not found or found[0].begin > 0:
        return ()
    if len(found) == 1 and (found[0].value[-1:] in ".?!" or len(found[0].column.split()) > 3):
        return ()  # a remark, or what a speaker says
    return tuple(found)


def label_of(field: Field) -> str:
    """The kind of thing that the whole value is, by its column's name; "" where that does not say."""
    words = field.column.split()
    if not 0 < len(field.value.split()) <= _LONGEST:
        return ""
    figure = _FIGURE.fullmatch(_without_currency(field.value))
    if figure:
        return "MONEY" if currency(field) else ""
    if any(c.isdigit() for c in field.value):
        return ""
    last = words[-1].lower()
    if last == "by" and len(words) > 1:  # "Approved by"
        return "PERSON" if field.value[:1].isupper() and len(field.value.split()) > 1 else ""
    labels = _COLUMNS.get(last) or labels_of(last)
    if not labels or labels[0] in (*MONEY, "DATE", "TIME", "CARDINAL", "PERCENT", "EVENT"):
        return ""
    return labels[0] if field.value[:1].isupper() else ""


def currency(field: Field) -> str:
    """The currency that the column's name or the value gives, or ""."""
    return next((w for w in (*field.column.split(), *field.value.split()) if w in _CURRENCIES), "")


def money(field: Field) -> str:
    """The amount as people write it, currency first: '412000.00' under 'Amount EUR' is 'EUR 412,000'."""
    figure = _without_currency(field.value)
    plain = _PLAIN.fullmatch(figure)
    if plain:
        cents = (plain.group(2) or "").ljust(2, "0")
        figure = f"{int(plain.group(1)):,}" + (f".{cents}" if cents.strip("0") else "")
    return f"{currency(field)} {figure}"


def _without_currency(value: str) -> str:
    return " ".join(word for word in value.split() if word not in _CURRENCIES)
