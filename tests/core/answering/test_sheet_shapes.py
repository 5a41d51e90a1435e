"""Of answers over sheets in all their shapes that are shown as sure, .99 are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest

from core.answering.table_answers import best_reading
from core.answering.tables.segments import may_answer, words_of_table
from core.answering.tables.typed import typed
from tests.data_makers.sheet_shapes import HELD_OUT, SHAPES, Sheet, asked, sheets

RIGHT = 0.99  # of the answers that are sure
ANSWERED = 0.7  # of the questions, surely


def _figures(seed: int, count: int, shapes: Sequence[Callable[[Random], Sheet]]) -> Counter[str]:
    figures = Counter[str]()
    for sheet in sheets(seed, count, shapes):
        for each in asked(sheet):
            figures.update(asked=1, sure=each.sure, right=each.sure and each.right)
    return figures


@pytest.mark.parametrize(
    ("seed", "count", "shapes"), [(7, len(SHAPES), SHAPES), (41, 2 * len(HELD_OUT), HELD_OUT)]
)
def test_what_is_sure_is_right(seed: int, count: int, shapes: Sequence[Callable[[Random], Sheet]]) -> None:
    figures = _figures(seed, count, shapes)
    assert figures["right"] >= RIGHT * figures["sure"], figures
    assert figures["sure"] >= (ANSWERED if shapes is SHAPES else 0.4) * figures["asked"], figures


def test_a_table_that_answers_passes_the_cheap_test() -> None:
    """Each question of each sheet, asked of the tables of all sheets: most are of others, and are not read in full."""
    every = list(sheets(3, len(SHAPES)))
    readings = [sheet.reading() for sheet in every]
    tables = [(table, reading.text) for reading in readings for table in reading.tables]
    records = [typed(table, text) for table, text in tables]
    words = [words_of_table(table, text, ("Sheet", table.name)) for table, text in tables]
    answered = skipped = 0
    for question in {question.text for sheet in every for question in sheet.questions}:
        for (table, _), record, own in zip(tables, records, words, strict=True):
            passes = may_answer(question, own)
            skipped += not passes
            if best_reading(question, [("id", ("Sheet", table.name), record)]) is not None:
                answered += 1
                assert passes, (question, table.columns)
    assert answered > 50 and skipped > 500, (answered, skipped)
