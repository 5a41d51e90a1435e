"""Why words of a question name nothing."""

from __future__ import annotations

from core.retrieval.seeds import PassedOver, names_in_question
from tests.core.retrieval.test_retrievers import named

CORPUS = named(
    ("Salt Road", "WORK", 3), ("Road", "NOUN", 40), ("Otto Kask", "PERSON", 2), ("Kask", "PERSON", 9)
)


def passed(question: str) -> dict[str, str]:
    """Words of what was passed over, with the reason."""
    found: list[PassedOver] = []
    with_reasons = names_in_question(question, CORPUS, found)
    assert with_reasons == names_in_question(question, CORPUS), "asking why changes nothing"
    return {each.words: each.why for each in found}


def test_a_longer_name_takes_the_words_of_a_shorter_one() -> None:
    assert passed("Who wrote Salt Road?") == {"Road": "a longer name took its words"}


def test_what_is_not_written_as_a_name() -> None:
    assert passed("Which road did Otto Kask take?") == {
        "road": "not written as a name",
        "Kask": "a longer name took its words",
    }


def test_names_that_no_entity_bears() -> None:
    assert passed("Did Marta Ilves meet Otto Kask in Tartu?") == {
        "Kask": "a longer name took its words",
        "Marta Ilves": "no entity of this name",
        "Tartu": "no entity of this name",
    }


def test_the_first_word_is_no_name_for_its_capital() -> None:
    assert passed("Where?") == {}
    assert passed("") == {}
