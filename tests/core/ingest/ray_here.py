"""Ray's calls as far as Clew uses them, answered in this process: actors die and report as a test wants."""

from __future__ import annotations

import itertools
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from core.progress import TaskContext
from core.types import ExtractedMention, Extraction, Passage


class Killed(BaseException):
    """Ends the process of an actor, as a signal would."""


class Deadly:
    """Extracts a passage's first word, and dies of passages that say so."""

    name = "deadly"
    version = "1"

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        for passage in passages:
            if "deadly" in passage.text:
                raise Killed
            word = passage.text.partition(" ")[0]
            yield Extraction((ExtractedMention(word, "NOUN", 0, len(word)),), ())


class Newer(Deadly):
    version = "2"


class RayError(Exception):
    """What comes of a call whose process or node has gone."""


class RayTaskError(RayError):
    pass


class RayActorError(RayError):
    pass


class _Actor:
    """Does one call after the other; all that wait are lost when one ends its process, and it starts again."""

    def __init__(self, ray: RayHere, kind: type, arguments: tuple[object, ...]) -> None:
        self._ray, self._kind, self._arguments = ray, kind, arguments
        self._instance = kind(*arguments)
        self.calls: dict[int, tuple[str, tuple[object, ...]]] = {}
        self.work = SimpleNamespace(remote=lambda *arguments: self.call("work", arguments))
        begin = SimpleNamespace(remote=lambda: self.call("begin", ()))
        self.begin = SimpleNamespace(options=lambda **options: begin)

    def call(self, name: str, arguments: tuple[object, ...]) -> int:
        reference = next(self._ray.numbers)
        self.calls[reference] = name, arguments
        self._ray.most_calls = max(self._ray.most_calls, len(self.calls))
        return reference

    def step(self) -> None:
        if not self.calls:
            return
        reference, (name, arguments) = next(iter(self.calls.items()))
        try:
            self._ray.results[reference] = getattr(self._instance, name)(*arguments)
            del self.calls[reference]
        except Killed:
            self._ray.results |= {lost: RayActorError() for lost in self.calls}
            self.calls.clear()
            self._instance = self._kind(*self._arguments)


class RayHere(ModuleType):
    """The module `ray`, with two nodes of one processor each."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.exceptions = ModuleType("ray.exceptions")
        self.exceptions.__dict__.update(
            RayError=RayError, RayTaskError=RayTaskError, RayActorError=RayActorError
        )
        self._private = SimpleNamespace(worker=SimpleNamespace())
        self.numbers = itertools.count()
        self.actors: list[_Actor] = []
        self.results: dict[int, object] = {}
        self.most_calls = 0  # that an actor had at once
        self.environment: dict[str, str] = {}  # in which it was started
        self.address = ""

    def init(self, address: str, **options: object) -> None:
        self.address, self.environment = address, dict(os.environ)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # as Ray does

    def shutdown(self) -> None:
        self.address = ""

    def remote(self, **options: object) -> Any:
        def actor_class(kind: type) -> Any:
            return SimpleNamespace(remote=lambda *arguments: self._start(kind, arguments))

        return actor_class

    def _start(self, kind: type, arguments: tuple[object, ...]) -> _Actor:
        self.actors.append(_Actor(self, kind, arguments))
        return self.actors[-1]

    def wait(
        self, references: Sequence[int], num_returns: int, timeout: float
    ) -> tuple[list[int], list[int]]:
        if num_returns == 1:
            for actor in self.actors:
                actor.step()
        done = [one for one in references if one in self.results]
        return done, [one for one in references if one not in self.results]

    def get(self, reference: int) -> object:
        found = self.results[reference]
        if isinstance(found, Exception):
            raise found
        return found

    def kill(self, actor: _Actor, no_restart: bool) -> None:
        self.actors.remove(actor)

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def nodes(self) -> list[dict[str, object]]:
        return [{"NodeID": "n1", "Alive": True, "NodeName": "left", "NodeManagerAddress": "127.0.0.1"}]

    def get_runtime_context(self) -> SimpleNamespace:
        return SimpleNamespace(get_node_id=lambda: "n1", gcs_address="127.0.0.1:6379")


@pytest.fixture
def ray_here(monkeypatch: pytest.MonkeyPatch) -> RayHere:
    """In place of the module `ray`, for this test."""
    ray = RayHere()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setitem(sys.modules, "ray.exceptions", ray.exceptions)
    for name in [name for name in os.environ if name.startswith("RAY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")  # what the code under test sets is undone
    monkeypatch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "1")
    return ray
