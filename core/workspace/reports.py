"""The reports of a workspace's communities."""

from __future__ import annotations

from collections.abc import Callable, Collection

from core.answering.reports.writing import write_reports
from core.errors import BadInput
from core.ingest.classify_texts import note_forms
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.text.translation import mark, tr
from core.types import CommunityReport, Written
from core.workspace.handle import WorkspaceHandle
from core.workspace.view_rows import community_report

RULES = "extractive"  # who writes without a language model, as `clew ask` calls it


class ReportsApi:
    """`workspace.reports`. Reading is safe from every thread."""

    def __init__(self, opened: WorkspaceHandle, language_model: Callable[[str], LanguageModel]) -> None:
        """`language_model` gives the one called "ollama:MODEL", or raises BadInput."""
        self._store = opened.store
        self._writing = opened.writing
        self._language_model = language_model

    def get(self, community_id: int) -> CommunityReport:
        """The report of a community. Raises BadInput when the community is gone or has none yet."""
        return community_report(self._store, community_id)

    def write(
        self,
        context: TaskContext,
        generator: str = RULES,
        *,
        level: int | None = None,
        again: bool = False,
        only: Collection[int] | None = None,
    ) -> Written:
        """Reports of the communities, of one level or `only` these: those that are wanting, or `again` all.

        `generator` is "extractive", the rules, or "ollama:MODEL"; without a model what one wrote stays as long
        as it holds. Raises BadInput for what there is none of, WorkspaceError while another process writes,
        Cancelled, ModelUnavailable and ModelFault with what was written kept.
        """
        levels = self._store.communities.levels()
        if level is not None and not 1 <= level <= levels:
            raise BadInput(
                tr("This workspace has no communities of level {level}.", level=level),
                tr("There are levels 1 to {last}.", last=levels)
                if levels
                else tr("There are no communities yet."),
            )
        model = None if generator == RULES else self._language_model(generator)
        with self._writing(mark("given its reports")):
            note_forms(self._store, context)
            return write_reports(self._store, context, level=level, model=model, again=again, only=only)
