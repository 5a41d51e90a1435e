"""Put the letters of a line of Arabic or Hebrew, known by their places, into the order in which they are read.

What a PDF stores is glyphs with places, in whatever order its program wrote them. The Unicode Bidirectional Algorithm
(UAX 9) orders letters for display; this undoes it for one line.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
FORMS = re.compile("[\ufb1d-\ufdf9\ufe70-\ufefc]")  # letters as they look at their place in a word
SPACE = 0.15  # of a letter's height; words lie at least so far apart
SEPARATORS = frozenset(".,:/-–٫٬'")  # within a number
SIGNS = frozenset("%‰٪+-−$€£¥#°")  # at a number
OPENING, CLOSING = "([{«‹", ")]}»›"
MIRRORED = str.maketrans(OPENING + CLOSING, CLOSING + OPENING)
LAM, ALEFS = "\u0644", "\u0627\u0622\u0623\u0625\u0671"


@dataclass(frozen=True, slots=True)
class Glyph:
    """What was drawn at one place: a letter, a ligature's letters, a letter with its marks."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    number: int = -1  # of its first character in the page


def without_forms(text: str) -> str:
    """Return the text with plain letters for presentation forms (UAX 15, NFKC of these alone)."""
    return FORMS.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def logical_order(letters: Sequence[Glyph]) -> list[Glyph]:
    """Return the glyphs of one line as read, with the spaces that lie between them; O(n log n)."""
    line = sorted(_with_marks(_ligatures(letters)), key=lambda glyph: glyph.left + glyph.right)
    line = list(_spaced(line))
    kinds = [_kind(glyph.text) for glyph in line]
    backwards = kinds.count("R") >= kinds.count("L")
    if backwards:
        line.reverse()
        kinds.reverse()
        runs = _left_to_right_runs(line, kinds)
    else:
        runs = _runs(kinds, "R")
    for start, end in runs:
        line[start:end] = line[start:end][::-1]
    return _paired(line)


def _ligatures(letters: Sequence[Glyph]) -> Iterator[Glyph]:
    """Join the letters of one glyph, which share its box and come in the order of display."""
    at = 0
    while at < len(letters):
        first = letters[at]
        end = at + 1
        while end < len(letters) and end - at < 8 and _same_place(first, letters[end]):
            end += 1
        pieces = [without_forms(letter.text) for letter in letters[at:end]]
        text = "".join(pieces)
        if end - at > 1 and RIGHT_TO_LEFT.search(text):
            in_order = pieces[0] == LAM and pieces[1] in ALEFS  # resolved by pdfium from a presentation form
            text = "".join(pieces if in_order else pieces[::-1])
        # A mark's isolated form is a space that bears it.
        if any(map(unicodedata.combining, text)):
            text = text.strip()
        yield replace(first, text=text)
        at = end


def _same_place(one: Glyph, other: Glyph) -> bool:
    return one.left == other.left and one.right == other.right > other.left and one.bottom == other.bottom


def _with_marks(glyphs: Iterator[Glyph]) -> list[Glyph]:
    """Put each combining mark upon the letter whose place it shares."""
    bases: list[Glyph] = []
    marks: list[Glyph] = []
    for glyph in glyphs:
        (marks if glyph.text and all(map(unicodedata.combining, glyph.text)) else bases).append(glyph)
    bases.sort(key=lambda glyph: glyph.left)
    lefts = [base.left for base in bases]
    for mark in marks:
        middle = (mark.left + mark.right) / 2
        at = max(0, bisect_left(lefts, middle) - 1)
        near = [i for i in (at, at + 1, at - 1) if 0 <= i < len(bases) and bases[i].text.strip()]
        if not near:
            bases.append(mark)
            lefts.append(mark.left)
            continue
        best = min(near, key=lambda i: abs(bases[i].left + bases[i].right - 2 * middle))
        bases[best] = replace(bases[best], text=bases[best].text + mark.text)
    return bases


def _spaced(line: Sequence[Glyph]) -> Iterator[Glyph]:
    before: Glyph | None = None
    for glyph in line:
        if before is not None and before.text.strip() and glyph.text.strip():
            wide = glyph.left - before.right > SPACE * (glyph.top - glyph.bottom)
            if wide or {_kind(before.text), _kind(glyph.text)} == {"L", "R"}:
                yield Glyph(" ", before.right, before.bottom, glyph.left, before.top)
        yield glyph
        before = glyph


def _kind(text: str) -> str:
    """Return R, L, N for digits, "" for what has no direction of its own."""
    for character in text:
        direction = unicodedata.bidirectional(character)
        if direction in {"R", "AL"}:
            return "R"
        if direction in {"EN", "AN"}:
            return "N"
        if direction == "L":
            return "L"
    return ""


def _left_to_right_runs(line: Sequence[Glyph], kinds: Sequence[str]) -> list[tuple[int, int]]:
    """Find words of Latin letters and numbers, the latter with their signs and separators."""
    runs: list[tuple[int, int]] = []
    at = 0
    while at < len(line):
        if kinds[at] not in {"L", "N"}:
            at += 1
            continue
        start, end = at, at + 1
        while (
            start and line[start - 1].text in SIGNS and kinds[at] == "N" and (not runs or runs[-1][1] < start)
        ):
            start -= 1
        while (following := _next(line, kinds, end)) is not None:
            end = following + 1
        while end < len(line) and line[end].text in SIGNS and kinds[end - 1] in {"N", ""}:
            end += 1
        runs.append((start, end))
        at = end
    return runs


def _next(line: Sequence[Glyph], kinds: Sequence[str], end: int) -> int | None:
    """Return the next letter or digit of a run that reaches to `end`."""
    at = end
    while at < len(line) and not kinds[at]:
        at += 1
    if at == len(line) or kinds[at] == "R":
        return None
    between = [glyph.text for glyph in line[end:at]]
    numbers = kinds[end - 1] == "N" and kinds[at] == "N"
    if numbers and between and not (len(between) == 1 and between[0] in SEPARATORS):
        return None
    return at


def _runs(kinds: Sequence[str], wanted: str) -> list[tuple[int, int]]:
    """Find runs of one direction; what has none belongs to them where it lies within."""
    runs: list[tuple[int, int]] = []
    for at, kind in enumerate(kinds):
        if kind != wanted:
            continue
        if runs and not any(kinds[runs[-1][1] : at]):
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return runs


def _paired(line: list[Glyph]) -> list[Glyph]:
    """Turn brackets around that close before they open: glyphs are named by how they look."""
    closed: list[int] = []
    opened: list[int] = []
    turned: list[int] = []
    for at, glyph in enumerate(line):
        if glyph.text and glyph.text in OPENING:
            if closed:
                turned += (closed.pop(), at)
            else:
                opened.append(at)
        elif glyph.text and glyph.text in CLOSING:
            if opened:
                opened.pop()
            else:
                closed.append(at)
    # Alone on the line, a bracket opens before a word and closes after one.
    turned += (at for at in opened if at and line[at - 1].text.strip() and not _is_word(line, at + 1))
    turned += (at for at in closed if _is_word(line, at + 1) and not _is_word(line, at - 1))
    for at in turned:
        line[at] = replace(line[at], text=line[at].text.translate(MIRRORED))
    return line


def _is_word(line: Sequence[Glyph], at: int) -> bool:
    return 0 <= at < len(line) and bool(line[at].text.strip())


def is_right_to_left(text: str) -> bool:
    """Whether most letters of a text run from right to left."""
    return 2 * len(RIGHT_TO_LEFT.findall(text)) > sum(map(str.isalpha, text))
