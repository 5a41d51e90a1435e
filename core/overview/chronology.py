"""What is told where a time line is asked for: dated sentences of the reports, in the order of their dates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.extraction.question import ParsedQuestion
from core.extraction.telling import tells
from core.overview.choosing import Chosen, Point, share_of
from core.types import CommunityReport, DatedFact, Statement

MOST = 16  # dated sentences
_FEWEST_WORDS = 2  # of letters, in a sentence that says what happened
_WORD = re.compile(r"[^\W\d_]{2,}")
_ASKED = frozenset({"timeline", "timelines", "chronology"})


def asks_for_times(question: ParsedQuestion) -> bool:
    """Whether it asks for what happened, in order."""
    return not _ASKED.isdisjoint(token.text.lower() for token in question.tokens)


def dated_points(reports: Sequence[CommunityReport], sizes: Mapping[int, int]) -> Chosen:
    """One dated sentence of each report in turn, the largest community first; then all by date.

    `sizes` are entities by community. Nothing where no report has a date.
    """
    order = sorted(reports, key=lambda r: (-sizes.get(r.community_id, 0), r.community_id))
    queues = [(report.community_id, _ranked(report)) for report in order]
    told: dict[tuple[str, int], tuple[int, DatedFact]] = {}
    while len(told) < MOST and any(queue for _, queue in queues):
        for community, queue in queues:
            while queue and len(told) < MOST:
                fact = queue.pop(0)
                place = (fact.citation.document_id, fact.citation.start)
                if place not in told:
                    told[place] = (community, fact)
                    break
    points = [
        Point(community, Statement(fact.citation.quote, (fact.citation,)), share_of(community, sizes))
        for community, fact in sorted(told.values(), key=lambda one: (one[1].date, one[1].citation.start))
    ]
    heard = {point.community_id for point in points}
    return Chosen(
        tuple(points), tuple(r for r in order if r.community_id in heard), len(reports), in_order=True
    )


def _ranked(report: CommunityReport) -> list[DatedFact]:
    """The dated facts of a report whose sentence says the year and something besides ("A. (2018)." does not),
    those that are whole sentences first, of these those that its statements tell."""
    dated = [
        fact
        for fact in report.timeline
        if fact.date[:4] in fact.citation.quote and len(_WORD.findall(fact.citation.quote)) >= _FEWEST_WORDS
    ]
    said = {(c.document_id, c.start) for s in report.statements for c in s.citations}
    return sorted(
        dated,
        key=lambda d: (not tells(d.citation.quote), (d.citation.document_id, d.citation.start) not in said),
    )
