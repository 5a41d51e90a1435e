"""The forward pass of MiniLM on torch: for much text, and to the bit the same however the text comes.

What is written of a passage must not depend on the passages beside it, nor on where a run was interrupted.
So texts lie one after the other without padding between them, each attends to itself alone, and every
multiplication has a full block of rows: below a dozen the libraries take other routes, which round differently.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.models.spacy_model import importing

with importing:
    import torch
    import torch.nn.functional as F

LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_BLOCK = 64  # tokens; what is multiplied at once is filled up to a multiple of it
_SUMMED = 384  # products that are summed at once
_HIGHEST = 60.0  # a score of attention whose power is far from the largest number
PRECISIONS = ("bfloat16", "float32")
Attention: TypeAlias = Callable[["torch.Tensor", "torch.Tensor", "torch.Tensor"], "torch.Tensor"]


def best_precision() -> str:
    """Return which of PRECISIONS this processor multiplies fastest, told by its features: a race has no fixed
    winner."""
    return PRECISIONS[0] if multiplies_bfloat16() else PRECISIONS[1]


def multiplies_bfloat16() -> bool:
    found = torch.cpu.get_capabilities()
    there = found.get("avx512_bf16") or found.get("amx_bf16")
    return bool(there and torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]


class TorchForward:
    """Hidden states in one of PRECISIONS, on half of the cores."""

    def __init__(self, weights: Path, precision: str) -> None:
        from safetensors.torch import load_file

        # On the other half names are read meanwhile, and threads that share a core wait for each other at every step.
        self._threads = max(1, torch.get_num_threads() // 2)
        tensors = load_file(str(weights))
        for layer in range(LAYERS):
            join_attention(tensors, layer)
        # A workspace of another machine may want what this processor would have to emulate, at many times the
        # cost: then full precision, whose vectors are within .9999 of those that are there.
        if precision == "bfloat16" and multiplies_bfloat16():
            tensors = {
                name: tensor.to(torch.bfloat16) if tensor.is_floating_point() else tensor
                for name, tensor in tensors.items()
            }
        self._weights = tensors

    def states(self, texts: Sequence[NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Return last hidden states, (tokens, 384) of each text of that many token ids."""
        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        lengths = [len(text) for text in texts]
        filling = -sum(lengths) % _BLOCK  # a text of its own, whose states nobody looks at
        places = [np.arange(length) for length in (*lengths, filling)]
        ids = np.concatenate([*texts, np.zeros(filling, dtype=np.int64)])
        with torch.inference_mode():
            hidden = embeddings(
                torch.from_numpy(ids), torch.from_numpy(np.concatenate(places)), self._weights
            )
            for layer in range(LAYERS):
                hidden = block(hidden, (*lengths, filling), layer, self._weights)
            states = hidden.float().numpy()
        return np.split(states, np.cumsum(lengths))[:-1]


def join_attention(weights: dict[str, torch.Tensor], layer: int) -> None:
    """Return query, key and value as one matrix: one multiplication in place of three."""
    at = f"encoder.layer.{layer}.attention.self"
    for part in ("weight", "bias"):
        weights[f"{at}.{part}"] = torch.cat(
            [weights.pop(f"{at}.{kind}.{part}") for kind in ("query", "key", "value")]
        )


def embeddings(
    ids: torch.Tensor,
    places: torch.Tensor,
    weights: dict[str, torch.Tensor],
    segments: torch.Tensor | int = 0,
) -> torch.Tensor:
    """Return what goes into the first layer, (tokens, 384); `segments` is 1 for tokens of the second of two texts."""
    hidden = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][places]
        + weights["embeddings.token_type_embeddings.weight"][segments]
    )
    return norm(hidden, "embeddings.LayerNorm", weights)


def norm(hidden: torch.Tensor, name: str, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    return F.layer_norm(
        hidden, (hidden.shape[-1],), weights[f"{name}.weight"], weights[f"{name}.bias"], _EPSILON
    )


def _dense(hidden: torch.Tensor, name: str, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    # Longer sums of products are cut by the libraries in a way that goes by the rows and threads at hand.
    summed = F.linear(hidden[:, :_SUMMED], weight[:, :_SUMMED], bias)
    for start in range(_SUMMED, hidden.shape[1], _SUMMED):
        end = start + _SUMMED
        summed = torch.addmm(summed, hidden[:, start:end], weight[:, start:end].t())
    return summed


def block(
    hidden: torch.Tensor,
    lengths: Sequence[int],
    layer: int,
    weights: dict[str, torch.Tensor],
    attention: Attention | None = None,
) -> torch.Tensor:
    """Run one transformer block over texts of these lengths. Devlin et al. 2019; Vaswani et al. 2017, 3.1."""
    at = f"encoder.layer.{layer}"
    mixed = _attended(_dense(hidden, f"{at}.attention.self", weights), lengths, attention or _attention)
    hidden = norm(
        hidden + _dense(mixed, f"{at}.attention.output.dense", weights),
        f"{at}.attention.output.LayerNorm",
        weights,
    )
    inner = F.gelu(_dense(hidden, f"{at}.intermediate.dense", weights))
    return norm(hidden + _dense(inner, f"{at}.output.dense", weights), f"{at}.output.LayerNorm", weights)


def _attended(joined: torch.Tensor, lengths: Sequence[int], attention: Attention) -> torch.Tensor:
    """Let each text attend to itself; neighbours of one length go through together."""
    size = joined.shape[-1] // 3
    mixed, start = [], 0
    for length, alike in itertools.groupby(lengths):
        end = start + length * len(list(alike))
        shape = (-1, length, 3, _HEADS, size // _HEADS)
        if end > start:
            query, key, value = joined[start:end].view(shape).permute(2, 0, 3, 1, 4)
            mixed.append(attention(query, key, value).transpose(1, 2).reshape(-1, size))
        start = end
    return torch.cat(mixed)


def _attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Compute attention (Vaswani et al. 2017, equation 1) over shapes (texts, heads, tokens, head size)."""
    if query.dtype is not torch.bfloat16:
        return F.scaled_dot_product_attention(query, key, value)
    # The library's own kernel takes half as long again in this precision, and twice as long backward.
    shape, asked = query.shape, query * query.shape[-1] ** -0.5
    asked, key, value = (each.flatten(0, 1).contiguous() for each in (asked, key, value))
    return torch.bmm(torch.softmax(torch.bmm(asked, key.transpose(1, 2)), -1), value).view(shape)


def quick_attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Compute `_attention`, to the precision of bfloat16 but not to the bit, in about half of the time: powers that are
    summed by a column of ones beside the values, in place of a softmax. Not to be learned through."""
    if query.dtype is not torch.bfloat16:
        return F.scaled_dot_product_attention(query, key, value)
    shape, asked = query.shape, query * query.shape[-1] ** -0.5
    value = torch.cat((value, torch.ones_like(value[..., :1])), -1)
    asked, key, value = (each.flatten(0, 1).contiguous() for each in (asked, key, value))
    # Scores of normed states are small; no text may make them overflow.
    powers = torch.bmm(asked, key.transpose(1, 2)).clamp_(max=_HIGHEST).exp_()
    mixed = torch.bmm(powers, value)
    return (mixed[..., :-1] / mixed[..., -1:]).view(shape)
