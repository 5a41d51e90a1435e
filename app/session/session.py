"""The open workspace, its tasks, its selection and its news; passed in, never global."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.look.translation import tr
from app.session.changes import Changes
from app.session.collector import GuiCollector
from app.session.commands import Commands
from app.session.decisions import Decisions, FactPolicy, Proposals
from app.session.indexing import Indexing
from app.session.language_server import QUOTES, LanguageServer, Streaming
from app.session.overlay import AnswerOverlay, SharedOverlay
from app.session.running import LabRunning, TrainingRunning
from app.session.scope import SharedScope, Time
from app.session.selection import Selected, Selection, SharedChosen
from app.session.tasks import ASKING, ASKING_NAMES, WRITING_REPORTS, TaskRunner
from core.errors import CoreError
from core.progress import TaskContext
from core.types import Answer
from core.types.threads import ThreadAnswer

if TYPE_CHECKING:
    from core.workspace import Workspace

Level = Literal["info", "success", "warning", "error"]

__all__ = ["Level", "Message", "Selected", "Selection", "Session"]


@dataclass(frozen=True, slots=True)
class Message:
    """One line for the message bar. `act` runs when the person presses the button `action`."""

    text: str
    level: Level = "info"
    remedy: str = ""
    action: str = ""
    act: Callable[[], None] | None = None


class Session(QObject):
    """What every panel is given.

    Signals: workspace_opening() so that listeners are made in time, then workspace_opened(Workspace);
    workspace_closed(); growth(Growth) while indexing;
    indexing_changed(IndexingState); what changed in the workspace is told by `changes`;
    blocked_changed() when `blocked` did;
    asking(str) when a question is on its way, ranked(Answer) with its passages before they are read,
    answered(Answer) or not_answered(CoreError | None) at its end; thread_left() when the next question is to begin a
    thread;
    judged(Answer, list of JudgedAnswer of its question) when they were read or changed;
    pinned() when a question was pinned or unpinned, or all were run;
    name_change_wanted(NameChange) when a person wants to see what this would change, to do it or not;
    names_wanted(str) when the table of names is to show those of a place on the map, "" for all;
    names_asked(Progress) while a language model is asked about names;
    miss_wanted(MissMark) when a person wants to know why this was not found;
    pointed_at(Selected | None) while the mouse rests on a mark; message_posted(Message);
    folder_wanted() when the person is to choose a folder. `scope` tells what questions and graph keep to,
    `chosen` which entities a person gathered on the graph, `time` what is told in its dates.
    """

    workspace_opening = Signal()
    workspace_opened = Signal(object)
    workspace_closed = Signal()
    growth = Signal(object)
    indexing_changed = Signal(object)
    blocked_changed = Signal()
    asking = Signal(str)
    ranked = Signal(object)
    answered = Signal(object)
    thread_left = Signal()
    judged = Signal(object, object)
    pinned = Signal()
    name_change_wanted = Signal(object)
    names_wanted = Signal(str)
    names_asked = Signal(object)
    miss_wanted = Signal(object)
    not_answered = Signal(object)
    pointed_at = Signal(object)
    message_posted = Signal(object)
    folder_wanted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.workspace: Workspace | None = None
        self.answer: Answer | None = None  # the last one
        self.thread_answer: ThreadAnswer | None = None  # the thread that the next question goes on with
        self.written_by = ""  # which other process writes: completes "the workspace is ..."
        self._collector = GuiCollector(self)  # the tasks run Python on other threads
        self.tasks = TaskRunner(self)
        self.tasks.explain = self._damage_behind
        self._closing: dict[Path, threading.Event] = {}  # workspaces that were closed, by path
        self.selection = Selection(self)
        self.overlay = SharedOverlay(self)
        self.scope = SharedScope(self)
        self.workspace_closed.connect(self.scope.clear)
        self.workspace_closed.connect(self._forget_thread)
        self.chosen = SharedChosen(self)
        self.workspace_closed.connect(self.chosen.clear)
        AnswerOverlay(self)
        self.commands = Commands(self)
        self.commands.refused.connect(lambda reason: self.notify(reason, "warning"))
        self.language = LanguageServer(self)
        self.streaming = Streaming(lambda: self.tasks.busy(ASKING), self)
        self.indexing = Indexing(self)
        self.lab = LabRunning(self)
        self.training = TrainingRunning(self)
        self.changes = Changes(self)
        self.time = Time(self)
        self.policy = FactPolicy(self)
        self.decisions = Decisions(self)
        self.proposals = Proposals(self)
        self.lab.failed.connect(self.notify_error)
        self.training.failed.connect(self.notify_error)
        self.indexing.document.connect(self.changes.on_document)
        self.indexing.workspace_changed.connect(self.changes.on_run)
        self.indexing_changed.connect(self.changes.on_indexing)
        self.tasks.failed.connect(self.notify_error)
        self.tasks.busy_changed.connect(self._on_busy)
        self.indexing.growth.connect(self.growth)
        self.indexing.changed.connect(self.indexing_changed)
        self.indexing.changed.connect(lambda _: self.blocked_changed.emit())
        self.indexing.ended.connect(self.blocked_changed)

    def _forget_thread(self) -> None:
        self.thread_answer = None

    @property
    def folder(self) -> Path | None:
        """Return the folder that is indexed into the open workspace now, or was last; None for a new one."""
        if self.workspace is None:
            return None
        if self.indexing.workspace == self.workspace.path and self.indexing.folder is not None:
            return self.indexing.folder
        return self.workspace.folder

    @property
    def shut(self) -> str:
        """Return why nothing can be changed in the open workspace, in words for people; "" where it can."""
        workspace = self.workspace
        if workspace is None or not workspace.read_only:
            return ""
        if not self.trusted:
            return tr("This workspace is not trusted yet, so it is open for reading only.")
        if workspace.in_use_by:
            return tr(
                "This workspace is {in_use}, so it is open for reading only.", in_use=workspace.in_use_by
            )
        return tr("You may not write to this workspace, so it is open for reading only.")

    @property
    def shut_remedy(self) -> str:
        """Return what to do about `shut`; "" where nothing can be done."""
        if not self.shut:
            return ""
        if not self.trusted:
            return tr("Look at what it names, above, and trust it there if it is yours.")
        if self.workspace is not None and self.workspace.in_use_by:
            return tr("Close it there, then try again.")
        return tr("Allow writing in its folder, or open a copy of it in a place of your own.")

    @property
    def blocked(self) -> str:
        """Return why nothing can be removed or retried right now, in words; "" where it can."""
        if self.shut:
            return self.shut
        if self.indexing.alive:
            return tr("Indexing is at work. Wait until it has ended, or stop it.")
        if self.tasks.busy(WRITING_REPORTS):
            return tr("Reports are being written. Wait until that has ended, or stop it.")
        if self.tasks.busy(ASKING_NAMES):
            return tr("A language model is asked about names. Wait until that has ended, or stop it.")
        if self.written_by:
            return tr("The workspace is {in_use}. Wait until that has ended.", in_use=self.written_by)
        return ""

    def _damage_behind(self, error: BaseException) -> CoreError | None:
        return self.workspace.damage_behind(error) if self.workspace is not None else None

    @property
    def trusted(self) -> bool:
        """Return whether the open workspace is the person's own; True where none is open."""
        return self.workspace is None or self.workspace.trusted

    @property
    def writer(self) -> str:
        """Return who writes answers: the chosen writer, but no model where none may be asked."""
        return self.language.writer if self.trusted else QUOTES

    def _on_busy(self, group: str, _: bool) -> None:
        if group in (WRITING_REPORTS, ASKING_NAMES):
            self.blocked_changed.emit()

    def connect_model_state(self, update: Callable[..., object]) -> None:
        """Call `update` when the models, the one that writes, or whether anything may be written changes."""
        language = self.language
        for changed in (
            language.changed,
            language.writer_changed,
            self.blocked_changed,
            self.workspace_closed,
        ):
            changed.connect(update)

    def set_written_by(self, words: str) -> None:
        """Record that another process writes to the workspace, or with "" that none does."""
        if words != self.written_by:
            self.written_by = words
            self.blocked_changed.emit()

    def set_workspace(self, workspace: Workspace) -> None:
        """Open a workspace in place of the one before, which is closed."""
        self.close_workspace()
        self.workspace = workspace
        self.changes.follow(workspace)
        self.language.set_host(workspace.language_models.host)
        self.workspace_opening.emit()
        self.workspace_opened.emit(workspace)
        self.blocked_changed.emit()

    def close_workspace(self) -> None:
        """Close the workspace, if one is open; no late result of it lands afterwards."""
        if self.workspace is None:
            return
        self.indexing.stop()
        self.lab.close()
        self.training.close()
        self.tasks.drop_all()
        workspace, self.workspace, self.answer = self.workspace, None, None
        self.changes.follow(None)
        self.written_by = ""
        self.selection.forget()
        self.streaming.end()
        self.language.set_host(None)
        self.workspace_closed.emit()
        closed = self._closing[workspace.path] = threading.Event()

        def close() -> None:
            try:
                workspace.close()
            finally:
                closed.set()

        self.tasks.after_running(close)

    def wait_until_closed(self, path: Path, context: TaskContext) -> None:
        """Block until this workspace, closed a moment ago, is released. From another thread only."""
        closed = self._closing.get(path)
        while closed is not None and not closed.wait(0.05):
            context.check()

    def notify(self, text: str, level: Level = "info") -> None:
        """Show one line in the message bar."""
        self.message_posted.emit(Message(text, level))

    def notify_error(self, error: CoreError) -> None:
        """Show a known failure in the message bar, with its remedy."""
        self.message_posted.emit(Message(error.message, "error", error.remedy))

    def close(self) -> None:
        """End everything that runs. Safe to call twice."""
        self.close_workspace()
        self.indexing.close()
        self.tasks.close()
        self._collector.close()

        def ended() -> None:
            for closed in tuple(self._closing.values()):
                closed.wait()
            self._collector.let_go()

        self.tasks.after_running(ended)
