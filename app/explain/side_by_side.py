"""Side by side: one question asked in two ways, or two traces: answers, rankings and heat."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QButtonGroup, QWidget

from app.explain.comparison import ComparisonView
from app.explain.heat_panes import HeatPanes
from app.explain.sides import DiffText, RankLines, SideForm, Way, figures, heat_words
from app.explain.tab import Subject, Tab, passage_of
from app.look import theme
from app.look.translation import tr
from app.session import operations
from app.session.commands import Command
from app.session.selection import Selected
from app.session.session import Session
from app.session.tasks import Lane
from app.session.warming import warm
from app.widgets.buttons import push_button
from app.widgets.fields import line_edit, progress_bar
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, PanelScroll, column, row
from core.config import ASKED_BY, Config, with_settings
from core.errors import BadInput, CoreError
from core.progress import TaskContext
from core.types import Answer, CommonLayout, GraphView, RankedTwice, Scope, SideBySide, TraceComparison

if TYPE_CHECKING:
    from core.workspace import Workspace

_SIDE_BY_SIDE = 480  # pixels at 100 % from which on the two ways stand side by side
_NAMED = 4  # entities that are told to be hotter on a side
_TIP = tr("Ask the last question again in another way, beside the way that it took")


class SideBySideTab(Tab):
    """Two sides, A and B; the graph shows the heat of A, of B, or how far they are apart.

    Signals: chosen(record of a table), left() when two traces are no longer compared.
    """

    chosen = Signal(object)
    left = Signal()
    asks = True

    def __init__(self, session: Session) -> None:
        words = tr("Choose two ways and press Compare: what each finds and answers stands side by side.")
        super().__init__("columns", tr("Nothing compared yet"), words)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._found: SideBySide | None = None
        self.question = line_edit(tr("Question to ask in two ways"))
        self.run_button = push_button(kind="primary")
        self.progress = progress_bar(tr("Asking in two ways"))
        self.sides = (SideForm(session, "A"), SideForm(session, "B"))
        self.sides[1].set_route("graph")
        self.figures = PlainLabel(kind="small", wrap=True), PlainLabel(kind="small", wrap=True)
        self.texts = DiffText(tr("Answer of A"), True), DiffText(tr("Answer of B"), False)
        self.sum = PlainLabel(wrap=True, selectable=True, bold=True)
        self.lines = RankLines()
        self.panes = HeatPanes()
        self.heat = HeatSwitch()
        self.hotter = PlainLabel(kind="small", wrap=True, selectable=True)
        self.comparison = ComparisonView()
        self._lay_out()
        self._connect()
        self._clear()

    def _lay_out(self) -> None:
        self._results = QWidget()
        answers = (column(text, words) for text, words in zip(self.texts, self.figures, strict=True))
        column(
            self.sum,
            row(*((each, 1) for each in answers)),
            PlainLabel(tr("Passages"), "caps"),
            self.lines,
            PlainLabel(tr("Heat"), "caps"),
            self.panes,
            self.hotter,
            row(PlainLabel(tr("On the graph"), "small"), self.heat, STRETCH),
            on=self._results,
        )
        asking = row((self.question, 1), self.run_button)
        self._forms = row(*((side, 1) for side in self.sides))
        self.area = PanelScroll(
            asking, self._forms, self.progress, (self.empty, 1), (self._results, TOP), STRETCH
        )
        column((self.area, 1), spacing=0, on=self.page)
        self._stack.addWidget(self.comparison)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across = self.width() >= theme.px(_SIDE_BY_SIDE)
        way = QBoxLayout.Direction.LeftToRight if across else QBoxLayout.Direction.TopToBottom
        self._forms.setDirection(way)

    def _connect(self) -> None:
        session = self._session
        self.question.returnPressed.connect(lambda: session.commands.run("compare.run"))
        self.question.textChanged.connect(self._show_running)
        self.lines.chosen.connect(self._choose)
        self.lines.pointed.connect(self._point)
        self.panes.chosen.connect(self._choose_entity)
        self.panes.pointed.connect(self._point_entity)
        self.heat.chosen.connect(self._draw_heat)
        session.workspace_opened.connect(self._clear)
        session.workspace_closed.connect(self._clear)
        self.comparison.chosen.connect(self.chosen)
        self.comparison.closed.connect(self._leave_comparison)
        words, act = tr("&Compare with another way..."), self.compare_answer
        compare = Command("compare.answer", words, act, "Alt+C", "columns", self._unasked, tip=_TIP)
        session.commands.add(self, compare)
        run = Command("compare.run", tr("Compare"), self.run, why_not=self._why_not)
        session.commands.add(self, run, scoped=True)
        self.run_button.clicked.connect(self._on_button)

    def _unasked(self) -> str:
        return "" if self._session.answer is not None else tr("Ask a question first.")

    def _why_not(self) -> str:
        if self._session.workspace is None:
            return tr("No workspace is open.")
        return "" if self.question.text().strip() else tr("Type a question first.")

    # ------------------------------------------------------------ asking

    def compare_answer(self) -> None:
        """Take the last question and its way for A; B is another one, asked at once."""
        answer = self._session.answer
        if answer is None:
            return
        route = answer.trace.route
        taken = route.name if route.forced else "auto"
        self.question.setText(answer.trace.question)
        self.sides[0].set_route(taken)
        if self.sides[1].way.route == taken:
            self.sides[1].set_route("dense" if taken == "graph" else "graph")
        self._show_ways()
        self._session.commands.run("explain.sides")
        self.run()

    @property
    def done(self) -> bool:
        """Return whether two answers stand side by side."""
        return self._found is not None and not self._tasks.busy("compare")

    def _on_button(self) -> None:
        if self._tasks.busy("compare"):
            self._tasks.drop("compare")
            self._show_running()
        else:
            self._session.commands.run("compare.run")

    def run(self) -> None:
        """Ask in both ways, one after the other."""
        workspace, question = self._session.workspace, self.question.text().strip()
        if workspace is None or not question:
            return
        try:
            ways = tuple(side.way for side in self.sides)
            for way in ways:
                with_settings(Config(), way.settings, ASKED_BY, parameters=False)
        except BadInput as error:
            self._session.notify_error(error)
            return
        except ValueError:
            words = tr("The settings cannot be read: a quotation mark is not closed.")
            self._session.notify_error(BadInput(words, tr("Write NAME=VALUE, with spaces between settings.")))
            return

        asked = self._session.answer
        again = asked is not None and asked.trace.question == question
        scope = asked.trace.scope if asked is not None and again else self._session.scope.current

        def work(context: TaskContext) -> tuple[SideBySide, CommonLayout]:
            warm(workspace, context)
            a, view_a = _asked(workspace, question, ways[0], scope, context)
            b, view_b = _asked(workspace, question, ways[1], scope, context)
            same = ways[0].workspace == ways[1].workspace
            layout = workspace.graph.common_layout(view_a, None if same else view_b)
            return workspace.side_by_side(a, b), layout

        self._tasks.start(
            "compare", work, self._on_found, failed=self._on_failed, ended=self._show_running, lane=Lane.MODEL
        )
        self._show_running()

    def _on_failed(self, error: CoreError) -> None:
        self._show_nothing()  # what was compared before is no answer to this
        self._session.notify_error(error)

    def _on_found(self, both: tuple[SideBySide, CommonLayout]) -> None:
        found, layout = both
        self._found = found
        for text, words, answer, spans in zip(
            self.texts, self.figures, (found.a, found.b), (found.words_a, found.words_b), strict=True
        ):
            text.show_answer(answer, spans)
            words.setText(figures(answer))
        self.sum.setText(sum_words(found))
        self.lines.show_rows(found.passages)
        self.panes.show_heat(layout, found.a.trace.heat, found.b.trace.heat)
        self.hotter.setText(heat_words(*self._hotter(found, layout)))
        self.empty.setVisible(False)
        self._results.setVisible(True)
        self.heat.press(self.heat.current)

    @staticmethod
    def _hotter(found: SideBySide, layout: CommonLayout) -> tuple[list[str], list[str]]:
        names = {id: name for id, name in zip(layout.ids, layout.names, strict=True) if id in found.heat}
        known = sorted(names, key=lambda id: -abs(found.heat[id]))
        more_a = [names[id] for id in known if found.heat[id] < 0]
        more_b = [names[id] for id in known if found.heat[id] > 0]
        return more_a[:_NAMED], more_b[:_NAMED]

    # ------------------------------------------------------------ what is seen

    def _draw_heat(self, which: str) -> None:
        found = self._found
        if found is None:
            return
        heats = {
            "a": (found.a.trace.heat, tr("Relevance in A")),
            "b": (found.b.trace.heat, tr("Relevance in B")),
            "difference": (
                {id: abs(value) for id, value in found.heat.items()},
                tr("How far A and B are apart"),
            ),
        }
        heat, title = heats[which]
        self._session.overlay.change(heat=heat, title=title, path=())

    def _choose(self, row: RankedTwice) -> None:
        place = self.sides[0 if row.rank_a is not None else 1].way.workspace
        if place is None:
            operations.select_passage(self._session, row.passage_id, row.document_id)
        else:
            self._session.notify(tr("This passage is of another workspace: open that to read it."))

    def _choose_entity(self, entity_id: str) -> None:
        workspace = self._session.workspace
        here = workspace is not None and any(side.way.workspace is None for side in self.sides)
        if here:
            operations.select_entity(self._session, entity_id)

    def _point_entity(self, entity_id: str) -> None:
        self._session.pointed_at.emit(Selected("entity", entity_id) if entity_id else None)

    def _point(self, row: RankedTwice | None) -> None:
        pointed = Selected("passage", row.passage_id, document_id=row.document_id) if row else None
        self._session.pointed_at.emit(pointed)

    def explain(self, subject: Subject | None) -> None:
        """Offer the question of another answer; what was compared stays."""
        if subject is self.subject:
            return
        self.subject = subject
        if subject is not None and (not self.question.text().strip() or self._found is None):
            self.question.setText(subject.trace.question)

    def show_selected(self, selected: Selected | None) -> None:
        self.lines.show_passage(passage_of(selected))
        self.comparison.show_passage(passage_of(selected))

    @property
    def filtered(self) -> bool:
        return self._stack.currentWidget() is self.comparison

    def filter(self, words: str) -> None:
        self.comparison.set_filter(words)

    def show_comparison(self, found: TraceComparison) -> None:
        """Show two traces, in the place of two ways."""
        self.comparison.show_comparison(found)
        self._stack.setCurrentWidget(self.comparison)
        self.entrance = self.comparison.back
        self.turned.emit()

    def _leave_comparison(self) -> None:
        self._show_ways()
        self.left.emit()

    def _show_ways(self) -> None:
        self.entrance = self.question
        self.show_page()

    def _clear(self, _: object = None) -> None:
        """Nothing was compared in this workspace."""
        self._show_ways()
        self._tasks.drop("compare")
        self.question.setText("")
        self._show_nothing()
        self._show_running()

    def _show_nothing(self) -> None:
        self._found = None
        self._results.setVisible(False)
        self.empty.setVisible(True)

    def _show_running(self, _: object = None) -> None:
        running = self._tasks.busy("compare")
        reason = "" if running else self._why_not()
        self.run_button.setText(tr("Stop") if running else tr("Compare"))
        self.run_button.setEnabled(not reason)
        self.progress.setVisible(running)
        if "compare.run" in self._session.commands:
            self._session.commands.describe(self.run_button, "compare.run", reason)


class HeatSwitch(QWidget):
    """Whose heat the graph shows. Signal: chosen("a", "b" or "difference")."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.current = "a"
        words = {"a": tr("Heat of A"), "b": tr("Heat of B"), "difference": tr("Difference")}
        self.buttons = [push_button(each, partial(self.press, which)) for which, each in words.items()]
        self._group = QButtonGroup(self)
        for button in self.buttons:
            button.setCheckable(True)
            self._group.addButton(button)
        self.buttons[0].setChecked(True)
        row(*self.buttons, spacing=0, on=self)

    def press(self, which: str, _: bool = False) -> None:
        self.current = which
        self.buttons[("a", "b", "difference").index(which)].setChecked(True)
        self.chosen.emit(which)


def _asked(
    workspace: Workspace, question: str, way: Way, scope: Scope, context: TaskContext
) -> tuple[Answer, GraphView]:
    """Of the open workspace, or of another that is opened for reading only, trusted or not.

    There the number of a community is another's; entities and documents have the ids that they have here.
    """
    if way.workspace is not None and way.workspace != workspace.path:
        from core.workspace import Workspace as Opened  # heavy

        there = replace(scope, communities=())
        with Opened.open(way.workspace, read_only=True) as other:
            return _asked(other, question, replace(way, workspace=None), there, context)
    answer = workspace.ask(
        question,
        context,
        way.route,
        way.k,
        settings=way.settings,
        generator=way.writer,
        scope=scope,
    )
    return answer, workspace.graph.view()


def sum_words(found: SideBySide) -> str:
    """Return, in words, whether both say the same, and which share of the passages both have."""
    both = sum(each.rank_a is not None and each.rank_b is not None for each in found.passages)
    values = {"both": both, "all": len(found.passages)}
    if found.same_answer:
        return tr("The same answer; passages in both: {both} of {all}.", **values)
    return tr("Different answers; passages in both: {both} of {all}.", **values)
