"""How questions go over time, whether names are linked rightly, and how far documents moved on since."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QCheckBox, QMenu, QStackedLayout, QWidget

from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.monitor.links import LinksView
from app.monitor.plot import RoutesLegend, RoutesPlot
from app.monitor.words import (
    buckets_table,
    drift_advice,
    drift_words,
    explanations_words,
    one_sided_words,
    sums_words,
    updates_table,
)
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.session import Message, Session
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.fields import ChoiceBox, Segments
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, flow, row
from app.widgets.notices import EmptyState
from app.widgets.table import RECORD_ROLE, TraceTable
from core.progress import TaskContext
from core.types import AskedQuestion, AskedTogether, Drift, ExplanationSums, Monitoring

if TYPE_CHECKING:
    from core.workspace import Workspace

QUESTIONS, LINKS, DRIFT = "questions", "links", "drift"

_NOTHING = Monitoring(AskedTogether(""))
PAUSE_MS = 2_000  # least time between two looks at what others changed
_KEEP = tr(
    "Route, seconds, counts and certainty of each question, in this workspace; no word of it, at most 10,000"
)


@dataclass(frozen=True, slots=True)
class _Read:
    keeps: bool
    questions: Monitoring
    drift: Drift
    explanations: ExplanationSums


class QuestionsView(QWidget):
    """Bars of routes with their legend, below them a line a day or week."""

    def __init__(self) -> None:
        super().__init__()
        self.sums = PlainLabel(wrap=True, selectable=True, name="monitorSums")
        self.warning = PlainLabel(wrap=True, selectable=True, bold=True, name="monitorWarning")
        self.explanations = PlainLabel(wrap=True, selectable=True, name="monitorExplanations")
        self.explanations.hide()
        self.plot, self.legend = RoutesPlot(), RoutesLegend()
        self.table = TraceTable(buckets_table(self), "monitorTable")
        self.table.setAccessibleName(tr("Questions over time"))
        self.empty = EmptyState("chat-circle-dots", tr("No questions yet"))
        theme.follow(self, lambda: self.legend.setFixedWidth(theme.px(190)))
        self._below = QWidget()
        plot_row = row((self.plot, 1), self.legend, spacing=theme.GROUPS)
        column(plot_row, self.table, on=self._below)
        labels = (self.sums, self.warning, self.explanations)
        all_of_it = PanelScroll(*labels, self._below, (self.empty, 1), STRETCH)
        column((all_of_it, 1), spacing=0, on=self)
        self.plot.chosen.connect(self._on_bar)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self._buckets: list[str] = []

    def show_explanations(self, found: ExplanationSums) -> None:
        words = explanations_words(found)
        self.explanations.setText(words)
        self.explanations.setVisible(bool(words))

    def show_questions(self, found: Monitoring, keeps: bool) -> None:
        count = found.all.count
        for part in (self.sums, self.warning, self._below):
            part.setVisible(bool(count))
        self.empty.setVisible(not count)
        asked = tr("Ask a question: how it goes is kept here, without a word of it.")
        off = tr("How questions go is not kept. Turn it on above, then ask.")
        self.empty.set_text(tr("No questions yet"), asked if keeps else off)
        if not count:
            return
        self.sums.setText(sums_words(found.all))
        warning = one_sided_words(found)
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning))
        self._buckets = [bucket.begin for bucket in found.over_time]
        self.plot.show_buckets(found.over_time)
        self.legend.show_routes(found.all)
        self.table.set_records(tuple(reversed(found.over_time)))

    def _on_bar(self, at: int) -> None:
        model = self.table.model()
        for line in range(model.rowCount()):
            if model.index(line, 0).data(RECORD_ROLE).begin == self._buckets[at]:
                self.table.selectRow(line)

    def _on_row(self, *_: object) -> None:
        index = self.table.currentIndex()
        if index.isValid():
            self.plot.choose(self._buckets.index(index.data(RECORD_ROLE).begin))


class DriftView(QWidget):
    """What changed since communities and map were made anew, and what the last updates did."""

    def __init__(self) -> None:
        super().__init__()
        self.words = PlainLabel(wrap=True, selectable=True, name="driftWords")
        self.advice = PlainLabel(wrap=True, selectable=True, bold=True, name="driftAdvice")
        self.again, self.pins = push_button(kind="primary"), push_button()
        self.table = TraceTable(updates_table(self), "updatesTable")
        self.table.setAccessibleName(tr("Updates of the graph"))
        self.empty = EmptyState(
            "arrows-clockwise",
            tr("Nothing is indexed yet"),
            tr("Open a folder: what changes in it is told here."),
        )
        self._below = QWidget()
        buttons = row(self.again, self.pins, STRETCH)
        column(self.words, self.advice, buttons, self.table, on=self._below)
        column((PanelScroll(self._below, (self.empty, 1), STRETCH), 1), spacing=0, on=self)

    def show_drift(self, found: Drift | None) -> None:
        there = found is not None and bool(found.documents or found.facts)
        self._below.setVisible(there)
        self.empty.setVisible(not there)
        if found is None:
            return
        advice = drift_advice(found)
        self.words.setText(drift_words(found))
        self.advice.setText(advice)
        self.advice.setVisible(bool(advice))
        self.table.set_records(found.updates)
        self.table.setVisible(bool(found.updates))


class MonitorPanel(QWidget):
    """Three views. All is read when the panel is looked at."""

    stays = True  # in front while passages are chosen in it

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("monitorPanel")
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._front, self._stale = False, True
        self._soon = QTimer(self, interval=PAUSE_MS, singleShot=True)  # while a folder is read much is told
        self.by = ChoiceBox(tr("Together by"), 8)
        for words, by in ((tr("By day"), "day"), (tr("By week"), "week")):
            self.by.addItem(words, by)
        self.keep = QCheckBox(tr("Keep how questions go"))
        set_tip(self.keep, _KEEP)
        self.more = tool_button("dots-three", tr("Forget what is kept"))
        self.questions, self.links, self.drift = QuestionsView(), LinksView(session), DriftView()
        self.views: dict[str, QWidget] = {QUESTIONS: self.questions, LINKS: self.links, DRIFT: self.drift}
        self._lay_out()
        self._connect()
        self.entrance: QWidget = self.tabs[QUESTIONS]
        self.turn_to(QUESTIONS)
        self._clear()

    def _lay_out(self) -> None:
        words = {QUESTIONS: tr("Questions"), LINKS: tr("Names"), DRIFT: tr("Changes")}
        segments = Segments(words, self.turn_to)
        self.tabs = segments.buttons
        margins = (theme.GROUPS, theme.WITHIN, theme.GROUPS, 0)
        head, tools = QWidget(), QWidget()
        row(self.by, self.keep, self.more, on=tools)
        flow(head, segments, tools).setHorizontalSpacing(theme.WITHIN)
        container = QWidget()
        self._stack = QStackedLayout(container)
        for each in self.views.values():
            self._stack.addWidget(each)
        column(column(head, margins=margins), (container, 1), spacing=0, on=self)

    def _connect(self) -> None:
        session = self._session
        session.commands.add(self, *self._commands(), scoped=True)
        menu = QMenu(self)
        menu.addAction(session.commands.action("monitor.forget"))
        attach_menu(self.more, menu)
        for button, id, words in (
            (self.drift.again, "indexing.again", tr("Read the folder again")),
            (self.drift.pins, "pins.run", tr("Run pins")),
        ):
            button.setText(words)
            button.clicked.connect(partial(self._run, id))
        self.by.activated.connect(self.refresh)
        self.keep.clicked.connect(self._set_keep)
        session.noted.connect(self.refresh)
        session.changes.told.connect(self._on_changed)
        self._soon.timeout.connect(self.refresh)
        session.workspace_opened.connect(self._clear)
        session.workspace_closed.connect(self._clear)
        session.blocked_changed.connect(self._show_shut)

    def _commands(self) -> tuple[Command, ...]:
        def none() -> str:
            has_questions = bool(self.questions.plot.buckets)
            return self._session.shut or ("" if has_questions else tr("Nothing is kept of questions."))

        return (
            Command(
                "monitor.questions", tr("How questions go"), partial(self.turn_to, QUESTIONS), "Ctrl+Alt+1"
            ),
            Command("monitor.links", tr("Names to judge"), partial(self.turn_to, LINKS), "Ctrl+Alt+2"),
            Command("monitor.drift", tr("What changed"), partial(self.turn_to, DRIFT), "Ctrl+Alt+3"),
            Command("monitor.forget", tr("Forget how questions went"), self.forget, why_not=none),
        )

    # ------------------------------------------------------------ views

    @property
    def view(self) -> str:
        return next(name for name, each in self.views.items() if each is self._stack.currentWidget())

    def turn_to(self, view: str, _: bool = False) -> None:
        """One of QUESTIONS, LINKS, DRIFT."""
        self._stack.setCurrentWidget(self.views[view])
        self.tabs[view].setChecked(True)
        self.by.setVisible(view == QUESTIONS)
        self.keep.setVisible(view == QUESTIONS)
        self.more.setVisible(view == QUESTIONS)
        self.entrance = self.links.list if view == LINKS else self.tabs[view]
        if view == LINKS:
            if self.isAncestorOf(QApplication.focusWidget() or self):
                self.links.list.setFocus()  # its keys judge
            QTimer.singleShot(0, self.links, self.links.scroll_to_current)

    def set_in_front(self, front: bool) -> None:
        self._front = front
        if front and self._stale:
            self.refresh()

    # ------------------------------------------------------------ content

    def refresh(self, *_: object) -> None:
        """Read all again, now or when it is looked at."""
        workspace, by = self._session.workspace, str(self.by.currentData())
        self._stale = True
        if workspace is None or not self._front:
            return
        self._stale = False
        self._tasks.start("read", lambda _: _read(workspace, by), self._show)
        self.links.read()

    def _on_changed(self, _: object) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _show(self, found: _Read) -> None:
        self.keep.setChecked(found.keeps)
        self.questions.show_questions(found.questions, found.keeps)
        self.questions.show_explanations(found.explanations)
        self.drift.show_drift(found.drift)
        self._show_shut()

    def _clear(self, *_: object) -> None:
        self._tasks.drop("read")
        self.questions.plot.show_buckets(())
        self.questions.show_questions(_NOTHING, True)
        self.questions.show_explanations(ExplanationSums())
        self.drift.show_drift(None)
        self.links.clear()
        self.refresh()

    def _show_shut(self) -> None:
        self.keep.setEnabled(not self._session.shut)

    # ------------------------------------------------------------ the person

    def _run(self, id: str, _: bool = False) -> None:
        if id in self._session.commands:
            self._session.commands.run(id)

    def _set_keep(self, wanted: bool) -> None:
        workspace = self._session.workspace
        if workspace is not None:
            self._tasks.start(
                "keep", lambda _: workspace.monitoring.keep(wanted), self.refresh, ended=self.refresh
            )

    def forget(self) -> None:
        """Forget what is kept of questions; one press brings it back."""
        workspace = self._session.workspace
        if workspace is None:
            return
        self._tasks.start(
            "forget", lambda _: workspace.monitoring.forget(), partial(self._on_forgotten, workspace)
        )

    def _on_forgotten(self, workspace: Workspace, before: list[AskedQuestion]) -> None:
        session = self._session

        def put_back() -> None:
            put = partial(_put, workspace, before)
            session.tasks.start("monitor", put, lambda _: session.noted.emit())

        self.questions.plot.show_buckets(())
        self.refresh()
        words = trn("{count} question forgotten.", "{count} questions forgotten.", len(before))
        session.told.emit(Message(words, "success", action=tr("Keep again"), act=put_back))


def _put(workspace: Workspace, questions: list[AskedQuestion], _: TaskContext) -> None:
    workspace.monitoring.put(questions)


def _read(workspace: Workspace, by: str) -> _Read:
    monitoring = workspace.monitoring
    explanations = workspace.answers.explanation_sums()
    return _Read(monitoring.keeps, monitoring.questions(by), monitoring.drift(), explanations)


PANEL = PanelSpec(
    "monitor", tr("Monitor"), Area.BOTTOM, MonitorPanel, least=420, keys="Alt+Shift+O", everyday=False
)
