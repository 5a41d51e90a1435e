"""Two answers beside each other: words, passages, heat."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answering.diff import differing_words
from core.progress import TaskContext
from core.workspace import Workspace

QUESTION = "Who commanded the Grey Petrel?"


@pytest.mark.parametrize(
    ("a", "b", "only_a", "only_b"),
    [
        ("the same", "The  same", [], []),
        ("EUR 412,000 in March", "EUR 371,000 in March", ["412,000"], ["371,000"]),
        ("one two three", "one three", ["two"], []),
        ("", "a whole answer", [], ["a whole answer"]),
        ("😀 red fish", "😀 blue fish", ["red"], ["blue"]),
    ],
)
def test_words(a: str, b: str, only_a: list[str], only_b: list[str]) -> None:
    spans_a, spans_b = differing_words(a, b)
    assert [a[start:end] for start, end in spans_a] == only_a
    assert [b[start:end] for start, end in spans_b] == only_b


@given(st.text(), st.text())
def test_without_what_differs_both_say_the_same(a: str, b: str) -> None:
    def left(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
        for start, end in reversed(spans):
            text = text[:start] + " " + text[end:]
        return text.casefold().split()

    spans_a, spans_b = differing_words(a, b)
    assert left(a, spans_a) == left(b, spans_b)


@pytest.mark.long
def test_two_ways(sample_workspace: Workspace) -> None:
    a = sample_workspace.ask(QUESTION, TaskContext(), "dense", 8)
    b = sample_workspace.ask(QUESTION, TaskContext(), "graph", 8)
    found = sample_workspace.side_by_side(a, b)
    ranks = {(each.rank_a, each.rank_b) for each in found.passages}
    assert len(ranks) == len(found.passages)
    assert {each.rank_a for each in found.passages} - {None} == {hit.rank for hit in a.trace.hits}
    assert {each.rank_b for each in found.passages} - {None} == {hit.rank for hit in b.trace.hits}
    assert found.heat == b.trace.heat  # the dense route has none
    assert sample_workspace.side_by_side(a, a).same_answer
    assert not sample_workspace.side_by_side(a, replace(a, text="Nobody")).same_answer


@pytest.mark.long
def test_a_passage_that_was_cut_elsewhere_is_joined_to_itself(sample_workspace: Workspace) -> None:
    a = sample_workspace.ask(QUESTION, TaskContext(), "dense", 5)
    first, *rest = a.evidence
    shorter = replace(first.passage, id="cut", text=first.passage.text[: len(first.passage.text) * 2 // 3])
    b = replace(a, evidence=(*rest, replace(first, passage=shorter)))
    found = sample_workspace.side_by_side(a, b)
    assert all(each.rank_a == each.rank_b is not None for each in found.passages)
    elsewhere = replace(a, evidence=tuple(replace(row, document="another.txt") for row in a.evidence))
    apart = sample_workspace.side_by_side(a, elsewhere).passages
    assert len(apart) == 2 * len(a.evidence) and all(None in (each.rank_a, each.rank_b) for each in apart)
