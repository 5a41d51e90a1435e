"""The forward pass of MiniLM on numpy: a question is encoded before torch would have been imported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
# erf after Abramowitz and Stegun 1964, 7.1.26: off by 1.5e-7 at most, which float32 cannot tell.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_SCALE = 0.3275911


class NumpyForward:
    """Hidden states in full precision."""

    def __init__(self, weights: Path) -> None:
        from safetensors.numpy import load_file

        self._weights: dict[str, Array] = load_file(str(weights))
        for layer in range(_LAYERS):
            _join_attention(self._weights, layer)

    def states(self, texts: Sequence[NDArray[np.int64]]) -> list[Array]:
        """Last hidden states, (tokens, 384) of each text of that many token ids."""
        ids = np.zeros((len(texts), max(len(text) for text in texts)), dtype=np.int64)
        mask = np.zeros(ids.shape, dtype=bool)
        for row, text in enumerate(texts):
            ids[row, : len(text)], mask[row, : len(text)] = text, True
        hidden = self._norm(
            self._weights["embeddings.word_embeddings.weight"][ids]
            + self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + self._weights["embeddings.token_type_embeddings.weight"][0],
            "embeddings.LayerNorm",
        )
        for layer in range(_LAYERS):
            hidden = self._layer(hidden, mask, layer)
        return [hidden[row, : len(text)] for row, text in enumerate(texts)]

    def _layer(self, hidden: Array, mask: NDArray[np.bool_], layer: int) -> Array:
        """One transformer block. Devlin et al. 2019; Vaswani et al. 2017, 3.1."""
        at = f"encoder.layer.{layer}"
        batch, width, size = hidden.shape
        joined = self._dense(hidden, f"{at}.attention.self")
        query, key, value = joined.reshape(batch, width, 3, _HEADS, size // _HEADS).transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(size / _HEADS))
        scores = np.where(mask[:, None, None, :], scores, np.float32(-np.inf))
        mixed = (_softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(batch, width, size)
        hidden = self._norm(
            hidden + self._dense(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm"
        )
        inner = _gelu(self._dense(hidden, f"{at}.intermediate.dense"))
        return self._norm(hidden + self._dense(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")

    def _dense(self, hidden: Array, name: str) -> Array:
        # One multiplication of the batch, the large matrix first: nearly twice as fast for a dozen tokens.
        flat = (self._weights[f"{name}.weight"] @ hidden.reshape(-1, hidden.shape[-1]).T).T
        flat += self._weights[f"{name}.bias"]
        return flat.reshape(*hidden.shape[:-1], -1)

    def _norm(self, hidden: Array, name: str) -> Array:
        centred = hidden - hidden.mean(-1, keepdims=True)
        deviation = np.sqrt(np.square(centred).mean(-1, keepdims=True) + np.float32(_EPSILON))
        scaled: Array = centred / deviation * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return scaled


def _join_attention(weights: dict[str, Array], layer: int) -> None:
    """Query, key and value as one matrix: one multiplication in place of three."""
    at = f"encoder.layer.{layer}.attention.self"
    for part in ("weight", "bias"):
        weights[f"{at}.{part}"] = np.concatenate(
            [weights.pop(f"{at}.{kind}.{part}") for kind in ("query", "key", "value")]
        )


def _softmax(scores: Array) -> Array:
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(grown / grown.sum(-1, keepdims=True), dtype=np.float32)


def _gelu(values: Array) -> Array:
    """x times the share of the normal distribution below x. Hendrycks and Gimpel 2016."""
    share = 1 + _erf(values * np.float32(np.sqrt(0.5)))
    return np.asarray(np.float32(0.5) * values * share, dtype=np.float32)


def _erf(values: Array) -> Array:
    size = np.abs(values)
    t = 1 / (1 + np.float32(_ERF_SCALE) * size)
    series = np.zeros_like(t)
    for factor in reversed(_ERF):
        series = (series + np.float32(factor)) * t
    return np.asarray(np.copysign(1 - series * np.exp(-size * size), values), dtype=np.float32)
