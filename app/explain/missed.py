"""Why a passage was missed: the stage that lost it, changes tried for real, what they do to pinned questions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.answers.wording import NO_ANSWER, duration, percent
from app.explain.strip import StageStrip
from app.explain.tab import FROM_FILE, Subject, Tab
from app.explain.tables import FIGURE
from app.look import theme
from app.look.translation import tr, trn
from app.session import operations
from app.session.commands import Command
from app.session.session import Message, Session
from app.session.tasks import Lane
from app.session.warming import warm
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.table import RECORD_ROLE, Column, RecordTable, TraceTable
from core.progress import Progress, TaskContext
from core.types import EVERYTHING, Answer, Miss, MissChange, MissMark, MissPins, MissStep, MissTrial

_BREAKPOINT = 620  # pixels at 100 % from which on fields and buttons stand beside each other
_GROUPS = ("why", "try", "pins")  # of tasks
_MARK = tr("Find out which stage lost the selected passage or document, and what would have kept it")
_BY_HAND = {
    "": tr("It belongs to this question alone: ask it this way."),
    "library": tr("Index again: the library does that."),
}


# The best first, as the column sorts them.
OUTCOMES = {
    "cited": tr("\u25b2 the answer rests on it"),
    "read": tr("\u25b2 read"),
    "nearer": tr("\u2191 nearer"),
    "same": tr("= the same"),
    "further": tr("\u2193 further away"),
    "failed": tr("\u2717 could not be tried"),
}
_PINS = {
    "better": tr("{count} better"),
    "worse": tr("{count} worse"),
    "changed": tr("{count} changed"),
    "same": tr("{count} the same from other passages"),
}


class Missed(Tab):
    """What should have been found is marked by the selection, or by words and a path that are typed here.

    Signal: begun() when it is looked for, along the last answer.
    """

    begun = Signal()
    _tried = Signal(object, object)  # what was missed and a trial, from the thread that tries

    def __init__(self, session: Session) -> None:
        words = tr(
            "Ask a question, select what it should have found, and choose “This should have been found”."
        )
        super().__init__("crosshair", tr("Nothing was missed yet"), words)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._miss: Miss | None = None
        self._trials: list[MissTrial] = []
        self.quote = line_edit(tr("Words that should have been found"), clear=True)
        self.document = line_edit(tr("In which document"), clear=True)
        self.look = push_button(kind="primary")
        self.progress = progress_bar(tr("Looking for the stage that lost it"))
        self.verdict = PlainLabel(wrap=True, selectable=True, bold=True)
        self.marked = PlainLabel(kind="small", wrap=True, selectable=True)
        self.strip = StageStrip()
        self.words = PlainLabel(wrap=True, selectable=True)
        self.sums = PlainLabel(kind="caps")
        self.trials = TraceTable(RecordTable(_COLUMNS, self), "trialsTable")
        self.trials.setAccessibleName(tr("Changes that were tried"))
        self.effect = PlainLabel(wrap=True, selectable=True)
        self.pins_button, self.keep_button, self.ask_button = push_button(), push_button(), push_button()
        self.stop_button = push_button(tr("Stop"), self.stop, tip=tr("Try no further changes"))
        self._lay_out()
        self._connect()
        self._reset(asked=False)

    def _lay_out(self) -> None:
        self._sought = QWidget()
        fields = row((self.quote, 3), (self.document, 2))
        buttons = row(self.pins_button, self.keep_button, self.ask_button, self.stop_button)
        self._bent = (row((fields, 1), self.look, on=self._sought), buttons)
        self._found = QWidget()
        column(self.verdict, self.marked, self.strip, self.words, on=self._found)
        self._below = QWidget()
        column(row(self.sums, STRETCH), self.trials, row(buttons, STRETCH), self.effect, on=self._below)
        words = tr("Type what should have been found, or select it and choose “This should have been found”.")
        self._hint = PlainLabel(words, "muted", wrap=True)
        self.area = PanelScroll(self._sought, self._hint, self.progress, self._found, self._below, STRETCH)
        column((self.area, 1), spacing=0, on=self.page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme.px(_BREAKPOINT)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        for each in self._bent:
            each.setDirection(way)

    def _connect(self) -> None:
        session = self._session
        self._tried.connect(self._on_trial)
        self.strip.chosen.connect(self._on_step)
        self.quote.returnPressed.connect(self.look_for_typed)
        self.document.returnPressed.connect(self.look_for_typed)
        for each in (self.quote, self.document):
            each.textChanged.connect(self._show_buttons)
        self.trials.selectionModel().selectionChanged.connect(self._show_buttons)
        session.miss_wanted.connect(self.find_out)
        session.blocked_changed.connect(self._show_buttons)
        session.commands.add(self, self._marking())
        session.commands.add(self, *self._commands(), scoped=True)
        for button, id in (
            (self.look, "miss.look"),
            (self.pins_button, "miss.pins"),
            (self.keep_button, "miss.keep"),
            (self.ask_button, "miss.ask"),
        ):
            button.setText(session.commands[id].name)
            session.commands.press(button, id)

    def _marking(self) -> Command:
        words = tr("This should have been &found")
        return Command("miss.mark", words, self.mark, "Alt+M", "crosshair", self._unmarked, tip=_MARK)

    def _commands(self) -> tuple[Command, ...]:
        def no_change() -> str:
            return "" if self.chosen() is not None else tr("Select a change that was tried first.")

        def no_pins() -> str:
            change = self.chosen()
            if change is not None and not change.saved_in and not change.route:
                return tr("Pinned questions are not asked so: it belongs to this question alone.")
            return no_change()

        def unkept() -> str:
            change = self.chosen()
            if change is None:
                return no_change()
            return _BY_HAND.get(change.saved_in, "") or self._session.shut

        def unasked() -> str:
            change = self.chosen()
            if change is None or change.route or change.question or change.k:
                return no_change()
            return tr("Keep it first: a question alone cannot be asked with it.")

        return (
            Command("miss.look", tr("Why was it missed?"), self.look_for_typed, why_not=self._untyped),
            Command("miss.pins", tr("What would it do to my pins?"), self.try_on_pins, why_not=no_pins),
            Command("miss.keep", tr("Keep it for this workspace"), self.keep, why_not=unkept),
            Command("miss.ask", tr("Ask it this way"), self.ask, why_not=unasked),
        )

    # ------------------------------------------------------------ what was missed

    def _unasked(self) -> str:
        if self._session.workspace is None:
            return tr("No workspace is open.")
        return "" if self._session.answer is not None else tr("Ask a question first.")

    def _unmarked(self) -> str:
        selected = self._session.selection.current
        kinds = ("passage", "citation", "document")
        nothing = tr("Select the passage or document that should have been found.")
        return self._unasked() or ("" if selected is not None and selected.kind in kinds else nothing)

    def _untyped(self) -> str:
        typed = self.quote.text().strip() or self.document.text().strip()
        return self._unasked() or ("" if typed else tr("Type words, or the path of a document or file."))

    def mark(self) -> None:
        """Find out about what is selected."""
        selected = self._session.selection.current
        if selected is None:
            return
        if selected.kind == "document":
            self.find_out(MissMark(document=selected.id))
        else:
            self.find_out(MissMark(passage_id=selected.id, start=selected.start, end=selected.end))

    def look_for_typed(self) -> None:
        """Find out about the words and the path in the fields."""
        if not self._untyped():
            self.find_out(MissMark(document=self.document.text().strip(), quote=self.quote.text().strip()))

    def find_out(self, mark: MissMark) -> None:
        """Ask the last question again, with every list of it looked at; then try the changes."""
        workspace, answer = self._session.workspace, self._session.answer
        if workspace is None or answer is None:
            self._session.notify(self._unasked(), "warning")
            return
        self.begun.emit()
        asked = answer.trace
        route = asked.route.name if asked.route.forced else "auto"
        writer = self._session.writer

        def work(context: TaskContext) -> Miss:
            warm(workspace, context)
            why = workspace.misses.why
            return why(asked.question, mark, context, route, generator=writer, scope=asked.scope)

        self._reset()
        self._tasks.start("why", work, self._on_miss, ended=self._show_running, lane=Lane.MODEL)
        self._show_running()

    def _on_miss(self, miss: Miss) -> None:
        workspace = self._session.workspace
        self._miss, self.entrance = miss, self.strip
        self.verdict.setText(miss.words)
        where = tr("Marked in {document}: {quote}", document=miss.document, quote=miss.quote)
        self.marked.setText(where if miss.document else miss.quote)
        self._found.setVisible(True)
        self.strip.show_steps(miss.steps, miss.lost)
        if miss.lost is None or workspace is None:
            return
        self._below.setVisible(True)
        self.sums.setText(tr("Trying what would have kept it"))

        def work(context: TaskContext) -> list[MissTrial]:
            return workspace.misses.try_all(miss, context, partial(self._tried.emit, miss))

        self._tasks.start(
            "try", work, self._on_tried, progress=self._on_progress, ended=self._show_running, lane=Lane.MODEL
        )
        self._show_running()

    def _on_step(self, step: MissStep) -> None:
        self.words.setText(step.words)

    def _on_trial(self, miss: Miss, trial: MissTrial) -> None:
        if miss is self._miss and self._tasks.busy("try"):
            self._trials.append(trial)
            self.trials.set_records(tuple(self._trials))

    def _on_tried(self, trials: list[MissTrial]) -> None:
        self._trials = list(trials)
        words = tr("No change is known that would help.")
        self.sums.setText(best_words(trials) if trials else words)
        self.turned.emit()

    def _on_progress(self, news: Progress) -> None:
        self.progress.setRange(0, news.total)
        self.progress.setValue(news.done)

    # ------------------------------------------------------------ a change

    def chosen(self) -> MissChange | None:
        """Of the selected row."""
        index = self.trials.currentIndex()
        selected = index.isValid() and self.trials.selectionModel().isRowSelected(index.row(), index.parent())
        return index.data(RECORD_ROLE).change if selected else None

    def try_on_pins(self) -> None:
        """Ask all pinned questions without the selected change and with it."""
        workspace, change = self._session.workspace, self.chosen()
        if workspace is None or change is None:
            return

        def work(context: TaskContext) -> MissPins:
            return workspace.misses.effect_on_pins(change, context)

        self.effect.setText("")
        self._tasks.start(
            "pins", work, self._on_pins, progress=self._on_progress, ended=self._show_running, lane=Lane.MODEL
        )
        self._show_running()

    def _on_pins(self, found: MissPins) -> None:
        self.effect.setText(pins_words(found))
        self.effect.setVisible(True)

    def keep(self) -> None:
        """Have the settings of the selected change hold, or see what its name would change."""
        workspace, change = self._session.workspace, self.chosen()
        if workspace is None or change is None:
            return
        if change.names is not None:
            self._session.name_change_wanted.emit(change.names)
            return
        act = partial(workspace.misses.keep, change)
        self._tasks.start("keep", lambda _: act(), partial(self._on_saved, change, workspace.keep_settings))

    def _on_saved(
        self, change: MissChange, put: Callable[[list[str], bool], list[str]], before: list[str]
    ) -> None:
        def undo() -> None:
            self._session.tasks.start("keep", lambda _: put(before, True))

        words = tr("Kept for this workspace: {settings}.", settings=", ".join(change.settings))
        self._session.message_posted.emit(Message(words, "success", action=tr("Undo"), act=undo))

    def ask(self) -> None:
        """Ask the question as the selected change asks it."""
        miss, change = self._miss, self.chosen()
        if miss is not None and change is not None:
            question, route = change.question or miss.question, change.route or miss.route
            scope = EVERYTHING if change.unscoped else miss.scope
            operations.ask(self._session, question, route, change.k or miss.k, scope=scope)

    def stop(self) -> None:
        """Try nothing further; what was tried stays."""
        for group in _GROUPS:
            self._tasks.drop(group)
        if self._miss is not None:
            self.sums.setText(best_words(self._trials))
        self._show_running()

    # ------------------------------------------------------------ what is seen

    def explain(self, subject: Subject | None) -> None:
        """Of another question what was found no longer holds; one can type what it should have found."""
        if subject is self.subject:
            return
        self.subject = subject
        if subject is not None and subject.answer is None:
            self.show_nothing(*FROM_FILE)
            return
        if subject is None or self._miss is None or self._miss.question != subject.trace.question:
            for group in _GROUPS:
                self._tasks.drop(group)
            self._reset(asked=subject is not None)
        else:
            self.show_page()

    @property
    def filtered(self) -> bool:
        return super().filtered and bool(self._trials)

    def filter(self, words: str) -> None:
        self.trials.set_filter(words)

    def _reset(self, asked: bool = True) -> None:
        self._miss, self._trials = None, []
        self.entrance = self.quote
        self._found.setVisible(False)
        self._below.setVisible(False)
        self.effect.setText("")
        self.effect.setVisible(False)
        self.trials.set_records(())
        self._show_running()
        if asked:
            self.show_page()
        else:
            self.show_nothing()

    def _show_running(self) -> None:
        running = any(self._tasks.busy(group) for group in _GROUPS)
        if not running:
            self.progress.setRange(0, 0)
        self.progress.setVisible(running)
        self.stop_button.setVisible(running)
        self._hint.setVisible(self._miss is None and not running)
        self._show_buttons()

    def _show_buttons(self, *_: object) -> None:
        for button, id in (
            (self.look, "miss.look"),
            (self.pins_button, "miss.pins"),
            (self.keep_button, "miss.keep"),
            (self.ask_button, "miss.ask"),
        ):
            if id in self._session.commands:
                reason = self._session.commands[id].why_not()
                button.setEnabled(not reason)
                self._session.commands.describe(button, id, reason)


def answer_words(answer: Answer | None) -> str:
    """Return the answer in one line with its probability; "" for none."""
    if answer is None:
        return ""
    text = NO_ANSWER if answer.abstained else " ".join(answer.text.split())
    return tr("{answer} ({share})", answer=text, share=percent(answer.confidence))


def best_words(trials: list[MissTrial]) -> str:
    """Return how many were tried, and how many would have kept it."""
    hits = sum(trial.outcome in ("cited", "read") for trial in trials)
    tried = trn("{count} change tried", "{count} changes tried", len(trials))
    would = trn("{count} would have kept it", "{count} would have kept it", hits)
    return tr("{tried}, {would}", tried=tried, would=would)


def pins_words(found: MissPins) -> str:
    """Return what a change does to the pinned questions, with those that get worse."""
    if not found.total:
        return tr("No question is pinned: nothing tells what else this would change.")
    parts = [words.format(count=count) for name, words in _PINS.items() if (count := found.count(name))]
    parts.append(tr("{count} the same", count=found.same))
    summary = trn("Of {count} pinned question: {sums}.", "Of {count} pinned questions: {sums}.", found.total,
               sums=tr(", ").join(parts))  # fmt: skip
    worse = [pin.change.now.question for pin in found.affected if pin.change.outcome == "worse"]
    return "\n".join((summary, *(tr("\u25bc worse: {question}", question=question) for question in worse)))


def _ranks(trial: MissTrial) -> str:
    before, now = (f"{rank:,}" if rank is not None else "\u2013" for rank in (trial.rank_before, trial.rank))
    return before if before == now else f"{before} \u2192 {now}"


_COLUMNS = (
    Column(tr("Change"), lambda trial: trial.change.words, share=1.6),
    Column(
        tr("What came of it"),
        lambda trial: OUTCOMES[trial.outcome],
        lambda trial: list(OUTCOMES).index(trial.outcome),
        width=190,
    ),
    Column(
        tr("Place"),
        _ranks,
        lambda trial: trial.rank or 10**9,
        number=True,
        width=110,
        tip=tr("Of the passage, before and with the change"),
    ),
    Column(tr("Answer"), lambda trial: answer_words(trial.answer) or trial.words, share=1.4, needs=560),
    Column(
        tr("Time"),
        lambda trial: duration(trial.seconds),
        lambda trial: trial.seconds,
        number=True,
        width=FIGURE,
        needs=760,
    ),
)
