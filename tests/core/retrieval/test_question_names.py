"""Names of a question, and the sentences that hold them."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import cast

import numpy as np

from core.extraction.names import normalise
from core.retrieval.corpus import Corpus, sentence_entities
from core.retrieval.seeds import PassedOver, names_in_question, restore_capitals


def named(*entities: tuple[str, str, int], passages: int = 100) -> Corpus:
    """A corpus of nothing but names: name, label, number of the passages that hold it."""
    names, labels, counts = zip(*entities, strict=True)
    rows: dict[str, tuple[int, ...]] = {}
    for at, name in enumerate(names):
        rows[normalise(name)] = (*rows.get(normalise(name), ()), at)
    graph = SimpleNamespace(passage_keys=np.arange(passages))
    held = SimpleNamespace(
        entity_rows=rows,
        entity_names=names,
        entity_labels=labels,
        entity_passages=np.array(counts),
        graph=graph,
    )
    return cast(Corpus, held)


def test_names_in_a_question_longest_first() -> None:
    corpus = named(
        ("Salt Road", "FAC", 1),
        ("The Salt Road Company", "ORG", 1),
        ("road", "NOUN", 1),
        ("1971", "DATE", 1),
        ("Who", "OTHER", 1),
        ("salt road", "WORK", 1),
    )
    assert names_in_question("Who runs The Salt Road Company?", corpus) == {1: "The Salt Road Company"}
    assert names_in_question("Which road is the Salt Road?", corpus).keys() == {0, 5}
    assert names_in_question("what happened in 1971?", corpus).keys() == {3}
    assert names_in_question("", corpus) == {}


def test_without_capitals_rare_proper_names_are_named() -> None:
    corpus = named(
        ("Otto Kask", "PERSON", 2),
        ("Parnu", "GPE", 3),
        ("Chief Engineer", "OTHER", 1),
        ("Estonia", "GPE", 40),
    )
    asked = "did otto kask, the chief engineer, leave parnu in estonia"
    assert names_in_question(asked, corpus) == {0: "otto kask", 1: "parnu"}
    assert names_in_question(asked.replace("estonia", "Estonia"), corpus).keys() == {0, 1, 3}
    assert names_in_question("Parnu or Tartu?", corpus).keys() == {1}, "also the first of the question"


def test_names_in_small_letters_are_written_as_the_documents_do() -> None:
    corpus = named(
        ("Otto Kask", "PERSON", 60),
        ("Chief Engineer", "OTHER", 1),
        ("Parnu", "GPE", 3),
        ("Ilves & Co", "ORG", 1),
    )

    def restored(question: str) -> str:
        found = restore_capitals(question, names_in_question(question, corpus), corpus)
        assert found.casefold() == question.casefold() and len(found) == len(question)
        return found

    assert restored("who is otto kask?") == "who is Otto Kask?"
    assert restored("  did (otto kask), the chief engineer,  leave parnu") == (
        "  did (otto kask), the chief engineer,  leave parnu"
    ), "brackets are no marks of a name"
    assert restored("otto kask, ilves & co") == "Otto Kask, Ilves & Co"
    assert restored("OTTO KASK and Otto kask") == "OTTO KASK and Otto kask", "as somebody wrote them"
    assert restored("") == ""


def test_sentence_entities_keep_to_their_passage() -> None:
    sentence_rows = np.array([[0, 0], [0, 50], [1, 10], [2, 0]])
    mentions = np.array([[0, 5, 3], [0, 6, 55], [0, 6, 60], [1, 7, 2], [1, 5, 30], [2, 8, 900]])
    starts, named = sentence_entities(mentions, sentence_rows, sentence_rows[:, 0])
    lists = [named[a:b].tolist() for a, b in pairwise(starts)]
    assert lists == [[5], [6], [5, 7], [8]]


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
