"""What is seen of a graph, copied: other threads make pictures of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect

from app.graph.canvas.arrays import Floats, Ints, Rows
from app.graph.canvas.camera import Camera
from app.graph.canvas.discs import Outline
from app.graph.canvas.items import GraphItem
from app.graph.canvas.lines import Content, DerivedLines
from app.graph.canvas.words import PlacedWord, Sign, Way
from app.look import theme as look
from app.look.theme import Theme


@dataclass(frozen=True, slots=True)
class Name:
    """A label as it stands, with the left end of its base line, in pixels."""

    text: str
    x: float
    y: float
    strong: bool
    vivid: bool


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """n nodes, in pixels of the view. Styles index `fills` (k,) and `ringed` (k,)."""

    camera: Camera
    theme: Theme
    family: tuple[str, ...]
    sizes: tuple[int, int]  # of small and of strong letters, pixels
    content: Content | None  # the edges; None in a preview of dates
    links: Ints | None  # of that preview, (k, 2) rows
    screen: Floats  # (n, 2)
    radii: Floats  # (n,)
    styles: Ints  # (n,)
    fills: NDArray[np.uint32]  # (k, 2) outline and filling, argb
    ringed: NDArray[np.bool_]  # (k,)
    grouped: NDArray[np.bool_]  # (n,) which stand for many
    members: Ints  # (n,)
    visible: NDArray[np.bool_] | None  # (n,) drawn at all; None: all
    front: NDArray[np.bool_] | None  # (n,); None: nothing stands out
    rest: float  # opacity of the others
    quiet: Ints  # (k, 2) rows of edges between nodes in front
    lit: Ints  # (k, 2) rows
    path: tuple[int, ...]
    way: Way
    signs: tuple[Sign, ...]
    chosen: Rows
    selected: int
    names: tuple[Name, ...]
    words: tuple[PlacedWord, ...]
    outlines: tuple[Outline, ...]
    captions: tuple[tuple[QRect, str], ...]
    derived: DerivedLines


def snapshot(item: GraphItem) -> Snapshot:
    """Return a copy of what an item paints, without the pointer's part. On the window's thread."""
    arrays, emphasis, camera = item.arrays, item.emphasis, item.camera
    screen, radii = camera.to_screen(arrays.xy), item.radii()
    front, rest = emphasis.focus()
    preview, pairs = emphasis.preview, arrays.edges
    fills, ringed = item.colours()
    quiet = emphasis.focus_edges(front)[:4000] if front is not None else np.zeros(0, np.intp)
    small, strong = look.font(look.SMALL), look.font(look.SMALL + 1)
    path = emphasis.path.tolist()
    words = item.words_placed(screen, radii) if item.edge_words.by_row and preview is None else []
    return Snapshot(
        camera=camera,
        theme=look.current(),
        family=tuple(small.families()),
        sizes=(small.pixelSize(), strong.pixelSize()),
        content=Content(arrays, look.current()) if preview is None else None,
        links=preview.drawn_links() if preview is not None else None,
        screen=screen,
        radii=radii,
        styles=item.node_styles(np.arange(len(arrays))),
        fills=fills,
        ringed=ringed,
        grouped=arrays.radius > 0,
        members=arrays.members.copy(),
        visible=emphasis.visible,
        front=front,
        rest=rest,
        quiet=pairs[quiet],
        lit=pairs[emphasis.lit_edges()[:4000]],
        path=tuple(path),
        way=item.way.captions,
        signs=tuple(item.way.signs(path, screen, radii, camera)),
        chosen=emphasis.chosen.copy(),
        selected=emphasis.selected,
        names=tuple(_names(item, screen)),
        words=tuple(words),
        outlines=tuple(item.groups.in_view(camera)),
        captions=tuple(item.groups.captions(camera)),
        derived=item.derived(screen, radii),
    )


def _names(item: GraphItem, screen: Floats) -> Sequence[Name]:
    found = []
    for label in item.labels.labels:
        if label.row < len(screen):
            x, y = screen[label.row].tolist()
            text, rise = item.labels.text_of(item.arrays.names[label.row], label.strong)
            vivid = label.row == item.emphasis.selected
            found.append(Name(text, x + label.dx, y + label.dy + rise, label.strong, vivid))
    return found
