"""The trace: how the last answer came about, step by step and with its figures."""

from __future__ import annotations

import json
from dataclasses import asdict

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.answers.wording import duration, route_sentence
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.trace.beam import BeamList
from app.trace.rounds import RoundList
from app.trace.stages import stage_list, stage_rows
from app.trace.tables import HitRow, hit_rows, hits_table, seeds_table
from app.widgets.buttons import push_button
from app.widgets.empty_state import EmptyState
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, grid, row
from app.widgets.table import TraceTable
from core.types import Answer, Community, Seed, Trace

TWO_COLUMNS, THREE_COLUMNS = 700, 1100  # widths from which groups stand beside each other


class TracePanel(QWidget):
    """Question, route, rounds of the check, stages, beam, seeds and hits of the last answer."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tracePanel")
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._answer: Answer | None = None
        self._late: Answer | None = None  # one that came while another panel was in front
        self._front = True
        self.question = PlainLabel(wrap=True, selectable=True, bold=True)
        self.route, self.totals = (
            PlainLabel(kind=kind, wrap=True, selectable=True) for kind in ("muted", "small")
        )
        self.filter = line_edit(tr("Filter seeds and passages"), clear=True)
        tip = tr("Copy the whole trace, with the heat of every entity, as JSON")
        self.copy_button = push_button(tr(" Copy as JSON"), self.copy, icon="brackets-curly", tip=tip)
        self.rounds = RoundList()
        self.stages = stage_list()
        self.beam = BeamList()
        self.seeds = TraceTable(seeds_table(self), "seedsTable")
        self.hits = TraceTable(hits_table(self), "hitsTable")
        self.seeds.setAccessibleName(tr("Seeds"))
        self.hits.setAccessibleName(tr("Hits"))
        words = tr("No seeds: this route does not start from entities.")
        self.no_seeds = PlainLabel(words, "muted", wrap=True, selectable=True)
        words = tr("Ask a question: every step of its answer is laid open here.")
        self.empty = EmptyState("path", tr("No trace yet"), words)
        self._lay_out()
        self._connect()
        self.clear()

    def _lay_out(self) -> None:
        self._groups = (
            _group(tr("Down the communities"), self.beam),
            _group(tr("How the answer was checked"), self.rounds),
            _group(tr("Stages"), self.stages),
            _group(tr("Seeds"), self.no_seeds, self.seeds),
            _group(tr("Passages, as ranked"), self.hits),
        )
        self._stacks = [column(STRETCH, spacing=theme.GROUPS) for _ in range(3)]
        self._beside = row(*self._stacks, spacing=theme.GROUPS)
        self._columns, self._tools = 0, QWidget()
        row((self.filter, 1), self.copy_button, on=self._tools)
        self._head = grid(((self.question,), (self.route,), (self.totals,)), wide=0)
        self._place_groups(1)
        self.area = PanelScroll(self._head, theme.WITHIN, self._beside, STRETCH, spacing=theme.GRID)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.area)

    def _connect(self) -> None:
        session = self._session
        session.answered.connect(self._on_answered)
        session.workspace_opened.connect(self.clear)
        session.workspace_closed.connect(self.clear)
        self.filter.textChanged.connect(self.seeds.set_filter)
        self.filter.textChanged.connect(self.hits.set_filter)
        session.selection.changed.connect(self.beam.show_current)
        self.beam.chosen.connect(lambda community: operations.select_community(session, community))
        self.seeds.chosen.connect(self._on_seed)
        self.hits.chosen.connect(self._on_hit)

    def set_in_front(self, front: bool) -> None:
        """Behind another panel it is laid open only when it is looked at: an answer has enough to show at once."""
        self._front, late = front, self._late
        if front and late is not None:
            self.show_answer(late)

    def _on_answered(self, answer: Answer) -> None:
        if self._front:
            self.show_answer(answer)
        else:
            self._late = answer

    def clear(self, _: object = None) -> None:
        """Show that nothing was asked."""
        self._answer = self._late = None
        self._stack.setCurrentIndex(0)

    def show_answer(self, answer: Answer) -> None:
        """Lay an answer's trace open, from its top."""
        self._answer, self._late = answer, None
        trace = answer.trace
        self.question.setText(trace.question)
        self.route.setText(route_sentence(trace.route, trace.stages))
        self.totals.setText(totals_words(trace))
        self.rounds.show_rounds(trace.rounds)
        self._groups[1].setVisible(bool(trace.rounds))
        self.stages.set_records(stage_rows(trace.stages, trace.seconds))
        self._show_beam(trace)
        self.seeds.set_records(trace.seeds)
        self.seeds.setVisible(bool(trace.seeds))
        self.no_seeds.setVisible(not trace.seeds)
        self.hits.set_records(hit_rows(answer))
        self._stack.setCurrentIndex(1)
        self.area.verticalScrollBar().setValue(0)

    def _show_beam(self, trace: Trace) -> None:
        """The beam at once, its communities by title as soon as these are read."""
        self.beam.show_beam(trace.beam)
        self._groups[0].setVisible(bool(trace.beam))
        self._tasks.drop("beam")
        workspace = self._session.workspace
        if trace.beam and workspace is not None:
            self._tasks.start("beam", lambda _: workspace.graph.communities(), self._on_communities)

    def _on_communities(self, communities: list[Community]) -> None:
        self.beam.set_communities(communities)
        self.beam.show_current(self._session.selection.current)

    def _on_seed(self, seed: Seed) -> None:
        operations.select_entity(self._session, seed.entity_id)

    def _on_hit(self, row: HitRow) -> None:
        operations.select_passage(self._session, row.hit.passage_id)

    def copy(self) -> None:
        """Put the trace on the clipboard as JSON."""
        if self._answer is not None:
            QGuiApplication.clipboard().setText(trace_json(self._answer.trace))
            self._session.tell(tr("Trace copied as JSON."), "success")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_groups(
            1 + (self.width() >= theme.px(TWO_COLUMNS)) + (self.width() >= theme.px(THREE_COLUMNS))
        )

    def _place_groups(self, columns: int) -> None:
        """Beam, rounds, stages, seeds and passages below each other, or in two or three columns."""
        if columns == self._columns:
            return
        self._columns = columns
        self._head.removeWidget(self._tools)
        if columns == 1:
            self.filter.setMinimumWidth(0)
            self._head.addWidget(self._tools, 3, 0)
        else:
            self.filter.setMinimumWidth(theme.px(200))
            self._head.addWidget(self._tools, 0, 1, 2, 1, Qt.AlignmentFlag.AlignTop)
        places = {1: (0, 0, 0, 0, 0), 2: (0, 0, 0, 0, 1), 3: (0, 0, 0, 1, 2)}[columns]
        for group in self._groups:
            for stack in self._stacks:
                stack.removeWidget(group)
        for group, place in zip(self._groups, places, strict=True):
            stack = self._stacks[place]
            stack.insertWidget(stack.count() - 1, group)
        for place, stretch in enumerate((4, 4, 5)):
            self._beside.setStretch(place, stretch if place < columns else 0)


def totals_words(trace: Trace) -> str:
    """The sums under the question: stages, time, seeds, heat, passages."""
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


def trace_json(trace: Trace) -> str:
    """The trace as JSON with the names of its records' fields."""
    return json.dumps(asdict(trace), ensure_ascii=False, indent=2)


def _group(title: str, *widgets: QWidget) -> QWidget:
    group = QWidget()
    column(PlainLabel(title, "caps"), *widgets, on=group)
    return group


PANEL = PanelSpec("trace", tr("Trace"), Area.BOTTOM, TracePanel, least=300)
