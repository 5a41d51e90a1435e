"""Reads plain text: paragraphs out of lines, and the headings that surely are some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from core.ingest.flow import Flow, Part
from core.ingest.layout import line_width, paragraphs
from core.ingest.line_numbers import without_line_numbers
from core.ingest.package import Stated
from core.ingest.reading import Reading
from core.ingest.titles import heading_of
from core.types import BlockKind

LONGEST = 100  # characters of a heading
UNDERLINE = re.compile(r"([=\-~*_^#+])\1{2,}")
UNDERLINES = "=-~*_^#+"  # the level of a heading by what stands below it
NUMBERED = re.compile(r"(?:§ ?)?(\d{1,3}(?:\.\d{1,3}){1,5})\.?\s+(?=[^\W\d_a-z])")
# "CHAPTER XII", "Kapitel 3: The fair": what the parts of a work are called, the larger ones first.
NAMED = re.compile(
    r"(?:(?P<larger>book|part|volume|buch|teil|band|livre|partie|tome|libro|parte|tomo|boek|deel|livro|act|akt|acte|"
    r"atto|acto|книга|часть|том)|(?:chapter|kapitel|chapitre|capitulo|capítulo|capitolo|hoofdstuk|kapittel|rozdział|"
    r"kapitola|глава|fejezet|luku|letter|canto|stave|scene|szene|scène|scena|escena|appendix|anhang|annexe))"
    r"\s+(?:[ivxlcdm]{1,8}|\d{1,3}|[a-z]|the \w+|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"(?:\s*[.:—–-]\s*\S.*|\s*\.?)",
    re.IGNORECASE,
)


def read_plain(text: str) -> Reading:
    """Cleaned text whose lines were broken at a right margin, one line a paragraph; sure headings as blocks."""
    flow = Flow()
    for part in plain_parts(text):
        flow.add(part)
    return replace(flow.reading(Stated("", "", "")), heading=heading_of(text))


def plain_parts(text: str) -> Iterator[Part]:
    lines = without_line_numbers(text.split("\n"))
    width = line_width("\n".join(lines))
    begun = 0
    for at, line in enumerate(lines):
        if line and (level := _level(lines, at)):
            yield Part(paragraphs(lines[begun:at], width))
            yield Part(line, BlockKind.HEADING, level)
            begun = at + 1 + (at + 1 < len(lines) and UNDERLINE.fullmatch(lines[at + 1]) is not None)
    yield Part(paragraphs(lines[begun:], width))


def _level(lines: list[str], at: int) -> int:
    """Of the heading that the line is; 0 where it is none. Headings stand alone, but for a line drawn below."""
    line = lines[at]
    above = lines[at - 1] if at else ""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if above or len(line) > LONGEST or "\t" in line:
        return 0
    if UNDERLINE.fullmatch(below) and abs(len(below) - len(line)) <= 3 and any(map(str.isalpha, line)):
        return 1 + min(UNDERLINES.index(below[0]), 2)
    if below or line[-1] in ",;":
        return 0
    if (numbered := NUMBERED.match(line)) and line[-1] not in ".:!?":
        return min(1 + numbered[1].count("."), 6)
    named = NAMED.fullmatch(line)
    return 0 if named is None else 1 if named["larger"] else 2
