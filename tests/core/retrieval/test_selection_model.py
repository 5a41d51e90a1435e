"""The second stage's model: written, read, and refused where it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from core.answering.models import Models
from core.errors import ModelUnavailable
from core.retrieval.selection import model as model_file
from core.retrieval.selection.model import SelectionModel, load_model, save_model
from core.retrieval.selection.pool import SIGNALS


def drawn(seed: int = 0, hidden: int = 3) -> SelectionModel:
    generator = np.random.default_rng(seed)
    d = len(SIGNALS)

    def some(*shape: int) -> NDArray[np.float32]:
        return generator.normal(size=shape).astype(np.float32)

    return SelectionModel(
        some(d), abs(some(d)) + 0.5, some(d), some(hidden, d), some(hidden),
        some(hidden, hidden), some(hidden), some(hidden),
    )  # fmt: skip


def test_scores_are_those_of_torch() -> None:
    import torch
    import torch.nn.functional as F

    model = drawn(hidden=7)
    values = np.random.default_rng(5).normal(0, 4, (20, len(SIGNALS)))
    weights = {f.name: torch.from_numpy(getattr(model, f.name)).double() for f in fields(model)}
    x = ((torch.from_numpy(values) - weights["centre"]) / weights["scale"]).clamp(-5, 5)
    hidden = F.relu(F.linear(x, weights["in_weight"], weights["in_bias"]))
    hidden = F.relu(F.linear(hidden, weights["mid_weight"], weights["mid_bias"]))
    wanted = F.linear(x, weights["direct"][None]) + F.linear(hidden, weights["out_weight"][None])
    np.testing.assert_allclose(model.score(values), wanted[:, 0].numpy(), atol=1e-9)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    model = drawn()
    save_model(model, tmp_path / "m.safetensors")
    again = load_model(tmp_path / "m.safetensors")
    for name in (f.name for f in fields(model)):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
        assert getattr(again, name).dtype == np.float32


def rewritten(path: Path, signals: str = ",".join(SIGNALS), **changed: NDArray[np.float32]) -> None:
    save_file({**load_file(path), **changed}, path, {"signals": signals})


def train_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BREAKS: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "a folder": train_folder,
    "signals in another order": lambda path: rewritten(path, ",".join(reversed(SIGNALS))),
    "shapes do not fit": lambda path: rewritten(path, mid_weight=np.zeros((3, 9), np.float32)),
    "no numbers": lambda path: rewritten(path, direct=np.full(len(SIGNALS), np.nan, np.float32)),
    "no spread": lambda path: rewritten(path, scale=np.zeros(len(SIGNALS), np.float32)),
}


@pytest.mark.parametrize("name", list(BREAKS))
def test_a_file_that_will_not_do_is_told_and_done_without(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "selection.safetensors"
    save_model(drawn(), path)
    BREAKS[name](path)
    with pytest.raises(ModelUnavailable, match=r"selection\.safetensors") as told:
        load_model(path)
    assert told.value.remedy
    monkeypatch.setattr("core.answering.models.SHIPPED", path)
    assert Models().selection() is None


def test_the_shipped_model_fits_this_version() -> None:
    model = load_model(model_file.SHIPPED)
    assert model.direct.shape == (len(SIGNALS),)
    assert Models().selection() is not None
