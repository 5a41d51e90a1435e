"""`clew ask` where what listens at the host is no Ollama, or never answers: told before anything is searched."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from core.answering.ask import Asker
from core.answering.models import Models
from core.cli import main
from core.models.ollama import stream
from core.progress import TaskContext
from core.workspace import Workspace
from tests.conftest import written
from tests.ollama_server import Fault, ScriptedServer

QUESTION = "Who commands the Northern Star?"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html>what??\n"
BINARY = bytes(range(256)) * 50
Serve = Callable[[bytes | None], str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    folder = written(
        tmp_path_factory.mktemp("servers") / "papers", {"star.txt": "Otto Kask commands the Northern Star."}
    )
    with Workspace.open(folder.parent / "workspace", create=True, models=models) as opened:
        opened.index(folder, TaskContext(), digest=False)
    return folder.parent / "workspace"


@pytest.fixture
def serve(socket_enabled: None) -> Iterator[Serve]:
    """The address of what says these bytes to everybody who calls; None: it takes calls and says nothing."""
    with ExitStack() as open_sockets:

        def answer(listener: socket.socket, reply: bytes | None) -> None:
            while True:
                try:
                    caller, _ = listener.accept()
                except OSError:
                    return
                open_sockets.enter_context(caller)
                if reply is not None:
                    caller.recv(4_096)
                    caller.sendall(reply)
                    caller.shutdown(socket.SHUT_WR)

        def begin(reply: bytes | None) -> str:
            listener = open_sockets.enter_context(socket.create_server(("127.0.0.1", 0)))
            open_sockets.callback(listener.shutdown, socket.SHUT_RDWR)
            threading.Thread(target=answer, args=(listener, reply), daemon=True).start()
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        yield begin


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Questions for which something was searched."""
    found: list[object] = []
    ask = Asker.ask
    monkeypatch.setattr(Asker, "ask", lambda *given, **how: (found.append(given[1]), ask(*given, **how))[1])
    return found


def asked(place: Path, host: str, model: str = "x") -> int:
    words = ["ask", str(place), QUESTION, "--generator", f"ollama:{model}", "--set", f"models.host={host}"]
    return main(words)


@pytest.mark.parametrize("reply", [HTML, BINARY])
def test_what_is_no_ollama_is_told_before_anything_is_searched(
    place: Path, serve: Serve, searched: list[object], capsys: pytest.CaptureFixture[str], reply: bytes
) -> None:
    assert asked(place, host := serve(reply)) == 1
    told = capsys.readouterr()
    assert f"{host} answers, but not as Ollama does" in told.err
    assert not any(word in told.err for word in ("Expecting value", "illegal", "bytearray", "line 1"))
    assert not searched and not told.out


def test_a_server_that_never_answers_is_told_soon(
    place: Path,
    serve: Serve,
    searched: list[object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert stream.QUICK < 10
    monkeypatch.setattr(stream, "QUICK", 0.5)
    assert asked(place, host := serve(None)) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith(f"Waiting for x at {host}")
    assert f"Ollama at {host} did not answer within 0.5 s." in told[-1]
    assert not searched


def test_a_server_that_answers_may_take_its_time_for_the_first_word(
    place: Path, ollama: ScriptedServer, searched: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    """The quick calls do not stand for the long one."""
    ollama.say(Fault.HANG)
    words = ["ask", str(place), QUESTION, "--generator", f"ollama:{ollama.model}"]
    limits = ("models.first_token_seconds=0.3", f"models.host={ollama.url}")
    assert main([*words, *(part for each in limits for part in ("--set", each))]) == 0
    assert f"{ollama.model} did not begin to answer in time; these are quotes." in capsys.readouterr().out
    assert searched == [QUESTION]
