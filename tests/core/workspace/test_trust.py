"""A workspace that came from elsewhere is read and nothing more, before the person says that it is theirs."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli import main
from core.errors import Untrusted
from core.progress import TaskContext
from core.store.schema import FIRST, migrate
from core.workspace import Workspace
from core.workspace.trust import origin_of
from tests.conftest import NAMES, copied, written
from tests.core.workspace.test_bad_workspace import content
from tests.ollama_server import ScriptedServer
from tests.reading_model import reading

MODEL = "ollama:scripted:1b"
QUESTION = "Who commands the Northern Gannet?"


def rewritten(place: Path, **settings: str) -> Path:
    """The workspace with these settings, as somebody with an SQLite shell writes them."""
    with contextlib.closing(sqlite3.connect(place / "clew.db")) as database:
        database.executemany("INSERT OR REPLACE INTO settings VALUES (?, ?)", settings.items())
        database.commit()
    return place


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """What the workspace would have read, and sent."""
    return written(tmp_path / "secrets", {"diary.txt": "Ada Lind owes Jonas Berg a ship."})


@pytest.fixture
def received(names_path: Path, tmp_path: Path, secrets: Path, ollama: ScriptedServer) -> Path:
    """Made by this very person, changed by somebody, and put to another place."""
    ollama.answer = reading
    place = Path(shutil.copytree(names_path, tmp_path / "received"))
    chosen = f"models.host={ollama.url}"
    return rewritten(place, folder=str(secrets), chosen=chosen, extractor=f"{MODEL} 1")


def commands(place: Path, secrets: Path) -> dict[str, list[str]]:
    """Everything that would write to a workspace or ask a model for it."""
    w = str(place)
    return {
        "index": ["index", str(secrets), "-w", w],
        "index by a model": ["index", str(secrets), "-w", w, "--extractor", MODEL],
        "ask": ["ask", w, QUESTION, "--generator", MODEL],
        "reports by a model": ["reports", w, "--generator", MODEL],
        "compare": ["models", "compare", w, "scripted:1b"],
        "retry": ["index", "-w", w, "--retry"],
        "remove": ["remove", w, "a.txt"],
        "restore": ["remove", w, "--restore"],
        "names": ["names", "join", w, "Tobias Renwick", "Ines Holm"],
        "repair": ["verify", w, "--repair"],
        "pin": ["pins", "add", w, QUESTION],
        "run pins": ["pins", "run", w],
        "import pins": ["pins", "import", w, str(secrets / "diary.txt")],
    }


def test_nothing_is_done_or_sent_before_it_is_trusted(
    received: Path, secrets: Path, ollama: ScriptedServer, own_host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The person's own models answer at the server that the workspace names: even there nobody is asked."""
    before = content(received)
    for name, words in commands(received, secrets).items():
        if name == "restore":
            continue  # without a path it lists; with one that was not taken out it says so
        assert main(words) == 1, name
        reported = capsys.readouterr()
        lines = reported.err.strip().splitlines()
        assert len(lines) == 1 and f"clew trust {received}" in lines[0] and not reported.out.strip(), (
            name,
            reported,
        )
    with pytest.raises(Untrusted):
        opened = Workspace.open(received)
        try:
            opened.documents.restore(["a.txt"])
        finally:
            opened.close()
    assert ollama.connections == 0
    assert content(received) == before


