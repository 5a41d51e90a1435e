"""The tables of the lab: the compositions of a run, and what a question found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QSize, Signal
from PySide6.QtWidgets import QSizePolicy

from app.look import theme
from app.look.translation import tr
from app.session.overlay import ChainFact
from app.widgets.table import RECORD_ROLE, ROW, Column, RecordTable, TraceTable
from core.types import LabPassage, LabPath

if TYPE_CHECKING:
    from core.workspace.lab import LabFigures

_LEAST = 4  # rows that are seen without scrolling
_TALLEST = (1 << 24) - 1  # pixels: Qt's own largest
RECALL, RIGHT, ALL = "recall@5", "right", "all"
_NONE = "\u2013"
_LAST = -1.0  # where a figure does not apply
_LETTERS = 160  # of a passage that are shown


class GrowingTable(TraceTable):
    def __init__(self, records: RecordTable, name: str) -> None:
        super().__init__(records, name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.set_records(())

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def _fit(self) -> None:
        super()._fit()
        self.setMinimumHeight(theme.px(ROW) * (_LEAST + 1))
        self.setMaximumHeight(_TALLEST)


def figure_of(name: str) -> Callable[[LabFigures], float]:
    """Return what a figure sorts by."""
    return lambda row: row.figures.get(name, _LAST)


def seconds_of(row: LabFigures) -> float:
    """In the median, of the whole way."""
    return row.seconds.get(ALL, 0.0)


def tokens_of(row: LabFigures) -> float:
    """That scoring and the reader took, on average."""
    return row.tokens + row.scored_tokens


def _peak(row: LabFigures) -> str:
    return _NONE if row.peak is None else f"{row.peak / 1e6:,.1f}"


def figure_words(row: LabFigures, name: str) -> str:
    """`.830`; a dash where it does not apply."""
    value = row.figures.get(name)
    return _NONE if value is None else f"{value:.3f}"


def recall_words(row: LabFigures) -> str:
    """`0.830 ±.057*`: the star where it differs from the first composition for sure."""
    if RECALL not in row.figures:
        return _NONE
    sure = "*" if row.against < 0.05 else ""
    return f"{row.figures[RECALL]:.3f} \u00b1{(row.sure.high - row.sure.low) / 2:.3f}{sure}"


def milliseconds(seconds: float) -> str:
    """Three digits, as far as they tell."""
    number = seconds * 1000
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def figures_table(parent: QObject, marked: Callable[[LabFigures], str]) -> RecordTable:
    """`marked` tells by a sign what stands out: on the front, adopted."""

    def size(name: str) -> Callable[[LabFigures], str]:
        return lambda row: f"{getattr(row, name):,.0f}"

    def number(title: str, name: str, width: int, needs: int, tip: str) -> Column:
        return Column(title, size(name), lambda row: getattr(row, name), True, tip, width, needs=needs)

    return RecordTable(
        (
            Column(
                "", marked, marked, width=44,
                tip=tr("\u25c6 on the front: nothing finds more for as little.  \u2713 the workspace's own"),
            ),
            Column(tr("Composition"), lambda row: row.composition),
            Column(
                tr("recall@5"), recall_words, figure_of(RECALL), True,
                tr("Share of the gold documents among the first five passages; \u00b1 half of its 95 % interval, * "
                   "surely not that of the first composition of the run"),
                128,
            ),
            Column(
                tr("Right"), lambda row: figure_words(row, RIGHT), figure_of(RIGHT), True,
                tr("Share of the questions that the reader answers rightly from the first five passages"), 60,
                needs=420,
            ),
            Column(
                tr("Reach"), lambda row: figure_words(row, "reach"), figure_of("reach"), True,
                tr("Share of the questions whose answer lies on a path, of those whose answer is an entity"), 60,
                needs=560,
            ),
            Column(
                tr("ms"), lambda row: milliseconds(seconds_of(row)), seconds_of, True,
                tr("Milliseconds of a question, in the median, without the reader"), 60,
            ),
            Column(
                tr("Tokens"), lambda row: f"{tokens_of(row):,.0f}", tokens_of, True,
                tr("Tokens of a question on average, that scoring took and that the reader was given"), 68, needs=480,
            ),
            number(tr("Entities"), "entities", 72, 640, tr("Entities of the subgraph, on average")),
            number(tr("Facts"), "facts", 64, 720, tr("Facts of the subgraph, on average")),
            number(tr("Paths"), "paths", 56, 720, tr("Paths that were kept, on average")),
            Column(
                tr("MB"), _peak, lambda row: row.peak or 0.0, True,
                tr("Memory above what was held before, for 95 of 100 questions"), 56, needs=800,
            ),
        ),
        parent,
    )  # fmt: skip


class FiguresTable(GrowingTable):
    """Rows keep their order and what is selected while a run goes on."""

    def select(self, name: str) -> None:
        """The row of a composition."""
        model = self.model()
        for at in range(model.rowCount()):
            if model.index(at, 1).data() == name:
                if self.currentIndex().row() != at or not self.selectionModel().isRowSelected(at):
                    self.selectRow(at)
                return

    def show_figures(self, figures: tuple[LabFigures, ...]) -> None:
        """In the order that a heading gives, the best first until one is clicked."""
        self._records.set_records(figures)
        self._fit()


def path_words(found: LabPath) -> str:
    """`Alan Turing — worked at → Bletchley Park`; an arrow to the left where a fact is told the other way round."""
    words = [found.names[0]]
    for step, before, name in zip(found.path.steps, found.path.entity_ids, found.names[1:], strict=False):
        verb = step.predicate
        words.append(
            f"\u2014 {verb} \u2192 {name}" if step.subject_id == before else f"\u2190 {verb} \u2014 {name}"
        )
    return " ".join(words)


def chain_of(found: LabPath) -> tuple[ChainFact, ...]:
    """Return the facts of a path as the overlay draws them."""
    pairs = zip(found.path.steps, found.path.entity_ids, strict=False)
    return tuple(ChainFact(step.predicate, step.subject_id == before) for step, before in pairs)


class FoundTable(GrowingTable):
    """Signals besides `chosen`: lit(record) where the mouse rests on a row or the keyboard comes to one."""

    lit = Signal(object)

    def __init__(self, records: RecordTable, name: str) -> None:
        super().__init__(records, name)
        self.setMouseTracking(True)
        self.entered.connect(self._light)
        self.selectionModel().currentRowChanged.connect(lambda now, _: self._light(now))

    def _light(self, index: QModelIndex) -> None:
        if index.isValid():
            self.lit.emit(index.data(RECORD_ROLE))


def paths_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(tr("Path"), path_words),
            Column(
                tr("Facts"), lambda found: str(len(found.path.steps)), lambda found: len(found.path.steps),
                number=True, width=56, needs=380,
            ),
            Column(
                tr("Score"), lambda found: f"{found.score:.3f}", lambda found: found.score, number=True, width=64,
                tip=tr("As the last scorer gave it; comparable within one list only"),
            ),
        ),
        parent,
    )  # fmt: skip


def passages_table(parent: QObject) -> RecordTable:
    return RecordTable(
        (
            Column(tr("Rank"), lambda each: str(each.rank), lambda each: each.rank, number=True, width=48),
            Column(tr("Document"), lambda each: each.title, share=0.7),
            Column(tr("Passage"), _opening, share=1.5, needs=320),
            Column(
                tr("Score"), lambda each: f"{each.score:.3f}", lambda each: each.score, number=True, width=64,
                needs=280, tip=tr("As the last stage gave it; comparable within one list only"),
            ),
        ),
        parent,
    )  # fmt: skip


def _opening(passage: LabPassage) -> str:
    return " ".join(passage.text.split())[:_LETTERS]
