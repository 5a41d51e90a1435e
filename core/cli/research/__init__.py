"""`clew research`: measure, train and check Clew itself; its developers need it, nobody else does."""

from __future__ import annotations

import click

from core.cli.research.bench import bench, check_papers
from core.cli.research.evaluate import evaluate
from core.cli.research.peers import ask_peers
from core.cli.research.train_reader import score_reader, train_calibration, train_reader
from core.cli.research.training import (
    count_units,
    score_integrator,
    train_adapter,
    train_hybrid,
    train_integrator,
    train_names,
    train_scope,
    train_selector,
    train_weights,
)


@click.group()
def research() -> None:
    """Measure, train and check Clew itself: question sets, benches, papers, models."""


@click.group()
def train() -> None:
    """Train a model that Clew ships, or one of your own, on question sets."""


@click.group()
def score() -> None:
    """Measure a trained model on questions."""


for command in (
    train_reader,
    train_calibration,
    train_weights,
    train_adapter,
    train_names,
    train_scope,
    train_selector,
    train_hybrid,
    train_integrator,
):
    train.add_command(command)
for command in (score_reader, score_integrator):
    score.add_command(command)
for command in (evaluate, bench, train, score, check_papers, ask_peers, count_units):
    research.add_command(command)
