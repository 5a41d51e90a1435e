"""Where text stands on its pages, and which text stands at a place."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.pdf import read_pdf
from core.workspace.placed_text import PlacedText
from tests.data_makers.office_files import make_pdf

PAGES = [["The Grey Petrel called at", "Antwerp in March."], ["A second page follows."]]


@pytest.fixture(scope="module")
def read() -> tuple[str, PlacedText]:
    reading = read_pdf(make_pdf(PAGES))
    assert reading.boxes is not None
    return reading.text, PlacedText(reading.boxes)


def test_a_sentence_has_a_box_a_line(read: tuple[str, PlacedText]) -> None:
    text, placed = read
    start, end = text.index("Grey"), text.index("Antwerp") + len("Antwerp")
    first, second = placed.lines(start, end)
    assert first.page == second.page == 1
    assert first.right > first.left > second.left, "the first line begins behind another word"
    assert second.top > first.top and second.right - second.left < first.right - first.left


def test_what_is_drawn_at_a_word_is_the_word(read: tuple[str, PlacedText]) -> None:
    text, placed = read
    for found in re.finditer(r"\S+", text):
        at, word = found.start(), found[0]
        box = placed.words(at, at + len(word))[0]
        middle = box.page, (box.left + box.right) / 2, (box.top + box.bottom) / 2
        place = placed.character_at(*middle)
        assert place is not None and at <= place < at + len(word)
        assert placed.word_at(*middle) == (at, at + len(word))


def test_nothing_stands_in_the_margin(read: tuple[str, PlacedText]) -> None:
    _, placed = read
    assert placed.character_at(1, 5.0, 5.0) is None
    assert placed.word_at(1, 5.0, 5.0) is None
    assert placed.character_at(3, 80.0, 60.0) is None
    assert placed.left_edge(1) == pytest.approx(60, abs=2) and placed.left_edge(9) == 0.0


def test_a_selection_reaches_the_end_of_the_nearest_word(read: tuple[str, PlacedText]) -> None:
    text, placed = read
    end = text.index("at") + len("at")
    box = placed.words(text.index("at"), end)[0]
    assert placed.character_at(1, box.right + 4, box.top + 2, reach=10.0) == end


def test_cells_are_as_wide_as_their_column_and_as_high_as_their_row(read: tuple[str, PlacedText]) -> None:
    text, placed = read
    words = {
        word: (text.index(word), text.index(word) + len(word))
        for word in ("The", "Grey", "Antwerp", "in", "A ")
    }
    places = [(0, 0, "The"), (0, 1, "Grey"), (1, 0, "Antwerp"), (1, 1, "in"), (2, 0, "A ")]
    cells = np.array([(row, column, *words[word]) for row, column, word in places], dtype=np.int32)
    found = placed.cells(cells, 1)
    assert [(start, end) for _, start, end in found] == [words[word] for _, _, word in places[:4]], (
        "one is on page 2"
    )
    the, grey, antwerp, inside = (box for box, _, _ in found)
    assert (the.left, the.right) == (antwerp.left, antwerp.right)
    assert (the.top, the.bottom) == (grey.top, grey.bottom) != (antwerp.top, antwerp.bottom)
    assert (grey.left, grey.right) == (inside.left, inside.right)
    assert placed.cells(cells[:0], 1) == []


@given(start=st.integers(-50, 200), length=st.integers(0, 200))
def test_any_span_has_boxes_of_its_words_alone(start: int, length: int) -> None:
    reading = READING
    assert reading.boxes is not None
    placed, end = PlacedText(reading.boxes), start + length
    expected = sum(1 for begin, stop, _ in reading.boxes.spans.tolist() if begin < end and stop > start)
    assert len(placed.words(start, end)) == expected
    boxes = placed.lines(start, end)
    assert all(
        box.left <= box.right + 1e-6 and box.top <= box.bottom for box in boxes
    )  # of an empty span: a point


READING = read_pdf(make_pdf(PAGES))
