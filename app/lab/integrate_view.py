"""Integrators: training one on questions with its rewards and weights as they come, and what its texts are worth."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QCheckBox, QSpinBox, QWidget

from app.answers.wording import percent
from app.lab.plots import REWARD_WORDS, LineLegend, TrainingPlot, values_words
from app.lab.run_form import QuestionSource
from app.lab.state import LabState
from app.lab.tables import GrowingTable
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session.session import Message, Session
from app.widgets.buttons import block, push_button, tool_button
from app.widgets.fields import ChoiceBox, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, PanelScroll, column, row
from app.widgets.notices import EmptyState
from app.widgets.table import Column, RecordTable
from core.progress import Progress, TaskContext
from core.text.escape_controls import escape_controls
from core.types import DistilledWay, IntegratorWish, TrainedIntegrator, TrainingStep

_BREAKPOINT = 860  # pixels at 100 % from which on plots and table stand beside each other
_STEPS = 40
_LEAST = 8  # questions of which two are kept apart
_WAYS = {
    "whole passages": tr("Whole passages"),
    "distilled": tr("Distilled, stops by itself"),
    "distilled, not stopping": tr("Distilled, fills the budget"),
    "nearest sentences": tr("Nearest sentences"),
    "lead sentences": tr("First sentences"),
}
_STAGES = {"questions": tr("Reading the questions"), "training": tr("Training")}


class IntegrateView(QWidget):
    """The choice among those that are kept, and the one that language models read by."""

    def __init__(self, session: Session, state: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._state, self._tasks = session, state, session.tasks.owned_by(self)
        self.integrators: tuple[TrainedIntegrator, ...] = ()
        self.used: str | None = None
        self._wanted: Path | None = None  # to be chosen when it is there
        self.asked = QuestionSource(state)
        self.steps = QSpinBox(minimum=0, maximum=1_000, value=_STEPS)
        self.steps.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self.steps.setAccessibleName(tr("Steps of learning by rewards"))
        set_tip(
            self.steps, tr("Steps of learning by rewards, after learning from what the reader answers from")
        )
        self.dynamic = QCheckBox(tr("Dynamic weights"))
        self.dynamic.setChecked(True)
        set_tip(self.dynamic, tr("A reward that falls behind counts more (DW-GRPO); else all count alike"))
        self.run_button = push_button(kind="primary")
        self.choice = ChoiceBox(tr("Integrators that are kept"), 18)
        self.use_button = push_button()
        self.remove_button = tool_button("trash", tr("Delete this integrator"), self.remove)
        self.progress = progress_bar(tr("Training the integrator"))
        self.notice = PlainLabel(kind="small", wrap=True, selectable=True)
        self.rewards = TrainingPlot(tr("Reward"), "integrateRewards", titled=False)
        self.weights = TrainingPlot(tr("Weight"), "integrateWeights")
        self.pointed = PlainLabel(kind="small", wrap=True, selectable=True)
        self._records = ways_table(self)
        self.table = GrowingTable(self._records, "integrateWays")
        self.table.setAccessibleName(tr("What the reader makes of the texts"))
        self.measured = PlainLabel(kind="small", wrap=True, selectable=True)
        self.empty = EmptyState("chart-line", tr("Nothing was trained here yet"))
        self._lay_out()
        self._connect()
        self._show_all()

    def _lay_out(self) -> None:
        self._results, plots, figures = QWidget(), QWidget(), QWidget()
        legend = LineLegend(list(REWARD_WORDS.values()))
        column(legend, (self.rewards, 3), (self.weights, 2), self.pointed, spacing=theme.GRID, on=plots)
        column((self.measured, TOP), (self.table, 1), spacing=theme.GRID, on=figures)
        self._halves = row((plots, 3), (figures, 2), spacing=theme.GROUPS)
        column((self._halves, 1), on=self._results)
        form = row(self.asked, PlainLabel(tr("Steps")), self.steps, self.dynamic, STRETCH, self.run_button)
        picker = row(PlainLabel(tr("Integrator")), (self.choice, 1), self.use_button, self.remove_button)
        self.area = PanelScroll(form, picker, self.progress, self.notice, (self._results, 1), (self.empty, 1))
        column((self.area, 1), spacing=0, on=self)
        theme.follow(self, self._fit)

    def _connect(self) -> None:
        session = self._session
        training = session.training
        self._state.setup_changed.connect(self.renew)
        training.changed.connect(self._on_running)
        training.progress.connect(self._on_progress)
        training.stepped.connect(self._show_steps)
        session.blocked_changed.connect(self._show_able)
        session.workspace_closed.connect(self._forget)
        self.asked.changed.connect(self._show_able)
        self.asked.count.valueChanged.connect(self._show_able)
        self.run_button.clicked.connect(self._on_button)
        self.use_button.clicked.connect(self.use)
        self.choice.activated.connect(self._on_choice)
        for plot in (self.rewards, self.weights):
            plot.pointed.connect(self._point)

    # ------------------------------------------------------------ what there is

    def renew(self) -> None:
        """Read again what is kept and which one is used."""
        workspace = self._session.workspace
        if workspace is not None:
            api = workspace.integrators
            self._tasks.start("integrators", lambda _: (tuple(api.all()), api.used), self._on_known)

    def _on_known(self, found: tuple[tuple[TrainedIntegrator, ...], str | None]) -> None:
        before = self._wanted or (self.chosen.path if self.chosen is not None else None)
        self.integrators, self.used = found
        self._wanted = None
        self.choice.clear()
        for each in self.integrators:
            words = each.name or tr("The one that Clew comes with")
            words = tr("{name} ({why})", name=words, why=each.fault) if each.fault else words
            self.choice.addItem(escape_controls(words), each)
            if each.path == before:
                self.choice.setCurrentIndex(self.choice.count() - 1)
        self._show_all()

    @property
    def chosen(self) -> TrainedIntegrator | None:
        found: TrainedIntegrator | None = self.choice.currentData()
        return found

    @property
    def visible_steps(self) -> list[TrainingStep]:
        """Of the training that runs, else of the one that is chosen."""
        training = self._session.training
        return training.steps if training.running else list(self.chosen.steps if self.chosen else ())

    # ------------------------------------------------------------ verbs

    def why_not(self) -> str:
        """Return why no training can begin now; "" where one can."""
        session = self._session
        if session.workspace is None:
            return tr("No workspace is open.")
        if session.training.running:
            return tr("A training is at work.")
        few = trn(
            "At least {count} question is needed: some are kept apart to measure on.",
            "At least {count} questions are needed: some are kept apart to measure on.",
            _LEAST,
        )
        return session.shut or self.asked.why_not() or ("" if self.asked.count.value() >= _LEAST else few)

    def begin(self) -> None:
        """Train as the form says."""
        workspace, session = self._session.workspace, self._session
        if workspace is None:
            return
        wish = IntegratorWish(
            self.asked.questions, self.asked.count.value(), self.steps.value(), self.dynamic.isChecked()
        )

        def done(out: Path) -> None:
            session.training.start(workspace.path, out, wish)

        self._tasks.start("begin", lambda _: workspace.integrators.begin(), done)

    def use(self) -> None:
        """Have language models read by the chosen one, or whole passages again; it can be undone."""
        chosen = self.chosen
        if chosen is not None:
            self._use(None if self._is_used(chosen) else chosen)

    def _use(self, integrator: TrainedIntegrator | None) -> None:
        workspace, session = self._session.workspace, self._session
        if workspace is None:
            return
        words = (
            tr("Language models read distilled passages in this workspace from now on.")
            if integrator is not None
            else tr("Language models read whole passages again.")
        )

        def done(before: str | None) -> None:
            known = next((each for each in self.integrators if before == _file_of(each)), None)
            session.message_posted.emit(Message(words, "success", "", tr("Undo"), lambda: self._use(known)))
            self.renew()

        self._tasks.start("use", lambda _: workspace.integrators.use(integrator), done)

    def remove(self) -> None:
        """Delete the chosen one; who used it goes back to whole passages."""
        workspace, chosen = self._session.workspace, self.chosen
        if workspace is None or chosen is None or chosen.path is None:
            return
        used = self._is_used(chosen)

        def work(_: TaskContext) -> None:
            if used:
                workspace.integrators.use(None)
            workspace.integrators.remove(chosen)

        self._tasks.start("remove", work, lambda _: self.renew())

    def _on_button(self) -> None:
        if self._session.training.running:
            self._session.training.cancel()
        else:
            self._session.commands.run("lab.train")

    def _is_used(self, integrator: TrainedIntegrator) -> bool:
        return self.used is not None and self.used == _file_of(integrator)

    # ------------------------------------------------------------ what is seen

    def _on_choice(self, _: int) -> None:
        self.rewards.point(-1)  # the last step of what is looked at now
        self._show_all()

    def _on_running(self) -> None:
        training = self._session.training
        if training.running:
            self.notice.setText(tr("Preparing the questions"))
        else:
            self._wanted = training.out
            self.renew()
        self._show_all()

    def _on_progress(self, news: Progress) -> None:
        self.progress.setRange(0, news.total)
        self.progress.setValue(news.done)
        self.notice.setText(_STAGES.get(news.stage, _STAGES["questions"]))

    def _show_all(self) -> None:
        training, chosen = self._session.training, self.chosen
        results = () if training.running or chosen is None else chosen.holdout
        self._records.set_records(results)
        self.table.setVisible(bool(results))
        self.measured.setText(self._measured_words(results))
        self._show_steps()
        self._show_able()

    def _measured_words(self, results: tuple[DistilledWay, ...]) -> str:
        if self._session.training.running:
            return tr("What its texts are worth is measured at the end, on every fourth question.")
        if results:
            return trn(
                "On {count} question that it did not learn from:",
                "On {count} questions that it did not learn from:",
                results[0].questions,
            )
        return tr("No questions were kept apart to measure it on.")

    def _show_steps(self) -> None:
        steps, running = self.visible_steps, self._session.training.running
        chosen = self.chosen
        self.rewards.show_rows([step.rewards for step in steps])
        self.weights.show_rows([step.weights for step in steps])
        something = bool(steps) or (not running and chosen is not None and bool(chosen.holdout))
        self._results.setVisible(something)
        self.empty.setVisible(not something)
        fault = chosen.fault if chosen is not None else ""
        line = tr("Pin questions, or let Clew make some from its facts, and press Train.")
        if running:
            line = tr("Rewards and weights come as soon as the questions are read.")
        self.empty.set_text(
            tr("No step of a training yet") if running else tr("Nothing to show yet"), fault or line
        )
        self._point(len(steps) - 1 if running or self.rewards.step < 0 else self.rewards.step)

    def _point(self, step: int) -> None:
        steps = self.visible_steps
        step = min(step, len(steps) - 1)
        for plot in (self.rewards, self.weights):
            plot.point(step)
        words = ""
        if step >= 0:
            words = tr(
                "Step {number} of {all}: {rewards}; weights: {weights}",
                number=step + 1,
                all=len(steps),
                rewards=values_words(steps[step].rewards),
                weights=values_words(steps[step].weights),
            )
        self.pointed.setText(words)

    def _show_able(self, *_: object) -> None:
        training, chosen, shut = self._session.training, self.chosen, self._session.shut
        running = training.running
        self.run_button.setText(tr("Cancel") if running else tr("Train"))
        tip = tr("Learn which sentences to choose, from these questions")
        stopping = tr("It stops after the step in hand.") if training.stopping else ""
        block(self.run_button, stopping if running else self.why_not(), "" if running else tip)
        for widget in (self.steps, self.dynamic):
            widget.setEnabled(not running)
        self.asked.set_able(not running)
        self.choice.setEnabled(not running and bool(self.integrators))
        used = chosen is not None and self._is_used(chosen)
        self.use_button.setText(tr("Whole passages again") if used else tr("Use for answers"))
        fault = chosen.fault if chosen is not None else tr("Choose an integrator first.")
        block(
            self.use_button,
            shut or ("" if used else fault),
            tr("What a language model reads when it writes an answer in this workspace"),
        )
        self.remove_button.setEnabled(
            chosen is not None and chosen.path is not None and not running and not shut
        )
        self.progress.setVisible(running)
        if not running:
            self.progress.setRange(0, 0)
            self.notice.setText(self._format_status(chosen, used))
        self.notice.setVisible(bool(self.notice.text()))

    def _format_status(self, chosen: TrainedIntegrator | None, used: bool) -> str:
        if chosen is None or chosen.fault:
            return chosen.fault if chosen is not None else ""
        learned = trn("Trained on {count} question.", "Trained on {count} questions.", chosen.questions)
        reads = (
            tr("\u2713 Language models read by it in this workspace.")
            if used
            else tr("Language models read whole passages in this workspace.")
            if self.used is None
            else tr("Language models read by another one in this workspace.")
        )
        why = self.why_not()
        return tr(" ").join(filter(None, (learned, reads, why)))

    def _forget(self) -> None:
        for group in ("integrators", "begin", "use", "remove"):
            self._tasks.drop(group)
        self.integrators, self.used, self._wanted = (), None, None
        self.choice.clear()
        self._session.training.steps = []
        self._show_all()

    def _fit(self) -> None:
        narrow = self.width() < theme.px(_BREAKPOINT)
        self._halves.setDirection(
            QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        )
        self.rewards.setMinimumHeight(theme.px(130))
        self.weights.setMinimumHeight(theme.px(130))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def ways_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(tr("What is read"), lambda row: _WAYS.get(row.name, row.name)),
            Column(
                tr("Right"), lambda row: f"{row.right:.3f}", lambda row: row.right, True,
                tr("Share of the questions that the reader answers rightly from it"), 64,
            ),
            Column(
                tr("Tokens"), lambda row: percent(row.token_share), lambda row: row.token_share, True,
                tr("Share of the tokens of the first five passages"), 72,
            ),
        ),
        parent,
    )  # fmt: skip


def _file_of(integrator: TrainedIntegrator) -> str:
    return "" if integrator.path is None else str(integrator.path)
