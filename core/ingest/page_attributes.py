"""Reads attributes of HTML: how lists are numbered, how large a picture is, what is hidden. HTML, 4.4.5, 6.1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from core.ingest.flow import Part
from core.ingest.numbering import format_number

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
