"""The forward pass of MiniLM on numpy: a question is encoded before torch would have been imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.index.blas import one_thread
from core.models.minilm import model_folder
from core.models.reader_encoding import Logits, Pair

Array = NDArray[np.float32]

_LAYERS = 6
_SIZE = 384
_HEADS = 12
_EPSILON = 1e-12
# erf after Abramowitz and Stegun 1964, 7.1.26: off by 1.5e-7 at most, which float32 cannot tell.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_SCALE = 0.3275911


def load(weights: Path) -> NumpyForward:
    from safetensors.numpy import load_file

    tensors: dict[str, Array] = load_file(str(weights))
    for layer in range(_LAYERS):
        _join_attention(tensors, layer)
    return NumpyForward(tensors)


class NumpyForward:
    """Hidden states in full precision."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        """`weights` with query, key and value of each layer as one matrix."""
        self._weights = weights

    def states(self, texts: Sequence[NDArray[np.int64]]) -> list[Array]:
        """Return last hidden states, (tokens, 384) of each text of that many token ids."""
        ids = np.zeros((len(texts), max(len(text) for text in texts)), dtype=np.int64)
        mask = np.zeros(ids.shape, dtype=bool)
        for row, text in enumerate(texts):
            ids[row, : len(text)], mask[row, : len(text)] = text, True
        hidden = self.hidden(ids, mask)
        return [hidden[row, : len(text)] for row, text in enumerate(texts)]

    def hidden(
        self, ids: NDArray[np.int64], mask: NDArray[np.bool_], segments: NDArray[np.int64] | int = 0
    ) -> Array:
        """(texts, width, 384) for ids of that many texts; `mask` says where there are tokens, `segments` is 1 for those
        of the second of two texts."""
        hidden = self._norm(
            self._weights["embeddings.word_embeddings.weight"][ids]
            + self._weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
            + self._weights["embeddings.token_type_embeddings.weight"][segments],
            "embeddings.LayerNorm",
        )
        with one_thread():
            for layer in range(_LAYERS):
                hidden = self._layer(hidden, mask, layer)
        return hidden

    def _layer(self, hidden: Array, mask: NDArray[np.bool_], layer: int) -> Array:
        """Run one transformer block. Devlin et al. 2019; Vaswani et al. 2017, 3.1."""
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
    """Return query, key and value as one matrix: one multiplication in place of three."""
    at = f"encoder.layer.{layer}.attention.self"
    for part in ("weight", "bias"):
        weights[f"{at}.{part}"] = np.concatenate(
            [weights.pop(f"{at}.{kind}.{part}") for kind in ("query", "key", "value")]
        )


def _softmax(scores: Array) -> Array:
    grown = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(grown / grown.sum(-1, keepdims=True), dtype=np.float32)


def _gelu(values: Array) -> Array:
    """Return x times the share of the normal distribution below x. Hendrycks and Gimpel 2016.

    In place, so that it stays in the cache: a fifth of the time for a passage.
    """
    size = np.abs(values)
    size *= np.float32(np.sqrt(0.5))
    grown = np.square(size)
    np.exp(np.negative(grown, out=grown), out=grown)
    t = size * np.float32(_ERF_SCALE)
    t += np.float32(1)
    np.reciprocal(t, out=t)
    above = np.zeros_like(t)
    for factor in reversed(_ERF):
        above += np.float32(factor)
        above *= t
    above *= grown  # 1 - erf(size)
    above *= size
    above *= np.float32(np.sqrt(0.5))
    return np.asarray(np.maximum(values, 0) - above, dtype=np.float32)


_EMBEDDINGS = "embeddings."
_Array: TypeAlias = NDArray[np.float32]


class NumpyNetwork:
    def __init__(self, path: Path) -> None:
        """`path` of what was trained. Raises ModelUnavailable where the encoder's package is missing, and what
        safetensors raises; KeyError where a tensor is missing, ValueError for the large reader."""
        from safetensors import safe_open
        from safetensors.numpy import load_file

        weights = {name: np.asarray(tensor, dtype=np.float32) for name, tensor in load_file(path).items()}
        if weights["heads.dense.weight"].shape[1] != _SIZE:
            raise ValueError(f"{path} is no reader of {_SIZE} numbers a token")
        with safe_open(model_folder() / "model.safetensors", framework="numpy") as encoder:
            for name in encoder.keys():  # noqa: SIM118 - it is no mapping
                if name.startswith(_EMBEDDINGS) and name not in weights and "position_ids" not in name:
                    weights[name] = encoder.get_tensor(name)
        self._forward = NumpyForward(weights)
        self._tokens, self._dense, self._pair = (
            (weights[f"heads.{head}.weight"], weights[f"heads.{head}.bias"])
            for head in ("tokens", "dense", "pair")
        )

    def read(self, pair: Pair) -> Logits:
        mask = np.ones((1, len(pair.ids)), dtype=bool)
        (hidden,) = self._forward.hidden(pair.ids[None], mask, pair.segments[None])
        first = np.tanh(_through(hidden[:1], self._dense))
        return Logits.of(_through(hidden, self._tokens), _through(first, self._pair)[0])


def _through(hidden: _Array, head: tuple[_Array, _Array]) -> _Array:
    weight, bias = head
    return np.asarray(hidden @ weight.T + bias, dtype=np.float32)
