"""Pinned questions: asked again after any change, with what that changed in routes, ranks, recall and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu, QStackedLayout, QWidget

from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.pins.expected import ExpectedSection
from app.pins.rows import (
    PinRow,
    asked_words,
    gone_words,
    pin_rows,
    pins_table,
    run_words,
    since_words,
    sums_words,
    tuning_words,
)
from app.session import operations
from app.session.changes import Following
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.session import Level, Message, Session
from app.session.tasks import KEEPING, Lane
from app.session.warming import warm
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.fields import choose_file, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import CENTRE, STRETCH, PanelScroll, column, row
from app.widgets.notices import EmptyState
from app.widgets.table import RECORD_ROLE, TraceTable
from core.progress import Progress, TaskContext
from core.types import Changed, Pin, PinComparison, SinceRun, Tuning

if TYPE_CHECKING:
    from core.workspace import Workspace

_BASELINE = tr("What comes later is compared with this run until another one is kept")
_FILES = tr("For another workspace of the same documents: question, answer, quotes and route, a line each")
_TUNE = tr(
    "Thresholds and weights of the lists that find most of what you expect; nothing changes before you say so"
)
KINDS = tr("Pinned questions (*.jsonl)")
SINCE_MS = 500  # least time between two looks at whether the last run is still of what is there


@dataclass(frozen=True, slots=True)
class _Pinned:
    pins: list[Pin]
    found: PinComparison | None
    baseline: int | None
    gone: Mapping[str, int]  # expected passages that stand in no document, by pin


_NOTHING = _Pinned([], None, None, {})


class PinsPanel(QWidget):
    """A table of the pinned questions, below it what is expected of the selected one.

    A double click, or Enter, asks one again in the ask panel.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._current = _NOTHING
        self.run_button, self.remove_button = push_button(kind="primary"), push_button(tr("Unpin"))
        self.progress = progress_bar(tr("Asking the pinned questions"))
        self.more = tool_button("dots-three", tr("Baseline, import and export"))
        self.since = PlainLabel(kind="muted", wrap=True, selectable=True)
        self.sums = PlainLabel(wrap=True, selectable=True)
        self.settings = PlainLabel(kind="small", wrap=True, selectable=True)
        self._records = pins_table(self)
        self.table = TraceTable(self._records, "pinsTable")
        self.table.setAccessibleName(tr("Pinned questions"))
        self.expected = ExpectedSection(session)
        self.empty = EmptyState(
            "push-pin",
            tr("No pinned questions yet"),
            tr(
                "Ask a question and press the pin below its answer: run the pins after a change to see what it did."
            ),
        )
        self.import_button = push_button(tr("Import pinned questions..."))
        self._lay_out()
        # Documents say which passages are gone; all else that changes only makes the last run an older one.
        self._following = Following(
            self, session, _read, self._show, concerns=lambda changed: changed.documents
        )
        self._aging = Following(self, session, _read_since, self._show_since, pause=SINCE_MS)
        session.pinned.connect(self._following.again)
        session.pinned.connect(self._aging.again)
        session.workspace_closed.connect(self._clear)
        session.blocked_changed.connect(self._show_running)
        self.table.doubleClicked.connect(self.ask_selected)
        self.table.selectionModel().selectionChanged.connect(self._show_expected)
        self.run_button.clicked.connect(self._on_button)
        session.commands.add(self, *self._commands())
        session.commands.add(self.table, *self._row_commands(), scoped=True)
        session.commands.press(self.remove_button, "pins.remove")
        session.commands.press(self.import_button, "pins.import")
        attach_menu(self.more, self._menu())
        self.entrance = self.table
        self._clear()

    def _lay_out(self) -> None:
        buttons = row(self.run_button, self.remove_button, (self.progress, 1), STRETCH, self.more)
        parts = (self.since, self.sums, self.settings, self.table, self.expected)
        self.area = PanelScroll(buttons, *parts, STRETCH, spacing=theme.GRID)
        nothing = QWidget()
        column((self.empty, 1), (self.import_button, CENTRE), theme.AROUND, spacing=0, on=nothing)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(nothing)
        self._stack.addWidget(self.area)

    def _commands(self) -> tuple[Command, ...]:
        session = self._session

        def shut() -> str:
            return session.shut if session.workspace else tr("No workspace is open.")

        def unrun() -> str:
            found = self._current.found
            if shut() or found is None:
                return shut() or tr("These questions were not run yet.")
            return tr("It is the baseline.") if found.now.number == self._current.baseline else ""

        def unkept() -> str:
            return shut() or ("" if self._current.baseline is not None else tr("No baseline is kept."))

        def none() -> str:
            return "" if self._current.pins else tr("No question is pinned yet.")

        run, tune, bring, write = (
            self.run,
            partial(fit_ranking, session),
            partial(choose_import, session, self),
            partial(choose_export, session, self),
        )
        keep, drop = partial(self.keep_baseline, True), partial(self.keep_baseline, False)
        return (
            Command("pins.run", tr("R&un the pinned questions"), run, icon="push-pin", why_not=self._why_not),
            Command(
                "pins.baseline", tr("Keep the last run as &baseline"), keep, why_not=unrun, tip=_BASELINE
            ),
            Command("pins.before", tr("Compare with the run bef&ore"), drop, why_not=unkept),
            Command("pins.train", tr("&Fit the ranking to these questions"), tune, why_not=shut, tip=_TUNE),
            Command("pins.import", tr("&Import pinned questions..."), bring, why_not=shut, tip=_FILES),
            Command("pins.export", tr("E&xport pinned questions..."), write, why_not=none, tip=_FILES),
        )

    def _menu(self) -> QMenu:
        menu, commands = QMenu(self), self._session.commands
        ids = ("pins.baseline", "pins.before", "pins.train", "pins.import", "pins.export")
        menu.addActions([commands.action(id) for id in ids])
        menu.setToolTipsVisible(True)
        commands.explain_in(menu, ids)
        return menu

    def _row_commands(self) -> tuple[Command, ...]:
        def none() -> str:
            return "" if self.chosen() else tr("Select a pinned question first.")

        def shut() -> str:
            return self._session.shut or none()

        return (
            Command("pins.ask", tr("Ask it again"), self.ask_selected, "Return", why_not=none),  # not shown
            Command("pins.remove", tr("Unpin"), self.remove_selected, "Del", why_not=shut),  # not shown
        )

    # ------------------------------------------------------------ content

    def _show(self, pinned: _Pinned) -> None:
        before, self._current, found = self._current, pinned, pinned.found
        rows = pin_rows(pinned.pins, found, pinned.gone)
        if [pin.id for pin in before.pins] == [pin.id for pin in pinned.pins] != []:
            self._records.renew(rows)
        else:
            self.table.set_records(rows)
        self.sums.setText(sums_words(found) if found else tr("These questions were not run yet."))
        lines = (run_words(found, pinned.baseline) if found else "", gone_words(sum(pinned.gone.values())))
        self.settings.setText("\n".join(filter(None, lines)))
        self.settings.setVisible(any(lines))
        self._stack.setCurrentIndex(1 if pinned.pins else 0)
        self._show_running()
        self._show_expected()

    def _show_since(self, since: SinceRun | None) -> None:
        self.since.setText(since_words(since))
        self.since.setVisible(bool(since))

    def _show_expected(self, *_: object) -> None:
        chosen = self.chosen()
        self.expected.show_pin(chosen[0] if len(chosen) == 1 else None)

    def _clear(self) -> None:
        self._show(_NOTHING)
        self._show_since(None)

    def chosen(self) -> list[Pin]:
        """Return the pins of the selected rows, from the top."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        found: list[PinRow] = [self.table.model().index(at, 0).data(RECORD_ROLE) for at in rows]
        return [each.pin for each in found]

    # ------------------------------------------------------------ the person

    @property
    def running(self) -> bool:
        return self._tasks.busy("run")

    def _why_not(self) -> str:
        if self._session.shut or self.running:
            return self._session.shut or tr("The pinned questions are being asked.")
        return "" if self._current.pins else tr("No question is pinned yet.")

    def run(self) -> None:
        """Ask all pinned questions again, one after the other; what comes is kept."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def work(context: TaskContext) -> PinComparison:
            warm(workspace, context)
            return workspace.pins.run(context)

        self.progress.setRange(0, 0)
        self._tasks.start(
            "run", work, self._on_run, progress=self._on_progress, ended=self._show_running, lane=Lane.MODEL
        )
        self._show_running()

    def stop(self) -> None:
        """Give the run up: nothing of it is kept."""
        self._tasks.drop("run")
        self._show_running()

    def _on_button(self) -> None:
        if self.running:
            self.stop()
        else:
            self._session.commands.run("pins.run")

    def _on_progress(self, news: Progress) -> None:
        if news.stage == "questions":
            self.progress.setRange(0, news.total)
            self.progress.setValue(news.done)
            set_tip(self.progress, asked_words(news.done, news.total))

    def keep_baseline(self, wanted: bool) -> None:
        """Compare runs with the last one from now on, or again each with the one before."""
        workspace, found = self._session.workspace, self._current.found
        if workspace is not None and found is not None:
            number = found.now.number if wanted else None
            self._tasks.start(
                "baseline",
                lambda _: workspace.pins.keep_baseline(number),
                lambda _: self._session.pinned.emit(),
            )

    def _on_run(self, found: PinComparison) -> None:
        self._session.notify(sums_words(found), "warning" if found.count("worse") else "success")
        self._session.pinned.emit()

    def _show_running(self) -> None:
        running = self.running
        self.run_button.setText(tr("Stop") if running else tr("Run pins"))
        self.progress.setVisible(running)
        reason = "" if running else self._why_not()
        self.run_button.setEnabled(not reason)
        words = tr("Give this run up; nothing of it is kept") if running else reason
        self._session.commands.describe(self.run_button, "pins.run", words)

    def ask_selected(self) -> None:
        """Ask the first of the selected questions in the ask panel, by the route of its pin."""
        pins, commands = self.chosen(), self._session.commands
        if pins:
            if "panel.ask" in commands:
                commands.run("panel.ask")
            operations.ask(self._session, pins[0].question, pins[0].route)

    def remove_selected(self) -> None:
        """Unpin the selected questions; one press brings them back."""
        workspace, pins = self._session.workspace, self.chosen()
        if workspace is None or not pins:
            return
        self._tasks.start(
            "unpin",
            lambda _: workspace.pins.unpin([pin.id for pin in pins]),
            lambda _: self._on_removed(workspace, pins),
        )

    def _on_removed(self, workspace: Workspace, pins: list[Pin]) -> None:
        session = self._session

        def put_back() -> None:
            session.tasks.start("pin", lambda _: workspace.pins.put(pins), lambda _: session.pinned.emit())

        session.pinned.emit()
        words = trn("{count} question unpinned.", "{count} questions unpinned.", len(pins))
        session.message_posted.emit(Message(words, "success", action=tr("Pin again"), act=put_back))


