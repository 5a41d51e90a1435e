"""Question sets over prepared passages (corpus.jsonl) or a folder of documents, and their cached workspaces."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from core.answering.models import Models
from core.config import ENCODING, Config, changed
from core.errors import BadInput
from core.files.safe_files import read_json_lines
from core.progress import TaskContext
from core.protocols import Extractor
from core.text.sentences import sentences
from core.types import Passage
from core.types.kinds import stable_id
from core.workspace import Workspace

CORPUS, QUESTIONS, DOCUMENTS = "corpus.jsonl", "questions.jsonl", "docs"
_FOLDER = "Give a folder that holds corpus.jsonl and questions.jsonl."
_QUESTIONS = "Give a file of JSON lines, a question a line."
_ROWS = "See the README for the layout of question sets."


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a gold document that contain the answer."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """`supporting` contains the ids of the gold passages or the names of the gold files; if empty, there is no
    answer here.

    Gold is read only after retrieval.
    """

    id: str
    question: str
    answers: tuple[str, ...]
    supporting: frozenset[str]
    kind: str  # multi-hop or single-hop
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """`passages` are indexed as they are; else the documents of `folder` are."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[EvalQuestion, ...]
    fingerprint: str  # of the passages or files: what two reports must share to be compared
    size: int = 0  # bytes of the passages or files
    folder: Path | None = None


def read_dataset(folder: Path, limit: int = 0) -> Dataset:
    """Read a question set of passages; `limit` > 0 keeps that many questions of each kind.

    Raises BadInput that names the file and line that cannot be read.
    """
    passages = tuple(_passage(row, where) for row, where in read_rows(folder / CORPUS, _FOLDER))
    questions = _read_questions(folder / QUESTIONS, _FOLDER, limit, _supporting)
    fingerprint = fingerprint_of_passages(passages)
    size = sum(len(passage.text.encode()) for passage in passages)
    return Dataset(folder.resolve().name, passages, questions, fingerprint, size)


def read_documents(folder: Path, questions: Path, limit: int = 0, name: str = "") -> Dataset:
    """Read questions about the documents of a folder; the documents are only hashed here.

    Raises BadInput where a file cannot be read, or the questions lie among the documents.
    """
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder.", "Give the folder that holds the documents.")
    folder = folder.resolve()
    if Path(os.path.realpath(questions)).is_relative_to(folder):  # Path.resolve fails for links in a circle
        raise BadInput(
            f"{questions} lies in the folder of documents, so its answers would be found there.",
            "Move it out of the folder.",
        )
    read = _read_questions(questions, _QUESTIONS, limit, _gold)
    if not read:
        raise BadInput(f"{questions} holds no questions.", _QUESTIONS)
    fingerprint, size = fingerprint_of(folder)
    return Dataset(name or folder.name, (), read, fingerprint, size, folder)


def read_questions(path: Path, limit: int = 0) -> tuple[EvalQuestion, ...]:
    """Read questions whose gold names documents, as `supporting` or `gold`. Raises BadInput."""
    read = _read_questions(
        path,
        _QUESTIONS,
        limit,
        lambda row, where: _supporting(row, where) if "supporting" in row else _gold(row, where),
    )
    if not read:
        raise BadInput(f"{path} holds no questions.", _QUESTIONS)
    return read


def read_corpus(folder: Path, limit: int = 0) -> Dataset:
    """Read a folder that contains questions.jsonl and either docs/ or corpus.jsonl. Raises BadInput."""
    if (folder / DOCUMENTS).is_dir() and not (folder / CORPUS).exists():
        return read_documents(folder / DOCUMENTS, folder / QUESTIONS, limit, folder.resolve().name)
    return read_dataset(folder, limit)


