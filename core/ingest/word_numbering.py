"""Counts the numbered paragraphs of a Word file by its numbering part. ECMA-376, 17.9."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from core.ingest.numbering import Level, ListCounter
from core.ingest.package import Element, attribute, child_value, local, parse_int

LEVELS = 9
NO_LIST = "0"  # what properties say to undo the list of a style
OFF = frozenset({"0", "false", "off"})


class WordNumbering:
    """Labels paragraphs in the order of the text. Lists of one abstract definition count on from each other."""

    def __init__(self, roots: Iterable[Element], styles: Mapping[str, Element]) -> None:
        parts = [child for root in roots for child in root]
        self._styles = styles
        self._abstract = {
            attribute(one, "abstractNumId"): one for one in parts if local(one) == "abstractNum"
        }
        self._lists = {attribute(one, "numId"): one for one in parts if local(one) == "num"}
        self._levels: dict[str, dict[int, Level]] = {}  # by list
        self._of_styles: dict[str, dict[str, int]] = {}  # by list: style -> the level that is linked to it
        self._counters: dict[str, ListCounter] = {}  # by abstract definition
        self._begun: set[tuple[str, int]] = set()  # lists and levels whose own start was used

    def label(self, numbered: tuple[str, str], style: str) -> str:
        """The next number of a paragraph in a list: (id, level, "" for that of its style), "" for a bullet."""
        identity, stated = numbered
        definition = self._definition(identity)
        if not definition:
            return ""
        levels = self._levels_of(identity)
        level = int(stated) if stated.isdigit() else self._of_styles[identity].get(style, 0)
        level = min(level, LEVELS - 1)
        counter = self._counters.setdefault(definition, ListCounter())
        return counter.label(levels, level, self._own_start(identity, level))

    def _definition(self, identity: str) -> str:
        """The abstract definition of a list; "" where there is none."""
        found = self._lists.get(identity)
        return "" if found is None else child_value(found, "abstractNumId")

    def _levels_of(self, identity: str) -> dict[int, Level]:
        if identity not in self._levels:
            levels, linked = self._read(identity, frozenset())
            self._levels[identity], self._of_styles[identity] = levels, linked
        return self._levels[identity]

    def _read(self, identity: str, through: frozenset[str]) -> tuple[dict[int, Level], dict[str, int]]:
        abstract = self._abstract.get(self._definition(identity))
        if abstract is None or identity in through:
            return {}, {}
        levels: dict[int, Level] = {}
        linked: dict[str, int] = {}
        if style := child_value(abstract, "numStyleLink"):  # the levels stand in the list of that style
            named = self._styles.get(style)
            other = None if named is None else named.find("./{*}pPr/{*}numPr/{*}numId")
            if other is not None:
                levels, linked = self._read(attribute(other, "val"), through | {identity})
        overrides = self._lists[identity].findall("./{*}lvlOverride")
        own = [
            *abstract.findall("./{*}lvl"),
            *(one for change in overrides for one in change.findall("./{*}lvl")),
        ]
        for element in own:
            at = parse_int(attribute(element, "ilvl"), 0)
            levels[at] = _level(element)
            if style := child_value(element, "pStyle"):
                linked[style] = at
        for change in overrides:
            at = parse_int(attribute(change, "ilvl"), 0)
            if (start := child_value(change, "startOverride")) and at in levels:
                levels[at] = replace(levels[at], start=parse_int(start, 1))
        return levels, linked

    def _own_start(self, identity: str, level: int) -> int | None:
        """The number that a list begins with at its first item of a level, where it says so itself."""
        if (identity, level) in self._begun:
            return None
        self._begun.add((identity, level))
        for change in self._lists[identity].iterfind("./{*}lvlOverride"):
            if attribute(change, "ilvl") == str(level) and (start := child_value(change, "startOverride")):
                return parse_int(start, 1)
        return None


def _level(element: Element) -> Level:
    style = child_value(element, "numFmt") or "decimal"
    plain = element.find("./{*}isLgl")
    return Level(
        style,
        child_value(element, "lvlText"),
        parse_int(child_value(element, "start"), 1),
        parse_int(child_value(element, "lvlRestart"), -1),
        plain is not None and attribute(plain, "val") not in OFF,
    )
