"""Questions with lists for the reader: separate members, and lists set as lines."""

from __future__ import annotations

import random

import pytest

from core.research.reader_data import lists

TEXT = "It is old. The importer reads CSV, plain JSON and XML from disk. It is quick."


def members(text: str, answer: str) -> list[str]:
    start = text.index(answer)
    return [text[a:b] for a, b in lists.parted(text, start, start + len(answer))]


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("CSV, plain JSON and XML", ["CSV", "plain JSON", "XML"]),
        ("CSV, plain JSON, or XML", ["CSV", "plain JSON", "XML"]),
        ("JSON and XML", []),
        ("Lima, Peru", []),
        ("1,200, 1,300 and 1,400", []),
    ],
)
def test_three_members_are_a_list(answer: str, wanted: list[str]) -> None:
    assert members(f"They are {answer}.", answer) == wanted


def test_a_list_in_lines_says_the_same() -> None:
    places = lists.parted(TEXT, TEXT.index("CSV"), TEXT.index(" from disk"))
    listed = lists.in_lines(lists.Listed("What is read?", "", TEXT, places, "x"), random.Random(2))
    assert [listed.text[a:b] for a, b in listed.members] == ["CSV", "plain JSON", "XML"]
    lines = listed.text.split("\n")
    assert lines[0] == "It is old." and lines[1] == "The importer reads from disk:"
    assert len(lines) == 6 and lines[-1] == "It is quick."
