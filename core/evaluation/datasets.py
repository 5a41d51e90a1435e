"""Question sets: a folder with corpus.jsonl and questions.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.identity import stable_id
from core.ingest.sentences import sentences
from core.types import Passage

_FOLDER = "Give a folder that holds corpus.jsonl and questions.jsonl."
_ROWS = "See the README for the layout of question sets."


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """`supporting` holds the ids of the gold passages; it is read only after retrieval."""

    id: str
    question: str
    answers: tuple[str, ...]
    supporting: frozenset[str]
    kind: str  # multi-hop or single-hop


@dataclass(frozen=True, slots=True)
class Dataset:
    name: str
    passages: tuple[Passage, ...]
    questions: tuple[EvalQuestion, ...]
    fingerprint: str  # of the corpus: names its workspace in the cache


def read_dataset(folder: Path, limit: int = 0) -> Dataset:
    """Read a question set; `limit` > 0 keeps that many questions of each kind.

    Raises BadInput that names the file and line that cannot be read.
    """
    passages = tuple(_passage(row, where) for row, where in read_rows(folder / "corpus.jsonl", _FOLDER))
    questions = [_question(row, where) for row, where in read_rows(folder / "questions.jsonl", _FOLDER)]
    if limit:
        kept: dict[str, list[EvalQuestion]] = {}
        for question in questions:
            kept.setdefault(question.kind, []).append(question)
        questions = [question for group in kept.values() for question in group[:limit]]
    fingerprint = stable_id(*(f"{p.id}\x1f{p.title}\x1f{p.text}" for p in passages))
    return Dataset(folder.resolve().name, passages, tuple(questions), fingerprint)


def read_rows(path: Path, remedy: str) -> Iterator[tuple[dict[str, object], str]]:
    """Objects of a file of JSON lines, each with words that say where it stands.

    Raises BadInput that names the file and line; `remedy` tells what to give instead.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}).", remedy) from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not text in UTF-8.", remedy) from error
    # Not splitlines(): JSON may hold line separators of Unicode as they are.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{where} is not JSON.", "Write one JSON object a line.") from error
        if not isinstance(row, dict):
            raise BadInput(f"{where} is not an object.", "Write one JSON object a line.")
        yield row, where


def text_field(row: dict[str, object], name: str, where: str, remedy: str) -> str:
    """A field that must be text, and filled unless it is the text of a passage. Raises BadInput."""
    value = row.get(name)
    if not isinstance(value, str) or (not value and name != "text"):
        raise BadInput(f"{where} has no {name!r}.", remedy)
    return value


def _passage(row: dict[str, object], where: str) -> Passage:
    passage_id, text = text_field(row, "id", where, _ROWS), text_field(row, "text", where, _ROWS)
    return Passage(
        id=passage_id,
        document_id=stable_id("document", passage_id),
        ordinal=0,
        title=text_field(row, "title", where, _ROWS),
        text=text,
        start=0,
        end=len(text),
        sentences=tuple(sentences(text)),
    )


def _question(row: dict[str, object], where: str) -> EvalQuestion:
    answers, supporting = row.get("answers", []), row.get("supporting")
    if not isinstance(supporting, list) or not isinstance(answers, list):
        raise BadInput(f"{where} has no list 'supporting' or its 'answers' are no list.", _ROWS)
    return EvalQuestion(
        id=text_field(row, "id", where, _ROWS),
        question=text_field(row, "question", where, _ROWS),
        answers=tuple(str(answer) for answer in answers),
        supporting=frozenset(str(passage) for passage in supporting),
        kind=str(row.get("kind", "all")),
    )
