"""What one extractor finds in a passage that another does not."""

from __future__ import annotations

from collections.abc import Sequence

from core.extraction.names import normalise
from core.types import Triple, TripleChange


def compare(rules: Sequence[Triple], model: Sequence[Triple]) -> tuple[int, list[TripleChange]]:
    """Triples that both find, and the changes: what the model changed, gained and lost, in that order.

    Names are compared by their normal form, predicates without regard to case. Changed is a triple of the
    same two names, in either direction, under another predicate.
    """
    left = {_key(triple): triple for triple in rules}
    right = {_key(triple): triple for triple in model}
    same = left.keys() & right.keys()
    lost = [triple for key, triple in left.items() if key not in same]
    gained = [triple for key, triple in right.items() if key not in same]
    changed: list[TripleChange] = []
    for triple in list(gained):
        before = next((other for other in lost if _ends(other) == _ends(triple)), None)
        if before is not None:
            lost.remove(before)
            gained.remove(triple)
            changed.append(TripleChange("changed", triple.passage_id, before, triple))
    return len(same), [
        *changed,
        *(TripleChange("gained", triple.passage_id, None, triple) for triple in gained),
        *(TripleChange("lost", triple.passage_id, triple, None) for triple in lost),
    ]


def _key(triple: Triple) -> tuple[str, str, str]:
    return normalise(triple.subject), " ".join(triple.predicate.casefold().split()), normalise(triple.object)


def _ends(triple: Triple) -> frozenset[str]:
    return frozenset((normalise(triple.subject), normalise(triple.object)))
