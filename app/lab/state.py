"""What the views of the lab share: the compositions, which one is chosen and adopted, a run with its figures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.look.translation import tr
from app.session.session import Message, Session
from core.errors import CoreError
from core.progress import TaskContext
from core.types import LabComposition, LabRun, LabWish

if TYPE_CHECKING:
    from core.workspace import Workspace
    from core.workspace.lab import LabFigures, LabReading, LabRow

FIRST, OTHER = "no-12", "fusion"  # which are looked at until others are chosen
_LOOK_MS = 600  # between two looks at the rows of a run that is made, at least
_REST_MS = 8_000  # for each second that a look takes


@dataclass(frozen=True, slots=True)
class LabSetup:
    """What a workspace has for the lab, besides runs."""

    compositions: tuple[LabComposition, ...] = ()
    adopted: str = ""
    pins: int = 0
    verdicts: int = 0
    facts: int = 0


@dataclass(frozen=True, slots=True)
class LabResults:
    """The rows of a run so far and what they say; `front` by what it was asked for is made where it is drawn."""

    rows: Sequence[LabRow] = ()
    figures: Sequence[LabFigures] = ()
    kinds: Sequence[str] = ()
    torn: int = 0
    seconds: float = 0.0  # that it took to read and count them


NOTHING, NO_RESULTS = LabSetup(), LabResults()


class LabState(QObject):
    """Signals: setup_changed(); chosen_changed(); runs_changed(); results_changed()."""

    setup_changed = Signal()
    chosen_changed = Signal()
    runs_changed = Signal()
    results_changed = Signal()

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self.setup, self.results = NOTHING, NO_RESULTS
        self.chosen, self.other, self.kind = "", "", ""
        self.runs: tuple[LabRun, ...] = ()
        self.run: LabRun | None = None
        self._reading: LabReading | None = None
        self._awake = False  # somebody looks
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self.read_on)
        session.lab.changed.connect(self._on_running)
        session.pinned.connect(self.renew)
        session.judged.connect(self.renew)
        session.workspace_opened.connect(self.renew)
        session.workspace_closed.connect(self._forget)

    @property
    def by_name(self) -> dict[str, LabComposition]:
        return {each.name: each for each in self.setup.compositions}

    # ------------------------------------------------------------ what there is

    def wake(self) -> None:
        """Somebody looks: read what there is, now and whenever it changes."""
        self._awake = True
        self.renew()

    def renew(self, *_: object) -> None:
        """Read compositions, runs and sources of questions again."""
        workspace = self._session.workspace
        if workspace is not None and self._awake:
            self._tasks.start("setup", lambda _: _setup(workspace), self._on_setup)

    def _on_setup(self, found: tuple[LabSetup, tuple[LabRun, ...]]) -> None:
        self.setup, runs = found
        known = self.by_name
        if self.chosen not in known:
            self.chosen = next((name for name in (self.setup.adopted, FIRST, *known) if name in known), "")
        if self.other not in known:
            self.other = OTHER if OTHER in known else next(iter(known), "")
        self.setup_changed.emit()
        self.chosen_changed.emit()
        self.runs = runs
        self.runs_changed.emit()
        if self.run is None and (valid_run := next((run for run in runs if not run.fault), None)):
            self.open_run(valid_run)

    def choose(self, name: str) -> None:
        """Look at this composition."""
        if name in self.by_name and name != self.chosen:
            self.chosen = name
            self.chosen_changed.emit()

    def hold_against(self, name: str) -> None:
        """Compare what is chosen with this one."""
        if name in self.by_name and name != self.other:
            self.other = name
            self.chosen_changed.emit()

    def adopt(self, name: str) -> None:
        """Have the workspace's questions asked by a composition; "": by the score again. It can be undone."""
        workspace, session = self._session.workspace, self._session
        if workspace is None:
            return
        words = (
            tr("Questions are asked by {name} from now on.", name=name)
            if name
            else tr("The score chooses each question's route again.")
        )

        def done(before: str) -> None:
            undo = (lambda: self.adopt(before)) if before != name else None
            session.message_posted.emit(
                Message(words, "success", action=tr("Undo") if undo else "", act=undo)
            )
            self.renew()

        self._tasks.start("adopt", lambda _: workspace.lab.adopt(name), done)

    # ------------------------------------------------------------ runs

    def begin(self, wish: LabWish) -> None:
        """A new run."""
        workspace = self._session.workspace
        if workspace is None:
            return

        def done(run: LabRun) -> None:
            self._show_run(run)
            self._session.lab.start(workspace.path, run.path, wish)

        def work(_: TaskContext) -> LabRun:
            path = workspace.lab.begin(wish)
            return LabRun(path.stem, path, 0.0, wish=wish)

        self._tasks.start("begin", work, done)

    def go_on(self) -> None:
        """With the run that is open."""
        workspace, run = self._session.workspace, self.run
        if workspace is not None and run is not None and run.wish is not None:
            self._session.lab.start(workspace.path, run.path, run.wish)

    def open_run(self, run: LabRun) -> None:
        """Show a run that is kept."""
        self._show_run(run)
        self.read_on()

    def remove_run(self) -> None:
        """Delete the run that is open."""
        workspace, run = self._session.workspace, self.run
        if workspace is not None and run is not None:

            def done(_: None) -> None:
                self._show_run(None)
                self.renew()

            self._tasks.start("remove", lambda _: workspace.lab.remove(run), done)

    def set_kind(self, kind: str) -> None:
        """Tell of questions of this kind only, "" for all."""
        self.kind = kind
        self.read_on(again=True)

    def _show_run(self, run: LabRun | None) -> None:
        workspace = self._session.workspace
        self._tasks.drop("rows")
        self.run, self.results, self.kind = run, NO_RESULTS, ""
        self._reading = workspace.lab.reading(run.path) if workspace is not None and run is not None else None
        self.runs_changed.emit()
        self.results_changed.emit()

    def read_on(self, again: bool = False) -> None:
        """The rows that came; `again`: what they say, though none came."""
        workspace, reading = self._session.workspace, self._reading
        if workspace is None or reading is None or (self._tasks.busy("rows") and not again):
            return
        kind, known = self.kind, bool(self.results.rows)

        def work(_: TaskContext) -> LabResults | None:
            begin = time.perf_counter()
            came = reading.more()
            if not came and known and not again:
                return None
            rows = reading.rows
            figures = workspace.lab.figures(rows, kind)
            kinds = workspace.lab.kinds(rows)
            return LabResults(rows, figures, kinds, reading.torn, time.perf_counter() - begin)

        self._tasks.start("rows", work, self._on_rows, failed=self._on_unread)

    def _on_rows(self, found: LabResults | None) -> None:
        if found is not None:
            self.results = found
            self._look.setInterval(
                max(_LOOK_MS, int(found.seconds * _REST_MS))
            )  # a long run is read more seldom
            self.results_changed.emit()

    def _on_unread(self, error: CoreError) -> None:
        self._look.stop()
        self._session.notify_error(error)

    def _on_running(self) -> None:
        if self._session.lab.running:
            self._look.start()
        else:
            self._look.stop()
            self.read_on(again=True)
            self.renew()

    def _forget(self) -> None:
        self._look.stop()
        for group in ("setup", "rows", "begin", "adopt", "remove"):
            self._tasks.drop(group)
        self.setup, self.results, self.runs = NOTHING, NO_RESULTS, ()
        self.run = self._reading = None
        self.chosen = self.other = self.kind = ""
        for signal in (self.setup_changed, self.chosen_changed, self.runs_changed, self.results_changed):
            signal.emit()


def _setup(workspace: Workspace) -> tuple[LabSetup, tuple[LabRun, ...]]:
    lab = workspace.lab
    judged = {each.question for each in workspace.answers.judged()}
    found = LabSetup(
        tuple(lab.compositions()),
        lab.adopted,
        len(workspace.pins.all()),
        len(judged),
        workspace.counts().facts,
    )
    return found, tuple(lab.runs())
