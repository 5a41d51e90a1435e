"""What pointer and keys do with nodes: hover, select, expand, walk from neighbour to neighbour."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, Qt, Signal

from app.graph.canvas.arrays import GraphArrays, Rows
from app.graph.canvas.emphasis import Emphasis
from app.graph.canvas.items import GraphItem
from app.graph.canvas.picking import points_inside
from app.graph.canvas.view import CanvasView

_WAYS = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0)}


class GraphHand(QObject):
    """Turns pointer and keys over the view into selections."""

    selected = Signal(str)  # empty: cleared
    expand_requested = Signal(str)
    hovered = Signal(int, QPointF)  # row or -1
    fit_wanted = Signal()
    map_wanted = Signal()
    close_requested = Signal()
    escaped = Signal()  # before anything is cleared
    menu_requested = Signal(str, QPointF)  # id of the node, or empty
    carried = Signal(
        int, int, QPointF
    )  # row of a node that is dragged, of the one that it lies on or -1, place
    dropped = Signal(str, str)  # ids of both
    placed = Signal(str, float, float)  # id of a node that was dragged to a place, in data units
    shape_wanted = Signal(str)  # hide, show, pin
    gathered = Signal(object, str)  # ids, and "add", "remove", "toggle" or "all"
    edge_hovered = Signal(int, QPointF)  # number or -1
    edge_clicked = Signal(int)

    def __init__(self, arrays: GraphArrays, emphasis: Emphasis, view: CanvasView, item: GraphItem) -> None:
        super().__init__(view)
        self._arrays, self._emphasis, self._view, self._item = arrays, emphasis, view, item
        view.pointed.connect(self._pointed)
        view.left.connect(self._left)
        view.clicked.connect(self._clicked)
        view.picked.connect(self._picked)
        view.lassoed.connect(self._lassoed)
        view.camera_changed.connect(lambda _: self._hover_edge(-1, QPointF()))  # it is elsewhere now
        view.double_clicked.connect(self._double_clicked)
        view.commanded.connect(self._commanded)
        view.menu_wanted.connect(self._menu_wanted)
        view.can_carry = self._take
        view.carried.connect(self._carry)
        view.can_move = self._take_up
        view.moved.connect(self._move)
        self.pinned: Sequence[str] = ()  # ids of nodes that may be dragged although they are not selected
        self._carried = -1
        self.start: Rows = np.zeros(0, np.intp)  # nodes with which the arrows begin; none: any
        self._is_paused = False
        self._later: deque[str] = deque()  # commands that came meanwhile

    def _pointed(self, point: QPointF) -> None:
        row = self._item.row_at(point.x(), point.y())
        self._hover(row, point)
        self._hover_edge(self._item.edge_at(point.x(), point.y()) if row < 0 else -1, point)
        self._item.point(point)

    def _hover_edge(self, edge: int, point: QPointF) -> None:
        if edge != self._emphasis.edge:
            self._emphasis.edge = edge
            hand = edge >= 0 or self._emphasis.hovered >= 0
            shape = Qt.CursorShape.PointingHandCursor if hand else Qt.CursorShape.ArrowCursor
            self._view.viewport().setCursor(shape)
            self.edge_hovered.emit(edge, point)

    def _left(self) -> None:
        self._hover(-1, QPointF())
        self._hover_edge(-1, QPointF())
        self._item.point(None)

    def _clicked(self, point: QPointF) -> None:
        row = self._item.row_at(point.x(), point.y())
        edge = self._item.edge_at(point.x(), point.y()) if row < 0 else -1
        self._emphasis.edge_selected = edge
        if edge >= 0:
            self.edge_clicked.emit(edge)
        else:
            self._select(row)

    # ------------------------------------------------------------ many

    def _picked(self, point: QPointF) -> None:
        row = self._item.row_at(point.x(), point.y())
        if row >= 0:
            self.gathered.emit((self._arrays.ids[row],), "toggle")

    def _lassoed(self, point: QPointF, stage: str, takes_away: bool) -> None:
        lasso = self._item.lasso
        if not lasso and stage != "begin":
            return  # given up
        lasso.add(point, self._view.camera())
        if stage == "end":
            rows = self._visible(points_inside(lasso.corners, self._arrays.xy))
            self.drop_lasso()
            self.gathered.emit(self._ids(rows), "remove" if takes_away else "add")
        else:
            self._left()
            self._item.repaint_upon()

    def drop_lasso(self) -> None:
        """Stop drawing the loop."""
        self._item.lasso.drop()
        self._item.repaint_upon()

    def drawn_ids(self) -> tuple[str, ...]:
        """Return the ids of all drawn nodes, the best connected first."""
        return self._ids(self._visible(np.ones(len(self._arrays), np.bool_)))

    def _visible(self, mask: NDArray[np.bool_]) -> Rows:
        """Return the rows of the mask (n,) that are drawn."""
        there = self._emphasis.visible
        return np.flatnonzero(mask if there is None else mask & there)

    def _ids(self, rows: Rows) -> tuple[str, ...]:
        """Return the ids of rows, the best connected first."""
        order = rows[np.argsort(-self._arrays.degree[rows], kind="stable")].tolist()
        return tuple(self._arrays.ids[row] for row in order)

    def _take(self, point: QPointF) -> bool:
        """Begin to drag the node at a place; discs that stand for many stay where they are."""
        self._carried = self._single(point)
        return self._carried >= 0

    def _take_up(self, point: QPointF) -> bool:
        """Begin to move the selected node, or a pinned one: others would be in the way of who moves the view."""
        row = self._single(point)
        mine = row >= 0 and (row == self._emphasis.selected or self._arrays.ids[row] in self.pinned)
        self._carried = row if mine else -1
        return mine

    def _move(self, point: QPointF, let_go: bool) -> None:
        row = self._carried
        if row < 0:
            return  # given up
        if let_go:
            self.put_down()
            x, y = self._view.camera().to_data(point.x(), point.y())
            self.placed.emit(self._arrays.ids[row], x, y)
        else:
            self._item.carry(row, -1, point)
            self.carried.emit(row, -1, point)

    def _single(self, point: QPointF) -> int:
        row = self._item.row_at(point.x(), point.y())
        return row if row >= 0 and not self._arrays.radius[row] else -1

    def _carry(self, point: QPointF, let_go: bool) -> None:
        row, target = self._carried, self._single(point)
        if row < 0:
            return  # given up
        if target == row:
            target = -1
        if let_go:
            self.put_down()
            if target >= 0:
                self.dropped.emit(self._arrays.ids[row], self._arrays.ids[target])
        else:
            self._item.carry(row, target, point)
            self.carried.emit(row, target, point)

    def put_down(self) -> None:
        """Stop dragging."""
        if self._carried >= 0:
            self._carried = -1
            self._item.carry(-1, -1, QPointF())
            self.carried.emit(-1, -1, QPointF())

    def _hover(self, row: int, point: QPointF) -> None:
        if row != self._emphasis.hovered:
            self._emphasis.hovered = row
            hand = Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor
            self._view.viewport().setCursor(hand)
            self.hovered.emit(row, point)

    def _select(self, row: int) -> None:
        self._emphasis.selected = row
        self.selected.emit(self._arrays.ids[row] if row >= 0 else "")

    def _double_clicked(self, point: QPointF) -> None:
        row = self._item.row_at(point.x(), point.y())
        if row >= 0:
            self.expand_requested.emit(self._arrays.ids[row])

    def hold(self, hold: bool) -> None:
        """Keep what the keys say for later, or carry it out, as far as none of it asks to wait again."""
        self._is_paused = hold
        while self._later and not self._is_paused:
            self._commanded(self._later.popleft())

    def _commanded(self, command: str) -> None:
        row = self._emphasis.selected
        if self._is_paused:
            self._later.append(command)
        elif command in _WAYS:
            self._walk(*_WAYS[command])
        elif command == "expand" and row >= 0:
            self.expand_requested.emit(self._arrays.ids[row])
        elif command == "clear" and self._item.lasso:
            self.drop_lasso()
        elif command == "clear" and self._carried >= 0:
            self.put_down()
        elif command == "gather" and row >= 0:
            self.gathered.emit((self._arrays.ids[row],), "toggle")
        elif command == "all":
            self.gathered.emit(self.drawn_ids(), "all")
        elif command == "clear":
            self._hover(-1, QPointF())
            self.escaped.emit()
            self._select(-1)
        elif command == "fit":
            self.fit_wanted.emit()
        elif command == "map":
            self.map_wanted.emit()
        elif command == "close":
            self.close_requested.emit()
        elif command in ("hide", "show", "pin"):
            self.shape_wanted.emit(command)

    def _menu_wanted(self, point: QPointF, by_keyboard: bool) -> None:
        row = self._emphasis.selected if by_keyboard else self._item.row_at(point.x(), point.y())
        if by_keyboard:
            spot = self._view.camera().to_screen(self._arrays.xy[row : row + 1])
            size = self._view.size()
            point = QPointF(*spot[0].tolist()) if row >= 0 else QPointF(size.width() / 2, size.height() / 2)
        self.menu_requested.emit(self._arrays.ids[row] if row >= 0 else "", point)

    def _walk(self, dx: float, dy: float) -> None:
        """Select the neighbour that lies best in this direction on screen; at first, the largest node."""
        arrays, row = self._arrays, self._emphasis.selected
        if not len(arrays):
            return
        if row < 0:
            first = self.start if len(self.start) else np.arange(len(arrays))
            self._select(int(first[np.argmax(arrays.degree[first])]))
            return
        others = arrays.neighbours(row)
        if not len(others):
            return
        screen = self._view.camera().to_screen(arrays.xy)
        way = screen[others] - screen[row]
        length = np.hypot(way[:, 0], way[:, 1]) + 1e-6
        along = (way[:, 0] * dx + way[:, 1] * dy) / length
        best = int(np.argmax(np.where(along > 0.35, along / (1 + length / 400), -1)))
        if along[best] > 0.35:
            target = int(others[best])
            self._select(target)
            self._keep_in_view(target)

    def _keep_in_view(self, row: int) -> None:
        camera = self._view.camera()
        x, y = camera.to_screen(self._arrays.xy[row : row + 1])[0].tolist()
        if not (60 < x < camera.width - 60 and 60 < y < camera.height - 60):
            self._view.touched = True
            data_x, data_y = self._arrays.xy[row].tolist()
            self._view.look_at(data_x, data_y, camera.scale)
