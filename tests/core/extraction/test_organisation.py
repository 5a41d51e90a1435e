"""Which predicates state an organisational relation, and which end stands below."""

from __future__ import annotations

import pytest

from core.extraction.organisation import MEMBER_OF, OWNED_BY, PART_OF, REPORTS_TO, SUBSIDIARY_OF, stands_below


@pytest.mark.parametrize(
    ("predicate", "relation", "upward"),
    [
        ("part of", PART_OF, True),
        ("comprising", PART_OF, False),
        ("subsidiary of", SUBSIDIARY_OF, True),
        ("parent company of", SUBSIDIARY_OF, False),
        ("owns", OWNED_BY, False),
        ("owned by", OWNED_BY, True),
        ("reports to", REPORTS_TO, True),
        ("member of", MEMBER_OF, True),
    ],
)
def test_a_predicate_from_below_and_from_above(predicate: str, relation: str, upward: bool) -> None:
    assert stands_below(predicate) == (relation, upward)


def test_what_only_looks_like_it() -> None:
    for predicate in (
        "not owned by",
        "owned through",
        "acquired from",
        "parts of",
        "took part in",
        "a wholly",
        "",
    ):
        assert stands_below(predicate) is None, predicate
