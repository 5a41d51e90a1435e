"""The promises of the palettes, computed."""

from __future__ import annotations

import os
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessibilityHints, QColor, QGuiApplication, QImage, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.look import style_sheet, theme
from app.look.colors import cividis
from app.look.motion import ask_system, may_move, set_motion
from app.look.theme import THEMES, Theme, contrast
from tests.waiting import process_events

TEXT = {"light": 4.5, "dark": 4.5, "contrast": 7.0}  # WCAG 2.2: AA, and AAA for high contrast
BACKGROUNDS = ("window", "surface", "raised", "canvas")
each_theme = pytest.mark.parametrize("look", THEMES.values(), ids=THEMES)


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)  # W3C's own example


@each_theme
@pytest.mark.parametrize("role", ["text", "muted", "accent", "ok", "warn", "error"])
def test_text_is_legible(look: Theme, role: str) -> None:
    for ground in BACKGROUNDS:
        assert contrast(getattr(look, role), getattr(look, ground)) >= TEXT[look.name], ground


@each_theme
def test_text_upon_colours(look: Theme) -> None:
    for upon, ground in (("on_accent", "accent"), ("text", "accent_soft"), ("on_mark", "mark")):
        assert contrast(getattr(look, upon), getattr(look, ground)) >= TEXT[look.name]


@pytest.mark.parametrize(
    "role", ["border", "strong_border", "edge", "neutral", "accent", "ok", "warn", "error"]
)
def test_high_contrast_shows_every_line(role: str) -> None:
    for ground in BACKGROUNDS:
        assert contrast(getattr(theme.CONTRAST, role), getattr(theme.CONTRAST, ground)) >= 3.0, ground
    assert contrast(theme.CONTRAST.accent, theme.CONTRAST.accent_soft) >= TEXT["contrast"]


@each_theme
def test_marks_have_three_to_one(look: Theme) -> None:
    marks = [*look.communities, look.neutral, look.strong_border, look.accent]
    assert min(contrast(mark, look.canvas) for mark in marks) >= 3.0
    # The hot end by its colour; the cold end by its outline, which has that of `strong_border`.
    assert contrast(look.heat_color(1.0).name(), look.canvas) >= 7.0


def lab(colors: np.ndarray) -> np.ndarray:
    """CIELAB (D65) of linear sRGB, shape (n, 3)."""
    matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    white = np.array([0.9505, 1.0, 1.089])
    f = np.cbrt(np.clip(colors, 0, 1) @ np.array(matrix).T / white)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


SIGHT = {  # Machado, Oliveira and Fernandes 2009, table 1, severity 1.0
    "full": np.eye(3),
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.01182, 0.04294, 0.968881],
    ],
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}


@each_theme
@pytest.mark.parametrize("sight", SIGHT)
def test_communities_differ_to_every_eye(look: Theme, sight: str) -> None:
    values = np.array([QColor(color).getRgbF()[:3] for color in look.communities])
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    visible = lab(linear @ np.array(SIGHT[sight]).T)
    nearest = min(
        float(np.linalg.norm(visible[a] - visible[b])) for a, b in combinations(range(len(visible)), 2)
    )
    assert nearest > 12, nearest


def test_cividis_is_the_published_table() -> None:
    table = cividis()
    assert table.shape == (256, 3)
    # The ends and the middle as published by Nunez et al. 2018.
    assert table[0].tolist() == [0, 32, 77]
    assert table[128].tolist() == [125, 124, 120]
    assert table[255].tolist() == [255, 234, 70]


@each_theme
def test_heat_brightens_or_darkens_all_the_way(look: Theme) -> None:
    gray = look.heat_table().astype(float) @ [0.2126, 0.7152, 0.0722]
    steps = np.diff(gray)
    assert (steps >= -1.0).all() if look.dark else (steps <= 1.0).all()


def test_apply_reaches_widgets_and_reports(qapp: QApplication) -> None:
    emitted: list[Theme] = []
    theme.notifier().changed.connect(emitted.append)
    theme.apply(qapp, "dark")
    theme.notifier().changed.disconnect(emitted.append)
    assert theme.current() is theme.DARK and theme.mode() == "dark" and emitted == [theme.DARK]
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(theme.DARK.window)


