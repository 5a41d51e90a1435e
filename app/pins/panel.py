"""Pinned questions: asked again after any change, with what that changed in routes, ranks, recall and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedLayout, QWidget

from app.look import theme
from app.look.translation import tr, trn
from app.pins.rows import PinRow, pin_rows, pins_table, settings_words, sums_words
from app.session import operations
from app.session.changes import Following
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.session import Message, Session
from app.session.tasks import Lane
from app.session.warming import warm
from app.widgets.buttons import push_button
from app.widgets.empty_state import EmptyState
from app.widgets.fields import progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, row
from app.widgets.table import RECORD_ROLE, TraceTable
from core.progress import Progress, TaskContext
from core.types import Changed, Pin, PinComparison

if TYPE_CHECKING:
    from core.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Pinned:
    pins: list[Pin]
    found: PinComparison | None


class PinsPanel(QWidget):
    """A table of the pinned questions. A double click, or Enter, asks one again in the ask panel."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pinsPanel")
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._pins: list[Pin] = []
        self.run_button, self.remove_button = push_button(kind="primary"), push_button(tr("Unpin"))
        self.progress = progress_bar(tr("Asking the pinned questions"))
        self.sums = PlainLabel(wrap=True, selectable=True)
        self.settings = PlainLabel(kind="small", wrap=True, selectable=True)
        self.table = TraceTable(pins_table(self), "pinsTable")
        self.table.setAccessibleName(tr("Pinned questions"))
        self.empty = EmptyState(
            "push-pin",
            tr("No pinned questions yet"),
            tr(
                "Ask a question and press the pin below its answer: run the pins after a change to see what it did."
            ),
        )
        self._lay_out()
        self._following = Following(self, session, _read, self._show, concerns=lambda _: False)
        session.pinned.connect(self._following.again)
        session.workspace_closed.connect(self._clear)
        session.blocked_changed.connect(self._show_running)
        self.table.doubleClicked.connect(self.ask_selected)
        self.run_button.clicked.connect(self._on_button)
        session.commands.add(
            self,
            Command(
                "pins.run", tr("R&un the pinned questions"), self.run, icon="push-pin", why_not=self._why_not
            ),
        )
        session.commands.add(self.table, *self._commands(), scoped=True)
        session.commands.press(self.remove_button, "pins.remove")
        self.entrance = self.table
        self._clear()

    def _lay_out(self) -> None:
        buttons = row(self.run_button, self.remove_button, (self.progress, 1), STRETCH)
        self.area = PanelScroll(buttons, self.sums, self.settings, self.table, STRETCH, spacing=theme.GRID)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.area)

    def _commands(self) -> tuple[Command, ...]:
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
        self._pins = pinned.pins
        self.table.set_records(pin_rows(pinned.pins, pinned.found))
        found = pinned.found
        self.sums.setText(sums_words(found) if found else tr("These questions were not run yet."))
        self.settings.setText(settings_words(found) if found else "")
        self.settings.setVisible(bool(self.settings.text()))
        self._stack.setCurrentIndex(1 if pinned.pins else 0)
        self._show_running()

    def _clear(self) -> None:
        self._show(_Pinned([], None))

    def chosen(self) -> list[Pin]:
        """The pins of the selected rows, from the top."""
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
        return "" if self._pins else tr("No question is pinned yet.")

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

    def _on_run(self, found: PinComparison) -> None:
        self._session.tell(sums_words(found), "warning" if found.count("worse") else "success")
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
            session.tasks.start(
                "pin", lambda _: workspace.pins.put_back(pins), lambda _: session.pinned.emit()
            )

        session.pinned.emit()
        words = trn("{count} question unpinned.", "{count} questions unpinned.", len(pins))
        session.told.emit(Message(words, "success", action=tr("Pin again"), act=put_back))


def _read(workspace: Workspace, _: Changed, __: TaskContext) -> _Pinned:
    return _Pinned(workspace.pins.all(), workspace.pins.latest())


PANEL = PanelSpec("pins", tr("Pins"), Area.BOTTOM, PinsPanel)
