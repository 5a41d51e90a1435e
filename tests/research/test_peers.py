"""Other systems on the same questions: the exchange with a driver, its errors, and environments. No pip, no peer."""

from __future__ import annotations

import fcntl
import json
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from core.cli import group
from core.errors import BadInput
from core.lab.figures import summarised
from core.lab.rows import read_run
from core.progress import Cancelled, TaskContext
from core.research.datasets import EvalQuestion
from core.research.peers import environment
from core.research.peers.environment import DRIVERS, PEERS, Peer
from core.research.peers.exchange import (
    DriverSession,
    PeerFault,
    PeerPassage,
    PeerQuestion,
    Ranking,
    run,
    write,
)
from core.research.peers.peer_run import PeerRun, own_passages
from core.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
PASSAGES = (
    PeerPassage("a", "A\nOne ship.", ("ship",), (("ship", "is", "old"),)),
    PeerPassage("b", "B\nTwo\u2028ships.", (), ()),
)
QUESTIONS = (PeerQuestion("q1", "Which ship?", ("ship",)), PeerQuestion("q2", "Who?", ()))
# Ranks passages by their vectors, prints as libraries do, and looks for a network.
DRIVER = """
import json, socket, sys
from handover import Handover
given = Handover()
print("a library that chats")
try:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
except PermissionError:
    pass  # refused before anything is sent: else it would be ConnectionRefusedError
texts = [passage.content for passage in given.passages]
vectors = given.encode(texts)
given.encode(["unknown", "unknown", texts[0]])
given.indexed()
for question in given.questions:
    order = (-(vectors @ given.encode([question.text])[0])).argsort(kind="stable")
    given.ranked(question, [given.passages[row].id for row in order], 0.25)
"""


def unit(at: int) -> NDArray[np.float32]:
    return np.eye(4, dtype=np.float32)[at]


def fake(tmp_path: Path, driver: str) -> Peer:
    (tmp_path / "driver.py").write_text(driver)
    (tmp_path / "pins.txt").write_text(f"fake==1.0\nplace=={tmp_path.name}\n")  # an environment of its own
    return Peer("fake", "fake", 1, "a test", "it is a test", tmp_path / "driver.py", tmp_path / "pins.txt")


def fake_environment(peer: Peer) -> None:
    """Its environment is this process's interpreter."""
    python = environment.interpreter(peer)
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (environment.folder_of(peer) / "clew-whole").touch()


def test_a_driver_reads_what_was_written_and_its_rankings_come_back(tmp_path: Path) -> None:
    peer = fake(tmp_path, DRIVER)
    folder = tmp_path / "exchange"
    folder.mkdir()
    vectors = {"A\nOne ship.": unit(0), PASSAGES[1].content: unit(1), "Which ship?": unit(0), "Who?": unit(1)}
    write(folder, PASSAGES, QUESTIONS, vectors)
    encoded: list[list[str]] = []
    counts: list[int] = []

    def encode(texts: Sequence[str]) -> NDArray[np.float32]:
        encoded.append(list(texts))
        return np.array([unit(3) for _ in texts])

    session = DriverSession(folder, PASSAGES, QUESTIONS, encode, counts.append)
    command = (sys.executable, str(peer.driver), str(folder))
    run(command, folder, session.receive, 60, TaskContext(), {"PYTHONPATH": str(DRIVERS)})
    assert encoded == [["unknown"]], "once, and only what was not handed over"
    assert session.all_ranked() == {"q1": Ranking(("a", "b"), 0.25), "q2": Ranking(("b", "a"), 0.25)}
    assert counts == [1, 2] and session.index_seconds > 0
    assert "a library that chats" in (folder / "said.txt").read_text()
    rows = [json.loads(line) for line in (folder / "passages.jsonl").open()]
    assert [(row["id"], row["content"]) for row in rows] == [(each.id, each.content) for each in PASSAGES]
    assert rows[0]["triples"] == [["ship", "is", "old"]] and rows[0]["entities"] == ["ship"]


GOOD = {"ranked": "q1", "passages": ["a", "b"], "seconds": 0.1}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("no JSON", "not JSON"),
        ("[1]", "not understood"),
        ('{"other": 1}', "not understood"),
        ('{"ranked": 1}', "not understood"),
        (json.dumps(GOOD | {"ranked": "q9"}), "nobody asked"),
        (json.dumps(GOOD | {"passages": ["a", "z"]}), "none of"),
        (json.dumps(GOOD | {"passages": ["a", "a"]}), "twice"),
        (json.dumps(GOOD | {"passages": [["a"]]}), "none of"),
        (json.dumps(GOOD | {"passages": "ab"}), "no list"),
        (json.dumps(GOOD | {"seconds": -1}), "no seconds"),
        (json.dumps(GOOD | {"seconds": float("nan")}), "no seconds"),
        (json.dumps(GOOD | {"seconds": True}), "no seconds"),
        ('{"indexed": "soon"}', "no seconds"),
        ('{"wanted": 2}', "none to read"),
    ],
)
def test_what_a_driver_may_not_say(tmp_path: Path, line: str, words: str) -> None:
    session = DriverSession(
        tmp_path, PASSAGES, QUESTIONS, lambda texts: np.zeros((len(texts), 4)), lambda done: None
    )
    with pytest.raises(PeerFault, match=words):
        session.receive(line)
    assert session.receive(json.dumps(GOOD)) is None
    with pytest.raises(PeerFault, match="1 of 2 questions"):
        session.all_ranked()


