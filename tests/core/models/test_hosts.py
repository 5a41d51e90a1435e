"""Where language models answer: the person's own setting, and no connection to another machine before it is allowed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli import main
from core.config import ModelConfig
from core.errors import BadInput, HostNotAllowed
from core.files.personal import write_personal
from core.models.hosts import allow, allowed, forget, host_at, normal, own_host, set_own_host
from core.models.ollama.model import OllamaModel
from core.models.ollama.stream import find, models, version
from core.progress import TaskContext
from core.types import Message, Role
from core.workspace import Workspace
from tests.conftest import written
from tests.ollama_server import ScriptedServer
from tests.reading_model import reading

TEXTS = {"a.txt": "Marta Ilves founded Ilves Shipping in Tallinn. Otto Kask commands the Northern Star.\n"}
QUESTION = [Message(Role.USER, "Who founded Ilves Shipping?")]


@pytest.fixture
def foreign(ollama: ScriptedServer) -> str:
    """The server under an address that does not say it is this machine, though the system leads it here."""
    ollama.answer = reading
    return ollama.url.replace("127.0.0.1", "0.0.0.0")


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("http://127.8.9.1:9/", "http://127.8.9.1:9"),
        ("LOCALHOST:11434/", "http://localhost:11434"),
        ("https://[0:0::0001]/ollama/", "https://[::1]:443/ollama"),
    ],
)
def test_this_machine_is_known_by_its_own_words(address: str, found: str) -> None:
    host = host_at(address)
    assert (host.address, host.here, host.allowed) == (found, True, True)
    assert host.model_label("qwen3") == "qwen3"


@pytest.mark.parametrize(
    "address",
    [
        "gpu.example",
        "http://127.0.0.1.evil.example",
        "http://localhost.",
        "http://0x7f.1",
        "http://0.0.0.0",
        "http://[::ffff:127.0.0.1]",
        "http://10.0.0.1",
    ],
)
def test_whatever_else_it_is_called_it_is_another_machine(address: str) -> None:
    host = host_at(address)
    assert not host.here and not host.allowed
    assert host.model_label("qwen3") == f"qwen3 at {host.place} (not this machine)"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ftp://127.0.0.1",
        "http://127.0.0.1@evil.example",
        "http://evil.example#@127.0.0.1",
        "http://evil.example\\@127.0.0.1",
        "http://127.0.0.1\t.evil.example",
        "http://127.0.0.1%2eevil.example",
        "http://ⅼocalhost",  # a Roman numeral
        "http://a://127.0.0.1",
    ],
)
def test_addresses_that_can_be_read_in_two_ways_are_refused(address: str) -> None:
    with pytest.raises(BadInput, match="no address"):
        normal(address)


def test_nobody_is_asked_before_the_host_is_allowed(ollama: ScriptedServer, foreign: str) -> None:
    config, context = ModelConfig(host=foreign, model=ollama.model, retries=0), TaskContext()
    ollama.answer = lambda _: "Marta Ilves."
    calls = (
        lambda: OllamaModel(config).generate(QUESTION, context),
        lambda: models(config, context),
        lambda: version(config, context),
        lambda: find(config, context),
    )
    for call in calls:
        with pytest.raises(HostNotAllowed, match="not this machine") as refused:
            call()
        assert f"clew models allow {foreign}" in refused.value.remedy
    assert ollama.connections == 0
    allow(foreign)
    for call in calls:
        call()
    assert len(ollama.chats) == 1
    before = ollama.connections
    forget(foreign)
    with pytest.raises(HostNotAllowed):
        OllamaModel(replace(config, token_seconds=7.0)).generate(QUESTION, context)
    assert allowed() == [] and ollama.connections == before


def test_what_is_allowed_is_this_host_at_this_port_by_this_protocol() -> None:
    allow("GPU.example:11434")
    assert host_at("http://gpu.example").address == "http://gpu.example:80"
    permitted = {name for name in ("http", "https") if host_at(f"{name}://gpu.example:11434").allowed}
    assert permitted == {"http"} and not host_at("gpu.example:11435").allowed


@pytest.mark.parametrize("value", [{"host": "http://["}, {"host": 7, "allowed": "x"}, {"allowed": [1, None]}])
def test_damaged_notes_allow_nothing(value: dict[str, object]) -> None:
    write_personal("models", value)
    assert own_host() == "http://127.0.0.1:11434" and allowed() == []


@pytest.mark.long
def test_a_workspace_is_not_believed_about_hosts_and_keeps_none(
    tmp_path: Path, ollama: ScriptedServer, own_host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was made here, and somebody wrote another host into it: an older Clew did so, too."""
    ollama.answer = reading
    folder, place = written(tmp_path / "papers", TEXTS), tmp_path / "w"
    assert main(["index", str(folder), "-w", str(place), "--set", "models.host=http://127.0.0.9:9"]) == 0
    with closing(sqlite3.connect(place / "clew.db")) as database:
        stored = "SELECT value FROM settings WHERE name = 'chosen'"
        assert database.execute(stored).fetchone() == ("",)
        lines = "models.host=http://127.0.0.9:9\nmodels.window=2048"
        database.execute("UPDATE settings SET value = ? WHERE name = 'chosen'", (lines,))
        database.commit()
    opened = Workspace.open(place, read_only=True)
    assert (opened.config.models.host, opened.config.models.window) == (own_host, 2048)
    opened.close()
    again = ["index", str(folder), "-w", str(place), "--extractor", "ollama:scripted:1b"]
    assert main([*again, "--set", "models.parallel=1"]) == 0
    assert len(ollama.chats) == 2
    with closing(sqlite3.connect(place / "clew.db")) as database:
        assert database.execute(stored).fetchone() == ("models.window=2048\nmodels.parallel=1",)
    capsys.readouterr()


