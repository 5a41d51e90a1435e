"""What is seen of a widget, by the widget's own coordinates, whatever the screen's scale is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget


def colors_of(widget: QWidget) -> Callable[[int, int], QColor]:
    """The colour at (x, y) of the widget as it is painted now."""
    image = widget.grab().toImage()
    ratio = image.devicePixelRatio()
    return lambda x, y: image.pixelColor(int(x * ratio), int(y * ratio))