def corpora(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """Return the question sets directly below a folder, by name. Raises BadInput for none, or no such name."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder.", "Give a folder of question sets.")
    found = {path.name: path for path in sorted(folder.iterdir()) if _is_corpus(path)}
    if not found:
        raise BadInput(
            f"{folder} holds no question sets.",
            f"Each is a folder with {QUESTIONS} beside {DOCUMENTS}/ or {CORPUS}.",
        )
    for name in only:
        if name not in found:
            raise BadInput(
                f"There is no question set {name!r} in {folder}.", f"Choose one of: {', '.join(found)}."
            )
    return [path for name, path in found.items() if not only or name in only]


def _is_corpus(path: Path) -> bool:
    return (path / QUESTIONS).is_file() and ((path / DOCUMENTS).is_dir() or (path / CORPUS).is_file())


def fingerprint_of_passages(passages: Sequence[Passage]) -> str:
    return stable_id(*(f"{p.id}\x1f{p.title}\x1f{p.text}" for p in passages))


def fingerprint_of(folder: Path) -> tuple[str, int]:
    """Return a digest of the names and contents of all files, and their bytes; links are excluded."""
    parts, size = [], 0
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        try:
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            size += path.stat().st_size
        except OSError as error:
            digest = error.strerror or "unreadable"  # the index reports it
        parts.append(f"{path.relative_to(folder).as_posix()}\x1f{digest}")
    return stable_id(*parts), size


def read_rows(path: Path, remedy: str) -> Iterator[tuple[dict[str, object], str]]:
    """Yield the objects of a file of JSON lines, each with a description of its place.

    Raises BadInput that names the file and line that cannot be read; `remedy` says what to give instead.
    """
    for row, where in read_json_lines(path, remedy):
        if not isinstance(row, dict):
            raise BadInput(f"{where} is not an object.", "Write one JSON object a line.")
        yield row, where


def text_field(row: dict[str, object], name: str, where: str, remedy: str) -> str:
    """Return a field that must be text, and not empty unless it is the text of a passage. Raises BadInput."""
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


Gold = tuple[frozenset[str], tuple[Quote, ...]]


def _read_questions(
    path: Path, remedy: str, limit: int, gold: Callable[[dict[str, object], str], Gold]
) -> tuple[EvalQuestion, ...]:
    """Read the questions of a file. Raises BadInput."""
    read = [
        _question(row, where, str(number), gold(row, where))
        for number, (row, where) in enumerate(read_rows(path, remedy), start=1)
    ]
    if not limit:
        return tuple(read)
    groups: dict[str, list[EvalQuestion]] = {}
    for question in read:
        groups.setdefault(question.kind, []).append(question)
    return tuple(question for group in groups.values() for question in group[:limit])


def _question(row: dict[str, object], where: str, number: str, gold: Gold) -> EvalQuestion:
    answers = row.get("answers", [row["answer"]] if row.get("answer") else [])
    if not isinstance(answers, list):
        raise BadInput(f"{where}: its 'answers' are no list.", _ROWS)
    supporting, quotes = gold
    return EvalQuestion(
        id=str(row.get("id") or number),
        question=text_field(row, "question", where, _ROWS),
        answers=tuple(str(answer) for answer in answers),
        supporting=supporting,
        kind=str(row.get("kind") or "all"),
        quotes=quotes,
    )


def _supporting(row: dict[str, object], where: str) -> Gold:
    supporting = row.get("supporting")
    if not isinstance(supporting, list):
        raise BadInput(f"{where} has no list 'supporting'.", _ROWS)
    return frozenset(str(passage) for passage in supporting), ()


def _gold(row: dict[str, object], where: str) -> Gold:
    """Return the gold: names of files, or objects with `file` and, if known, `quote`."""
    listed = row.get("gold") or []
    if not isinstance(listed, list):
        raise BadInput(f"{where}: its 'gold' is no list.", _ROWS)
    files, quotes = set(), []
    for item in listed:
        file, quote = (item.get("file"), item.get("quote")) if isinstance(item, dict) else (item, None)
        if not isinstance(file, str) or not file or not isinstance(quote, str | None):
            raise BadInput(f"{where}: its 'gold' names no file.", _ROWS)
        files.add(file.removeprefix("./"))
        if quote and quote.strip():
            quotes.append(Quote(file.removeprefix("./"), quote))
    return frozenset(files), tuple(quotes)


_SHAPING = ("reading", "chunking", "graph")  # settings that affect the index
_LONGEST_NAME = 60  # of a data set, in the name of its workspace


def open_cached(
    dataset: Dataset,
    context: TaskContext,
    models: Models,
    extractor: Extractor | None = None,
    config: Config | None = None,
    fresh: bool = False,
) -> tuple[Workspace, float]:
    """Open the data set's workspace, indexed, and return the seconds that took; 0 where nothing had to be done.

    The workspace of a folder is identified by the folder's path, so only changed files are read again, and all of
    them after a reader changed. An `extractor` in place of the rules, or other settings, have a workspace of their
    own. `fresh` rebuilds it.
    """
    config = config or Config()
    path = _place(dataset, extractor, config)
    if fresh:
        shutil.rmtree(path, ignore_errors=True)
        _note(path).unlink(missing_ok=True)
    workspace = Workspace.open(path, create=True, config=config, models=models, own=True)
    try:
        empty, before = not workspace.counts().documents, workspace.revision
        models.load(context)  # not part of indexing
        begin = time.perf_counter()
        if dataset.folder is not None:
            workspace.index(dataset.folder, context, extractor="rules", digest=False)
        else:
            workspace.index_passages(dataset.passages, context, extractor)
        spent = time.perf_counter() - begin
        if empty:
            _note(path).write_text(str(spent), encoding="utf-8")
    except BaseException:
        workspace.close()
        raise
    return workspace, 0.0 if workspace.revision == before else spent


def full_index_seconds(workspace: Workspace) -> float:
    """Return the seconds of indexing everything in one go; 0 where they are not known."""
    with contextlib.suppress(OSError, ValueError):
        return float(_note(workspace.path).read_text(encoding="utf-8"))
    return 0.0


def each_question(
    dataset: Dataset, models: Models, context: TaskContext
) -> Iterator[tuple[Workspace, EvalQuestion]]:
    """Yield every question of the data set with its open, warm workspace, which is closed afterwards."""
    workspace, _ = open_cached(dataset, context, models)
    try:
        workspace.load_models(context)
        for number, question in enumerate(dataset.questions):
            context.report("questions", number + 1, len(dataset.questions), dataset.name)
            yield workspace, question
    finally:
        workspace.close()


def _place(dataset: Dataset, extractor: Extractor | None, config: Config) -> Path:
    if dataset.folder is not None:
        name = f"{dataset.folder.name[:_LONGEST_NAME]}-{stable_id(str(dataset.folder))}"
    else:
        name = f"{dataset.name[:_LONGEST_NAME]}-{dataset.fingerprint}"
    if extractor is not None:
        name += f"-{extractor.name}-{stable_id(extractor.version)}"
    encoder = [line for line in changed(config, ("models",)) if line.partition("=")[0] in ENCODING]
    if settings := changed(config, _SHAPING) + encoder:
        name += f"-{stable_id(*settings)}"
    return Path(platformdirs.user_cache_dir("clew")) / "eval" / name


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.seconds")