def _read(workspace: Workspace, _: Changed, __: TaskContext) -> _Pinned:
    pins = workspace.pins
    return _Pinned(pins.all(), pins.latest(), pins.baseline(), pins.gone())


def _read_since(workspace: Workspace, _: Changed, __: TaskContext) -> SinceRun | None:
    return workspace.pins.since_run()


def fit_ranking(session: Session) -> None:
    """Find what the pinned questions and judged answers would change, and offer to keep it."""
    workspace = session.workspace
    if workspace is None:
        return

    def on_undone(_: object) -> None:
        session.notify(tr("The ranking is as it was before."), "success")
        session.pinned.emit()

    def undo() -> None:
        start(KEEPING, lambda _: workspace.pins.undo_tuning(), on_undone)

    def on_saved(_: object) -> None:
        words = tr("This workspace ranks by these settings from now on.")
        session.message_posted.emit(Message(words, "success", "", tr("Undo"), undo))
        session.pinned.emit()

    def keep(found: Tuning) -> None:
        start(KEEPING, lambda _: workspace.pins.apply_tuning(found), on_saved)

    def done(found: Tuning) -> None:
        offer = (tr("Keep it"), partial(keep, found)) if found.settings else ("", None)
        session.message_posted.emit(Message(tuning_words(found), "info", "", *offer))

    def work(context: TaskContext) -> Tuning:
        warm(workspace, context)
        return workspace.pins.tune(context)

    start = session.tasks.start
    session.notify(tr("Fitting the ranking to your questions..."))
    start("tune", work, done, lane=Lane.MODEL)


