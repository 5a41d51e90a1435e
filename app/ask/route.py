"""Why the question took its way: the gauge, the features behind it, the stages and their times."""

from __future__ import annotations

from collections import defaultdict

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.answers.wording import ROUTE_MEANING, duration, list_shares, route_name, route_sentence, way_name
from app.ask.score_gauge import ScoreGauge
from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import attach_menu, push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, column, row
from core.types import Route, Trace

LONG_NAME = 8  # letters of a route's name above which it stands alone: the buttons beside it need the room


class RouteSection(QWidget):
    """Signals: route_chosen(name, or "auto" to give the choice back), trace_wanted(), compare_wanted()."""

    route_chosen = Signal(str)
    compare_wanted = Signal()
    trace_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._route: Route | None = None
        self.heading = ElidedLabel(kind="caps", end=True)
        tip = tr("Let the score choose the route again")
        self.auto = push_button(tr("Auto"), lambda: self.route_chosen.emit("auto"), kind="quiet", tip=tip)
        self.ways = tool_button("caret-down", tr("Ask along another way"), text=tr("Ways"), name="ways")
        self.ways.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the caret stands behind the word
        attach_menu(self.ways, self._menu())
        tip = tr("Show the features that moved the score most")
        self.why = tool_button("caret-down", tip, text=tr("Why"), checkable=True)
        self.why.setStyleSheet(
            "QToolButton:checked:!focus:!hover { background: transparent; border-color: transparent; }"
        )
        self.why.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the caret stands behind the word
        self.gauge = ScoreGauge()
        self.list_shares = PlainLabel(kind="small", wrap=True)
        self.reason = PlainLabel(kind="small", wrap=True)
        self.stages = PlainLabel(kind="small", wrap=True, name="stageStrip")
        tip = tr("Open the trace: every stage, seed and passage of this answer")
        self.trace = tool_button("path", tip, self.trace_wanted)
        self.trace.setAccessibleName(tr("Open the trace"))
        head = row((self.heading, 1), self.auto, self.ways, self.why, spacing=theme.GRID)
        foot = row((self.stages, 1), (self.trace, TOP), spacing=theme.GRID)
        column(head, self.gauge, self.list_shares, self.reason, foot, spacing=theme.GRID, on=self)
        self.gauge.zone_chosen.connect(self.route_chosen)
        self.why.toggled.connect(lambda _: self._show_why())
        self._show_why()

    def _menu(self) -> QMenu:
        """Return all ways; the gauge's zones are three of them."""
        menu = QMenu(self)
        self._ways = QActionGroup(menu)
        words = {"auto": tr("Auto: the score chooses")}
        words |= {
            name: tr("{route}: {meaning}", route=route_name(name), meaning=meaning)
            for name, meaning in ROUTE_MEANING.items()
        }
        for name, line in words.items():
            action = menu.addAction(line)
            action.setData(name)
            action.setCheckable(True)
            self._ways.addAction(action)
        self._ways.triggered.connect(lambda action: self.route_chosen.emit(action.data()))
        menu.addSeparator()
        menu.addAction(tr("Force another route and compare...")).triggered.connect(self.compare_wanted)
        return menu

    def show_trace(self, trace: Trace) -> None:
        """Replace what is shown."""
        route = trace.route
        self._route = route
        name = way_name(route)
        self.heading.setText(name if len(name) > LONG_NAME else tr("Route: {name}", name=name))
        reason = route_sentence(route)
        self.auto.setVisible(route.forced)
        for action in self._ways.actions():
            action.setChecked(action.data() == (route.name if route.forced else "auto"))
        self.reason.setText(reason)
        self.list_shares.setText(list_shares(route))
        self.stages.setText(stage_strip(trace))
        details = [
            tr("; ").join(filter(None, (f"{tr(stage.name)}: {duration(stage.seconds)}", stage.detail)))
            for stage in trace.stages
        ]
        set_tip(self.stages, "\n".join(details))
        self._show_why()

    def _show_why(self) -> None:
        # Where the structure of the question decides, a score beside it would say otherwise.
        is_structured = self._route is not None and not self._route.is_ranked
        opened = self.why.isChecked() or is_structured
        gauged = not is_structured and opened
        self.gauge.setVisible(gauged)
        self.list_shares.setVisible(gauged and bool(self.list_shares.text()))
        self.why.setVisible(not is_structured)
        self.why.setIcon(theme.icon("caret-up" if opened else "caret-down", "muted"))
        self.reason.setVisible(opened)
        if self._route is None:
            self.gauge.clear()
            return
        complexity = self._route.complexity
        moved = [(item.words, item.contribution) for item in complexity.features if item.contribution]
        text = "lexical" if self._route.name == "lexical" and not self._route.forced else "dense"
        self.gauge.set_zones((text, "fusion", "graph"))
        self.gauge.set_score(
            complexity.score,
            complexity.low,
            complexity.high,
            self._route.name,
            moved if opened else (),
            forced=self._route.forced,
        )


OTHER = "other"  # not shown
_SHORT = {
    OTHER: tr("other"),
    "second stage": tr("reranking"),
    "encode": tr("encoding"),
    "join": tr("joining"),
}
_LEAST = 0.02  # of the whole time: shorter stages are told together


def stage_strip(trace: Trace) -> str:
    """Stages and their times in one line, which add up: `58 ms: dense 3, seeds 4, graph 12, answer 38, other 1`.

    From a second on, all are seconds. A stage of several rounds is told once; short ones are left to the trace.
    """
    slow = trace.seconds >= 1
    factor, digits, unit = (1.0, 2, "s") if slow else (1000.0, 0, "ms")
    times: dict[str, float] = defaultdict(float)
    for stage in trace.stages:
        times[stage.name] += stage.seconds
    least = 0.5 * 10**-digits / factor
    stages = {name: spent for name, spent in times.items() if spent >= max(_LEAST * trace.seconds, least)}
    rest = trace.seconds - sum(stages.values())
    if stages and rest >= least:
        stages[OTHER] = rest
    # No-break blanks inside a part: a line ends between stages only.
    parts = [
        f"{_SHORT.get(name, tr(name))}\u00a0{spent * factor:.{digits}f}" for name, spent in stages.items()
    ]
    total = f"{trace.seconds * factor:.{digits}f}\u00a0{unit}"
    return f"{total}: {', '.join(parts)}" if parts else total
