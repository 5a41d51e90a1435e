"""What a sentence does not say by itself is no plain fact: by kind, with plain sentences of the same form."""

from __future__ import annotations

import pytest

from core.types import Extraction

from .conftest import Read


def plain(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(t.subject, t.predicate, t.object) for t in extraction.triples if not t.assertion}


@pytest.mark.parametrize(
    "text",
    [
        '"Is Otto Kask married, Papa?" asked Anna Berg.',
        "Otto Kask looked Anna Berg in the face.",
        "Corvina Bank requires Otto Kask to commit to it.",
        "Otto Kask was quite as old as Anna Berg.",
        "Otto Kask was better educated than Anna Berg.",
        "Oslo is nine miles from Drammen.",
        "When Corvina Bank moves Otto Kask, Harrow Lodge is told.",
        "The loan ends on the date Corvina Bank first sells Harrow Lodge.",
        "If Otto Kask is late, Corvina Bank charges Otto Kask.",
        "Northwind means Ghana, Togo or Benin.",
        "Otto Kask to contact Corvina Bank.",
    ],
)
def test_there_is_no_plain_fact(read: Read, text: str) -> None:
    assert not plain(read(text, ordinal=1))


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Corvina Bank grants Otto Kask a licence.", ("Corvina Bank", "grants licence to", "Otto Kask")),
        ("When Anna Berg left Oslo, Otto Kask sold Harrow Lodge.", ("Otto Kask", "sold", "Harrow Lodge")),
        ("Anna Berg died 5 May 1931.", ("Anna Berg", "died", "5 May 1931")),
        ("Anna Berg is in Oslo.", ("Anna Berg", "is in", "Oslo")),
        ("Anna Berg kept Harrow Lodge.", ("Anna Berg", "kept", "Harrow Lodge")),
    ],
)
def test_plain_sentences_of_the_same_form_are_facts(
    read: Read, text: str, triple: tuple[str, str, str]
) -> None:
    assert triple in plain(read(text, ordinal=1))


def test_an_abbreviation_in_brackets_has_the_letters_of_its_name(read: Read) -> None:
    text = "Northwind Lines Trust (NLT) met. The Tool Usage Fees (STUART) rose."
    found = plain(read(text, ordinal=1))
    assert ("Northwind Lines Trust", "also known as", "NLT") in found
    assert not any(object_ == "STUART" for _, _, object_ in found)


def test_he_and_she_of_one_named_person_are_nobody(read: Read) -> None:
    """Whom of the two the name is, the passage does not say."""
    unsure = plain(read("Robin Vale came to Oslo. He met Otto Kask, and she left.", ordinal=1))
    assert not any(subject == "Robin Vale" and object_ == "Otto Kask" for subject, _, object_ in unsure)
    sure = plain(read("Robin Vale came to Oslo. He visited Harrow Lodge.", ordinal=1))
    assert ("Robin Vale", "visited", "Harrow Lodge") in sure


def test_a_predicate_of_no_family_weighs_less(read: Read) -> None:
    vague, known = (
        next(t.confidence for t in read(text, ordinal=1).triples if t.object == "Harrow Lodge")
        for text in ("Anna Berg flabbergasted Harrow Lodge.", "Anna Berg owns Harrow Lodge.")
    )
    assert vague < known
