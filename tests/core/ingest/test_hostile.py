"""A choice of the files of `clew research bench hostile`: each is read or has a reason, none takes the rest down."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest.reading_process import ReadingProcess
from core.ingest.scan import scan
from core.progress import TaskContext
from core.research.synthetic import malicious_files as cruelties
from core.types import LoadedPart

pytestmark = pytest.mark.long

SECONDS = 20
# One of each kind: bombs, entities, names that lead out, nesting, width, noise.
QUICK = (
    "bomb.docx",
    "laughing.docx",
    "stealing.docx",
    "climbing.zip",
    "deep.zip",
    "deep tables.html",
    "deep.rtf",
    "deep messages.eml",
    "deep.pdf",
    "wide.csv",
    "noise.bin",
    "noise.docx",
)


def read_all(folder: Path, seconds: int = SECONDS) -> dict[str, tuple[LoadedPart, ...] | DocumentError]:
    """Every file of the folder: its parts, or why it cannot be read. Each within its time."""
    found: dict[str, tuple[LoadedPart, ...] | DocumentError] = {}
    with ReadingProcess(ReadingConfig(max_seconds=seconds)) as process:
        for file in scan(folder, TaskContext()):
            if file.reason:
                assert file.remedy
                continue
            began = time.thread_time()
            try:
                found[file.relative] = process.parts(file.path)
            except DocumentError as error:
                found[file.relative] = error
            assert time.thread_time() - began < 5, f"{file.relative}: it is not for this process to compute"
    return found


def check(found: dict[str, tuple[LoadedPart, ...] | DocumentError]) -> None:
    for name, outcome in found.items():
        if isinstance(outcome, DocumentError):
            assert outcome.message and outcome.remedy, name
            continue
        assert outcome, name
        assert len({part.name for part in outcome}) == len(outcome)
        for part in outcome:
            assert part.document is None or part.document.text.strip(), (name, part.name)
            assert (part.document is not None) != bool(part.reason and part.remedy), (name, part.name)


def test_known_cruelties(tmp_path: Path) -> None:
    for name in QUICK:
        (tmp_path / name).write_bytes(cruelties.FILES[name]())
    found = read_all(tmp_path)
    assert len(found) == len(QUICK)
    check(found)
    parts = [part for outcome in found.values() if isinstance(outcome, tuple) for part in outcome]
    texts = [part.document.text for part in parts if part.document]
    assert not any("root:" in text for text in texts)  # no file that a document names is ever opened
    assert not Path("/tmp/climbed.txt").exists()


def test_places_that_are_no_files(tmp_path: Path) -> None:
    for make in cruelties.PLACES:
        make(tmp_path)
    modes = {stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode) for entry in os.scandir(tmp_path)}
    assert {stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFLNK, stat.S_IFDIR, stat.S_IFREG} <= modes
    found = read_all(tmp_path)
    check(found)
    assert set(found) == {"deep/" + "deeper/" * 100 + "a.txt", "sparse.txt", "sparse within the limit.txt"}
    assert "limit is 200 MB" in str(found["sparse.txt"])
