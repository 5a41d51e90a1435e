"""No name, text or reply steers the terminal: every command for people, on a folder of hostile names."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.cli import main
from core.cli.output import progress_bar, say, terminal
from core.progress import NodeShare
from core.text.escape_controls import DIRECTIONS
from core.workspace import Workspace
from tests import conftest
from tests.data_makers.hostile_names import FOLDER, STEERING, TURNED

SHOWN_TURNED, SHOWN_STEERING = r"invoice\u202efdp.txt", r"a\x1b]0;owned\x07\x9b31m\nNot read: b\tc&lt;.md"


def steers(out: str) -> list[str]:
    """Lines that hold more than letters."""
    signs = {*map(chr, [*range(32), *range(0x7F, 0xA0), 0x2028, 0x2029]), *DIRECTIONS} - {"\n"}
    return [line for line in out.split("\n") if signs & set(line)]


@pytest.fixture
def copied(hostile_path: Path, tmp_path: Path) -> Path:
    """A copy of the workspace, which may be written; its folder is the one it was made of."""
    return conftest.copied(hostile_path, tmp_path / hostile_path.name)


@pytest.mark.long
@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["status", "WS"], r"papers <i>&\nx"),
        (["documents", "WS"], SHOWN_TURNED),
        (["documents", "WS"], SHOWN_STEERING),
        (["ask", "WS", "Who founded AT&T Trading?", "--route", "dense"], SHOWN_TURNED),
        (["remove", "WS", TURNED, "--dry-run"], "Would go: 1 document with 1 passage"),
        (["verify", "WS"], "ok"),
        (["backup", "WS", "OUT"], r"copy\x1b[31m"),
        (["ask", "WS", "Who?", "--route", "\x1b[31mno"], r"\x1b[31mno"),
        (["remove", "WS", "\x1b]0;gone\x07\u202e"], r"\x1b]0;gone\x07\u202e"),
        (["--\x1b]0;x\x07", "WS"], r"\x1b]0;x\x07"),
    ],
)
def test_every_command_shows_names_as_letters(
    command: list[str], told: str, copied: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    places = {"WS": str(copied), "OUT": str(tmp_path / "copy\x1b[31m")}
    main([places.get(word, word) for word in command])
    out, err = capfd.readouterr()
    assert told in out + err
    assert steers(out + err) == []


def test_a_name_makes_no_line_of_its_own(copied: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["remove", str(copied), STEERING])
    main(["remove", str(copied), "--restore"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == SHOWN_STEERING and not any(line.startswith("Not read") for line in lines)


def test_indexing_tells_what_it_could_not_read(copied: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Workspace.open(copied) as workspace:
        folder = workspace.folder
    assert folder is not None and folder.name == FOLDER
    assert main(["index", str(folder), "--workspace", str(copied)]) == 0
    out, err = capfd.readouterr()
    assert r"Not read: <b>broken<b>&\u202e.pdf" in out and steers(out + err) == []


def test_text_of_documents_keeps_its_directions_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    say("  \u2067שלום\u2069\tone\x1b[31m\ntwo", prose=True)
    assert capsys.readouterr().out == "  \u2067שלום\u2069\tone\\x1b[31m\\ntwo\n"


def test_bars_tell_what_each_node_has_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "120")
    with progress_bar(quiet=False) as context:
        context.report("index", 0, 9)
        context.report("index", 9, 9, "", (NodeShare("left\x07", 3), NodeShare("right", 6)))
    assert r"right 6, left\x07 3" in capsys.readouterr().err


def test_tables_and_bars_show_letters(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table

    table = Table("one\x1b[31m")
    table.add_row("two\x07[bold]\u202e")
    terminal(width=60).print(table)
    with progress_bar(quiet=False) as context:
        context.report("index", 0, 2, "\x1b[31m")
        context.report("estimate", 0, 0, "three\x9b[red]")
    out, err = capsys.readouterr()
    assert r"one\x1b[31m" in out and r"two\x07[bold]\u202e" in out and r"three\x9b[red]" in err
    assert steers(out + err) == []
