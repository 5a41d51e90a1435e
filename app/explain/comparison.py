"""Two traces beside each other: answers, weights, passages, seeds, stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtWidgets import QWidget

from app.answers.wording import NO_ANSWER, duration, percent, route_name
from app.explain.stages import stage_words
from app.explain.tables import (
    FIGURE,
    Section,
    SectionTables,
    SectionView,
    list_name,
    move_column,
    rank_column,
    title_of,
)
from app.look import theme
from app.look.translation import tr
from app.widgets.buttons import push_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, PanelScroll, column, drop, row
from app.widgets.table import Column
from core.types import PassageChange, SavedTrace, SeedChange, StageChange, TraceComparison

TWO_COLUMNS = 700  # width from which tables stand beside each other


class ComparisonView(SectionTables):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel(wrap=True, selectable=True, bold=True)
        self.summary = PlainLabel(kind="muted", wrap=True, selectable=True)
        words = tr("Back to the trace (Esc)")
        self.back = push_button(tr(" Back"), self.closed, icon="arrow-left", tip=words)
        head = row((column(self.title, self.summary, spacing=theme.GRID), 1), (self.back, TOP))
        self._stacks = [column(STRETCH, spacing=theme.GROUPS) for _ in range(2)]
        self._column_row = row(*((stack, 1) for stack in self._stacks), spacing=theme.GROUPS)
        self.area = PanelScroll(head, theme.WITHIN, self._column_row, STRETCH, spacing=theme.GRID)
        column(self.area, on=self)

    def show_comparison(self, found: TraceComparison) -> None:
        """Replace what is shown."""
        for stack in self._stacks:
            drop(stack, [view for view in self.sections if stack.indexOf(view) >= 0])
        self.title.setText(_title(found))
        self.summary.setText(changes_words(found))
        views = (SectionView(section, f"changes{at}", self) for at, section in enumerate(sections_of(found)))
        self.sections = list(views)
        for view in self.sections:
            view.table.chosen.connect(self.chosen)
        self._place()
        self.area.verticalScrollBar().setValue(0)

    def _place(self) -> None:
        wide = self.width() >= theme.px(TWO_COLUMNS)
        for at, view in enumerate(self.sections):
            for stack in self._stacks:
                stack.removeWidget(view)
            stack = self._stacks[at % 2 if wide else 0]
            stack.insertWidget(stack.count() - 1, view)
        self._column_row.setStretch(1, int(wide))

    def resizeEvent(self, event: Any) -> None:
        super().resizeEvent(event)
        self._place()


def _title(found: TraceComparison) -> str:
    before, after = found.before.trace.question, found.after.trace.question
    if before == after:
        return before
    return tr("{before} \u2192 {after}", before=before, after=after)


def changes_words(found: TraceComparison) -> str:
    """Return how much changed, in one line."""
    moved = sum(change.before != change.after for change in found.passages)
    seeds = sum(change.before is None or change.after is None for change in found.seeds)
    stages = sum(change.changed for change in found.stages)
    if not (moved or seeds or stages) and found.before.answer == found.after.answer:
        return tr("Nothing differs but the times.")
    return tr(
        "What differs: passages {passages} of {ranked}, seeds {seeds} of {all_seeds}, stages {stages} of {all_stages}.",
        passages=moved,
        ranked=len(found.passages),
        seeds=seeds,
        all_seeds=len(found.seeds),
        stages=stages,
        all_stages=len(found.stages),
    )


def sections_of(found: TraceComparison) -> Iterator[Section]:
    """Yield the tables, the most telling first."""
    yield Section(tr("Answers"), _both(tr("What")), tuple(_summary(found)))
    yield Section(tr("Passages"), _passage_columns(), found.passages)
    yield Section(tr("Stages"), _stage_columns(), found.stages)
    yield Section(tr("Seeds"), _seed_columns(), found.seeds)


def _both(first: str) -> tuple[Column, ...]:
    return (
        Column(first, lambda line: line[0], share=0.8),
        Column(tr("Before"), lambda line: line[1]),
        Column(tr("After"), lambda line: line[2]),
    )


def _summary(found: TraceComparison) -> Iterator[tuple[str, str, str]]:
    """Lines of what both say: (what, before, after)."""
    fields: tuple[tuple[str, Callable[[SavedTrace], str]], ...] = (
        (tr("Answer"), lambda saved: NO_ANSWER if saved.abstained else saved.answer),
        (tr("Probability"), lambda saved: "" if saved.abstained else percent(saved.confidence)),
        (tr("Route"), lambda saved: route_name(saved.trace.route.name)),
        (tr("Time"), lambda saved: duration(saved.trace.seconds)),
    )
    for name, of in fields:
        yield name, of(found.before), of(found.after)
    for weight in found.weights:
        yield tr("Weight of {list}", list=list_name(weight.name)), _share(weight.before), _share(weight.after)


def _share(weight: float | None) -> str:
    return "\u2013" if weight is None else percent(weight)


def _passage_columns() -> tuple[Column, ...]:
    def title(change: PassageChange) -> str:
        return title_of(change.passage_id, {change.passage_id: change.label} if change.label else {})

    return (
        rank_column(tr("After"), lambda change: change.after),
        rank_column(tr("Before"), lambda change: change.before),
        move_column(lambda change: change.before, lambda change: change.after, tr("Places up or down")),
        Column(tr("Passage"), title, share=1.4),
    )


def _seed_columns() -> tuple[Column, ...]:
    def weight(value: float | None) -> str:
        return "\u2013" if value is None else f"{value:.3f}"

    return (
        Column(tr("Entity"), lambda change: change.name),
        Column(
            tr("Before"), lambda change: weight(change.before), lambda c: c.before or 0.0, True, "", FIGURE
        ),
        Column(tr("After"), lambda change: weight(change.after), lambda c: c.after or 0.0, True, "", FIGURE),
        Column(tr("Change"), seed_words, width=FIGURE),
    )


def seed_words(change: SeedChange) -> str:
    """Return what became of a seed."""
    if change.before is None:
        return tr("gained")
    if change.after is None:
        return tr("lost")
    if abs(change.after - change.before) < 0.0005:
        return ""
    return tr("heavier") if change.after > change.before else tr("lighter")


def _stage_columns() -> tuple[Column, ...]:
    return (
        Column(tr("Stage"), lambda change: stage_words(change.name)),
        Column(tr("Before"), lambda change: _took(change, True), _seconds(True), True, "", FIGURE),
        Column(tr("After"), lambda change: _took(change, False), _seconds(False), True, "", FIGURE),
        Column(tr("Said before"), lambda change: change.before.detail if change.before else "", needs=420),
        Column(tr("Says now"), lambda change: _now(change)),
    )


def _took(change: StageChange, before: bool) -> str:
    stage = change.before if before else change.after
    return duration(stage.seconds) if stage else tr("not run")


def _seconds(before: bool) -> Callable[[StageChange], float]:
    def of(change: StageChange) -> float:
        stage = change.before if before else change.after
        return stage.seconds if stage else -1.0

    return of


def _now(change: StageChange) -> str:
    if change.after is None:
        return ""
    return change.after.detail if change.changed else tr("the same")
