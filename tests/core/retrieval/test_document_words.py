"""Words of a passage and of its document: BM25 of documents, told from how many of their passages hold each word."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from core.index.texts import Texts
from core.progress import TaskContext
from core.retrieval.lexical import DocumentWords, Found, Holders, LexicalRetriever, Search
from tests.core.retrieval.queries import query

IDS = {2: "a1", 5: "a2", 6: "b1", 9: "c1", 11: "c2", 12: "c3"}
DOCUMENTS = {"a1": 70, "a2": 70, "b1": 3, "c1": 8, "c2": 8, "c3": 8}
HOLDERS = {'"pump"': [2, 5, 9], '"lock"': [5, 99], '"house"': []}
FOUND = [("c1", 1.0), ("a2", 0.95), ("a1", 0.9), ("b1", 0.4)]


def holders(queries: Sequence[str]) -> list[list[int]]:
    return [HOLDERS.get(query, []) for query in queries]


def retriever() -> LexicalRetriever:
    return over(lambda match, limit: FOUND[:limit], holders, IDS, DOCUMENTS)


def documents(holders: Holders, ids: dict[int, str], of: dict[str, int]) -> DocumentWords:
    return DocumentWords(holders, np.array(list(ids)), np.array([of[id] for id in ids.values()]))


def over(search: Search, holders: Holders, ids: dict[int, str], of: dict[str, int]) -> LexicalRetriever:
    rows = {id: row for row, id in enumerate(ids.values())}

    def found(match: str, limit: int) -> Found:
        hits = search(match, limit)
        return np.array([rows[id] for id, _ in hits]), np.array([score for _, score in hits])

    return LexicalRetriever(found, Texts.of(rows), documents(holders, ids, of))


def test_documents_are_scored_as_computed_by_hand() -> None:
    scores = documents(holders, IDS, DOCUMENTS).scores(["pump", "lock", "house"])
    common = math.log(1 + 1.5 / 2.5)  # two of three documents hold "pump"
    rare = math.log(1 + 2.5 / 1.5)
    norm = [1.2 * (0.25 + 0.75 * length / 2) for length in (1, 2, 3)]  # of the documents 3, 70 and 8
    assert scores[0] == 0.0  # document 3
    assert scores[1] == pytest.approx(common * 1 * 2.2 / (1 + norm[2]))  # document 8
    assert scores[2] == pytest.approx(common * 2 * 2.2 / (2 + norm[1]) + rare * 2.2 / (1 + norm[1]))


def test_the_document_with_all_the_words_lifts_its_passages() -> None:
    found = retriever().retrieve(query("pump of the lock house"), 3, TaskContext())
    assert [hit.passage_id for hit in found.hits] == ["a2", "a1", "c1"]
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
    assert found.hits[0].score > found.hits[1].score > found.hits[2].score


def test_nothing_asked_finds_nothing() -> None:
    assert retriever().retrieve(query("?!"), 5, TaskContext()).hits == ()
    assert retriever().retrieve(query("pump"), 0, TaskContext()).hits == ()


def test_documents_of_one_passage_change_nothing() -> None:
    ids = {1: "a", 2: "b"}
    found = over(
        lambda match, limit: [("b", 0.9), ("a", 0.8)],
        lambda queries: [[1]] * len(queries),
        ids,
        {"a": 1, "b": 2},
    ).retrieve(query("pump"), 2, TaskContext())
    assert [(hit.passage_id, hit.score) for hit in found.hits] == [("b", 0.9), ("a", 0.8)]
