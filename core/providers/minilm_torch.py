"""The forward pass of MiniLM on torch: for much text, where importing torch is soon paid back."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

_LAYERS = 6
_HEADS = 12
_EPSILON = 1e-12
_PAIRS = 11  # multiplications timed in either precision


class TorchForward:
    """Hidden states in the precision that this processor multiplies fastest, on all of its cores."""

    def __init__(self, weights: Path, threads: int = 0) -> None:
        import torch
        from safetensors.torch import load_file

        self._threads = threads or torch.get_num_threads()
        tensors = load_file(str(weights))
        for layer in range(_LAYERS):
            _join_attention(tensors, layer)
        if _bfloat16_is_faster():
            tensors = {
                name: tensor.to(torch.bfloat16) if tensor.is_floating_point() else tensor
                for name, tensor in tensors.items()
            }
        self._weights = tensors

    def states(self, ids: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Last hidden states, (batch, tokens, 384), of token ids and the mask of those that are none."""
        import torch

        if torch.get_num_threads() != self._threads:
            torch.set_num_threads(self._threads)
        with torch.inference_mode():
            hidden = _embeddings(torch.from_numpy(ids), self._weights)
            attend = None if mask.all() else torch.from_numpy(mask)[:, None, None, :]
            for layer in range(_LAYERS):
                hidden = _layer(hidden, attend, layer, self._weights)
            return np.asarray(hidden.float().numpy(), dtype=np.float32)


def _join_attention(weights: dict[str, torch.Tensor], layer: int) -> None:
    """Query, key and value as one matrix: one multiplication in place of three."""
    import torch

    at = f"encoder.layer.{layer}.attention.self"
    for part in ("weight", "bias"):
        weights[f"{at}.{part}"] = torch.cat(
            [weights.pop(f"{at}.{kind}.{part}") for kind in ("query", "key", "value")]
        )


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


def _bfloat16_is_faster() -> bool:
    """Timed, not asked: some processors that announce bfloat16 run it at half the speed of float32."""
    import torch
    import torch.nn.functional as F

    if not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    tokens, matrix = torch.ones(512, 384), torch.ones(1536, 384)
    pairs = {kind: (tokens.to(kind), matrix.to(kind)) for kind in (torch.float32, torch.bfloat16)}
    ratios = []
    for _ in range(_PAIRS):
        spent = []
        for left, right in pairs.values():
            begin = time.perf_counter()
            with torch.inference_mode():
                F.linear(left, right)
            spent.append(time.perf_counter() - begin)
        ratios.append(spent[1] / spent[0])
    # Pair by pair, and the one in the middle: what else runs slows both, or only some of them.
    # Only a clear gain is worth the coarser numbers.
    return statistics.median(ratios) < 0.6
