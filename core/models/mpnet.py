"""The transformer of all-mpnet-base-v2 on torch, with low-rank adapters on its linear layers. Slow to import.

Song et al. 2020: twelve layers of 768 with positions relative to each other, in buckets shared by all layers (Raffel
et al. 2020, 2.1). Hu et al. 2022, 4.1: beside a frozen matrix W the product of two narrow ones, which alone is trained.
Its vocabulary is that of all-MiniLM-L6-v2 behind four special tokens, so what that one's tokenizer says is read here.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from core.models.spacy_model import importing

with importing:
    import torch
    import torch.nn.functional as F

LAYERS = 12
SIZE = 768
RANK = 32
_HEADS = 12
_WIDTH = SIZE // _HEADS
_SCALE = _WIDTH**-0.5
_MASKED_SCORE = -1e4  # the score of what fills a row up
_LENGTH_STEP = 48  # tokens: texts whose lengths differ by less go through together
_EPSILON = 1e-5
_BUCKETS, _FARTHEST = 32, 128  # of distances between two tokens
_FIRST_PLACE = 2  # of the table of positions; those before it are padding's
_OFFSET = 4  # of every word's number against all-MiniLM-L6-v2
_SPECIAL = {101: 0, 102: 2}  # the mark at the beginning, and the one between question and text
ADAPTERS = "adapters."
BIAS = "encoder.relative_attention_bias.weight"
_MATRICES = ("attention.attn.qkv", "attention.attn.o", "intermediate.dense", "output.dense")

Weights = dict[str, torch.Tensor]


def load_base(path: Path) -> Weights:
    """Return the publisher's weights, query, key and value as one matrix. Raises OSError, SafetensorError."""
    from safetensors.torch import load_file

    found = {name: tensor for name, tensor in load_file(str(path)).items() if tensor.is_floating_point()}
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}.attention.attn"
        for part in ("weight", "bias"):
            found[f"{at}.qkv.{part}"] = torch.cat([found.pop(f"{at}.{kind}.{part}") for kind in "qkv"])
    return {name: tensor for name, tensor in found.items() if "pooler" not in name}


def add_adapters(weights: Weights, chance: torch.Generator) -> None:
    """Put adapters beside every matrix of a layer: at first they change nothing."""
    for layer, matrix in itertools.product(range(LAYERS), _MATRICES):
        name = f"encoder.layer.{layer}.{matrix}"
        out, inner = weights[f"{name}.weight"].shape
        down = torch.rand(RANK, inner, generator=chance) * 2 - 1
        weights[f"{ADAPTERS}{name}.down"] = down * math.sqrt(3 / inner)
        weights[f"{ADAPTERS}{name}.up"] = torch.zeros(out, RANK)


def merge_adapters(weights: Weights) -> Weights:
    """Return the weights with what the adapters add; reading then costs as much as without them."""
    found = {name: tensor for name, tensor in weights.items() if not name.startswith(ADAPTERS)}
    for name in weights:
        if name.startswith(ADAPTERS) and name.endswith(".down"):
            matrix = name.removeprefix(ADAPTERS).removesuffix(".down")
            added = weights[f"{ADAPTERS}{matrix}.up"] @ weights[name]
            found[f"{matrix}.weight"] = found[f"{matrix}.weight"] + added
    return found


def states(ids: torch.Tensor, lengths: Sequence[int], weights: Weights, drop: float = 0.0) -> torch.Tensor:
    """Return last hidden states, (tokens, 768), of texts of these lengths that lie one after another in `ids`."""
    ids = ids + _OFFSET
    for number, own in _SPECIAL.items():
        ids = torch.where(ids == number + _OFFSET, own, ids)
    places = torch.cat([torch.arange(length) for length in lengths]) + _FIRST_PLACE
    hidden = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][places]
    )
    hidden = _norm(hidden, "embeddings.LayerNorm", weights)
    layout = _Layout(lengths, weights)
    for layer in range(LAYERS):
        hidden = _block(F.dropout(hidden, drop) if drop else hidden, layer, weights, layout)
    return hidden


def _block(hidden: torch.Tensor, layer: int, weights: Weights, layout: _Layout) -> torch.Tensor:
    at = f"encoder.layer.{layer}"
    joined = _dense(hidden, f"{at}.attention.attn.qkv", weights)
    mixed = _SelfAttention.apply(joined, layout)  # type: ignore[no-untyped-call]
    hidden = _norm(
        hidden + _dense(mixed, f"{at}.attention.attn.o", weights), f"{at}.attention.LayerNorm", weights
    )
    inner = F.gelu(_dense(hidden, f"{at}.intermediate.dense", weights))
    return _norm(hidden + _dense(inner, f"{at}.output.dense", weights), f"{at}.output.LayerNorm", weights)


def _dense(hidden: torch.Tensor, name: str, weights: Weights) -> torch.Tensor:
    matrix, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    down = weights.get(f"{ADAPTERS}{name}.down")
    if down is None:
        return F.linear(hidden, matrix, bias)
    up = weights[f"{ADAPTERS}{name}.up"]
    adapted: torch.Tensor = _AdaptedLinear.apply(hidden, matrix, bias, down, up)  # type: ignore[no-untyped-call]
    return adapted


