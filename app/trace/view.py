"""One trace laid open: question and route, stages on a time line with what they recorded, seeds and passages."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.answers.wording import duration, route_sentence
from app.look import theme
from app.look.translation import tr, trn
from app.trace.beam import BeamList
from app.trace.detail_view import StageDetail
from app.trace.rounds import RoundList
from app.trace.stages import ROW, StageList
from app.trace.tables import HitRow, hit_rows, hits_table, seeds_table
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, PanelScroll, column, grid, row
from app.widgets.table import TraceTable
from core.types import PassageLabel, Trace

TWO_COLUMNS, THREE_COLUMNS = 700, 1100  # widths from which groups stand beside each other


class TraceView(QWidget):
    """`area` holds it all, `tools` the filter, with room for buttons behind it. Signal: chosen(record of a table)."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trace: Trace | None = None
        self._labels: dict[str, PassageLabel] = {}
        self._stage = ""  # the name of the stage that is laid open
        self._columns = 0
        self._make_parts()
        self._group_parts()
        self.resized()
        for table in (self.seeds, self.hits, self.detail):
            self.filter.textChanged.connect(table.set_filter)
        self.seeds.chosen.connect(self.chosen)
        self.hits.chosen.connect(self._choose_hit)
        self.detail.chosen.connect(self.chosen)
        self.detail.closed.connect(self.close_stage)
        self.stages.opened.connect(self.open_stage)
        self.stages.closed.connect(self.close_stage)
        self.stages.entered.connect(self._enter_stage)

    def _make_parts(self) -> None:
        self.question = PlainLabel(wrap=True, selectable=True, bold=True)
        self.route, self.totals = (
            PlainLabel(kind=kind, wrap=True, selectable=True) for kind in ("muted", "small")
        )
        self.filter = line_edit(tr("Filter seeds and passages"), clear=True)
        self.rounds, self.stages, self.beam = RoundList(), StageList(), BeamList()
        self.detail = StageDetail()
        self.seeds = TraceTable(seeds_table(self), "seedsTable")
        self.hits = TraceTable(hits_table(self), "hitsTable")
        self.seeds.setAccessibleName(tr("Seeds"))
        self.hits.setAccessibleName(tr("Hits"))
        words = tr("No seeds: this route does not start from entities.")
        self.no_seeds = PlainLabel(words, "muted", wrap=True, selectable=True)

    def _group_parts(self) -> None:
        self._groups = (
            _group(tr("Down the communities"), self.beam),
            _group(tr("How the answer was checked"), self.rounds),
            _group(tr("Stages"), self.stages),
            self.detail,
            _group(tr("Seeds"), self.no_seeds, self.seeds),
            _group(tr("Passages, as ranked"), self.hits),
        )
        self._stacks = [column(STRETCH, spacing=theme.GROUPS) for _ in range(3)]
        self._column_row = row(*self._stacks, spacing=theme.GROUPS)
        self._anchor, tools = QWidget(self), QWidget(self)
        self._tools, self.tools = tools, row((self.filter, 1), spacing=theme.GRID, on=tools)
        self._head = grid(((self.question,), (self.route,), (self.totals,)), wide=0)
        self.area = PanelScroll(self._head, theme.WITHIN, self._column_row, STRETCH, spacing=theme.GRID)

    def show_trace(self, trace: Trace, labels: dict[str, PassageLabel]) -> None:
        """From its top; passages are called by `labels`, which may fill later: then `renew`."""
        self._trace, self._labels = trace, labels
        self.question.setText(trace.question)
        self.route.setText(route_sentence(trace.route, trace.stages))
        self.totals.setText(totals_words(trace))
        self.rounds.show_rounds(trace.rounds)
        self._groups[1].setVisible(bool(trace.rounds))
        self.stages.show_stages(trace.stages, trace.seconds)
        self.beam.show_beam(trace.beam)
        self._groups[0].setVisible(bool(trace.beam))
        self.seeds.set_records(trace.seeds)
        self.seeds.setVisible(bool(trace.seeds))
        self.no_seeds.setVisible(not trace.seeds)
        self.hits.set_records(hit_rows(trace.hits, self._labels))
        self.area.verticalScrollBar().setValue(0)
        names = [stage.name for stage in trace.stages]
        self._open(names.index(self._stage) if self._stage in names else -1)

    def _choose_hit(self, row: HitRow) -> None:
        self.chosen.emit(row.hit)

    # ------------------------------------------------------------ one stage

    def open_stage(self, at: int) -> None:
        """Lay a stage open, beside the list or below it; it stays open for the next answer."""
        assert self._trace is not None
        self._stage = self._trace.stages[at].name
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
        if at >= 0 and self._trace is not None:
            self.detail.show_stage(self._trace.stages[at], self._labels, self.filter.text())
        else:
            self.detail.leave()
        self.stages.mark_open(at)
        self._place_groups(self._columns, again=True)

    def _enter_stage(self) -> None:
        if self.detail.sections:
            self.detail.sections[0].table.setFocus()

    def _anchor_detail(self) -> None:
        """Beside the list the detail stands where its row stands."""
        if self.detail.stage is None:
            return
        index = self.stages.model().index(self.stages.open_at, 0)
        place = self.stages.visualRect(index).topLeft()
        top = self.stages.viewport().mapTo(self.area.content, place).y()
        has_columns = self._columns > 1
        self._anchor.setFixedHeight(max(0, top - self._column_row.geometry().top()) if has_columns else 0)
        QTimer.singleShot(0, self, partial(self._come_to, top))

    def _come_to(self, top: int) -> None:
        """Scroll no further than is needed to see the row, at `top`, and the detail, or as much of it as fits."""
        bar, room = self.area.verticalScrollBar(), self.area.viewport().height()
        head = 0 if self._columns > 1 else theme.px(ROW)
        least = top + min(head + self.detail.height() + theme.WITHIN, room) - room
        bar.setValue(min(max(bar.value(), least), top - theme.GRID))

    # ------------------------------------------------------------ places

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized()

    def resized(self) -> None:
        """One, two or three columns."""
        wide = self.width()
        self._place_groups(1 + (wide >= theme.px(TWO_COLUMNS)) + (wide >= theme.px(THREE_COLUMNS)))

    def _place_groups(self, columns: int, again: bool = False) -> None:
        """The groups below each other, or in two or three columns; a stage that is open has the second to itself."""
        if columns == self._columns and not again:
            return
        self._columns, opened = columns, self.detail.stage is not None
        self._head.removeWidget(self._tools)
        if columns == 1:
            self.filter.setMinimumWidth(0)
            self._head.addWidget(self._tools, 3, 0)
        else:
            self.filter.setMinimumWidth(theme.px(200))
            self._head.addWidget(self._tools, 0, 1, 2, 1, TOP)
        has_columns = columns > 1
        if columns == 3 and opened:
            columns = 2  # all that is right of the list is for what is laid open
        places = {1: (0, 0, 0, 0, 0, 0), 2: (0, 0, 0, 1, 0, 1), 3: (0, 0, 0, 1, 1, 2)}[columns]
        parts = tuple(zip(self._groups, places, strict=True))
        self._anchor.setVisible(opened and has_columns)
        if has_columns:  # above the detail there is as much room as brings it beside its row
            self.stages.hold(None)
            parts = (*parts[:3], (self._anchor, 1), *parts[3:])
        else:  # it opens in its row
            parts = (*parts[:3], *parts[4:])
        for part, place in parts:
            for stack in self._stacks:
                stack.removeWidget(part)
            stack = self._stacks[place]
            stack.insertWidget(stack.count() - 1, part)
        self.detail.head.setVisible(has_columns)  # which the row itself says
        if not has_columns:
            self._stacks[1].removeWidget(self.detail)
            self.stages.hold(self.detail if opened else None)
        wide = self.width() >= theme.px(THREE_COLUMNS)
        shares = ((4, 9, 0) if wide else (4, 7, 0)) if opened else (4, 4, 5)
        for place, stretch in enumerate(shares):
            self._column_row.setStretch(place, stretch if place < columns else 0)


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


def _group(title: str, *widgets: QWidget) -> QWidget:
    group = QWidget()
    column(PlainLabel(title, "caps"), *widgets, on=group)
    return group
