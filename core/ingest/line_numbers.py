"""Tell the numbers of lines, which count the lines of pleadings and transcripts, from numbers of rows and items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from core.ingest.layout import COMPOUND

LEAST_NUMBERED = 5  # numbers of lines in a row
CONTINUING = 0.1  # share of the lines that go on into the next one, at least
STEPS = (1, 5)  # every line, or every fifth one
NUMBERED = re.compile(r"[ \t]*(\d{1,3})(?:[ \t]+(\S.*))?$")
STOPS = ".!?:;"
MOVED = "\x00"  # no cleaned line holds it
CUT = re.compile(r"([^\W\d_]+)-$")


def is_numbered(values: Sequence[int]) -> bool:
    """Whether these numbers, from the top, count every line or every fifth one."""
    if len(values) < LEAST_NUMBERED:
        return False
    step = values[1] - values[0]
    return step in STEPS and all(b - a == step for a, b in pairwise(values))


def goes_on(lines: Sequence[str]) -> bool:
    """Whether sentences run over the ends of these lines; "" for a line without words."""
    written = [line for line in lines if line]
    pairs = list(pairwise(written))
    return sum(runs_on(a, b) for a, b in pairs) >= max(1, CONTINUING * len(pairs)) and len(pairs) > 0


def runs_on(line: str, following: str) -> bool:
    """Whether a sentence goes on in the next line: within a word, or with a small letter."""
    if line[-1] in "-\u00ad\u2010" and line[-2:-1].isalpha():
        return following[0].isalpha()
    return line[-1] not in STOPS and following[0].islower()


def without_line_numbers(lines: Sequence[str]) -> list[str]:
    """Return cleaned lines without the numbers that count them; a new page counts from 1 or goes on."""
    rest = list(lines)
    run: list[tuple[int, str]] = []  # (its place, what follows the number)
    last = 0
    for at, line in enumerate([*lines, "-"]):
        match = NUMBERED.match(line)
        if match is not None and run and int(match[1]) == last + 1:
            run.append((at, match[2] or ""))
        elif line.strip():
            if len(run) >= LEAST_NUMBERED and goes_on([words for _, words in run]):
                for (place, _), words in zip(run, _unhyphenated([words for _, words in run]), strict=True):
                    rest[place] = words
            run = [(at, match[2] or "")] if match is not None else []
        else:
            continue
        last = int(match[1]) if match is not None else 0
    return [line for line in rest if line != MOVED]


def _unhyphenated(lines: Sequence[str]) -> list[str]:
    """Lines whose words are not cut at their ends; MOVED for one that stands behind the line before."""
    joined = list(lines)
    begin = 0  # the line that the following ones are moved to
    for at in range(1, len(joined)):
        cut = CUT.search(joined[begin])
        if cut is not None and joined[at][:1].islower():
            keeps = COMPOUND.fullmatch(cut[1]) is not None
            joined[begin] = f"{joined[begin] if keeps else joined[begin][:-1]}{joined[at]}"
            joined[at] = MOVED
        else:
            begin = at
    return joined
