"""Failures are put aside and tried again; documents leave without a trace, and come back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import BadInput
from core.extraction.rules import RulesExtractor
from core.ingest.executors import ProcessExecutor
from core.models.spacy_model import import_spacy
from core.progress import Cancelled, TaskContext
from core.types import ExtractedMention, Extraction, Passage, Sentence
from core.workspace import Workspace

TEXTS = {
    "a.txt": "Marta Ilves founded Ilves Shipping in Tallinn. Ilves Shipping owns the Northern Star.",
    "b.txt": "Otto Kask commands the Northern Star. Otto Kask was born in Parnu.",
    "c.txt": "Grain prices rose in Kaunas, says Otto Kask.",
}
# Every table that may hold something of a document, and the full-text index with it.
TABLES = (
    "documents", "document_texts", "pages", "regions", "boxes", "metadata", "files", "passages", "sentences",
    "stages", "mentions", "triples", "facts", "entities", "embeddings", "synonyms", "name_cells", "layout",
)  # fmt: skip


@pytest.fixture
def workspace(tmp_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(tmp_path / "workspace", create=True, models=models)
    yield opened
    opened.close()


class Stumbling:
    """An extractor that stumbles over grain."""

    name = "rules"
    version = RulesExtractor.version

    def __init__(self) -> None:
        self._rules = RulesExtractor(prepare=import_spacy)

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        for passage in passages:
            if "Grain" in passage.text:
                raise ValueError("grain is not understood")
            yield from self._rules.extract([passage], context)


class Deadly:
    """An extractor that grain kills."""

    name, version = "deadly", "1"

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        for passage in passages:
            if "Grain" in passage.text:
                os._exit(3)
        for passage in passages:
            yield Extraction((ExtractedMention(passage.text[:4], "PERSON", 0, 4),), ())


def counts(workspace: Workspace) -> dict[str, int]:
    connection = workspace._store.database.connection()
    return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}


@pytest.mark.long
def test_a_passage_that_fails_is_put_aside_and_the_rest_goes_on(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.answering.models.Models.extractor", lambda self, name: Stumbling())
    status = workspace.index(folder, TaskContext())
    assert (status.documents, status.passages, status.failed, status.pending) == (3, 3, 1, 0)
    (failure,) = workspace.documents.failures()
    assert (failure.path, failure.stage) == ("c.txt", "extract")
    assert "grain is not understood" in failure.reason
    assert "Traceback" in failure.raw
    assert any(entity.name == "Otto Kask" for entity in workspace.graph.entities())
    assert workspace.index(folder, TaskContext()).failed == 1, "a failure is not tried again unasked"

    monkeypatch.undo()
    assert workspace.documents.retry() == 1
    status = workspace.index(folder, TaskContext())
    assert (status.failed, status.pending) == (0, 0)
    assert workspace.documents.failures() == []
    assert any(entity.name == "Kaunas" for entity in workspace.graph.entities())


def test_a_document_that_cannot_be_read_waits_for_a_retry_or_a_change(
    workspace: Workspace, folder: Path
) -> None:
    (folder / "d.txt").write_bytes(b"%PDF-1.7 cut off")
    assert workspace.index(folder, TaskContext()).failed == 1
    revision = workspace.revision
    workspace.index(folder, TaskContext())
    assert workspace.revision == revision
    (failure,) = workspace.documents.failures()
    assert (failure.path, failure.stage, failure.passage_id) == ("d.txt", "read", "")
    assert failure.remedy and failure.raw.startswith("PdfiumError: ")
    assert workspace.documents.metadata(failure.document_id) == []  # it states nothing of itself
    assert workspace.documents.retry() == 1
    assert workspace.index(folder, TaskContext()).failed == 1
    assert workspace.documents.failures() == [failure]
    (folder / "d.txt").write_text("Now there is plain text about Riga.", encoding="utf-8")
    assert workspace.index(folder, TaskContext()).failed == 0
    assert workspace.documents.failures() == []


@pytest.mark.long
def test_a_process_that_dies_costs_the_passage_that_killed_it() -> None:
    passages = [
        Passage(name, "d", at, "T", text, 0, len(text), None, (Sentence(0, len(text)),))
        for at, (name, text) in enumerate(TEXTS.items())
    ]
    executor = ProcessExecutor(Deadly)
    try:
        executor.submit(passages)
        executor.submit(passages[:2])
        first = executor.next_result(TaskContext())
        assert [bool(extraction.failure) for extraction in first] == [False, False, True]
        assert first[0].mentions
        second = executor.next_result(TaskContext())
        assert [bool(extraction.failure) for extraction in second] == [False, False]
        assert second[0] == first[0]
    finally:
        executor.close()


@pytest.mark.long
def test_the_next_window_finds_the_graph_at_hand_after_indexing_and_after_a_removal(
    workspace: Workspace, folder: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    def observed() -> tuple[str, ...]:
        with Workspace.open(workspace.path, models=models) as other:
            found = other.graph.at_hand()
            assert found is not None and found[2], "it would be read from the store"
            return found[0].view.names

    monkeypatch.setattr("core.graph.overview_cache.LEAST", 1)
    workspace.index(folder, TaskContext(), digest=False)
    before = observed()
    (document,) = workspace.documents.find(["b.txt"])
    workspace.documents.remove([document.id], TaskContext())
    assert {*before} - {*observed()}


@pytest.mark.long
def test_what_a_preview_says_is_what_goes_and_nothing_is_left(
    workspace: Workspace, folder: Path, models: Models, tmp_path: Path
) -> None:
    (folder / "b.txt").rename(tmp_path / "b.txt")
    workspace.index(folder, TaskContext())
    without = workspace.status()
    rows = counts(workspace)
    (tmp_path / "b.txt").rename(folder / "b.txt")
    complete = workspace.index(folder, TaskContext())
    (document,) = workspace.documents.find(["b.txt"])

    preview = workspace.documents.preview_removal([document.id])
    assert workspace.status().digest == complete.digest
    went = workspace.documents.remove([document.id], TaskContext())
    after = workspace.status()
    assert went == preview
    assert went.documents == went.passages == 1
    assert complete.entities - after.entities == went.entities > 0
    assert complete.facts - after.facts == went.facts > 0
    assert complete.triples - after.triples == went.triples
    assert after.digest == without.digest
    assert counts(workspace) == rows
    found = workspace._store.database.connection().execute(
        "SELECT count(*) FROM passages_text WHERE passages_text MATCH 'Parnu'"
    )
    assert found.fetchone()[0] == 0

    assert workspace.index(folder, TaskContext()).digest == without.digest, "it was read again unasked"
    assert workspace.documents.excluded() == ["b.txt"]
    workspace.documents.restore(["b.txt"])
    assert workspace.index(folder, TaskContext()).digest == complete.digest


def test_documents_are_named_by_path_or_its_end(workspace: Workspace, folder: Path) -> None:
    (folder / "letters").mkdir()
    (folder / "letters" / "e.txt").write_text("Ines Holm wrote to Otto Kask.", encoding="utf-8")
    workspace.index(folder, TaskContext())
    assert [d.path for d in workspace.documents.find(["e.txt", "a.txt"])] == ["letters/e.txt", "a.txt"]
    with pytest.raises(BadInput, match="no document nothing") as raised:
        workspace.documents.find(["nothing.txt"])
    command, _, argument = raised.value.remedy.partition("clew ")[2].partition(" lists")[0].partition(" ")
    assert (command, argument) == ("documents", "WORKSPACE")


def test_a_removal_that_was_stopped_is_pending_and_finished_by_repeating_it(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.index(folder, TaskContext())
    (document,) = workspace.documents.find(["b.txt"])

    def stopped(*_: object) -> None:
        raise Cancelled

    with monkeypatch.context() as patch, pytest.raises(Cancelled):
        patch.setattr("core.ingest.derive.disambiguate", stopped)
        workspace.documents.remove([document.id], TaskContext())
    place = str(workspace.path)
    workspace.close()

    assert main(["status", place]) == 0
    out = capsys.readouterr().out
    assert "  pending              1\n" in out
    assert f"clew index {folder} --workspace {place}" in out
    assert main(["remove", place, "b.txt", "--dry-run", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["already"] == ["b.txt"]
    assert main(["remove", place, document.id]) == 0
    assert "what was left of that is finished now" in capsys.readouterr().out
    assert main(["status", place, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pending"] == 0
    assert main(["remove", place, "b.txt"]) == 0
    assert capsys.readouterr().out == "Was taken out already: b.txt.\n"


@pytest.mark.usefixtures("lent_models")
def test_the_commands(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "workspace")
    (folder / "d.pdf").write_bytes(b"%PDF-1.7 cut off")
    assert main(["index", str(folder), "--workspace", place]) == 0
    capsys.readouterr()

    assert main(["status", place, "--failures", "--json"]) == 0
    reported = json.loads(capsys.readouterr().out)
    assert [failure["path"] for failure in reported["failures"]] == ["d.pdf"]
    raw = reported["failures"][0]["raw"]
    assert raw.startswith("PdfiumError: ")
    assert main(["status", place]) == 0
    assert raw not in capsys.readouterr().out
    assert main(["status", place, "--failures"]) == 0
    assert f"    {raw}\n" in capsys.readouterr().out
    retry = ["index", "--workspace", place, "--retry"]
    assert main(retry) == 0
    again = capsys.readouterr().out
    assert again.startswith("1 tried again.") and "Not read: d.pdf" in again
    assert main([*retry, "--document", "b.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tried"] == 0
    assert main([*retry, "--document", "d.pdf", "--json"]) == 0
    tried = json.loads(capsys.readouterr().out)
    assert (tried["tried"], [problem["path"] for problem in tried["problems"]]) == (1, ["d.pdf"])
    assert main([*retry, "--document", "nowhere.txt"]) == 1
    assert main(["index", str(folder), "--workspace", place, "--document", "d.pdf"]) == 2
    assert main(["index", "--workspace", place]) == 2

    assert main(["remove", place, "b.txt", "--dry-run", "--json"]) == 0
    would = json.loads(capsys.readouterr().out)
    assert main(["remove", place, "b.txt", "--json"]) == 0
    went = json.loads(capsys.readouterr().out)
    assert (would.pop("removed"), went.pop("removed")) == (False, True)
    assert would == went
    restore = ["remove", place, "--restore"]
    capsys.readouterr()
    assert main(restore) == 0
    assert capsys.readouterr().out.strip() == "b.txt"
    assert main([*restore, "b.txt"]) == 0
    assert main([*restore, "b.txt"]) == 1
    assert "was not taken out" in capsys.readouterr().err
    assert main(["remove", place, "nowhere.txt"]) == 1
    assert main(["remove", place]) == 2
    assert main(["remove", place, "a.txt", "--restore", "--dry-run"]) == 2
    assert main(["index", "--workspace", str(tmp_path / "none"), "--retry"]) == 1
    assert not (tmp_path / "none").exists()
