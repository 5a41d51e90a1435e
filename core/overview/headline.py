"""The first line of an answer about all documents: the themes, or the people, firms, places, times asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.extraction.question import ParsedQuestion
from core.types import CommunityReport

_THEMES = 7  # named in the first line
_NAMES = 10
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


def headline(
    question: ParsedQuestion,
    reports: Sequence[CommunityReport],
    every: Sequence[CommunityReport],
    sizes: Mapping[int, int],
    broad: bool,
) -> str:
    """One line: from the reports that are told, or of the entities in `every` one of the level."""
    words = [token.lemma.lower() for token in question.tokens]
    for word in words:
        if word in _KINDS:
            labels, begin = _KINDS[word]
            names = _named(labels, every, sizes)
            if names:
                return f"{begin}: {', '.join(names)}."
    if not _TIMES.isdisjoint(words):
        dates = sorted({dated.date for report in every for dated in report.timeline})
        if dates:
            return f"From {dates[0]} to {dates[-1]}: {_listed(reports)}."
    if not broad:
        return f"Found with: {_listed(reports)}."
    count = len(every)
    known = f"{count} themes" if count > 1 else "one theme"
    return f"The documents fall into {known}: {_listed(reports, count)}."


def _listed(reports: Sequence[CommunityReport], count: int = 0) -> str:
    titles = [report.title for report in reports[:_THEMES]]
    more = count - len(titles)
    return "; ".join(titles) + (f"; and {more} more" if more > 0 else "")


def _named(labels: frozenset[str], reports: Sequence[CommunityReport], sizes: Mapping[int, int]) -> list[str]:
    """Names of these labels, by their share of their community and its size."""
    weight: dict[str, float] = {}
    for report in reports:
        for entity in report.entities:
            if entity.label in labels:
                share = entity.share * sizes.get(report.community_id, 1)
                weight[entity.name] = max(weight.get(entity.name, 0.0), share)
    return sorted(weight, key=lambda name: (-weight[name], name))[:_NAMES]
