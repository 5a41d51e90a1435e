"""Identifiers are entities of their own kind, and numbers that only look like them are not."""

import pytest

from core.extraction.identifiers import find_identifiers
from tests.core.extraction.conftest import Read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to M.Jones@acme.com.", [("EMAIL", "m.jones@acme.com")]),
        ("Pay DE89 3704 0044 0532 0130 00 now", [("IBAN", "DE89370400440532013000")]),
        ("Pay DE88 3704 0044 0532 0130 00 now", []),
        ("the tanker (IMO 9074729)", [("IMO", "IMO 9074729")]),
        ("Call +49 30 123 4567 today", [("PHONE", "+49301234567")]),
        ("Call 2020-05-06 or 1.234.567", []),
        ("LEI 5493001KJTIIGC8Y1R12", [("LEI", "5493001KJTIIGC8Y1R12")]),
        ("case C-123/45 of 12-CV-2001", [("CODE", "C-123/45"), ("CODE", "12-CV-2001")]),
        ("a" * 100_000 + "@", []),
    ],
)
def test_identifiers_of_a_text(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.label, one.text) for one in find_identifiers(text)] == expected


def test_an_identifier_is_a_mention_and_an_argument(read: Read) -> None:
    extraction = read("The buyer paid. Acme Corporation owns G-ABCD.")
    assert ("G-ABCD", "MARK") in {(m.text, m.label) for m in extraction.mentions}
    assert ("Acme Corporation", "owns", "G-ABCD") in {
        (t.subject, t.predicate, t.object) for t in extraction.triples
    }
