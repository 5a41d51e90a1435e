"""Two answers compared: word by word, passage by passage, heat by heat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from core.types import Answer, Evidence, RankedTwice, SideBySide

_WORD = re.compile(r"\S+")
_SAME = 0.5  # share of their words that both have (Dice): a passage may have been cut elsewhere in the other
Spans = tuple[tuple[int, int], ...]


def diff_answers(a: Answer, b: Answer) -> SideBySide:
    """Passages are one where their documents and most of their words are, whatever workspace they are of."""
    words_a, words_b = differing_words(a.text, b.text)
    heat = {
        id: b.trace.heat.get(id, 0.0) - a.trace.heat.get(id, 0.0) for id in {**a.trace.heat, **b.trace.heat}
    }
    return SideBySide(a, b, words_a, words_b, _passages(a, b), heat)


def differing_words(a: str, b: str) -> tuple[Spans, Spans]:
    """Spans of each text whose words the other does not have in this order; neighbours as one. Case counts not."""
    ours, theirs = list(_WORD.finditer(a)), list(_WORD.finditer(b))
    words_a, words_b = ([found.group().casefold() for found in each] for each in (ours, theirs))
    codes = SequenceMatcher(None, words_a, words_b, autojunk=False).get_opcodes()
    spans_a = (
        (ours[i].start(), ours[j - 1].end()) for kind, i, j, _, _ in codes if kind != "equal" and j > i
    )
    spans_b = (
        (theirs[i].start(), theirs[j - 1].end()) for kind, _, _, i, j in codes if kind != "equal" and j > i
    )
    return tuple(spans_a), tuple(spans_b)


def _passages(a: Answer, b: Answer) -> tuple[RankedTwice, ...]:
    ours, theirs = (sorted(each.evidence, key=_rank) for each in (a, b))
    found = []
    for one, other in _joined(ours, theirs):
        row = one or other
        assert row is not None
        ranks = (one.hit.rank if one else None, other.hit.rank if other else None)
        passage = row.passage
        found.append(
            RankedTwice(passage.id, passage.document_id, passage.title, row.document, passage.text, *ranks)
        )
    return tuple(sorted(found, key=lambda each: (each.rank_a is None, each.rank_a or 0, each.rank_b or 0)))


def _joined(
    ours: Sequence[Evidence], theirs: Sequence[Evidence]
) -> list[tuple[Evidence | None, Evidence | None]]:
    """Each passage beside itself, else beside that of its document with which it shares most, else alone."""
    words = {id(row): Counter(_WORD.findall(row.passage.text)) for row in (*ours, *theirs)}

    def shared(one: Evidence, other: Evidence) -> float:
        if one.document != other.document:
            return 0.0
        first, second = words[id(one)], words[id(other)]
        return 2 * (first & second).total() / max(first.total() + second.total(), 1)

    pairs = [(shared(one, other), at, to) for at, one in enumerate(ours) for to, other in enumerate(theirs)]
    partners: dict[int, int] = {}
    for share, at, to in sorted(pairs, key=lambda pair: (-pair[0], *pair[1:])):
        if share >= _SAME and at not in partners and to not in partners.values():
            partners[at] = to
    both = [(one, theirs[partners[at]] if at in partners else None) for at, one in enumerate(ours)]
    return [*both, *((None, other) for to, other in enumerate(theirs) if to not in partners.values())]


def _rank(row: Evidence) -> int:
    return row.hit.rank
