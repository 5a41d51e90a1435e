"""Columns of numbers and of passages that the tables of a trace share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.answers.wording import place_words, placed
from app.look.translation import tr
from app.widgets.table import Column
from core.types import LISTS_CALLED, PassageLabel

RANK, FIGURE = 56, 76  # widths of columns of numbers
Labels = Mapping[str, PassageLabel]


def title_of(passage_id: str, labels: Labels) -> str:
    """`Title, page 3`, or `Title, passage 2` where there are no pages; the id of one that nobody knows by name."""
    label = labels.get(passage_id)
    if label is None:
        return passage_id
    number = tr("passage {number}", number=str(label.number)) if label.number else ""
    return placed(label.title or label.document, place_words(label.page) or number) or passage_id


def passage_column(labels: Labels, share: float = 1.0) -> Column:
    return Column(tr("Passage"), lambda row: title_of(row.passage_id, labels), share=share)


def document_column(labels: Labels) -> Column:
    def document(row: Any) -> str:
        label = labels.get(row.passage_id)
        return label.document if label else ""

    return Column(tr("Document"), document, needs=640, path=True)


def rank_column(title: str, of: Callable[[Any], int | None], tip: str = "", width: int = RANK) -> Column:
    """Ranks from 1; a dash where there is none, which sorts last."""
    return Column(
        title, lambda row: str(of(row) or "\u2013"), lambda row: of(row) or 1 << 30, True, tip, width
    )


def number_column(title: str, of: Callable[[Any], float], places: int = 3, tip: str = "") -> Column:
    return Column(title, lambda row: f"{of(row):.{places}f}", of, True, tip, FIGURE)


def move_column(before: Callable[[Any], int | None], after: Callable[[Any], int | None], tip: str) -> Column:
    """How many places up or down: `▲ 9`, `▼ 2`, `=`, `new`."""

    def moved(row: Any) -> int | None:
        old, new = before(row), after(row)
        return old - new if old and new else None

    def words(row: Any) -> str:
        return move_words(before(row), after(row))

    return Column(
        tr("Move"), words, lambda row: -(1 << 30) if moved(row) is None else moved(row), True, tip, FIGURE
    )


def move_words(before: int | None, after: int | None) -> str:
    """The way of a passage from one rank to another."""
    if before is None or after is None:
        return tr("new") if after is not None else tr("gone")
    if before == after:
        return "="
    places = abs(before - after)
    return f"\u25b2 {places}" if after < before else f"\u25bc {places}"


def list_name(name: str) -> str:
    """A ranked list as people call it; others keep their letters."""
    return tr(LISTS_CALLED[name]) if name in LISTS_CALLED else name


def rejected_column(share: float = 1.0) -> Column:
    return Column(
        tr("Why not"),
        lambda row: row.rejected,
        share=share,
        tip=tr("What kept it from going on to the next stage"),
    )
