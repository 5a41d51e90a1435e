"""Which names are told where a kind of names is asked for, and by which sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.answering.models import Models
from core.answering.overview.named import (
    Named,
    Point,
    asked_kind,
    asks_for_all,
    asks_for_all_times,
    common_names,
    is_heading,
    named_points,
)
from core.extraction.names import normalise
from core.retrieval.routing.corpuswide import in_particular
from core.store.store import Store

# One passage each, of one document; the sentences end with a full stop.
TEXTS = (
    "Each Supplier keeps a record. The Supplier pays.",
    "As agreed, and after long talks with all others, it was signed by Norland Shipping. "
    "Norland Shipping owns two ships.",
    "The Software may be copied. Whoever sells software again tells us. A copy of Software",
    "Blue Harbour Bank lent the money. Norland Shipping and Blue Harbour Bank signed. The harbour is closed.",
)
NAMES = {1: "Supplier", 2: "Norland Shipping", 3: "Software", 4: "Blue Harbour Bank", 5: "Nobody Ltd"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    created = Store(tmp_path, "m", 4, create=True)
    with created.database.transaction() as connection:
        connection.execute(
            "INSERT INTO documents (key, id, path, sha256, size, modified_ns, title, media_type, pages, state)"
            " VALUES (1, 'd', 'd.txt', '', 0, 0, 'd', 'text/plain', 0, 'done')"
        )
        connection.executemany(
            "INSERT INTO entities (key, id, normal, name, label) VALUES (?, ?, ?, ?, 'ORG')",
            [(key, f"e{key}", normalise(name), name) for key, name in NAMES.items()],
        )
        for key, text in enumerate(TEXTS, 1):
            connection.execute(
                'INSERT INTO passages (key, id, document_key, ordinal, title, text, start, "end")'
                " VALUES (?, ?, 1, ?, 'd', ?, ?, ?)",
                (key, f"p{key}", key, text, 1000 * key, 1000 * key + len(text)),
            )
            ends = [at + 1 for at, sign in enumerate(text) if sign == "."]
            for ordinal, (start, end) in enumerate(zip([0, *ends], [*ends, len(text)], strict=True)):
                start += len(text[start:end]) - len(text[start:end].lstrip())
                if start < end:
                    connection.execute(
                        "INSERT INTO sentences VALUES (?, ?, ?, ?)", (key, ordinal, start, end)
                    )
            connection.executemany(
                "INSERT INTO mentions VALUES (?, ?, ?, ?, 'ORG', '', 0)", mentions(key, text)
            )
    yield created
    created.close()


def mentions(passage: int, text: str) -> list[tuple[int, int, int, int]]:
    found = []
    for key, name in NAMES.items():
        at = text.find(name)
        while at >= 0:
            found.append((passage, key, at, at + len(name)))
            at = text.find(name, at + 1)
    return found


def reported(store: Store, *keys: int) -> Mapping[int, str]:
    return {one.key: point.citation.quote for one, point in points(store, *keys)}


def points(store: Store, *keys: int) -> list[tuple[Named, Point]]:
    return named_points(store, [Named(key, f"e{key}", NAMES[key], 7, 1, False) for key in keys])


def test_what_a_contract_defines_is_no_name(store: Store) -> None:
    assert common_names(store, NAMES) == {1, 3}


def test_a_heading_with_its_number_is_no_name() -> None:
    names = ("4.5.2 Retrieval Performance", "2.1. Scope", "3M", "20th Century Fox", "7.5 Ltd", "Norland")
    assert [name for name in names if is_heading(name)] == [names[0], names[1], names[4]]


def test_a_name_is_reported_by_a_sentence_that_comes_to_it_early(store: Store) -> None:
    assert reported(store, 2)[2] == "Norland Shipping owns two ships."
    assert reported(store, 4)[4] == "Blue Harbour Bank lent the money."


def test_no_sentence_is_reported_twice_and_who_stands_in_none_is_left_out(store: Store) -> None:
    assert reported(store, 4, 5, 1).keys() == {4, 1}
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM mentions WHERE passage_key = 2 OR start < 10 AND passage_key = 4")
    assert reported(store, 2)[2] == reported(store, 4)[4]  # the only one that is left of both
    # Both are named, and the sentence stands once.
    assert reported(store, 2, 4).keys() == {2, 4}
    assert len({id(point) for _, point in points(store, 2, 4)}) == 1


def test_what_stands_in_a_list_of_references_tells_nothing(store: Store) -> None:
    with store.database.transaction() as connection:
        connection.execute("INSERT INTO reference_lists VALUES (1, 4000, 4035)")
    assert reported(store, 4)[4] == "Norland Shipping and Blue Harbour Bank signed."


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("Who appears in these documents?", "The people"),
        ("Name the firms involved", "The organisations"),
        ("What do people say about safety across these documents?", ""),
        ("What are the main themes?", ""),
        ("Which people come up most often in the documents?", "The people"),
        ("WHO ARE THE MOST IMPORTANT PEOPLE IN THE ARCHIVE", "The people"),
        ("Which companies are involved in insurance fraud across the documents?", ""),
        ("What is the state of the art according to the papers?", ""),
        ("Who reports to whom?", ""),
    ],
)
def test_what_kind_is_asked_for(models: Models, question: str, begin: str) -> None:
    kind = asked_kind(models.parse(question))
    assert (kind.begin if kind else "").startswith(begin) and bool(kind) == bool(begin)
    assert (kind is None) == (begin == "")


@pytest.mark.parametrize(
    ("question", "everything"),
    [
        ("Who are the key people?", True),
        ("Give me a timeline of what happened.", True),
        ("What changed over the year?", True),
        ("Who is the captain?", False),
        ("How did the company change its name?", False),
        ("What is the history of the ship?", False),
    ],
)
def test_what_nothing_narrows_is_asked_of_everything(models: Models, question: str, everything: bool) -> None:
    parsed = models.parse(question)
    asked = asks_for_all(parsed) or asks_for_all_times(parsed)
    assert (asked and not in_particular(parsed)) == everything
