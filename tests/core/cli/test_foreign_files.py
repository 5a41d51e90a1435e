"""Whatever file a person names, a command reads it within bounds and refuses it in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.cli import main

CONTENTS = {
    "nested lists": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "a number beyond all": b"1e999",
    "half a character": b'{"question": "\\ud800", "format": "clew-eval 2", "gold": ["\\udfff"]}\n',
    "nothing in its fields": b'{"question": null, "answers": null, "gold": null, "rows": null, "acts": null}',
    "lists for objects": b'{"question": [1], "answers": {"a": 1}, "rows": [1], "acts": [null], "data": [null]}',
    "digits": b'{"format": "clew-lab-1"}\n{"a": ' + b"9" * 50_000 + b"}\n",
    "nothing": b"",
    "no text": b"\x00\xff\xfe",
}
COMMANDS = {
    "a trace": lambda file, _: ["trace", "show", file],
    "two traces": lambda file, _: ["trace", "compare", file, file],
    "a run of the lab": lambda file, _: ["lab", "report", file],
    "reports of eval": lambda file, _: ["research", "eval", "--compare", file, file],
    "questions": lambda file, folder: ["research", "eval", folder, "--questions", file],
    "a reading set": lambda file, _: ["research", "score", "reader", file],
    "Re-DocRED": lambda file, _: ["research", "bench", "extraction", file],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_any_content_is_refused_in_one_line(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name, content in CONTENTS.items():
        file = tmp_path / f"{name}.json"
        file.write_bytes(content)
        assert main(COMMANDS[command](str(file), str(folder))) == 1, name
        complaint = capsys.readouterr().err.strip()
        assert complaint and "\n" not in complaint and len(complaint) < 1_000, name


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file_or_has_no_end_is_not_read(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sparse, pipe = tmp_path / "sparse", tmp_path / "pipe"
    with open(sparse, "wb") as file:
        file.truncate(5_000_000_000)
    os.mkfifo(pipe)
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    for name in ("/dev/zero", str(sparse), str(pipe), str(circle), str(tmp_path)):
        assert main(COMMANDS[command](name, str(tmp_path / "documents"))) == 1, name
        complaint = capsys.readouterr().err.strip()
        assert complaint and "\n" not in complaint, name
