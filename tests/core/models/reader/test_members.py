"""The list around words of a text."""

from __future__ import annotations

import pytest

from core.answering.listing import asks_for_several, siblings
from core.models.spacy_model import load


@pytest.mark.parametrize(
    ("text", "words", "members"),
    [
        (
            "The harbour holds four ships: the Anna, the Brise, the Clio and the Dora. The Emma sank.",
            "the Brise",
            ["the Anna", "the Brise", "the Clio", "the Dora"],
        ),
        (
            "Present: Anne Miller, Bob Stone, Carla Diaz. Apologies: Dan Wu.",
            "Anne Miller, Bob Stone",
            ["Anne Miller", "Bob Stone", "Carla Diaz"],
        ),
        (
            "The importer reads:\n- CSV\n- JSON\n- QIF\nOthers can be added.\n- no",
            "CSV\n- JSON",
            ["CSV", "JSON", "QIF"],
        ),
        ("1. Open the lid\n2) Fill it\n3. Close it", "Fill it", ["Open the lid", "Fill it", "Close it"]),
        ("Tobias Renwick was arrested in Funchal.", "Funchal", []),
        (
            "It is a value of a.py, stacks of panels for each of the sides; Explore, Read and Debug come with it.",
            "py, stacks of panels for each of the sides; Explore, Read and Debug",
            ["Explore", "Read", "Debug"],
        ),
        (
            "He left the old house by the river at dawn, and nobody saw him again.",
            "the old house by the river at dawn, and nobody saw him again",
            [],
        ),
        ("", "", []),
    ],
)
def test_members(text: str, words: str, members: list[str]) -> None:
    start = text.index(words)
    places = tuple((text.index(each), text.index(each) + len(each)) for each in members[-1:])
    assert [text[a:b] for a, b in siblings(text, start, start + len(words), places)] == members


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which ships lie in the harbour?", True),
        ("List all holidays in the Spanish letter.", True),
        ("Which ship lies in the harbour?", False),
        ("How many ships lie in the harbour?", False),
        ("?", False),
    ],
)
def test_a_plural_asks_for_several(question: str, several: bool) -> None:
    assert asks_for_several(load()(question)) == several
