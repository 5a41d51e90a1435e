"""Every shape of `clew research bench growth`, in files large enough that a small quadratic share shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.extraction.extractors import rules_extractor
from core.research.benches.growth import Reader
from core.research.synthetic.growth_shapes import SHAPES
from tests.growth import assert_grows_linearly

READ, EXTRACTED = 400_000, 8_000  # characters


@pytest.mark.parametrize("name", SHAPES)
def test_read(name: str, tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    assert_grows_linearly(lambda content: reader.read(name, content), SHAPES[name], READ)


def test_extracted(tmp_path: Path) -> None:
    reader = Reader(tmp_path, rules_extractor())
    reader.read("warm.txt", b"The Gull came to Vestmar.")
    for name in SHAPES:
        assert_grows_linearly(lambda content, name=name: reader.read(name, content), SHAPES[name], EXTRACTED)  # type: ignore[misc]
