"""What a document says about which bearer of a name it means."""

from __future__ import annotations

from collections import Counter

import pytest

from core.extraction.names import PLACE
from core.extraction.senses import (
    THING,
    Bearing,
    DocumentFact,
    DocumentName,
    Sign,
    Use,
    bearings,
    senses,
    signs,
)


def person(*normals: str) -> list[DocumentName]:
    return [DocumentName(normal, "PERSON") for normal in normals]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            [DocumentName("titanic", "WORK"), DocumentName("titanic (1997 film)", "WORK")],
            {"titanic": "titanic (1997 film)"},
        ),
        ([DocumentName("salem", "GPE"), DocumentName("salem, ohio", "GPE")], {"salem": "salem, ohio"}),
        (
            [
                DocumentName("titanic", "WORK"),
                DocumentName("titanic (1997 film)", "WORK"),
                DocumentName("titanic (1953 film)", "WORK"),
            ],
            {},
        ),
        ([DocumentName("titanic (1997 film)", "WORK")], {}),
    ],
)
def test_a_longer_name_in_the_document_tells_which_one_is_meant(
    names: list[DocumentName], expected: dict[str, str]
) -> None:
    assert {normal: sign.value for normal, sign in signs(names, ()).items()} == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (person("tervaert", "joost tervaert"), {"tervaert": "joost tervaert"}),
        (person("tervaert", "inspector joost tervaert"), {"tervaert": "inspector joost tervaert"}),
        (person("tervaert", "j. tervaert", "joost p. tervaert"), {"tervaert": "joost p. tervaert"}),
        (person("tervaert", "joost tervaert", "anna tervaert"), {}),
        (person("joost", "joost tervaert"), {"joost": "joost tervaert"}),
        (person("joost", "joost tervaert", "joost maas"), {}),
        (person("dr. tervaert", "anna tervaert"), {}),
        (person("dr. tervaert", "dr. joost tervaert"), {"dr. tervaert": "dr. joost tervaert"}),
        (person("signora tervaert", "joost tervaert", "signor joost tervaert"), {}),
        (person("mr tervaert", "miss tervaert", "tervaert", "joost tervaert"), {}),
        (person("mr tervaert", "miss tervaert", "mr joost tervaert"), {"mr tervaert": "mr joost tervaert"}),
        ([DocumentName("tervaert", "ORG"), *person("joost tervaert")], {}),
        ([*person("hamilton"), DocumentName("port hamilton", "GPE")], {}),
        (person("li", "wei li"), {}),
    ],
)
def test_a_surname_is_the_only_one_who_bears_it(names: list[DocumentName], expected: dict[str, str]) -> None:
    assert {normal: sign.value for normal, sign in signs(names, ()).items()} == expected


def test_one_bearer_in_all_documents_divides_nothing() -> None:
    film, other = Sign("qualifier", "titanic (1997 film)"), Sign("qualifier", "titanic (1953 film)")
    assert senses({1: film, 2: film}) == {1: "", 2: ""}
    assert senses({1: film, 2: other}) == {1: "=titanic (1997 film)", 2: "=titanic (1953 film)"}
    man, place = Sign("surname", "george hamilton"), Sign("kind", "place")
    assert senses({1: man}) == {1: ""}
    assert senses({1: man, 2: place}) == {1: "=george hamilton", 2: ""}


def test_dates_of_birth_that_differ_are_two_people() -> None:
    here = signs(person("pieter maas"), [DocumentFact("pieter maas", "born on", "3 may 1961")])
    there = signs(person("pieter maas"), [DocumentFact("pieter maas", "born in", "june 1984")])
    assert here["pieter maas"] == Sign("born", "1961")
    assert senses({1: here["pieter maas"], 2: there["pieter maas"]}) == {1: "born 1961", 2: "born 1984"}
    assert senses({1: here["pieter maas"], 2: here["pieter maas"]}) == {1: "", 2: ""}
    two_years = [DocumentFact("pieter maas", "born on", date) for date in ("3 may 1961", "3 may 1962")]
    assert signs(person("pieter maas"), two_years)["pieter maas"].kind == "kind"


@pytest.mark.parametrize(
    ("text", "label", "kinds"),
    [
        ("The Durham sailed at dawn.", "GPE", {THING}),
        ("The Durham question was not asked.", "GPE", set()),
        ("The harbour of Durham is small.", "GPE", {PLACE}),
    ],
)
def test_what_the_words_around_a_name_say_of_it(text: str, label: str, kinds: set[str]) -> None:
    start = text.index("Durham")
    use = Use("durham", label, start, start + len("Durham"))
    assert bearings([(text, [use])])["durham"].kinds == kinds


def test_a_word_that_things_stand_in_is_no_place() -> None:
    thing, located, place = Sign("kind", THING), Sign("kind", "located"), Sign("kind", PLACE)
    assert senses({1: thing, 2: located}) == {1: "", 2: ""}
    assert senses({1: thing, 2: place}) == {1: THING, 2: ""}
    assert senses({1: Sign("bearer", "\t\t"), 2: located}) == {1: "person", 2: ""}


def test_a_forename_says_more_than_a_pronoun() -> None:
    found = signs([DocumentName("petra maas", "PERSON", Bearing(pronouns=Counter({"he": 1})))], ())
    assert found == {}
    assert (
        signs([DocumentName("sal maas", "PERSON", Bearing(pronouns=Counter({"he": 1})))], ())[
            "sal maas"
        ].value
        == "he\t\t"
    )


def test_initials_hold_for_the_document_that_introduces_them() -> None:
    text = "Mara Quist (MQ) met MQ."
    uses = [Use("mara quist", "PERSON", 0, 10), Use("mq", "ORG", 12, 14)]
    found = bearings([(text, uses)])
    names = [DocumentName("mara quist", "PERSON", found["mara quist"]), DocumentName("mq", "ORG")]
    assert signs(names, ())["mq"] == Sign("initials", "mara quist")
    assert senses({1: Sign("initials", "mara quist")}) == {1: "=mara quist"}
