"""Settings on the command line: listed, given to an indexing, kept by the workspace."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from core.cli import main
from core.config import INDEXING, STAGES, changed
from core.errors import WorkspaceError
from core.ingest.reading_process import ReadingProcess
from core.progress import Cancelled
from core.workspace import Workspace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One text and one that no limit lets through below 2 MB."""
    place = tmp_path / "papers"
    place.mkdir()
    (place / "a.txt").write_text(
        "Otto Kask commands the Northern Star. It sails from Riga.", encoding="utf-8"
    )
    (place / "large.txt").write_bytes(b" " * 1_500_000 + b"Grain prices rose in Kaunas.")
    return place


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are read, as they are."""
    names: list[str] = []
    parts = ReadingProcess.parts
    monkeypatch.setattr(
        ReadingProcess,
        "parts",
        lambda self, path, inside, *rest: [names.append(path.name), parts(self, path, inside, *rest)][1],
    )
    return names


def index(folder: Path, *words: str) -> int:
    return main(["index", str(folder), "--workspace", str(folder.parent / "workspace"), *words])


def failed(folder: Path) -> list[str]:
    opened = Workspace.open(folder.parent / "workspace")
    found = [failure.path for failure in opened.documents.failures()]
    opened.close()
    return found


@pytest.mark.long
def test_a_limit_holds_from_then_on_and_has_nothing_read_again(
    folder: Path, read: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    place = str(folder.parent / "workspace")
    assert index(folder, "--set", "reading.max_file_mb=1") == 0
    assert read == ["a.txt", "large.txt"] and failed(folder) == ["large.txt"]
    # A later run knows the limit, and a retry, too: nobody gives it again.
    read.clear()
    assert main(["index", "--workspace", place, "--retry"]) == 0
    assert read == ["large.txt"] and failed(folder) == ["large.txt"]
    read.clear()
    assert index(folder, "--set", "reading.max_file_mb=2", "--set", "reading.max_seconds=60") == 0
    assert read == [], "what a file may cost does not change what is read"
    assert main(["index", "--workspace", place, "--retry"]) == 0
    assert read == ["large.txt"] and failed(folder) == []
    capsys.readouterr()
    assert main(["settings", place]) == 0
    out = capsys.readouterr().out
    assert "reading.max_file_mb = 2 MB [set here]" in out and "reading.max_seconds = 60 s [set here]" in out


@pytest.mark.long
def test_other_passages_have_every_file_read_again(folder: Path, read: list[str]) -> None:
    assert index(folder) == 0
    read.clear()
    os.utime(folder / "a.txt", (1, 1))
    assert index(folder, "--set", "chunking.max_tokens=150") == 0
    assert sorted(read) == ["a.txt", "large.txt"]
    read.clear()
    assert index(folder) == 0
    assert read == []
    assert index(folder, "--set", "chunking.max_tokens=200") == 0
    assert len(read) == 2


def test_what_cannot_be_set_is_refused_before_anything_is_created(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for setting, words in (
        ("reading.max_seconds=0", "86,400"),
        ("retrieval.damping=0.5", "reading.NAME"),
        ("chunking.overlap=0", "chunking.max_tokens"),
    ):
        assert index(folder, "--set", setting) == 1
        assert words in capsys.readouterr().err
    assert not (folder.parent / "workspace").exists()


def test_every_setting_is_listed_and_the_help_says_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--json"]) == 0
    found = {item["name"]: item for item in json.loads(capsys.readouterr().out)["settings"]}
    assert {name.partition(".")[0] for name in found} < set(STAGES)
    assert found["reading.max_seconds"]["unit"] == "s" and found["reading.max_seconds"]["most"] == 86_400
    assert main(["settings"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(found)
    for command in ("index", "eval"):
        assert main([command, "--help"]) == 0
        assert "clew settings" in " ".join(capsys.readouterr().out.split())


def chosen(folder: Path) -> list[str]:
    """What is set in the workspace, as `clew settings` marks it."""
    opened = Workspace.open(folder.parent / "workspace", read_only=True)
    found = changed(opened.config, INDEXING)
    opened.close()
    return found


@pytest.mark.long
def test_a_run_that_fails_leaves_the_settings_as_they_were(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert index(folder, "--set", "reading.max_seconds=60") == 0
    before = chosen(folder)
    missing = folder.parent / "nowhere"
    assert index(missing, "--set", "chunking.max_tokens=150") == 1  # found out at once
    assert chosen(folder) == before

    def broken(*_: object) -> None:
        raise WorkspaceError("The disk is full.", "Make room.")

    with monkeypatch.context() as patched:  # after all files were read
        patched.setattr("core.workspace.stages.choose_extractor", broken)
        assert index(folder, "--set", "chunking.max_tokens=150") == 1
    assert chosen(folder) == before
    # Without them the next run reads by the old ones again, and nothing of the failed one is left.
    capsys.readouterr()
    assert index(folder) == 0 and chosen(folder) == before
    assert main(["verify", str(folder.parent / "workspace")]) == 0


def test_a_run_that_is_stopped_keeps_its_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise Cancelled

    with monkeypatch.context() as patched:
        patched.setattr("core.workspace.stages.choose_extractor", stop)
        index(folder, "--set", "chunking.max_tokens=150")
    assert chosen(folder) == ["chunking.max_tokens=150"]
