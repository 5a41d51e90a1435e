"""Identifiers: what tells one account, ship, aircraft, company, address or case from all others by its letters alone.

Where a kind has check digits they are checked (python-stdnum), so a number of that length is none by chance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stdnum import iban, imo, isin, lei

from core.text.dates import find_dates

_EMAIL = re.compile(
    r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+(?<![.-])"
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b")
_IMO = re.compile(r"\bIMO(?:\s?(?:No\.?|number|:|#))?\s?(\d{7})\b")
_LEI = re.compile(r"\b[A-Z0-9]{18}\d{2}\b")
_ISIN = re.compile(r"\b[A-Z]{2}[A-Z0-9]{9}\d\b")
_PHONE = re.compile(r"(?<![\w+])\+\d{1,3}(?:[ ./-]{0,2}\(?\d{1,5}\)?){2,6}(?!\w)")
# Marks of aircraft by the states that register most of them (ICAO Annex 7).
_MARK = re.compile(
    r"(?<![\w-])(?:N\d{3,5}|N\d{2,4}[A-HJ-NP-Z]{1,2}|G-[A-Z]{4}|D-[A-Z]{4}|F-[BGHOZ][A-Z]{3}|C-[FGI][A-Z]{3}|B-\d{4}"
    r"|(?:OO|PH|HB|OE|EI|EC|SE|OY|LN|OH|SP|OK|OM|HA|YR|LZ|SX|TC|VH|ZK|ZS|VT|JA|HL|PK|RP|PP|PR|PT|LV|XA|CC|A6|A7|9V|9H|4X)"
    r"-[A-Z0-9]{3,4})(?![\w-])"
)
_CODE = re.compile(
    r"(?<![\w/.-])(?:[A-Z]{1,6}[-/]\d{4,}|[A-Z]{1,6}[-/]\d{1,6}(?:[-/]\d{1,8})+|\d{1,5}[-/][A-Z]{1,5}[-/]\d{2,8})(?![\w/-])"
)
_FEWEST, _MOST = 8, 15  # digits of a telephone number with the code of its country (ITU-T E.164)


@dataclass(frozen=True, slots=True)
class Identifier:
    """`text` is its usual form, the same however it is spaced; offsets in the text it was found in."""

    text: str
    label: str
    start: int
    end: int


def find_identifiers(text: str) -> list[Identifier]:
    """Return the identifiers in order of the text, none overlapping another."""
    found: list[Identifier] = []
    for finder in _FINDERS:
        for one in finder(text):
            if all(one.end <= other.start or other.end <= one.start for other in found):
                found.append(one)
    return sorted(found, key=lambda one: one.start)


def _emails(text: str) -> Iterator[Identifier]:
    for match in _EMAIL.finditer(text) if "@" in text else ():
        yield Identifier(match.group().lower(), "EMAIL", *match.span())


def _ibans(text: str) -> Iterator[Identifier]:
    for match in _IBAN.finditer(text):
        # Words behind it may look like further groups.
        for end in range(match.end(), match.start() + 14, -1):
            if not text[end : end + 1].isalnum() and iban.is_valid(text[match.start() : end]):
                yield Identifier(iban.compact(text[match.start() : end]), "IBAN", match.start(), end)
                break


def _ships(text: str) -> Iterator[Identifier]:
    for match in _IMO.finditer(text):
        if imo.is_valid(match.group(1)):
            yield Identifier(f"IMO {match.group(1)}", "IMO", *match.span())


def _phones(text: str) -> Iterator[Identifier]:
    for match in _PHONE.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        if _FEWEST <= len(digits) <= _MOST:
            yield Identifier(f"+{digits}", "PHONE", *match.span())


def _checked(
    label: str, pattern: re.Pattern[str], valid: Callable[[str], bool]
) -> Callable[[str], Iterator[Identifier]]:
    def find(text: str) -> Iterator[Identifier]:
        for match in pattern.finditer(text):
            if valid(match.group()):
                yield Identifier(match.group(), label, *match.span())

    return find


def _any(text: str) -> bool:
    return True


def _is_no_date(text: str) -> bool:
    return not find_dates(text)  # 3-MAY-2021


_FINDERS: tuple[Callable[[str], Iterator[Identifier]], ...] = (
    _emails,
    _ibans,
    _ships,
    _checked("LEI", _LEI, lei.is_valid),
    _checked("ISIN", _ISIN, isin.is_valid),
    _phones,
    _checked("MARK", _MARK, _any),
    _checked("CODE", _CODE, _is_no_date),
)
