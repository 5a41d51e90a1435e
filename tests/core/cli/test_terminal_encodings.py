"""Every command prints on a terminal of any encoding, whatever documents are called and say, and takes their names."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.progress import TaskContext
from core.workspace import Workspace
from tests.conftest import copied

NO_UTF8 = b"br\xfccke-\xff.txt"
TEXTS = {
    NO_UTF8: "The café “Zum Anker” was opened by Zoë Häußler in Köln in 2003. Zoë Häußler sold it to Łukasz Wójcik.",
    "möwe.txt".encode(): "Das Boot „Möwe“ wurde am 3. März 2019 von Jörg Groß gekauft. Jörg Groß lebt in Kiel.",
    "김.txt".encode(): "김민수는 2019년부터 부산 항만공사에서 일했다.",
    b"plain.txt": "Ada Moe founded Rope Works in 1999. Rope Works hired Bo Lie in 2004.",
}
NAME = os.fsdecode(NO_UTF8)
SHOWN = r"br\xfccke-\xff.txt"
ENCODINGS = ("ascii", "cp1252")
# What is typed ("WS" and "OUT" are replaced), and what is printed if the terminal has its letters.
COMMANDS: dict[str, tuple[list[str], str]] = {
    "documents": (["documents", "WS"], "möwe.txt"),
    "one document": (["documents", "WS", f"path:{NAME}"], SHOWN),
    "its date": (["documents", "WS", NAME, "--set", "date=2003-05-01"], SHOWN),
    "ask": (["ask", "WS", "Who opened the café “Zum Anker”?"], "Zoë Häußler"),
    "ask within": (["ask", "WS", "Who opened the café?", "--in", NAME], SHOWN),
    "ask for machines": (["ask", "WS", "Who founded Rope Works?", "--json"], "Ada Moe"),
    "names": (["names", "show", "WS", "Zoë Häußler"], "Zoë Häußler"),
    "review": (["review", "list", "WS"], "Rope Works"),
    "status": (["status", "WS"], "documents"),
    "verify": (["verify", "WS"], "ok"),
    "explain": (["ask", "WS", "Who opened the café?", "--explain", NAME, "--no-try"], ""),
    "mark": (["private", "mark", "WS", NAME], "1 document is private"),
    "private": (["private", "list", "WS"], SHOWN),
    "unmark": (["private", "unmark", "WS", NAME], "1 mark is gone"),
    "pins": (["pins", "add", "WS", "Wo lebt Jörg Groß?"], "Pinned"),
    "pinned": (["pins", "list", "WS"], "Jörg Groß"),
    "export": (["export", "WS", "OUT/grüße-\udce9.json"], r"grüße-\xe9.json"),
    "remove": (["remove", "WS", NAME], "Gone"),
    "restore": (["remove", "WS", NAME, "--restore"], ""),
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Path:
    place = tmp_path_factory.mktemp("terminals")
    (place / "papers").mkdir()
    for name, text in TEXTS.items():
        try:
            (place / "papers" / os.fsdecode(name)).write_text(text + "\n", encoding="utf-8")
        except OSError:
            pytest.skip("this file system takes no names of other bytes")
    with Workspace.open(place / "w", create=True, models=models) as opened:
        opened.index(place / "papers", TaskContext(), digest=False)
    return place / "w"


@pytest.mark.long
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_command_prints(
    encoding: str, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands run one after the other on one workspace, as a person's do."""
    workspace = str(copied(indexed, tmp_path / "w"))
    for what, (command, printed) in COMMANDS.items():
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict") for _ in range(2)]
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", streams[0])
            patched.setattr(sys, "stderr", streams[1])
            code = main([part.replace("WS", workspace).replace("OUT", str(tmp_path)) for part in command])
        for stream in streams:
            stream.flush()
        out, err = (stream.buffer.getvalue() for stream in streams)  # type: ignore[attr-defined]
        assert code == 0, (what, err)
        # Of a terminal that says ASCII, click takes it that nobody set it up, and writes UTF-8.
        shown = {printed.encode(each, "backslashreplace") for each in (encoding, "utf-8")}
        assert any(each in out + err for each in shown), (what, out, err)


@pytest.mark.long
@pytest.mark.parametrize(
    "settings",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "cp1252:strict"},
    ],
)
def test_a_process_of_another_locale_prints(settings: dict[str, str], indexed: Path, tmp_path: Path) -> None:
    workspace = copied(indexed, tmp_path / "w")
    run = subprocess.run(
        [sys.executable, "-c", "from core.cli import main; raise SystemExit(main())", "documents", workspace],
        env={**os.environ, **settings},
        capture_output=True,
        check=False,
    )
    assert run.returncode == 0 and b"Traceback" not in run.stderr, run.stderr[-500:]
    assert SHOWN.encode() in run.stdout and len(run.stdout.splitlines()) == len(TEXTS)
