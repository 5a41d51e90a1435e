"""Indexing on a Ray cluster gives the same content as here, whatever is lost on the way.

One run is on real nodes; what a node does is tested in this process (`ray_here`).
"""

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
from tests.core.ingest.ray_here import Deadly, Newer, RayHere, ray_here

__all__ = ["ray_here"]  # a fixture

ROOT = Path(__file__).resolve().parents[3]
FILES = 96  # several batches
# What has Ray's processes listen on this machine alone, and tell nobody about it.
PRIVATE = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Of Ray's processes: their files go elsewhere than the person's."""
    place = Path(tempfile.mkdtemp(prefix="ray-"))  # short: names of its sockets have a limit
    own = {"HOME": str(place), "RAY_TMPDIR": str(place), "RAY_AUTH_MODE": "disabled", "PYTHONPATH": str(ROOT)}
    yield {**os.environ, **own, **PRIVATE}
    shutil.rmtree(place, ignore_errors=True)


def program(*arguments: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )


def content(papers: Path, workspace: Path, models: Models) -> dict[str, str]:
    """Digests by what they are of."""
    with Workspace.open(workspace, models=models, create=not workspace.exists()) as opened:
        if not opened.documents.all():
            opened.index(papers, TaskContext(), digest=False)
        status = opened.status()
    assert (status.documents, status.pending, status.failed) == (FILES, 0, 0)
    return {"documents": status.digest, **status.derived}


def listening(environment: dict[str, str]) -> set[str]:
    """Addresses at which Ray's processes can be reached; IPv4 ones as such."""
    mark = f"RAY_TMPDIR={environment['RAY_TMPDIR']}".encode()
    sockets = set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (place / "environ").read_bytes():
                sockets |= {str(handle.readlink()) for handle in (place / "fd").iterdir()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                words = bytes.fromhex(fields[1].partition(":")[0])
                turned = b"".join(words[at : at + 4][::-1] for at in range(0, len(words), 4))
                address = ipaddress.ip_address(turned)
                found.add(str(getattr(address, "ipv4_mapped", None) or address))
    return found


@pytest.mark.long
def test_two_nodes_one_of_which_is_lost_index_what_this_machine_indexes(
    environment: dict[str, str], models: Models, tmp_path: Path
) -> None:
    papers, workspace = tmp_path / "papers", tmp_path / "workspace"
    papers.mkdir()
    for number in range(FILES):
        text = f"Captain Otto Kask sold vessel number {number} to Ilves Shipping in Tallinn. Ida Roo has {number}."
        (papers / f"sale {number:03}.txt").write_text(text, encoding="utf-8")
    nodes = program(str(Path(__file__).with_name("ray_nodes.py")), environment=environment)
    assert nodes.stdin is not None and nodes.stdout is not None
    address = nodes.stdout.readline().strip()
    command = [
        "index",
        str(papers),
        "--workspace",
        str(workspace),
        "--events",
        "--executor",
        f"ray:{address}",
    ]
    run = program("-m", "app", *command, environment=environment)
    assert run.stdout is not None
    shares: dict[str, int] = {}
    removed = False
    for line in run.stdout:
        event = json.loads(line)
        if event["event"] == "progress" and event["stage"] == "index" and event["done"] > 0:
            shares = {share["node"]: share["done"] for share in event["nodes"]}
            if not removed:  # as a power cut would
                nodes.stdin.write("remove\n")
                nodes.stdin.flush()
                removed = nodes.stdout.readline() == "removed\n"
    assert run.wait(60) == 0 and removed
    assert sum(shares.values()) == FILES and shares.keys() <= {"left", "right"}
    assert listening(environment) == {"127.0.0.1"}
    nodes.stdin.close()
    nodes.wait(60)
    assert content(papers, workspace, models) == content(papers, tmp_path / "here", models)


# ---------------------------------------------------------------- what a node does


@pytest.fixture
def cluster(ray_here: RayHere) -> Iterator[Cluster]:
    with Cluster(ClusterAddress(""), TaskContext()) as found:
        yield found


def passages(*texts: str) -> list[Passage]:
    return [Passage(f"p{n}", "d", n, "Title", text, 0, len(text)) for n, text in enumerate(texts)]


def test_a_passage_that_ends_its_process_costs_itself_alone(cluster: Cluster, ray_here: RayHere) -> None:
    executor = RayExecutor(cluster.passage_pool(PassagePlan(Deadly), Deadly(), None))
    executor.submit(passages("One is well.", "Two is deadly.", "Three is well."))
    for number in range(20):
        executor.submit(passages(f"Batch{number} is well."))
    first = executor.next_result(TaskContext())
    assert [[mention.text for mention in found.mentions] for found in first] == [["One"], [], ["Three"]]
    assert "ended unexpectedly" in first[1].failure
    rest = [executor.next_result(TaskContext())[0].mentions[0].text for _ in range(20)]
    assert rest == [f"Batch{number}" for number in range(20)]
    assert ray_here.most_calls <= JOBS_PER_ACTOR  # the others wait here
    assert sum(share.done for share in executor.shares()) == 22
    executor.close()
    assert ray_here.actors == []


def test_a_node_that_would_give_other_results_is_refused(cluster: Cluster) -> None:
    executor = RayExecutor(cluster.passage_pool(PassagePlan(Newer), Deadly(), None))
    executor.submit(passages("One is well."))
    with pytest.raises(
        CoreError, match=r"left has Clew .*deadly 2.* this machine has Clew .*deadly 1"
    ) as refused:
        executor.next_result(TaskContext())
    assert 'pip install "clew[cluster]"' in refused.value.remedy


def comparable(value: object) -> object:
    """Records as tuples, their arrays as lists."""
    if dataclasses.is_dataclass(value):
        return tuple(comparable(getattr(value, field.name)) for field in dataclasses.fields(value))
    if isinstance(value, tuple | list):
        return [comparable(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


@pytest.mark.long
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


def test_a_cluster_of_its_own_is_private_and_leaves_signals_as_they_were(
    cluster: Cluster, ray_here: RayHere
) -> None:
    handler = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, own := lambda *_: None)
    try:
        cluster.reading_pool(ReadingConfig(), "")
        assert signal.getsignal(signal.SIGTERM) is own
    finally:
        signal.signal(signal.SIGTERM, handler)
    assert ray_here.address == "local"
    assert PRIVATE.items() <= ray_here.environment.items()


# ---------------------------------------------------------------- what cannot be


def test_an_executor_that_cannot_be_used_is_refused_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in ("dask", "ray:ray://gpu.example:10001", "local:1"):
        with pytest.raises(BadInput, match="no executor"):
            parse_executor(words)
    monkeypatch.setattr("core.ingest.cluster.connection.importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelUnavailable) as missing:
        parse_executor("ray")
    assert 'pip install "clew[cluster]"' in missing.value.remedy


def test_another_machine_is_asked_for_first(ray_here: RayHere) -> None:
    cluster = Cluster(ClusterAddress("gpu.example:6379"), TaskContext())
    with pytest.raises(HostNotAllowed, match=r"gpu\.example:6379"):
        cluster.reading_pool(ReadingConfig(), "")
    assert not ray_here.address


@pytest.mark.parametrize("probe", ["exec sleep 600", "exit 1"])
def test_an_address_where_nobody_answers_is_refused_soon(
    probe: str, ray_here: RayHere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray's own check of health waits for long, or fails."""
    (tmp_path / "python").write_text(f"#!/bin/sh\n{probe}\n")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr("core.ingest.cluster.connection.ANSWER_SECONDS", 0.2)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9") as refused:
        Cluster(ClusterAddress("127.0.0.1:9"), TaskContext()).reading_pool(ReadingConfig(), "")
    assert "ray start" in refused.value.remedy and not ray_here.address
