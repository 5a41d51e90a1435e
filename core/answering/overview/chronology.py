"""What happened in which order: by the dates of documents, else by dated sentences of the reports."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.answering.overview.named import Point, narrows, of_kind
from core.extraction.question import ParsedQuestion
from core.store.passages import StoredPassage
from core.text.statements import is_statement
from core.types import CommunityReport, DatedFact

MOST = 16  # dates
_MOSTLY = 0.5  # least share of the passages whose documents have a date
_LENGTHS = (4, 7, 10)  # of a date in ISO 8601: its year, its month, its day
_FEWEST = 3  # periods
_FEWEST_EVENTS = 5
_FEWEST_WORDS = 2  # of letters, in a sentence that says what happened
_WORD = re.compile(r"[^\W\d_]{2,}")
_EVENTS = frozenset("timeline chronology".split())
_CHANGES = frozenset("change development develop evolution evolve history trend".split())

_PERIODS = frozenset("day week month year decade century period time event happen".split())


def asks_for_times(question: ParsedQuestion) -> bool:
    """Whether it asks for what happened, or what changed."""
    return not (_EVENTS | _CHANGES).isdisjoint(_lemmas(question))


def asks_for_all_times(question: ParsedQuestion) -> bool:
    """Whether it asks for these of everything: nothing says of what."""
    besides = _EVENTS | _CHANGES | _PERIODS
    return asks_for_times(question) and not narrows(question, besides) and not of_kind(_lemmas(question))


def asks_for_events(question: ParsedQuestion) -> bool:
    return not _EVENTS.isdisjoint(_lemmas(question))


def _lemmas(question: ParsedQuestion) -> set[str]:
    return {
        form for token in question.tokens for form in (token.lemma.lower(), token.text.lower().rstrip("s"))
    }


def in_periods(
    passages: Sequence[StoredPassage], dates: Mapping[str, str | None]
) -> list[tuple[str, NDArray[np.int64]]]:
    """Years, months or days with the numbers of the passages whose documents are of them, by date; none where hardly
    any has one. `dates` are those of documents, by id.

    Of more than `MOST` periods of a length the next longer ones are taken, of more years those with most passages.
    """
    of = [(dates.get(each.passage.document_id) or "")[:10] for each in passages]
    if sum(map(bool, of)) < _MOSTLY * len(of):
        return []
    for length in reversed(_LENGTHS):
        counts = Counter(date[:length] for date in of if date)
        if len(counts) <= MOST or length == _LENGTHS[0]:
            break
    if len(counts) < _FEWEST:
        return []
    periods = sorted(period for period, _ in counts.most_common(MOST))
    return [(p, np.array([at for at, date in enumerate(of) if date[:length] == p])) for p in periods]


def dated_points(reports: Sequence[CommunityReport]) -> list[tuple[str, Point]]:
    """(date, sentence) of each of these reports in turn, then all by date; none where hardly any has a date."""
    queues = [_ranked(report) for report in reports]
    facts: dict[tuple[str, int], DatedFact] = {}
    while len(facts) < MOST and any(queues):
        for queue in queues:
            while queue and len(facts) < MOST:
                fact = queue.pop(0)
                place = (fact.citation.document_id, fact.citation.start)
                if place not in facts:
                    facts[place] = fact
                    break
    if len(facts) < _FEWEST_EVENTS:
        return []
    order = sorted(facts.values(), key=lambda fact: (fact.date, fact.citation.start))
    return [(fact.date, Point(fact.citation, 1.0 / len(order))) for fact in order]


def _ranked(report: CommunityReport) -> list[DatedFact]:
    """The dated facts of a report whose sentence says the year and something besides ("A. (2018)." does not),
    those that are whole sentences first, of these those that its statements tell."""
    dated = [
        fact
        for fact in report.timeline
        if fact.date[:4] in fact.citation.quote and len(_WORD.findall(fact.citation.quote)) >= _FEWEST_WORDS
    ]
    stated = {(c.document_id, c.start) for s in report.statements for c in s.citations}
    return sorted(
        dated,
        key=lambda d: (
            not is_statement(d.citation.quote),
            (d.citation.document_id, d.citation.start) not in stated,
        ),
    )
