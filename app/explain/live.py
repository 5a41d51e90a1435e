"""The last question laid open to be ranked again: as configured, and while dials move; the latest wish wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.answers.asked import asked_of
from app.session.session import Session
from app.session.tasks import Lane
from app.session.warming import warm
from core.config import Config
from core.errors import CoreError
from core.progress import TaskContext
from core.types import Answer, Attributed, Ranking, Scope, Standing

if TYPE_CHECKING:
    from core.workspace import Workspace
    from core.workspace.dials import LaidOpenQuestion

_REST = 250  # ms without a move before it is computed to the end


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A question with its ranking as configured."""

    question: LaidOpenQuestion
    config: Config
    ranking: Ranking
    titles: Mapping[str, str] = field(default_factory=dict)


class LiveRanking(QObject):
    """Signals: opened() when a question was laid open, refused(CoreError) when it could not be; ranked() with each
    ranking; attributed(Attributed | None); stepped(list of heat by step); seed_heat(heat of one seed);
    explained((Standing | None of each passage, titles by id))."""

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
        self.laid: Laid | None = None
        self.now: Ranking | None = None
        self.config = Config()  # that is tried
        self.titles: dict[str, str] = {}
        self._wanted: tuple[Config, bool] | None = None
        self._rest = QTimer(self, interval=_REST, singleShot=True)
        self._rest.timeout.connect(self.finish)

    @property
    def tried(self) -> bool:
        """Whether what is shown is by other settings than configured."""
        return self.laid is not None and self.config != self.laid.config

    def forget(self) -> None:
        for group in ("question", "rank", "attribute", "steps", "seed", "explain"):
            self._tasks.drop(group)
        self._rest.stop()
        self.answer = self.error = self.laid = self.now = self._wanted = None

    def lay_open(self, answer: Answer, again: bool = False) -> None:
        """The question of an answer, along its route; once, unless it is to be done `again`."""
        workspace = self._session.workspace
        stale = self.laid is not None and workspace is not None and self.laid.config != workspace.config
        if workspace is None or (answer is self.answer and not (again or stale)):
            return
        self.forget()
        self.answer = answer
        question, route = asked_of(answer)
        scope = answer.trace.scope

        def work(context: TaskContext) -> Laid:
            return _laid_open(workspace, question, route, scope, context)

        self._tasks.start("question", work, self._on_opened, failed=self._on_refused, lane=Lane.MODEL)

    def _on_refused(self, error: CoreError) -> None:
        self.error = error
        self.refused.emit(error)

    def _on_opened(self, laid: Laid) -> None:
        self.laid, self.now, self.config = laid, laid.ranking, laid.config
        self.titles = dict(laid.titles)
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
        if self._wanted is None or self.laid is None or self.now is None:
            return
        (config, exact), self._wanted = self._wanted, None
        question, after, known = self.laid.question, None if exact else self.now, self.titles

        def work(context: TaskContext) -> tuple[Ranking, dict[str, str]]:
            found = question.rank(context, config, after)
            missing = [hit.passage_id for hit in found.hits if hit.passage_id not in known]
            return found, question.titles(missing) if missing else {}

        self._tasks.start("rank", work, self._on_ranked, ended=self._go)

    def _on_ranked(self, found: tuple[Ranking, dict[str, str]]) -> None:
        self.now, titles = found
        self.titles |= titles
        self.ranked.emit()

    def explain(self, passage_ids: Sequence[str]) -> None:
        """Why these passages stand where they stand as configured."""
        if self.laid is None:
            return
        laid = self.laid

        def work(context: TaskContext) -> tuple[list[Standing | None], dict[str, str]]:
            why = laid.question.explain_rank
            found = [why(laid.ranking, id, context, laid.config) for id in passage_ids]
            return found, laid.question.titles(passage_ids)

        self._tasks.start("explain", work, self.explained.emit)

    # ------------------------------------------------------------ where the mass comes from

    def attribute(self, id: str) -> None:
        """Which seed gave how much to a passage or entity."""
        if self.laid is None or self.now is None:
            return
        question, now, config = self.laid.question, self.now, self.config

        def work(context: TaskContext) -> Attributed | None:
            return question.attributed(now, id, context, config)

        self._tasks.start("attribute", work, self.attributed.emit)

    def show_seed(self, entity_id: str | None) -> None:
        """The heat of one seed alone, "" for that of all passages; None for no longer."""
        self._tasks.drop("seed")
        if self.laid is None or self.now is None or entity_id is None:
            return
        question, now, config = self.laid.question, self.now, self.config
        self._tasks.start(
            "seed", lambda c: question.heat_from(now, entity_id, c, config), self.seed_heat.emit
        )

    def read_steps(self) -> None:
        """The heat after each step of the walk."""
        if self.laid is None or self.now is None:
            return
        question, now, config = self.laid.question, self.now, self.config
        self._tasks.start("steps", lambda c: list(question.steps(now, c, config)), self.stepped.emit)


def _laid_open(workspace: Workspace, question: str, route: str, scope: Scope, context: TaskContext) -> Laid:
    warm(workspace, context)
    found, config = workspace.retrieval.laid_open(question, context, route, scope), workspace.config
    ranking = found.rank(context, config)
    return Laid(found, config, ranking, found.titles([hit.passage_id for hit in ranking.hits]))
