"""Why the question took its way: the gauge, the features behind it, the stages and their times."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from app.answers.wording import GLOBAL, ROUTE_MEANING, duration, heard, route_name, route_sentence
from app.ask.score_gauge import ScoreGauge
from app.look import theme
from app.look.plain_text import tooltip
from app.widgets.plain_label import PlainLabel
from core.types import Route, Trace

LONG_NAME = 8  # letters of a route's name above which it stands alone: the buttons beside it need the room


class RouteSection(QWidget):
    """Signals: route_chosen(name, or "auto" to give the choice back), trace_wanted()."""

    route_chosen = Signal(str)
    trace_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._route: Route | None = None
        self.heading = PlainLabel(kind="section")
        self.auto = QPushButton("Auto")
        self.auto.setObjectName("autoRoute")
        self.auto.setProperty("kind", "quiet")
        self.auto.setToolTip("Let the score choose the route again")
        self.ways = QToolButton()
        self.ways.setObjectName("ways")
        self.ways.setText("Ways")
        self.ways.setToolTip("Ask along another way")
        self.ways.setStyleSheet("QToolButton::menu-indicator { image: none; width: 0; }")
        self.ways.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.ways.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the caret stands behind the word
        self.ways.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.ways.setMenu(self._menu())
        self.why = QToolButton()
        self.why.setObjectName("whyRoute")
        self.why.setText("Why")
        self.why.setCheckable(True)
        self.why.setStyleSheet(
            "QToolButton:checked:!focus:!hover { background: transparent; border-color: transparent; }"
        )
        self.why.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.why.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the caret stands behind the word
        self.why.setToolTip("Show the features that moved the score most")
        self.gauge = ScoreGauge()
        self.heard = _small()
        self.heard.setObjectName("heard")
        self.reason = _small()
        self.stages = _small()
        self.stages.setObjectName("stageStrip")
        self.trace = QToolButton()
        self.trace.setIcon(theme.icon("path", "muted"))
        self.trace.setToolTip("Open the trace: every stage, seed and passage of this answer")
        self.trace.setAccessibleName("Open the trace")
        self._lay_out()
        self.gauge.zone_chosen.connect(self.route_chosen)
        self.auto.clicked.connect(lambda: self.route_chosen.emit("auto"))
        self.why.toggled.connect(lambda _: self._show_why())
        self.trace.clicked.connect(self.trace_wanted)
        self._show_why()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        head.addWidget(self.heading)
        head.addStretch(1)
        head.addWidget(self.auto)
        head.addWidget(self.ways)
        head.addWidget(self.why)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.addWidget(self.stages, 1)
        foot.addWidget(self.trace, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addLayout(head)
        column.addWidget(self.gauge)
        column.addWidget(self.heard)
        column.addWidget(self.reason)
        column.addLayout(foot)

    def _menu(self) -> QMenu:
        """All ways; the gauge's zones are three of them."""
        menu = QMenu(self)
        self._ways = QActionGroup(menu)
        words = {"auto": "Auto: the score chooses"}
        words |= {name: f"{route_name(name)}: {meaning}" for name, meaning in ROUTE_MEANING.items()}
        for name, line in words.items():
            action = menu.addAction(line)
            action.setData(name)
            action.setCheckable(True)
            self._ways.addAction(action)
        menu.triggered.connect(lambda action: self.route_chosen.emit(action.data()))
        return menu

    def open_why(self, wanted: bool) -> None:
        """Show or hide the features."""
        self.why.setChecked(wanted)

    def show_trace(self, trace: Trace) -> None:
        """Replace what is shown."""
        route = trace.route
        self._route = route
        name = route_name(route.name).upper()
        self.heading.setText(name if len(name) > LONG_NAME else f"ROUTE: {name}")
        reason = route_sentence(route, trace.stages)
        self.heading.setToolTip(tooltip(reason))
        self.auto.setVisible(route.forced)
        for action in self._ways.actions():
            action.setChecked(action.data() == (route.name if route.forced else "auto"))
        self.reason.setText(reason)
        self.heard.setText(heard(route))
        self.stages.setText(stage_strip(trace))
        details = [
            ", ".join(part for part in (f"{stage.name}: {duration(stage.seconds)}", stage.detail) if part)
            for stage in trace.stages
        ]
        self.stages.setToolTip(tooltip("\n".join(details)))
        self._show_why()

    def _show_why(self) -> None:
        # Of a question about all documents the words decide: a score beside it would say otherwise.
        whole = self._route is not None and self._route.name == GLOBAL
        self.gauge.setVisible(not whole)
        self.heard.setVisible(not whole and bool(self.heard.text()))
        self.why.setVisible(not whole)
        opened = self.why.isChecked() or whole
        self.ways.setIcon(theme.icon("caret-down", "muted"))
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


def stage_strip(trace: Trace) -> str:
    """Stages and their times in one line: `58 ms: dense 3, seeds 4, graph 12, answer 38`.

    From a second on, all are seconds. Stages that round to nothing are left to the trace.
    """
    slow = trace.seconds >= 1
    factor, digits, unit = (1.0, 2, "s") if slow else (1000.0, 0, "ms")
    # No-break blanks inside a part: a line ends between stages only.
    parts = [
        f"{stage.name}\u00a0{stage.seconds * factor:.{digits}f}"
        for stage in trace.stages
        if stage.seconds * factor >= 0.5 * 10**-digits
    ]
    whole = f"{trace.seconds * factor:.{digits}f}\u00a0{unit}"
    return f"{whole}: {', '.join(parts)}" if parts else whole


def _small() -> PlainLabel:
    return PlainLabel(kind="small", wrap=True)
