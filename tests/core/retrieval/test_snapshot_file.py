"""A snapshot that is kept answers as one that is made, and is never one of another state."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from core.index.array_file import FileRows
from core.index.texts import Coded, Ids, NameTable, Texts
from core.index.vector_table import Exact, Quantised
from core.progress import TaskContext
from core.retrieval import load_snapshot as making
from core.retrieval.snapshot_file import FILE, Snapshot
from core.types import Policy
from core.workspace import DERIVED, Workspace

QUESTIONS = ("Who commanded the Grey Petrel?", "Where was Tobias Renwick arrested?")


def save_workspace_snapshot(workspace: Workspace) -> tuple[Snapshot, Snapshot]:
    (workspace.path / DERIVED / FILE).unlink(missing_ok=True)
    api = workspace.retrieval
    found = []
    for _ in range(2):
        api.forget_asker()
        found.append(api.asker()._snapshot)
    return found[0], found[1]


def equal(one: Any, other: Any) -> bool:
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        return all(
            equal(getattr(one, each.name), getattr(other, each.name)) for each in dataclasses.fields(one)
        )
    if isinstance(one, np.ndarray):
        other = other[:] if isinstance(other, FileRows) else other
        return np.array_equal(one, other) and one.dtype == other.dtype
    if sparse.issparse(one):
        return one.shape == other.shape and abs(one - other).nnz == 0
    if isinstance(one, dict | NameTable):
        return dict(one) == dict(other)
    if isinstance(one, Ids):
        return (
            list(one) == list(other) and equal(one.hashes, other.hashes) and equal(one.places, other.places)
        )
    if isinstance(one, tuple | Texts | Coded):
        return list(one) == list(other)
    if isinstance(one, Exact):
        return isinstance(other, Exact) and equal(one.vectors, other.vectors)
    if isinstance(one, str | int) or one is None:
        return bool(one == other)
    raise AssertionError(f"nobody said how to compare {type(one)}")


@pytest.mark.parametrize("exact_up_to", [20_000, 0])
def test_it_is_the_same_to_the_last_number(sample_copy: Path, exact_up_to: int) -> None:
    with Workspace.open(sample_copy, settings=[f"retrieval.exact_up_to={exact_up_to}"]) as workspace:
        made, kept = save_workspace_snapshot(workspace)
        assert isinstance(kept.corpus.passage_vectors, Exact if exact_up_to else Quantised)
        assert not isinstance(kept.corpus.entity_names, tuple) and equal(made, kept)


def test_answers_are_the_same(sample_copy: Path) -> None:
    with Workspace.open(sample_copy) as workspace:
        (sample_copy / DERIVED / FILE).unlink(missing_ok=True)
        for route in ("auto", "graph", "dense", "lab:hybrid", "lab:walk", "lab:hierarchical"):
            found = []
            for _ in range(2):
                workspace.retrieval.forget_asker()
                ask = workspace.retrieval.asker().retrieve
                found.append([ask(each, route, 8, TaskContext())[1].hits for each in QUESTIONS])
            assert found[0] == found[1] and found[0][0]


def test_indexing_leaves_it_for_the_next_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text("Ada Lind sailed the Osprey to Riga in 1921.", "utf-8")
    with Workspace.open(tmp_path / "w", create=True) as workspace:
        workspace.index(tmp_path / "papers", TaskContext())
    read: list[object] = []
    monkeypatch.setattr(making, "read_extracted", lambda *given: read.append(given))
    with Workspace.open(tmp_path / "w", read_only=True) as workspace:
        assert list(workspace.retrieval.asker()._snapshot.corpus.entity_names)
    assert not read, "nothing is read again"


def test_what_changed_is_never_answered_from_it(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    paper = tmp_path / "papers" / "a.txt"
    paper.write_text("Ada Lind sailed the Osprey to Riga in 1921.", "utf-8")
    with Workspace.open(tmp_path / "w", create=True) as workspace:
        workspace.index(tmp_path / "papers", TaskContext())
        assert "Ada Lind" in list(workspace.retrieval.asker()._snapshot.corpus.entity_names)
        paper.write_text("Bela Orban sailed the Heron to Turku in 1931.", "utf-8")
        workspace.index(tmp_path / "papers", TaskContext())
        names = list(workspace.retrieval.asker()._snapshot.corpus.entity_names)
        assert "Ada Lind" not in names and "Bela Orban" in names
        assert b"Ada Lind" not in (tmp_path / "w" / DERIVED / FILE).read_bytes()
        document = workspace.documents.all()[0].id
        workspace.documents.remove([document], TaskContext())
        assert not (tmp_path / "w" / DERIVED / FILE).exists(), "no name of what was removed stays"


def test_only_approved_facts_are_asked_of_the_database(sample_copy: Path) -> None:
    with Workspace.open(sample_copy) as workspace:
        save_workspace_snapshot(workspace)
        before = (sample_copy / DERIVED / FILE).stat().st_mtime_ns
        workspace.review.set_policy(Policy("approved"), TaskContext())
        workspace.retrieval.forget_asker()
        with pytest.raises(Exception, match="none is approved"):
            workspace.retrieval.asker()
        assert (sample_copy / DERIVED / FILE).stat().st_mtime_ns == before


def test_a_damaged_one_is_made_again_and_verify_tells(sample_copy: Path) -> None:
    with Workspace.open(sample_copy) as workspace:
        made, _ = save_workspace_snapshot(workspace)
        path = sample_copy / DERIVED / FILE
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        failed = [check for check in workspace.verify(TaskContext()) if not check.ok]
        assert len(failed) == 1 and "snapshot" in failed[0].detail
        workspace.retrieval.forget_asker()
        assert equal(made, workspace.retrieval.asker()._snapshot)
        assert len(path.read_bytes()) == len(whole)


def test_one_of_no_passages_is_not_kept(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w", create=True) as workspace:
        workspace.retrieval.keep_snapshot()
    assert not (tmp_path / "w" / DERIVED / FILE).exists()


def test_names_that_an_edit_took_away_are_told_of_and_can_be_removed(tmp_path: Path) -> None:
    papers, base = tmp_path / "papers", tmp_path / "w" / DERIVED / FILE
    papers.mkdir()
    for number in range(40):
        (papers / f"{number}.txt").write_text(f"Ada Lind{number}son sailed the Osprey to Riga.", "utf-8")
    with Workspace.open(tmp_path / "w", create=True) as workspace:
        workspace.index(papers, TaskContext())
        assert all("of what changed" not in check.detail for check in workspace.verify(TaskContext()))
        (papers / "3.txt").write_text("Bela Orban sailed the Heron to Turku.", "utf-8")
        workspace.index(papers, TaskContext())
        assert "Ada Lind3son" not in list(workspace.retrieval.asker().snapshot.corpus.entity_names)
        assert b"Ada Lind3son" in base.read_bytes()
        checks = {check.name: check for check in workspace.verify(TaskContext())}
        assert (
            checks["vector index on disk"].ok and "of what changed" in checks["vector index on disk"].detail
        )
        workspace.verify(TaskContext(), repair=True)
        assert not base.exists()
        workspace.retrieval.asker()
        assert b"Ada Lind3son" not in base.read_bytes() and b"Bela Orban" in base.read_bytes()
