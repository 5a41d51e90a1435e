"""The reader's network: a transformer under six small heads. Slow to import.

Devlin et al. 2019 (4.2, 4.3): start and end of a span as dot products with the tokens' states, where position 0
says that the text does not tell; everything about the pair as a whole from the state of position 0. The transformer
is that of all-MiniLM-L6-v2, whose embeddings are never trained, or that of all-mpnet-base-v2 (the large reader), of
which adapters alone are.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import ModelUnavailable
from core.models import mpnet
from core.models.minilm import model_folder
from core.models.minilm_torch import (
    LAYERS,
    Attention,
    block,
    embeddings,
    join_attention,
    multiplies_bfloat16,
    quick_attention,
)
from core.models.mpnet_weights import join_parts, weights_path
from core.models.reader_encoding import ON_PAIR, ON_TOKENS, Logits, Pair
from core.models.reader_examples import KINDS
from core.models.spacy_model import importing
from core.text.translation import tr

with importing:
    import torch
    import torch.nn.functional as F

BASES = ("minilm", "mpnet")
_SIZES = {"minilm": 384, "mpnet": mpnet.SIZE}
_FILLING = 64  # tokens: what is multiplied at once is filled up to a multiple of it
_FROZEN = "embeddings."
_HEADS = "heads."

Weights = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Outputs:
    """Logits of one batch. `start`, `end` and `inside` are of each token of all pairs, one after another, those of a
    pair from `firsts[i]` on; `kind` (pairs, KINDS), `relevance` (pairs,), `support` (pairs, VERDICTS)."""

    start: torch.Tensor
    end: torch.Tensor
    inside: torch.Tensor
    kind: torch.Tensor
    relevance: torch.Tensor
    support: torch.Tensor
    firsts: tuple[int, ...]


def initial(seed: int, base: str = "minilm") -> Weights:
    """Create the network of one of BASES, with heads that have learned nothing. Raises ModelUnavailable."""
    chance = torch.Generator().manual_seed(seed)
    weights = _mpnet() if base == "mpnet" else _minilm()
    size = _SIZES[base]
    for name, out in (("tokens", ON_TOKENS), ("dense", size), ("pair", ON_PAIR)):
        weights[f"{_HEADS}{name}.weight"] = torch.randn(out, size, generator=chance) * 0.02
        weights[f"{_HEADS}{name}.bias"] = torch.zeros(out)
    if base == "mpnet":
        mpnet.add_adapters(weights, chance)
    return weights


def _minilm() -> Weights:
    from safetensors.torch import load_file

    weights = load_file(str(model_folder() / "model.safetensors"))
    for layer in range(LAYERS):
        join_attention(weights, layer)
    return {
        name: tensor
        for name, tensor in weights.items()
        if tensor.is_floating_point() and "pooler" not in name
    }


def _mpnet() -> Weights:
    from safetensors import SafetensorError

    path = join_parts()
    try:
        return mpnet.load_base(path)
    except (OSError, SafetensorError) as fault:
        raise ModelUnavailable(
            tr("The weights in {path} cannot be read: {fault}.", path=path, fault=fault),
            tr("Delete that file: it is joined again from its packages."),
        ) from fault


def base_of(weights: Weights) -> str:
    own = (mpnet.ADAPTERS, mpnet.BIAS)  # what is trained has the one, what is read with the other
    return "mpnet" if any(name.startswith(own) for name in weights) else "minilm"


def trainable(weights: Weights) -> list[str]:
    if base_of(weights) == "mpnet":
        own = (mpnet.ADAPTERS, _HEADS)
        return sorted(name for name in weights if name.startswith(own))
    return sorted(name for name in weights if not name.startswith(_FROZEN))


def save(weights: Weights, path: Path, metadata: dict[str, str]) -> None:
    """Save what was trained, in half precision."""
    from safetensors.torch import save_file

    tensors = {name: weights[name].detach().to(torch.float16).contiguous() for name in trainable(weights)}
    new = path.with_name(f"{path.name}.new")  # a reader that is there stays whole until the new one is
    save_file(tensors, str(new), metadata)
    os.replace(new, path)


def load(path: Path) -> Weights:
    """Raise ModelUnavailable where the file is missing, or is no reader of this version."""
    tensors = _trained(path)
    weights = initial(0, base_of(tensors))
    shapes = {name: weights[name].shape for name in trainable(weights)}
    if {name: tensor.shape for name, tensor in tensors.items()} != shapes:
        raise ModelUnavailable(
            tr("{path} is no reader of this version.", path=path),
            tr("Train it again: clew research train reader."),
        )
    return weights | {name: tensor.float() for name, tensor in tensors.items()}


def _trained(path: Path) -> Weights:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return load_file(str(path))
    except (OSError, SafetensorError) as fault:
        raise ModelUnavailable(
            tr("The reader {path} cannot be read: {fault}.", path=path, fault=fault),
            tr("Choose another reader, or install Clew again."),
        ) from fault


def averaged(one: Weights, other: Weights, share: float) -> Weights:
    """`share` of the first, the rest of the second, one being trained from the other. Wortsman et al. 2022."""
    return {name: share * one[name].detach() + (1 - share) * other[name].detach() for name in other}


def load_for_reading(path: Path) -> Weights:
    """Return the weights in the precision to read in, adapters merged. Raises ModelUnavailable.

    What is merged is written beside the base, since that takes longer than all else of a first question.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file, save_file

    if base_of(_trained(path)) == "minilm":
        return in_precision(load(path), precision())
    stamp = hashlib.sha256(path.read_bytes() + str(precision()).encode()).hexdigest()[:16]
    merged = weights_path().with_name(f"reader-{stamp}.safetensors")
    with contextlib.suppress(OSError, SafetensorError):
        return load_file(str(merged))
    weights = in_precision(mpnet.merge_adapters(load(path)), precision())
    new = merged.with_name(f"{merged.name}.{os.getpid()}")
    with contextlib.suppress(OSError):  # where nothing can be written the next start merges again
        save_file({name: tensor.contiguous() for name, tensor in weights.items()}, str(new))
        os.replace(new, merged)
    return weights


