"""The first line of an answer about all documents: the themes, or the people, firms, places, times asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from core.extraction.question import ParsedQuestion
from core.types import CommunityReport

_THEMES = 7  # named in the first line
_NAMES = 10
_LOOK = 5 * _NAMES  # of the first names, that may be gone meanwhile
# Which entities a word of the question asks for: labels of spaCy, and how the list is begun.
_KINDS: Mapping[str, tuple[frozenset[str], str]] = {
    **dict.fromkeys(
        ("people", "person", "individual", "character", "player", "actor", "figure", "man", "woman"),
        (frozenset({"PERSON"}), "The people named most"),
    ),
    **dict.fromkeys(
        ("company", "organisation", "organization", "firm", "institution", "party", "agency", "group"),
        (frozenset({"ORG"}), "The organisations named most"),
    ),
    **dict.fromkeys(
        ("place", "country", "city", "location", "port", "region", "town", "state"),
        (frozenset({"GPE", "LOC", "FAC"}), "The places named most"),
    ),
}
_TIMES = frozenset(
    {"timeline", "chronology", "development", "history", "evolution", "when", "evolve", "develop"}
)


@dataclass(frozen=True, slots=True)
class Every:
    """What the first line may tell of all reports of a level; `entities` and `span` are read when asked for.

    `entities` are (community, id, name, share) of labels, some of them gone; `there` tells which are not.
    `span` is the first and the last date.
    """

    count: int
    entities: Callable[[frozenset[str]], Iterable[tuple[int, str, str, float]]]
    there: Callable[[Iterable[str]], Set[str]]
    span: Callable[[], tuple[str, str] | None]


def headline(
    question: ParsedQuestion,
    reports: Sequence[CommunityReport],
    every: Every,
    sizes: Mapping[int, int],
    broad: bool,
    by_date: bool = False,
) -> str:
    """One line: from the reports that are told, or of the entities in all of the level. `by_date`: dates follow."""
    if by_date and (dates := every.span()):
        return f"From {dates[0]} to {dates[1]}, by date."
    words = [token.lemma.lower() for token in question.tokens]
    for word in words:
        if word in _KINDS:
            labels, begin = _KINDS[word]
            names = _named(labels, every, sizes)
            if names:
                return f"{begin}: {', '.join(names)}."
    if not _TIMES.isdisjoint(words) and (dates := every.span()):
        return f"From {dates[0]} to {dates[1]}: {_listed(reports)}."
    if not broad:
        return f"Found with: {_listed(reports)}."
    count = every.count
    known = f"{count} themes" if count > 1 else "one theme"
    return f"The documents fall into {known}: {_listed(reports, count)}."


def _listed(reports: Sequence[CommunityReport], count: int = 0) -> str:
    titles = [report.title for report in reports[:_THEMES]]
    more = count - len(titles)
    return "; ".join(titles) + (f"; and {more} more" if more > 0 else "")


def _named(labels: frozenset[str], every: Every, sizes: Mapping[int, int]) -> list[str]:
    """Names of these labels, by their share of their community and its size."""
    weight: dict[str, tuple[float, str]] = {}
    for community, id, name, share in every.entities(labels):
        weight[name] = max(weight.get(name, (0.0, "")), (share * sizes.get(community, 1), id))
    order = sorted(weight, key=lambda name: (-weight[name][0], name))
    for first in range(0, len(order), _LOOK):
        some = order[first : first + _LOOK]
        there = every.there(weight[name][1] for name in some)
        if found := [name for name in some if weight[name][1] in there]:
            return found[:_NAMES]
    return []
