"""The first line of an answer about all documents: the themes, or the times asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.extraction.question import ParsedQuestion
from core.types import CommunityReport

_THEMES = 7  # named in the first line
_TIMES = frozenset(
    {"timeline", "chronology", "development", "history", "evolution", "when", "evolve", "develop"}
)


def headline(
    question: ParsedQuestion,
    reports: Sequence[CommunityReport],
    count: int,
    span: Callable[[], tuple[str, str] | None],
    broad: bool,
    by_date: bool = False,
) -> str:
    """One line of the `reports` that are told, of `count`. `span` gives the first and the last date of all of
    them, read when it is asked for; `by_date`: dates follow."""
    if by_date and (dates := span()):
        return f"From {dates[0]} to {dates[1]}, by date."
    words = [token.lemma.lower() for token in question.tokens]
    if not _TIMES.isdisjoint(words) and (dates := span()):
        return f"From {dates[0]} to {dates[1]}: {_listed(reports)}."
    if not broad:
        return f"Found with: {_listed(reports)}."
    known = f"{count} themes" if count > 1 else "one theme"
    return f"The documents fall into {known}: {_listed(reports, count)}."


def _listed(reports: Sequence[CommunityReport], count: int = 0) -> str:
    titles = [report.title for report in reports[:_THEMES]]
    more = count - len(titles)
    return "; ".join(titles) + (f"; and {more} more" if more > 0 else "")
