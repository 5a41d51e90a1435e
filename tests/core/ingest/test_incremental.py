"""Whatever happens to a folder, the workspace ends as if it had been indexed once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.answering.models import Models
from core.ingest.pipeline import FIRST_BATCH, Pipeline
from core.progress import Cancelled, Progress, TaskContext
from core.types import DerivedEdge
from core.workspace import Workspace
from tests.conftest import NAMES as TWO_NAMES
from tests.conftest import written

SENTENCES = (
    "Astrid Brandvold chairs the board of Brandvold Lines.",
    "The Grey Petrel left Antwerp on 4 May 2021.",
    "Tobias Renwick was born in Bergen.",
    "Tobias Renwick founded Calder Reach Trading in Limassol.",
    "Calder Reach Trading owns the Northern Gannet.",
    "Ines Holm commands the Northern Gannet.",
    "The Northern Gannets met in Piraeus.",
    "Grain prices rose.",
    "Brandvold Lines chartered the Grey Petrel from Fairlead Ship Management.",
    "Maria Vourka works for Fairlead Ship Management in Piraeus.",
    "Inspector Tobias J. Renwick and T. Renwick paid Calder Reach Trading Ltd.",
    "Thomas Renwick is nobody's brother.",
    "Pieter Maas was born on 3 May 1961.",
    "Pieter Maas was born on 9 June 1984.",
    "Captain Holm and Renwick met Pieter Maas in Bergen.",
    "Bergen was born in Oslo and married Ines Holm.",
    "The bilge pump of the tug was repaired.",
    "Nobody had seen the bilge pumps.",
)
NAMES = ("a.txt", "b.txt", "c.md", "letters/d.txt", "letters/e.txt")

Content = tuple[int, ...]
Step = tuple[str, str, str, Content]

steps = st.lists(
    st.tuples(
        st.sampled_from(("write", "write", "rename", "delete", "copy", "swap", "touch")),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.lists(st.integers(0, len(SENTENCES) - 1), min_size=1, max_size=5).map(tuple),
    ),
    min_size=1,
    max_size=4,
)


def write(path: Path, content: Content) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(" ".join(SENTENCES[number] for number in content) + "\n", encoding="utf-8")


def swap(one: Path, other: Path) -> None:
    adjacent = one.with_name("beside")
    one.rename(adjacent)
    other.rename(one)
    adjacent.rename(other)


def act(folder: Path, step: Step) -> None:
    """One thing that people do to a folder; what cannot be done is left out."""
    kind, name, other, content = step
    path, target = folder / name, folder / other
    if kind == "write":
        write(path, content)
    if not path.exists() or path == target:
        return
    if kind == "delete":
        path.unlink()
    elif kind == "touch":
        os.utime(path)
    elif kind == "swap" and target.exists():
        swap(path, target)
    elif kind in ("rename", "copy"):
        target.parent.mkdir(parents=True, exist_ok=True)
        (path.rename if kind == "rename" else lambda to: shutil.copy(path, to))(target)


def logical(
    workspace: Workspace,
) -> tuple[str, dict[str, tuple[str, str]], set[tuple[str, str]], set[DerivedEdge]]:
    """Digest, what each document's full-text search and vectors hold, the synonyms by name, and what edges follow."""
    connection = workspace._store.database.connection()
    found = {
        row[0]: (row[1], row[2])
        for row in connection.execute(
            "SELECT p.id, (SELECT group_concat(kind || length(vectors), ',') FROM embeddings v"
            " WHERE v.owner_key = p.key AND v.kind <> 'entity'), f.text"
            " FROM passages p JOIN passages_text f ON f.rowid = p.key"
        )
    }
    synonyms = set(
        connection.execute(
            "SELECT a.normal, b.normal FROM synonyms s JOIN entities a ON a.key = s.entity_key"
            " JOIN entities b ON b.key = s.other_key"
        )
    )
    edges = workspace.graph.derived_edges()
    reported = {
        replace(edge, sources=()) for edge in workspace.graph.describe_edges(edges, range(len(edges)))
    }
    return workspace.status().digest, found, synonyms, reported


@pytest.mark.long
@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(steps, min_size=2, max_size=4))
def test_any_sequence_of_changes_ends_like_a_fresh_index(
    models: Models, tmp_path_factory: pytest.TempPathFactory, rounds: list[list[Step]]
) -> None:
    home = tmp_path_factory.mktemp("incremental")
    folder = home / "folder"
    folder.mkdir()
    write(folder / "a.txt", (0, 1, 2))
    stored = Workspace.open(home / "kept", create=True, models=models)
    for changes in rounds:
        for step in changes:
            act(folder, step)
        stored.index(folder, TaskContext())
    fresh = Workspace.open(home / "fresh", create=True, models=models)
    fresh.index(folder, TaskContext())
    assert logical(stored) == logical(fresh)
    before = stored.revision
    stored.index(folder, TaskContext())
    assert stored.revision == before, "nothing changed, and yet something was done"
    stored.close()
    fresh.close()


