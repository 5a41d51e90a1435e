"""Icons of one family, Phosphor in its regular weight, taken from qtawesome's fonts when first painted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

_STEM = "phosphor"


@dataclass(frozen=True, slots=True)
class _Family:
    """The font's family name and the character of every icon."""

    face: str
    characters: dict[str, str]


@lru_cache(maxsize=1)
def _family() -> _Family:
    # The font alone: importing qtawesome loads qtpy and, with the first icon, all of its twelve fonts,
    # which would take a tenth of the time that the first window may take.
    package = find_spec("qtawesome")
    if package is None or package.origin is None:
        words = "qtawesome, which carries the icons, is not installed."  # not shown
        raise ModuleNotFoundError(words, name="qtawesome")
    folder = Path(package.origin).parent / "fonts"
    font, charmap = next(folder.glob(f"{_STEM}-[0-9]*.ttf")), next(folder.glob(f"{_STEM}-charmap-*.json"))
    faces = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(font)))
    codes: dict[str, str] = json.loads(charmap.read_text(encoding="utf-8"))
    return _Family(faces[0], {name: chr(int(code, 16)) for name, code in codes.items()})


def _draw(painter: QPainter, name: str, rect: QRect, color: QColor) -> None:
    family = _family()
    font = QFont(family.face)
    font.setPixelSize(rect.height())
    painter.save()
    painter.setPen(color)
    painter.setFont(font)
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), family.characters[name])
    painter.restore()


@lru_cache(maxsize=256)
def _picture(name: str, width: int, height: int, rgba: int, scale: float) -> QPixmap:
    # Kept: buttons over the graph are painted again with every frame of it.
    picture = QPixmap(round(width * scale), round(height * scale))
    picture.setDevicePixelRatio(scale)
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
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        """`size` in points: on a screen of twice the density it has twice as many pixels."""
        if size.isEmpty():
            return QPixmap()  # a button that is not laid out yet
        color = self._color(mode != QIcon.Mode.Disabled)
        return _picture(self._name, size.width(), size.height(), color.rgba(), scale)

    def clone(self) -> QIconEngine:
        return _Glyph(self._name, self._color)


def themed_icon(name: str, color: Callable[[bool], QColor]) -> QIcon:
    """Return an icon by Phosphor name; `color(enabled)` is asked at every painting. KeyError if unknown."""
    if name not in _family().characters:
        raise KeyError(f"There is no icon named {name!r} in the Phosphor family.")  # not shown
    return QIcon(_Glyph(name, color))
