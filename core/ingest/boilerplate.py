"""Tells what a page says from what stands around it: by links, length and neighbours.

As jusText does (Pomikálek 2011, "Removing boilerplate and duplicate content from web corpora", section 3), without
lists of stop words, so for any language, and in doubt for the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from core.ingest.flow import Part
from core.types import BlockKind

LINKS = 0.6  # share of a part's characters, from which on it is links, not text
PROSE = 80  # characters outside of links, from which on a part is text whatever stands around it
NEAR = 200  # characters between text and the short parts that belong to it
FEW = 3  # parts of links within text that belong to it
FURNITURE = frozenset({BlockKind.BOILERPLATE, BlockKind.CAPTION})  # no text, wherever they stand
LEAST = 250  # characters of text; where a page has fewer, its links are what it has to say


def without_boilerplate(parts: Sequence[Part]) -> list[Part]:
    """The parts; those that only stand around the text are of the kind BOILERPLATE."""
    flags = _content_flags(parts)
    return [
        part if keep else replace(part, kind=BlockKind.BOILERPLATE, level=0)
        for part, keep in zip(parts, flags, strict=True)
    ]


def _content_flags(parts: Sequence[Part]) -> list[bool]:
    if sum(len(part.text) for part in parts if _is_prose(part)) < LEAST:
        return [part.kind is not BlockKind.BOILERPLATE for part in parts]
    before = _distances(parts)
    after = _distances(parts[::-1])[::-1]
    flags = [
        _is_prose(part)
        or (not _is_links(part) and (right if part.kind is BlockKind.HEADING else min(left, right)) <= NEAR)
        for part, left, right in zip(parts, before, after, strict=True)
    ]
    at = 0
    for keep, run in groupby(list(flags)):
        start, at = at, at + len(list(run))
        among = start and at < len(parts) and at - start <= FEW
        if not keep and (
            among or not any(map(_is_links, parts[start:at]))
        ):  # short lines alone: a list, notes
            flags[start:at] = [part.kind not in FURNITURE for part in parts[start:at]]
    return flags


def _distances(parts: Sequence[Part]) -> list[int]:
    """Characters since the last text; too many where links stand between."""
    found: list[int] = []
    distance = NEAR + 1
    for part in parts:
        found.append(distance)
        if _is_prose(part):
            distance = 0
        elif _is_links(part) and part.kind is not BlockKind.CAPTION:
            distance = NEAR + 1
        else:
            distance += len(part.text)
    return found


def _is_links(part: Part) -> bool:
    return part.kind is BlockKind.BOILERPLATE or part.linked >= LINKS * len(part.text)


def _is_prose(part: Part) -> bool:
    return not _is_links(part) and len(part.text) - part.linked >= PROSE
