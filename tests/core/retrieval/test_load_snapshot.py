"""The snapshot of the present state, whoever wrote meanwhile and whoever was killed: never one of another state."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from core.answering.ask import Asker
from core.answering.models import Models
from core.index.vector import IndexFolder
from core.index.vector_table import Exact, Quantised
from core.ingest.loaders import DocumentLoader
from core.progress import TaskContext
from core.research.benches.snapshot import differences
from core.retrieval import load_snapshot as present
from core.retrieval import snapshot_file
from core.retrieval.snapshot_file import FILE, Snapshot
from core.types import FactFilter, Policy
from core.workspace import DERIVED, Workspace
from tests.conftest import copied, written
from tests.core.retrieval.test_reused_vectors import read_entirely

# So many that one changed file is less than a tenth.
TEXTS = {
    f"{number:02}.txt": f"Ada Lind{number % 5} sailed the Osprey to Riga in {1900 + number}. "
    f"Captain Holm{number} met her."
    for number in range(60)
}
ROUTES = ("graph", "lexical", "lab:hybrid", "lab:hierarchical")
QUESTIONS = ("Who commanded the Grey Petrel?", "Where was Tobias Renwick arrested?")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    """The folder `papers`, indexed, and its workspace as it is then; the tests put both back."""
    place = tmp_path_factory.mktemp("present")
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(written(place / "papers", TEXTS), TaskContext(), digest=False)
    shutil.copytree(place / "papers", place / "saved" / "papers")
    shutil.copytree(place / "w", place / "saved" / "w")
    return place


@pytest.fixture
def papers(place: Path) -> Path:
    for name in ("papers", "w"):  # at the same place, so that indexing finds the same folder
        shutil.rmtree(place / name)
        shutil.copytree(place / "saved" / name, place / name)
    return place / "papers"


@pytest.fixture
def workspace(papers: Path, models: Models) -> Iterator[Workspace]:
    with Workspace.open(papers.parent / "w", models=models) as opened:
        yield opened


def base_of(workspace: Workspace) -> Path:
    return workspace.path / DERIVED / FILE


def change(papers: Path, *numbers: int) -> None:
    for number in numbers:
        (papers / f"{number:02}.txt").write_text("Bela Orban sailed the Heron to Turku in 1931.", "utf-8")


def snapshot(workspace: Workspace) -> Snapshot:
    return workspace.retrieval.asker().snapshot


def is_right(workspace: Workspace) -> bool:
    return same(snapshot(workspace), read_entirely(workspace._store, 20_000))


def same(found: Snapshot, expected: Snapshot) -> bool:
    return not differences(replace(found, recipe=None, state=None), expected)


def refuse(why: str) -> Callable[..., NoReturn]:
    return lambda *_: pytest.fail(why)


@pytest.mark.parametrize("exact_up_to", [20_000, 0])
def test_a_file_gives_the_same_snapshot_and_the_same_answers(
    sample_copy: Path, exact_up_to: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workspace.open(sample_copy, settings=[f"retrieval.exact_up_to={exact_up_to}"]) as workspace:
        base_of(workspace).unlink(missing_ok=True)
        snapshots, hits = [], []
        for again in (False, True):
            workspace.retrieval.forget_asker()
            with monkeypatch.context() as patch:
                if again:
                    patch.setattr(present, "read_extracted", refuse("it is of this state"))
                asker = workspace.retrieval.asker()
            snapshots.append(asker.snapshot)
            hits.append([asker.retrieve(QUESTIONS[0], route, 8, TaskContext())[1].hits for route in ROUTES])
        assert isinstance(snapshots[1].corpus.passage_vectors, Exact if exact_up_to else Quantised)
        assert differences(*snapshots) == []
        assert hits[0] == hits[1] and all(hits[0])


def test_after_one_changed_file_all_other_vectors_are_taken_from_the_base(
    workspace: Workspace, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = base_of(workspace).read_bytes()
    change(papers, 3)
    with monkeypatch.context() as patch:
        patch.setattr("core.retrieval.snapshot.vector_table", refuse("every vector was read again"))
        workspace.index(papers, TaskContext(), digest=False)
        snapshot(workspace)
    assert base_of(workspace).read_bytes() == base
    assert "Bela Orban" in list(snapshot(workspace).corpus.entity_names) and is_right(workspace)
    change(papers, 4)
    workspace.index(papers, TaskContext(), digest=False)
    with monkeypatch.context() as patch:
        patch.setattr(present, "read_snapshot_file", refuse("there is one at hand"))
        assert is_right(workspace)
    with Workspace.open(workspace.path, read_only=True) as reading:
        assert is_right(reading)
    assert base_of(workspace).read_bytes() == base


def test_a_vector_that_alone_changed_is_read_again(workspace: Workspace) -> None:
    snapshot(workspace)
    with workspace._store.database.transaction() as connection:
        connection.execute(
            "UPDATE embeddings SET vectors = (SELECT vectors FROM embeddings WHERE kind = 'passage' LIMIT 1 OFFSET 7)"
            " WHERE kind = 'passage' AND owner_key = (SELECT min(key) FROM passages)"
        )
    workspace._store.settings.touch()
    assert is_right(workspace)


def test_more_than_a_tenth_is_merged_into_another_base(workspace: Workspace, papers: Path) -> None:
    before = base_of(workspace).read_bytes()
    change(papers, *range(8))
    workspace.index(papers, TaskContext(), digest=False)
    assert b"Holm7" in before and b"Holm7" not in base_of(workspace).read_bytes() and is_right(workspace)


def test_names_that_a_person_removed_leave_the_file(workspace: Workspace, papers: Path) -> None:
    gone = workspace.documents.all()[2]
    workspace.documents.remove([gone.id], TaskContext())
    assert not base_of(workspace).exists() and is_right(workspace)
    workspace.index(papers, TaskContext(), digest=False)
    raw = base_of(workspace).read_bytes()
    assert b"Holm2." not in raw and b"Holm3" in raw and is_right(workspace)


def test_names_that_an_edit_took_away_are_reported_and_can_be_removed(
    workspace: Workspace, papers: Path
) -> None:
    def detail() -> str:
        checks = {check.name: check for check in workspace.verify(TaskContext())}
        assert checks["vector index on disk"].ok
        return checks["vector index on disk"].detail

    assert "of what changed" not in detail()
    change(papers, 9)
    workspace.index(papers, TaskContext(), digest=False)
    assert "Holm9" not in " ".join(snapshot(workspace).corpus.entity_names)
    assert b"Holm9" in base_of(workspace).read_bytes() and "of what changed" in detail()
    workspace.verify(TaskContext(), repair=True)
    assert not base_of(workspace).exists()
    snapshot(workspace)
    raw = base_of(workspace).read_bytes()
    assert b"Holm9" not in raw and b"Bela Orban" in raw


def test_what_a_person_takes_away_is_gone_from_the_next_question_however_long_reading_takes(
    workspace: Workspace, papers: Path
) -> None:
    snapshot(workspace)
    workspace.retrieval._askers._patience = 0.0
    gone = workspace.documents.all()[2]
    own = {passage.id for passage in workspace.passages.of_document(gone.id)}
    workspace.documents.remove([gone.id], TaskContext())
    current = workspace.retrieval.current()
    assert own and current.is_current and not own & set(current.value.snapshot.corpus.passage_ids)
    change(papers, 3)
    workspace.index(papers, TaskContext(), digest=False)
    assert workspace.retrieval.current().is_current, "what was rewritten must not answer"
    (papers / "new.txt").write_text("Wilhelmina Okonjo met Ines Holm in Bergen.", encoding="utf-8")
    workspace.index(papers, TaskContext(), digest=False)
    assert not workspace.retrieval.current().is_current, "what is new is not waited for"
    workspace.review.decide([workspace.review.queue(FactFilter(""), 1)[0].fact.id], "rejected")
    assert workspace.retrieval.current().is_current, "a decision is"


@pytest.mark.parametrize("reason", ["full", "truncated", "older", "missing"])
def test_a_file_that_is_not_to_be_trusted_is_replaced(
    reason: str, workspace: Workspace, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = base_of(workspace)
    before = path.read_bytes()
    if reason == "truncated":
        path.write_bytes(before[: len(before) // 2])
        (failed,) = [check for check in workspace.verify(TaskContext()) if not check.ok]
        assert "snapshot" in failed.detail
    elif reason == "missing":
        path.unlink()
    elif reason == "older":
        monkeypatch.setattr(snapshot_file, "LAYOUT", snapshot_file.LAYOUT + 1)
    else:
        change(papers, *range(6))

        def full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("core.index.array_file.os.fsync", full)
        workspace.index(papers, TaskContext(), digest=False)
        assert path.read_bytes() == before and not list(path.parent.glob("*.part"))
    workspace.retrieval.forget_asker()
    assert is_right(workspace)
    assert reason == "full" or len(path.read_bytes()) > len(before) // 2


def test_the_next_process_reads_nothing_again(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(present, "read_extracted", refuse("it is of this state"))
    with Workspace.open(workspace.path, read_only=True) as reading:
        assert "Osprey" in list(snapshot(reading).corpus.entity_names)


def test_where_nothing_is_noted_the_revision_decides(workspace: Workspace) -> None:
    workspace._store.changes.stop()
    base_of(workspace).unlink()
    workspace.retrieval.forget_asker()
    assert is_right(workspace)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(present, "read_extracted", refuse("it is of this state"))
        workspace.retrieval.forget_asker()
        snapshot(workspace)
    workspace._store.settings.touch()
    workspace.retrieval.forget_asker()
    assert is_right(workspace)


def test_only_approved_facts_are_asked_of_the_database(workspace: Workspace) -> None:
    before = base_of(workspace).read_bytes()
    workspace.review.set_policy(Policy("approved"), TaskContext())
    with pytest.raises(Exception, match="none is approved"):
        workspace.retrieval.asker()
    assert base_of(workspace).read_bytes() == before


def test_of_no_passages_no_file_is_written(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w", create=True) as workspace:
        workspace.retrieval.keep_snapshot()
        assert not base_of(workspace).exists()


def index_and_die(papers: Path, models: Models, event: int) -> int:
    """Index in a fork that kills itself at this one of its steps, or ends before; its process."""
    if process := os.fork():
        return process
    try:
        steps, fsync, move = count(1), os.fsync, os.replace

        def step() -> bool:
            if next(steps) == event:
                os.kill(os.getpid(), signal.SIGKILL)
            return False

        os.fsync = lambda file: step() or fsync(file)
        os.replace = lambda *places: step() or move(*places)
        patch = pytest.MonkeyPatch()
        patch.setattr(
            "core.workspace.indexing.ReadingProcess", lambda *own: nullcontext(DocumentLoader(own[0]))
        )
        with Workspace.open(papers.parent / "w", models=models) as opened:
            opened.index(papers, TaskContext(cancelled=step), digest=False)
    finally:
        os._exit(0)


@pytest.mark.long
def test_killed_at_whatever_moment_the_next_question_is_right(papers: Path, models: Models) -> None:
    """While it indexes and writes; others ask meanwhile. Whoever comes next is never wrong."""
    path, earlier, ended = papers.parent / "w", None, []
    for kill, event in enumerate((2, 9, 20, 1_000)):
        change(papers, *range(8 * kill, 8 * kill + 8))
        process, over = index_and_die(papers, models, event), 0
        with Workspace.open(path, models=models, read_only=True) as workspace:
            while not over:
                earlier = right_meanwhile(workspace, earlier)
                over, status = os.waitpid(process, os.WNOHANG)
            ended.append(os.waitstatus_to_exitcode(status))
            right_meanwhile(workspace, earlier)
            right_meanwhile(workspace, None)
    assert ended == [-signal.SIGKILL] * 3 + [0]
    with Workspace.open(path, models=models) as workspace:
        assert is_right(workspace) and all(check.ok for check in workspace.verify(TaskContext()))
        assert len(snapshot(workspace).corpus.passage_ids) == len(TEXTS)


def right_meanwhile(workspace: Workspace, earlier: Snapshot | None) -> Snapshot:
    """In one moment, whoever writes."""
    folder = IndexFolder(workspace.path / DERIVED, read_only=True)
    with workspace._store.database.at_one_moment():
        found = present.load_snapshot(workspace._store, workspace.config.retrieval, folder, None, earlier)
        assert same(found, read_entirely(workspace._store, 20_000))
    return found


@pytest.mark.long
def test_after_one_changed_file_answers_are_those_over_one_read_entirely(
    sample_path: Path, tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present, "MOST", np.inf)
    with Workspace.open(copied(sample_path, tmp_path / "w"), models=models) as workspace:
        workspace.retrieval.keep_snapshot()
        earlier = snapshot(workspace)
        workspace.documents.remove([workspace.documents.all()[1].id], TaskContext())
        asker = workspace.retrieval.asker()
        assert earlier.state and asker.snapshot.state and asker.snapshot.state.point != earlier.state.point
        entire = read_entirely(workspace._store, 20_000)
        expected = Asker(workspace._store, entire, asker.vectors, workspace.config)
        for route in ROUTES:
            for question in QUESTIONS:
                one, other = (
                    each.retrieve(question, route, 8, TaskContext())[1].hits for each in (asker, expected)
                )
                assert [hit.passage_id for hit in one] == [hit.passage_id for hit in other]
                scores = [hit.score for hit in other]
                assert [hit.score for hit in one] == pytest.approx(scores, rel=1e-4)
