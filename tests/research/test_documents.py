"""Questions about a folder of documents: figures worked out by hand, and gold that nothing could find."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import BadInput
from core.progress import TaskContext
from core.research.datasets import (
    EvalQuestion,
    Quote,
    full_index_seconds,
    open_cached,
    read_corpus,
    read_documents,
)
from core.research.runner import Asked, Gold, Plan, ask_all, evaluate, plainly
from core.types import Passage
from core.workspace import Workspace
from tests.conftest import written

TEXTS = {
    "star.txt": "Otto Kask commands the Northern Star.\n\nIt carries\ttimber  to Riga.",
    "grain.txt": "Grain prices rose in Odessa. Merchants stored wheat.",
    "empty.txt": "",
}
LONG = " ".join(f"Sentence number {n} tells of the harbour of Parnu and of its {n} ships." for n in range(60))
QUESTIONS: list[dict[str, object]] = [
    {
        "id": "one",
        "question": "Who commands the Northern Star?",
        "gold": [{"file": "star.txt", "quote": "Otto Kask commands"}],
        "answers": ["Otto Kask"],
        "kind": "one",
    },
    {
        "question": "What do the Northern Star and Odessa have to do with goods?",
        "answer": "timber",
        "gold": ["mail/old.zip/inner.txt", "grain.txt"],
        "kind": "several",
    },
    {"question": "Who painted the Mona Lisa?", "kind": "none"},
]


def lines(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = written(tmp_path_factory.mktemp("documents") / "papers", {**TEXTS, "long.txt": LONG})
    (folder / "mail").mkdir()
    with zipfile.ZipFile(folder / "mail" / "old.zip", "w") as archive:
        archive.writestr("inner.txt", "Ines Holm of Riga wrote of timber and coal.")
    return folder


@pytest.fixture(scope="module")
def workspace(papers: Path, models: Models) -> Iterator[Workspace]:
    dataset = read_documents(papers, lines(papers.parent / "q.jsonl", QUESTIONS))
    opened, seconds = open_cached(dataset, TaskContext(), models)
    assert seconds > 0.0
    yield opened
    opened.close()


def of(workspace: Workspace, path: str) -> list[Passage]:
    document = next(document for document in workspace.documents.all() if document.path == path)
    return workspace.passages.of_document(document.id)


def test_questions_are_read_with_files_quotes_and_without_gold(papers: Path) -> None:
    dataset = read_documents(papers, lines(papers.parent / "q.jsonl", QUESTIONS), name="mine")
    assert (dataset.name, dataset.size) == ("mine", sum(p.stat().st_size for p in papers.rglob("*.*")))
    one, several, none = dataset.questions
    assert (one.id, several.id, none.id) == ("one", "2", "3")
    assert one.quotes == (Quote("star.txt", "Otto Kask commands"),)
    assert several.answers == ("timber",)
    assert several.supporting == {"mail/old.zip/inner.txt", "grain.txt"}
    assert (none.supporting, none.answers) == (frozenset(), ())


def test_another_content_is_another_fingerprint(papers: Path, tmp_path: Path) -> None:
    questions = lines(tmp_path / "q.jsonl", QUESTIONS)
    first = read_documents(papers, questions).fingerprint
    assert read_documents(papers, questions).fingerprint == first
    (papers / "more.csv").write_text("a,b\n")
    try:
        assert read_documents(papers, questions).fingerprint != first
    finally:
        (papers / "more.csv").unlink()


def test_documents_go_by_their_path_and_by_that_of_their_file(workspace: Workspace) -> None:
    gold = Gold(workspace)
    star, grain = of(workspace, "star.txt")[0].id, of(workspace, "grain.txt")[0].id
    inner = of(workspace, "mail/old.zip/inner.txt")[0].id
    files = ("mail/old.zip/inner.txt", "mail/old.zip", "grain.txt", "nowhere.txt")
    question = EvalQuestion("q", "?", (), frozenset(files), "all")
    ranks = dict(zip(question.supporting, gold.ranks(question, [star, star, inner, grain]), strict=True))
    assert ranks == {files[0]: 3, files[1]: 3, files[2]: 4, files[3]: None}
    assert gold.path(inner) == "mail/old.zip/inner.txt"


def test_a_quote_stands_in_a_passage_or_across_two_neighbours(workspace: Workspace) -> None:
    gold = Gold(workspace)
    first, second, third = of(workspace, "long.txt")[:3]
    star = of(workspace, "star.txt")[0]
    document_text = workspace.documents.text(first.document_id)
    across = document_text[second.start - 60 : first.end + 60]
    assert across not in first.text and across not in second.text

    def rank(file: str, text: str, *found: Passage) -> int | None:
        question = EvalQuestion("q", "?", (), frozenset({file}), "all", (Quote(file, text),))
        return gold.quote_ranks(question, [passage.id for passage in found])[0]

    assert rank("star.txt", "It carries timber\nto Riga", first, star) == 2  # white space aside
    assert rank("star.txt", "carries coal", star) is None
    assert rank("grain.txt", "Otto Kask", star) is None  # the same words in another document
    assert rank("long.txt", across, second, star, first) == 3
    assert rank("long.txt", across, first) is None
    assert rank("long.txt", f"{first.text} {third.text}", first, third) is None


def test_figures_are_those_worked_out_by_hand(
    workspace: Workspace, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = read_documents(papers, lines(papers.parent / "q.jsonl", QUESTIONS))
    star, grain = of(workspace, "star.txt")[0].id, of(workspace, "grain.txt")[0].id
    inner, long = of(workspace, "mail/old.zip/inner.txt")[0].id, [p.id for p in of(workspace, "long.txt")]
    ranked = [(grain, star), (star, inner, *long[:4], grain), (star,)]

    def found(*_: object) -> list[Asked]:
        return [Asked("dense", passages, 1.0) for passages in ranked]

    monkeypatch.setattr("core.research.runner.ask_all", found)
    report = evaluate(workspace, dataset, Plan(("dense",)), TaskContext())
    kinds = report.routes["dense"].kinds
    assert kinds["one"].measures["mrr"] == 0.5
    assert kinds["one"].measures["quote mrr"] == 0.5
    several = kinds["several"].measures
    assert (several["recall@2"], several["recall@5"], several["recall@10"]) == (0.5, 0.5, 1.0)
    assert (several["all@5"], several["all@8"], several["mrr"]) == (0.0, 1.0, 0.5)
    assert "quote mrr" not in several
    assert (kinds["one"].measures["precision@5"], several["precision@5"]) == (0.2, 0.2)
    assert kinds["none"].measures == {}
    overall = kinds["all"]
    assert overall.measures["recall@5"] == 0.75  # of the two that have an answer
    assert (overall.questions, overall.unanswerable) == (3, 1)
    assert report.routes["dense"].rows[1].documents[1] == "mail/old.zip/inner.txt"
    assert (report.documents, report.size) == (4, dataset.size)  # the empty one is none


@pytest.mark.long
def test_answers_and_abstentions_are_distinguished(workspace: Workspace, papers: Path) -> None:
    dataset = read_documents(papers, lines(papers.parent / "q.jsonl", QUESTIONS))
    report = evaluate(workspace, dataset, Plan(("lexical", "auto"), ("auto",)), TaskContext())
    kinds = report.routes["auto"].kinds
    assert kinds["one"].measures["exact"] == 1.0
    assert kinds["none"].measures == {"abstained": 1.0, "wrong shown": 0.0}
    assert kinds["all"].measures["abstained"] == 1.0
    found = kinds["all"].calibration
    assert found is not None and found.answerable_auc == 1.0
    assert report.routes["lexical"].kinds["all"].calibration is None


def test_unreachable_gold_is_reported_and_counts(workspace: Workspace, papers: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": "a", "question": "Who commands the Northern Star?", "gold": ["star.txt", "away.txt"]},
        {
            "id": "b",
            "question": "What is in the empty file?",
            "gold": [{"file": "empty.txt", "quote": "Nil"}],
        },
        {"id": "c", "question": "Who?", "gold": [{"file": "star.txt", "quote": "Captain Kask"}]},
    ]
    dataset = read_documents(papers, lines(papers.parent / "gone.jsonl", rows))
    report = evaluate(workspace, dataset, Plan(("lexical",)), TaskContext())
    away, empty, quote = report.problems
    assert away == "away.txt is not among the documents: not found for a"
    assert empty.startswith("empty.txt could not be read (") and empty.endswith("for b")
    assert quote == "star.txt does not hold “Captain Kask”: not found for c"
    found = [row.measures["recall@10"] for row in report.routes["lexical"].rows]
    assert found[:2] == [0.5, 0.0]
    assert report.routes["lexical"].rows[2].measures["quote recall@10"] == 0.0


def test_the_next_run_reads_only_what_changed(papers: Path, models: Models, workspace: Workspace) -> None:
    dataset = read_documents(papers, papers.parent / "q.jsonl")
    again, seconds = open_cached(dataset, TaskContext(), models)
    try:
        assert (again.path, seconds) == (workspace.path, 0.0)
        assert full_index_seconds(again) > 0.0
    finally:
        again.close()


def test_plainly_is_without_capitals_and_question_marks(workspace: Workspace, papers: Path) -> None:
    assert plainly("Who is Otto Kask?") == "who is otto kask"
    assert plainly("¿Quién es?") == "quién es"
    dataset = read_documents(papers, papers.parent / "q.jsonl")
    one = replace(dataset, questions=dataset.questions[:1])
    report = evaluate(workspace, one, Plan(("lexical",), plain=True), TaskContext())
    row = report.routes["lexical"].rows[0]
    asked = ask_all(workspace, ["who commands the northern star"], "lexical", False, TaskContext())
    assert (row.question, row.passages) == ("Who commands the Northern Star?", asked[0].passages)
    assert report.plain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no questions"),
        ("{", "line 1 cannot be read"),
        ('{"question": "Who?"}\n[]', "line 2 is not an object"),
        ('{"gold": ["a.txt"]}', "no 'question'"),
        ('{"question": "Who?", "gold": "a.txt"}', "'gold' is no list"),
        ('{"question": "Who?", "gold": [{"quote": "x"}]}', "names no file"),
        ('{"question": "Who?", "gold": [7]}', "names no file"),
        ('{"question": "Who?", "answers": "Ada"}', "'answers' are no list"),
    ],
)
def test_broken_questions_are_rejected(text: str, words: str, papers: Path, tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read_documents(papers, path)
    assert words in caught.value.message
    assert caught.value.remedy


def test_unusable_folders_and_files_are_rejected(papers: Path, tmp_path: Path) -> None:
    questions = lines(tmp_path / "q.jsonl", QUESTIONS)
    with pytest.raises(BadInput, match="not a folder"):
        read_documents(tmp_path / "nowhere", questions)
    with pytest.raises(BadInput, match="cannot be read"):
        read_documents(papers, tmp_path / "nowhere.jsonl")
    with pytest.raises(BadInput, match="answers would be found"):
        read_documents(tmp_path, questions)
    with pytest.raises(BadInput, match=r"corpus\.jsonl cannot be read"):
        read_corpus(papers)
