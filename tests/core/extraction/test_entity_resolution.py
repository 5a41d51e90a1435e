"""Rules for two names: what is one entity, and what only looks like it."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import pytest

from core.extraction.entity_resolution import decide
from core.extraction.name_blocks import blocks, looked_into, spells
from core.extraction.names import NamedEntity, normalise, qualified
from core.types.kinds import with_sense


@dataclass
class Context:
    """Where a name stands."""

    documents: Set[int]
    passages: Set[int]
    defines: Set[int] = frozenset()


ALONE, HERE, THERE = Context({1}, {10}), Context({2}, {20}), Context({2}, {21})


def name(text: str, label: str = "OTHER", key: int = 1) -> NamedEntity:
    return NamedEntity(key, normalise(text), label)


def rule(one: NamedEntity, other: NamedEntity, here: Context = HERE, there: Context = THERE) -> str:
    """The rule that merges them, whichever comes first; names that share no block are never asked about."""
    found, back = decide(one, other, here, there), decide(other, one, there, here)
    assert (found and found.rule) == (back and back.rule)
    if found is not None:
        assert looked_into(one) & blocks(other)
        assert looked_into(other) & blocks(one)
    return found.rule if found else ""


@pytest.mark.parametrize(
    ("one", "other", "label", "expected"),
    [
        ("Bohème", "Boheme", "WORK", "letters"),
        ("Calder Reach Trading Ltd", "Calder Reach Trading", "ORG", "form"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", "PERSON", "initials"),
        ("Sir Elton John", "Elton Hercules John", "PERSON", "initials"),
        ("Stavros Kallinikos", "Stavros Kalinikos", "PERSON", "spelling"),
        ("Mr Renwick", "Renwick", "PERSON", "surname"),
        # What only looks like one.
        ("Louis XIV", "Louis XV", "PERSON", ""),
        ("John Smith Jr.", "John Smith", "PERSON", ""),
        ("Mario Brandvold", "Maria Brandvold", "PERSON", ""),
        ("Apple Inc", "Apple", "OTHER", "stem"),  # for a person to decide
        ("Apple Inc", "Apple", "ORG", "firm"),
        ("Mr John Bold", "Mrs John Bold", "PERSON", ""),
        ("Northern Star", "Northern Stair", "OTHER", ""),
        ("Titanic (film)", "Titanic (song)", "WORK", ""),
    ],
)
def test_two_names_in_one_document(one: str, other: str, label: str, expected: str) -> None:
    assert rule(name(one, label), name(other, label, 2)) == expected


def test_first_names_and_spelling_need_a_document_in_common() -> None:
    one, other = name("J. Tolkien", "PERSON"), name("John Tolkien", "PERSON", 2)
    assert rule(one, other) == "initials"
    assert rule(one, other, ALONE, HERE) == "initials", "initials are looked for in other documents, too"
    one, other = name("Stavros Kallinikos", "PERSON"), name("Stavros Kalinikos", "PERSON", 2)
    assert rule(one, other, ALONE, HERE) == ""
    assert rule(one, other, HERE, HERE) == "", "two spellings side by side are two people"


def test_a_bare_name_is_the_qualified_one_only_in_that_sense() -> None:
    film, bare = name("Titanic (1997 film)", "WORK"), name("Titanic", "WORK", 2)
    meant = NamedEntity(3, with_sense("titanic", "=titanic (1997 film)"), "WORK")
    assert rule(film, meant) == "qualifier"
    assert rule(film, bare, Context({1, 2}, {10}), Context({2}, {20})) == "qualifier"
    assert rule(film, bare, Context({1}, {10}), Context({1, 2}, {20})) == ""
    assert rule(bare, meant) == "", "the same letters, and somebody else"
    assert rule(NamedEntity(4, with_sense("titanic", "=titanic (1953 film)"), "WORK"), meant) == ""
    assert qualified("salem, ohio") == ("salem", "ohio")
    assert qualified("acme, inc") == ("acme, inc", "")
    assert qualified("titanic") == ("titanic", "")


def test_a_surname_is_its_bearer_in_that_sense() -> None:
    full = name("Joost Tervaert", "PERSON")
    assert rule(NamedEntity(2, with_sense("tervaert", "=joost tervaert"), "PERSON"), full) == "surname"
    short = NamedEntity(2, "captain tervaert", "PERSON")
    assert rule(short, full, Context({1}, {10}), Context({1, 2}, {11})) == "surname"
    assert rule(short, full, Context({1, 3}, {10}), Context({1, 2}, {11})) == "surname"
    assert rule(short, full, Context({3}, {10}), Context({1, 2}, {11})) == "surname", "a title is enough"
    bare, apart = NamedEntity(4, "tervaert", "PERSON"), (Context({3}, {10}), Context({1, 2}, {11}))
    assert rule(bare, full, *apart) == "surname", "where nobody else may be meant"
    assert rule(NamedEntity(4, "tervaert", "ORG"), full, *apart) == ""
    assert rule(NamedEntity(4, "joost", "PERSON"), full, *apart) == "", "forenames mean many"
    born = NamedEntity(3, with_sense("joost tervaert", "born 1961"), "PERSON")
    assert rule(born, full) == "homonym", "for a person to decide"


@pytest.mark.parametrize(
    ("one", "other", "label", "cosine", "expected"),
    [
        ("University of Cambridge", "Cambridge University", "ORG", 0.97, "words"),
        ("University of Cambridge", "Cambridge University", "ORG", 0.7, ""),
        ("Ali ibn Husayn", "Husayn ibn Ali", "PERSON", 0.97, ""),
    ],
)
def test_the_same_words_in_another_order(
    one: str, other: str, label: str, cosine: float, expected: str
) -> None:
    first, second = name(one, label), name(other, label, 2)
    found = decide(first, second, HERE, HERE, lambda: cosine)
    assert (found.rule if found else "") == expected
    assert decide(first, second, ALONE, HERE, lambda: cosine) is None, "no document in common"
    if expected:
        assert looked_into(first) & blocks(second)


@pytest.mark.parametrize(
    ("one", "label", "expected"),
    [
        ("m.jones@acme.com", "EMAIL", "address"),
        ("k.jones@acme.com", "EMAIL", ""),
        ("JONES, Mary", "PERSON", "inverted"),
        ("JONES, Mark", "PERSON", ""),
    ],
)
def test_a_person_in_other_writings(one: str, label: str, expected: str) -> None:
    assert rule(name(one, label), name("Mary Jones", "PERSON", 2)) == expected


def test_short_forms_that_the_text_introduces() -> None:
    long, short = name("Maritime Fraud Unit", "ORG", 1), name("MFU", "ORG", 2)
    assert rule(long, short, Context({1}, {1}, frozenset({2})), Context({1}, {1})) == "acronym"
    assert rule(long, short, Context({1}, {1}), Context({1}, {1})) == "acronym", "nobody introduces it"
    assert rule(long, name("MFU", "PERSON", 2), Context({1}, {1}), Context({1}, {1})) == "abbreviation", (
        "for a person to decide"
    )
    assert rule(long, short, Context({1}, {1}), Context({2}, {2})) == "", "no document in common"
    assert spells(("court", "of", "human", "rights"), "chr")
    assert spells(("bank", "of", "england"), "boe")
    assert not spells(("bank", "of", "england"), "bx")


def test_a_person_is_neither_a_firm_nor_a_place_of_their_name() -> None:
    person, firm = name("Harold Stone", "PERSON"), name("Harold Stone Ltd", "ORG", 2)
    assert rule(person, firm) == "stem", "for a person to decide"
    assert rule(name("Wash-ington", "PERSON"), name("Washington", "GPE", 2)) == ""
