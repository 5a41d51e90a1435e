"""Counts items of lists and headings of OpenDocument files by their list styles. ODF 1.3, part 3, 5.3 and 16.30."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.ingest.numbering import BULLET, Level, ListCounter
from core.ingest.package import Element, attribute, local, parse_int

FORMATS = {
    "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman", "": "none",
    "α": "lowerGreek", "Α": "upperGreek", "а": "russianLower", "А": "russianUpper", "①": "decimalEnclosedCircle",
    "一": "chineseCounting", "１": "decimalFullWidth", "א": "hebrew2",
}  # fmt: skip
PLACE = re.compile(r"%(\d+)%")
MOST_LEVELS = 9


class ListNumbering:
    """Labels the paragraphs of lists and the headings, in the order of the text.

    A list begins anew, unless it goes on with the one before of its style or with one that it names. Inner lists
    have the style of the outer ones where they name none.
    """

    def __init__(self, roots: Iterable[Element]) -> None:
        self._styles: dict[str, dict[int, Level]] = {}
        self._outline: dict[int, Level] = {}
        self._of_paragraphs: dict[
            str, str | None
        ] = {}  # style -> list style; "" for none, None where it does not say
        self._parents: dict[str, str] = {}
        for root in roots:
            for element in root.iter():
                name = local(element)
                if name == "list-style":
                    self._styles[attribute(element, "name")] = _levels(element)
                elif name == "outline-style":
                    self._outline = _levels(element)
                elif name == "style" and attribute(element, "family") == "paragraph":
                    named = [value for key, value in element.items() if key.endswith("}list-style-name")]
                    self._of_paragraphs[attribute(element, "name")] = named[0] if named else None
                    self._parents[attribute(element, "name")] = attribute(element, "parent-style-name")
        self._open: list[str] = []  # styles of the open lists
        self._counter = ListCounter()  # of the outermost of them
        self._headings = ListCounter()
        self._last: dict[str, ListCounter] = {}  # by style
        self._named: dict[str, ListCounter] = {}  # by the name of a list
        self._begins = False  # whether the next paragraph begins an item
        self._number: int | None = None  # that this item states

    def begin_list(self, element: Element) -> None:
        style = attribute(element, "style-name") or (self._open[-1] if self._open else "")
        if not self._open:
            if attribute(element, "continue-numbering") == "true":
                self._counter = self._last.get(style, self._counter)
            else:
                self._counter = self._named.get(attribute(element, "continue-list")) or ListCounter()
            if name := attribute(element, "id"):
                self._named[name] = self._counter
            self._last[style] = self._counter
        self._open.append(style)

    def end_list(self) -> None:
        self._open.pop()
        self._begins = False

    def begin_item(self, element: Element) -> None:
        self._begins = local(element) == "list-item"
        self._number = parse_int(attribute(element, "start-value"), None)

    def label(self, paragraph: Element) -> str | None:
        """The number of a paragraph that begins an item, "" for a bullet; None for one that begins none."""
        if not (self._open and self._begins):
            return None
        self._begins = False
        style = self._open[-1] or self._of_paragraph(attribute(paragraph, "style-name")) or ""
        levels = self._styles.get(style, {})
        return self._counter.label(levels, len(self._open) - 1, self._number)

    def heading_label(self, heading: Element) -> str:
        """The number of a heading; "" where it has none."""
        if (label := self.label(heading)) is not None:
            return label
        level = (parse_int(attribute(heading, "outline-level"), 0) or 1) - 1
        named = self._of_paragraph(attribute(heading, "style-name"))
        if attribute(heading, "is-list-header") == "true" or named == "" or level not in self._outline:
            return ""
        restarts = attribute(heading, "restart-numbering") == "true"
        number = parse_int(attribute(heading, "start-value"), 0) or 1 if restarts else None
        return self._headings.label(self._styles.get(named or "") or self._outline, level, number)

    def _of_paragraph(self, style: str) -> str | None:
        passed = set[str]()
        while style and style not in passed:
            passed.add(style)
            if (found := self._of_paragraphs.get(style)) is not None:
                return found
            style = self._parents.get(style, "")
        return None


def _levels(element: Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for one in element:
        at = (parse_int(attribute(one, "level"), 0) or 1) - 1
        if local(one) in {"list-level-style-number", "outline-level-style"} and at < MOST_LEVELS:
            levels[at] = _level(one, at, levels)
        elif local(one) != "list-level-style-number" and at < MOST_LEVELS:
            levels[at] = Level(BULLET)
    return levels


def _level(element: Element, at: int, above: dict[int, Level]) -> Level:
    """A level of numbers: those of the levels above that it shows, a dot between, within its prefix and suffix."""
    style = FORMATS.get(attribute(element, "num-format")[:1], "decimal")
    first = at + 1 - min(parse_int(attribute(element, "display-levels"), 0) or 1, at + 1)
    ancestors = [
        level for level in range(first, at) if above.get(level, Level(BULLET)).style not in {"none", BULLET}
    ]
    places = ".".join(f"%{level + 1}" for level in (*ancestors, *([at] if style != "none" else [])))
    pattern = attribute(element, "num-prefix") + places + attribute(element, "num-suffix")
    stated = [value for key, value in element.items() if key.endswith("}num-list-format")]
    if stated:
        pattern = PLACE.sub(lambda place: f"%{place[1]}" if len(place[1]) == 1 else "", stated[0])
    return Level(
        style,
        pattern if style != "none" or ancestors else "",
        parse_int(attribute(element, "start-value"), 0) or 1,
        doubled=attribute(element, "num-letter-sync") == "true",
    )
