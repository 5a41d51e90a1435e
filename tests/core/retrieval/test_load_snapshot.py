"""The snapshot of the present state, whoever wrote meanwhile and whoever was killed: never one of another state."""

from __future__ import annotations

import errno
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.answering.ask import Asker
from core.answering.models import Models
from core.index import array_file
from core.progress import TaskContext
from core.research.benches.snapshot import differences
from core.retrieval import load_snapshot as present
from core.retrieval import snapshot_file
from core.retrieval.snapshot_file import FILE, Snapshot, saved_state
from core.types import FactFilter
from core.workspace import DERIVED, Workspace
from tests.conftest import written
from tests.core.retrieval.test_reused_vectors import whole

KILLS = 5


# So many that one changed file is less than a tenth.
TEXTS = {
    f"{number:02}.txt": f"Ada Lind{number % 5} sailed the Osprey to Riga in {1900 + number}. "
    f"Captain Holm{number} met her."
    for number in range(60)
}


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


def change(papers: Path, number: int = 3) -> None:
    (papers / f"{number:02}.txt").write_text("Bela Orban sailed the Heron to Turku in 1931.", "utf-8")


def snapshot(workspace: Workspace) -> Snapshot:
    return workspace.retrieval.asker().snapshot


def is_right(workspace: Workspace) -> bool:
    return same(snapshot(workspace), whole(workspace._store, 20_000))


def same(found: Snapshot, expected: Snapshot) -> bool:
    return not differences(replace(found, recipe=None, state=None), expected)


