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
    return rest


def _unhyphenated(lines: list[str]) -> list[str]:
    """Lines whose words are not cut at their ends."""
    for at in range(len(lines) - 1):
        left = CUT.search(lines[at])
        if left is not None and lines[at + 1][:1].islower():
            end, _, following = lines[at + 1].partition(" ")
            keeps = COMPOUND.fullmatch(left[1]) is not None
            lines[at] = f"{lines[at] if keeps else lines[at][:-1]}{end}"
            lines[at + 1] = following
    return lines
