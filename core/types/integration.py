"""What the lab shows of integrators: how one was trained, step by step, and what its texts are worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """Mean rewards of the texts of a step, 0 to 1, and the weights that they were joined with, by the reward's name."""

    rewards: Mapping[str, float]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class DistilledWay:
    """A way of distilling on questions that were kept apart: the share that the reader answers rightly, and the share
    of the tokens of the first five passages that it keeps."""

    name: str
    questions: int
    right: float
    token_share: float


@dataclass(frozen=True, slots=True)
class TrainedIntegrator:
    """A trained integrator as its file tells. `path` is None for the one that Clew comes with; `fault` says in words
    why it cannot be read."""

    name: str
    path: Path | None
    at: float = 0.0  # seconds since 1970, of its file
    steps: tuple[TrainingStep, ...] = ()
    holdout: tuple[DistilledWay, ...] = ()
    questions: int = 0
    corpora: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class IntegratorWish:
    """What a training is to do. `questions` are pins, verdicts, made, or a path of a file."""

    questions: str
    count: int
    steps: int
    dynamic: bool = True
