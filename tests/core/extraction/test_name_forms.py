"""Names in the forms that lists, tables and firms have: surname first, "and Sons", spaced letters."""

from __future__ import annotations

import pytest

from tests.core.extraction.conftest import Read


def people(read: Read, text: str) -> dict[str, str]:
    """Names that are read in another order than they stand there, by what stands there."""
    found = [(text[m.start : m.end], m.text) for m in read(text).mentions]
    return {written: name for written, name in found if ", " in written and name != written}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crew of the Skua\n\nNygaard, Torbjorn\nHolmgren, Sanna\nIsaksen, Jo\nNwosu, Emeka\n",
         ["Torbjorn Nygaard", "Sanna Holmgren", "Jo Isaksen", "Emeka Nwosu"]),
        ("1. Ferreira, Duarte (captain)\n2. Bezos, Lia (cook)\n3. Olsson, Nils (mate)\n",
         ["Duarte Ferreira", "Lia Bezos", "Nils Olsson"]),
        ("Name: Okonkwo, Ada; Duty: cook.\nName: Wik, Ole; Duty: mate.\n", ["Ada Okonkwo", "Ole Wik"]),
        ("Signed by: Rautio, Eero; Lepik, Kadri\n", ["Eero Rautio", "Kadri Lepik"]),
        ("MACALISTER, Ewan\nDE SOUZA, Carla\nVON TRAPP, Georg\nO'CASEY, Siobhan\n",
         ["Ewan Macalister", "Carla de Souza", "Georg von Trapp", "Siobhan O'Casey"]),
        ("Castellanos, Dr. Inés\nPemberton, Arthur, Jr.\nWhitcombe Jr., Harold\nBeethoven, Ludwig van\n",
         ["Dr. Inés Castellanos", "Arthur Pemberton Jr.", "Harold Whitcombe Jr.", "Ludwig van Beethoven"]),
        ("The deed was read. Guttormsen, Liv H. bought the ship Terne in 2003.", ["Liv H. Guttormsen"]),
    ],
)  # fmt: skip
def test_a_name_written_surname_first_is_one_person(read: Read, text: str, expected: list[str]) -> None:
    extraction = read(text)
    assert list(people(read, text).values()) == expected
    written = {m.text for m in extraction.mentions}
    assert set(people(read, text)) <= written, "the written form is a name, too, for the desk and the search"
    assert all(m.label == "PERSON" for m in extraction.mentions if m.text in expected)
    parts = {word.strip(".,") for name in expected for word in name.split()}
    assert not parts & written, "no part is an entity of its own"


@pytest.mark.parametrize(
    "text",
    [
        "Berlin, Germany\nParis, France\nMadrid, Spain\n",
        "Calder Works Ltd, Oslo\nVarde Inc, Bergen\n",
        "However, Carter left. Yesterday, Anna sold the boat.",
        "Washington, D.C. is the capital. Martin Luther King, Jr. spoke there.",
        '"Peter, Anna left the house," said Tom.',
        "Robert Holbrook Smith, M.D. spoke. Haymo of Faversham, O.F.M. wrote it.",
        "Office: Nantes, France; Pay: 900.\nOffice: Kyoto, Japan; Pay: 950.\nOffice: Lagos, Nigeria; Pay: 870.\n",
        "молоко, хлеб\nсыр, масло\n",
        "- Present: Tarrow, Stu, Nick, Renke, Hugh, Ina\n- Apologies: Quint, Tim\n- Absent: None\n",
        "Signed by: Tobias Lohr, Ilse Quint\n",
        "Come, Mr. Tarrow, they come.",
        "Dr Helen Varn, Director\nVarn Museum\n",
    ],
)
def test_what_only_has_the_shape_stays_as_it_is(read: Read, text: str) -> None:
    assert people(read, text) == {}


@pytest.mark.parametrize(
    ("text", "firm"),
    [
        ("Ashdown, Vale and Partners LLP sued the town in 2011.", "Ashdown, Vale and Partners LLP"),
        ("The mill was sold to Nils Hauge & Sons in 1922.", "Nils Hauge & Sons"),
    ],
)
def test_a_firm_is_one_name_and_one_subject(read: Read, text: str, firm: str) -> None:
    extraction = read(text)
    organisations = {m.text for m in extraction.mentions if m.label == "ORG"}
    assert organisations == {firm}
    words = set(firm.replace(",", "").split()) - {"and", "&"}
    assert not words & {m.text for m in extraction.mentions}
    ends = {name for t in extraction.triples for name in (t.subject, t.object)}
    assert not any(name != firm and set(name.replace(",", "").split()) <= words for name in ends)


def test_a_maiden_name_takes_no_part(read: Read) -> None:
    for text in (
        "Clara Wendt, née Sommer, married Otto Wendt.",
        "Clara Wendt geb. Sommer married Otto Wendt.",
    ):
        assert {t.subject for t in read(text).triples} == {"Clara Wendt"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Mr den Houten left. Anna van der Quist saw den Houten.",
            {"Mr den Houten", "Anna van der Quist", "den Houten"},
        ),
        ("J.K. den Houten signed the lease.", {"J.K. den Houten"}),
        ("Dear Mr Hollis,\n\nThank you for the letter.", {"Mr Hollis"}),
        ("Hereupon Mrs. Tarrow rose and left the room.", {"Mrs. Tarrow"}),
    ],
)
def test_a_name_begins_at_its_title_or_particle(read: Read, text: str, expected: set[str]) -> None:
    assert {m.text for m in read(text).mentions if m.label != "NOUN"} == expected
