"""The time of reading a file grows at most as its size does.

`tests/research/benches/test_growth.py` reads every shape of `clew research bench growth`, in larger files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from core.extraction.extractors import rules_extractor
from core.research.benches.growth import Growth, Reader
from core.research.synthetic.growth_shapes import SHAPES
from tests.growth import FINE, assert_grows_linearly

READ, EXTRACTED = 64_000, 8_000  # characters
# One of each reader.
FILES = (
    "no spaces.txt",
    "no line ends.txt",
    "labels.txt",
    "nested tables.html",
    "spanned cells.html",
    "comments that never end.html",
    "open links.md",
    "nested quotes.md",
    "long substitution.rst",
    "replies.eml",
    "recipients.eml",
    "whatsapp.txt",
    "ragged.csv",
)
TEXTS = ("legal.txt", "lists.md", "small tables.xlsx")


def test_the_assertion_can_fail() -> None:
    def quadratic(text: str) -> int:
        return sum(one == other for one in text for other in text)

    assert not Growth((1.0, 4.0, 16.0)).is_linear and Growth((0.5, 1.0, 2.0)).is_linear
    with pytest.raises(pytest.fail.Exception):
        assert_grows_linearly(quadratic, lambda size: "a" * size, 2_000, least=0.01)


@pytest.mark.parametrize("name", FILES)
def test_read(name: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    assert_grows_linearly(lambda content: reader.read(name, content), SHAPES[name], READ, FINE)


@pytest.mark.parametrize("name", TEXTS)
def test_extracted(name: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path, rules_extractor())
    reader.read("warm.txt", b"The Gull came to Vestmar.")
    assert_grows_linearly(lambda content: reader.read(name, content), SHAPES[name], EXTRACTED)
