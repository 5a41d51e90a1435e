"""Does Clew say that it does not know? Questions of other data sets are asked of one data set's passages.

A question that the passages do answer counts as answered when anything is said, right or wrong: what is
measured is whether the loop tells known from unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.answering.models import Models
from core.errors import BadInput, CoreError
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.datasets import Dataset, EvalQuestion, read_dataset
from core.research.index_cache import open_cached
from core.workspace import Workspace

QUESTIONS = 100  # of each data set, evenly spaced


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Share of DATASET's questions that are answered, and of those beside it that are not."""
    if dataset is None:
        raise BadInput("This benchmark needs a question set, with others beside it.", "Name its folder.")
    data = read_dataset(dataset)
    others = _read_siblings(dataset, data)
    if not others:
        raise BadInput(
            f"There is no other question set beside {dataset}.", "Put one there: its questions are foreign."
        )
    workspace, _ = open_cached(data, context, Models())
    try:
        workspace.load_models(context)
        figures = {
            "answerable, answered": Figure(
                1.0 - _abstained(workspace, data, context), "", None, "at least 0.85"
            )
        }
        for other in others:
            figures[f"questions of {other.name}, abstained"] = Figure(
                _abstained(workspace, other, context), "", None, "at least 0.90"
            )
    finally:
        workspace.close()
    return figures


def _read_siblings(dataset: Path, own: Dataset) -> list[Dataset]:
    """Other data sets in the same folder, by name."""
    found = []
    for folder in sorted(dataset.resolve().parent.iterdir()):
        if folder.is_dir() and folder.name != dataset.resolve().name:
            try:
                other = read_dataset(folder)
            except CoreError:
                continue
            if other.questions and other.fingerprint != own.fingerprint:
                found.append(other)
    return found


def _abstained(workspace: Workspace, asked: Dataset, context: TaskContext) -> float:
    chosen = _spaced(asked.questions)
    silent = 0
    for number, question in enumerate(chosen):
        context.report("questions", number, len(chosen), asked.name)
        answer = workspace.ask(question.question, context)
        silent += answer.abstained or answer.guess
    return silent / len(chosen)


def _spaced(questions: Sequence[EvalQuestion]) -> list[EvalQuestion]:
    step = max(1, len(questions) // QUESTIONS)
    return list(questions[::step][:QUESTIONS])
