"""Two answers compared: word by word, passage by passage, heat by heat."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from core.types import Answer, Evidence, RankedTwice, SideBySide

_WORD = re.compile(r"\S+")
Spans = tuple[tuple[int, int], ...]


def side_by_side(a: Answer, b: Answer) -> SideBySide:
    """Passages are one where their documents and their texts are, whatever workspace they are of."""
    words_a, words_b = differing_words(a.text, b.text)
    heat = {
        id: b.trace.heat.get(id, 0.0) - a.trace.heat.get(id, 0.0) for id in {**a.trace.heat, **b.trace.heat}
    }
    return SideBySide(a, b, words_a, words_b, _passages(a, b), heat)


def differing_words(a: str, b: str) -> tuple[Spans, Spans]:
    """Spans of each text whose words the other does not have in this order; neighbours as one. Case counts not."""
    ours, theirs = list(_WORD.finditer(a)), list(_WORD.finditer(b))
    said_a, said_b = ([found.group().casefold() for found in each] for each in (ours, theirs))
    codes = SequenceMatcher(None, said_a, said_b, autojunk=False).get_opcodes()
    spans_a = (
        (ours[i].start(), ours[j - 1].end()) for kind, i, j, _, _ in codes if kind != "equal" and j > i
    )
    spans_b = (
        (theirs[i].start(), theirs[j - 1].end()) for kind, _, _, i, j in codes if kind != "equal" and j > i
    )
    return tuple(spans_a), tuple(spans_b)


def _passages(a: Answer, b: Answer) -> tuple[RankedTwice, ...]:
    ours, theirs = ({_key(row): row for row in sorted(each.evidence, key=_rank)} for each in (a, b))
    found = []
    for key, row in {**theirs, **ours}.items():
        one, other = ours.get(key), theirs.get(key)
        ranks = (one.hit.rank if one else None, other.hit.rank if other else None)
        passage = (one or row).passage
        found.append(
            RankedTwice(passage.id, passage.document_id, passage.title, row.document, passage.text, *ranks)
        )
    return tuple(sorted(found, key=lambda each: (each.rank_a is None, each.rank_a or 0, each.rank_b or 0)))


def _rank(row: Evidence) -> int:
    return row.hit.rank


def _key(row: Evidence) -> tuple[str, str]:
    return row.document, " ".join(row.passage.text.split())
