"""The adapter in torch, for training only. EA-GraphRAG 3.3; `core.routing.network` is its numpy twin."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.routing.network import HIDDEN
from core.routing.records import Array

if TYPE_CHECKING:
    from torch import nn


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How one adapter is fitted."""

    epochs: int = 30
    batch: int = 64
    rate: float = 1e-3  # of AdamW, falling to 0 along a cosine
    decay: float = 5e-2
    dropout: float = 0.3
    smoothing: float = 0.1  # of the labels
    seed: int = 7


def build(features: int, dropout: float) -> nn.ModuleDict:
    """The untrained adapter; its tensors have the names that `network.from_tensors` reads."""
    from torch import nn

    sizes = (features, *HIDDEN)
    layers = [
        nn.ModuleDict({"widen": nn.Linear(size, out), "stay": nn.Linear(out, out)})
        for size, out in zip(sizes, HIDDEN, strict=False)
    ]
    gates = {"feature_gate": nn.Linear(features, features), "output_gate": nn.Linear(HIDDEN[-1], HIDDEN[-1])}
    for gate in gates.values():
        nn.init.zeros_(gate.weight)  # every feature starts with the same attention
        nn.init.zeros_(gate.bias)
    return nn.ModuleDict(
        {
            **gates,
            "layers": nn.ModuleList(layers),
            "head": nn.Linear(HIDDEN[-1], 1),
            "dropout": nn.Dropout(dropout),
        }
    )


def forward(model: nn.ModuleDict, x: object) -> object:
    """Logits (n,) of a float tensor (n, features)."""
    from torch.nn import functional as F

    h = x * model["feature_gate"](x).softmax(1) * x.shape[1]  # type: ignore[attr-defined]
    for layer in model["layers"]:  # type: ignore[attr-defined]
        h = model["dropout"](F.silu(layer["widen"](h)))
        h = h + F.silu(layer["stay"](h))
    h = h * model["output_gate"](h).softmax(1) * h.shape[1]
    return model["head"](h).squeeze(1)


def fit(x: Array, labels: NDArray[np.bool_], weights: Array, settings: FitSettings) -> nn.ModuleDict:
    """Train on standardised rows (n, features). The same input and seed give the same weights."""
    import torch
    from torch.nn import functional as F

    with torch.random.fork_rng(devices=[]), _one_thread():
        torch.manual_seed(settings.seed)
        model = build(x.shape[1], settings.dropout)
        rows = torch.tensor(x, dtype=torch.float32)
        smooth = labels * (1.0 - settings.smoothing) + settings.smoothing / 2
        targets = torch.tensor(smooth, dtype=torch.float32)
        counted = torch.tensor(weights, dtype=torch.float32)
        optimiser = torch.optim.AdamW(model.parameters(), lr=settings.rate, weight_decay=settings.decay)
        steps = settings.epochs * -(-len(rows) // settings.batch)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=steps)
        model.train()
        for _ in range(settings.epochs):
            for batch in torch.split(torch.randperm(len(rows)), settings.batch):
                lost = F.binary_cross_entropy_with_logits(
                    forward(model, rows[batch]),  # type: ignore[arg-type]
                    targets[batch],
                    weight=counted[batch],
                )
                optimiser.zero_grad()
                lost.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                schedule.step()
    model.train(False)
    return model


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Layers this small are several times slower on two threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def tensors_of(model: nn.ModuleDict) -> dict[str, NDArray[np.float32]]:
    """The weights by name, as `adapter.write` takes them."""
    return {name: value.detach().numpy().astype(np.float32) for name, value in model.state_dict().items()}
