"""The picture of all edges, and of the nodes where they are many, drawn once per view and then stamped.

Where much is to be drawn another thread does it. Meanwhile what was drawn last is shown, moved and scaled with the
view: the last whole picture as long as it is about of this scale, and around it a rough one, with fewer edges, that
follows the hand. A picture is put in its place when it is complete, so that nothing flickers.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QRegion

from app.graph.canvas import strokes
from app.graph.canvas.arrays import GraphArrays
from app.graph.canvas.camera import Camera
from app.graph.canvas.lines import Content, Marks
from app.look.theme import Theme

HERE = 2500  # lines, and nodes, that are drawn at once on the window's thread
ROUGH = 25_000  # edges in view of a picture that follows the hand
_MARGIN = 0.12  # of the view on each side, drawn with it
_NEAR = 1.5  # times the scale, up to which a whole picture is shown instead of a rough one
_painter = ThreadPoolExecutor(1, thread_name_prefix="clew-edges")


@dataclass(slots=True, eq=False)
class _Picture:
    """Edges up to number `upto` and so many nodes, for whom looks from `wanted`, with what lies around that."""

    wanted: Camera
    camera: Camera
    image: QImage
    upto: int
    nodes: int  # 0: none are in it
    step: int = 1  # more: rough, with every so many edges
    right: bool = True  # False: of an earlier state of the graph
    cancelled: bool = False
    drawing: Future[None] | None = None  # on the other thread

    @property
    def complete(self) -> bool:
        return self.drawing is None or self.drawing.done()

    def area(self, camera: Camera) -> QRectF:
        """Return where the picture lies as another camera sees it, in pixels."""
        own, ratio = self.camera, camera.scale / self.camera.scale
        left, top = (own.left - camera.left) * camera.scale, (camera.top - own.top) * camera.scale
        return QRectF(left, top, own.width * ratio, own.height * ratio)

    def paint(self, painter: QPainter, camera: Camera) -> None:
        if self.camera == camera:
            painter.drawImage(0, 0, self.image)
        elif self.camera.scale == camera.scale:
            painter.drawImage(self.area(camera).topLeft().toPoint(), self.image)
        else:
            painter.drawImage(self.area(camera), self.image, QRectF(self.image.rect()))


class EdgeLayer:
    """Keeps the picture in step with arrays and camera."""

    def __init__(
        self, arrays: GraphArrays, theme: Theme, marks: Callable[[float], Marks] | None = None
    ) -> None:
        """`marks`: how nodes look by the device's pixels for each of ours; without it edges alone are drawn."""
        self._arrays, self._theme, self._marks = arrays, theme, marks
        self._final: _Picture | None = None
        self._rough: _Picture | None = None
        self._back: _Picture | None = None
        self._content: Content | None = None
        self._dpr = 1.0

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.invalidate()

    def invalidate(self, keep: bool = False) -> None:
        """Drop the pictures after a change; with `keep` they stay visible until redrawn."""
        if self._final is not None:
            self._final.right = False
        self._final = self._final if keep else None
        self._rough = self._content = None
        self._drop_back()

    def _drop_back(self) -> None:
        if self._back is not None and self._back.drawing is not None:
            self._back.cancelled = True
            self._back.drawing.cancel()
        self._back = None

    # ------------------------------------------------------------ what is shown

    @property
    def nodes(self) -> int:
        """Return how many of the first nodes are in the shown picture; 0 where it holds edges alone."""
        counts = [picture.nodes for picture in (self._final, self._rough) if picture is not None]
        return min(counts, default=0)

    def stale(self, camera: Camera) -> bool:
        """Return whether the shown picture is not the final one of this camera."""
        final = self._final
        return final is None or not self._fits(final, camera) or self._behind(final)

    @property
    def outdated(self) -> bool:
        """Return whether the shown picture is of an earlier state of the graph."""
        return self._final is not None and not self._final.right

    def waiting(self, camera: Camera) -> bool:
        """Whether another thread still draws the final picture of this camera: a frame now would show nothing new."""
        back = self._back
        return back is not None and back.step == 1 and back.wanted == camera and not back.complete

    def _fits(self, picture: _Picture, camera: Camera) -> bool:
        return picture.right and picture.wanted == camera

    def _behind(self, picture: _Picture) -> bool:
        return picture.upto < self._arrays.edge_count

    def paint(self, painter: QPainter, camera: Camera, opacity: float) -> None:
        """Stamp what there is, moved and scaled when it was drawn for another camera."""
        final, rough = self._final, self._rough
        painter.setOpacity(opacity)
        if final is not None and rough is not None and not self._fits(final, camera):
            if 1 / _NEAR < camera.scale / final.camera.scale < _NEAR:
                view = QRegion(0, 0, camera.width, camera.height)
                painter.save()
                painter.setClipRegion(view - QRegion(final.area(camera).toAlignedRect()))
                rough.paint(painter, camera)
                painter.restore()
            else:
                final = rough
        picture = final or rough
        if picture is not None:
            picture.paint(painter, camera)
        painter.setOpacity(1.0)

    # ------------------------------------------------------------ what is drawn

    def advance(self, camera: Camera, moving: bool = False, dpr: float = 1.0, wait: bool = False) -> bool:
        """Draw, or go on; True when the picture of this camera is complete, as it is after a `wait`.

        While the view is `moving` a rough one will do.
        """
        if dpr != self._dpr:
            self._dpr = dpr
            self.invalidate()
        self._take()
        final, back = self._final, self._back
        if final is not None and self._fits(final, camera) and self._catch_up(final):
            return True
        if back is not None and not moving and (back.step > 1 or back.wanted != camera):
            self._drop_back()
        if self._back is None and not (moving and self._rough is not None and self._rough.wanted == camera):
            self._back = self._begin(camera, moving)
        back = self._back
        if wait and back is not None and back.drawing is not None:
            back.drawing.result()
        self._take()
        return not self.stale(camera)

    def _take(self) -> None:
        """Show what the other thread has completed."""
        back = self._back
        if back is None or not back.complete:
            return
        self._back = None
        if back.drawing is not None:
            back.drawing.result()  # a fault in it is told
        if back.step > 1:
            self._rough = back
        else:
            self._final, self._rough = back, None

    def _begin(self, camera: Camera, moving: bool) -> _Picture:
        arrays = self._arrays
        few = max(arrays.edge_count, len(arrays)) <= HERE
        content = self._content
        if content is None or content.upto != arrays.edge_count or content.nodes != len(arrays):
            content = self._content = Content(arrays, self._theme)
        step = 1 if few or not moving else content.in_view(camera) // ROUGH + 1
        wider = camera if few or not moving else _wider(camera)
        image = self._blank(wider)
        marks = self._marks(self._dpr) if self._marks is not None and len(arrays) > HERE else None
        nodes = len(arrays) if marks is not None else 0
        picture = _Picture(camera, wider, image, content.upto, nodes, step)
        if few:
            content.paint(image, wider)
            return picture

        def cancelled() -> bool:
            return picture.cancelled

        if not strokes.ready() and self._final is None and self._rough is None:
            # What is drawn at once is seen while the loops are compiled.
            self._rough = _Picture(camera, camera, self._blank(camera), content.upto, 0, 2)
            few_edges = slice(None, None, arrays.edge_count // HERE + 1)
            Content(arrays, self._theme, few_edges).paint(self._rough.image, camera)
        picture.drawing = _painter.submit(content.fill, image, wider, step, marks, cancelled, not moving)
        return picture

    def _blank(self, camera: Camera) -> QImage:
        size = int(camera.width * self._dpr), int(camera.height * self._dpr)
        image = QImage(*size, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._dpr)
        image.fill(Qt.GlobalColor.transparent)
        return image

    def _catch_up(self, picture: _Picture) -> bool:
        """Draw the edges that came since upon the picture, where no nodes are in it; False: draw it anew."""
        if self._behind(picture) and picture.nodes:
            return False
        if self._behind(picture):
            Content(self._arrays, self._theme, slice(picture.upto, None)).paint(picture.image, picture.camera)
            picture.upto = self._arrays.edge_count
        return True


def _wider(camera: Camera) -> Camera:
    """Return the camera with a margin around the view."""
    x, y = round(camera.width * _MARGIN), round(camera.height * _MARGIN)
    size = (camera.width + 2 * x, camera.height + 2 * y)
    return Camera(camera.left - x / camera.scale, camera.top + y / camera.scale, camera.scale, *size)
