"""What plots share: a box with an axis below and one at the left, in the theme's colours."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.look import theme


class Plot(pg.GraphicsView):  # type: ignore[misc]
    """Neither zoomed nor moved. Not pyqtgraph's PlotItem: that comes with menus of its own, in English."""

    def __init__(self, bottom: pg.AxisItem, left: pg.AxisItem, parent: QWidget | None = None) -> None:
        super().__init__(parent, background=None)
        self.bottom, self.left = bottom, left
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False)
        layout = pg.GraphicsLayout()
        for item, row, column in ((left, 0, 0), (self.box, 0, 1), (bottom, 1, 1)):
            layout.addItem(item, row, column)
        self.setCentralItem(layout)
        for axis in (bottom, left):
            axis.linkToView(self.box)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def dress_axes(self) -> None:
        """As the theme is now."""
        now = theme.current()
        for axis in (self.bottom, self.left):
            axis.setPen(pg.mkPen(now.color("border")))
            axis.setTextPen(pg.mkPen(now.color("muted")))
            axis.setTickFont(theme.font(theme.SMALL))
            axis.setStyle(tickTextOffset=4)
        self.setBackground(now.color("window"))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls
