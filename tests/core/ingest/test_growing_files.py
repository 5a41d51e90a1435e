"""The time of reading a file grows at most as its size does, over every shape of `clew research bench growth`.

`tests/research/benches/test_growth.py` reads files eight times as large, and extracts facts from every shape.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.extraction.extractors import rules_extractor
from core.research.benches.growth import Growth, Reader
from core.research.synthetic.growth_shapes import SHAPES
from tests.growth import FINE, assert_grows_linearly

READ, EXTRACTED = 64_000, 8_000  # characters
# One of each kind of text and of records that facts are extracted from.
TEXTS = (
    "no spaces.txt",
    "no line ends.txt",
    "short lines.txt",
    "capitals.txt",
    "labels.txt",
    "legal.txt",
    "lists.md",
    "nested tables.html",
    "replies.eml",
    "whatsapp.txt",
    "ragged.csv",
    "small tables.xlsx",
)


def test_the_assertion_can_fail() -> None:
    def quadratic(text: str) -> int:
        return sum(one == other for one in text for other in text)

    assert not Growth((1.0, 4.0, 16.0)).is_linear and Growth((0.5, 1.0, 2.0)).is_linear
    with pytest.raises(pytest.fail.Exception):
        assert_grows_linearly(quadratic, lambda size: "a" * size, 2_000, least=0.01)


def test_at_least_as_many_shapes_as_were_asked_for() -> None:
    assert len(SHAPES) >= 24
    assert all(make(2_000) != make(4_000) for make in SHAPES.values())


@pytest.mark.long
@pytest.mark.parametrize("name", SHAPES)
def test_read(name: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    assert_grows_linearly(lambda content: reader.read(name, content), SHAPES[name], READ, FINE)


@pytest.mark.long
def test_extracted(tmp_path: Path) -> None:
    reader = Reader(tmp_path, rules_extractor())
    reader.read("warm.txt", b"The Gull came to Vestmar.")
    for name in TEXTS:
        assert_grows_linearly(lambda content, name=name: reader.read(name, content), SHAPES[name], EXTRACTED)  # type: ignore[misc]
