"""The window indexes and answers without a socket: neither Python nor any library opens one, in any process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
WATCHED = Path(__file__).parent / "watched"
DRIVER = Path(__file__).parent / "window_driver.py"
QUESTION = "Where was Tobias Renwick arrested?"

CONNECT = "import socket; socket.create_connection(('127.0.0.1', 9), timeout=1)"
LOOK_UP = "import socket; socket.getaddrinfo('localhost', 80)"
NATIVE = "import ctypes; print(ctypes.CDLL(None).socket(2, 1, 0))"
IN_A_CHILD = (
    f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {NATIVE!r}]).returncode)"
)
LOCAL = "import socket; a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'"


class Watch:
    """Runs Python under the watch; `requests` is what Python asked for."""

    def __init__(self, folder: Path) -> None:
        self.report = folder / "sockets.txt"

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        places = os.pathsep.join([str(WATCHED), str(ROOT)])
        environment = os.environ | {"CLEW_TEST_SOCKETS": str(self.report), "PYTHONPATH": places}
        # Neither may the watch be eased by what the tests themselves set.
        environment = {name: value for name, value in environment.items() if not name.endswith("_OFFLINE")}
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.report.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    @property
    def requests(self) -> str:
        return self.report.read_text(encoding="utf-8") if self.report.exists() else ""


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path)


@pytest.fixture
def kernel(watch: Watch) -> None:
    if watch.run("-c", "import sitecustomize, sys; sys.exit(not sitecustomize.WATCHED)").returncode:
        pytest.skip("this system's kernel cannot watch system calls")


@pytest.fixture
def papers(sample_folder: Path, tmp_path: Path) -> Path:
    """Enough passages that extraction gets a process of its own."""
    folder = tmp_path / "papers"
    shutil.copytree(sample_folder, folder)
    for number in range(40):
        text = f"Captain Otto Kask sold vessel number {number} to Ilves Shipping in Tallinn.\n"
        (folder / f"sale {number}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(("program", "event"), [(CONNECT, "socket.__new__"), (LOOK_UP, "socket.getaddrinfo")])
def test_what_python_opens_is_noticed(watch: Watch, program: str, event: str) -> None:
    watch.run("-c", program)
    assert event in watch.requests


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("program", [CONNECT, NATIVE, IN_A_CHILD], ids=["python", "native", "in a child"])
def test_what_anything_opens_is_noticed(watch: Watch, program: str) -> None:
    assert watch.run("-c", program).returncode in (-signal.SIGSYS, 256 - signal.SIGSYS)


def test_what_leads_nowhere_is_allowed(watch: Watch) -> None:
    found = watch.run("-c", LOCAL)
    assert (found.returncode, found.stderr, watch.requests) == (0, "", "")


def test_indexing_and_asking_in_the_window_open_no_socket(watch: Watch, papers: Path, tmp_path: Path) -> None:
    found = watch.run(str(DRIVER), str(papers), str(tmp_path / "workspace"), QUESTION)
    assert (found.returncode, watch.requests) == (0, ""), found.stdout + found.stderr
    assert "Funchal" in found.stdout
