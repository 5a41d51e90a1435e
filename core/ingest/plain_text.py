"""Read plain text: paragraphs out of lines, headings that surely are some, without the numbers of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from core.ingest.flow import Flow, Part, heading_of
from core.ingest.layout import line_width, paragraphs
from core.ingest.package import Stated
from core.ingest.reading import Reading
from core.types import BlockKind

LEAST_NUMBERED = 5  # numbers of lines in a row
CONTINUING = 0.1  # share of the lines that go on into the next one, at least
FULL = 0.75  # of the widest line: so long is one that goes on, with the word that had no room on it
PAPER = 20  # lines of a numbered page at least
BLANK = 0.1  # of them have no words, but for those at the end
STEPS = (1, 5)  # every line, or every fifth one
LINE_NUMBER = re.compile(r"[ \t]*(\d{1,3})(?:[ \t]+(\S.*))?$")
STOPS = ".!?:;"
DOUBLE = 0.7  # blank lines for each numbered one, from which on the page is set in double spacing
MOVED = "\x00"  # no cleaned line holds it
CUT = re.compile(r"([^\W\d_]{1,60})[-\u00ad\u2010]$")
STOP = re.compile(r"[.!?](?:\s|$)")
SURE = 2  # lines that go on, or a word that the end of one cuts


def is_numbered(values: Sequence[int]) -> bool:
    """Whether these numbers, from the top, count every line or every fifth one."""
    if len(values) < LEAST_NUMBERED:
        return False
    step = values[1] - values[0]
    return step in STEPS and all(b - a == step for a, b in pairwise(values))


def goes_on(lines: Sequence[str]) -> bool:
    """Whether sentences run over the ends of these lines; "" for a line without words.

    Lines of prose are broken where the next word has no room, and have stops; items of a list may begin small, too.
    Where some have no words before the last that has, the numbers count the lines of the paper.
    """
    written = [line for line in lines if line]
    if len(written) < 2:
        return False
    last = len(lines) - next(at for at, line in enumerate(reversed(lines)) if line)
    if len(lines) >= PAPER and lines[:last].count("") >= BLANK * last:
        return True
    widest = max(map(len, written))
    running = stops = 0
    for line, following in pairwise(written):
        stops += STOP.search(line) is not None
        if CUT.search(line) is not None and runs_on(line, following):
            running, stops = running + SURE, stops + 1
        elif len(line) + len(following.split()[0]) >= FULL * widest:
            running += runs_on(line, following)
    return running >= max(SURE, CONTINUING * len(written)) and stops > 0


def runs_on(line: str, following: str) -> bool:
    """Whether a sentence goes on in the next line: within a word, or with a small letter."""
    if line[-1] in "-\u00ad\u2010" and line[-2:-1].isalpha():
        return following[0].isalpha()
    return line[-1] not in STOPS and following[0].islower()


def without_line_numbers(lines: Sequence[str]) -> list[str]:
    """Return cleaned lines without the numbers that count them; a new page counts from 1 or goes on.

    Where one page of a text has its lines numbered, the others have, too, however little stands on them.
    """
    runs = list(_runs(lines))
    sure = [len(run) >= LEAST_NUMBERED and goes_on([words for _, _, words in run]) for run in runs]
    paged = any(is_sure and len(run) >= PAPER for run, is_sure in zip(runs, sure, strict=True))
    rest = list(lines)
    end = -1  # of the last numbered page
    for run, is_sure in zip(runs, sure, strict=True):
        # Without a break of pages the next one begins below its number alone.
        near = end >= 0 and run[0][0] - end < PAPER
        follows = near and sum(bool(line.strip()) for line in lines[end + 1 : run[0][0]]) <= 1
        if not is_sure and not (run[0][1] == 1 and (paged or follows)):
            continue
        end = run[-1][0]
        for at, _, words in run:
            rest[at] = words
        between = [at for (a, _, _), (b, _, _) in pairwise(run) for at in range(a + 1, b)]
        if len(between) >= DOUBLE * len(run):  # double spacing; what parts paragraphs is a line without words
            for at in between:
                rest[at] = MOVED
    return [line for line in rest if line != MOVED]


def _runs(lines: Sequence[str]) -> Iterator[list[tuple[int, int, str]]]:
    """Lines whose numbers count on, but for blank ones: (place, number, what follows it) of each."""
    run: list[tuple[int, int, str]] = []
    for at, line in enumerate([*lines, "-"]):
        if not line.strip():
            continue
        match = LINE_NUMBER.match(line)
        if run and (match is None or int(match[1]) != run[-1][1] + 1):
            yield run
            run = []
        if match is not None:
            run.append((at, int(match[1]), match[2] or ""))


# ------------------------------------------------------------ plain texts


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
