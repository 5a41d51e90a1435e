"""The chosen composition against another, question by question: where it wins, where it loses."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.lab.state import LabState
from app.lab.tables import GrowingTable
from app.look.translation import tr, trn
from app.session import operations
from app.session.commands import Command
from app.session.session import Session
from app.widgets.fields import ChoiceBox, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, PanelScroll, column, row
from app.widgets.notices import EmptyState
from app.widgets.table import RECORD_ROLE, Column, RecordTable
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import QuestionComparison

OUTCOMES = {"win": tr("\u25b2 wins"), "loss": tr("\u25bc loses"), "tie": tr("= alike")}
_ORDER = ("loss", "win", "tie")
_NONE = "\u2013"


def _figure(value: float | None) -> str:
    return _NONE if value is None else f"{value:.2f}".rstrip("0").rstrip(".")


def _pair(values: tuple[float | None, float | None]) -> str:
    return tr("{one} : {other}", one=_figure(values[0]), other=_figure(values[1]))


def _difference(values: tuple[float | None, float | None]) -> float:
    return (values[0] or 0.0) - (values[1] or 0.0)


def comparison_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(
                tr("Outcome"), lambda row: OUTCOMES[row.outcome], lambda row: _ORDER.index(row.outcome), width=84,
                tip=tr("By recall@5; where that is equal, by whether the reader was right"),
            ),
            Column(tr("Question"), lambda row: row.text, share=2.0),
            Column(
                tr("recall@5"), lambda row: _pair(row.recall), lambda row: _difference(row.recall), True,
                tr("Of the chosen composition and of the other"), 92,
            ),
            Column(
                tr("Right"), lambda row: _pair(row.right), lambda row: _difference(row.right), True,
                tr("Whether the reader was right, by both"), 68, needs=480,
            ),
            Column(tr("Its answer"), lambda row: row.answers[0] or _NONE, needs=620),
            Column(tr("The other's"), lambda row: row.answers[1] or _NONE, needs=760),
            Column(tr("Kind"), lambda row: row.kind, width=128, needs=900),
        ),
        parent,
    )  # fmt: skip


class QuestionsView(QWidget):
    """Enter asks a question by the chosen composition."""

    def __init__(self, session: Session, state: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._state, self._tasks = session, state, session.tasks.owned_by(self)
        self.other = ChoiceBox(tr("Against which composition"), 14)
        self.outcome = ChoiceBox(tr("Which questions"), 10)
        self.filter = line_edit(tr("Filter by words"), clear=True)
        self.sums = PlainLabel(wrap=True, selectable=True, bold=True)
        self.table = GrowingTable(comparison_table(self), "labStandings")
        self.table.setAccessibleName(tr("Questions with who does better"))
        self.empty = EmptyState("scales", tr("Nothing to compare yet"))
        self.name = PlainLabel(bold=True)
        head = row(self.name, PlainLabel(tr("against")), self.other, STRETCH, self.outcome, (self.filter, 1))
        self.area = PanelScroll(head, self.sums, (self.table, 1), (self.empty, 1))
        column((self.area, 1), spacing=0, on=self)
        state.results_changed.connect(self.show_all)
        state.chosen_changed.connect(self.show_all)
        self.other.activated.connect(lambda _: state.hold_against(self.other.currentData()))
        self.outcome.currentIndexChanged.connect(self._show_rows)
        self.filter.textChanged.connect(self.table.set_filter)
        self.table.doubleClicked.connect(self.ask)
        self._comparisons: list[QuestionComparison] = []
        words = tr("Ask it by this composition")
        ask = Command("lab.ask", words, self.ask, "Return", why_not=self._none)  # not shown
        session.commands.add(self.table, ask, scoped=True)
        self.show_all()

    def _none(self) -> str:
        return "" if self._current() is not None else tr("Select a question first.")

    def _current(self) -> QuestionComparison | None:
        index = self.table.currentIndex()
        return index.data(RECORD_ROLE) if index.isValid() else None

    def ask(self, *_: object) -> None:
        """Ask the question of the current row by the chosen composition."""
        question = self._current()
        if question is not None:
            operations.ask(self._session, question.text, f"lab:{self._state.chosen}")

    def show_all(self) -> None:
        """Show what the run says of the two."""
        state = self._state
        rows, workspace = state.results.rows, self._session.workspace
        names = [figures.composition for figures in state.results.figures]
        one, other = state.chosen, state.other
        if other not in names or other == one:
            wanted = (state.setup.adopted, other, *names)
            other = next((name for name in wanted if name in names and name != one), "")
        self.other.clear()
        for name in names:
            if name != one:
                self.other.addItem(escape_controls(name), name)
        self.other.setCurrentIndex(max(0, self.other.findData(other)))
        if workspace is None or one not in names or not other:
            self._tasks.drop("standings")
            self._show_comparisons([], one, names)
            return

        def work(_: TaskContext) -> list[QuestionComparison]:
            return workspace.lab.compare_questions(rows, one, other)

        self._tasks.start("standings", work, lambda found: self._show_comparisons(found, one, names))

    def _show_comparisons(self, found: list[QuestionComparison], one: str, names: list[str]) -> None:
        self._comparisons = found
        self._say(one, names)
        counts = Counter(each.outcome for each in self._comparisons)
        at = max(0, self.outcome.currentIndex())
        self.outcome.blockSignals(True)
        self.outcome.clear()
        self.outcome.addItem(tr("All questions"), "")
        for outcome, words in OUTCOMES.items():
            self.outcome.addItem(tr("{words} ({count})", words=words, count=counts[outcome]), outcome)
        self.outcome.setCurrentIndex(at)
        self.outcome.blockSignals(False)
        self._show_rows()

    def _say(self, one: str, names: list[str]) -> None:
        self.name.setText(one)
        there = bool(self._comparisons)
        for widget in (self.sums, self.table, self.other, self.outcome, self.filter):
            widget.setVisible(there)
        self.empty.setVisible(not there)
        if not names:
            words = tr("Run compositions on questions first: under Compare.")
        else:
            words = tr("{name} is not in the run that is open. Choose one that is, or run it.", name=one)
        self.empty.set_text(tr("Nothing to compare yet"), words)
        counts = Counter(each.outcome for each in self._comparisons)
        wins = trn("{count} win", "{count} wins", counts["win"])
        losses = trn("{count} loss", "{count} losses", counts["loss"])
        ties = trn("{count} alike", "{count} alike", counts["tie"])
        self.sums.setText(tr("{wins}, {losses}, {ties}", wins=wins, losses=losses, ties=ties))

    def _show_rows(self) -> None:
        wanted = self.outcome.currentData()
        rows = [each for each in self._comparisons if not wanted or each.outcome == wanted]
        rows.sort(key=lambda each: _ORDER.index(each.outcome))
        self.table.set_records(tuple(rows))
