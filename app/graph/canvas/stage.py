"""The moving part of the canvas: camera, frames, batches of growth, gliding layouts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.graph.canvas.arrays import Floats, GraphArrays
from app.graph.canvas.camera import Bounds, Camera, clear_room
from app.graph.canvas.emphasis import Emphasis
from app.graph.canvas.growth import PendingGrowth
from app.graph.canvas.items import GraphItem
from app.graph.canvas.view import CanvasView
from app.look import theme as look
from app.look.motion import MOTION_MS, Glide

CROWD = 20_000  # from here on nodes jump to a new layout instead of gliding
_SETTLE_MS = 80  # without a move for so long, the view has come to rest
_RELABEL_MS = 400  # a growing graph gets new labels at this pace
_TOO_SMALL = 0.28  # share of the view, below which what was opened is not seen well
_TOO_NEAR = 3.0  # times the view, above which what is left after closing is not seen well
_NODE_MARGIN = 34  # pixels around a node of a chain, for what is told there
_APART, _NEAR_CHAIN = 110, 3.0  # pixels between nodes of a chain; times the scale of the whole graph
_NEAREST = 0.6  # of the view, which what is brought into it takes at least
_AROUND = 0.2  # how much of what lies around it is seen on each side then
_LIVELY_MS, _DRAWING_MS = 33, 16  # between frames that fade, and between slices of the edge picture


class GraphStage(QWidget):
    """Shows arrays and emphasis; decides when to draw, label and rest."""

    grown = Signal()  # a batch was put in
    travelled = Signal()  # a new layout was reached

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.covered: Callable[[], list[QRect]] = list  # the parts that nodes and labels keep clear of
        self.arrays = GraphArrays()
        self.emphasis = Emphasis(self.arrays)
        self.growth = PendingGrowth(self.arrays)
        self.view = CanvasView()
        self.view.setParent(self)
        self.item = GraphItem(self.arrays, self.emphasis)
        self.item.setParentItem(self.view.box)
        self._glide = Glide(self)
        self._goal: Floats | None = None  # where the nodes glide to, while they do
        self._settling = self._timer(_SETTLE_MS, self.rest)
        self._batch = self._timer(0, self._grow)
        self._relabel = self._timer(_RELABEL_MS, self.label)
        self._frame = QTimer(self)
        self._frame.timeout.connect(self._tick)
        self.view.camera_changed.connect(self._camera_moved)
        look.notifier().changed.connect(self._restyle)
        self._restyle()

    def _timer(self, milliseconds: int, action: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(action)
        return timer

    # ------------------------------------------------------------ drawing

    def refresh(self) -> None:
        """Something to draw changed; labels follow at once, or at a calm pace while the graph grows."""
        if self.growth or self._batch.isActive() or self.item.lively:
            if not self._relabel.isActive():
                self._relabel.start()
            self.draw()
        else:
            self.label()

    def draw(self) -> None:
        """Ask for a frame, and for more while something is still to be drawn or moves by itself."""
        edges = self.item.edges
        if edges.outdated and not self.item.moving:  # the next frame comes with theirs
            edges.advance(self.view.camera(), dpr=self.devicePixelRatioF())
        if not edges.outdated or self.item.moving:
            self.item.update()
        self._frame.start(_DRAWING_MS)

    def label(self) -> None:
        """Choose the labels anew, once for each frame."""
        self.item.relabel = self.covered
        self.draw()

    def rest(self) -> None:
        """The view came to rest: everything in full."""
        self.item.moving = False
        self.label()

    def settle(self) -> None:
        """Finish every movement and drawing now."""
        self.flush()
        self._glide.finish()
        self.view.finish()
        self._settling.stop()
        self.rest()
        self.item.edges.advance(self.view.camera(), dpr=self.devicePixelRatioF(), wait=True)

    def _tick(self) -> None:
        self._camera_moved(
            self.view.camera()
        )  # a view that was made larger or smaller does not always say so
        lively, camera, edges = self.item.lively, self.view.camera(), self.item.edges
        self._frame.setInterval(_LIVELY_MS if lively else _DRAWING_MS)
        if lively:
            self.item.update()
        elif not self.item.moving and edges.stale(camera):
            if not edges.waiting(camera):
                self.item.update()
        elif not self.item.moving:
            self._frame.stop()

    def _camera_moved(self, camera: Camera) -> None:
        last = self.item.camera
        if camera == last:
            return
        self.item.set_camera(camera)
        if camera.scale == last.scale and (camera.width, camera.height) != (last.width, last.height):
            self.label()  # something came beside the view, which did not move: one frame is enough
            return
        self.item.moving = True
        self._settling.start()

    def _restyle(self, *_: object) -> None:
        self.view.setBackground(look.current().canvas)
        self.item.restyle()
        self.rest()

    # ------------------------------------------------------------ growing and moving

    def await_batch(self) -> None:
        """Put in what was added, soon. A batch costs a few frames: large graphs take fewer of them."""
        if not self._batch.isActive():
            count = len(self.arrays)
            self._batch.start(120 if count < 2000 else 250 if count < 6000 else 400)

    def flush(self) -> None:
        """Put in all that was added, now."""
        self._batch.stop()
        while self.growth:
            self._grow()
        self._batch.stop()

    def _grow(self) -> None:
        """Put one batch in."""
        if not self.growth:
            return
        self._glide.finish()
        first, end = self.growth.apply()
        self.item.born(first, end)
        self.emphasis.renew_heat()
        self.grown.emit()
        self.refresh()
        if not self.view.touched and self._overflows():
            # Room to grow into: every move of the view costs a new picture of the edges.
            left, bottom, right, top = self.arrays.bounds()
            x, y = 0.12 * (right - left), 0.12 * (top - bottom)
            self.item.fit_scale = self._show((left - x, bottom - y, right + x, top + y))
        if self.growth:
            self._batch.start(60)

    def _overflows(self) -> bool:
        camera, (left, bottom, right, top) = self.view.camera(), self.arrays.bounds()
        x1, y0 = camera.to_data(camera.width, camera.height)
        return left < camera.left or right > x1 or bottom < y0 or top > camera.top or len(self.arrays) < 30

    def reset(self, keep_edges: bool) -> None:
        """Make room for another graph; with `keep_edges` those that were drawn are seen until its own are."""
        self._glide.finish()
        self._batch.stop()
        self.growth.forget()
        self.item.forget(keep_edges)
        self.emphasis.clear()
        self.arrays.clear()

    def travel(self, start: Floats, target: Floats) -> None:
        """Glide from one layout to another, both of shape (n, 2)."""

        def step(share: float) -> None:
            xy = self.arrays.xy
            if len(xy) >= len(target):
                xy[: len(target)] = start + (target - start) * np.float32(share)
            self.item.edges.invalidate()
            self.item.moving = share < 1.0
            self.item.update()
            if share >= 1.0:
                self._goal = None
                self.travelled.emit()
                self._settling.start()

        self._goal = target
        self._glide.run(step, MOTION_MS if len(target) <= CROWD and self.isVisible() else 0)

    def come(self, origins: Floats, target: Floats, fresh: NDArray[np.bool_]) -> None:
        """Nodes glide from where they were held, both of shape (n, 2); the fresh ones fade in."""
        edges = np.flatnonzero(np.diff(fresh.astype(np.int8), prepend=0, append=0))
        for first, end in edges.reshape(-1, 2).tolist():
            self.item.born(first, end)
        self.travel(origins, target)
        self.draw()

    def show_open(self, id: str, fill: bool) -> None:
        """Bring an open group into view where it covers little of it, or in any case with `fill`."""
        bounds = self._around_open(id)
        if bounds is not None and (fill or self._share(bounds) < _TOO_SMALL):
            self.view.touched = True
            self._show(bounds, self._outline(id))

    def step_back(self, id: str) -> None:
        """After closing: to the open group around it, or to the whole graph, where the view is far too near."""
        bounds = self._around_open(id)
        if self._share(bounds or self.arrays.bounds()) < _TOO_NEAR:
            return
        if bounds is None:
            self.fit()
        else:
            self.view.touched = True
            self._show(bounds, self._outline(id))

    def _outline(self, id: str) -> Floats | None:
        """Corners of an open group, (n, 2); None: it is not open."""
        return next((each.corners for each in self.item.groups.open if each.id == id), None)

    def _around_open(self, id: str) -> Bounds | None:
        """Return an open group with some of what lies around it; None: it is not open."""
        corners = self._outline(id)
        if corners is None:
            return None
        low, high = corners.min(axis=0), corners.max(axis=0)
        (left, bottom), (right, top) = low - (high - low) * _AROUND, high + (high - low) * _AROUND
        return float(left), float(bottom), float(right), float(top)

    def _share(self, bounds: Bounds) -> float:
        """Return how many times the view a rectangle covers, in the direction in which it covers most."""
        camera, (left, bottom, right, top) = self.view.camera(), bounds
        return max(
            (right - left) * camera.scale / camera.width, (top - bottom) * camera.scale / camera.height
        )

    def show_rows(self, rows: list[int]) -> None:
        """Bring nodes into view, from farther away where they do not fit."""
        if not rows:
            return
        places = np.array([self.place_of(row) for row in rows])
        low, high, camera = places.min(axis=0), places.max(axis=0), self.view.camera()
        room = (max(camera.width - 160, 80), max(camera.height - 160, 80))
        scale = min(pixels / max(float(way), 1e-9) for pixels, way in zip(room, high - low, strict=True))
        self.view.touched = True
        x, y = ((low + high) / 2).tolist()
        self.view.look_at(x, y, min(scale, camera.scale))

    def show_clear(self, rows: list[int], chain: bool, cards: list[QRect]) -> None:
        """Bring nodes into view clear of what lies upon it, from farther away where they do not fit; a chain nearer,
        where its nodes would be so near each other that nothing could be told between them."""
        if not rows:
            return
        camera, places = self.view.camera(), np.array([self.place_of(row) for row in rows], np.float32)
        (x, y), covered, room = camera.to_screen(places).T, [*self.covered(), *cards], look.px(_NODE_MARGIN)
        inside = (x > room) & (y > room) & (x < camera.width - room) & (y < camera.height - room)
        for part in covered:
            aside = (x < part.left() - room) | (x > part.right() + room)
            inside &= aside | (y < part.top() - room) | (y > part.bottom() + room)
        scale = camera.scale
        if chain and len(rows) > 1:
            nearest = float(np.hypot(*np.diff(places, axis=0).T).min())
            most = max(_NEAR_CHAIN * self.item.fit_scale, scale)
            scale = min(max(look.px(_APART) / max(nearest, 1e-9), scale), most)
        if inside.all() and scale == camera.scale:
            return
        low, high = places.min(axis=0), places.max(axis=0)
        least = _NEAREST * min(camera.width, camera.height) / scale  # so that it comes no nearer
        around = np.maximum(least - (high - low), 2 * room / scale) / 2
        (left, bottom), (right, top) = (low - around).tolist(), (high + around).tolist()
        self.view.touched = True
        wide = np.full(len(places), room / scale, np.float32)
        self._show((left, bottom, right, top), places, wide, covered=covered)

    def fit(self, animate: bool = True) -> None:
        """Show all of the graph, where it will be; the view follows the graph again."""
        self.view.touched = False
        goal = self._goal
        places = self.arrays.xy if goal is None or len(goal) != len(self.arrays) else goal
        framed = np.concatenate([places, self.arrays.frame])
        low, high = framed.min(axis=0, initial=np.inf), framed.max(axis=0, initial=-np.inf)
        bounds = (*low.tolist(), *high.tolist()) if len(framed) else self.arrays.bounds()
        self.item.fit_scale = self._show(bounds, places, self.arrays.radius, animate)

    def _show(
        self,
        bounds: Bounds,
        places: Floats | None = None,
        radii: Floats | None = None,
        animate: bool = True,
        covered: Sequence[QRect] | None = None,
    ) -> float:
        """Show a rectangle so that no legend hides these places (n, 2), by default the nodes; its scale."""
        arrays = self.arrays
        if places is None:
            places, radii = arrays.xy, arrays.radius
        size = (self.view.box.width(), self.view.box.height())
        wide = radii if radii is not None else np.zeros(len(places), np.float32)
        room = clear_room(places, wide, bounds, size, self.covered() if covered is None else covered)
        return self.view.fit(bounds, room, animate)

    def place_of(self, row: int) -> tuple[float, float]:
        """Return where a node is, or will be in a moment, in data units."""
        xy = self._goal if self._goal is not None and row < len(self._goal) else self.arrays.xy
        return float(xy[row, 0]), float(xy[row, 1])

    def centre(self, row: int) -> None:
        """Bring a node to the middle, not farther away than the whole graph is."""
        x, y = self.place_of(row)
        self.view.touched = True
        self.view.look_at(x, y, max(self.view.camera().scale, self.item.fit_scale))

    def resizeEvent(self, event: QResizeEvent) -> None:
        before = self.view.camera()
        self.view.setGeometry(self.rect())
        if not self.view.touched:
            self.fit(animate=False)
        elif before.width > 1:  # what comes beside the view does not make its nodes larger or smaller
            middle = before.to_data(before.width / 2, before.height / 2)
            self.view.look_at(*middle, before.scale, animate=False)

    def showEvent(self, event: QShowEvent) -> None:
        self.draw()

    def hideEvent(self, event: QHideEvent) -> None:
        self._frame.stop()  # nothing is painted, so nothing would ever be done
