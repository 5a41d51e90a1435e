"""Icons of one family, Phosphor in its regular weight, taken from qtawesome's fonts when first painted."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap

PREFIX = "ph"


@lru_cache(maxsize=1)
def _family() -> Any:
    # One family only: qtawesome.icon() would load its twelve fonts before the first window.
    from qtawesome.iconic_font import IconicFont

    return IconicFont((PREFIX, "phosphor-1.3.0.ttf", "phosphor-charmap-1.3.0.json"))


def _draw(painter: QPainter, name: str, rect: QRect, color: QColor) -> None:
    family = _family()
    painter.save()
    painter.setPen(color)
    painter.setFont(family.font(PREFIX, rect.height()))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), family.charmap[PREFIX][name])
    painter.restore()


@lru_cache(maxsize=256)
def _picture(name: str, width: int, height: int, rgba: int) -> QPixmap:
    # Kept: buttons over the graph are painted again with every frame of it.
    picture = QPixmap(width, height)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    _draw(painter, name, QRect(0, 0, width, height), QColor.fromRgba(rgba))
    painter.end()
    return picture


class _Glyph(QIconEngine):
    """Paints one glyph in whatever colour the theme has at that moment."""

    def __init__(self, name: str, color: Callable[[bool], QColor]) -> None:
        super().__init__()
        self._name, self._color = name, color

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        _draw(painter, self._name, rect, self._color(mode != QIcon.Mode.Disabled))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self._picture(size, mode, state)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        return self._picture(size, mode, state)

    def _picture(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        color = self._color(mode != QIcon.Mode.Disabled)
        return _picture(self._name, size.width(), size.height(), color.rgba())

    def clone(self) -> QIconEngine:
        return _Glyph(self._name, self._color)


def themed_icon(name: str, color: Callable[[bool], QColor]) -> QIcon:
    """An icon by Phosphor name; `color(enabled)` is asked at every painting. KeyError if unknown."""
    if name not in _family().charmap[PREFIX]:
        raise KeyError(f"There is no icon named {name!r} in the Phosphor family.")
    return QIcon(_Glyph(name, color))