class _AdaptedLinear(torch.autograd.Function):
    """A frozen linear layer with its adapter; the sums are taken inside the products, so no state is copied."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden: torch.Tensor,
        matrix: torch.Tensor,
        bias: torch.Tensor,
        down: torch.Tensor,
        up: torch.Tensor,
    ) -> torch.Tensor:
        narrow = hidden @ down.T
        ctx.save_for_backward(hidden, matrix, down, up, narrow)
        return torch.addmm(bias, hidden, matrix.T).addmm_(narrow, up.T)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (grad,) = grads
        hidden, matrix, down, up, narrow = ctx.saved_tensors
        inner = grad @ up
        return (grad @ matrix).addmm_(inner, down), None, None, inner.T @ hidden, grad.T @ narrow


def _norm(hidden: torch.Tensor, name: str, weights: Weights) -> torch.Tensor:
    return F.layer_norm(hidden, (SIZE,), weights[f"{name}.weight"], weights[f"{name}.bias"], _EPSILON)


def _position_bias(longest: int, weights: Weights) -> torch.Tensor:
    """Return what is added to each score of attention by distance, (heads, longest, longest)."""
    places = torch.arange(longest)
    behind = places[:, None] - places[None, :]
    half = _BUCKETS // 2
    exact = half // 2
    far = behind.abs().clamp(min=1).float()
    scale = (half - exact) / math.log(_FARTHEST / exact)
    grown = (exact + (far / exact).log() * scale).long().clamp(max=half - 1)
    buckets = torch.where(behind.abs() < exact, behind.abs(), grown) + (behind < 0) * half
    return weights[BIAS][buckets].permute(2, 0, 1)


class _Block(NamedTuple):
    """Texts of about one length: `rows` of their tokens, (texts, longest), `missing` where one is shorter."""

    rows: torch.Tensor
    missing: torch.Tensor
    distances: torch.Tensor  # (heads, longest, longest)

    def split(self, joined: torch.Tensor, count: int) -> torch.Tensor:
        """Return states of tokens, (tokens, count * size), by part: (count, texts * heads, longest, width)."""
        found = joined[self.rows.flatten()].view(*self.rows.shape, count, _HEADS, _WIDTH)
        return found.permute(2, 0, 3, 1, 4).contiguous().flatten(1, 2)

    def join(self, parts: torch.Tensor, count: int) -> torch.Tensor:
        """Return the opposite of `split`, without what is missing."""
        texts, longest = self.rows.shape
        found = parts.view(count, texts, _HEADS, longest, _WIDTH).permute(1, 3, 0, 2, 4)
        found = found.reshape(texts * longest, count * SIZE)
        return found[(~self.missing).flatten()] if self.missing.any() else found


class _Layout:
    """Which tokens attend to each other, of texts that lie one after another."""

    def __init__(self, lengths: Sequence[int], weights: Weights) -> None:
        own = torch.tensor(lengths)
        first = own.cumsum(0) - own
        distances = _position_bias(max(lengths), weights)
        by_length = sorted((at for at, length in enumerate(lengths) if length), key=lambda at: lengths[at])
        self.blocks: list[_Block] = []
        for _, texts in itertools.groupby(by_length, key=lambda at: -(-lengths[at] // _LENGTH_STEP)):
            block = list(texts)
            longest = lengths[block[-1]]
            column = torch.arange(longest)
            missing = column >= own[block][:, None]
            rows = torch.where(missing, 0, first[block][:, None] + column)
            self.blocks.append(_Block(rows, missing, distances[:, :longest, :longest].contiguous()))
        self.order = torch.cat([block.rows[~block.missing] for block in self.blocks]).argsort()


class _SelfAttention(torch.autograd.Function):
    """Attention of each text to itself, with its gradient written out: no state is sliced or kept twice."""

    @staticmethod
    def forward(ctx: Any, joined: torch.Tensor, layout: _Layout) -> torch.Tensor:
        saved: list[torch.Tensor] = []
        mixed: list[torch.Tensor] = []
        for block in layout.blocks:
            query, key, value = block.split(joined, 3)
            scores = torch.bmm(query.mul_(_SCALE), key.transpose(1, 2))
            of_texts = scores.view(-1, *block.distances.shape).add_(block.distances)
            if block.missing.any():
                of_texts.masked_fill_(block.missing[:, None, None], _MASKED_SCORE)
            shares = torch.softmax(scores, -1)
            saved += [query, key, value, shares]
            mixed.append(block.join(torch.bmm(shares, value), 1))
        ctx.save_for_backward(*saved)
        ctx.layout = layout
        return torch.cat(mixed)[layout.order]

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        found: list[torch.Tensor] = []
        for at, block in enumerate(ctx.layout.blocks):
            query, key, value, shares = ctx.saved_tensors[4 * at : 4 * at + 4]
            (grad,) = block.split(grads[0], 1)
            if block.missing.any():
                by_text = grad.view(len(block.rows), _HEADS, -1, _WIDTH)
                by_text.masked_fill_(block.missing[:, None, :, None], 0.0)
            inner = torch.bmm(grad, value.transpose(1, 2))
            inner = torch._softmax_backward_data(inner, shares, -1, inner.dtype)
            of_query = torch.bmm(inner, key).mul_(_SCALE)
            of_key = torch.bmm(inner.transpose(1, 2), query)
            of_value = torch.bmm(shares.transpose(1, 2), grad)
            found.append(block.join(torch.stack((of_query, of_key, of_value)), 3))
        return torch.cat(found)[ctx.layout.order], None
