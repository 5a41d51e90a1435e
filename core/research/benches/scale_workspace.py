"""Operations on a workspace for the scale bench, each in a process of its own (`separate_process`)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import CoreError
from core.index.array_file import array_bytes
from core.progress import TaskContext
from core.research.benches.harness import start_clew, timed, timed_each
from core.research.benches.separate_process import memory_now
from core.retrieval.snapshot_file import FILE as SNAPSHOT
from core.retrieval.snapshot_file import forget_snapshot
from core.store.store import FILE
from core.store.workspace_files import DERIVED
from core.types.kinds import stable_id
from core.workspace import Workspace

K = 10  # passages of a ranking
# Prefixes of the snapshot's arrays by part; the first match counts.
_PARTS = {
    "passage vectors": ("passages_",),
    "sentence vectors": ("sentences_",),
    "summary vectors": ("summaries_",),
    "graph": ("indptr", "indices", "weights", "degrees"),
    "facts": ("facts_",),
    "names": ("table_", "entity_names_", "label_codes"),
    "places": ("sentence_", "named_"),
    "ids": ("passage_", "entity_", "documents"),
}
_REST = "other arrays"
_FILE = "changed.txt"
_NEW = (
    "Zebulon Quixworth",
    "Philippa Vanterpool",
    "Ignatius Blomquist",
    "Wilhelmina Okonjo",
    "Barnaby Szczepan",
)


@dataclass(frozen=True, slots=True)
class DiskUsage:
    """Bytes on disk of the database, of the snapshot and its parts by name, and of its vectors if stored as
    float32.
    """

    database: int
    snapshot: int
    parts: dict[str, int]
    as_float32: int


@dataclass(frozen=True, slots=True)
class Asked:
    """Seconds of loading the models and the graph; of each question and, separately, of its ranking alone; of
    stages by name, as means.

    `own` and `mapped` are bytes of memory after the questions.
    """

    loading: float
    questions: list[float]
    rankings: list[float]
    stages: dict[str, float]
    own: int
    mapped: int


@dataclass(frozen=True, slots=True)
class Started:
    """Seconds and peak bytes of a process that asks one question, from start to exit."""

    seconds: float
    peak: int


@dataclass(frozen=True, slots=True)
class Found:
    """Seconds from writing a file: to the end of indexing, and to an answer that contains its text."""

    indexed: float
    answered: float


def make_snapshot(place: Path) -> float:
    """Rebuild the snapshot, and return the seconds."""
    forget_snapshot(place / DERIVED)
    with Workspace.open(place) as workspace:
        return timed(workspace.retrieval.keep_snapshot)[1]


def disk_usage(place: Path) -> DiskUsage:
    """Return the bytes that a workspace and its snapshot take on disk."""
    with Workspace.open(place) as workspace:
        corpus = workspace.retrieval.asker().view.corpus
        vectors = len(corpus.passage_vectors) + len(corpus.sentence_vectors)
        dimension = workspace.encoder.dimension
    snapshot = place / DERIVED / SNAPSHOT
    parts = dict.fromkeys((*_PARTS, _REST), 0)
    for name, size in array_bytes(snapshot).items():
        parts[_part_of(name)] += size
    database = sum(file.stat().st_size for file in place.glob(f"{FILE}*"))
    return DiskUsage(database, snapshot.stat().st_size, parts, 4 * vectors * dimension)


def _part_of(array: str) -> str:
    return next((part for part, begins in _PARTS.items() if array.startswith(begins)), _REST)


def ask_from_start(place: Path, question: str) -> Started:
    """Run the real command, from process start to an answer. Raises CoreError where it fails."""
    begin = time.perf_counter()
    process = start_clew("ask", place, question, "--json", stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()
    _, code, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode or not json.loads(output)["hits"]:
        raise CoreError("`clew ask` failed, or found nothing.", "Read what it printed above.")
    return Started(seconds, used.ru_maxrss * 1024)


def ask_many(place: Path, questions: Sequence[str]) -> Asked:
    """Ask all questions but the first, which warms the process, by `Workspace.ask`; then by `retrieve`."""
    context = TaskContext()
    with Workspace.open(place) as workspace:
        _, loading = timed(lambda: workspace.load_models(context))
        workspace.ask(questions[0], context)
        stages: dict[str, float] = defaultdict(float)
        answers, asked = timed_each(questions[1:], lambda question: workspace.ask(question, context))
        for answer in answers:
            for stage in answer.trace.stages:
                stages[stage.name] += stage.seconds / (len(questions) - 1)
        now = memory_now()
        workspace.retrieval.forget_questions()
        _, rankings = timed_each(
            questions[1:], lambda question: workspace.retrieve(question, context, "auto", K)
        )
    return Asked(loading, asked, rankings, dict(stages), now.get("RssAnon", 0), now.get("RssFile", 0))


def find_changes(place: Path, folder: Path, changes: int) -> list[Found]:
    """Change the one file of `folder` several times, and each time ask for its new text.

    Models are loaded and the file is known before. Generated documents have no files, so every folder contains
    them. Raises CoreError where the text is not found.
    """
    context, found = TaskContext(), list[Found]()
    folder.mkdir(parents=True, exist_ok=True)
    file, document = folder / _FILE, stable_id("document", _FILE)
    with Workspace.open(place) as workspace:
        for number in range(changes + 1):
            name = _NEW[number % len(_NEW)]
            begin = time.perf_counter()
            file.write_text(_file_text(name, time.time_ns()), encoding="utf-8")
            workspace.index(folder, context, extractor="rules", digest=False)
            indexed = time.perf_counter() - begin
            answer = workspace.ask(f"Whom did {name} meet in Ravensmoor?", context)
            answered = time.perf_counter() - begin
            if document not in {evidence.passage.document_id for evidence in answer.evidence}:
                raise CoreError(f"What {file} says of {name} was not found.", "This is a bug.")
            found.append(Found(indexed, answered))
    return found[1:]


def _file_text(name: str, number: int) -> str:
    """Return a small text that differs from every earlier one."""
    return (
        f"{name} met the harbour master of Ravensmoor in 1911. They spoke of the ledger for an hour.\n\n"
        f"{name} then left for the copper market. The number of the letter was {number}.\n"
    )


def measure_recall(place: Path, queries: int) -> tuple[float, float]:
    """Return recall@10 of passages and recall@3 of sentences of a generated workspace, against an exhaustive
    comparison.

    Queries are stored vectors with as much noise as they have themselves.
    """
    from core.research.benches.vectors import nearest_exactly, noisy, recall
    from core.research.synthetic.workspace import DIMENSION, MODEL
    from core.store.store import Store

    with Workspace.open(place) as workspace:
        corpus = workspace.retrieval.asker().view.corpus
        store = Store(place, MODEL, DIMENSION, read_only=True)
        try:
            found = []
            for kind, table, k in (
                ("passage", corpus.passage_vectors, 10),
                ("sentence", corpus.sentence_vectors, 3),
            ):
                rows = np.linspace(0, len(table) - 1, min(queries, len(table))).astype(np.int64)
                asked = noisy(table[rows])
                exact = nearest_exactly(store.embeddings.blocks(kind), asked, k)
                found.append(recall(table, asked, exact))
        finally:
            store.close()
    return found[0], found[1]
