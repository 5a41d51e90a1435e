"""Finds which paragraphs of old slides are numbered, and how: [MS-PPT] 2.9.16 to 2.9.20, and 2.9.66 for the numbers."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from core.ingest.slides import Number, SlideLine

# By the code of a scheme, named as in ECMA-376, 20.1.10.61.
SCHEMES = (
    "alphaLcPeriod alphaUcPeriod arabicParenR arabicPeriod romanLcParenBoth romanLcParenR romanLcPeriod "
    "romanUcPeriod alphaLcParenBoth alphaLcParenR alphaUcParenBoth alphaUcParenR arabicParenBoth arabicPlain "
    "romanUcParenBoth romanUcParenR ea1ChsPlain ea1ChsPeriod circleNumDbPlain circleNumWdBlackPlain "
    "circleNumWdWhitePlain ea1ChtPlain ea1ChtPeriod arabic1Minus arabic2Minus hebrew2Minus ea1JpnKorPlain "
    "ea1JpnKorPeriod arabicDbPlain arabicDbPeriod thaiAlphaPeriod thaiAlphaParenR thaiAlphaParenBoth "
    "thaiNumPeriod thaiNumParenR thaiNumParenBoth hindiAlphaPeriod hindiNumPeriod ea1JpnChsDbPeriod "
    "hindiNumParenR hindiAlpha1Period"
).split()
# Bits of a mask, and the bytes that each says are there, in their order; a group of bits shares its bytes.
OF_PARAGRAPHS = (
    (0x80, 2), (0x10, 2), (0x40, 2), (0x20, 4), (0x800, 2), (0x1000, 2), (0x2000, 2), (0x4000, 2), (0x100, 2),
    (0x400, 2), (0x8000, 2),
)  # fmt: skip
AFTER_TABS = ((0x10000, 2), (0xE0000, 2), (0x200000, 2))
OF_LETTERS = (
    (0x10000, 2), (0x200000, 2), (0x400000, 2), (0x800000, 2), (0x20000, 2), (0x40000, 4), (0x80000, 2),
)  # fmt: skip
OF_LANGUAGES = ((0x1, 2), (0x2, 2), (0x4, 2), (0x20, 4), (0x40, 2))
BULLETED, TAB_STOPS, SMART_TAGS = 0xF, 0x100000, 0x200
PICTURED, SCHEME, NUMBERED = 0x800000, 0x1000000, 0x2000000
MORE_OF_LETTERS = 0x100000
STYLED = 0xFFFF  # bits of letters that share two bytes; four of these are the place of their numbering


def numberings(atom: bytes) -> list[Number | None]:
    """Return what a StyleTextProp9Atom says of numbers: runs of the text name one by its place."""
    found: list[Number | None] = []
    at = 0
    try:
        while at < len(atom):
            (mask,) = struct.unpack_from("<I", atom, at)
            at += 4 + 2 * bool(mask & PICTURED)
            numbered, scheme, start = 0, 3, 1
            if mask & NUMBERED:
                (numbered,) = struct.unpack_from("<H", atom, at)
                at += 2
            if mask & SCHEME:
                scheme, start = struct.unpack_from("<HH", atom, at)
                at += 4
            named = SCHEMES[scheme] if scheme < len(SCHEMES) else SCHEMES[3]
            found.append(Number(named, start or 1) if numbered else None)
            (mask,) = struct.unpack_from("<I", atom, at)
            at += 4 + 4 * bool(mask & MORE_OF_LETTERS)
            (mask,) = struct.unpack_from("<I", atom, at)
            at += 4 + _size(mask, OF_LANGUAGES)
            if mask & SMART_TAGS:
                at += 4 + 4 * int(struct.unpack_from("<I", atom, at)[0])
    except struct.error:
        pass  # what was whole so far holds
    return found


def numbered_lines(text: str, runs: bytes, numbers: Sequence[Number | None]) -> Iterator[SlideLine]:
    """The paragraphs of a text, by its StyleTextPropAtom; where that is damaged none has a number."""
    try:
        paragraphs, at = _paragraph_runs(runs, len(text) + 1)
        letters = _letter_runs(runs, at, len(text) + 1)
    except struct.error:
        paragraphs, letters = [(0, 0, False)], [(0, 0)]
    begins = [begin for begin, _, _ in paragraphs], [begin for begin, _ in letters]
    start = 0
    for line in text.split("\r"):
        _, level, bulleted = paragraphs[bisect_right(begins[0], start) - 1]
        _, place = letters[bisect_right(begins[1], start) - 1]
        number = numbers[place] if bulleted and place < len(numbers) else None
        if words := line.replace("\x0b", "\n").strip():
            yield SlideLine(words, level, number)
        start += len(line) + 1


def _paragraph_runs(runs: bytes, length: int) -> tuple[list[tuple[int, int, bool]], int]:
    """(Start, level, whether it may have a bullet) of each run of paragraphs, and where those of letters begin."""
    found = []
    at = start = 0
    while start < length:
        count, level, mask = struct.unpack_from("<IHI", runs, at)
        at += 10
        bulleted = True
        if mask & BULLETED:
            bulleted = not mask & 1 or bool(struct.unpack_from("<H", runs, at)[0] & 1)
            at += 2
        at += _size(mask, OF_PARAGRAPHS)
        if mask & TAB_STOPS:
            at += 2 + 4 * int(struct.unpack_from("<H", runs, at)[0])
        at += _size(mask, AFTER_TABS)
        found.append((start, level, bulleted))
        start += max(count, 1)
    return found, at


def _letter_runs(runs: bytes, at: int, length: int) -> list[tuple[int, int]]:
    """(Start, place of the numbering) of each run of letters."""
    found = []
    start = 0
    while start < length:
        count, mask = struct.unpack_from("<II", runs, at)
        at += 8
        style = 0
        if mask & STYLED:
            (style,) = struct.unpack_from("<H", runs, at)
            at += 2
        at += _size(mask, OF_LETTERS)
        found.append((start, style >> 10 & 0xF))
        start += max(count, 1)
    return found


def _size(mask: int, fields: Sequence[tuple[int, int]]) -> int:
    return sum(size for bits, size in fields if mask & bits)
