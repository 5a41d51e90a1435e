"""How long a question takes: warm in one process, and cold from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.answering.models import Models
from core.errors import CoreError
from core.lab.metrics import percentile
from core.models.reader import Reader, ReaderPassage
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.benches.index import sample_folder
from core.research.datasets import read_dataset
from core.research.index_cache import open_cached
from core.research.training.reader_score import PASSAGES
from core.workspace import Workspace

QUESTIONS = 200
COLD_RUNS = 5


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Ask up to 200 questions on the automatic route, then five from new processes."""
    models, reader = Models(), Reader()
    with tempfile.TemporaryDirectory() as folder:
        if dataset is not None:
            questions = read_dataset(dataset, QUESTIONS // 2)
            workspace, _ = open_cached(questions, context, models)
            texts = [question.question for question in questions.questions]
        else:
            workspace = Workspace.open(Path(folder) / "workspace", create=True, models=models)
            workspace.index(sample_folder(), context)
            texts = sample_questions()
        workspace.load_models(context)
        workspace.ask(texts[0], context)
        warm = [_ask(workspace, text, context) for text in texts]
        read = [_read(workspace, reader, text, context) for text in texts]
        path, passages = workspace.path, workspace.counts().passages
        workspace.close()
        context.report("cold starts", 0, COLD_RUNS)
        cold = [_cold(path, texts[at % len(texts)]) for at in range(COLD_RUNS)]
    return {
        "question, median": Figure(percentile(warm, 0.5) * 1000, "ms", None, "<= 150 ms on 2wiki"),
        "question, 95th percentile": Figure(percentile(warm, 0.95) * 1000, "ms"),
        f"reading {PASSAGES} passages, median": Figure(percentile(read, 0.5) * 1000, "ms", None, "<= 150 ms"),
        "cold process, median": Figure(percentile(cold, 0.5), "s", None, "< 6 s"),
        "cold process, worst": Figure(max(cold), "s"),
        "questions": Figure(len(warm), ""),
        "passages": Figure(passages, ""),
    }


def sample_questions() -> list[str]:
    """The questions that ship with the sample."""
    path = sample_folder().parent / "sample-questions.jsonl"
    return [json.loads(line)["question"] for line in path.read_text(encoding="utf-8").splitlines() if line]


def _ask(workspace: Workspace, question: str, context: TaskContext) -> float:
    workspace.retrieval.forget_questions()
    begin = time.perf_counter()
    workspace.ask(question, context)
    return time.perf_counter() - begin


def _read(workspace: Workspace, reader: Reader, question: str, context: TaskContext) -> float:
    """Seconds that the reader adds to a question in one round."""
    _, retrieval = workspace.retrieve(question, context, "auto", PASSAGES)
    passages = [workspace.passages.get(hit.passage_id) for hit in retrieval.hits]
    reader_passages = [ReaderPassage.of(passage) for passage in passages]
    begin = time.perf_counter()
    reader.read(question, reader_passages)
    return time.perf_counter() - begin


def _cold(workspace: Path, question: str) -> float:
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "app", "ask", str(workspace), question, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CoreError(f"`clew ask` failed: {done.stderr.strip()}", "See: clew doctor")
    return time.perf_counter() - begin
