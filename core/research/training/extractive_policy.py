"""The extractive integrator in training (torch): it samples its choices, after imitation of examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.answering.integration.integrators import open_rows
from core.answering.integration.model import CLIP, DIMENSION, IntegratorModel
from core.answering.integration.signals import SIGNALS, STATE, Features, signals
from core.progress import TaskContext

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Task:
    """One question's pieces, and the token budget of a text."""

    inputs: Features
    budget: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One step of a text: standardised signals (n, d) of the pieces and (s,) of the state.

    `open` marks the available pieces and, last, stopping (n + 1,); `chosen` is the choice, n for stopping.
    """

    values: Floats
    products: Floats
    state: Floats
    open: NDArray[np.bool_]
    chosen: int


@dataclass(frozen=True, slots=True)
class Extract:
    """A sampled text: rows in the order of choice, and the choices themselves."""

    rows: tuple[int, ...]
    choices: tuple[Choice, ...]


class ExtractivePolicy(torch.nn.Module):
    """The network of `IntegratorModel` with gradients."""

    def __init__(self, centre: Floats, scale: Floats, hidden: int = 24, seed: int = 7) -> None:
        super().__init__()
        torch.manual_seed(seed)
        d, s = len(SIGNALS), len(STATE)
        self.centre, self.scale = centre, scale
        self.direct = torch.nn.Linear(d, 1, bias=False)
        self.inner, self.middle = torch.nn.Linear(d, hidden), torch.nn.Linear(hidden, hidden)
        self.out = torch.nn.Linear(hidden, 1, bias=False)
        self.meaning = torch.nn.Linear(DIMENSION, 1, bias=False)
        self.stop, self.stop_in = torch.nn.Linear(s, 1), torch.nn.Linear(s, hidden)
        self.stop_out = torch.nn.Linear(hidden, 1, bias=False)
        torch.nn.init.zeros_(self.meaning.weight)

    def logits(self, values: torch.Tensor, products: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        """Return (m, n + 1) from (m, n, d), (m, n, 384) and (m, s)."""
        hidden = torch.relu(self.middle(torch.relu(self.inner(values))))
        pieces = (self.direct(values) + self.out(hidden) + self.meaning(products)).squeeze(-1)
        stop = self.stop(state) + self.stop_out(torch.relu(self.stop_in(state)))
        return torch.cat([pieces, stop], dim=1)

    def choice(self, task: Task, taken: Sequence[int], full: bool = False) -> Choice:
        """Return the available choices; `chosen` is not set yet."""
        values, state = signals(task.inputs, taken, task.budget)
        x = np.clip((values - self.centre) / self.scale, -CLIP, CLIP).astype(np.float32)
        own = slice(len(SIGNALS) - len(STATE), None)
        s = np.clip((state - self.centre[own]) / self.scale[own], -CLIP, CLIP).astype(np.float32)
        open = np.append(open_rows(task.inputs, list(taken), task.budget), bool(taken) and not full)
        return Choice(x, task.inputs.products, s, open, -1)

    def sample(self, task: Task, n: int, chance: np.random.Generator) -> list[Extract]:
        """Sample the texts together, one step of all at a time."""
        taken: list[list[int]] = [[] for _ in range(n)]
        steps: list[list[Choice]] = [[] for _ in range(n)]
        going = list(range(n))
        end = len(task.inputs.pieces)
        while going:
            choices = [self.choice(task, taken[at]) for at in going]
            with torch.no_grad():
                logs = self._shares(choices).numpy()
            left = []
            for at, choice, log in zip(going, choices, logs, strict=True):
                if not choice.open[:-1].any():
                    continue
                powers = np.exp(log[: end + 1].astype(np.float64))
                pick = int(chance.choice(end + 1, p=powers / powers.sum()))
                steps[at].append(Choice(choice.values, choice.products, choice.state, choice.open, pick))
                if pick < end:
                    taken[at].append(pick)
                    left.append(at)
            going = left
        return [Extract(tuple(rows), tuple(own)) for rows, own in zip(taken, steps, strict=True)]

    def log_probabilities(self, texts: Sequence[Extract]) -> torch.Tensor:
        """Return (n,) of complete texts; 0 for a text without a choice."""
        choices = [choice for text in texts for choice in text.choices]
        owner = torch.from_numpy(np.repeat(np.arange(len(texts)), [len(text.choices) for text in texts]))
        total = torch.zeros(len(texts))
        if not choices:
            return total
        logs = self._shares(choices)
        width = logs.shape[1] - 1
        ends = [c.chosen if c.chosen < len(c.values) else width for c in choices]
        own = logs.gather(1, torch.tensor(ends)[:, None]).squeeze(1)
        return total.index_add(0, owner, own)

    def _shares(self, choices: Sequence[Choice]) -> torch.Tensor:
        """Return the log-probabilities, (m, width + 1), stopping last."""
        width = max(len(choice.values) for choice in choices)
        values = np.zeros((len(choices), width, len(SIGNALS)), dtype=np.float32)
        products = np.zeros((len(choices), width, DIMENSION), dtype=np.float32)
        open = np.zeros((len(choices), width + 1), dtype=bool)
        for at, choice in enumerate(choices):
            n = len(choice.values)
            values[at, :n], products[at, :n] = choice.values, choice.products
            open[at, :n], open[at, -1] = choice.open[:-1], choice.open[-1]
        state = torch.from_numpy(np.stack([choice.state for choice in choices]))
        logits = self.logits(torch.from_numpy(values), torch.from_numpy(products), state)
        closed = torch.from_numpy(~open)
        return torch.log_softmax(logits.masked_fill(closed, -1e4), 1)

    def model(self) -> IntegratorModel:
        """Return the trained network for numpy."""

        def array(weights: torch.Tensor) -> Floats:
            return weights.detach().numpy().astype(np.float32).copy()

        return IntegratorModel(
            self.centre.astype(np.float32), self.scale.astype(np.float32), array(self.direct.weight[0]),
            array(self.inner.weight), array(self.inner.bias), array(self.middle.weight), array(self.middle.bias),
            array(self.out.weight[0]), array(self.meaning.weight[0]), array(self.stop.weight[0]), array(self.stop.bias),
            array(self.stop_in.weight), array(self.stop_in.bias), array(self.stop_out.weight[0]),
        )  # fmt: skip


def standard(tasks: Sequence[Task], chance: np.random.Generator) -> tuple[Floats, Floats]:
    """Return mean and spread of the signals along randomly chosen texts."""
    found = []
    for task in tasks:
        taken: list[int] = []
        while (open := open_rows(task.inputs, taken, task.budget)).any() and len(taken) < 6:
            found.append(signals(task.inputs, taken, task.budget)[0])
            taken.append(int(chance.choice(np.flatnonzero(open))))
    every = np.concatenate(found)
    return every.mean(0).astype(np.float32), (every.std(0) + 1e-2).astype(np.float32)


def imitate(
    policy: ExtractivePolicy,
    lessons: Sequence[tuple[Task, frozenset[int]]],
    epochs: int,
    rate: float,
    context: TaskContext,
    seed: int = 7,
) -> None:
    """Train by supervision before reinforcement (4.2): take any remaining good piece, then stop."""
    chance = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(policy.parameters(), lr=rate, weight_decay=1e-2)
    for epoch in range(epochs):
        context.report("training", epoch, epochs)
        order = chance.permutation(len(lessons))
        for batch in np.array_split(order, max(1, len(order) // 16)):
            choices, wanted = _led([lessons[at] for at in batch.tolist()], policy, chance)
            if not choices:
                continue
            logs = policy._shares(choices)
            target = torch.zeros(logs.shape, dtype=torch.bool)
            for row, good in enumerate(wanted):
                target[row, good or [-1]] = True
            loss = -torch.logsumexp(logs.masked_fill(~target, -1e4), 1).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()


def _led(
    lessons: Sequence[tuple[Task, frozenset[int]]], policy: ExtractivePolicy, chance: np.random.Generator
) -> tuple[list[Choice], list[list[int]]]:
    """Return states on the way through the good pieces, with one wrong choice in four, and the right choices in
    each.
    """
    choices: list[Choice] = []
    wanted: list[list[int]] = []
    for task, good in lessons:
        taken: list[int] = []
        while True:
            choice = policy.choice(task, taken)
            left = [row for row in good if row not in taken and choice.open[row]]
            if not choice.open[:-1].any() or not (left or taken):
                break
            choices.append(choice)
            wanted.append(left)
            if not left:
                break
            astray = np.flatnonzero(choice.open[:-1])
            taken.append(int(chance.choice(astray if chance.random() < 0.25 else left)))
    return choices, wanted
