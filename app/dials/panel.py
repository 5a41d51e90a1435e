"""The dials of a ranking: turned by hand, with the ranking and the heat that follow at once."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QStackedLayout, QWidget

from app.dials.dial import DialRow
from app.dials.diffusion import Diffusion
from app.dials.live import LiveRanking
from app.dials.ranking import SHOWN, RankedRow, ranked_rows, ranking_table
from app.dials.sources import SourceList
from app.dials.table import GROUPS, SECOND
from app.look import theme
from app.look.counting import listed
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session import operations
from app.session.answer_overlay import heat_title
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.buttons import block, push_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.empty_state import EmptyState
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.table import TraceTable
from core.config import Config, dials_of, with_settings
from core.errors import CoreError
from core.types import LISTS_CALLED, Answer, Attributed, Ranking

_PACE = 60  # ms between two pictures of the heat while a hand moves
_WIDE = 900  # pixels at 100 % from which on the sources stand beside the ranking
_ROOMY = 640  # from which on the question stands beside the buttons
_NOTHING = (
    tr("Nothing to turn yet"),
    tr("Ask a question: its ranking and its heat follow here while you turn what decides them."),
)


class DialsPanel(QWidget):
    """Left what can be turned, right the ranking, and who gave what is selected its share."""

    stays = True  # in front while passages are chosen in it

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialsPanel")
        self._session, self.live = session, LiveRanking(session, self)
        self._answer: Answer | None = None
        self._laid: Answer | None = None  # the one that is laid open
        self._front = self._wide = False
        self._drawn = False  # whether the graph shows the heat of this panel
        self._seen: tuple[Mapping[str, float], str] | None = None  # that waits to be drawn
        self._draw = QTimer(self, interval=_PACE, singleShot=True)
        self._draw.timeout.connect(self._draw_heat)
        self.rows = {dial.name: DialRow(dial) for _, dials in GROUPS for dial in dials}
        self.second = QCheckBox(tr("Choose the best passages anew"))
        tip = tr(
            "Whether a small model chooses among the walk's best passages, each for what it adds to those before."
        )
        set_tip(self.second, tip)
        self.question = ElidedLabel(end=True)
        self.counts = PlainLabel(kind="small", wrap=True)
        self.state = PlainLabel(kind="small")
        self.table = TraceTable(ranking_table(self), "dialsRanking", most=SHOWN)
        self.table.setAccessibleName(tr("Ranking"))
        self.sources, self.diffusion = SourceList(), Diffusion()
        self.back = push_button(tr("Back"), self.take_back, tip=tr("Every dial to what is configured"))
        self.standard = push_button(
            tr("Standard"), self.set_standard, tip=tr("Every dial to what Clew comes with")
        )
        self.keep = push_button(tr("Keep as this workspace's setting"), self.keep_here, kind="primary")
        self.empty = EmptyState("sliders-horizontal", *_NOTHING)
        self._lay_out()
        self._connect()
        self.entrance = next(iter(self.rows.values())).slider
        self.clear()

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
        page = QWidget()
        head = row(
            (self.question, 1), self.back, self.standard, self.keep, margins=(theme.GROUPS, theme.WITHIN)
        )
        self._parts = row((self._dials, 4), (self._middle, 5), (self._right, 4), spacing=0)
        column(head, (self._parts, 1), spacing=0, on=page)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)

    def _fit_dials(self) -> None:
        """No figure is cut, with the scroll bar there, too."""
        bar = self._dials.verticalScrollBar().sizeHint().width()
        self._dials.setMinimumWidth(self._dials.content.minimumSizeHint().width() + bar + theme.WITHIN)

    def _connect(self) -> None:
        session, live = self._session, self.live
        session.answered.connect(self._on_answered)
        session.workspace_opened.connect(self.clear)
        session.workspace_closed.connect(self.clear)
        session.blocked_changed.connect(self._update_buttons)
        session.selection.changed.connect(self._on_selected)
        for each in self.rows.values():
            each.moved.connect(self._on_moved)
            each.let_go.connect(live.finish)
        self.second.toggled.connect(self._on_moved)
        self.table.chosen.connect(self._on_chosen)
        live.opened.connect(self._on_opened)
        live.refused.connect(self._on_refused)
        live.ranked.connect(self._on_ranked)
        live.attributed.connect(self._on_attributed)
        live.stepped.connect(self.diffusion.set_steps)
        live.seen.connect(self._on_seed_heat)
        self.sources.seen.connect(self._on_seed)
        self.diffusion.seen.connect(self._on_step)

    # ------------------------------------------------------------ the question

    def set_in_front(self, front: bool) -> None:
        """A question is laid open only where it is looked at."""
        self._front = front
        if front and self._answer is not self._laid:
            self._lay_open()

    def clear(self, _: object = None) -> None:
        """Show that nothing was asked."""
        self._answer = self._laid = None
        self._drawn, self._seen = False, None
        self._draw.stop()
        self.live.forget()
        self.empty.set_text(*_NOTHING)
        self._stack.setCurrentIndex(0)

    def _on_answered(self, answer: Answer) -> None:
        self._answer, self._drawn = answer, False  # its own heat is drawn now
        if self._front:
            self._lay_open()

    def _lay_open(self) -> None:
        self._laid = self._answer
        if self._answer is not None:
            self.live.lay_open(self._answer)

    def _on_refused(self, error: CoreError) -> None:
        self.empty.set_text(error.message, error.remedy)
        self._stack.setCurrentIndex(0)

    def _on_opened(self) -> None:
        laid = self.live.laid
        if laid is not None:
            self.question.setText(laid.question.question)
            self._show_config(laid.config)
            self.sources.show_nothing()
            self.table.set_records(())
            self._stack.setCurrentIndex(1)
            self._on_selected(self._session.selection.current)

    def _show_config(self, config: Config) -> None:
        for each in self.rows.values():
            each.show_config(config)
        self.second.blockSignals(True)
        self.second.setChecked(config.retrieval.second_stage)
        self.second.blockSignals(False)

    # ------------------------------------------------------------ turning

    def _on_moved(self, _: object = None) -> None:
        if self.live.laid is not None:
            self.live.try_config(self._config())

    def _config(self) -> Config:
        """As the dials stand."""
        assert self.live.laid is not None
        turned = [each.dial.line(each.value) for each in self.rows.values() if each.changed]
        stage = f"retrieval.second_stage={self.second.isChecked()}"
        return with_settings(self.live.laid.config, [*turned, stage])

    def take_back(self) -> None:
        """Every dial to what is configured."""
        if self.live.laid is not None:
            self._show_config(self.live.laid.config)
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
        operations.keep_settings(self._session, dials_of(self.live.config), self._lay_open)

    # ------------------------------------------------------------ what follows

    def _on_ranked(self) -> None:
        laid, now = self.live.laid, self.live.now
        if laid is None or now is None:
            return
        chosen = self._session.selection.current
        rows = ranked_rows(now, laid.ranking, self.live.titles)
        self.table.renew(rows, chosen.id if chosen else "")
        self.counts.setText(heard_words(now, self.live.config))
        milliseconds = f"{now.seconds * 1000:.0f}"
        words = (
            tr("in {ms} ms", ms=milliseconds) if now.exact else tr("near enough, in {ms} ms", ms=milliseconds)
        )
        self.state.setText(words)
        self._update_buttons()
        if self.live.tried or self._drawn:
            self._see(now.heat, tr("Relevance by these dials") if self.live.tried else "")
        if now.exact:
            self.live.read_steps()
            self._on_selected(chosen)

    def _update_buttons(self) -> None:
        tried, shut = self.live.tried, self._session.blocked
        self.back.setEnabled(tried)
        why = shut or ("" if tried else tr("Turn a dial first."))
        block(
            self.keep, why, tr("Every answer of this workspace is ranked so from now on. It can be undone.")
        )

    def _see(self, heat: Mapping[str, float], title: str) -> None:
        """Have the graph show a heat, soon; "" is that of the answer."""
        self._seen = (heat, title)
        if not self._draw.isActive():
            self._draw.start()

    def _draw_heat(self) -> None:
        if self._seen is None or self._laid is None:
            return
        (heat, title), self._seen = self._seen, None
        self._drawn = bool(title)
        if not title:
            heat, title = self._laid.trace.heat or heat, heat_title(self._laid)
        self._session.overlay.change(heat=heat, title=title)

    def _see_now(self) -> None:
        """The heat of the ranking again."""
        if self.live.now is not None and self._drawn:
            tried = self.live.tried
            self._see(self.live.now.heat, tr("Relevance by these dials") if tried else "")

    def _on_step(self, heat: Mapping[str, float] | None, step: int) -> None:
        if heat is None:
            self._see_now()
        else:
            self._see(heat, trn("Relevance after {count} step", "Relevance after {count} steps", step))

    def _on_seed(self, entity_id: str | None) -> None:
        self.live.see_seed(entity_id)
        if entity_id is None:
            self._see_now()

    def _on_seed_heat(self, heat: Mapping[str, float]) -> None:
        self._see(heat, tr("Relevance from this seed alone"))

    def _on_chosen(self, found: RankedRow) -> None:
        operations.select_passage(self._session, found.passage_id)

    def _on_selected(self, selected: Selected | None) -> None:
        if selected is not None and selected.kind in ("entity", "passage", "citation") and self._front:
            self.live.attribute(selected.id)

    def _on_attributed(self, found: Attributed | None) -> None:
        laid = self.live.laid
        if laid is None or found is None:
            self.sources.show_nothing()
            return
        self.sources.show_sources(found.name, found)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.question.setVisible(self.width() >= theme.px(_ROOMY))
        wide = self.width() >= theme.px(_WIDE)
        if wide == self._wide:
            return
        self._wide = wide
        place, other = (self._right, self._middle) if wide else (self._middle, self._right)
        other.column.removeWidget(self._side)
        place.column.insertWidget(place.column.count() - 1, self._side)
        self._right.setVisible(wide)


def heard_words(ranking: Ranking, config: Config) -> str:
    """What each list counts for this question, and what to do where only one is heard."""
    complexity = ranking.complexity
    if complexity is None:
        return tr("This route hears one list alone.")
    high, low = f"{config.routing.high:.2f}", f"{config.routing.low:.2f}"
    active_lists = [name for name, weight in complexity.weights.items() if weight > 0]
    if active_lists == ["graph"] and complexity.score >= config.routing.high:
        return tr(
            "The graph alone is heard: its share {share} is at or above the upper threshold {high}. Turn that up to "
            "hear the others.",
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
            "threshold {low}. Turn that down to hear it.",
            lists=listed(parts),
            share=f"{complexity.score:.2f}",
            low=low,
        )
    return tr("For this question: {lists}", lists=listed(parts))


PANEL = PanelSpec(
    "dials", tr("Dials"), Area.BOTTOM, DialsPanel, least=300, keys="Alt+Shift+D", everyday=False
)