def test_a_system_that_asks_for_contrast_gets_it(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    theme.apply(qapp, "system")
    hints = QGuiApplication.styleHints().accessibility()
    wish = Qt.ContrastPreference.HighContrast
    monkeypatch.setattr(QAccessibilityHints, "contrastPreference", lambda _: wish)
    hints.contrastPreferenceChanged.emit(wish)
    assert theme.current() is theme.CONTRAST
    wish = Qt.ContrastPreference.NoPreference
    hints.contrastPreferenceChanged.emit(wish)
    assert theme.current() is not theme.CONTRAST
    theme.apply(qapp, "dark")
    wish = Qt.ContrastPreference.HighContrast
    hints.contrastPreferenceChanged.emit(wish)
    assert theme.current() is theme.DARK, "what the person chose stays"


def test_fonts_and_sheet_follow_the_size_of_text(qtbot: QtBot, qapp: QApplication) -> None:
    title, button = QLabel("Title"), QPushButton("Press")
    title.setProperty("kind", "title")
    for part in (title, button):
        qtbot.addWidget(part)
        part.ensurePolished()
    heights = {part: part.sizeHint().height() for part in (title, button)}
    sides: list[int] = []
    theme.follow(button, lambda: sides.append(theme.px(10)))
    theme.apply(qapp, "light", 200)
    assert title.font().pixelSize() == 2 * theme.TITLE and theme.font().pixelSize() == 2 * theme.BODY
    assert all(part.sizeHint().height() > 1.3 * height for part, height in heights.items())
    theme.apply(qapp, "light", 5)
    assert theme.text_size() == 80 and sides == [10, 20, 8]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="other systems keep this elsewhere")
@pytest.mark.parametrize(
    ("file", "words", "less"),
    [
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n", False),
    ],
)
def test_a_system_that_asks_for_less_motion(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, words: str, less: bool
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "KDE")
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(words, encoding="utf-8")
    ask_system(qapp)
    set_motion(None)
    assert may_move() is not less


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="GNOME is asked by its own program")
def test_gnome_is_asked_for_less_motion(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "gsettings"
    program.write_text("#!/bin/sh\necho false\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "ubuntu:GNOME")
    set_motion(None)
    ask_system(qapp)
    qtbot.waitUntil(lambda: not may_move())
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "")
    ask_system(qapp)
    assert may_move()


def test_icons_follow_the_theme(qapp: QApplication) -> None:
    icon = theme.icon("folder-open")

    def darkest() -> int:
        image = icon.pixmap(24, 24).toImage()
        inked = [
            image.pixelColor(x, y)
            for x in range(24)
            for y in range(24)
            if image.pixelColor(x, y).alpha() > 200
        ]
        assert inked, "the icon is empty"
        return min(color.lightness() for color in inked)

    theme.apply(qapp, "light")
    on_light = darkest()
    theme.apply(qapp, "dark")
    assert on_light < 80 < 150 < darkest()


def test_a_change_of_theme_leaves_nothing_of_the_one_before(qtbot: QtBot, qapp: QApplication) -> None:
    window = dressed_window(qtbot)
    pictures: dict[str, QImage] = {}
    modes: tuple[theme.Mode, ...] = ("light", "dark", "contrast", "dark", "light", "contrast")
    for mode in modes:
        theme.apply(qapp, mode)
        process_events()
        picture = window.grab().toImage()
        assert pictures.setdefault(mode, picture) == picture
    assert len({picture.pixelColor(2, 2).name() for picture in pictures.values()}) == 3


@pytest.mark.parametrize("steps", [0, 4])
def test_bit_by_bit_it_becomes_the_same(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr(style_sheet, "PORTION", 2)
    window, emitted = dressed_window(qtbot), []
    theme.apply(qapp, "contrast")
    process_events()
    wanted = window.grab().toImage()
    theme.apply(qapp, "light")
    theme.notifier().changed.connect(emitted.append)
    theme.change(qapp, "dark")
    for _ in range(steps):
        qapp.processEvents()
    assert not emitted
    theme.change(qapp, "contrast")
    qapp.processEvents()
    late = QLabel("Late", window)
    late.show()
    late.deleteLater()  # it goes while the others are dressed
    qtbot.waitUntil(lambda: bool(emitted))
    theme.notifier().changed.disconnect(emitted.append)
    process_events()
    assert emitted == [theme.CONTRAST] and window.updatesEnabled()
    assert window.grab().toImage() == wanted


def dressed_window(qtbot: QtBot) -> QWidget:
    """With a control of several kinds."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for part in (
        QLabel("Title"),
        QPushButton("Press"),
        QLineEdit("Words"),
        QToolButton(),
        QPlainTextEdit("Text"),
    ):
        part.setProperty("kind", "small" if isinstance(part, QLabel) else "quiet")
        column.addWidget(part)
    window.resize(240, 260)
    window.show()
    return window
