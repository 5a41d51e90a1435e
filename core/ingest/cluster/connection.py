"""The Ray cluster of a run: one that is started on this machine for it, or one that is there already.

Ray is the person's own part (`pip install "clew[cluster]"`), imported when it is asked for. Its processes talk to
each other by pickle, which is theirs; nothing of it is kept. See docs/cluster.md.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.config import ReadingConfig
from core.errors import BadInput, CoreError, ModelUnavailable
from core.ingest.cluster.nodes import (
    NodeReport,
    PassageActor,
    PassagePlan,
    ReadingActor,
    passage_parts,
    probe_of,
    reading_parts,
)
from core.ingest.cluster.pool import Pool
from core.models.hosts import permitted
from core.progress import TaskContext
from core.protocols import Encoder, Extractor
from core.text.translation import tr

ANSWER_SECONDS = 20.0
OBJECT_BYTES = (
    200_000_000  # shared memory of a cluster that is started here; Ray's own choice is a third of all
)
INSTALL = 'pip install "clew[cluster]"'
_AUTO = "auto"  # Ray's word for the cluster that runs on this machine


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """Where the cluster is: "HOST:PORT", "auto" for one that runs on this machine, "" for one of this run's own."""

    address: str = ""


def parse_executor(words: str) -> ClusterAddress | None:
    """What "ray[:ADDRESS]" says; None for "" and "local", this machine without Ray. Raises BadInput."""
    kind, _, address = words.partition(":")
    if words in ("", "local"):
        return None
    if kind != "ray" or "/" in address:
        raise BadInput(
            tr("There is no executor {words}.", words=repr(words)),
            tr(
                "Choose local, ray, ray:auto or ray:HOST:PORT, where HOST:PORT is what `ray start --head` told."
            ),
        )
    if importlib.util.find_spec("ray") is None:
        raise ModelUnavailable(
            tr("Ray, which works on several machines, is not installed."),
            tr("Run: {install}", install=INSTALL),
        )
    return ClusterAddress(address)


class Cluster:
    """Connected with the first pool that is opened; `close` leaves a cluster that was there as it was."""

    def __init__(self, at: ClusterAddress, context: TaskContext) -> None:
        self._at = at
        self._context = context
        self._connected = False
        self._names: dict[str, str] = {}

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._connected:
            import ray

            ray.shutdown()

    def reading_pool(self, config: ReadingConfig, reader: str) -> Pool:
        """Actors that read files; `reader` is the version of this machine's reader. Raises CoreError, Cancelled."""
        same = _Same(NodeReport("", reading_parts(reader)), self.name_of)
        return self._pool(ReadingActor, (config,), same.check)

    def passage_pool(self, plan: PassagePlan, extractor: Extractor, encoder: Encoder | None) -> Pool:
        """Actors that extract and encode as these two, which are this machine's. Raises CoreError, Cancelled."""
        own = NodeReport("", passage_parts(extractor), probe_of(encoder) if plan.make_encoder else "")
        return self._pool(PassageActor, (plan,), _Same(own, self.name_of).check)

    def name_of(self, node: str) -> str:
        """How people call the node of that id of Ray's; nodes that joined since are learned."""
        if node not in self._names:
            self._names = _names_of(_alive())
        return self._names.get(node, node[:8])

    def _pool(self, actor: type, arguments: tuple[object, ...], check: Callable[[NodeReport], None]) -> Pool:
        import ray

        self._connect()
        resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
        count = max(1, int(resources.get("CPU", 1)))
        # Spread: else all go to one node while it has room.
        remote: Any = ray.remote(num_cpus=1, max_restarts=-1, scheduling_strategy="SPREAD")(actor)
        return Pool([remote.remote(*arguments) for _ in range(count)], check, self.name_of)

    def _connect(self) -> None:
        if self._connected:
            return
        quiet = {"log_to_driver": False, "configure_logging": False, "include_dashboard": None}
        address = self._at.address
        if address:
            if address != _AUTO:
                permitted(address)  # before a connection is opened
            _prepare(here=False)
            _check_answers(address, self._context)
            _start(address, {**quiet})
        else:
            _prepare(here=True)
            _start("local", {**quiet, "include_dashboard": False, "object_store_memory": OBJECT_BYTES})
        self._connected = True
        if address:
            self._report_nodes()

    def _report_nodes(self) -> None:
        """Say where texts will go. Raises HostNotAllowed before any does."""
        import ray

        at = permitted(str(ray.get_runtime_context().gcs_address)).partition("://")[2]
        names = ", ".join(sorted(_names_of(_alive()).values()))
        words = tr("Texts are sent to the Ray cluster at {at}: {names}.", at=at, names=names)
        self._context.report("estimate", 1, 1, words)


