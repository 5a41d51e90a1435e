"""What if: the settings of a ranking turned by hand, with the ranking and the heat that follow at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QWidget

from app.explain.dials import GROUPS, SECOND, DialRow, Diffusion, SourceList
from app.explain.live import LiveRanking
from app.explain.tab import FROM_FILE, Subject, Tab, passage_of
from app.explain.tables import move_column, ranking_columns
from app.look import theme
from app.look.counting import listed
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session import operations
from app.session.overlay import heat_title
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.buttons import block, push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, flow, row
from app.widgets.table import RecordTable, TraceTable
from core.config import Config, dials_of, with_settings
from core.errors import CoreError
from core.types import LISTS_CALLED, Answer, Attributed, PassageLabel, Ranking

_PACE = 60  # ms between two pictures of the heat while a hand moves
# Pixels at 100 % from which on the ranking stands beside the settings, and the sources beside the ranking.
_SIDE_BY_SIDE, _WIDE = 480, 900
_MOST = 20  # passages of the ranking


@dataclass(frozen=True, slots=True)
class MovedPassage:
    """A passage of the ranking that is tried; `before` is its rank as configured, None where it had none."""

    passage_id: str
    rank: int
    score: float
    before: int | None


class WhatIf(Tab):
    """Left what can be turned, right the ranking, and who gave what is selected its share. Signal: chosen(record)."""

    chosen = Signal(object)
    stays = True

    def __init__(self, session: Session, live: LiveRanking) -> None:
        words = tr("Ask a question, then change its settings here: its ranking and its heat follow at once.")
        super().__init__("sliders-horizontal", tr("Nothing to change yet"), words)
        self._session, self.live = session, live
        self._baseline: object = None  # the ranking as configured that is shown
        self._drawn = self._wide = False  # whether the graph shows the heat of this tab
        self._wanted: tuple[Mapping[str, float], str] | None = None  # a heat that waits to be drawn
        self._ranking: tuple[MovedPassage, ...] = ()
        self._labels: dict[str, PassageLabel] = {}
        self._draw = QTimer(self, interval=_PACE, singleShot=True)
        self._draw.timeout.connect(self._draw_heat)
        self.rows = {dial.name: DialRow(dial) for _, dials in GROUPS for dial in dials}
        self.second = QCheckBox(tr("Choose the best passages anew"))
        tip = tr(
            "Whether a small model chooses among the walk's best passages, each for what it adds to those before."
        )
        set_tip(self.second, tip)
        self.counts = PlainLabel(kind="small", wrap=True)
        self.state = PlainLabel(kind="small")
        tip = tr("Places up or down from the ranking as it is configured")
        moved = move_column(lambda row: row.before, lambda row: row.rank, tip)
        columns = ranking_columns(self._labels, moved)
        self.table = TraceTable(RecordTable(columns, self), "triedRanking", most=_MOST)
        self.table.setAccessibleName(tr("Ranking"))
        self.sources, self.diffusion = SourceList(), Diffusion()
        self.back = push_button(
            tr("Reset"), self.take_back, tip=tr("Every setting back to what is configured")
        )
        self.standard = push_button(
            tr("Defaults"), self.set_standard, tip=tr("Every setting to what Clew comes with")
        )
        self.keep = push_button(tr("Keep as this workspace's setting"), self.keep_here, kind="primary")
        self._lay_out()
        self._connect()
        self.entrance = next(iter(self.rows.values())).slider

    def _lay_out(self) -> None:
        groups = []
        for title, dials in GROUPS:
            extra = self.second if dials is SECOND else None
            note = self.counts if "retrieval.graph_weight" in {dial.name for dial in dials} else None
            group = QWidget()
            rows = (self.rows[dial.name] for dial in dials)
            column(PlainLabel(title, "caps"), extra, *rows, note, spacing=theme.GRID, on=group)
            groups.append(group)
        self._dials = PanelScroll(*groups, STRETCH, spacing=theme.GROUPS)
        ranking, spread, sources = QWidget(), QWidget(), QWidget()
        column(row(PlainLabel(tr("Ranking"), "caps"), STRETCH, self.state), self.table, on=ranking)
        column(PlainLabel(tr("How the heat spreads"), "caps"), self.diffusion, on=spread)
        column(PlainLabel(tr("Who gave how much"), "caps"), self.sources, on=sources)
        self._side = QWidget()
        column(spread, sources, STRETCH, spacing=theme.GROUPS, on=self._side)
        self._middle = PanelScroll(ranking, self._side, STRETCH, spacing=theme.GROUPS, left=theme.WITHIN)
        self._right = PanelScroll(STRETCH, left=theme.WITHIN)
        self._right.setVisible(False)
        theme.follow(self, self._fit_dials)
        buttons = QWidget()
        flow(buttons, self.back, self.standard, self.keep)
        head = column(buttons, margins=(theme.GROUPS, 0, theme.GROUPS, theme.GRID))
        self._parts = row((self._dials, 3), (self._middle, 5), (self._right, 4), spacing=0)
        column(head, (self._parts, 1), spacing=0, on=self.page)

    def _fit_dials(self) -> None:
        """No figure is cut, with the scroll bar there, too."""
        bar = self._dials.verticalScrollBar().sizeHint().width()
        self._dials.setMinimumWidth(self._dials.content.minimumSizeHint().width() + bar + theme.WITHIN)

    def _connect(self) -> None:
        session, live = self._session, self.live
        session.blocked_changed.connect(self._update_buttons)
        for each in self.rows.values():
            each.moved.connect(self._on_moved)
            each.let_go.connect(live.finish)
        self.second.toggled.connect(self._on_moved)
        self.table.chosen.connect(self.chosen)
        live.opened.connect(self._on_opened)
        live.refused.connect(self._on_refused)
        live.ranked.connect(self._on_ranked)
        live.attributed.connect(self._on_attributed)
        live.stepped.connect(self.diffusion.set_steps)
        live.seed_heat.connect(self._on_seed_heat)
        self.sources.pointed.connect(self._on_seed)
        self.diffusion.stepped.connect(self._on_step)

    # ------------------------------------------------------------ the question

    def explain(self, subject: Subject | None) -> None:
        """Lay the question of another answer open, or show what was laid open meanwhile."""
        if subject is not self.subject:
            self.subject = subject
            self._baseline, self._drawn, self._wanted = (
                None,
                False,
                None,
            )  # the answer's own heat is drawn now
            self._draw.stop()
            self.show_nothing(*("",) if subject is None else (tr("Ranking it again..."),))
        if subject is None:
            return
        if subject.answer is None:
            self.show_nothing(*FROM_FILE)
            return
        self.live.open_question(subject.answer)
        if self.live.error is not None:
            self._on_refused(self.live.error)
        else:
            self._on_opened()

    def _on_refused(self, error: CoreError) -> None:
        self.show_nothing(error.message, error.remedy)

    def _on_opened(self) -> None:
        baseline = self.live.baseline
        if baseline is None or baseline is self._baseline or not self.front:
            return
        self._baseline = baseline
        self._show_config(baseline.config)
        self.sources.show_nothing()
        self._ranking = ()
        self.table.set_records(())
        self.show_page()
        self._on_ranked()

    def _show_config(self, config: Config) -> None:
        for each in self.rows.values():
            each.show_config(config)
        self.second.blockSignals(True)
        self.second.setChecked(config.retrieval.second_stage)
        self.second.blockSignals(False)

    # ------------------------------------------------------------ turning

    def _on_moved(self, _: object = None) -> None:
        if self.live.baseline is not None:
            self.live.try_config(self._config())

    def _config(self) -> Config:
        """As the dials stand."""
        assert self.live.baseline is not None
        turned = [each.dial.line(each.value) for each in self.rows.values() if each.changed]
        stage = f"retrieval.second_stage={self.second.isChecked()}"
        return with_settings(self.live.baseline.config, [*turned, stage])

    def take_back(self) -> None:
        """Every dial to what is configured."""
        if self.live.baseline is not None:
            self._show_config(self.live.baseline.config)
            self._on_moved()
            self.live.finish()

    def set_standard(self) -> None:
        """Every dial to what Clew comes with."""
        for each in self.rows.values():
            each.set_value(each.dial.value(Config()))
        self.second.setChecked(Config().retrieval.second_stage)
        self._on_moved()
        self.live.finish()

    def keep_here(self) -> None:
        """Rank by what is tried from now on, in this workspace."""
        operations.keep_settings(self._session, dials_of(self.live.config), self._rank_again)

    def _rank_again(self) -> None:
        if self.subject is not None and self.subject.answer is not None:
            self.live.open_question(self.subject.answer, again=True)

    # ------------------------------------------------------------ what follows

    def _on_ranked(self) -> None:
        baseline, now = self.live.baseline, self.live.now
        if baseline is None or now is None or baseline is not self._baseline or not self.front:
            return
        before = {hit.passage_id: hit.rank for hit in baseline.ranking.hits}
        hits, selected = now.hits[:_MOST], self._session.selection.current
        self._ranking = tuple(
            MovedPassage(hit.passage_id, hit.rank, hit.score, before.get(hit.passage_id)) for hit in hits
        )
        self.renew_names()
        self.table.select_passage(passage_of(selected))
        self.counts.setText(list_weights_words(now, self.live.config))
        milliseconds = f"{now.seconds * 1000:.0f}"
        words = (
            tr("in {ms} ms", ms=milliseconds) if now.exact else tr("near enough, in {ms} ms", ms=milliseconds)
        )
        self.state.setText(words)
        self._update_buttons()
        if self.live.tried or self._drawn:
            self._show_heat(now.heat, tr("Relevance by these settings") if self.live.tried else "")
        if now.exact:
            self.live.read_steps()
            self.show_selected(selected)

    def renew_names(self) -> None:
        """As the trace calls its passages; of others the title is known."""
        known, gone = self.subject.labels if self.subject is not None else {}, tr("A passage that is gone")
        self._labels.clear()
        for one in self._ranking:
            title = self.live.titles.get(one.passage_id) or gone
            self._labels[one.passage_id] = known.get(one.passage_id) or PassageLabel(title, "")
        self.table.renew(self._ranking)

    def _update_buttons(self) -> None:
        tried, shut = self.live.tried, self._session.blocked
        self.back.setEnabled(tried)
        why = shut or ("" if tried else tr("Change a setting first."))
        block(
            self.keep, why, tr("Every answer of this workspace is ranked so from now on. It can be undone.")
        )

    def _show_heat(self, heat: Mapping[str, float], title: str) -> None:
        """Have the graph show a heat, soon; "" is that of the answer."""
        self._wanted = (heat, title)
        if not self._draw.isActive():
            self._draw.start()

    def _draw_heat(self) -> None:
        answer = self._answer
        if self._wanted is None or answer is None:
            return
        (heat, title), self._wanted = self._wanted, None
        self._drawn = bool(title)
        if not title:
            heat, title = answer.trace.heat or heat, heat_title(answer)
        self._session.overlay.change(heat=heat, title=title)

    @property
    def _answer(self) -> Answer | None:
        return self.subject.answer if self.subject is not None else None

    def _show_now(self) -> None:
        """Show the heat of the ranking again."""
        if self.live.now is not None and self._drawn:
            tried = self.live.tried
            self._show_heat(self.live.now.heat, tr("Relevance by these settings") if tried else "")

    def _on_step(self, heat: Mapping[str, float] | None, step: int) -> None:
        if heat is None:
            self._show_now()
        else:
            self._show_heat(heat, trn("Relevance after {count} step", "Relevance after {count} steps", step))

    def _on_seed(self, entity_id: str | None) -> None:
        self.live.show_seed(entity_id)
        if entity_id is None:
            self._show_now()

    def _on_seed_heat(self, heat: Mapping[str, float]) -> None:
        self._show_heat(heat, tr("Relevance from this seed alone"))

    def filter(self, words: str) -> None:
        self.table.set_filter(words)

    def show_selected(self, selected: Selected | None) -> None:
        """Mark a passage in the ranking, and read who gave it, or an entity, its share."""
        self.table.select_passage(passage_of(selected))
        if selected is not None and selected.kind in ("entity", "passage", "citation"):
            self.live.attribute(selected.id)

    def _on_attributed(self, found: Attributed | None) -> None:
        baseline = self.live.baseline
        if baseline is None or found is None:
            self.sources.show_nothing()
            return
        self.sources.show_sources(found.name, found)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across = self.width() >= theme.px(_SIDE_BY_SIDE)
        way = QBoxLayout.Direction.LeftToRight if across else QBoxLayout.Direction.TopToBottom
        self._parts.setDirection(way)
        wide = self.width() >= theme.px(_WIDE)
        if wide == self._wide:
            return
        self._wide = wide
        place, other = (self._right, self._middle) if wide else (self._middle, self._right)
        other.column.removeWidget(self._side)
        place.column.insertWidget(place.column.count() - 1, self._side)
        self._right.setVisible(wide)


def list_weights_words(ranking: Ranking, config: Config) -> str:
    """Return what each list counts for this question, and what to do where only one is heard."""
    complexity = ranking.complexity
    if complexity is None:
        return tr("This route ranks by one list alone.")
    high, low = f"{config.routing.high:.2f}", f"{config.routing.low:.2f}"
    active_lists = [name for name, weight in complexity.weights.items() if weight > 0]
    if active_lists == ["graph"] and complexity.score >= config.routing.high:
        return tr(
            "The graph alone counts: its share {share} is at or above the upper threshold {high}. Turn that up to "
            "count the others.",
            share=f"{complexity.score:.2f}",
            high=high,
        )
    parts = (
        tr("{list} {share}", list=tr(LISTS_CALLED[name]), share=f"{complexity.weights[name]:.0%}")
        for name in active_lists
    )
    if "graph" not in active_lists and complexity.score <= config.routing.low:
        return tr(
            "For this question: {lists}. The graph is not asked: its share would be {share}, at or below the lower "
            "threshold {low}. Turn that down to ask it.",
            lists=listed(parts),
            share=f"{complexity.score:.2f}",
            low=low,
        )
    return tr("For this question: {lists}", lists=listed(parts))
