"""Training of a distilling policy by group-relative rewards with dynamic weights (DW-GRPO).

Shao et al. 2024 (GRPO); Deep GraphRAG 2.2.2, eq. 5 to 7.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.answering.integration.rewards import REWARDS
from core.progress import TaskContext
from core.research.training.list_weights import one_torch_thread

if TYPE_CHECKING:
    import torch

Values = NDArray[np.float64]
_Task = TypeVar("_Task", contravariant=True)
_Any = TypeVar("_Any")
_Text = TypeVar("_Text")
_ALIKE = 1e-8  # least spread of a group's rewards


class Policy(Protocol[_Task, _Text]):
    """Samples texts, and returns their log-probabilities."""

    def parameters(self) -> Iterator[torch.nn.Parameter]: ...

    def sample(self, task: _Task, n: int, chance: np.random.Generator) -> list[_Text]:
        """Sample n texts for one question."""
        ...

    def log_probabilities(self, texts: Sequence[_Text]) -> torch.Tensor:
        """Return the log-probabilities (n,) of complete texts, with gradients."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """`group` texts for each of `questions` questions a step; `printed` uses eq. 5 to the letter."""

    steps: int = 60
    questions: int = 12
    group: int = 8
    epochs: int = 2  # updates on the texts of a step
    rate: float = 1e-3
    clip: float = 0.2
    beta: float = 0.02  # weight of the divergence from the initial policy
    dynamic: bool = True
    printed: bool = False
    first_weights: tuple[float, ...] = (1.0, 1.0, 1.0)
    window: int = 10
    temperature: float = 0.2
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Step:
    """Means over the texts of a step, in the order of REWARDS, and the weights of the rewards."""

    rewards: tuple[float, ...]
    weights: tuple[float, ...]
    joined: float = field(default=0.0)  # mean of the weighted sum
    loss: float = field(default=0.0)


# ---------------------------------------------------------------- what each reward counts


def slope(values: Values) -> float:
    """Return k of the least-squares line k x + b through values at x = 0, 1, ...; 0 for fewer than two."""
    if len(values) < 2:
        return 0.0
    x = np.arange(len(values)) - (len(values) - 1) / 2
    return float(x @ values / (x @ x))


def growth(values: Values) -> float:
    """Return eq. 6: the slope over the range of the values; 0 where they do not change."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return slope(values) / spread if spread > 0 else 0.0


def softmax_weights(rates: Values, total: float, temperature: float) -> Values:
    """Return eq. 7: (m,) weights that sum to `total`; the slower a reward grows, the more it counts."""
    powers = -rates / temperature
    shares = np.exp(powers - powers.max())
    return np.asarray(total * shares / shares.sum(), dtype=np.float64)


@dataclass(slots=True)
class Weights:
    """Reward weights: static, or by eq. 7 over the last `window` steps.

    A rate lies within about 1.5 / window of 0, so a `temperature` of 1 would leave all weights nearly equal.
    """

    first: tuple[float, ...]
    dynamic: bool = True
    window: int = 10
    temperature: float = 0.2
    history: list[Values] = field(default_factory=list)

    def now(self) -> Values:
        """Return the weights of the next step; the initial ones until the window is full."""
        start = np.array(self.first)
        if not self.dynamic or len(self.history) < self.window:
            return start
        recent = np.array(self.history[-self.window :])
        rates = np.array([growth(column) for column in recent.T])
        return softmax_weights(rates, float(start.sum()), self.temperature)

    def add(self, means: Sequence[float] | Values) -> None:
        """Record the mean rewards of a step."""
        self.history.append(np.asarray(means, dtype=np.float64))


# ---------------------------------------------------------------- advantages and loss


def group_relative(rewards: Values) -> Values:
    """Return (r - mean) / std of a group's weighted rewards (g,); zeros where all are equal. Shao et al. 2024,
    4.1.2.
    """
    spread = float(rewards.std())
    if spread < _ALIKE:
        return np.zeros_like(rewards)
    return np.asarray((rewards - rewards.mean()) / spread, dtype=np.float64)


