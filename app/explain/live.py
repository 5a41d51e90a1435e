"""The last question laid open to be ranked again: as configured, and while dials move; the latest wish wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.answers.wording import GLOBAL
from app.session.session import Session
from app.session.tasks import Lane
from app.session.warming import warm
from core.config import Config
from core.errors import CoreError
from core.progress import TaskContext
from core.types import Answer, Attributed, Ranking, RankingRecord, Scope

if TYPE_CHECKING:
    from core.workspace import Workspace
    from core.workspace.ranking_session import WorkspaceRankingSession


def asked_of(answer: Answer) -> tuple[str, str]:
    """Question and route, "auto" where Clew chose it."""
    trace = answer.trace
    done = next((done for done in reversed(trace.rounds) if done.answer == answer.text), None)
    if trace.route.forced or trace.route.name == GLOBAL:
        return (done.question if done else trace.question), trace.route.name
    if done is None or done.number == 1:
        return trace.question, "auto"
    return done.question, done.route if done.route == "graph" else "auto"


_REST = 250  # ms without a move before it is computed to the end


@dataclass(frozen=True, slots=True, eq=False)
class Baseline:
    """A question with its ranking as configured."""

    session: WorkspaceRankingSession
    config: Config
    ranking: Ranking
    titles: Mapping[str, str] = field(default_factory=dict)


class LiveRanking(QObject):
    """Signals: opened() when a question was laid open, refused(CoreError) when it could not be; ranked() with each
    ranking; attributed(Attributed | None); stepped(list of heat by step); seed_heat(heat of one seed);
    explained((RankingRecord | None of each passage, titles by id))."""

    opened = Signal()
    refused = Signal(object)
    ranked = Signal()
    attributed = Signal(object)
    stepped = Signal(object)
    seed_heat = Signal(object)
    explained = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.answer: Answer | None = None  # whose question it is
        self.error: CoreError | None = None  # why it could not be laid open
        self.baseline: Baseline | None = None
        self.now: Ranking | None = None
        self.config = Config()  # that is tried
        self.titles: dict[str, str] = {}
        self._wanted: tuple[Config, bool] | None = None
        self._rest = QTimer(self, interval=_REST, singleShot=True)
        self._rest.timeout.connect(self.finish)

    @property
    def tried(self) -> bool:
        """Return whether what is shown is by other settings than configured."""
        return self.baseline is not None and self.config != self.baseline.config

    def forget(self) -> None:
        for group in ("question", "rank", "attribute", "steps", "seed", "explain"):
            self._tasks.drop(group)
        self._rest.stop()
        self.answer = self.error = self.baseline = self.now = self._wanted = None

    def open_question(self, answer: Answer, again: bool = False) -> None:
        """The question of an answer, along its route; once, unless it is to be done `again`."""
        workspace = self._session.workspace
        stale = (
            self.baseline is not None and workspace is not None and self.baseline.config != workspace.config
        )
        if workspace is None or (answer is self.answer and not (again or stale)):
            return
        self.forget()
        self.answer = answer
        question, route = asked_of(answer)
        scope = answer.trace.scope

        def work(context: TaskContext) -> Baseline:
            return _open_baseline(workspace, question, route, scope, context)

        self._tasks.start("question", work, self._on_opened, failed=self._on_refused, lane=Lane.MODEL)

    def _on_refused(self, error: CoreError) -> None:
        self.error = error
        self.refused.emit(error)

    def _on_opened(self, baseline: Baseline) -> None:
        self.baseline, self.now, self.config = baseline, baseline.ranking, baseline.config
        self.titles = dict(baseline.titles)
        self.opened.emit()
        self.ranked.emit()

    def try_config(self, config: Config) -> None:
        """Rank by it, quickly; to the end when no other comes for a moment."""
        self.config = config
        self._want(exact=False)
        self._rest.start()

    def finish(self) -> None:
        """Rank to the end now."""
        self._rest.stop()
        under_way = self._wanted is not None or self._tasks.busy("rank")
        if self.now is not None and (under_way or not self.now.exact):
            self._want(exact=True)

    def _want(self, exact: bool) -> None:
        self._wanted = (self.config, exact)
        if not self._tasks.busy("rank"):
            self._go()

    def _go(self) -> None:
        if self._wanted is None or self.baseline is None or self.now is None:
            return
        (config, exact), self._wanted = self._wanted, None
        session, after, known = self.baseline.session, None if exact else self.now, self.titles

        def work(context: TaskContext) -> tuple[Ranking, dict[str, str]]:
            found = session.rank(context, config, after)
            missing = [hit.passage_id for hit in found.hits if hit.passage_id not in known]
            return found, session.titles(missing) if missing else {}

        self._tasks.start("rank", work, self._on_ranked, ended=self._go)

    def _on_ranked(self, found: tuple[Ranking, dict[str, str]]) -> None:
        self.now, titles = found
        self.titles |= titles
        self.ranked.emit()

    def explain(self, passage_ids: Sequence[str]) -> None:
        """Why these passages stand where they stand as configured."""
        if self.baseline is None:
            return
        baseline = self.baseline

        def work(context: TaskContext) -> tuple[list[RankingRecord | None], dict[str, str]]:
            why = baseline.session.explain_rank
            found = [why(baseline.ranking, id, context, baseline.config) for id in passage_ids]
            return found, baseline.session.titles(passage_ids)

        self._tasks.start("explain", work, self.explained.emit)

    # ------------------------------------------------------------ where the mass comes from

    def attribute(self, id: str) -> None:
        """Which seed gave how much to a passage or entity."""
        if self.baseline is None or self.now is None:
            return
        session, now, config = self.baseline.session, self.now, self.config

        def work(context: TaskContext) -> Attributed | None:
            return session.attributed(now, id, context, config)

        self._tasks.start("attribute", work, self.attributed.emit)

    def show_seed(self, entity_id: str | None) -> None:
        """Show the heat of one seed alone, "" for that of all passages; None for no longer."""
        self._tasks.drop("seed")
        if self.baseline is None or self.now is None or entity_id is None:
            return
        session, now, config = self.baseline.session, self.now, self.config
        self._tasks.start("seed", lambda c: session.heat_from(now, entity_id, c, config), self.seed_heat.emit)

    def read_steps(self) -> None:
        """The heat after each step of the walk."""
        if self.baseline is None or self.now is None:
            return
        session, now, config = self.baseline.session, self.now, self.config
        self._tasks.start("steps", lambda c: list(session.steps(now, c, config)), self.stepped.emit)


def _open_baseline(
    workspace: Workspace, question: str, route: str, scope: Scope, context: TaskContext
) -> Baseline:
    warm(workspace, context)
    found, config = (
        workspace.retrieval.open_ranking_session(question, context, route, scope),
        workspace.config,
    )
    ranking = found.rank(context, config)
    return Baseline(found, config, ranking, found.titles([hit.passage_id for hit in ranking.hits]))
