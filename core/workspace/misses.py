"""What was missed: the stage that lost a passage, changes tried for real, and what they do to pinned questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.config import Config
from core.progress import TaskContext
from core.text.translation import mark as marked_words
from core.types import EVERYTHING, Miss, MissChange, MissMark, MissPins, MissTrial, Scope
from core.workspace.handle import WorkspaceHandle
from core.workspace.retrieval import RetrievalApi

if TYPE_CHECKING:
    from core.answering.ask import Asker

LONGEST = 120.0  # seconds that the changes of one question may take together
OnTrial = Callable[[MissTrial], None]


class MissesApi:
    """`workspace.misses`. Nothing is changed but by `keep`; safe from every thread."""

    def __init__(
        self,
        opened: WorkspaceHandle,
        retrieval: RetrievalApi,
        config: Callable[[], Config],
        keep: Callable[[tuple[str, ...]], list[str]],
    ) -> None:
        """`config` tells the settings that hold now, `keep` has these hold, too, and tells what was kept before."""
        self._opened = opened
        self._store = opened.store
        self._retrieval = retrieval
        self._config = config
        self._keep = keep

    def why(
        self,
        question: str,
        mark: MissMark,
        context: TaskContext,
        route: str = "auto",
        k: int = 5,
        generator: str = "extractive",
        scope: Scope = EVERYTHING,
    ) -> Miss:
        """Which stage lost what is marked, of the question kept to `scope`.

        Asks the question; raises as `Workspace.ask`, BadInput for no mark.
        """
        from core.answering.misses.missing import why_missed  # slow to import
        from core.text.escape_controls import checked

        if generator.partition(":")[0] != "extractive":
            self._opened.check_trusted()
        wanted = checked(question), mark, context, route, k, generator, scope
        return why_missed(self._store, self._retrieval.asker, self._config(), *wanted)

    def changes(self, miss: Miss) -> list[MissChange]:
        """What may have kept it, the likeliest first; [] where nothing was lost or nothing is known to help."""
        from core.answering.misses.changing import changes

        return changes(miss, self._config())

    def try_change(self, miss: Miss, change: MissChange, context: TaskContext) -> MissTrial:
        """Ask again as if the change were made. Raises Cancelled, Untrusted where a file would be read again."""
        from core.answering.misses.changing import tried

        if change.read_again:
            self._opened.check_trusted()
        asker = self._retrieval.asker() if change.read_again else self._asker_with(change)
        return tried(miss, change, asker, self._store, self._config(), context)

    def try_all(
        self, miss: Miss, context: TaskContext, on_trial: OnTrial | None = None, longest: float = LONGEST
    ) -> list[MissTrial]:
        """All of `changes`, one after the other, until `longest` seconds are over; `on_trial` is told each at once.

        Raises Cancelled.
        """
        begin, found, every = time.perf_counter(), [], self.changes(miss)
        for at, change in enumerate(every):
            context.report(marked_words("changes"), at, len(every))
            if time.perf_counter() - begin > longest:
                break
            found.append(self.try_change(miss, change, context))
            if on_trial is not None:
                on_trial(found[-1])
        context.report(marked_words("changes"), len(every), len(every))
        return found

    def effect_on_pins(self, change: MissChange, context: TaskContext) -> MissPins:
        """Pinned questions asked without the change and with it. Raises BadInput for one that no pin can follow."""
        from core.answering.misses.changing import checked
        from core.answering.misses.missing import effect_on_pins

        checked(change)
        now = self._asker_with(change)
        return effect_on_pins(self._store, self._retrieval.asker(), now, change.route, context)

    def keep(self, change: MissChange) -> list[str]:
        """Have its settings hold for this workspace; what was kept before. Raises as `Workspace.keep_settings`."""
        return self._keep(change.settings)

    def _asker_with(self, change: MissChange) -> Asker:
        from core.answering.misses.changing import asker_with

        asker, over = self._retrieval.asker(), self._retrieval.asker_over
        return asker_with(change, asker, over, self._store, self._config())
