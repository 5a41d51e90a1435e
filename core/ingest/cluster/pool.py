"""Actors of a cluster that work off jobs: what is lost with a process or a node is done by another.

Ray places the actors, starts them anew where their process or node has gone, and carries arguments and results.
What is decided here is which job is given when: few at a time, so that neither this machine nor a node holds
more than it needs, and again where a job came to nothing, so that no job waits for a node that does not return.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

from core.errors import CoreError
from core.ingest.cluster.nodes import NodeReport, Refusal
from core.progress import NodeShare, TaskContext
from core.text.translation import tr

JOBS_PER_ACTOR = 2  # jobs that an actor holds: while one is done the next one is there
DEATHS = 2  # of the process that does it, after which a job is given up
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 600.0  # without a single actor


class Job:
    """Arguments of a call, and what came of it."""

    def __init__(self, arguments: tuple[object, ...], size: int) -> None:
        self.arguments = arguments
        self.size = size  # units of progress
        self.deaths = 0
        self.alone = False  # an actor that holds it holds no other
        self.done = False
        self.result: object = None  # None of a job that is done: it was given up


class _Actor:
    """An actor with the jobs that it holds, the oldest first, by the reference of their result."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.node = ""
        self.ready = False
        self.jobs: dict[Any, Job] = {}


class Pool:
    """Not for several threads at once. `close` ends the actors; what they hold is dropped."""

    def __init__(
        self,
        handles: Sequence[Any],
        check: Callable[[NodeReport], None],
        name_of: Callable[[str], str],
    ) -> None:
        """`check` raises CoreError for an actor that is not to be used; `name_of` names a node by its id."""
        self._actors = [_Actor(handle) for handle in handles]
        self._check = check
        self._name_of = name_of
        self._beginning: dict[Any, _Actor] = {}
        self._waiting: deque[Job] = deque()
        self._done: Counter[str] = Counter()
        self._alone_since = time.monotonic()
        for actor in self._actors:
            self._begin(actor)

    @property
    def room(self) -> int:
        """Jobs that keep all actors busy."""
        return JOBS_PER_ACTOR * len(self._actors) + JOBS_PER_ACTOR

    def shares(self) -> tuple[NodeShare, ...]:
        """What each node has done, in units of the jobs' sizes."""
        return tuple(NodeShare(node, done) for node, done in sorted(self._done.items()))

    def submit(self, *arguments: object, size: int = 1) -> Job:
        job = Job(arguments, size)
        self._waiting.append(job)
        self._give()
        return job

    def wait(self, job: Job, context: TaskContext) -> object:
        """The result, None for a job that ended its process too often. Raises what `check` does, and Cancelled."""
        self._take(0.0)  # though this one may be done: who is free is not to wait
        while not job.done:
            context.check()
            self._take(POLL_SECONDS)
        return job.result

    def close(self) -> None:
        import ray

        for actor in self._actors:
            ray.kill(actor.handle, no_restart=True)
        self._actors, self._beginning = [], {}
        self._waiting.clear()

    def _begin(self, actor: _Actor) -> None:
        """Use the actor once it says that it is ready, which is when Ray has found a place for it."""
        actor.ready = False
        if actor not in self._beginning.values():
            self._beginning[actor.handle.begin.options(max_task_retries=-1).remote()] = actor

    def _give(self) -> None:
        """Jobs to the actors that hold the fewest."""
        ready = [actor for actor in self._actors if actor.ready]
        while self._waiting:
            most = 1 if self._waiting[0].alone else JOBS_PER_ACTOR
            free = [a for a in ready if len(a.jobs) < most and not any(job.alone for job in a.jobs.values())]
            if not free:
                return
            actor = min(free, key=lambda actor: len(actor.jobs))
            job = self._waiting.popleft()
            actor.jobs[actor.handle.work.remote(*job.arguments)] = job

    def _take(self, seconds: float) -> None:
        """Whatever is done, waiting at most so long for the first of it; who is free gets more."""
        import ray

        owners = {reference: actor for actor in self._actors for reference in actor.jobs}
        pending = [*self._beginning, *owners]
        if not pending:
            return
        ray.wait(pending, num_returns=1, timeout=seconds)
        done, _ = ray.wait(pending, num_returns=len(pending), timeout=0)
        for reference in done:
            if reference in self._beginning:
                self._begun(reference)
            elif reference in owners[reference].jobs:
                self._finish(owners[reference], reference)
        self._give()
        if any(actor.ready for actor in self._actors):
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > PATIENCE_SECONDS:
            raise CoreError(
                tr("No node of the cluster has had room for a process of Clew for ten minutes."),
                tr("See what else runs there (ray status), then index again: it goes on where it stopped."),
            )

    def _begun(self, reference: Any) -> None:
        import ray
        from ray.exceptions import RayActorError, RayError

        actor = self._beginning.pop(reference)
        try:
            report = ray.get(reference)
        except RayActorError as error:
            raise CoreError(
                tr("Clew cannot be started on a node of the cluster: {error}", error=_first_line(error)),
                tr('Install the same on every node: pip install "clew[cluster]"'),
            ) from error
        except RayError:  # its node has gone in the middle of it
            self._begin(actor)
            return
        if isinstance(report, Refusal):
            raise CoreError(report.message, report.remedy)
        self._check(report)
        actor.node, actor.ready = self._name_of(report.node), True

    def _finish(self, actor: _Actor, reference: Any) -> None:
        import ray
        from ray.exceptions import RayError, RayTaskError

        try:
            result = ray.get(reference)
        except RayTaskError:
            raise  # a bug of ours, told as one
        except RayError:
            self._lose(actor)
            return
        job = actor.jobs.pop(reference)
        if isinstance(result, Refusal):
            raise CoreError(result.message, result.remedy)
        job.result, job.done = result, True
        self._done[actor.node] += job.size

    def _lose(self, actor: _Actor) -> None:
        """Have what the actor held done by others; of several, which may have ended it or be done, each by itself."""
        jobs = list(actor.jobs.values())
        actor.jobs.clear()
        if len(jobs) == 1:
            jobs[0].deaths += 1
            if jobs[0].deaths >= DEATHS:
                jobs.pop().done = True
        for job in jobs:
            job.alone = True
        self._waiting.extendleft(reversed(jobs))
        self._begin(actor)


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines or [type(error).__name__])[-1]
