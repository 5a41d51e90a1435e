"""How surely questions about all documents are told from those about one thing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.research.benches.figures import Figure
from core.research.datasets import read_rows, text_field
from core.research.training.corpuswide import TrainedScope, train
from core.retrieval.routing.corpuswide import CorpusWide, corpus_wide

# Corpus: of one kind of thing over all documents; broad: of the whole. The model is trained on dev alone.
LABELS = ("broad", "corpus", "particular")
SPLITS = ("dev", "works", "held")
_KINDS = frozenset((label, split) for label in LABELS for split in SPLITS)
PRECISION, RECALL = 0.97, 0.90  # goals on held
MILLISECONDS = 1.0  # beyond the parse
_LABELLED = Path(__file__).parent / "corpuswide.tsv"
_FOLDER = "Give a folder that holds questions.jsonl."
_TABLE = (
    "Below a line of headings, write: broad, corpus or particular, dev or held, the question; tabs between."
)


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """`label` is one of LABELS, `split` one of SPLITS."""

    label: str
    split: str
    question: str


@dataclass(frozen=True, slots=True)
class Confusion:
    """A question that was taken for the wrong kind; `where` is the split or the name of the data set."""

    where: str
    label: str
    question: str
    reason: str


@dataclass(frozen=True, slots=True)
class RecogniserReport:
    figures: dict[str, Figure]
    confused: tuple[Confusion, ...]


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """The figures of `measure` on one data set at most."""
    return measure([] if dataset is None else [dataset], context).figures


def measure(datasets: Sequence[Path], context: TaskContext) -> RecogniserReport:
    """Precision, recall and F1 on the labelled questions; how many of each data set go for corpus-wide.

    Of dev the model has seen every question: out of fold it is what `clew research train scope` tells.

    Raises BadInput for a folder without readable questions.jsonl, before anything is parsed.
    """
    asked = {_name(folder): _questions(folder) for folder in datasets}
    judge = _Judge(context)
    figures: dict[str, Figure] = {}
    confused: list[Confusion] = []
    labelled = labelled_questions()
    for split in SPLITS:
        rows = [row for row in labelled if row.split == split]
        found = judge.all(split, [row.question for row in rows])
        figures |= _scores(split, rows, found)
        wrong = zip(rows, found, strict=True)
        confused += [Confusion(split, r.label, r.question, f.reason) for r, f in wrong if _wrong(r, f)]
    for name, questions in asked.items():
        found = judge.all(name, questions)
        taken = [(q, f) for q, f in zip(questions, found, strict=True) if f.recognised]
        figures[f"{name}, taken for corpus-wide"] = Figure(len(taken), f"of {len(questions):,}", None, "0")
        confused += [Confusion(name, "particular", q, f.reason) for q, f in taken]
    return RecogniserReport(figures | judge.times(), tuple(confused))


def labelled_questions(path: Path = _LABELLED) -> tuple[LabelledQuestion, ...]:
    """All labelled questions of a table; without a path, of corpuswide.tsv beside this file.

    Raises BadInput that names the line where there is something wrong.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).", _TABLE) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not text in UTF-8.", _TABLE) from error
    found = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        label, split, question = line.split("\t") if line.count("\t") == 2 else ("", "", "")
        if (label, split) not in _KINDS or not question.strip():
            raise BadInput(f"{path}, line {number} is no labelled question.", _TABLE)
        found.append(LabelledQuestion(label, split, question))
    if not found:
        raise BadInput(f"{path} holds no question.", _TABLE)
    return tuple(found)


def trained_on(questions: Sequence[LabelledQuestion]) -> list[LabelledQuestion]:
    """The dev half. Raises BadInput where there is but one kind in it."""
    rows = [row for row in questions if row.split == "dev"]
    if len({row.label == "particular" for row in rows}) < 2:
        raise BadInput("To train, dev questions of both kinds are needed.", _TABLE)
    return rows


def scope_trained(rows: Sequence[LabelledQuestion], models: Models, context: TaskContext) -> TrainedScope:
    """The scope model, trained on questions of both kinds. Raises Cancelled, ModelUnavailable."""
    vectors, parses = [], []
    for number, row in enumerate(rows):
        context.report("questions", number, len(rows), "dev")
        vectors.append(models.embed_question(row.question))
        parses.append(models.parse(row.question))
    labels = np.array([row.label for row in rows])
    return train(np.array(vectors), parses, labels != "particular", labels == "broad")


class _Judge:
    """Parses and judges questions, and keeps how long each took."""

    def __init__(self, context: TaskContext) -> None:
        self._context = context
        self._models = Models()
        self._parse: list[float] = []
        self._rules: list[float] = []

    def all(self, name: str, questions: Sequence[str]) -> list[CorpusWide]:
        return list(self._each(name, questions))

    def _each(self, name: str, questions: Sequence[str]) -> Iterator[CorpusWide]:
        for number, question in enumerate(questions):
            self._context.report("questions", number, len(questions), name)
            begin = time.thread_time()  # what else runs on the machine is not counted
            parsed = self._models.parse(question)
            middle = time.thread_time()
            vector = self._models.embed_question(question)  # asked for anyway: not counted
            between = time.thread_time()
            found = corpus_wide(parsed, vector)
            self._rules.append(time.thread_time() - between)
            self._parse.append(middle - begin)
            yield found

    def times(self) -> dict[str, Figure]:
        p99 = statistics.quantiles(self._rules, n=100)[98] * 1000
        parse = statistics.median(self._parse) * 1000
        goal = f"< {MILLISECONDS:g} ms"
        return {
            "a question, median": Figure(statistics.median(self._rules) * 1000, "ms", parse, goal),
            "a question, 99th percentile": Figure(p99, "ms"),
            "questions": Figure(len(self._rules), ""),
        }


def _scores(split: str, rows: Sequence[LabelledQuestion], found: Sequence[CorpusWide]) -> dict[str, Figure]:
    both = list(zip(rows, found, strict=True))
    hits = sum(f.recognised and r.label != "particular" for r, f in both)
    taken = sum(f.recognised for f in found)
    gold = sum(r.label != "particular" for r in rows)
    precision, recall = hits / max(1, taken), hits / max(1, gold)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    is_test, split = split == "held", f"{split}, trained on" if split == "dev" else split
    return {
        f"precision, {split}": Figure(precision, "", None, f">= {PRECISION}" if is_test else ""),
        f"recall, {split}": Figure(recall, "", None, f">= {RECALL:.2f}" if is_test else ""),
        f"F1, {split}": Figure(f1, ""),
        f"corpus-wide questions, {split}": Figure(gold, f"of {len(rows)}"),
    }


def _wrong(row: LabelledQuestion, found: CorpusWide) -> bool:
    return found.recognised != (row.label != "particular")


def _name(folder: Path) -> str:
    return folder.resolve().name


def _questions(folder: Path) -> list[str]:
    rows = list(read_rows(folder / "questions.jsonl", _FOLDER))
    if not rows:
        raise BadInput(f"{folder / 'questions.jsonl'} holds no question.", _FOLDER)
    return [text_field(row, "question", where, _FOLDER) for row, where in rows]