def test_after_one_changed_file_all_other_vectors_are_taken_from_the_base(
    workspace: Workspace, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = (workspace.path / DERIVED / FILE).read_bytes()
    change(papers)
    table = "core.retrieval.snapshot.vector_table"
    with monkeypatch.context() as patch:
        patch.setattr(table, lambda *given: pytest.fail("every vector was read again"))
        workspace.index(papers, TaskContext(), digest=False)
        snapshot(workspace)
    assert (workspace.path / DERIVED / FILE).read_bytes() == base
    assert "Bela Orban" in list(snapshot(workspace).corpus.entity_names) and is_right(workspace)
    change(papers, 4)
    workspace.index(papers, TaskContext(), digest=False)
    with monkeypatch.context() as patch:
        patch.setattr(present, "read_snapshot_file", lambda *given: pytest.fail("there is one at hand"))
        assert is_right(workspace)
    with Workspace.open(workspace.path, read_only=True) as reading:
        assert is_right(reading)
    assert (workspace.path / DERIVED / FILE).read_bytes() == base


def test_more_than_a_tenth_is_merged_into_another_base(workspace: Workspace, papers: Path) -> None:
    store, config, folder = workspace._store, workspace.config.retrieval, workspace.retrieval._index_folder
    before = saved_state(present._recipe(store, config), folder)
    for number in range(6):
        change(papers, number)
    workspace.index(papers, TaskContext(), digest=False)
    after = saved_state(present._recipe(store, config), folder)
    assert before and after and before.point and after.point and after.point.revision > before.point.revision
    assert store.changes.since(before.point) is None, "what is merged is noted no more"
    assert is_right(workspace)


def test_what_is_removed_leaves_the_file_and_the_next_base_is_written(
    workspace: Workspace, papers: Path
) -> None:
    gone = workspace.documents.all()[2]
    workspace.documents.remove([gone.id], TaskContext())
    assert not (workspace.path / DERIVED / FILE).exists() and is_right(workspace)
    workspace.index(papers, TaskContext(), digest=False)
    raw = (workspace.path / DERIVED / FILE).read_bytes()
    assert b"Holm2." not in raw and b"Holm3" in raw and is_right(workspace)


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
    change(papers)
    workspace.index(papers, TaskContext(), digest=False)
    assert workspace.retrieval.current().is_current, "what was rewritten must not answer"
    (papers / "new.txt").write_text("Wilhelmina Okonjo met Ines Holm in Bergen.", encoding="utf-8")
    workspace.index(papers, TaskContext(), digest=False)
    assert not workspace.retrieval.current().is_current, "what is new is not waited for"
    workspace.review.decide([workspace.review.queue(FactFilter(""), 1)[0].fact.id], "rejected")
    assert workspace.retrieval.current().is_current, "a decision beside it is"


@pytest.mark.parametrize("reason", ["full", "truncated", "older", "missing"])
def test_a_file_that_is_not_to_be_trusted_is_made_anew(
    reason: str, workspace: Workspace, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workspace.path / DERIVED / FILE
    before = path.read_bytes()
    if reason == "truncated":
        path.write_bytes(before[: len(before) // 2])
    elif reason == "missing":
        path.unlink()
    elif reason == "older":
        monkeypatch.setattr(snapshot_file, "LAYOUT", snapshot_file.LAYOUT + 1)
    else:
        for number in range(6):
            change(papers, number)

        def full(*given: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("core.index.array_file.os.fsync", full)
        workspace.index(papers, TaskContext(), digest=False)
        assert path.read_bytes() == before and not list(path.parent.glob("*.part"))
    workspace.retrieval.forget_asker()
    assert is_right(workspace)
    if reason != "full":
        assert path.read_bytes() != before[: len(before) // 2] and len(path.read_bytes()) > len(before) // 2


def test_of_two_that_write_at_once_the_first_puts_nothing_in_place(tmp_path: Path) -> None:
    path = tmp_path / "x.arrays"
    inner = array_file._raw
    calls: list[int] = []

    def raced(array: object) -> memoryview:
        if not calls:
            calls.append(1)
            array_file.write_arrays(path, {"of": "second"}, {}, {})
            path.with_suffix(".part").write_bytes(b"begun by a third")
        return inner(array)  # type: ignore[arg-type]

    array = np.arange(5)
    hashed = array_file._hash(array)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(array_file, "_hash", lambda given: hashed)
        patch.setattr(array_file, "_raw", raced)
        with pytest.raises(FileExistsError):
            array_file.write_arrays(path, {"of": "first"}, {}, {"a": array})
    head = array_file.read_head(path)
    assert head is not None and head[0] == {"of": "second"}


def test_where_nothing_is_noted_the_state_tells(workspace: Workspace) -> None:
    store = workspace._store
    store.changes.stop()
    (workspace.path / DERIVED / FILE).unlink()
    workspace.retrieval.forget_asker()
    assert is_right(workspace)
    state = saved_state(present._recipe(store, workspace.config.retrieval), workspace.retrieval._index_folder)
    assert state is not None and state.point is None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(present, "read_extracted", lambda *given: pytest.fail("it is of this state"))
        workspace.retrieval.forget_asker()
        snapshot(workspace)
    store.settings.touch()
    workspace.retrieval.forget_asker()
    assert is_right(workspace)


@pytest.mark.long
def test_killed_at_whatever_moment_the_next_question_is_right(
    workspace: Workspace, papers: Path, tmp_path: Path, models: Models
) -> None:
    """While it indexes and keeps; others ask meanwhile. Whoever comes next is never wrong."""
    moments, held = random.Random(3), snapshot(workspace)
    for kill in range(KILLS):
        (papers / f"{kill:02}.txt").write_text(
            f"Bela Orban{kill} met Tobias Renwick in Riga. It was in {1800 + kill}.", "utf-8"
        )
        command = [
            sys.executable,
            "-m",
            "app",
            "index",
            str(papers),
            "--workspace",
            str(workspace.path),
            "--json",
        ]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = (
            time.monotonic() + 1.5 + 1.5 * kill + moments.random()
        )  # from its start to what follows its commits
        while time.monotonic() < end and process.poll() is None:
            held = right_meanwhile(workspace, held if moments.random() < 0.5 else None)
        process.send_signal(signal.SIGKILL)
        process.wait()
        right_meanwhile(workspace, held)
        right_meanwhile(workspace, None)
    workspace.index(papers, TaskContext(), digest=False)
    assert is_right(workspace) and all(check.ok for check in workspace.verify(TaskContext()))
    assert len(snapshot(workspace).corpus.passage_ids) == 60


def right_meanwhile(workspace: Workspace, earlier: Snapshot | None) -> Snapshot:
    """In one moment, whoever writes."""
    with workspace._store.database.at_one_moment():
        found = present.load_snapshot(
            workspace._store, workspace.config.retrieval, workspace.retrieval._index_folder, None, earlier
        )
        assert same(found, whole(workspace._store, 20_000))
    return found


@pytest.mark.long
def test_after_one_changed_file_answers_are_those_over_one_made_whole(
    sample_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(present, "MOST", np.inf)
    with Workspace.open(sample_copy) as workspace:
        workspace.retrieval.keep_snapshot()
        held = snapshot(workspace)
        document = workspace.documents.all()[1]
        workspace.documents.remove([document.id], TaskContext())
        asker = workspace.retrieval.asker()
        assert held.state and asker.snapshot.state and asker.snapshot.state.point != held.state.point
        made = whole(workspace._store, 20_000)
        expected = Asker(workspace._store, made, asker.vectors, workspace.config)
        for route in ("auto", "graph", "dense", "lab:hybrid", "lab:walk", "lab:hierarchical"):
            for question in ("Who commanded the Grey Petrel?", "Where was Tobias Renwick arrested?"):
                found = [
                    each.retrieve(question, route, 8, TaskContext())[1].hits for each in (asker, expected)
                ]
                assert [hit.passage_id for hit in found[0]] == [hit.passage_id for hit in found[1]]
                assert [hit.score for hit in found[0]] == pytest.approx(
                    [hit.score for hit in found[1]], rel=1e-4
                )