def choose_import(session: Session, parent: QWidget) -> None:
    """Ask for a file, and pin the questions in it."""
    choose_file(parent, tr("Import pinned questions"), KINDS, partial(_import, session))


def choose_export(session: Session, parent: QWidget) -> None:
    """Ask for a file, and write all pinned questions into it, whatever was there."""
    choose_file(parent, tr("Export pinned questions"), KINDS, partial(_export, session), "jsonl")


def _import(session: Session, source: Path) -> None:
    workspace = session.workspace
    if workspace is None:
        return

    def work(_: TaskContext) -> tuple[list[Pin], int, int]:
        return workspace.pins.all(), *workspace.pins.import_pins(source)

    def undo(before: list[Pin]) -> None:
        session.tasks.start("pin", lambda _: workspace.pins.replace(before), lambda _: session.pinned.emit())

    def done(found: tuple[list[Pin], int, int]) -> None:
        before, count, lost = found
        session.pinned.emit()
        words = trn("{count} question pinned.", "{count} questions pinned.", count)
        remedy = trn(
            "{count} of the quotes stands in no document.",
            "{count} of the quotes stand in no document.",
            lost,
        )
        level: Level = "warning" if lost else "success"
        session.message_posted.emit(
            Message(words, level, remedy if lost else "", tr("Undo"), partial(undo, before))
        )

    session.tasks.start("pin", work, done)


def _export(session: Session, target: Path) -> None:
    workspace = session.workspace
    if workspace is None:
        return

    def done(count: int) -> None:
        words = trn(
            "{count} question written to {path}.", "{count} questions written to {path}.", count, path=target
        )
        session.notify(words, "success")

    session.tasks.start("export pins", lambda _: workspace.pins.export_pins(target, replace=True), done)


PANEL = PanelSpec("pins", tr("Pins"), Area.BOTTOM, PinsPanel, least=320, keys="Ctrl+B")
