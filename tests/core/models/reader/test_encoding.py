"""Question and text as tokens: places, marks at line ends, windows over long texts."""

from __future__ import annotations

import numpy as np
import pytest

from core.models.reader_encoding import LONGEST, PairEncoder

TEXT = "Ann: shall we meet?\nBo: at noon, in Tórshavn."


@pytest.fixture(scope="module")
def encoder() -> PairEncoder:
    return PairEncoder()


def test_tokens_know_their_places(encoder: PairEncoder) -> None:
    (text,) = encoder.texts([TEXT])
    (pair,) = encoder.pairs("When do they meet?", "Chat", text)
    words = [TEXT[start:end] for start, end in zip(pair.starts, pair.ends, strict=True)]
    assert "".join(words) == TEXT.replace(" ", "").replace("\n", "")
    assert len(pair.ids) == pair.begin + len(words) + 1 == len(pair.segments)
    assert words.count("") == 1, "one line ends within the text"
    assert not pair.segments[0] and pair.segments[pair.begin]


def test_windows_cover_a_long_text(encoder: PairEncoder) -> None:
    (text,) = encoder.texts([" ".join(f"word{number}" for number in range(600))])
    pairs = list(encoder.pairs("Which word?", "", text))
    assert len(pairs) > 2 and all(len(pair.ids) <= LONGEST for pair in pairs)
    read = np.unique(np.concatenate([pair.starts for pair in pairs]))
    assert np.array_equal(read, text.starts)


def test_odd_texts_are_read(encoder: PairEncoder) -> None:
    for words in ("", " \n \n", "\u202e\x00", "字" * 900, "a" * 5_000):
        (text,) = encoder.texts([words])
        assert all(len(pair.ids) <= LONGEST for pair in encoder.pairs(words, words, text))
