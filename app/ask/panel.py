"""The ask panel: question, answer, route. It is read from top to bottom."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.ask.answer import AnswerSection
from app.ask.calibration import CalibrationDialog
from app.ask.question_box import Example, Examples, QuestionBox, read_examples
from app.ask.route import RouteSection
from app.ask.saving import Packing, pin
from app.ask.scope_row import ScopeRow
from app.ask.thread import ThreadBox, ThreadButton
from app.ask.verdict import VERDICTS, judge, read_reliability, recall
from app.ask.writer import Draft, WriterButton
from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.preferences import sample_folder
from app.session.scope import ask_about_selected, why_nothing
from app.session.selection import Selected
from app.session.session import Session
from app.session.threads import Follow, begin_thread
from app.widgets.buttons import push_button
from app.widgets.fields import progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from core.types import Answer, Citation, JudgedAnswer

_COPY = tr("Copy the answer with its citations")
_PACK = tr(
    "Keep the answer with its passages, pages and documents' hashes in one file that tells of any change"
)
_OTHERS = tr("What else the passages might mean, and where")
_KEEP = {
    "right": tr("Keep that this answer is right. Press again to take it back"),
    "wrong": tr("Keep that this answer is wrong. Press again to take it back"),
}
_ABOUT = tr(
    "Keep the next question to what is selected: entities, the chain to a passage, a community or a document"
)
_NEW_THREAD = tr("Ask of something else: the next question is not completed from those before it")
_PIN = tr("Pin this question: its sources and its answer are expected when the pins are run")
_WHY = tr("How well such numbers hold, in general and by your own verdicts")
EXAMPLES = 6
QUESTIONS_FILE = "sample-questions.jsonl"


class AskPanel(QWidget):
    """Asks, and shows the last answer.

    Signals: trace_wanted() when the person wants to see how the answer came about, models_wanted() which
    language models there are, or review_wanted() the facts that it led to; community_chosen(id) when one that the
    answer names was selected.
    """

    trace_wanted = Signal()
    community_chosen = Signal(int)
    models_wanted = Signal()
    review_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._answer: Answer | None = None
        self._route = "auto"
        self.box = QuestionBox()
        self.ask_button = push_button(tr("Ask"), self._on_button)
        self.ask_button.setMinimumWidth(64)
        self.scope = ScopeRow(session)
        self.writer = WriterButton(session)
        self.threads = ThreadButton(session)
        self.turns = ThreadBox(session)
        self.draft = Draft()
        self.progress = progress_bar(tr("Answering"))
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing below jumps when it comes and goes
        self.progress.setSizePolicy(policy)
        self.news = PlainLabel(kind="small")
        self.packing = Packing(session, self)
        self.examples = Examples()
        self.route = RouteSection()
        self.answer = AnswerSection(self.writer)
        self._lay_out()
        self._connect()
        self._show_running(False)
        self._on_shut()
        self.clear()

    def _lay_out(self) -> None:
        self.area = PanelScroll(
            self.examples, self.turns, self.draft, self.answer, self.route, STRETCH, spacing=theme.GROUPS
        )
        asking = row((self.box, 1), (self.ask_button, Qt.AlignmentFlag.AlignBottom))
        choices = row(self.writer, STRETCH, self.threads)
        writing = column(choices, self.threads.name_edit, self.writer.place, spacing=0)
        margins = (theme.GROUPS, theme.WITHIN, theme.GROUPS, 0)
        top = column(asking, self.scope, writing, self.progress, self.news, self.packing, margins=margins)
        column(top, (self.area, 1), spacing=0, on=self)

    def _connect(self) -> None:
        session = self._session
        self.box.asked.connect(self.ask)
        self.writer.models_wanted.connect(self.models_wanted)
        session.streaming.written.connect(self._on_written)
        session.streaming.waiting.connect(self._on_waiting)
        self.examples.chosen.connect(self.ask)
        self.turns.edit_wanted.connect(self._on_edit)
        self.turns.typed_wanted.connect(partial(self.ask, follow=Follow.TYPED))
        self.route.route_chosen.connect(self._on_route)
        self.route.trace_wanted.connect(self.trace_wanted)
        self.route.compare_wanted.connect(lambda: session.commands.run("compare.answer"))
        self.answer.citation_pointed.connect(self._on_pointed)
        self.answer.route_chosen.connect(self._on_route)
        self.answer.citation_chosen.connect(lambda citation: operations.select_citation(session, citation))
        self.answer.community_chosen.connect(partial(operations.select_community, session))
        self.answer.community_chosen.connect(self.community_chosen)
        self.answer.passage_chosen.connect(lambda *ids: operations.select_passage(session, *ids))
        self.answer.why_wanted.connect(self.show_why)
        self.answer.edit_wanted.connect(self._on_edit)
        self.answer.judged.connect(self._on_judged)
        self.answer.review_wanted.connect(self.review_wanted)
        session.proposals.proposed.connect(self.answer.show_proposed)
        session.judged.connect(self._on_recalled)
        session.blocked_changed.connect(self._on_shut)
        session.asking.connect(self._on_asking)
        session.ranked.connect(self._on_ranked)
        session.answered.connect(self.show_answer)
        session.not_answered.connect(self._on_ended)
        session.thread_left.connect(self._on_thread_left)
        session.selection.changed.connect(self.answer.show_current)
        session.workspace_opened.connect(self.clear)
        session.workspace_closed.connect(self.clear)
        session.commands.add(self, *self._commands())
        for button, command in (
            (self.answer.copy_button, "answer.copy"),
            (self.answer.certainty.why, "answer.why"),
            (self.answer.others.fold, "answer.others"),
        ):
            session.commands.describe(button, command)
        session.commands.press(self.answer.pin_button, "answer.pin")
        session.commands.press(self.scope.clear_button, "ask.everywhere")

    def _commands(self) -> tuple[Command, ...]:
        def none() -> str:
            return (
                "" if self._answer is not None and self.answer.isVisible() else tr("There is no answer yet.")
            )

        def unpinnable() -> str:
            return none() or self._session.shut

        def unkept() -> str:
            return tr("Questions are asked of all documents.") if self._session.scope.current.all else ""

        session = self._session
        right, wrong = (partial(self.judge, verdict) for verdict in VERDICTS)
        others, why, copy = self.show_others, self.show_why, self.copy_answer
        return (
            Command(
                "ask.about",
                tr("Ask &about this"),
                partial(ask_about_selected, session),
                "Ctrl+Shift+K",
                "chat-circle-dots",
                partial(why_nothing, session),
                tip=_ABOUT,
            ),
            Command(
                "ask.everywhere",
                tr("Ask of &all documents again"),
                session.scope.clear,
                "Alt+Shift+K",
                why_not=unkept,
                tip=tr("Take everything out of the scope"),
            ),
            Command(
                "thread.new",
                tr("&New thread"),
                partial(begin_thread, session),
                "Ctrl+Alt+N",
                "plus",
                none,
                tip=_NEW_THREAD,
            ),
            Command("answer.right", tr("It is &right"), right, "Ctrl+Shift+Y", "check", none),
            Command("answer.wrong", tr("It is &wrong"), wrong, "Ctrl+Shift+X", "x", none),
            Command(
                "answer.others", tr("&Other readings"), others, "Ctrl+Shift+L", "list", none, tip=_OTHERS
            ),
            Command("answer.why", tr("Why this &number?"), why, "Ctrl+Shift+I", "chart-line", none, tip=_WHY),
            Command(
                "answer.pin",
                tr("&Pin this question"),
                self.pin,
                icon="push-pin",
                why_not=unpinnable,
                tip=_PIN,
            ),
            Command("answer.copy", tr("&Copy the answer"), copy, "Ctrl+Shift+C", "copy", none, tip=_COPY),
            Command("answer.pack", tr("Save &evidence pack..."), self.choose_pack, why_not=none, tip=_PACK),
        )

    # ------------------------------------------------------------ asking

    def ask(self, question: str, route: str | None = None, follow: Follow = Follow.NEXT) -> None:
        """Put a question; without a route the one chosen last holds (`auto` at first)."""
        self._route = route or self._route
        self.box.set_question(question)
        operations.ask(self._session, question, self._route, follow=follow)

    def _on_thread_left(self) -> None:
        """Show the examples again, the box ready for a question."""
        self.clear()
        self.box.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_question(self) -> None:
        """Put the caret in the question, its words selected."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def _on_edit(self, question: str) -> None:
        self.box.set_question(question)
        self.focus_question()

    def _on_button(self) -> None:
        if self._running:
            operations.stop_asking(self._session)
        else:
            self.box.submit()

    def _on_route(self, name: str) -> None:
        """Force a route, or give the choice back with `auto`; the question is asked again."""
        self._route = name
        current = self._session.thread_answer
        question = current.completion.original if current and self._answer else self.box.question
        if question:
            self.ask(question, name, Follow.AGAIN if self._answer else Follow.NEXT)

    def _on_asking(self, question: str) -> None:
        self.box.set_question(question)
        self.box.remember(question)
        self.box.verticalScrollBar().setValue(0)  # a long question is read from its beginning
        self._show_running(True)
        self.draft.begin(self._session.streaming.writer)
        self._show_draft(self._session.streaming.running)

    def _on_ranked(self, answer: Answer) -> None:
        """Say that the passages are there, unless a model already writes."""
        if self._running and not self._session.streaming.running:
            self.draft.show_reading(answer)
            self._show_draft(True)

    def _on_waiting(self, seconds: int) -> None:
        workspace = self._session.workspace
        if workspace is not None:
            longest = workspace.config.longest_silence
            self.draft.show_waiting(seconds, longest)

    def _on_written(self, text: str) -> None:
        bar = self.area.verticalScrollBar()
        follows = bar.value() == bar.maximum()
        self.draft.show_written(text)
        if follows:  # who scrolled back reads on undisturbed
            QTimer.singleShot(0, self, lambda: bar.setValue(bar.maximum()))

    def _on_ended(self, _: object = None) -> None:
        self._show_running(False)
        self._show_draft(False)

    def _show_draft(self, visible: bool) -> None:
        """Show the draft instead of what was shown before, or that again."""
        self.draft.setVisible(visible)
        self.examples.setVisible(not visible and self._answer is None)
        for section in (self.route, self.answer):
            section.setVisible(not visible and self._answer is not None)
        self.turns.show_thread(None if visible or self._answer is None else self._session.thread_answer)

    def _show_running(self, running: bool) -> None:
        self._running = running
        self.ask_button.setText(tr("Stop") if running else tr("Ask"))
        self.ask_button.setToolTip(tr("Give this question up") if running else tr("Ask (Enter)"))
        theme.set_kind(self.ask_button, "" if running else "primary")
        self.progress.setVisible(running)
        workspace = self._session.workspace
        cold = workspace is not None and not workspace.models_loaded
        self.news.setText(
            tr("Loading the models; only the first question waits for them\u2026") if cold else ""
        )
        self.news.setVisible(running and cold)

    # ------------------------------------------------------------ showing

    def clear(self, _: object = None) -> None:
        """Back to the examples: there is no answer (another workspace)."""
        self._answer, self._route = None, "auto"
        self._on_ended()
        self.box.set_question("")
        self.examples.show_examples(_example_questions(self._session))

    def show_answer(self, answer: Answer) -> None:
        """Show an answer from its top."""
        self._answer = answer
        self._route = answer.trace.route.name if answer.trace.route.forced else "auto"
        self.route.show_trace(answer.trace)
        self.answer.show_answer(answer)
        self.answer.show_current(self._session.selection.current)
        recall(self._session, answer)
        self._on_ended()
        self.area.verticalScrollBar().setValue(0)

    def judge(self, verdict: str) -> None:
        """Press one of the two buttons below the answer, "right" or "wrong"."""
        if self._answer is not None and self.answer.isVisible():
            self.answer.verdict.buttons[verdict].click()

    def pin(self) -> None:
        """Expect the places that the answer cites, and the answer, whenever the pins are run."""
        if self._answer is not None:
            pin(self._session, self._answer)

    def show_others(self) -> None:
        """Open or close the other readings."""
        if self.answer.others.isVisible():
            self.answer.others.fold.click()
            self.answer.others.fold.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_why(self) -> None:
        """Show how probabilities such as that of the answer held."""
        answer = self._answer
        if answer is not None and self.answer.certainty.isVisible():
            read_reliability(
                self._session, lambda found: CalibrationDialog(answer.confidence, found, self).show()
            )

    def _on_judged(self, verdict: str, right_answer: str) -> None:
        if self._answer is not None:
            judge(self._session, self._answer, verdict, right_answer)

    def _on_recalled(self, answer: Answer, judged: list[JudgedAnswer]) -> None:
        if answer is self._answer:  # else it came too late
            self.answer.verdict.show_judged(judged)

    def _on_shut(self) -> None:
        shut = self._session.shut
        for verdict, button in self.answer.verdict.buttons.items():
            button.setEnabled(not shut)
            self._session.commands.describe(button, f"answer.{verdict}", shut or _KEEP[verdict])

    def copy_answer(self) -> None:
        """Copy question, answer and sources as plain text."""
        if self._answer is not None:
            self.answer.copy()
            self._session.notify(tr("Answer and citations copied."), "success")

    def choose_pack(self) -> None:
        """Ask for a file, and keep the answer with its evidence in it."""
        if self._answer is not None:
            self.packing.choose(self._answer)

    def _on_pointed(self, citation: Citation | None) -> None:
        pointed = None
        if citation is not None:
            pointed = Selected(
                "citation", citation.passage_id, citation.start, citation.end, citation.document_id
            )
        self._session.pointed_at.emit(pointed)


def _example_questions(session: Session) -> list[Example]:
    """Return the sample's own questions; none for another folder."""
    workspace, sample = session.workspace, sample_folder()
    if workspace is None or workspace.folder is None or workspace.folder.resolve() != sample.resolve():
        return []
    return read_examples(sample.parent / QUESTIONS_FILE, EXAMPLES)


PANEL = PanelSpec("ask", tr("Ask"), Area.RIGHT, AskPanel, share=0.62, least=280)
