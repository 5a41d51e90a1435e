"""The trace: how the last answer came about, step by step and with its figures; kept, opened again, compared."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from app.answers.wording import duration, route_sentence
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.session import Session
from app.trace.beam import BeamList
from app.trace.comparison import ComparisonView
from app.trace.detail_view import StageDetail
from app.trace.files import choose_open, choose_save, opened_words
from app.trace.rounds import RoundList
from app.trace.stages import ROW, StageList
from app.trace.tables import hit_rows, hits_table, labels_of, seeds_table
from app.widgets.banner import Banner
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.empty_state import EmptyState
from app.widgets.fields import line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, PanelScroll, column, grid, row
from app.widgets.table import TraceTable
from core.progress import TaskContext
from core.types import Answer, Community, PassageLabel, SavedTrace, Trace, TraceComparison

if TYPE_CHECKING:
    from core.workspace import Workspace

TWO_COLUMNS, THREE_COLUMNS = 700, 1100  # widths from which groups stand beside each other


class TracePanel(QWidget):
    """Question, route, rounds of the check, stages, beam, seeds and hits of the last answer, or of a file."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tracePanel")
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._answer: Answer | None = None
        self._before: Answer | None = None  # the answer before it
        self._late: Answer | None = None  # one that came while another panel was in front
        self._front = True
        self._trace: Trace | None = None  # what is shown: the answer's, or that of a file
        self._opened: SavedTrace | None = None  # of a file
        self._labels: dict[str, PassageLabel] = {}
        self._stage = ""  # the name of the stage that is laid open
        self._make_parts()
        session.commands.add(self, *self._commands())
        self._lay_out()
        self._connect()
        self.clear()

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
        words = tr(
            "Ask a question: every step of its answer is laid open here. Or open a trace that was kept."
        )
        self.empty = EmptyState("path", tr("No trace yet"), words)
        self.comparison = ComparisonView()
        self.back_button = push_button(tr("Back to the last answer"), self.go_back)
        self.banner = Banner("file-text", self.back_button, Qt.AlignmentFlag.AlignVCenter)
        self.source = PlainLabel(wrap=True, selectable=True)
        self.banner.column.addWidget(self.source)

    def _commands(self) -> tuple[Command, ...]:
        def nothing() -> str:
            return "" if self._trace or self._late else tr("Ask a question first, or open a trace.")

        def alone() -> str:
            other = self._before if self._opened is None else self._answer
            return nothing() or ("" if other else tr("There is no answer before this one."))

        tips = (
            tr("Keep this trace as a file, with the names of its passages"),
            tr("Look at a trace that was kept, of this or another Clew"),
            tr("What changed from the answer before: stages, seeds, ranks, weights"),
            tr("What changed from a trace that was kept to this one"),
        )
        save, opened, before, kept = tips
        return (
            Command("trace.open", tr("Open a &trace..."), self.choose_open, icon="folder-open", tip=opened),
            Command(
                "trace.save", tr("Save the trac&e..."), self.choose_save, "", "floppy-disk", nothing, tip=save
            ),
            Command(
                "trace.before",
                tr("Compare with the answer &before"),
                self.compare_before,
                why_not=alone,
                tip=before,
            ),
            Command(
                "trace.with",
                tr("Compare &with a trace..."),
                self.choose_comparison,
                why_not=nothing,
                tip=kept,
            ),
        )

    def _lay_out(self) -> None:
        tip = tr("Copy the whole trace, with the heat of every entity, as JSON")
        self.copy_button = push_button(tr(" Copy as JSON"), self.copy, icon="brackets-curly", tip=tip)
        commands, menu = self._session.commands, QMenu(self)
        menu.addActions([commands.action(id) for id in ("trace.before", "trace.with")])
        menu.setToolTipsVisible(True)
        ids = ("trace.before", "trace.with")
        menu.aboutToShow.connect(partial(commands.explain, ids, True))
        menu.aboutToHide.connect(partial(commands.explain, ids, False))
        self.open_button, self.save_button = tool_button("folder-open"), tool_button("floppy-disk")
        for button, id in ((self.open_button, "trace.open"), (self.save_button, "trace.save")):
            button.setAccessibleName(commands[id].name)
            commands.press(button, id)
        self.compare_button = tool_button("arrows-left-right", tr("Compare with another trace"))
        attach_menu(self.compare_button, menu)
        self._groups = (
            _group(tr("Down the communities"), self.beam),
            _group(tr("How the answer was checked"), self.rounds),
            _group(tr("Stages"), self.stages),
            self.detail,
            _group(tr("Seeds"), self.no_seeds, self.seeds),
            _group(tr("Passages, as ranked"), self.hits),
        )
        self._stacks = [column(STRETCH, spacing=theme.GROUPS) for _ in range(3)]
        self._beside = row(*self._stacks, spacing=theme.GROUPS)
        self._columns, self._tools, self._anchor = 0, QWidget(self), QWidget(self)
        buttons = (self.open_button, self.compare_button, self.save_button, self.copy_button)
        row((self.filter, 1), *buttons, spacing=theme.GRID, on=self._tools)
        self._head = grid(((self.question,), (self.route,), (self.totals,)), wide=0)
        self._place_groups(1)
        self.area = PanelScroll(self._head, theme.WITHIN, self._beside, STRETCH, spacing=theme.GRID)
        shown, stack = QWidget(), QWidget()
        self._stack = QStackedLayout(stack)
        column(self.banner, (self.area, 1), spacing=0, on=shown)
        for page in (self._empty_page(), shown, self.comparison):
            self._stack.addWidget(page)
        column(stack, on=self)

    def _empty_page(self) -> QWidget:
        """Nothing yet, but for a way to what was kept."""
        page = QWidget()
        opens = push_button(self._session.commands["trace.open"].name, icon="folder-open")
        self._session.commands.press(opens, "trace.open")
        column((self.empty, 1), (opens, Qt.AlignmentFlag.AlignHCenter), theme.AROUND, on=page)
        return page

    def _connect(self) -> None:
        session = self._session
        session.answered.connect(self._on_answered)
        session.workspace_opened.connect(self.clear)
        session.workspace_closed.connect(self.clear)
        for table in (self.seeds, self.hits, self.detail):
            self.filter.textChanged.connect(table.set_filter)
        session.selection.changed.connect(self.beam.show_current)
        self.beam.chosen.connect(lambda community: operations.select_community(session, community))
        self.seeds.chosen.connect(self._on_chosen)
        self.hits.chosen.connect(lambda row: self._on_chosen(row.hit))
        self.stages.opened.connect(self.open_stage)
        self.stages.closed.connect(self.close_stage)
        self.stages.entered.connect(self._enter_stage)
        self.detail.chosen.connect(self._on_chosen)
        self.detail.closed.connect(self.close_stage)
        self.comparison.chosen.connect(self._on_chosen)
        self.comparison.closed.connect(self._leave_comparison)

    def set_in_front(self, front: bool) -> None:
        """Behind another panel it is laid open only when it is looked at: an answer has enough to show at once."""
        self._front, late = front, self._late
        if front and late is not None:
            self.show_answer(late)

    # ------------------------------------------------------------ what is shown

    def _on_answered(self, answer: Answer) -> None:
        self._before, self._answer = self._answer, answer
        if self._front:
            self.show_answer(answer)
        else:
            self._late = answer

    def clear(self, _: object = None) -> None:
        """Show that nothing was asked."""
        self._answer = self._before = self._late = self._trace = self._opened = None
        self._tasks.drop("names")
        self._tasks.drop("file")
        self._stage = ""
        self._stack.setCurrentIndex(0)

    def show_answer(self, answer: Answer) -> None:
        """Lay an answer's trace open, from its top."""
        self._answer, self._late, self._opened = answer, None, None
        self._labels = labels_of(answer.evidence)
        self._show(answer.trace)
        workspace = self._session.workspace
        if workspace is not None:
            self._tasks.start("names", lambda _: workspace.traces.named(answer.trace), self._on_named)

    def show_opened(self, saved: SavedTrace, source: Path) -> None:
        """Lay the trace of a file open, marked as such."""
        self._opened, self._labels = saved, dict(saved.trace.passages)
        self._tasks.drop("names")
        self._show(saved.trace)
        self.source.setText(opened_words(saved, source))
        self.back_button.setText(tr("Back to the last answer") if self._answer else tr("Close"))
        self.banner.show()
        self._come()

    def go_back(self) -> None:
        """From a trace that was opened to that of the last answer."""
        if self._answer is None:
            self.clear()
        else:
            self.show_answer(self._answer)

    def _show(self, trace: Trace) -> None:
        self._trace = trace
        self.banner.setVisible(False)
        self.question.setText(trace.question)
        self.route.setText(route_sentence(trace.route, trace.stages))
        self.totals.setText(totals_words(trace))
        self.rounds.show_rounds(trace.rounds)
        self._groups[1].setVisible(bool(trace.rounds))
        self.stages.show_stages(trace.stages, trace.seconds)
        self._show_beam(trace)
        self.seeds.set_records(trace.seeds)
        self.seeds.setVisible(bool(trace.seeds))
        self.no_seeds.setVisible(not trace.seeds)
        self.hits.set_records(hit_rows(trace.hits, self._labels))
        self._stack.setCurrentIndex(1)
        self.area.verticalScrollBar().setValue(0)
        names = [stage.name for stage in trace.stages]
        self._open(names.index(self._stage) if self._stage in names else -1)

    def _on_named(self, trace: Trace) -> None:
        self._labels.update(trace.passages)
        self.detail.renew()

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
        beside = self._columns > 1
        self._anchor.setFixedHeight(max(0, top - self._beside.geometry().top()) if beside else 0)
        QTimer.singleShot(0, self, partial(self._come_to, top))

    def _come_to(self, top: int) -> None:
        """Scroll no further than is needed to see the row, at `top`, and the detail, or as much of it as fits."""
        bar, room = self.area.verticalScrollBar(), self.area.viewport().height()
        head = 0 if self._columns > 1 else theme.px(ROW)
        least = top + min(head + self.detail.height() + theme.WITHIN, room) - room
        bar.setValue(min(max(bar.value(), least), top - theme.GRID))

    # ------------------------------------------------------------ from here to elsewhere

    def _on_chosen(self, record: Any) -> None:
        """Select what a row is about, where it still exists; rows about nothing lead nowhere."""
        session, workspace = self._session, self._session.workspace
        entity = str(getattr(record, "entity_id", ""))
        passage = str(getattr(record, "passage_id", "") or next(iter(getattr(record, "passage_ids", ())), ""))
        if workspace is None or not (entity or passage):
            return
        go = partial(
            operations.select_entity if entity else operations.select_passage, session, entity or passage
        )
        if self._opened is None:
            go()
            return

        def look(_: TaskContext) -> None:  # raises where it is gone, which is told in words
            workspace.graph.entity(entity) if entity else workspace.passages.get(passage)

        self._tasks.start("go", look, lambda _: go())

    # ------------------------------------------------------------ files

    def _come(self) -> None:
        """To the front, where a command brings something to be seen."""
        if "panel.trace" in self._session.commands:
            self._session.commands.run("panel.trace")

    def _catch_up(self) -> Workspace | None:
        """The open workspace, with the last answer shown; None where there is nothing to work on."""
        if self._late is not None:
            self.show_answer(self._late)
        return self._session.workspace if self._trace is not None else None

    def _saved(self, workspace: Workspace) -> SavedTrace:
        """What is shown, as it is kept; on a thread."""
        if self._opened is not None:
            return self._opened
        assert self._answer is not None
        return workspace.traces.of(self._answer)

    def copy(self) -> None:
        """Put the trace on the clipboard as JSON."""
        workspace = self._catch_up()
        if workspace is None:
            return

        def done(text: str) -> None:
            QGuiApplication.clipboard().setText(text)
            self._session.tell(tr("Trace copied as JSON."), "success")

        self._tasks.start("copy", lambda _: workspace.traces.as_json(self._saved(workspace)), done)

    def choose_save(self) -> None:
        if self._catch_up() is not None and self._trace is not None:
            choose_save(self, self._trace.question, self.save)

    def save(self, target: Path) -> None:
        """Write the trace, whatever was there: the person has chosen it."""
        workspace = self._catch_up()
        if workspace is None:
            return

        def done(_: None) -> None:
            self._session.tell(tr("Trace saved in {path}.", path=target), "success")

        self._tasks.start(
            "file", lambda _: workspace.traces.write(self._saved(workspace), target, True), done
        )

    def choose_open(self) -> None:
        choose_open(self, tr("Open a trace"), self.open_file)

    def open_file(self, source: Path) -> None:
        """Show the trace of a file; what is no trace is told and changes nothing."""
        workspace = self._session.workspace
        if workspace is None:
            return
        done = partial(self.show_opened, source=source)
        self._tasks.start("file", lambda _: workspace.traces.opened(source), done)

    def choose_comparison(self) -> None:
        choose_open(self, tr("Compare with a trace"), self.compare_file)

    def compare_before(self) -> None:
        """With the answer before; from a trace that was opened with the last answer."""
        workspace = self._catch_up()
        other = self._before if self._opened is None else self._answer
        if other is None or workspace is None:
            return

        def work(_: TaskContext) -> TraceComparison:
            shown, known = self._saved(workspace), workspace.traces.of(other)
            return workspace.traces.compare(*((shown, known) if self._opened else (known, shown)))

        self._tasks.start("file", work, self._on_compared)

    def compare_file(self, source: Path) -> None:
        workspace = self._catch_up()
        if workspace is None:
            return

        def work(_: TaskContext) -> TraceComparison:
            return workspace.traces.compare(workspace.traces.opened(source), self._saved(workspace))

        self._tasks.start("file", work, self._on_compared)

    def _on_compared(self, found: TraceComparison) -> None:
        self.comparison.show_comparison(found)
        self._stack.setCurrentIndex(2)
        self._come()
        self.comparison.back.setFocus()

    def _leave_comparison(self) -> None:
        self._stack.setCurrentIndex(1)
        self.stages.setFocus()

    # ------------------------------------------------------------ places

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_groups(
            1 + (self.width() >= theme.px(TWO_COLUMNS)) + (self.width() >= theme.px(THREE_COLUMNS))
        )

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
        third = (0, 0, 0, 1, 2, 2) if opened else (0, 0, 0, 1, 1, 2)
        places = {1: (0, 0, 0, 0, 0, 0), 2: (0, 0, 0, 1, 0, 1), 3: third}[columns]
        # Above the detail there is as much room as brings it beside its row.
        parts = tuple((group, place) for group, place in zip(self._groups, places, strict=True))
        beside = columns > 1
        self._anchor.setVisible(opened and beside)
        if not beside:
            parts = (
                *parts[:3],
                *parts[4:],
            )  # where there is no room beside the list a stage opens in its row
        else:
            self.stages.hold(None)
            parts = (*parts[:3], (self._anchor, 1), *parts[3:])
        for part, place in parts:
            for stack in self._stacks:
                stack.removeWidget(part)
            stack = self._stacks[place]
            stack.insertWidget(stack.count() - 1, part)
        self.detail.head.setVisible(beside)  # which the row itself says
        if not beside:
            self._stacks[1].removeWidget(self.detail)
            self.stages.hold(self.detail if opened else None)
        shares = (4, 7, 4) if opened else (4, 4, 5)
        for place, stretch in enumerate(shares):
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


def _group(title: str, *widgets: QWidget) -> QWidget:
    group = QWidget()
    column(PlainLabel(title, "caps"), *widgets, on=group)
    return group


PANEL = PanelSpec("trace", tr("Trace"), Area.BOTTOM, TracePanel, least=300)
