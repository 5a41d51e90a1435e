"""Names that may be one entity, put to the language model that writes answers: offered, followed, stopped, undone."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.look.plain_text import button_words
from app.look.translation import tr, trn
from app.session.commands import Command
from app.session.errors import in_window
from app.session.language_server import ServerState, look_for_models, model_of
from app.session.session import Level, Message, Session
from app.session.tasks import ASKING_NAMES, Lane
from app.widgets.buttons import block, push_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, row
from core.errors import CoreError
from core.progress import Cancelled, Progress, TaskContext
from core.types import Confirmed, ReviewAct

COMMAND = "entity.confirm"


@dataclass(frozen=True, slots=True)
class Came:
    """What a run decided, and what broke it off, if anything did."""

    found: Confirmed
    broken: CoreError | None = None


def why_no_model(session: Session) -> str:
    """Return why no language model can be asked about names, in words; "" where one can, as far as is known."""
    language, model = session.language, model_of(session.writer)
    if not model:
        return tr("No language model is chosen that could decide. Choose one where questions are asked.")
    if language.host is not None and not language.host.allowed:
        return tr("Nobody is asked yet at {host}", host=language.host.words)
    if language.state is ServerState.GONE:
        return tr("No language model server answers. Start it, and look again under Language models.")
    if language.state is ServerState.THERE and model not in {one.name for one in language.models}:
        return tr("{model} is not there any more. Choose another language model.", model=model)
    return ""


def confirm_command(session: Session) -> Command:
    """For menu and keys: the model decides; once more, and it stops."""

    def why_not() -> str:
        return "" if session.tasks.busy(ASKING_NAMES) else session.blocked or why_no_model(session)

    words = tr("Have a &language model decide on names")
    return Command(COMMAND, words, partial(ask_or_stop, session), "Ctrl+Alt+M", "git-merge", why_not)


class ModelDecides(QWidget):
    """Below the count of pairs: who would decide, or why nobody can; while it does, how far it is."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.button = push_button(act=partial(session.commands.run, COMMAND))
        self.news = ElidedLabel(kind="small")
        self.why = PlainLabel(kind="small", wrap=True)
        column(row(self.button, (self.news, 1)), self.why, spacing=4, margins=(12, 0, 12, 6), on=self)
        session.connect_model_state(self._show)
        session.names_asked.connect(self._on_progress)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()
        self._show()

    def _look(self) -> None:
        """Ask the server what it has, where a model of it is chosen."""
        host = self._session.language.host
        if model_of(self._session.writer) and host is not None and host.allowed:
            look_for_models(self._session)

    def _on_progress(self, progress: Progress) -> None:
        if progress.stage == "names" and progress.done < progress.total:
            at, of, name = progress.done + 1, progress.total, progress.detail
            self.news.setText(tr("Pair {at} of {of}: {name}", at=at, of=of, name=name))
        else:
            self.news.setText(tr("Bringing the graph in step\u2026"))

    def _show(self, _: object = None) -> None:
        session = self._session
        if self.isVisible() and session.language.state is ServerState.UNKNOWN:
            self._look()
        running = session.tasks.busy(ASKING_NAMES)
        model = model_of(session.writer)
        why = "" if running else why_no_model(session)
        label = session.language.name_with_host(model) if model else tr("a language model")
        self.button.setText(tr("Stop") if running else tr("Have {model} decide", model=button_words(label)))
        tip = (
            tr("Stop. What was decided by now stays, and can be undone")
            if running
            else tr(
                "It reads the sentences around names that are nearly the same in meaning, and merges them, keeps "
                "them apart or leaves them to you. One undo takes all of it back"
            )
        )
        block(self.button, "" if running else session.blocked or why, tip)
        self.news.setText(tr("Looking at names\u2026") if running else "")
        self.news.setVisible(running)
        self.why.setText(why)
        self.why.setVisible(bool(why))
        self.button.setVisible(not why)


def ask_or_stop(session: Session) -> None:
    """Ask in the background, or stop; what was decided by then stays."""
    workspace, writer, run = session.workspace, session.writer, uuid.uuid4().hex
    if session.tasks.busy(ASKING_NAMES):
        session.tasks.cancel(ASKING_NAMES)
        return
    if workspace is None:
        return

    def work(context: TaskContext) -> Came:
        try:
            return Came(workspace.names.confirm(writer, context, run=run))
        except CoreError as error:
            outcome = workspace.names.confirmed(run)
            if not (outcome.asked or isinstance(error, Cancelled)):
                raise
            return Came(outcome, error)

    def done(came: Came) -> None:
        if came.found.asked > came.found.failed:
            session.decisions.notify_written(session)
        session.message_posted.emit(message(session, came, session.language.name_with_host(model_of(writer))))

    asked = session.names_asked.emit
    session.tasks.start(ASKING_NAMES, work, done, progress=asked, lane=Lane.SERVER)


def message(session: Session, came: Came, model: str) -> Message:
    """Return what came of it, in one line, with a way to take all of it back."""
    found, broken = came.found, came.broken
    if not found.asked and broken is not None:
        return Message(tr("Stopped before any names were decided on."))
    if not found.asked:
        return Message(tr("No names are left that are nearly the same in meaning."))
    words = trn(
        "{model} decided on {count} pair of names: {merged} merged, {apart} kept apart, {left} left to you.",
        "{model} decided on {count} pairs of names: {merged} merged, {apart} kept apart, {left} left to you.",
        found.asked,
        model=model,
        merged=found.merged,
        apart=found.separate,
        left=found.unsure + found.failed,
    )
    level: Level = "success"
    remedy = ""
    if isinstance(broken, Cancelled):
        words = tr("Stopped. {rest}", rest=words)
    elif broken is not None:
        failure, level = in_window(broken), "error"
        words, remedy = tr("{first} {rest}", first=failure.message, rest=words), failure.remedy
    if found.asked == found.failed:
        return Message(words, "warning")
    undo = partial(_undo, session, found.run)
    return Message(words, level, remedy, tr("Undo all"), undo)


def _undo(session: Session, run: str) -> None:
    def done(_: ReviewAct | None) -> None:
        session.notify(tr("That is undone."))

    session.decisions.turn(True, run, done, lambda _: None, session)
