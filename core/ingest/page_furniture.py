"""Tell a page from its furniture: attributes of HTML (4.4.5, 6.1), and what stands around the text.

Text is told from what stands around it by links, length and neighbours, as jusText does (Pomikálek 2011, "Removing
boilerplate and duplicate content from web corpora", section 3), without lists of stop words, so for any language, and
in doubt for the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.ingest.flow import Part
from core.ingest.numbering import format_number
from core.types import BlockKind

LISTS = frozenset({"ol", "ul", "menu", "dir"})
# How items are numbered, by the attribute of the list and by its style. HTML, 4.4.5; CSS Counter Styles 3, 6.
TYPES = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "1": "decimal"}
STYLES = {
    "decimal": "decimal", "decimal-leading-zero": "decimalZero", "lower-alpha": "lowerLetter",
    "lower-latin": "lowerLetter", "upper-alpha": "upperLetter", "upper-latin": "upperLetter",
    "lower-roman": "lowerRoman", "upper-roman": "upperRoman", "lower-greek": "lowerGreek", "none": "none",
    "disc": "none", "circle": "none", "square": "none",
}  # fmt: skip
LIST_STYLE = re.compile(
    r"list-style(?:-type)?\s*:[^;]*?(?<![\w-])(" + "|".join(STYLES) + r")(?![\w-])", re.IGNORECASE
)
HIDDEN = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
RAISED = re.compile(
    r"(?<![\w-])vertical-align\s*:\s*(?:super|[1-9.][\d.]*(?:px|pt|em|ex|rem|%))", re.IGNORECASE
)
REVEALED_BY_SCRIPTS = frozenset({"html", "body", "main"})  # that some pages hide until they are loaded
BULLET = "- "


@dataclass(slots=True)
class PageList:
    """An open list."""

    style: str = "none"  # of its numbers
    number: int = 1  # of the next item
    step: int = 1
    counted: int = 0  # items
    # Where the total is not known before its end: (parts, place, label, number below the total) of items.
    waiting: list[tuple[list[Part], int, str, int]] | None = None

    def label(self, number: int, style: str) -> str:
        text = format_number(number, style, doubled=False)
        return f"{text}. " if text else BULLET


def page_list(tag: str, attributes: Mapping[str, str]) -> PageList:
    if tag != "ol":
        return PageList()
    start = digits_of(attributes.get("start", ""))
    opened = PageList(list_style(attributes, "decimal"), int(start or 1))
    if "reversed" in attributes:
        opened.step = -1
        opened.waiting = None if start else []
    return opened


def list_style(attributes: Mapping[str, str], default: str) -> str:
    """How numbers are written, by what an element says itself; bullets are "none"."""
    found = LIST_STYLE.search(attributes.get("style", ""))
    return STYLES[found[1].lower()] if found else TYPES.get(attributes.get("type", ""), default)


def digits_of(text: str) -> str:
    return text.strip() if re.fullmatch(r"\s*[-+]?\d{1,9}\s*", text, re.ASCII) else ""


def side_in_points(attributes: Mapping[str, str], side: str) -> float:
    """A length in points."""
    return 0.75 * int(stated) if (stated := digits_of(attributes.get(side, "").removesuffix("px"))) else 0.0


def is_tiny(attributes: Mapping[str, str]) -> bool:
    """Whether an element is too small to show anything, as those are that only count visits."""
    return any(digits_of(attributes.get(side, "")) in {"0", "1"} for side in ("width", "height"))


def is_raised(attributes: Mapping[str, str]) -> bool:
    """Whether the letters of an element stand above the line by its own style."""
    return "style" in attributes and RAISED.search(attributes["style"]) is not None


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    hides = "hidden" in attributes or (
        "style" in attributes and HIDDEN.search(attributes["style"]) is not None
    )
    return hides and tag not in REVEALED_BY_SCRIPTS


# ------------------------------------------------------------ text or what stands around it


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