def precision() -> torch.dtype:
    return torch.bfloat16 if multiplies_bfloat16() else torch.float32


def in_precision(weights: Weights, wanted: torch.dtype) -> Weights:
    return {name: tensor.to(wanted) for name, tensor in weights.items()}


def forward(
    weights: Weights, pairs: Sequence[Pair], drop: float = 0.0, attention: Attention | None = None
) -> Outputs:
    """`weights` in the precision to compute in. `drop` is the share of states that are left out in training."""
    lengths = [len(pair.ids) for pair in pairs]
    filling = -sum(lengths) % _FILLING
    places = [np.arange(length) for length in (*lengths, filling)]
    nothing = np.zeros(filling, dtype=np.int64)
    ids = torch.from_numpy(np.concatenate([*(pair.ids for pair in pairs), nothing]))
    segments = torch.from_numpy(np.concatenate([*(pair.segments for pair in pairs), nothing]))
    if base_of(weights) == "mpnet":
        hidden = mpnet.states(ids, (*lengths, filling), weights, drop)
    else:
        hidden = embeddings(ids, torch.from_numpy(np.concatenate(places)), weights, segments)
        for layer in range(LAYERS):
            hidden = block(
                F.dropout(hidden, drop) if drop else hidden, (*lengths, filling), layer, weights, attention
            )
    tokens = F.linear(hidden, weights["heads.tokens.weight"], weights["heads.tokens.bias"]).float()
    firsts = tuple(np.cumsum([0, *lengths[:-1]]).tolist())
    pooled = torch.tanh(
        F.linear(hidden[list(firsts)], weights["heads.dense.weight"], weights["heads.dense.bias"])
    )
    on_pair = F.linear(pooled, weights["heads.pair.weight"], weights["heads.pair.bias"]).float()
    kinds = len(KINDS)
    start, end, inside = tokens.unbind(1)
    return Outputs(start, end, inside, on_pair[:, :kinds], on_pair[:, kinds], on_pair[:, kinds + 1 :], firsts)


def read(weights: Weights, pairs: Sequence[Pair]) -> list[Logits]:
    """Return what it says of each pair, on this thread alone."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        out = forward(weights, pairs, attention=quick_attention)
    tokens = torch.stack((out.start, out.end, out.inside), 1).numpy()
    on_pair = torch.cat((out.kind, out.relevance[:, None], out.support), 1).numpy()
    places = zip(out.firsts, pairs, on_pair, strict=True)
    return [Logits.of(tokens[first : first + len(pair.ids)], scores) for first, pair, scores in places]
