"""reStructuredText is read as such: its words, without its marks, as what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from core.ingest.restructured import is_restructured, read_restructured
from core.types import BlockKind


@pytest.mark.parametrize(("source", "text"), [
    ("The mill *stands* on **four** ``posts``.", "The mill stands on four posts."),
    ("Call :py:meth:`~mill.wheel.turn` or :odd:`it`.", "Call turn or it."),
    ("Read `the book`_, `this <https://m.example>`_ and notes_ [3]_.", "Read the book, this and notes [3]."),
    ("The |owner| came.\n\n.. |owner| replace:: *Eva* Holm", "The Eva Holm came."),
    ("Snake_case and 2*3*4 stay; so\\* does this.", "Snake_case and 2*3*4 stay; so* does this."),
    (".. note:: Mind\n   the step.", "Note: Mind the step."),
    (".. versionadded:: 2.1\n   Sails.", "Versionadded 2.1: Sails."),
    (".. invented:: What it is\n   :size: 4\n\n   And its body.", "What it is\n\nAnd its body."),
    (".. image:: a.png\n   :alt: The mill from the south", "The mill from the south"),
    (".. only:: html\n\n   Shown to all.", "Shown to all."),
    (".. toctree::\n   :maxdepth: 1\n\n   intro\n   The wheel <wheel>", "The wheel"),
    (".. raw:: html\n\n   <p>A <b>bold</b> word</p>", "A bold word"),
    ("Run this::\n\n   turn --fast\n\nDone.", "Run this:\n\nturn --fast\n\nDone."),
    ("| One line\n| Another", "One line\nAnother"),
    (":Miller: Eva Holm\n:Built: 1790", "Miller: Eva Holm\n\nBuilt: 1790"),
    ("* First thing\n  of all\n* Second", "- First thing of all\n- Second"),
    ("1. Lift\n2. Turn\n\n#. Again", "1. Lift\n2. Turn\n3. Again"),
    ("A. Holm was a miller\nand a poet.", "A. Holm was a miller and a poet."),
    ("Words.\n\n--------\n\nMore.", "Words.\n\nMore."),
])  # fmt: skip
def test_the_words_without_the_marks(source: str, text: str) -> None:
    assert read_restructured(source).text == text


@pytest.mark.parametrize("source", [
    "=====  =====\nPost   Wood\n=====  =====\none    oak\ntwo    elm\n       and ash\n=====  =====",
    "+------+-------------+\n| Post | Wood        |\n+======+=============+\n| one  | oak         |\n"
     "+------+-------------+\n| two  | elm         |\n|      | and ash     |\n+------+-------------+",
    ".. list-table::\n\n   * - Post\n     - Wood\n   * - one\n     - oak\n   * - two\n     - elm\n       and ash",
    '.. csv-table::\n   :header: Post, Wood\n\n   one, oak\n   two, "elm and ash"',
])  # fmt: skip
def test_all_four_kinds_of_tables(source: str) -> None:
    found = read_restructured(source)
    assert found.text == "Post: one; Wood: oak.\nPost: two; Wood: elm and ash."
    assert [table.columns for table in found.tables] == [("Post", "Wood")]


def test_a_cell_over_two_rows_stands_in_both() -> None:
    drawn = (
        "+------+------+\n| Deck | Name |\n+======+======+\n| low  | Eva  |\n|      +------+\n"
        "|      | Bo   |\n+------+------+"
    )
    assert read_restructured(drawn).text == "Deck: low; Name: Eva.\nDeck: low; Name: Bo."


def test_headings_have_the_level_of_their_lines() -> None:
    source = "====\nMill\n====\n\nWheel\n-----\n\nSpoke\n~~~~~\n\nSail\n----\n\nWords.\n"
    found = read_restructured(source)
    levels = [(found.text[b.start : b.end], b.level) for b in found.blocks if b.kind is BlockKind.HEADING]
    assert levels == [("Mill", 1), ("Wheel", 2), ("Spoke", 3), ("Sail", 2)]
    assert found.heading == "Mill"


def test_code_notes_and_captions_are_blocks(tmp_path: Path) -> None:
    path = tmp_path / "mill.rst"
    path.write_text(
        "The mill\n========\n\n:Author: Eva Holm\n:Date: 4 May 2021\n\n.. code-block:: python\n   :caption: How\n\n"
        "   turn()\n\n.. [1] See above.\n",
        encoding="utf-8",
    )
    found = DocumentLoader().load(path)
    kinds = {found.text[b.start : b.end]: b.kind for b in found.blocks}
    assert kinds["turn()"] is BlockKind.CODE and kinds["[1] See above."] is BlockKind.NOTE
    assert kinds["How"] is BlockKind.CAPTION
    assert (found.title, found.author, found.date) == ("The mill", "Eva Holm", "2021-05-04")
    assert found.media_type == "text/x-rst"


def test_a_text_is_taken_for_it_by_its_directives_among_other_marks() -> None:
    assert is_restructured("Mill\n====\n\n.. note:: Mind.\n\n.. _wheel:\n\nSee :ref:`wheel`.\n")
    assert not is_restructured("Mill\n====\n\nHe said: .. note that.\n\n.. and so on\n")
    assert not is_restructured("# Mill\n\n.. note:: once in Markdown\n")
