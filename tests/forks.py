"""`clew` commands as forks of a process that holds the models: processes in all but their start, which takes longer
than all else that they do. How a command starts for real is for tests of its own.

    python -m tests.forks SOCKET
    python -I -S tests/forks.py SOCKET ARGUMENT...    # one command: its standard streams, exit code and death are ours
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys

STREAMS = (0, 1, 2)


def run(place: str, arguments: list[str]) -> int:
    """Have a command run on our standard streams. Its exit code; dies as it does. It dies when we do."""
    with socket.socket(socket.AF_UNIX) as link:
        link.connect(place)
        socket.send_fds(link, ["\0".join(arguments).encode()], STREAMS)
        code = int(link.recv(16) or b"70")
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


def prepare() -> None:
    """Load the models, and import the rest by a run, so that no fork does so by itself."""
    import gc
    import io
    import tempfile
    from contextlib import nullcontext, redirect_stdout
    from pathlib import Path

    import core.workspace.indexing
    import core.workspace.workspace
    from core.answering.models import Models
    from core.cli import main
    from core.ingest.loaders import DocumentLoader
    from core.progress import TaskContext

    models = Models()
    models.load(TaskContext())
    core.workspace.workspace.Models = lambda: models  # type: ignore[assignment,misc]
    # Another process that reads takes a second to start; that it dies with this one is for tests of its own.
    core.workspace.indexing.ReadingProcess = lambda config, check: nullcontext(DocumentLoader(config))  # type: ignore[assignment,misc]
    with tempfile.TemporaryDirectory() as place, redirect_stdout(io.StringIO()):
        papers = Path(place, "papers")
        papers.mkdir()
        (papers / "a.txt").write_text("Otto Kask commands the Northern Star. Otto Kask lives in Tallinn.")
        assert main(["index", str(papers), "--workspace", str(Path(place, "workspace"))]) == 0
    gc.collect()
    gc.freeze()  # a collection in a fork would write to every page, which the kernel would copy


def serve(place: str) -> None:
    """Fork a command for each that connects, until standard input ends."""
    import select

    prepare()
    running: dict[int, socket.socket] = {}  # by process
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(place)
        door.listen()
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([0, door, *running.values()], [], [], 0.01 if running else None)
            for number, link in list(running.items()):
                if link in ready or 0 in ready:  # whoever asked is dead, for nothing more is ever said
                    os.kill(number, signal.SIGKILL)
                gone, status = os.waitpid(number, os.WNOHANG)
                if gone:
                    with contextlib.suppress(OSError):
                        link.sendall(str(os.waitstatus_to_exitcode(status)).encode())
                    running.pop(number).close()
            if 0 in ready:
                return
            if door in ready:
                link, _ = door.accept()
                running[_forked(link)] = link


def _forked(link: socket.socket) -> int:
    """The process that runs what is asked."""
    import traceback

    from core.cli import main

    told, streams, _, _ = socket.recv_fds(link, 1 << 16, len(STREAMS))
    number = os.fork()
    if number:
        for stream in streams:
            os.close(stream)
        return number
    code = 70
    try:
        for stream, own in zip(streams, STREAMS, strict=True):
            os.dup2(stream, own)
        code = main(told.decode().split("\0"))
    except BaseException:  # noqa: BLE001  whatever it is, the test is told
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        sys.exit(run(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])
