"""Indexing on a real Ray cluster of two nodes on this machine: the same content, whatever is lost on the way."""

from __future__ import annotations

import contextlib
import dataclasses
import ipaddress
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.config import ReadingConfig
from core.errors import BadInput, CoreError, DocumentError, HostNotAllowed, ModelUnavailable
from core.ingest.cluster.connection import Cluster, ClusterAddress, parse_executor
from core.ingest.cluster.executor import RayExecutor, RayLoader
from core.ingest.cluster.nodes import PassagePlan
from core.ingest.cluster.pool import JOBS_PER_ACTOR
from core.ingest.reading_process import ReadingProcess
from core.progress import TaskContext
from core.protocols import Loader
from core.types import Passage
from core.workspace import Workspace
from tests.core.ingest.ray_parts import Deadly, Newer
from tests.processes import alive
from tests.waiting import wait_until

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
NODES = Path(__file__).with_name("ray_nodes.py")
FILES = 96  # five batches
Event = dict[str, object]


@pytest.fixture(scope="module")
def environment() -> Iterator[dict[str, str]]:
    """Of Ray's processes: their files elsewhere than the person's, no word to anybody, this machine alone."""
    place = Path(tempfile.mkdtemp(prefix="ray-"))  # short: names of its sockets have a limit
    yield {
        **os.environ,
        "HOME": str(place),
        "RAY_TMPDIR": str(place),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        "RAY_AUTH_MODE": "disabled",
        "PYTHONPATH": str(ROOT),
    }
    shutil.rmtree(place, ignore_errors=True)


class Nodes:
    """The cluster, with the nodes "left" and "right"."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(NODES)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self.address = self._line()

    def remove(self) -> None:
        """End the node "right" as a power cut would."""
        assert self._process.stdin is not None
        self._process.stdin.write("remove\n")
        self._process.stdin.flush()
        assert self._line() == "removed"

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@pytest.fixture(scope="module")
def nodes(environment: dict[str, str]) -> Iterator[Nodes]:
    found = Nodes(environment)
    yield found
    found.close()


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cluster") / "papers"
    folder.mkdir()
    for number in range(FILES):
        text = f"Captain Otto Kask sold vessel number {number} to Ilves Shipping in Tallinn. Ida Roo has {number}."
        (folder / f"sale {number:03}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def content_here(papers: Path, models: Models, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What this machine alone makes of the papers."""
    path = tmp_path_factory.mktemp("here") / "workspace"
    with Workspace.open(path, create=True, models=models) as opened:
        opened.index(papers, TaskContext(), digest=False)
    return content(path)


def content(workspace: Path) -> dict[str, str]:
    """Digests by what they are of."""
    with Workspace.open(workspace, read_only=True) as opened:
        status = opened.status()
    assert (status.documents, status.pending, status.failed) == (FILES, 0, 0)
    return {"documents": status.digest, **status.derived}


class Run:
    """`clew index --executor`, followed by its events."""

    def __init__(self, papers: Path, workspace: Path, executor: str, environment: dict[str, str]) -> None:
        command = ["index", str(papers), "--workspace", str(workspace), "--events", "--executor", executor]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "app", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.events: list[Event] = []

    def until(self, event: str, stage: str = "") -> Event:
        """The next of that name and stage; of progress one that something is done in."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = json.loads(line)
            self.events.append(found)
            if found["event"] == event and (not stage or (found["stage"] == stage and found["done"] > 0)):
                return self.events[-1]
        raise AssertionError(f"no {event} in {self.events[-3:]}")

    def say(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()


def processes(environment: dict[str, str]) -> list[Path]:
    """Those of this test's clusters, as places in /proc."""
    mark = f"RAY_TMPDIR={environment['RAY_TMPDIR']}".encode()
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (place / "environ").read_bytes():
                found.append(place)
    return found


def actors(environment: dict[str, str], kind: str = "PassageActor") -> list[int]:
    """Processes of such actors."""
    found = []
    for place in processes(environment):
        with contextlib.suppress(OSError):
            if (place / "cmdline").read_bytes().startswith(f"ray::{kind}".encode()):
                found.append(int(place.name))
    return found


