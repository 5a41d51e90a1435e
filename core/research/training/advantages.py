"""Advantages within a group of texts for one question, and the loss. Shao et al. 2024 (GRPO); Deep GraphRAG, eq. 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Values = NDArray[np.float64]
_ALIKE = 1e-8  # a spread below which a group teaches nothing


def group_relative(rewards: Values) -> Values:
    """(r - mean) / std of a group's weighted rewards (g,); zeros where all are alike. Shao et al. 2024, 4.1.2."""
    spread = float(rewards.std())
    if spread < _ALIKE:
        return np.zeros_like(rewards)
    return np.asarray((rewards - rewards.mean()) / spread, dtype=np.float64)


def as_printed(rewards: Values) -> Values:
    """Eq. 5 to the letter: the weighted reward minus its normalised value.

    Where the spread of a group is below 1 it falls as the reward rises, so that training by it unlearns.
    """
    return np.asarray(rewards - group_relative(rewards), dtype=np.float64)


def clipped_loss(
    now: torch.Tensor,
    before: torch.Tensor,
    first: torch.Tensor,
    advantages: torch.Tensor,
    clip: float,
    beta: float,
) -> torch.Tensor:
    """The loss of GRPO (Shao et al. 2024, eq. 3 and 4) over log-probabilities of whole texts, all (n,).

    `before` are those of the policy that wrote the texts, `first` of the one that training began with, from which
    `beta` times the divergence keeps it.
    """
    import torch

    ratio = torch.exp(now - before)
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    away = first - now
    return -(gain - beta * (torch.exp(away) - away - 1)).mean()
