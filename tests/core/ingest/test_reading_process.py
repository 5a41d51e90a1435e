"""The reading process: the same documents as without it, and no file that takes more than itself down."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.config import ReadingConfig
from core.errors import DocumentError
from core.ingest import reading_process
from core.ingest.loaders import DocumentLoader
from core.ingest.reading_process import ReadingProcess, seconds_for
from core.ingest.reading_replies import Ended, Read, Reply
from core.ingest.reading_worker import _read
from core.progress import Cancelled
from tests.processes import alive, children, cpu_seconds, wait_until_computed
from tests.waiting import wait_until

SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
SLOW = b"<p>a <b>b</b></p>" * 400_000
Make = Callable[..., bytes]


@pytest.fixture
def process() -> Iterator[ReadingProcess]:
    with ReadingProcess() as process:
        yield process


@pytest.fixture
def worker() -> Callable[[], int]:
    """Returns the process id of the process that reads for this test; 0 where none is running."""
    before = set(children(os.getpid()))

    def find() -> int:
        found = [pid for pid in children(os.getpid()) if pid not in before and alive(pid)]
        return max((pid for pid in found if b"resource_tracker" not in command_line(pid)), default=0)

    return find


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def put(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def reason(process: ReadingProcess, path: Path) -> str:
    with pytest.raises(DocumentError) as caught:
        process.parts(path)
    assert caught.value.remedy
    return caught.value.message


def test_it_reads_what_the_loader_reads_in_one_process(tmp_path: Path, worker: Callable[[], int]) -> None:
    process = ReadingProcess()
    for name in ("press/2021-11-09 Arrest at the airport.html", "finance/Sahel Fuel invoice 0388.pdf"):
        (mine,), (other,) = DocumentLoader().parts(SAMPLE / name), process.parts(SAMPLE / name)
        assert mine.document is not None and other.document is not None
        assert (mine.document.text, mine.document.title) == (other.document.text, other.document.title)
        assert mine.document.pages == other.document.pages
    pid = worker()
    assert reason(process, put(tmp_path, "a.txt", b"")) == "The file is empty."
    assert process.parts(put(tmp_path, "b.txt", b"Words."))[0].name == ""
    assert worker() == pid
    process.close()
    process.close()
    wait_until(lambda: not alive(pid))


@pytest.mark.long
def test_a_file_or_member_that_takes_too_long_costs_itself_only(
    tmp_path: Path, archive: Make, monkeypatch: pytest.MonkeyPatch, worker: Callable[[], int]
) -> None:
    quick, slow = put(tmp_path, "quick.txt", b"Words."), put(tmp_path, "slow.html", SLOW)
    members = {"a.txt": "Words.", "slow.html": SLOW.decode(), "c.txt": "Words."}
    path = put(tmp_path, "a.zip", archive(members))
    # To start the process takes its time, too: for the first file, and after each slow one.
    seconds = iter((60, 1, 60, 60, 1, 60))
    monkeypatch.setattr(reading_process, "seconds_for", lambda path, config: next(seconds))
    with ReadingProcess() as process:
        process.parts(quick)
        pid = worker()
        assert "took longer" in reason(process, slow)
        wait_until(lambda: not alive(pid))
        process.parts(quick)
        found = process.parts(path)
    assert [(part.name, "took longer" in part.reason) for part in found] == [
        ("a.txt", False),
        ("slow.html", True),
        ("c.txt", False),
    ]


def test_a_large_file_may_take_longer(tmp_path: Path) -> None:
    config = ReadingConfig(max_seconds=120, max_file_mb=200)
    path = put(tmp_path, "words.txt", b"Words.")
    limits = []
    for size in (6, 10_000_000, 60_000_000, 500_000_000):
        os.truncate(path, size)
        limits.append(seconds_for(path, config))
    assert limits == [120, 120, 720, 2_400]
    assert seconds_for(tmp_path / "missing.txt", config) == 120


@pytest.mark.long
def test_a_file_that_needs_too_much_memory(tmp_path: Path) -> None:
    large = put(tmp_path, "large.txt", b"Words, and more of them.\n" * 30_000)
    with ReadingProcess(ReadingConfig(max_memory_mb=10)) as process:
        process.parts(put(tmp_path, "quick.txt", b"Words."))
        assert reason(process, large) == "Reading needs more memory than the 10 MB that are allowed."
        assert process.parts(put(tmp_path, "b.txt", b"Words."))


def test_a_native_parser_without_memory(tmp_path: Path, docx: Make) -> None:
    body = "<w:p><w:r><w:t>Words, and more of them.</w:t></w:r></w:p>" * 400_000
    large = put(tmp_path, "large.docx", docx(body))
    with ReadingProcess(ReadingConfig(max_memory_mb=150)) as process:
        with pytest.raises(DocumentError) as caught:
            process.parts(large)
        assert caught.value.message == "Reading needs more memory than the 150 MB that are allowed."
        assert "emory" in caught.value.raw  # what the parser said as it died
        # The next file has nothing to do with that.
        assert reason(process, put(tmp_path, "a.txt", b"")) == "The file is empty."
        with pytest.raises(DocumentError) as caught:
            process.parts(tmp_path / "a.txt")
        assert caught.value.raw == ""


def test_output_of_the_reader_comes_with_the_reason(
    process: ReadingProcess, tmp_path: Path, archive: Make, pdf: Make
) -> None:
    cut = pdf([["A page."]])[:60]
    with pytest.raises(DocumentError) as caught:
        process.parts(put(tmp_path, "cut.pdf", cut))
    assert caught.value.raw.startswith("PdfiumError: ")
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive_:
        archive_.writestr("good.txt", "Words.")
        archive_.writestr("cut.pdf", cut)
        archive_.writestr("empty.txt", "")
    good, damaged, empty = process.parts(path)
    assert (good.raw, damaged.raw, empty.raw) == ("", caught.value.raw, "")


def test_a_stumble_comes_with_its_traceback(
    tmp_path: Path, archive: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(name: str, kind: str, data: bytes, encoding: str, neighbours: object) -> None:
        raise TypeError("no letter \x1b[2J is known")

    monkeypatch.setattr("core.ingest.loaders._read", stumble)
    replies: list[Reply] = []
    file = put(tmp_path, "a.zip", archive({"a.txt": "x"}))
    end = _read(DocumentLoader(), (file, None), {}, frozenset(), replies.append)
    assert isinstance(end, Ended)
    (part,) = [reply.part for reply in replies if isinstance(reply, Read)]
    assert "(TypeError)" in part.reason
    assert part.raw.startswith("Traceback") and "in stumble" in part.raw


def test_a_crash_costs_one_file_and_the_person_may_stop_it(tmp_path: Path, worker: Callable[[], int]) -> None:
    slow, quick = put(tmp_path, "slow.html", SLOW), put(tmp_path, "quick.txt", b"Words.")
    killed: list[int] = []
    crashing = stopping = False

    def check() -> None:
        """End each process that reads the slow file, as a native parser would; or stop once it computes."""
        if crashing and (pid := worker()) and pid not in killed:
            os.kill(pid, signal.SIGSEGV)
            killed.append(pid)
        if stopping and cpu_seconds(worker()) > 0.3:
            raise Cancelled

    with ReadingProcess(check=check) as process:
        process.parts(quick)
        crashing = True
        assert "(SIGSEGV)" in reason(process, slow)
        assert len(killed) == 2  # once more in a fresh process, for the first one had read other files
        crashing = False
        assert process.parts(quick)[0].document is not None
        pid, stopping = worker(), True
        with pytest.raises(Cancelled):
            process.parts(slow)
        wait_until(lambda: not alive(pid))


def test_it_ends_with_its_parent_and_not_by_ctrl_c(tmp_path: Path) -> None:
    slow = put(tmp_path, "slow.html", SLOW * 24)
    program = tmp_path / "parent.py"
    program.write_text(
        "import sys\nfrom pathlib import Path\n"
        "from core.ingest.reading_process import ReadingProcess\n"
        "if __name__ == '__main__':\n"
        "    told = []\n"
        "    def tell():\n"
        "        if not told:\n"
        "            told.append(process._worker._process.pid)\n"
        "            print(*told, flush=True)\n"
        "    process = ReadingProcess(check=tell)\n"
        "    process.parts(Path(sys.argv[1]))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(program), str(slow)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PYTHONPATH": "."},
        text=True,
    )
    assert parent.stdout is not None
    with parent.stdout:
        pid = int(parent.stdout.readline())
    wait_until_computed(pid, 3.0)  # until what it imports has made it deaf to Ctrl+C
    os.kill(pid, signal.SIGINT)
    wait_until_computed(pid, 0.3)
    assert alive(pid)
    parent.kill()
    parent.wait()
    wait_until(lambda: not alive(pid))


@pytest.mark.parametrize(("module", "heavy"), [
    ("core.ingest.reading_worker", ("torch", "spacy", "numpy", "transformers", "sqlite3")),
    ("core.ingest.reading_process", ("kreuzberg", "pypdfium2", "numpy", "core.ingest.loaders")),
])  # fmt: skip
def test_nothing_heavy_is_loaded(module: str, heavy: tuple[str, ...]) -> None:
    program = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
