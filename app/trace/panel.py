"""The trace: how the last answer came about, step by step and with its figures; kept, opened again, compared."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.privacy import ASKED_AGAIN
from app.session.session import Session
from app.trace.comparison import ComparisonView
from app.trace.files import choose_open, choose_save, opened_words
from app.trace.tables import labels_of
from app.trace.view import TraceView
from app.widgets.banner import Banner
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.empty_state import EmptyState
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from core.progress import TaskContext
from core.types import Answer, Community, PassageLabel, SavedTrace, Trace, TraceComparison
from core.types.stages import DistilledPiece

if TYPE_CHECKING:
    from core.workspace import Workspace


class TracePanel(TraceView):
    """The trace of the last answer or of a file."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tracePanel")
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._answer: Answer | None = None
        self._before: Answer | None = None  # the answer before it
        self._late: Answer | None = None  # one that came while another panel was in front
        self._front = True
        self._opened: SavedTrace | None = None  # where a file is shown and not the answer
        session.commands.add(self, *self._commands())
        self._add_tools()
        self._add_pages()
        self._connect()
        self.clear()

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
        save, opened, before, compare = tips
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
                tip=compare,
            ),
        )

    def _add_tools(self) -> None:
        """The buttons behind the filter."""
        tip = tr("Copy the whole trace, with the heat of every entity, as JSON")
        self.copy_button = push_button(tr(" Copy as JSON"), self.copy, icon="brackets-curly", tip=tip)
        commands, menu, ids = self._session.commands, QMenu(self), ("trace.before", "trace.with")
        menu.addActions([commands.action(id) for id in ids])
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(partial(commands.explain, ids, True))
        menu.aboutToHide.connect(partial(commands.explain, ids, False))
        self.open_button, self.save_button = tool_button("folder-open"), tool_button("floppy-disk")
        for button, id in ((self.open_button, "trace.open"), (self.save_button, "trace.save")):
            button.setAccessibleName(commands[id].name)
            commands.press(button, id)
        self.compare_button = tool_button("arrows-left-right", tr("Compare with another trace"))
        attach_menu(self.compare_button, menu)
        for tool in (self.open_button, self.compare_button, self.save_button, self.copy_button):
            self.tools.addWidget(tool)

    def _add_pages(self) -> None:
        """Nothing yet; a trace, below a line that marks one of a file; two beside each other."""
        words = tr(
            "Ask a question: every step of its answer is laid open here. Or open a trace that was kept."
        )
        self.empty = EmptyState("path", tr("No trace yet"), words)
        self.comparison = ComparisonView()
        self.back_button = push_button(tr("Back to the last answer"), self.go_back)
        self.banner = Banner("file-text", self.back_button, Qt.AlignmentFlag.AlignVCenter)
        self.source = PlainLabel(wrap=True, selectable=True)
        self.banner.column.addWidget(self.source)
        trace_page, stack = QWidget(), QWidget()
        self._stack = QStackedLayout(stack)
        column(self.banner, (self.area, 1), spacing=0, on=trace_page)
        for page in (self._empty_page(), trace_page, self.comparison):
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
        session.selection.changed.connect(self.beam.show_current)
        self.beam.chosen.connect(lambda community: operations.select_community(session, community))
        self.chosen.connect(self._on_chosen)
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
        self._show(answer.trace, labels_of(answer.evidence))
        workspace = self._session.workspace
        if workspace is not None:
            self._tasks.start("names", lambda _: workspace.traces.named(answer.trace), self._on_named)

    def show_opened(self, saved: SavedTrace, source: Path) -> None:
        """Lay the trace of a file open, marked as such."""
        self._opened = saved
        self._tasks.drop("names")
        self._show(saved.trace, dict(saved.trace.passages))
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

    def _show(self, trace: Trace, labels: dict[str, PassageLabel]) -> None:
        self.banner.setVisible(False)
        self.show_trace(trace, labels)
        self._name_beam(trace)
        self._stack.setCurrentIndex(1)

    def _on_named(self, trace: Trace) -> None:
        self._labels.update(trace.passages)
        self.detail.renew()

    def _name_beam(self, trace: Trace) -> None:
        """Its communities by title, as soon as these are read."""
        self._tasks.drop("beam")
        workspace = self._session.workspace
        if trace.beam and workspace is not None:
            self._tasks.start("beam", lambda _: workspace.graph.communities(), self._on_communities)

    def _on_communities(self, communities: list[Community]) -> None:
        self.beam.set_communities(communities)
        self.beam.show_current(self._session.selection.current)

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
        if isinstance(record, DistilledPiece):
            go = partial(operations.select_place, session, passage, record.start, record.end)
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

        def work(context: TaskContext) -> bool:
            saved = self._saved(workspace)
            return workspace.write_trace(saved, target, context, True) is saved

        def done(same: bool) -> None:
            words = tr("Trace saved in {path}.", path=target)
            self._session.tell(
                words if same else tr("{words} {why}", words=words, why=ASKED_AGAIN), "success"
            )

        self._tasks.start("file", work, done)

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
            current, known = self._saved(workspace), workspace.traces.of(other)
            return workspace.traces.compare(*((current, known) if self._opened else (known, current)))

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


PANEL = PanelSpec("trace", tr("Trace"), Area.BOTTOM, TracePanel, least=300)