def as_printed(rewards: Values) -> Values:
    """Return eq. 5 to the letter: the weighted reward minus its normalised value.

    If the spread of a group is below 1 it falls as the reward rises, so training by it unlearns.
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
    """Return the loss of GRPO (Shao et al. 2024, eq. 3 and 4) over log-probabilities of complete texts, all (n,).

    `before` are those of the policy that wrote the texts, `first` those of the initial policy, from which `beta`
    times the divergence is penalised.
    """
    import torch

    ratio = torch.exp(now - before)
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    away = first - now
    return -(gain - beta * (torch.exp(away) - away - 1)).mean()


# ---------------------------------------------------------------- training


class Trainer(Generic[_Any, _Text]):
    """Trains a policy in place."""

    def __init__(
        self,
        policy: Policy[_Any, _Text],
        rewards: Callable[[_Any, Sequence[_Text]], NDArray[np.float64]],
        plan: Plan,
    ) -> None:
        """`rewards` returns (n, 3) of texts for one task."""
        import torch

        self._policy, self._rewards, self._plan = policy, rewards, plan
        self._first = copy.deepcopy(policy)
        self._chance = np.random.default_rng(plan.seed)
        self._optimiser = torch.optim.Adam(list(policy.parameters()), lr=plan.rate)
        self.weights = Weights(plan.first_weights, plan.dynamic, plan.window, plan.temperature)

    def train(
        self, tasks: Sequence[_Any], context: TaskContext, on_step: Callable[[Step], None] | None = None
    ) -> list[Step]:
        """Train, calling `on_step` after each step. Raises Cancelled, and ValueError without a task."""
        if not tasks:
            raise ValueError("There is no question to learn from.")
        found = []
        with one_torch_thread():
            for number in range(self._plan.steps):
                context.report("training", number, self._plan.steps)
                found.append(self._step(tasks))
                if on_step is not None:
                    on_step(found[-1])
        return found

    def _step(self, tasks: Sequence[_Any]) -> Step:
        plan, weights = self._plan, self.weights.now()
        texts: list[_Text] = []
        advantages: list[NDArray[np.float64]] = []
        rewards: list[NDArray[np.float64]] = []
        for at in self._chance.choice(len(tasks), min(plan.questions, len(tasks)), replace=False).tolist():
            group = self._policy.sample(tasks[at], plan.group, self._chance)
            own = self._rewards(tasks[at], group)
            advantages.append((as_printed if plan.printed else group_relative)(own @ weights))
            texts += group
            rewards.append(own)
        every = np.concatenate(rewards)
        loss = self._learn(texts, np.concatenate(advantages))
        means = every.mean(0)
        self.weights.add(means)
        return Step(tuple(means.tolist()), tuple(weights.tolist()), float((every @ weights).mean()), loss)

    def _learn(self, texts: Sequence[_Text], advantages: NDArray[np.float64]) -> float:
        import torch

        with torch.no_grad():
            before = self._policy.log_probabilities(texts)
            first = self._first.log_probabilities(texts)
        gains = torch.from_numpy(advantages.astype(np.float32))
        loss = torch.zeros(())
        for _ in range(self._plan.epochs):
            now = self._policy.log_probabilities(texts)
            loss = clipped_loss(now, before, first, gains, self._plan.clip, self._plan.beta)
            self._optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(list(self._policy.parameters()), 1.0)
            self._optimiser.step()
        return float(loss.detach())


def rows(steps: Sequence[Step]) -> list[dict[str, float]]:
    """Return a row for each step, for reports."""
    return [
        {
            **dict(zip(REWARDS, step.rewards, strict=True)),
            **{f"w {name}": weight for name, weight in zip(REWARDS, step.weights, strict=True)},
            "joined": step.joined,
            "loss": step.loss,
        }
        for step in steps
    ]
