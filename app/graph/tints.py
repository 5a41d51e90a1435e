"""What colours and sizes tell of the entities of a graph, by any of their attributes. Pure, for any thread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.graph.canvas.arrays import Key, Tint
from app.look.translation import tr
from core.types import GraphColumns, GraphShape, GraphView, kind_words
from core.types.graph_shape import REVIEWED

_MOST_DATES = (4, 100)  # percentiles of dates between which colours are told apart
_CLIP = 99.5  # percentile of a size above which nothing grows
Numbers = NDArray[np.float64]


def attribute_words(name: str) -> str:
    """What an attribute of entities is called."""
    return {
        "community": tr("Community"),
        "label": tr("Type"),
        "review": tr("State of review"),
        "degree": tr("Links"),
        "importance": tr("Importance (PageRank)"),
        "mentions": tr("Mentions"),
        "documents": tr("Documents"),
        "date": tr("Earliest date"),
    }[name]


def state_words(state: str) -> str:
    """A state of review, of facts or of an entity by its facts."""
    return {
        "open": tr("Waiting"), "partly": tr("Partly approved"), "approved": tr("Approved"),
        "disputed": tr("Disputed"),
    }[state]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """Entities of labels that people call by the same word."""

    words: str
    labels: tuple[str, ...]
    count: int


def kinds(labels: Sequence[str]) -> list[Kind]:
    """The commonest first."""
    counted: dict[str, int] = {}
    for label in labels:
        counted[label] = counted.get(label, 0) + 1
    found: dict[str, list[str]] = {}
    for label in sorted(counted):
        found.setdefault(kind_words(label), []).append(label)
    some = [Kind(words, tuple(own), sum(map(counted.__getitem__, own))) for words, own in found.items()]
    return sorted(some, key=lambda kind: (-kind.count, kind.words))


def needs_columns(shape: GraphShape) -> bool:
    """Whether more must be read of the graph than it is drawn from."""
    wanted = shape.filter
    return (
        wanted.of_facts
        or bool(wanted.edges)
        or not {shape.colour, shape.size} <= {"community", "label", "degree"}
    )


def tint_of(view: GraphView, shape: GraphShape, columns: GraphColumns | None) -> tuple[Tint, Key]:
    """Of the entities of a view of the whole graph, by its rows; of the same view with and without a filter."""
    categories: NDArray[np.int32] | None = None
    levels = sizes = None
    key = Key()
    title = attribute_words(shape.colour)
    if shape.colour == "label":
        own = kinds(view.labels)
        number = {label: at for at, kind in enumerate(own) for label in kind.labels}
        categories = np.fromiter((number[label] for label in view.labels), np.int32, len(view.labels))
        key = Key(title, {at: _capital(kind.words) for at, kind in enumerate(own)})
    elif shape.colour == "review" and columns is not None:
        categories = columns.review
        key = Key(title, {at: state_words(state) for at, state in enumerate(REVIEWED)})
    elif shape.colour != "community" and (values := _values(shape.colour, view, columns)) is not None:
        levels, key = _scaled(values, title, dated=shape.colour == "date")
    if shape.size != "degree" and (values := _values(shape.size, view, columns)) is not None:
        sizes = _sizes(values, dated=shape.size == "date")
    return Tint(categories, levels, sizes), key


def _values(name: str, view: GraphView, columns: GraphColumns | None) -> Numbers | None:
    """Numbers of entities, (n,), NaN where there is none."""
    if name == "degree":
        return view.degree.astype(np.float64)
    if columns is None:
        return None
    if name == "date":
        year, rest = np.divmod(columns.first, 10_000)
        part = np.minimum((rest // 100 * 30.4 + rest % 100) / 366, 0.999)
        return np.where(columns.first > 0, year + part, np.nan)
    values: Numbers = getattr(columns, name).astype(np.float64)
    return np.where(values > 0, values, np.nan)


def _scaled(values: Numbers, title: str, dated: bool) -> tuple[NDArray[np.float32], Key]:
    """Levels 0..1 on a linear scale of years, or a logarithmic one of other numbers, and its key."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.full(len(values), np.nan, np.float32), Key(title, scale=("", tr("not known"), ""))
    low, high = float(known.min()), float(known.max())
    if dated:
        # A few that lie far away leave no colours for the rest.
        ends = np.percentile(known, _MOST_DATES)
        first, last = (int(year) for year in ends)
        levels = np.clip((values - ends[0]) / max(float(ends[1] - ends[0]), 1e-9), 0, 1)
        between = f"{int(ends.mean())}" if last > first + 1 else ""
        begin = tr("{year} and before", year=str(first)) if int(low) < first else str(first)
        return levels.astype(np.float32), Key(title, scale=(begin, between, str(last)))
    low = max(low, high * 1e-6)
    span = np.log(max(high / low, 1.0 + 1e-9))
    levels, middle = np.log(np.maximum(values, low) / low) / span, float(np.sqrt(low * high))
    words = [_number(value) for value in (low, middle, high)]
    return levels.astype(np.float32), Key(title, scale=(words[0], words[1], words[2]))


def _sizes(values: Numbers, dated: bool) -> NDArray[np.float32]:
    """0..1, the area in proportion to the number; of dates the later ones larger."""
    known = values[~np.isnan(values)]
    if not len(known):
        return np.zeros(len(values), np.float32)
    if dated:
        low = known.min()
        found = np.nan_to_num((values - low) / max(float(known.max() - low), 1e-9))
    else:
        found = np.sqrt(
            np.minimum(np.nan_to_num(values) / max(float(np.percentile(known, _CLIP)), 1e-12), 1.0)
        )
    sizes: NDArray[np.float32] = found.astype(np.float32)
    return sizes


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
