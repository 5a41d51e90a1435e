"""Latency of a question: warm in one process, and cold from the command line."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from core.answering.models import Models
from core.lab.metrics import percentile
from core.models.reader import ReaderPassage
from core.research.benches.harness import (
    Arguments,
    Figure,
    Figures,
    run_clew,
    sample_folder,
    timed,
    timed_each,
)
from core.research.datasets import open_cached, read_dataset
from core.research.training.reader_score import PASSAGES
from core.workspace import Workspace

QUESTIONS = 200
COLD_RUNS = 5


def run(arguments: Arguments) -> Figures:
    """Ask up to 200 questions on the automatic route, then five from new processes."""
    models, context = Models(), arguments.context
    reader = models.comprehension().reader
    with tempfile.TemporaryDirectory() as folder:
        if arguments.dataset is not None:
            questions = read_dataset(arguments.dataset, QUESTIONS // 2)
            workspace, _ = open_cached(questions, context, models)
            texts = [question.question for question in questions.questions]
        else:
            workspace = Workspace.open(Path(folder) / "workspace", create=True, models=models)
            workspace.index(sample_folder(), context)
            texts = sample_questions()

        def ask(question: str) -> float:
            workspace.retrieval.forget_questions()
            return timed(lambda: workspace.ask(question, context))[1]

        def read(question: str) -> float:
            """Return the seconds that the reader adds to a question in one round."""
            _, retrieval = workspace.retrieve(question, context, "auto", PASSAGES)
            passages = [workspace.passages.get(hit.passage_id) for hit in retrieval.hits]
            reader_passages = [ReaderPassage.of(passage) for passage in passages]
            return timed(lambda: reader.read(question, reader_passages))[1]

        workspace.load_models(context)
        workspace.ask(texts[0], context)
        warm, reading = [ask(text) for text in texts], [read(text) for text in texts]
        path, passages = workspace.path, workspace.counts().passages
        workspace.close()
        context.report("cold starts", 0, COLD_RUNS)
        asked = [texts[at % len(texts)] for at in range(COLD_RUNS)]
        _, cold = timed_each(asked, lambda text: run_clew("ask", path, text))
    return {
        "question, median": Figure(percentile(warm, 0.5) * 1000, "ms", None, "<= 150 ms on 2wiki"),
        "question, 95th percentile": Figure(percentile(warm, 0.95) * 1000, "ms"),
        f"reading {PASSAGES} passages, median": Figure(
            percentile(reading, 0.5) * 1000, "ms", None, "<= 150 ms"
        ),
        "cold process, median": Figure(percentile(cold, 0.5), "s", None, "< 6 s"),
        "cold process, worst": Figure(max(cold), "s"),
        "questions": Figure(len(warm), ""),
        "passages": Figure(passages, ""),
    }


def sample_questions() -> list[str]:
    """Return the questions that ship with the sample."""
    path = sample_folder().parent / "sample-questions.jsonl"
    return [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines() if line]
