"""Which predicates state an organisational relation, and which end stands below."""

from __future__ import annotations

import pytest

from core.extraction.organisation import MEMBER_OF, OWNED_BY, PART_OF, REPORTS_TO, SUBSIDIARY_OF, stands_below


@pytest.mark.parametrize(
    ("predicate", "relation", "upward"),
    [
        ("part of", PART_OF, True),
        ("is a division of", PART_OF, True),
        ("comprising", PART_OF, False),
        ("subsidiary of", SUBSIDIARY_OF, True),
        ("parent company of", SUBSIDIARY_OF, False),
        ("parent_company", SUBSIDIARY_OF, True),
        ("owns", OWNED_BY, False),
        ("owned by", OWNED_BY, True),
        ("acquired by", OWNED_BY, True),
        ("reports to", REPORTS_TO, True),
        ("supervises", REPORTS_TO, False),
        ("member of", MEMBER_OF, True),
        ("works for", MEMBER_OF, True),
        ("employed", MEMBER_OF, False),
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
