"""The timeline: route, stages with what they recorded, how the answer was checked, down which communities."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.answers.wording import duration, route_sentence
from app.explain.rounds import BeamList, RoundList
from app.explain.stage_detail import StageDetail
from app.explain.stages import ROW, StageList
from app.explain.tab import Subject, Tab, passage_of
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from core.types import Community, Trace

TWO_COLUMNS, ROOMY = (
    700,
    1100,
)  # widths from which a stage is laid open beside the list, and with more of the room


class Timeline(Tab):
    """A stage that is open stands beside the list, or in its row. Signal: chosen(record of a table)."""

    chosen = Signal(object)

    def __init__(self, session: Session) -> None:
        words = tr("Ask a question to see every step of its answer here, or open a saved trace.")
        super().__init__("path", tr("No trace yet"), words)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._stage = ""  # the name of the stage that is laid open
        self.route, self.totals = (
            PlainLabel(kind=kind, wrap=True, selectable=True) for kind in ("muted", "small")
        )
        self.rounds, self.stages, self.beam = RoundList(), StageList(), BeamList()
        self.detail = StageDetail()
        self._lay_out()
        self.detail.chosen.connect(self.chosen)
        self.detail.closed.connect(self.close_stage)
        self.stages.opened.connect(self.open_stage)
        self.stages.closed.connect(self.close_stage)
        self.stages.entered.connect(self._enter_stage)
        self.beam.chosen.connect(lambda community: operations.select_community(session, community))
        self.entrance = self.stages

    def _lay_out(self) -> None:
        self._checked = _group(tr("How the answer was checked"), self.rounds)
        self._communities = _group(tr("Down the communities"), self.beam)
        self._side, self._anchor = QWidget(), QWidget()
        self._opened = column(self._anchor, self.detail, STRETCH, spacing=0, on=self._side)
        stages = column(
            _group(tr("Stages"), self.stages), self._checked, self._communities, STRETCH, spacing=theme.GROUPS
        )
        self._halves = row(stages, self._side, spacing=theme.GROUPS)
        self.area = PanelScroll(
            self.route, self.totals, theme.WITHIN, self._halves, STRETCH, spacing=theme.GRID
        )
        column(self.area, on=self.page)

    def explain(self, subject: Subject | None) -> None:
        """Lay a trace open, from its top."""
        if subject is self.subject:
            return
        self.subject = subject
        self._tasks.drop("beam")
        if subject is None:
            self._stage = ""
            self.show_nothing()
            return
        trace = subject.trace
        self.route.setText(route_sentence(trace.route))
        self.totals.setText(totals_words(trace))
        self.rounds.show_rounds(trace.rounds)
        self._checked.setVisible(bool(trace.rounds))
        self.stages.show_stages(trace.stages, trace.seconds)
        self.beam.show_beam(trace.beam)
        self._communities.setVisible(bool(trace.beam))
        self.area.verticalScrollBar().setValue(0)
        names = [stage.name for stage in trace.stages]
        self._open(names.index(self._stage) if self._stage in names else -1)
        self.show_page()
        workspace = self._session.workspace
        if trace.beam and workspace is not None:
            self._tasks.start("beam", lambda _: workspace.graph.communities(), self._on_communities)

    def renew_names(self) -> None:
        """Call the passages by their names, now that these are known."""
        self.detail.renew()

    def filter(self, words: str) -> None:
        self.detail.set_filter(words)

    def show_selected(self, selected: Selected | None) -> None:
        self.beam.show_current(selected)
        self.detail.show_passage(passage_of(selected))

    def _on_communities(self, communities: list[Community]) -> None:
        self.beam.set_communities(communities)
        self.beam.show_current(self._session.selection.current)

    # ------------------------------------------------------------ one stage

    def open_stage(self, at: int) -> None:
        """Lay a stage open, beside the list or below it; it stays open for the next answer."""
        assert self.subject is not None
        self._stage = self.subject.trace.stages[at].name
        self._open(at)
        QTimer.singleShot(0, self, self._anchor_detail)

    def close_stage(self) -> None:
        """Back to the list, with the keyboard."""
        self._stage = ""
        had = self.detail.isAncestorOf(QGuiApplication.focusObject() or self)  # type: ignore[arg-type]
        self._open(-1)
        if had:
            self.stages.setFocus()

    def _open(self, at: int) -> None:
        if at >= 0 and self.subject is not None:
            self.detail.show_stage(self.subject.trace.stages[at], self.subject.labels)
            self.detail.show_passage(passage_of(self._session.selection.current))
        else:
            self.detail.leave()
        self.stages.mark_open(at)
        self._place_detail()

    def _enter_stage(self) -> None:
        if self.detail.sections:
            self.detail.sections[0].table.setFocus()

    @property
    def _has_room(self) -> bool:
        return self.width() >= theme.px(TWO_COLUMNS)

    def _anchor_detail(self) -> None:
        """Beside the list the detail stands where its row stands."""
        if self.detail.stage is None:
            return
        index = self.stages.model().index(self.stages.open_at, 0)
        place = self.stages.visualRect(index).topLeft()
        top = self.stages.viewport().mapTo(self.area.content, place).y()
        self._anchor.setFixedHeight(max(0, top - self._halves.geometry().top()) if self._has_room else 0)
        QTimer.singleShot(0, self, partial(self._come_to, top))

    def _come_to(self, top: int) -> None:
        """Scroll no further than is needed to see the row, at `top`, and the detail, or as much of it as fits."""
        bar, room = self.area.verticalScrollBar(), self.area.viewport().height()
        head = 0 if self._has_room else theme.px(ROW)
        least = top + min(head + self.detail.height() + theme.WITHIN, room) - room
        bar.setValue(min(max(bar.value(), least), top - theme.GRID))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_detail()

    def _place_detail(self) -> None:
        """Beside the list where there is room, else in the row that is open."""
        opened = self.detail.stage is not None
        self.detail.head.setVisible(self._has_room)  # which the row itself says
        self._side.setVisible(opened and self._has_room)
        if self._has_room:
            self.stages.hold(None)
            self._opened.insertWidget(1, self.detail)
        else:
            self._opened.removeWidget(self.detail)
            self.stages.hold(self.detail if opened else None)
        self._halves.setStretch(0, 4)
        self._halves.setStretch(1, 9 if self.width() >= theme.px(ROOMY) else 7)


def totals_words(trace: Trace) -> str:
    """Return the sums of a trace: stages, time, seeds, heat, passages."""
    parts = [
        trn(
            "{count} stage in {time}",
            "{count} stages in {time}",
            len(trace.stages),
            time=duration(trace.seconds),
        ),
        trn("{count} passage", "{count} passages", len(trace.hits)),
    ]
    if len(trace.rounds) > 1:
        parts.append(trn("{count} round", "{count} rounds", len(trace.rounds)))
    if trace.seeds:
        parts.append(trn("{count} seed", "{count} seeds", len(trace.seeds)))
    if trace.heat:
        parts.append(trn("{count} entity with heat", "{count} entities with heat", len(trace.heat)))
    return "  \u00b7  ".join(parts)


def _group(title: str, *widgets: QWidget) -> QWidget:
    group = QWidget()
    column(PlainLabel(title, "caps"), *widgets, on=group)
    return group
