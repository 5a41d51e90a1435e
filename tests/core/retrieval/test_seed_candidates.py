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


def test_what_names_nothing_is_reported_with_the_reason() -> None:
    longer, unwritten, unknown = (
        "a longer name took its words",
        "not written as a name",
        "no entity of this name",
    )
    assert passed("Who wrote Salt Road?") == {"Road": longer}
    assert passed("Which road did Otto Kask take?") == {"road": unwritten, "Kask": longer}
    found = passed("Did Marta Ilves meet Otto Kask in Tartu?")
    assert found == {"Kask": longer, "Marta Ilves": unknown, "Tartu": unknown}
    assert passed("Where?") == passed("") == {}, "the first word is no name for its capital"
