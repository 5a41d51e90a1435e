"""Two runs over the same documents give the same vectors, to the bit, and with them the same synonyms."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from core.answering.models import Models
from core.ingest.pipeline import FIRST_BATCH
from core.progress import Cancelled, Progress, TaskContext
from core.workspace import Workspace
from tests.conftest import NAMES, written

pytestmark = pytest.mark.long

Rows = list[tuple[object, ...]]


def encoded(workspace: Path) -> tuple[Rows, Rows]:
    """Vectors by what they are of, and synonyms by id with their cosine."""
    connection = sqlite3.connect(workspace / "clew.db")
    vectors = connection.execute(
        "SELECT v.kind, coalesce(p.id, e.id), v.vectors FROM embeddings v"
        " LEFT JOIN passages p ON v.kind <> 'entity' AND p.key = v.owner_key"
        " LEFT JOIN entities e ON v.kind = 'entity' AND e.key = v.owner_key ORDER BY 1, 2"
    ).fetchall()
    synonyms = connection.execute(
        "SELECT e.id, o.id, s.cosine FROM synonyms s JOIN entities e ON e.key = s.entity_key"
        " JOIN entities o ON o.key = s.other_key ORDER BY 1, 2"
    ).fetchall()
    connection.close()
    assert vectors
    assert synonyms
    return vectors, synonyms


def test_a_run_of_another_process_gives_the_same(
    sample_folder: Path, sample_path: Path, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "app",
        "index",
        str(sample_folder),
        "--workspace",
        str(tmp_path / "other"),
    ]
    subprocess.run(command, check=True, timeout=120)
    assert encoded(tmp_path / "other") == encoded(sample_path)


def test_a_run_that_was_stopped_and_went_on_gives_the_same(
    sample_folder: Path, sample_path: Path, models: Models, tmp_path: Path
) -> None:
    done = 0

    def tell(progress: Progress) -> None:
        nonlocal done
        if progress.stage == "index":
            done = progress.done

    workspace = Workspace.open(tmp_path / "stopped", create=True, models=models)
    with pytest.raises(Cancelled):
        workspace.index(sample_folder, TaskContext(tell, lambda: done > FIRST_BATCH))
    pending = workspace.counts().pending
    assert 0 < pending < workspace.counts().passages
    workspace.index(sample_folder, TaskContext(), digest=False)
    workspace.close()
    assert encoded(tmp_path / "stopped") == encoded(sample_path)


def test_a_workspace_keeps_its_precision_and_tells_it_in_the_digest(
    models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers, digests = written(tmp_path / "names", NAMES), {}
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
