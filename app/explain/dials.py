"""What can be turned in a ranking: the settings as sliders, the steps of the walk, and the seeds that gave a share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider, QWidget

from app.answers.wording import percent
from app.look import theme
from app.look.painting import paint_share, paint_text, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import RowButton, explain, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import column, drop, row
from core.config import Config
from core.text.escape_controls import escape_controls
from core.types import Attributed, Source

_NAME, _VALUE = 112, 44  # pixels at 100 %
_PACE = 450  # ms a step of the walk
MOST_SOURCES = 8

Heat = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Dial:
    """A number of `core.config.DIALS`. `least`, `most` and `step` of its slider; whole numbers where `step` is 1."""

    name: str
    words: str
    tip: str
    least: float
    most: float
    step: float
    unit: str = "{number}"  # how a value is shown

    def value(self, config: Config) -> float:
        stage, _, field = self.name.partition(".")
        return float(getattr(getattr(config, stage), field))

    def place(self, value: float) -> int:
        """Of a value on the slider, which counts steps; values beyond its ends are at the end."""
        steps = round((value - self.least) / self.step)
        return min(max(steps, 0), self.steps)

    @property
    def steps(self) -> int:
        return round((self.most - self.least) / self.step)

    def at(self, place: int) -> float:
        return round(self.least + place * self.step, 6)

    def line(self, value: float) -> str:
        """As settings are written."""
        return f"{self.name}={value:g}" if self.step < 1 else f"{self.name}={value:.0f}"

    def format_value(self, value: float) -> str:
        number = f"{value:.0f}" if self.step >= 1 else f"{value:.2f}"
        return self.unit.format(number=number)


_TIMES = tr("\u00d7 {number}")

WALK = (
    Dial(
        "retrieval.damping", tr("Damping"),
        tr("How far the walk goes: the share of the mass that walks on at each step. Low stays near the names of the "
           "question, high lets well connected entities win. The d of personalised PageRank, EA-GraphRAG eq. 6."),
        0.05, 0.95, 0.01,
    ),
    Dial(
        "retrieval.name_share", tr("Start: names"),
        tr("Share of the walk's start for entities that the question names. EA-GraphRAG 3.4.2."), 0, 1, 0.01,
    ),
    Dial(
        "retrieval.fact_share", tr("Start: sentences"),
        tr("Share of the walk's start for entities of the sentences nearest to the question, or of the facts that a "
           "reranker chose. EA-GraphRAG eq. 4 and 5."), 0, 1, 0.01,
    ),
    Dial(
        "retrieval.passage_share", tr("Start: passages"),
        tr("Share of the walk's start for passages, by their nearness to the question. HippoRAG 2, section 3."),
        0, 1, 0.01,
    ),
    Dial(
        "retrieval.top_facts", tr("Seed sentences"),
        tr("How many of the nearest sentences, or chosen facts, give seeds: the k of EA-GraphRAG eq. 5."), 0, 30, 1,
    ),
    Dial(
        "retrieval.hub_power", tr("Hold hubs down"),
        tr("How strongly entities of many passages are held down as seeds; 0 not at all. EA-GraphRAG eq. 5 divides "
           "by the number of passages: 1."), 0, 2, 0.05,
    ),
    Dial(
        "retrieval.passage_sharpness", tr("Nearest only"),
        tr("Power that sharpens the passages' nearness: 0 gives every passage the same start, high only the nearest."),
        0, 30, 0.5,
    ),
)  # fmt: skip
LISTS = (
    Dial(
        "retrieval.lexical_weight", tr("Words"),
        tr("What the list by words (BM25) counts, times what the question decides."), 0, 4, 0.05, _TIMES,
    ),
    Dial(
        "retrieval.dense_weight", tr("Meaning"),
        tr("What the list by meaning (cosine) counts, times what the question decides."), 0, 4, 0.05, _TIMES,
    ),
    Dial(
        "retrieval.graph_weight", tr("Graph"),
        tr("What the list by the graph counts, times what the question decides."), 0, 4, 0.05, _TIMES,
    ),
    Dial(
        "retrieval.rrf_k", tr("Smoothing"),
        tr("How much the first ranks of a list stand out: low very much, high hardly. The k of reciprocal rank fusion, "
           "EA-GraphRAG eq. 8."), 0, 100, 1,
    ),
    Dial(
        "retrieval.crowding", tr("Same document"),
        tr("What a passage counts for each better one of its document: 1 lets one document fill the list."),
        0.5, 1, 0.01,
    ),
)  # fmt: skip
SECOND = (
    Dial(
        "retrieval.pool", tr("Pool"),
        tr("Passages of the walk from which the second stage chooses; what lies below keeps the walk's order."),
        1, 100, 1,
    ),
)  # fmt: skip
THRESHOLDS = (
    Dial(
        "routing.low", tr("Lower"),
        tr("The graph's share at or below which a route is named for words or meaning. It changes the route's name, "
           "not the ranking. EA-GraphRAG 3.3."), 0, 1, 0.01,
    ),
    Dial(
        "routing.high", tr("Upper"),
        tr("The graph's share at or above which the graph alone counts. EA-GraphRAG 3.3."), 0, 1, 0.01,
    ),
)  # fmt: skip
GROUPS = (
    (tr("The walk"), WALK),
    (tr("What the lists count"), LISTS),
    (tr("Second stage"), SECOND),
    (tr("Thresholds of the graph's share"), THRESHOLDS),
)


class DialRow(QWidget):
    """Signals: moved() with each step of the hand; let_go() when it rests."""

    moved = Signal()
    let_go = Signal()

    def __init__(self, dial: Dial, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.dial = dial
        self._configured = dial.least
        self._exact = dial.least  # may lie between the slider's places, or beyond its ends
        self.name = ElidedLabel(dial.words, end=True)
        set_tip(self.name, dial.tip)
        self.number = PlainLabel(kind="muted")
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.slider = Slider(Qt.Orientation.Horizontal, self)
        self.slider.setMinimumWidth(48)
        self.slider.setRange(0, dial.steps)
        self.slider.setPageStep(max(1, dial.steps // 10))
        self.slider.setObjectName(dial.name)
        self.slider.valueChanged.connect(self._on_moved)
        self.slider.sliderReleased.connect(self.let_go)
        self.slider.taken_back.connect(self.take_back)
        row(self.name, (self.slider, 1), self.number, on=self)
        theme.follow(self, self._fit)

    def _fit(self) -> None:
        self.name.setFixedWidth(theme.px(_NAME))
        self.number.setFixedWidth(theme.px(_VALUE))

    @property
    def value(self) -> float:
        return self._exact

    @property
    def changed(self) -> bool:
        """Return whether it stands elsewhere than configured."""
        return self._exact != self._configured

    def show_config(self, configured: Config) -> None:
        """Stand where it is configured; tells nobody."""
        self._configured = self._exact = self.dial.value(configured)
        self._place()

    def set_value(self, value: float) -> None:
        """Stand elsewhere; tells nobody."""
        self._exact = value
        self._place()

    def take_back(self) -> None:
        """To what is configured."""
        if self.changed:
            self._exact = self._configured
            self._place()
            self.moved.emit()
            self.let_go.emit()

    def _place(self) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(self.dial.place(self._exact))
        self.slider.blockSignals(False)
        self._show_value()

    def _on_moved(self, place: int) -> None:
        self._exact = self.dial.at(place)
        if place == self.dial.place(self._configured):
            self._exact = self._configured
        self._show_value()
        self.moved.emit()

    def _show_value(self) -> None:
        dial, value = self.dial, self.dial.format_value(self._exact)
        self.number.setText(value)
        theme.set_kind(self.number, "" if self.changed else "muted")
        theme.set_kind(self.name, "" if self.changed else "muted")
        self.slider.mark = dial.place(self._configured)
        self.slider.update()
        self.slider.setAccessibleName(tr("{dial}: {value}", dial=dial.words, value=value))
        configured = tr(
            "Configured: {value}. A double click goes back to it.", value=dial.format_value(self._configured)
        )
        set_tip(self.slider, f"{dial.tip}\n{configured}")


class Slider(QSlider):
    """With a mark where it is configured. The wheel scrolls what it stands in, unless it has the keyboard."""

    taken_back = Signal()
    mark = 0

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.taken_back.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
        )
        way = self.width() - handle.width()
        x = QStyle.sliderPositionFromValue(0, max(1, self.maximum()), self.mark, way) + handle.width() / 2
        painter = QPainter(self)
        painter.fillRect(QRectF(x - 1, 1, 2, self.height() - 2), theme.current().color("strong_border"))
        painter.end()
        super().paintEvent(event)


class Diffusion(QWidget):
    """Signal: stepped(heat after a step, its number), or (None, -1) at the end of the walk."""

    stepped = Signal(object, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._steps: list[Heat] = []
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.valueChanged.connect(self._on_moved)
        self.play = tool_button("play", act=self._toggle, side=26)
        self.play.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.words = PlainLabel(kind="small")
        self._timer = QTimer(self, interval=_PACE)
        self._timer.timeout.connect(self._next)
        row(self.play, (self.slider, 1), self.words, on=self)
        self.set_steps(())

    def set_steps(self, steps: Sequence[Heat]) -> None:
        """Of another walk; the slider goes to its end."""
        self._stop()
        self._steps = list(steps)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, len(steps) - 1))
        self.slider.setValue(self.slider.maximum())
        self.slider.blockSignals(False)
        for part in (self.slider, self.play):
            part.setEnabled(len(steps) > 1)
        self._show_step()

    @property
    def at_end(self) -> bool:
        return self.slider.value() >= self.slider.maximum()

    def _on_moved(self, place: int) -> None:
        self._show_step()
        if self.at_end:
            self._stop()
            self.stepped.emit(None, -1)
        elif place < len(self._steps):
            self.stepped.emit(self._steps[place], place)

    def _show_step(self) -> None:
        place, most = self.slider.value(), self.slider.maximum()
        words = tr("step {step} of {count}", step=place, count=most)
        self.words.setText(words)
        self.slider.setAccessibleName(tr("Steps of the walk: {step}", step=words))

    def _toggle(self) -> None:
        if self._timer.isActive():
            self._stop()
            return
        self.slider.setValue(0 if self.at_end else self.slider.value())
        self._timer.start()
        self._dress()

    def _next(self) -> None:
        self.slider.setValue(self.slider.value() + 1)

    def _stop(self) -> None:
        self._timer.stop()
        self._dress()

    def _dress(self) -> None:
        playing = self._timer.isActive()
        self.play.setIcon(theme.icon("pause" if playing else "play", "text"))
        explain(self.play, tr("Stop") if playing else tr("Play how the heat spreads, step by step"))


class SourceBar(RowButton):
    """`Anna Kask  61 %` over a bar."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source
        self._name, share = escape_controls(source.name), percent(source.share)
        self.setCheckable(True)
        self.setAccessibleName(tr("{seed}: {share}", seed=self._name, share=share))
        set_tip(
            self,
            tr("{seed} gave {share}: {reason}.\nPoint at it to see its heat alone; press to keep that.",
               seed=self._name, share=share, reason=source.reason),
        )  # fmt: skip
        theme.follow(self, self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(theme.px(160), theme.px(18) + 12)

    def paintEvent(self, event: QPaintEvent) -> None:
        self.current = self.isChecked()
        super().paintEvent(event)
        painter, high = smooth(self), theme.px(18)
        box = QRectF(6, 2, self.width() - 12, high)
        right = Qt.AlignmentFlag.AlignRight
        share = percent(self.source.share)
        taken = painter.fontMetrics().horizontalAdvance(share) + theme.WITHIN
        paint_text(painter, box, share, "text", theme.SMALL, QFont.Weight.DemiBold, right)
        paint_text(painter, box.adjusted(0, 0, -taken, 0), self._name, "text", theme.SMALL)
        paint_share(painter, QRectF(6, high + 3, self.width() - 12, 4), self.source.share, 2)


class SourceList(QWidget):
    """Signal: pointed(entity id of a seed, "" for passages, None for all together) whose heat alone is wanted."""

    pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = PlainLabel(kind="small", wrap=True)
        self.bars: list[SourceBar] = []
        self._column = column(self.words, spacing=2, on=self)
        self.show_nothing()

    def show_nothing(self) -> None:
        drop(self._column, self.bars)
        self.words.setText(tr("Select a passage or an entity to see what gave it its share of the walk."))

    def show_sources(self, name: str, found: Attributed | None) -> None:
        """Of what is called `name`."""
        drop(self._column, self.bars)
        if found is None or not found.sources:
            self.words.setText(tr("The walk leaves nothing at \u201c{name}\u201d.", name=name))
            return
        mass = f"{found.mass * 100:.2g}"
        words = tr("\u201c{name}\u201d holds {mass} % of the walk, given by:", name=name, mass=mass)
        self.words.setText(words)
        for source in found.sources[:MOST_SOURCES]:
            bar = SourceBar(source)
            bar.pointed.connect(lambda lit, bar=bar: self._on_pointed(bar, lit))
            bar.toggled.connect(lambda on, bar=bar: self._on_toggled(bar, on))
            self._column.addWidget(bar)
            self.bars.append(bar)

    @property
    def pinned(self) -> SourceBar | None:
        """Return the one whose heat stays."""
        return next((bar for bar in self.bars if bar.isChecked()), None)

    def _on_pointed(self, bar: SourceBar, lit: bool) -> None:
        wanted = bar if lit else self.pinned
        self.pointed.emit(wanted.source.entity_id if wanted is not None else None)

    def _on_toggled(self, bar: SourceBar, on: bool) -> None:
        for other in self.bars if on else ():
            if other is not bar:
                other.setChecked(False)
        self.pointed.emit(bar.source.entity_id if on else None)