@pytest.mark.parametrize("wanted", ["", "{}\n", "3\n", "{\n"])
def test_only_texts_are_encoded(tmp_path: Path, wanted: str) -> None:
    (tmp_path / "wanted.jsonl").write_text(wanted)
    session = DriverSession(
        tmp_path, PASSAGES, QUESTIONS, lambda texts: np.zeros((len(texts), 4)), lambda done: None
    )
    with pytest.raises(PeerFault):
        session.receive('{"wanted": 1}')


# Its child holds a lock for as long as it lives.
ENDLESS = """
import subprocess, sys
child = "import fcntl, sys, time; file = open('lock', 'w'); fcntl.flock(file, 2); "
child += "print('held', flush=True); time.sleep(600)"
subprocess.run([sys.executable, "-c", child])
"""


@pytest.mark.parametrize("how", ["too long", "cancelled", "nonsense"])
def test_it_is_ended_with_its_children(tmp_path: Path, how: str) -> None:
    lines: list[str] = []

    def receive(line: str) -> str | None:
        lines.append(line)
        if how == "nonsense":
            raise PeerFault("nonsense")
        return None

    context = TaskContext(cancelled=lambda: how == "cancelled" and bool(lines))
    seconds = 3.0 if how == "too long" else 60.0
    expected = Cancelled if how == "cancelled" else PeerFault
    with pytest.raises(expected):
        run((sys.executable, "-c", ENDLESS), tmp_path, receive, seconds, context)
    assert lines == ["held"]
    with open(tmp_path / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError if the child lived


def test_a_failing_program_is_reported_by_its_last_words(tmp_path: Path) -> None:
    fails = "import sys; sys.stderr.write('first\\nno such part\\n\\n'); sys.exit(3)"
    with pytest.raises(PeerFault, match="code 3: no such part"):
        run((sys.executable, "-c", fails), tmp_path, lambda line: None, 60, TaskContext())
    with pytest.raises(PeerFault, match="cannot be started"):
        run((str(tmp_path / "none"),), tmp_path, lambda line: None, 60, TaskContext())


def test_an_environment_is_complete_or_absent(tmp_path: Path) -> None:
    peer = fake(tmp_path, DRIVER)
    folder = environment.folder_of(peer)
    succeeds = (
        sys.executable,
        "-c",
        "from pathlib import Path; Path('bin').mkdir(); Path('bin/python').touch()",
    )
    fails = (sys.executable, "-c", "raise SystemExit('no network')")
    with pytest.raises(BadInput, match="no network") as caught:
        environment.make(peer, TaskContext(), [succeeds, fails])
    assert not folder.exists() and "PyPI" in caught.value.remedy
    environment.make(peer, TaskContext(), [succeeds])
    assert environment.is_ready(peer)
    peer.pins.write_text("fake==2.0\n")
    assert not environment.is_ready(peer), "other pins are another environment"


@pytest.mark.parametrize("name", PEERS)
def test_every_part_of_an_environment_is_pinned(name: str) -> None:
    peer = PEERS[name]
    pins = dict(pin.split("==") for pin in peer.pinned())
    assert len(pins) == len(peer.pinned()) and all(pins.values()), "one version of each"
    assert peer.version == pins[peer.package]
    assert "numpy" in pins, "the exchange needs it"
    assert not [pin for pin in pins if pin.startswith(("nvidia", "cuda", "triton", "vllm"))]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    if "torch" in pins:
        assert f"torch=={pins['torch']}" in project["dependencies"], "as Clew's own, which machines have"
    lists = (project["dependencies"], *project["optional-dependencies"].values())
    assert not [wish for each in lists for wish in each if wish.startswith(peer.package)], (
        "never a dependency"
    )
    assert peer.driver.is_file()
    for file in (peer.driver, environment.HANDOVER):
        imported = [line for line in file.read_text().splitlines() if line.startswith(("import ", "from "))]
        assert not [line for line in imported if line.split()[1].split(".")[0] in ("core", "app", "socket")]


@pytest.fixture
def questions(sample_workspace: Workspace) -> list[EvalQuestion]:
    document = next(iter(sample_workspace.documents.all()))
    gold = frozenset((document.path,))
    return [EvalQuestion(f"q{at}", f"Who met Otto {at}?", ("Otto",), gold, "kind") for at in range(2)]


def test_peers_get_the_facts_and_names_of_the_index(sample_workspace: Workspace) -> None:
    stated = {
        (triple.passage_id, fact.subject, fact.predicate, fact.object)
        for entity in sample_workspace.graph.entities()
        for fact in sample_workspace.graph.facts_of(entity.id, 1_000)
        for triple in fact.triples
    }
    passages = own_passages(sample_workspace, TaskContext())
    assert stated == {(each.id, *triple) for each in passages for triple in each.triples} and stated
    for each in passages[:20]:
        text = sample_workspace.passages.get(each.id).text
        assert each.content.endswith(f"\n{text}")
    mentioned = {
        (passage.id, entity.name)
        for entity in sample_workspace.graph.entities()[:20]
        for passage in sample_workspace.passages.of_entity(entity.id, 1_000)
    }
    assert mentioned <= {(each.id, name) for each in passages for name in each.entities} and mentioned


@pytest.mark.long
def test_rows_of_a_peer_join_those_of_compositions(
    sample_workspace: Workspace, questions: list[EvalQuestion], tmp_path: Path
) -> None:
    out, peer = tmp_path / "run.jsonl", fake(tmp_path, DRIVER)
    fake_environment(peer)
    rows = PeerRun(sample_workspace, questions, None, out, TaskContext()).rows(peer, "", 120)
    ids = set(sample_workspace.retrieval.asker().view.corpus.passage_ids)
    dense = [
        [hit.passage_id for hit in sample_workspace.retrieve(each.question, TaskContext(), "dense")[1].hits]
        for each in questions
    ]
    assert [list(row.passages) for row in rows] == dense, "the same vectors, ranked in the same way"
    assert all(set(row.passages) <= ids and len(row.passages) == 10 for row in rows)
    assert all(
        row.seconds == {"all": 0.25} and "recall@5" in row.measures and "f1" in row.measures for row in rows
    )
    assert "it is a test" in rows[0].note
    before = out.read_text()
    again = PeerRun(sample_workspace, questions, None, out, TaskContext()).rows(peer, "", 120)
    assert again == rows and out.read_text() == before, "taken from the file"
    peer.driver.write_text("raise SystemExit('broken')")
    failed = PeerRun(sample_workspace, questions, None, out, TaskContext()).rows(peer, "", 120)
    assert [row.measures for row in failed] == [{}, {}] and "broken" in failed[0].note
    (figures,) = summarised(read_run(out))
    assert figures.figures == {} and "not run" in figures.note


@pytest.mark.long
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = [{"id": id, "title": id.upper(), "text": f"Otto Kask met Eve {id}."} for id in ("one", "two")]
    asked = {"id": "q", "question": "Whom did Otto Kask meet?", "answers": ["Eve one"], "supporting": ["one"]}
    triples = [
        {"id": each["id"], "entities": ["Otto Kask"], "triples": [["Otto Kask", "met", f"Eve {each['id']}"]]}
        for each in corpus
    ]
    for name, rows in (("corpus", corpus), ("questions", [asked]), ("triples", triples)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    checks = 'assert given.passages[0].triples == (("Otto Kask", "met", "Eve one"),)\n'
    checks += 'assert given.questions[0].names == ("Otto Kask",)\n'
    good = fake(tmp_path, DRIVER.replace("texts =", f"{checks}texts =", 1))
    monkeypatch.setattr(environment, "PEERS", {"fake": good})
    words = [
        "research",
        "peers",
        str(tmp_path),
        "--instances",
        "dense",
        "--triples",
        str(tmp_path / "triples.jsonl"),
    ]
    refused = CliRunner().invoke(group, [*words, "--peers", "fake"], input="n\n")
    assert refused.exit_code == 1 and "fetched from PyPI" in refused.stderr and not refused.stdout
    fake_environment(good)
    out = tmp_path / "run.jsonl"
    done = CliRunner().invoke(
        group, [*words, "--peers", "fake,linearrag", "--out", str(out), "--json"], catch_exceptions=False
    )
    found = {each["composition"]: each for each in json.loads(done.stdout)["compositions"]}
    assert list(found) == ["dense", "linearrag", "fake"]
    assert found["fake"]["figures"]["recall@5"] == 1.0 and "no package" in found["linearrag"]["note"]
    output = CliRunner().invoke(group, ["lab", "report", str(out)], catch_exceptions=False).stdout
    assert "fake: a test; 1.0: it is a test" in output
    unknown = CliRunner().invoke(group, [*words, "--peers", "other"])
    assert isinstance(unknown.exception, BadInput)