@pytest.mark.usefixtures("lent_models")
@pytest.mark.long
def test_it_can_be_read_searched_and_asked(
    received: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    before = content(received)
    assert main(["status", str(received), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["trusted"] is False and found["documents"] == 3
    for words in (
        ["status"],
        ["documents"],
        ["verify"],
        ["status", "--failures"],
        ["remove", "--restore"],
        ["settings"],
    ):
        assert main([words[0], str(received), *words[1:]]) == 0, words
    assert "Not trusted. This workspace is a copy of" in capsys.readouterr().out
    assert main(["ask", str(received), QUESTION]) == 0
    assert "Ines Holm" in capsys.readouterr().out
    opened = Workspace.open(received, exclusive=True)
    try:
        opened.load_models(TaskContext())
        opened.retrieval.prepare_meaning(TaskContext())
        assert opened.search("Northern Gannet") and opened.read_only and not opened.in_use_by
        with pytest.raises(Untrusted):
            opened.watch(received, lambda _: None, TaskContext())
    finally:
        opened.close()
    assert content(received) == before and ollama.connections == 0


@pytest.mark.long
def test_who_trusts_it_sees_what_it_names_and_the_host_is_ones_own(
    received: Path, secrets: Path, ollama: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["trust", str(received)]) == 1  # nobody is there to be asked
    reported = capsys.readouterr()
    for words in (str(secrets), MODEL, "http://127.0.0.1:11434", "is a copy of"):
        assert words in reported.out
    assert "--yes" in reported.err and not origin_of(received).trusted  # type: ignore[union-attr]
    assert main(["trust", str(received), "--yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["trusted"] and found["before"]["folder"] == str(secrets)
    assert main(["trust", str(received)]) == 0 and "trusted before" in capsys.readouterr().out
    index = ["index", str(secrets), "-w", str(received)]
    assert main(index) == 1 and "does not answer at http://127.0.0.1:11434" in capsys.readouterr().err
    assert ollama.connections == 0, "the server that it names is still nobody's"
    assert main([*index, "--extractor", "rules", "--json"]) == 0


def test_a_workspace_created_here_is_ones_own_until_it_is_moved(
    tmp_path: Path, models: Models, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "papers", {"c.txt": NAMES["c.txt"]})
    place, there = tmp_path / "w", tmp_path / "there"
    for _ in range(2):
        opened = Workspace.open(place, create=True, models=models)
        assert opened.trusted and not opened.read_only
        opened.index(folder, TaskContext(), digest=False)
        opened.close()
    (tmp_path / "link").symlink_to(place)
    assert origin_of(tmp_path / "link").trusted  # type: ignore[union-attr]
    place.rename(there)
    moved = origin_of(there)
    assert moved is not None and not moved.trusted
    assert moved.words == f"This workspace was at {place}."
    assert main(["index", str(folder), "-w", str(there)]) == 1
    assert f"is not trusted yet: it was at {place}. Nothing was done." in capsys.readouterr().err
    Workspace.trust(there)
    assert main(["index", str(folder), "-w", str(there)]) == 0
    there.rename(place)
    assert origin_of(place).trusted  # type: ignore[union-attr]


def test_another_person_has_notes_of_their_own(
    names_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert origin_of(names_path).trusted  # type: ignore[union-attr]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "theirs"))
    place = copied(names_path, tmp_path / "shared")
    theirs = origin_of(names_path)
    assert (
        theirs is not None
        and not theirs.trusted
        and theirs.words.startswith("This workspace was made elsewhere")
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "ours"))
    received = shutil.copytree(place, tmp_path / "received")
    for _ in range(40):
        Workspace.trust(place)
    assert origin_of(place).trusted  # type: ignore[union-attr]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "theirs"))
    Workspace.trust(place)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "ours"))
    assert origin_of(place).trusted, "two people who share a workspace do not take it from each other"  # type: ignore[union-attr]
    shutil.copytree(received, place, dirs_exist_ok=True)
    assert not origin_of(place).trusted, "what they had before is not what is trusted here"  # type: ignore[union-attr]


def test_what_it_says_of_itself_is_believed_in_nothing(names_path: Path, tmp_path: Path) -> None:
    place = Path(shutil.copytree(names_path, tmp_path / "w"))
    for id in ("", "x" * 32):
        found = origin_of(rewritten(place, id=id, making="1", trusted="yes", folder="/a\n\x1b[2Jb\u202e"))
        assert found is not None and not found.trusted
        assert found.known_at == "" and found.folder == "/a\ufffd\ufffd[2Jb\ufffd"
    found = origin_of(rewritten(place, extractor="curl:evil 1"))
    assert found is not None and found.extractor == "rules"


def test_a_backup_is_untrusted_where_it_is_opened(
    names_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, target = rewritten(copied(names_path, tmp_path / "own"), id="c" * 32), tmp_path / "backup"
    Workspace.trust(own)
    assert main(["backup", str(own), str(target)]) == 0
    assert f"clew trust {target}" in capsys.readouterr().out
    found = origin_of(target)
    assert found is not None and found.words == f"This workspace is a copy of {own}."


@pytest.mark.long
def test_an_older_one_is_not_brought_up_to_date_before(
    later: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "w"
    place.mkdir()
    with contextlib.closing(sqlite3.connect(place / "clew.db", isolation_level=None)) as database:
        migrate(database, until=FIRST)
    before = content(place)
    for words in (["status", str(place)], ["index", str(tmp_path), "-w", str(place)]):
        assert main(words) == 1
        line = capsys.readouterr().err
        assert "older Clew" in line and f"clew trust {place}" in line
    assert content(place) == before
    assert main(["trust", str(place), "--yes"]) == 0
    assert main(["status", str(place)]) == 0


@pytest.mark.parametrize("killed", ["core.workspace.handle.Store", "core.workspace.handle.end_making"])
def test_whoever_is_killed_while_making_one_finds_it_ones_own(
    killed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Kill(BaseException):
        pass

    def stop(*_: object, **__: object) -> None:
        raise Kill

    with monkeypatch.context() as patch, pytest.raises(Kill):
        patch.setattr(killed, stop)
        Workspace.open(tmp_path / "w", create=True)
    opened = Workspace.open(tmp_path / "w", create=True)
    assert opened.trusted and not opened.read_only
    opened.close()
    assert origin_of(tmp_path / "w").trusted  # type: ignore[union-attr]
