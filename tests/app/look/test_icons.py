"""Icons are as sharp as the screen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.look import theme


@pytest.mark.parametrize("scale", [1.0, 1.5, 3.0])
def test_as_many_pixels_as_the_screen_has(qtbot: QtBot, scale: float) -> None:
    picture = theme.icon("folder-open").pixmap(QSize(16, 16), scale)
    assert picture.size() == QSize(round(16 * scale), round(16 * scale))
    assert picture.devicePixelRatio() == scale
    image = picture.toImage()
    painted = sum(
        image.pixelColor(x, y).alpha() > 0 for x in range(image.width()) for y in range(image.height())
    )
    assert painted > 20 * scale * scale, "drawn into a corner"


def test_an_icon_is_never_garbage(qapp: QApplication) -> None:
    """Python's collector may clear an icon's engine before the icon, which then deletes it a second time."""
    assert theme.icon("folder-open", "muted") is theme.icon("folder-open", "muted")
    assert theme.icon("folder-open", "muted") is not theme.icon("folder-open")
