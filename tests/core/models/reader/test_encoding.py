"""Question and text as tokens: places, marks at line ends, windows over long texts."""

from __future__ import annotations

import numpy as np
import pytest

from core.models.reader import runs
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


def test_the_line_of_a_heading_ends_with_a_mark_of_its_own(encoder: PairEncoder) -> None:
    plain, headed = encoder.texts([TEXT, TEXT], [[], [(0, TEXT.index("\n"))]])
    (at,) = np.flatnonzero(plain.starts == plain.ends)
    assert np.flatnonzero(plain.ids != headed.ids).tolist() == [at]
    (below,) = encoder.texts([TEXT], [[(TEXT.index("\n") + 1, len(TEXT))]])
    assert np.array_equal(below.ids, plain.ids), "a heading that ends the text is followed by none"


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


def test_pieces_of_a_word_are_read_as_one(encoder: PairEncoder) -> None:
    (text,) = encoder.texts(["Clio, Zwolle"])
    (pair,) = encoder.pairs("Which?", "", text)
    words = pair.joined.tolist()
    assert sum(not joined for joined in words) == 3 and sum(words) > 0
    inside = np.where(pair.starts == 0, 0.9, 0.2)  # its first piece alone
    assert runs(pair, inside + 0.4 * (pair.ends <= 4)) == ((0, 4),)
    assert runs(pair, np.full(len(words), 0.9)) == ((0, 12),)