@pytest.mark.long
def test_where_texts_go_is_reported_before_they_do(
    tmp_path: Path, ollama: ScriptedServer, foreign: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, place = str(written(tmp_path / "papers", TEXTS)), str(tmp_path / "w")
    index = ["index", folder, "-w", place, "--extractor", "ollama:scripted:1b"]
    assert main(["models", "host", foreign]) == 0
    assert "not this machine. Nothing is sent there before" in capsys.readouterr().out
    for words in (index, ["models", "list"]):
        assert main(words) == 1
        reported = capsys.readouterr().err.strip().splitlines()
        assert len(reported) == 1 and f"clew models allow {foreign}" in reported[0]
    assert ollama.connections == 0
    assert main(["models", "allow", foreign.removeprefix("http://"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"address": foreign, "here": False, "allowed": True}
    named = f"ollama:scripted:1b at {foreign.removeprefix('http://')} (not this machine)"
    ask = ["ask", place, "Who founded Ilves Shipping?", "--generator", "ollama:scripted:1b"]
    reports = ["reports", place, "--generator", "ollama:scripted:1b", "--again"]
    for words in (index, ask, reports, ["models", "check", place, "scripted:1b"]):
        assert main(words) == 0
        assert named in " ".join(capsys.readouterr().err.split()), words
    assert main(["models", "list"]) == 0 and f"at {foreign} (not this machine)" in capsys.readouterr().out
    assert main(["doctor"]) == 0 and f"at {foreign} (not this machine)" in capsys.readouterr().out


def test_the_setting_holds_for_every_workspace_until_it_is_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert set_own_host("127.0.0.1:9").address == own_host() == "http://127.0.0.1:9"
    opened = Workspace.open(tmp_path / "w", create=True)
    assert opened.config.models.host == "http://127.0.0.1:9"
    opened.close()
    one_run = Workspace.open(tmp_path / "w", settings=["models.host=http://127.0.0.1:8"])
    assert one_run.config.models.host == "http://127.0.0.1:8"
    one_run.close()
    assert main(["models", "host"]) == 0 and "127.0.0.1:9" in capsys.readouterr().out
