"""What a search reads where thousands match: bounded, the best first, and the same each time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from core.extraction.names import normalise
from core.index.lexical import match_all, match_query
from core.retrieval.lexical import WordSearch
from core.retrieval.quick_search import search
from core.store import passages as stored_passages
from core.store.store import Store
from core.types import Document, Passage

MANY = 2_000


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Documents that all say "river", names that all begin with "s", communities that are all called so."""
    found = Store(tmp_path_factory.mktemp("many"), "m", 4, create=True)
    with found.database.transaction() as connection:
        connection.execute(
            "INSERT INTO documents (key, id, path, sha256, size, modified_ns, title, media_type, pages, state)"
            " VALUES (1, 'd', 'd.txt', '', 0, 0, 'd', 'text/plain', 0, 'done')"
        )
        rare = {MANY - 3: "The river Sava meets the river Drina.", MANY - 7: "Drina."}
        connection.executemany(
            'INSERT INTO passages (key, id, document_key, ordinal, title, text, start, "end")'
            " VALUES (?, ?, 1, ?, 'Notes', ?, 0, 9)",
            [(n, f"p{n}", n, rare.get(n, f"A river, number {n}.")) for n in range(1, MANY)],
        )
        names = {n: f"Sa{n:05}" for n in range(1, MANY)}
        names |= {MANY: "Szymon", MANY + 1: "S", MANY + 2: "Old Szymon", MANY + 3: "Sz"}
        connection.executemany(
            "INSERT INTO entities (key, id, normal, name, label) VALUES (?, ?, ?, ?, 'PERSON')",
            [(key, f"e{key}", normalise(name), name) for key, name in names.items()],
        )
        mentions = (
            [(p, MANY) for p in range(1, 40)] + [(p, MANY + 2) for p in range(1, 60)] + [(1, 7), (2, 7)]
        )
        connection.executemany("INSERT INTO mentions VALUES (?, ?, 0, 1, 'PERSON', '', 0)", mentions)
        for key in range(1, MANY):
            level = 2 if key > MANY - 50 else 1
            connection.execute("INSERT INTO communities VALUES (?, ?, NULL, ?)", (key, level, key))
            report = json.dumps({"title": f"Sisters {key:05}", "summary": "brothers"})
            connection.execute("INSERT INTO community_reports VALUES (?, '', '', ?)", (key, report))
    yield found
    found.close()


def names(store: Store, text: str, limit: int = 20) -> list[str]:
    return [entity.name for entity in store.entities.search(text, normalise(text), limit)]


def test_of_thousands_that_begin_so_the_most_mentioned_are_found(store: Store) -> None:
    assert names(store, "s", 3) == ["S", "Szymon", "Sa00007"]
    assert names(store, "S", 3) == names(store, "s", 3)
    # Where few begin so, names that hold it follow.
    assert names(store, "sz") == ["Sz", "Szymon", "Old Szymon"]
    assert names(store, "zym") == ["Old Szymon", "Szymon"]


def some(store: Store, text: str, limit: int) -> list[int]:
    return store.passages.search_some(match_query(text), match_all(text), limit)


def test_few_matches_are_all_ranked(store: Store) -> None:
    for text in ("river", "drina sava", "river drina", "nowhere"):
        best = [key for key, _ in store.passages.search(match_query(text), MANY)]
        assert sorted(some(store, text, MANY)) == sorted(best)
        assert some(store, text, 5) == some(store, text, MANY)[:5]


def test_of_many_matches_those_with_all_words_come_first_and_some_of_the_others(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_passages, "_RANKED", 50)
    found = some(store, "drina river", 20)
    assert found[0] == MANY - 3 and len(set(found)) == 20
    assert set(found[1:]) <= set(range(1, 51))
    assert len(some(store, "river", 100)) == 50
    assert some(store, "river", 20) == some(store, "river", 20)
    assert some(store, "river nowhere", 5) == some(store, "nowhere river", 5) != []


def test_titles_are_searched_without_a_look_into_reports(store: Store) -> None:
    found = store.reports.titled(["s"], 40)
    levels = [level for _, level, _ in found]
    assert levels == sorted(levels, reverse=True) == [2] * 40
    assert [key for key, _, _ in found] == list(range(MANY - 49, MANY - 9))
    assert len(store.reports.titled(["sisters"], 3_000)) == MANY - 1
    assert store.reports.titled(["brothers"], 5) == [], "that is not in the title"
    assert [title for _, _, title in store.reports.titled(["00012", "SIS", "sis"], 5)] == ["Sisters 00012"]


@pytest.mark.parametrize("typed", ["s", "...", "%", '"', "x" * 10_000, "the " * 2_500, "river sz"])
def test_whatever_is_typed_is_answered_and_the_same_again(store: Store, typed: str) -> None:
    found = search(store, typed, 20)
    assert len(found) <= 20
    assert found == search(store, typed, 20)


def test_words_of_nearly_all_passages_are_left_aside_and_the_same_is_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {n: f"p{n}" for n in range(1, MANY)}
    keys = np.array(list(ids))
    match = match_query("Which river meets the Drina?")
    every = [(ids[key], score) for key, score in store.passages.search(match, 200)]
    assert WordSearch(store.passages, None, keys, list(ids.values())).search(match, 200) == every
    monkeypatch.setattr(stored_passages, "_RANKED", 100)
    monkeypatch.setattr(stored_passages, "_MANY", 100)
    few = WordSearch(store.passages, None, keys, list(ids.values()))
    found = few.search(match, 200)
    assert [id for id, _ in found] == ["p1997", "p1993"] == [id for id, _ in every[:2]]
    assert [score for _, score in found] == pytest.approx([score for _, score in every[:2]], abs=1e-5)
    assert few.search(match, 1) == found[:1]
    assert len(few.search(match_query("A river?"), 5)) == 5  # where there is no other word
    assert [keys.tolist() for keys in few.holders(['"drina"', '"river"'])] == [[1993, 1997], []]


def test_texts_come_in_the_order_asked_for_and_a_passage_that_is_gone_is_empty(tmp_path: Path) -> None:
    store = Store(tmp_path, "m", 4, create=True)
    passages = [Passage(f"p{n}", "d", n, "Log", f"entry {n}", 10 * n, 10 * n + 7) for n in range(3)]
    store.documents.put_read(Document("d", "a.txt", "", 1, "Log", "text/plain"), "x" * 30, (), passages)
    assert store.passages.texts(["p2", "gone", "p0", "p2"]) == [
        ("Log", "entry 2"),
        ("", ""),
        ("Log", "entry 0"),
        ("Log", "entry 2"),
    ]
    assert store.passages.texts([]) == []
    store.close()