@pytest.fixture
def workspace(tmp_path: Path, models: Models) -> Workspace:
    return Workspace.open(tmp_path / "workspace", create=True, models=models)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents whose titles stand in them: one that is named after its file changes with the name."""
    folder = tmp_path / "folder"
    for number in range(5):
        path = folder / ("letters" if number > 2 else "") / f"{'abcde'[number]}.md"
        write(path, (number, number + 1, number + 2))
        path.write_text(f"# Letter {number}\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "c.md").rename(folder / "moved.md"),
        lambda folder: (folder / "letters").rename(folder / "post"),
        lambda folder: swap(folder / "a.md", folder / "b.md"),
        lambda folder: os.utime(folder / "a.md"),
    ],
    ids=["renamed file", "renamed folder", "two files that swapped names", "touched file"],
)
def test_what_only_moved_is_not_read_again(
    workspace: Workspace, folder: Path, change: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.index(folder, TaskContext())
    change(folder)

    def work(*_: object) -> None:
        raise AssertionError("a passage went through its stages again")

    monkeypatch.setattr("core.ingest.pipeline.Pipeline._finish", work)
    workspace.index(folder, TaskContext())
    assert workspace.counts().pending == 0
    paths = {document.path for document in workspace.documents.all()}
    assert paths == {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}


def test_a_file_that_is_no_longer_named_after_its_title_ends_like_a_fresh_index(
    workspace: Workspace, tmp_path: Path, models: Models
) -> None:
    """A title that is the file's name tells less about later passages than one that stands in the text."""
    words = "Tobias Renwick was born in Bergen. He founded a firm. " * 30
    papers = written(tmp_path / "papers", {"The Grey Petrel.txt": f"The Grey Petrel\n\n{words}"})
    workspace.index(papers, TaskContext())
    (papers / "The Grey Petrel.txt").rename(papers / "life.txt")
    workspace.index(papers, TaskContext())
    assert workspace.counts().passages > 1
    with Workspace.open(tmp_path / "fresh", create=True, models=models) as fresh:
        fresh.index(papers, TaskContext())
        assert logical(workspace) == logical(fresh)


def test_of_a_changed_file_only_changed_passages_are_done_again(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = folder / "long.txt"
    paragraphs = [" ".join(SENTENCES[(at + n) % len(SENTENCES)] for n in range(8)) for at in range(12)]
    long.write_text("The Grey Petrel\n\n" + "\n\n".join(paragraphs), encoding="utf-8")
    workspace.index(folder, TaskContext())
    complete = len(
        workspace.passages.of_document(next(d.id for d in workspace.documents.all() if d.path == "long.txt"))
    )
    done: list[int] = []

    finish = Pipeline._finish

    def counted(self: Pipeline, batch: Any, *rest: object) -> None:
        done.append(len(batch.passages))
        finish(self, batch, *rest)

    monkeypatch.setattr(Pipeline, "_finish", counted)
    paragraphs[-1] += " Maria Vourka sold the Grey Petrel."
    long.write_text("The Grey Petrel\n\n" + "\n\n".join(paragraphs), encoding="utf-8")
    workspace.index(folder, TaskContext())
    assert complete >= 6
    assert 1 <= sum(done) <= 2


def test_a_run_that_was_stopped_and_goes_on_ends_like_another(models: Models, tmp_path: Path) -> None:
    folder, done = tmp_path / "folder", 0
    for number in range(3 * FIRST_BATCH):
        write(folder / f"{number}.txt", (number % len(SENTENCES), (number * 5 + 3) % len(SENTENCES)))

    def report(progress: Progress) -> None:
        nonlocal done
        if progress.stage == "index":
            done = progress.done

    with Workspace.open(tmp_path / "stopped", create=True, models=models) as stopped:
        with pytest.raises(Cancelled):
            stopped.index(folder, TaskContext(report, lambda: done > FIRST_BATCH))
        assert 0 < stopped.counts().pending < stopped.counts().passages
        stopped.index(folder, TaskContext())
        with Workspace.open(tmp_path / "other", create=True, models=models) as other:
            other.index(folder, TaskContext())
            assert logical(stopped) == logical(other)


def test_a_workspace_stays_at_its_precision(
    models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers, digests = written(tmp_path / "names", TWO_NAMES), {}
    for precision in ("bfloat16", "float32"):
        monkeypatch.setattr("core.models.minilm_torch.best_precision", lambda precision=precision: precision)
        workspace = Workspace.open(tmp_path / precision, create=True, models=models)
        digests[precision] = workspace.index(papers, TaskContext()).digest
        workspace.close()
    assert digests["bfloat16"] != digests["float32"]
    (tmp_path / "papers").mkdir()
    # By now the processor would choose float32.
    moved = Workspace.open(tmp_path / "bfloat16", models=models)
    moved.index(tmp_path / "papers", TaskContext())
    back = moved.index(papers, TaskContext())
    moved.close()
    assert back.digest == digests["bfloat16"]
