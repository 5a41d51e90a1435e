"""What the edges at one node say, near the pointer: predicates and arrows, as many as do not cover each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.graph.canvas.arrays import Floats
from app.graph.canvas.camera import Camera
from app.graph.canvas.path_layer import arrow
from app.look import theme as look
from app.look.painting import paint_text
from app.look.translation import tr

MOST = 12  # words on screen
_TRIED = 40  # edges, the nearest to the pointer
_NEAR = 240.0  # pixels from the pointer
_HIGH, _PAD, _WIDEST = 16, 4, 150  # pixels of a box at 100 %
_LEAST = 34.0  # pixels of an edge between the rims of its nodes
_SPOTS = (0.0, 0.12, -0.12, 0.24, -0.24)  # along the edge, from the best place


@dataclass(frozen=True, slots=True)
class EdgeWord:
    """The strongest fact of an edge: its predicate, whether it leads away from the node, how many others there are."""

    predicate: str
    forward: bool
    more: int = 0

    @property
    def words(self) -> str:
        return (
            tr("{predicate} +{count}", predicate=self.predicate, count=self.more)
            if self.more
            else self.predicate
        )


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """Words in a box of pixels, beside an edge from the node `row` of the fact's subject to that of its object."""

    box: QRectF
    words: str
    subject: int
    object: int


class EdgeWords:
    """`node` is the row of the one whose edges speak, -1 for none; `told`: by the row of the other end."""

    def __init__(self) -> None:
        self.node = -1
        self.told: Mapping[int, EdgeWord] = {}
        self.pointer: QPointF | None = None  # None: it is elsewhere

    def forget(self) -> None:
        self.node, self.told = -1, {}

    def placed(
        self,
        screen: Floats,
        radii: Floats,
        camera: Camera,
        covered: Sequence[QRectF] = (),
        there: NDArray[np.bool_] | None = None,
    ) -> list[PlacedWord]:
        """What is written where. `screen` (n, 2), `radii` (n,) and `there` (n,) are those of all nodes, in pixels."""
        rows = np.array([row for row in self.told if row < len(screen)], np.intp)
        if there is not None:
            rows = rows[there[rows]]
        if not 0 <= self.node < len(screen) or not len(rows):
            return []
        centre = screen[self.node]
        ways = screen[rows] - centre
        length = np.maximum(np.hypot(ways[:, 0], ways[:, 1]), 1e-6)
        rims = float(radii[self.node]), radii[rows]
        room = length - rims[0] - rims[1]
        best, point = np.full(len(rows), 0.55), self.pointer
        if point is not None:
            best = ((np.array([point.x(), point.y()]) - centre) * ways).sum(axis=1) / length**2
        # Never upon a node: between the rims, and a little off them.
        best = np.clip(best, (rims[0] + 0.25 * room) / length, (rims[0] + 0.75 * room) / length)
        close = room >= look.px(int(_LEAST))
        gaps = np.arange(len(rows), dtype=np.float64)  # without a pointer those told first, the strongest
        if point is not None:
            gaps = np.hypot(*(centre + ways * best[:, None] - (point.x(), point.y())).T)
            close &= gaps < look.px(int(_NEAR))
        order = np.flatnonzero(close)[np.argsort(gaps[close], kind="stable")][:_TRIED]
        taken = [(part.left(), part.top(), part.right(), part.bottom()) for part in covered]
        discs = np.array([self.node, *rows[order]], np.intp)
        taken += [
            (x - r, y - r, x + r, y + r)
            for (x, y), r in zip(screen[discs].tolist(), radii[discs].tolist(), strict=True)
        ]
        return self._thinned(order.tolist(), rows, centre, ways, best, taken, camera)

    def _thinned(
        self,
        order: list[int],
        rows: NDArray[np.intp],
        centre: Floats,
        ways: Floats,
        best: NDArray[np.float64],
        taken: list[tuple[float, float, float, float]],
        camera: Camera,
    ) -> list[PlacedWord]:
        """One after the other, where its box lies on none that stands already."""
        metrics, high = QFontMetricsF(look.font(look.SMALL)), float(look.px(_HIGH))
        boxes = np.zeros((len(taken) + MOST, 4))
        boxes[: len(taken)] = taken
        count, found = len(taken), list[PlacedWord]()
        for at in order:
            row = int(rows[at])
            word = self.told[row]
            wide = min(metrics.horizontalAdvance(word.words), float(look.px(_WIDEST))) + 2 * _PAD + 1
            for aside in _SPOTS:
                x, y = (centre + ways[at] * np.float32(best[at] + aside * min(1.0, best[at]))).tolist()
                box = (x - wide / 2, y - high / 2, x + wide / 2, y + high / 2)
                if box[0] < 2 or box[1] < 2 or box[2] > camera.width - 2 or box[3] > camera.height - 2:
                    continue
                own = boxes[:count]
                apart = (
                    (own[:, 2] <= box[0])
                    | (own[:, 0] >= box[2])
                    | (own[:, 3] <= box[1])
                    | (own[:, 1] >= box[3])
                )
                if apart.all():
                    boxes[count] = box
                    count += 1
                    ends = (self.node, row) if word.forward else (row, self.node)
                    found.append(PlacedWord(QRectF(box[0], box[1], wide, high), word.words, *ends))
                    break
            if len(found) == MOST:
                break
        return found

    def paint(self, painter: QPainter, placed: Sequence[PlacedWord], screen: Floats, radii: Floats) -> None:
        """Arrows first, so that no word is crossed."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for each in placed:
            way = QLineF(QPointF(*screen[each.subject].tolist()), QPointF(*screen[each.object].tolist()))
            arrow(painter, way, float(radii[each.object]) + 1.0, 0.7)
        ground = QColor(look.current().canvas)
        ground.setAlphaF(0.88)
        for each in placed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(each.box, 4, 4)
            paint_text(painter, each.box.adjusted(_PAD, 0, -_PAD, 0), each.words, "accent", look.SMALL)