@dataclass(frozen=True, slots=True)
class _Same:
    """Holds every node to what this machine would do."""

    own: NodeReport
    name_of: Callable[[str], str]

    def check(self, report: NodeReport) -> None:
        """Raises CoreError where a node would give other results."""
        if report.parts != self.own.parts:
            raise CoreError(
                tr(
                    "The node {node} has {theirs}; this machine has {own}.",
                    node=self.name_of(report.node),
                    theirs=report.parts,
                    own=self.own.parts,
                ),
                tr("Install the same on every node: {install}", install=INSTALL),
            )
        if report.probe != self.own.probe:
            raise CoreError(
                tr(
                    "The processor of the node {node} does not make vectors that are to the bit those of this machine.",
                    node=self.name_of(report.node),
                ),
                tr("Use nodes of one kind, this machine among them, or leave that node out of the cluster."),
            )


def _prepare(here: bool) -> None:
    """What Ray reads from the environment when it is imported."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if here:
        # Its name tells of other systems; what it does is to have every process of Ray listen on 127.0.0.1 alone.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    logging.getLogger("ray").setLevel(logging.ERROR)


def _check_answers(address: str, context: TaskContext) -> None:
    """Raises CoreError unless a cluster answers there soon. By a process: Ray itself tries for minutes, deaf to all."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check"]
    if address != _AUTO:
        command += ["--address", address]
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as probe:
        try:
            while probe.poll() is None and time.monotonic() - begin < ANSWER_SECONDS:
                context.check()
                time.sleep(0.05)
        finally:
            probe.kill()
        errors = [line for line in probe.communicate()[1].splitlines() if line.strip()]
    if probe.returncode != 0:
        at = tr("on this machine") if address == _AUTO else tr("at {address}", address=address)
        why = f" ({errors[-1].strip().partition('. ')[0]})" if errors and probe.returncode > 0 else ""
        raise ModelUnavailable(
            tr("No Ray cluster answers {at}{why}.", at=at, why=why),
            tr("Start one there (ray start --head), or leave the address out. See docs/cluster.md."),
        )


def _start(address: str, options: dict[str, Any]) -> None:
    import ray

    with _own_signals():
        try:
            ray.init(address=address, **options)
            # Whatever log_to_driver says, it would print of lost workers among the lines of JSON.
            ray._private.worker._worker_logs_enabled = False
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise ModelUnavailable(
                tr("Ray cannot be used: {error}", error=str(error).partition("\n")[0]),
                tr("This machine must be one of the cluster's nodes. See docs/cluster.md."),
            ) from error


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Ray sets handlers of its own, under which a run could not be stopped in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _alive() -> list[dict[str, Any]]:
    import ray

    nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
    return [node for node in nodes if node["Alive"]]


def _names_of(nodes: Sequence[dict[str, Any]]) -> dict[str, str]:
    """By id: the name that the node was given, else its host's; with the begin of the id where two share it."""
    names = {
        node["NodeID"]: node["NodeManagerHostname"]
        if node["NodeName"] == node["NodeManagerAddress"]
        else node["NodeName"]
        for node in nodes
    }
    shared = Counter(names.values())
    return {node: name if shared[name] == 1 else f"{name} ({node[:4]})" for node, name in names.items()}