def listening(environment: dict[str, str]) -> set[str]:
    """Addresses at which they can be reached."""
    sockets = set()
    for place in processes(environment):
        with contextlib.suppress(OSError):
            sockets |= {str(handle.readlink()) for handle in (place / "fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                words = bytes.fromhex(fields[1].partition(":")[0])
                turned = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
                found.add(str(ipaddress.ip_address(turned)))
    return found


def comparable(value: object) -> object:
    """Records as tuples, their arrays as lists."""
    if dataclasses.is_dataclass(value):
        return tuple(comparable(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, tuple | list):
        return [comparable(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def passages(*texts: str) -> list[Passage]:
    return [Passage(f"p{n}", "d", n, "Title", text, 0, len(text)) for n, text in enumerate(texts)]


# ---------------------------------------------------------------- what a node does, asked from here


@pytest.fixture
def cluster(
    nodes: Nodes, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, socket_enabled: None
) -> Iterator[Cluster]:
    """Connected to from this process."""
    for name in environment:
        if name.startswith("RAY_"):
            monkeypatch.setenv(name, environment[name])
    with Cluster(ClusterAddress(nodes.address), TaskContext()) as found:
        yield found


def test_a_passage_that_ends_its_process_costs_itself_alone(cluster: Cluster) -> None:
    pool = cluster.passage_pool(PassagePlan(Deadly), Deadly(), None)
    executor = RayExecutor(pool)
    executor.submit(passages("One is well.", "Two is deadly.", "Three is well."))
    for number in range(20):
        executor.submit(passages(f"Batch{number} is well."))
    counts = [len(actor.jobs) for actor in pool._actors]
    assert max(counts) <= JOBS_PER_ACTOR  # the others wait here
    first = executor.next_result(TaskContext())
    assert [[mention.text for mention in found.mentions] for found in first] == [["One"], [], ["Three"]]
    assert "ended unexpectedly" in first[1].failure
    rest = [executor.next_result(TaskContext())[0].mentions[0].text for _ in range(20)]
    assert rest == [f"Batch{number}" for number in range(20)]
    executor.close()


def test_a_node_that_would_give_other_results_is_refused(cluster: Cluster) -> None:
    executor = RayExecutor(cluster.passage_pool(PassagePlan(Newer), Deadly(), None))
    executor.submit(passages("One is well."))
    with pytest.raises(CoreError, match=r"has Clew .*deadly 2.* this machine has Clew .*deadly 1") as refused:
        executor.next_result(TaskContext())
    assert 'pip install "clew[cluster]"' in refused.value.remedy
    executor.close()


def test_files_are_read_by_nodes_as_they_are_here(
    cluster: Cluster, sample_folder: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(sample_folder, tmp_path / "papers")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    (folder / "large.txt").write_text("A large file. " * 100_000)
    (folder / "late.txt").write_text("As it was.")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    config, context = ReadingConfig(max_file_mb=1), TaskContext()

    def read(loader: Loader, path: Path) -> object:
        try:
            return comparable(loader.parts(path, folder))
        except DocumentError as error:
            return error.message, error.remedy

    with ReadingProcess(config) as here:
        pool = partial(cluster.reading_pool, config, here.version)
        with RayLoader(here, pool, config, context) as loader:
            loader.expect(files, folder)
            (folder / "late.txt").write_text("As it is now.")
            found = {path.name: read(loader, path) for path in files}
            read_there = sum(share.done for share in loader.shares())
        assert found == {path.name: read(here, path) for path in files}
    assert read_there >= len(files) - 2  # but for the large file, and the one that was written meanwhile
    assert "As it is now." in str(found["late.txt"]) and "limit is 1 MB" in str(found["large.txt"])


# ---------------------------------------------------------------- whole runs


def test_a_driver_an_actor_and_a_node_lost_in_the_middle_cost_nothing(
    nodes: Nodes, papers: Path, content_here: dict[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    killed = Run(papers, tmp_path / "workspace", f"ray:{nodes.address}", environment)
    killed.until("progress", "index")
    left = actors(environment)
    assert len(left) == 2
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait(60)
    wait_until(lambda: not any(map(alive, left)))  # Ray ends the actors of a driver that has gone

    run = Run(papers, tmp_path / "workspace", f"ray:{nodes.address}", environment)
    run.until("progress", "index")
    os.kill(actors(environment)[0], signal.SIGKILL)
    run.until("progress", "index")
    nodes.remove()
    run.until("finished")
    assert run.process.wait(60) == 0
    told = [event for event in run.events if event["event"] == "progress" and event["stage"] == "index"][-1]
    shares = {share["node"]: share["done"] for share in told["nodes"]}  # type: ignore[attr-defined]
    assert sum(shares.values()) == told["total"] and shares.keys() <= {"left", "right"}
    assert content(tmp_path / "workspace") == content_here


def test_a_cluster_of_its_own_listens_to_this_machine_alone(
    papers: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    run = Run(papers, tmp_path / "workspace", "ray", environment)
    run.until("progress", "read")
    assert listening(environment) and listening(environment) <= {
        "127.0.0.1",
        "::ffff:7f00:1",
        "::ffff:127.0.0.1",
    }
    run.say("cancel")
    run.until("cancelled")
    assert run.process.wait(60) == 0
    wait_until(lambda: not actors(environment, "IDLE"))


# ---------------------------------------------------------------- what cannot be


def test_without_ray_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ingest.cluster.connection.importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable, match="not installed") as missing:
        parse_executor("ray")
    assert 'pip install "clew[cluster]"' in missing.value.remedy


@pytest.mark.parametrize("words", ["dask", "ray:ray://gpu.example:10001", "local:1"])
def test_other_executors_are_refused(words: str) -> None:
    with pytest.raises(BadInput, match="no executor"):
        parse_executor(words)


def test_another_machine_is_asked_for_first() -> None:
    cluster = Cluster(ClusterAddress("gpu.example:6379"), TaskContext())
    with pytest.raises(HostNotAllowed, match=r"gpu\.example:6379"):
        cluster.reading_pool(ReadingConfig(), "")


def test_an_address_where_nobody_answers_is_told_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.ingest.cluster.connection.ANSWER_SECONDS", 3.0)
    cluster = Cluster(ClusterAddress("127.0.0.1:9"), TaskContext())
    with pytest.raises(ModelUnavailable, match="No Ray cluster answers"):
        cluster.reading_pool(ReadingConfig(), "")
