"""What is read is a regular file of the folder, also when something else takes its place after the look."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.errors import DocumentError
from core.ingest.loaders import DocumentLoader
from core.ingest.reading_process import ReadingProcess
from core.ingest.source_files import open_source
from core.ingest.watch import being_written
from core.progress import TaskContext
from core.types import Document, State
from core.workspace import Workspace
from tests.waiting import wait_until

SECRET = "root:x:0:0:root is the secret of this machine"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.txt").write_text(SECRET, encoding="utf-8")
    folder = tmp_path / "papers"
    (folder / "letters").mkdir(parents=True)
    (folder / "a.txt").write_text("Tobias Renwick lives in Bergen.", encoding="utf-8")
    (folder / "letters" / "secret.txt").write_text("Ines Holm lives in Piraeus.", encoding="utf-8")
    return folder


def link(folder: Path) -> Path:
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(folder.parent / "out" / "secret.txt")
    return folder / "a.txt"


def link_above(folder: Path) -> Path:
    (folder / "letters" / "secret.txt").unlink()
    (folder / "letters").rmdir()
    (folder / "letters").symlink_to(folder.parent / "out")
    return folder / "letters" / "secret.txt"


def pipe(folder: Path) -> Path:
    (folder / "a.txt").unlink()
    os.mkfifo(folder / "a.txt")
    return folder / "a.txt"


def device(folder: Path) -> Path:
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to("/dev/zero")
    return folder / "a.txt"


SWAPS = (link, link_above, pipe, device)


@pytest.fixture(scope="module")
def process() -> Iterator[ReadingProcess]:
    with ReadingProcess() as process:
        yield process


@pytest.mark.parametrize("swap", SWAPS)
def test_what_took_the_place_of_a_file_is_not_read(
    folder: Path, process: ReadingProcess, swap: Callable[[Path], Path]
) -> None:
    path = swap(folder)
    for read in (DocumentLoader().parts, process.parts):
        with pytest.raises(DocumentError, match=r"A link has taken the place|This is not a file"):
            read(path, folder)
    assert not being_written(path, folder)


def test_files_of_the_folder_are_read_and_links_too_where_all_are_allowed(folder: Path) -> None:
    for name in ("a.txt", "letters/secret.txt"):
        with open_source(folder / name, folder) as file:
            assert file.read() == (folder / name).read_bytes()
    with open_source(link(folder)) as file:
        assert file.read().decode() == SECRET


def _waits(thread: threading.Thread) -> bool:
    return Path(f"/proc/self/task/{thread.native_id}/stat").read_text().rsplit(")", 1)[1].split()[0] == "S"


def test_a_pipe_is_never_opened(folder: Path) -> None:
    """Not even for a moment: who waits to write into it would be woken, and then be cut off."""
    path = pipe(folder)
    opened = threading.Event()

    def write() -> None:
        os.close(os.open(path, os.O_WRONLY))
        opened.set()

    writer = threading.Thread(target=write)
    writer.start()
    wait_until(lambda: _waits(writer))
    with pytest.raises(DocumentError):
        DocumentLoader().parts(path, folder)
    assert not being_written(path)
    assert not opened.wait(0.2)
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))  # let it go
    writer.join()


def test_a_folder_with_links_pipes_sockets_and_devices_is_indexed(
    folder: Path, tmp_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    for name, target in {
        "x.txt": out / "secret.txt",
        "everything": out,
        "again.txt": folder / "a.txt",
        "round": folder,
        "zero.txt": Path("/dev/zero"),
    }.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.txt")
    monkeypatch.chdir(folder)  # socket paths must be short
    workspace = Workspace.open(tmp_path / "workspace", create=True, models=models)

    def indexed(*settings: str) -> dict[str, Document]:
        workspace.index(folder, TaskContext(), settings=settings)
        return {document.path: document for document in workspace.documents.all()}

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.txt")
        found = indexed()
        texts = [workspace.documents.text(one.id) for one in found.values() if one.state is not State.FAILED]
        assert sorted(texts) == ["Ines Holm lives in Piraeus.", "Tobias Renwick lives in Bergen."]
        refused = {path for path, one in found.items() if one.state is State.FAILED}
        assert refused == {"x.txt", "everything", "zero.txt"}
        assert "outside of the folder" in found["x.txt"].reason and "follow_links" in found["x.txt"].remedy
        before = workspace.revision
        assert indexed() == found and workspace.revision == before  # links are told once

        found = indexed("reading.follow_links=true")
        assert (
            found["x.txt"].state is not State.FAILED
            and found["everything/secret.txt"].state is not State.FAILED
        )
        assert workspace.documents.text(found["x.txt"].id) == SECRET
        found = indexed("reading.follow_links=false")
        assert found.keys() - refused == {"a.txt", "letters/secret.txt"}
        assert "secret of this machine" not in "".join(
            row[0] for row in workspace._store.database.connection().execute("SELECT text FROM passages")
        )
    workspace.close()
