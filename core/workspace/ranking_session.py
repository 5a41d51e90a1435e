"""`workspace.retrieval.open_ranking_session(question)`: its ranking under settings that are being tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.config import Config
from core.progress import TaskContext
from core.store.store import Store
from core.types import Attributed, Ranking, RankingRecord

if TYPE_CHECKING:
    from core.retrieval.ranking_session import RankingSession


class WorkspaceRankingSession:
    """Rankings of one question over what was indexed when it was laid open. Safe from every thread."""

    def __init__(self, opened: RankingSession, store: Store, config: Callable[[], Config]) -> None:
        """`config` tells the settings that hold now."""
        self._opened, self._store, self._config = opened, store, config
        self.question, self.route = opened.question, opened.route

    def rank(
        self, context: TaskContext, config: Config | None = None, after: Ranking | None = None
    ) -> Ranking:
        """By `config`, or as answers are ranked now; with `after`, quickly, going on from that ranking."""
        config = config or self._config()
        return self._opened.rank(config.retrieval, config.routing, context, after)

    def explain_rank(
        self, ranking: Ranking, passage_id: str, context: TaskContext, config: Config | None = None
    ) -> RankingRecord | None:
        """Where a passage stands in a ranking by `config`, and why not higher; None for one that is not there."""
        from core.retrieval.explain_rank import explain_rank

        return explain_rank(self._opened, ranking, passage_id, (config or self._config()).retrieval, context)

    def attributed(
        self, ranking: Ranking, id: str, context: TaskContext, config: Config | None = None
    ) -> Attributed | None:
        """Which seed gave how much to a passage or entity; None for one that is not there."""
        damping = (config or self._config()).retrieval.damping
        found = self._opened.attributed(ranking, damping, id, context)
        if found is None or found.name:
            return found
        return replace(found, name=self.titles([id])[id])

    def heat_from(
        self, ranking: Ranking, entity_id: str, context: TaskContext, config: Config | None = None
    ) -> dict[str, float]:
        """The heat that one seed alone sends out, by entity id; "" is all passages near the question."""
        damping = (config or self._config()).retrieval.damping
        return self._opened.heat_from(ranking, damping, entity_id, context)

    def steps(
        self, ranking: Ranking, context: TaskContext, config: Config | None = None
    ) -> tuple[dict[str, float], ...]:
        """The heat after 0, 1, 2, ... steps of the walk, by entity id."""
        return self._opened.steps(ranking, (config or self._config()).retrieval.damping, context)

    def titles(self, ids: Sequence[str]) -> dict[str, str]:
        """Of passages, by id, with their headings; "" for one that is gone."""
        found = zip(ids, self._store.passages.texts(ids), strict=True)
        return {id: " ".join(title.split()) for id, (title, _) in found}
