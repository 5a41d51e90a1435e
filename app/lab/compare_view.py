"""Many compositions on the same questions: a run with its progress, a table of what each found, a plot of the price."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.lab.plots import ParetoPlot, Point
from app.lab.run_form import RunForm
from app.lab.state import LabState
from app.lab.tables import (
    RECALL,
    RIGHT,
    FiguresTable,
    figure_of,
    figure_words,
    figures_table,
    milliseconds,
    recall_words,
    seconds_of,
    tokens_of,
)
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session.session import Session
from app.widgets.buttons import block, push_button, tool_button
from app.widgets.fields import ChoiceBox, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.notices import EmptyState
from core.progress import Progress
from core.text.escape_controls import escape_controls
from core.types import LabRun

if TYPE_CHECKING:
    from core.workspace.lab import LabFigures

TIME, TOKENS = "time", "tokens"
_BREAKPOINT = 860  # pixels at 100 % from which on table and plot stand beside each other
_LEAST_COST = 1e-4  # of a logarithmic axis


class CompareView(QWidget):
    """Choosing a row or a point chooses the composition for the other views, too."""

    def __init__(self, session: Session, state: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._state = session, state
        self._front: frozenset[str] = frozenset()
        self.run_button = push_button(kind="primary")
        self.form = RunForm(state, self.run_button)
        self.on_button = push_button()
        self.remove_button = tool_button("trash", tr("Delete this run"))
        self.runs = ChoiceBox(tr("Runs that are kept"), 18)
        self.kind = ChoiceBox(tr("Kind of questions"), 12)
        self.axis = ChoiceBox(tr("Quality against"), 12)
        self.axis.addItem(tr("against time"), TIME)
        self.axis.addItem(tr("against tokens"), TOKENS)
        self.quality = ChoiceBox(tr("Which quality"))
        self.quality.addItem(tr("recall@5"), RECALL)
        self.quality.addItem(tr("right"), RIGHT)
        self.progress = progress_bar(tr("Running the compositions"))
        self.notice = PlainLabel(kind="small", wrap=True, selectable=True)
        self._records = figures_table(self, self._sign)
        self.table = FiguresTable(self._records, "labFigures")
        self.table.setAccessibleName(tr("What each composition found and cost"))
        self.plot = ParetoPlot()
        self.empty = EmptyState(
            "flask",
            tr("No run yet"),
            tr("Pin questions, or let Clew make some from its facts, and press Run."),
        )
        self._lay_out()
        self._connect()
        self._on_runs()
        self._show_results()

    def _lay_out(self) -> None:
        self._results, self._plot_side = QWidget(), QWidget()
        looks = row(PlainLabel(tr("Plot")), self.quality, self.axis, STRETCH)
        column(looks, (self.plot, 1), spacing=theme.GRID, on=self._plot_side)
        self._halves = row((self.table, 3), (self._plot_side, 2), spacing=theme.GROUPS)
        column((self._halves, 1), on=self._results)
        self._saved_runs = row(
            PlainLabel(tr("Run")), (self.runs, 1), self.kind, self.on_button, self.remove_button
        )
        self.area = PanelScroll(
            self.form, self._saved_runs, self.progress, self.notice, (self._results, 1), (self.empty, 1)
        )
        column((self.area, 1), spacing=0, on=self)
        theme.follow(self, self._fit)

    def _connect(self) -> None:
        session, state = self._session, self._state
        state.runs_changed.connect(self._on_runs)
        state.results_changed.connect(self._show_results)
        state.setup_changed.connect(self._show_results)
        state.chosen_changed.connect(self._show_chosen)
        session.lab.changed.connect(self._show_running)
        session.lab.progress.connect(self._on_progress)
        session.blocked_changed.connect(self._show_running)
        self.form.changed.connect(self._show_running)
        self.run_button.clicked.connect(self._on_button)
        self.on_button.clicked.connect(partial(session.commands.run, "lab.go_on"))
        self.remove_button.clicked.connect(state.remove_run)
        self.runs.activated.connect(self._on_run)
        self.kind.activated.connect(lambda _: state.set_kind(self.kind.currentData()))
        self.axis.currentIndexChanged.connect(self._show_plot)
        self.quality.currentIndexChanged.connect(self._show_plot)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._on_row())
        self.plot.chosen.connect(state.choose)

    # ------------------------------------------------------------ runs

    def why_not(self) -> str:
        """Return why no run can begin now; "" where one can."""
        session = self._session
        if session.workspace is None:
            return tr("No workspace is open.")
        if session.lab.running:
            return tr("A run is at work.")
        return session.shut or self.form.why_not()

    def why_not_on(self) -> str:
        """Return why the run that is open cannot go on."""
        run = self._state.run
        if run is None:
            return tr("No run is open.")
        if self._session.lab.running:
            return tr("A run is at work.")
        if run.wish is None:
            return tr("Nothing tells what this run was to do: go on with it by clew lab run --out.")
        if run.outdated:
            return tr("The workspace has changed since: begin a new run.")
        return self._session.shut

    def begin(self) -> None:
        """A run as the form says."""
        self._state.begin(self.form.wish)

    def _on_button(self) -> None:
        if self._session.lab.running:
            self._session.lab.cancel()
        else:
            self._session.commands.run("lab.run")

    def _on_run(self, at: int) -> None:
        run: LabRun | None = self.runs.itemData(at)
        if run is not None and not run.fault:
            self._state.open_run(run)
        elif run is not None:
            self._session.notify(
                tr("{name} cannot be read: {fault}", name=run.name, fault=run.fault), "warning"
            )
            self._on_runs()

    def _on_runs(self) -> None:
        state = self._state
        known = list(state.runs)
        if state.run is not None and state.run.path not in [run.path for run in known]:
            known.insert(0, state.run)
        self.runs.clear()
        for run in known:
            why = run.fault or (tr("of the workspace as it was") if run.outdated else "")
            words = tr("{run} ({why})", run=run.name, why=why) if why else run.name
            self.runs.addItem(escape_controls(words), run)
            if state.run is not None and run.path == state.run.path:
                self.runs.setCurrentIndex(self.runs.count() - 1)
        self._show_running()

    def _on_progress(self, news: Progress) -> None:
        making = news.stage != "questions" or not news.detail
        self.progress.setRange(0, 0 if making else news.total)
        self.progress.setValue(news.done)
        if making:
            self.notice.setText(tr("Preparing the questions"))
        else:
            words = trn("{count} of {all} row", "{count} of {all} rows", news.done, all=f"{news.total:,}")
            self.notice.setText(tr("{rows}: {name}", rows=words, name=news.detail))

    def _show_running(self) -> None:
        lab = self._session.lab
        self.run_button.setText(tr("Cancel") if lab.running else tr("Run"))
        if lab.running:
            block(self.run_button, tr("It stops after the question in hand.") if lab.stopping else "")
        else:
            block(self.run_button, self.why_not(), tr("Run these compositions on these questions"))
        block(self.on_button, self.why_not_on(), tr("Ask what this run has not asked yet"))
        self.on_button.setText(tr("Go on"))
        self.progress.setVisible(lab.running)
        if not lab.running:
            self.progress.setRange(0, 0)
        self.remove_button.setEnabled(
            self._state.run is not None and not lab.running and not self._session.shut
        )
        self.form.set_able(not lab.running)
        for widget in (self.runs, self.on_button, self.remove_button):
            widget.setVisible(bool(self.runs.count()))
        self._show_status()

    def _show_status(self) -> None:
        results, lab, run = self._state.results, self._session.lab, self._state.run
        if lab.running:
            self.notice.setVisible(True)
            return
        lines = [] if self._session.workspace is None else [self.form.why_not()]
        if results.figures:
            count = results.figures[0].questions
            lines = [trn("{count} question answered by all", "{count} questions answered by all", count)]
        elif results.rows:
            lines = [tr("No question was answered by all compositions yet: go on with the run.")]
        if results.torn:
            lines.append(
                trn("{count} line that is no row was left out.", "{count} lines that are no rows were left out.",
                    results.torn)
            )  # fmt: skip
        if run is not None and run.outdated:
            lines.append(tr("Of the workspace as it was."))
        self.notice.setText(" ".join(filter(None, lines)))
        self.notice.setVisible(bool(self.notice.text()))

    # ------------------------------------------------------------ results

    def _sign(self, row: LabFigures) -> str:
        own = "\u2713" if row.composition == self._state.setup.adopted else ""
        return ("\u25c6" if row.composition in self._front else "") + own

    def _points(self) -> dict[str, tuple[float, float]]:
        """(cost, quality) by name, of those that have both."""
        quality, cost = self.quality.currentData(), self.axis.currentData()
        return {
            row.composition: (
                seconds_of(row) * 1000 if cost == TIME else tokens_of(row),
                row.figures[quality],
            )
            for row in self._state.results.figures
            if quality in row.figures
        }

    def _show_results(self) -> None:
        results = self._state.results
        self._results.setVisible(bool(results.figures))
        self.empty.setVisible(not results.figures)
        self.kind.setVisible(len(results.kinds) > 1)
        self.kind.blockSignals(True)
        self.kind.clear()
        self.kind.addItem(tr("All questions"), "")
        for kind in results.kinds:
            self.kind.addItem(escape_controls(kind), kind)
        self.kind.setCurrentIndex(max(0, self.kind.findData(self._state.kind)))
        self.kind.blockSignals(False)
        self._show_plot()
        self._show_running()

    def _show_plot(self) -> None:
        workspace, results = self._session.workspace, self._state.results
        points = self._points()
        self._front = frozenset(workspace.lab.front(points) if workspace is not None else ())
        ordered = sorted(
            results.figures, key=lambda row: (-figure_of(self.quality.currentData())(row), seconds_of(row))
        )
        self.table.blockSignals(True)
        self.table.show_figures(tuple(ordered))
        self.table.blockSignals(False)
        rows = {row.composition: row for row in results.figures}
        cost = tr("Milliseconds a question") if self.axis.currentData() == TIME else tr("Tokens a question")
        self.plot.show_points(
            [
                Point(name, max(price, _LEAST_COST), good, name in self._front, _point_words(rows[name]))
                for name, (price, good) in points.items()
            ],
            cost,
            self.quality.currentText(),
        )
        self._show_chosen()

    def _show_chosen(self) -> None:
        self.plot.choose(self._state.chosen)
        self.table.select(self._state.chosen)

    def _on_row(self) -> None:
        index = self.table.currentIndex()
        if index.isValid() and self.table.selectionModel().isRowSelected(index.row(), index.parent()):
            self._state.choose(index.siblingAtColumn(1).data())

    def _fit(self) -> None:
        narrow = self.width() < theme.px(_BREAKPOINT)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._halves.setDirection(way)
        self.plot.setMinimumHeight(theme.px(150))
        set_tip(self.plot, "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def _point_words(row: LabFigures) -> str:
    return "\n".join(
        (
            tr("recall@5 {recall}", recall=recall_words(row)),
            tr("right {share}", share=figure_words(row, RIGHT)),
            tr(
                "{time} ms, {tokens} tokens",
                time=milliseconds(seconds_of(row)),
                tokens=f"{tokens_of(row):,.0f}",
            ),
        )
    )
