"""The look in one place: colours, spacing, type, heat and community scales, and how they reach Qt.

`apply(app, mode)` sets style, palette, font and style sheet, `change` does so bit by bit;
`current()` is the theme in use; `notifier().changed` fires after every change so that painted widgets redraw.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.look.colors import cividis
from app.look.icons import themed_icon
from app.look.motion import ask_system
from app.look.style_sheet import dress, style_sheet

Mode = Literal["light", "dark", "contrast", "system"]

# Spacing lies on a grid of 4: within a group, between groups, around a page.
GRID, WITHIN, GROUPS, AROUND = 4, 8, 16, 24
RADIUS = 6
SMALL, BODY, HEADING, TITLE = 11, 13, 16, 22  # type scale, pixels at 100 %
TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)  # per cent


@dataclass(frozen=True, slots=True)
class Theme:
    """One set of colours, each `#rrggbb`. Text on `window`, `surface` and `canvas` has at least
    4.5:1 contrast, marks (`strong_border`, `communities`, accents) at least 3:1."""

    name: str
    dark: bool
    window: str  # behind panels
    surface: str  # panels, lists, fields
    raised: str  # buttons, cards, headers
    canvas: str  # behind the graph
    border: str  # hairlines between areas
    strong_border: str  # outlines of controls
    text: str
    muted: str  # secondary text
    accent: str
    on_accent: str  # text upon accent
    accent_soft: str  # selected rows, hovered controls
    ok: str
    warn: str
    error: str
    mark: str  # behind cited text
    on_mark: str
    edge: str  # facts between communities
    neutral: str  # nodes without a community
    communities: tuple[str, ...]
    heat_from: float  # part of the cividis table that stands out from the canvas,
    heat_to: float  # given from cold to hot

    def color(self, role: str) -> QColor:
        """Return the colour of a role by name, e.g. `"accent"`. Raises AttributeError for others."""
        return QColor(getattr(self, role))

    def heat_table(self) -> NDArray[np.uint8]:
        """Shape (256, 3), cold to hot; the hot end is the one farthest from the canvas."""
        rows = np.linspace(self.heat_from * 255, self.heat_to * 255, 256).round().astype(int)
        table: NDArray[np.uint8] = cividis()[rows]
        return table

    def heat_color(self, value: float) -> QColor:
        """Colour of a heat in 0..1 (clipped)."""
        row = self.heat_table()[int(min(max(value, 0.0), 1.0) * 255)]
        return QColor(int(row[0]), int(row[1]), int(row[2]))

    def upon(self, ground: QColor) -> QColor:
        """Black or white, whichever is more legible upon a colour: always at least 4.5:1."""
        black, white = QColor("#000000"), QColor("#ffffff")
        name = ground.name()
        return black if contrast(black.name(), name) >= contrast(white.name(), name) else white

    def community_mark(self, index: int) -> tuple[QColor, bool]:
        """Colour of a community and whether it wears the second mark, a ring.

        Colours repeat with a ring after the palette is used up; a negative index has none.
        """
        if index < 0:
            return QColor(self.neutral), False
        count = len(self.communities)
        return QColor(self.communities[index % count]), (index // count) % 2 == 1


# Qualitative colours were searched for the largest smallest CIELAB distance under normal, deuteranopic
# and protanopic sight (Machado et al. 2009), starting from the hues of Okabe and Ito.
LIGHT = Theme(
    name="light",
    dark=False,
    window="#f3f4f7",
    surface="#ffffff",
    raised="#fafbfc",
    canvas="#fbfcfd",
    border="#dcdfe5",
    strong_border="#858d9b",
    text="#1a2130",
    muted="#596273",
    accent="#3453d1",
    on_accent="#ffffff",
    accent_soft="#e6ebfd",
    ok="#1a7444",
    warn="#8a5600",
    error="#b4232a",
    mark="#ffe9a8",
    on_mark="#1a2130",
    edge="#c9cfd8",
    neutral="#7f8896",
    communities=("#3a79d2", "#e47112", "#11a481", "#991471", "#814a0a", "#419ac0", "#4236c7", "#842f39"),
    heat_from=0.90,
    heat_to=0.0,
)
DARK = Theme(
    name="dark",
    dark=True,
    window="#14171d",
    surface="#1a1e26",
    raised="#222731",
    canvas="#11141a",
    border="#2d3440",
    strong_border="#6d7888",
    text="#e7eaf0",
    muted="#a2acba",
    accent="#93aaff",
    on_accent="#10142a",
    accent_soft="#28304d",
    ok="#69cf96",
    warn="#efbf52",
    error="#ff8d85",
    mark="#5c4a12",
    on_mark="#fff6d6",
    edge="#39414e",
    neutral="#8b95a4",
    communities=("#6195e9", "#d98324", "#35dcb2", "#e0459c", "#f7dc6a", "#8fdcf7", "#8a6bff", "#ff8a80"),
    heat_from=0.16,
    heat_to=1.0,
)
CONTRAST = Theme(
    name="contrast",
    dark=True,
    window="#000000",
    surface="#000000",
    raised="#0d0d0d",
    canvas="#000000",
    border="#8c8c8c",
    strong_border="#ffffff",
    text="#ffffff",
    muted="#e0e0e0",
    accent="#ffd54a",
    on_accent="#000000",
    accent_soft="#3a3000",
    ok="#7dffb0",
    warn="#ffd54a",
    error="#ffa19a",
    mark="#ffd54a",
    on_mark="#000000",
    edge="#6a6a6a",
    neutral="#bdbdbd",
    communities=DARK.communities,
    heat_from=0.2,
    heat_to=1.0,
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}


class _Notifier(QObject):
    """Carries the `changed` signal, with the new Theme."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.theme = LIGHT
        self.mode: Mode = "light"
        self.percent = 100
        self.watching = False
        self._steps: Iterator[None] | None = None
        self._again = False
        # One shot for each step: other timers that are due have their turn before the next one.
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._step)

    def dress(self, app: QApplication) -> None:
        """Bring widgets to the theme and the size of text, a step in each turn of the event loop."""
        self._app, self._again = app, self._steps is not None
        self._soon.start()

    @property
    def dressing(self) -> bool:
        """Return whether some widgets are still to be brought to it; `changed` tells when all are."""
        return self._soon.isActive()

    def finish(self) -> None:
        """Take the steps that are left now."""
        while self.dressing:
            self._step()

    def _step(self) -> None:
        if self._steps is None:
            self._again, self._steps = False, dress(self._app, self._undressed)
        self._soon.start()
        if next(self._steps, self) is not self:
            return
        self._steps = None
        if self._again:
            self._step()  # at once: nobody sees what is no longer wanted
        else:
            self._soon.stop()
            self.changed.emit(self.theme)

    def _undressed(self) -> str:
        self._app.setFont(font())
        self._app.setPalette(_palette(self.theme))
        self._again = False
        return style_sheet(self.theme, px)


@lru_cache(maxsize=1)
def notifier() -> _Notifier:
    """Return the object whose `changed(Theme)` signal fires after every change of theme."""
    return _Notifier()


def current() -> Theme:
    """Return the theme in use; light until `apply` was called."""
    return notifier().theme


def mode() -> Mode:
    """Return what was asked for, which may be `system`."""
    return notifier().mode


def apply(app: QApplication, mode: Mode, percent: int | None = None) -> None:
    """Dress the application, with text of `percent` of its normal size, where that is given.

    `system` follows the desktop, also when it changes later.
    """
    change(app, mode, percent)
    notifier().finish()


def change(app: QApplication, mode: Mode, percent: int | None = None) -> None:
    """As `apply` does, but a little in each turn of the event loop: the window is not held."""
    state = notifier()
    state.mode = mode
    if percent is not None:
        state.percent = min(max(percent, TEXT_SIZES[0]), TEXT_SIZES[-1])
    state.theme = _system_theme() if mode == "system" else THEMES[mode]
    if not state.watching:
        state.watching = True
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda: _follow_system(app))
        hints.accessibility().contrastPreferenceChanged.connect(lambda: _follow_system(app))
        ask_system(app)
        app.setStyle("Fusion")  # not shown
    state.dress(app)


def _system_theme() -> Theme:
    hints = QGuiApplication.styleHints()
    if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return CONTRAST
    return DARK if hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT


def _follow_system(app: QApplication) -> None:
    if notifier().mode == "system" and _system_theme() is not current():
        change(app, "system")


def px(size: int) -> int:
    """Return a height or width that holds text, at the size of text in use."""
    return round(size * notifier().percent / 100)


def text_size() -> int:
    """Return the size of text in use, per cent."""
    return notifier().percent


def follow(widget: QWidget, act: Callable[[], object]) -> None:
    """Do now what depends on the look, and again after each change of it, as long as the widget lives."""
    _Follower(widget, act)


def wear(widget: QWidget, size: int = BODY, weight: QFont.Weight = QFont.Weight.Normal) -> None:
    """Give a widget a font of the type scale, whatever the size of text is."""
    follow(widget, lambda: widget.setFont(font(size, weight)))


def square(widget: QWidget, side: int) -> None:
    """Give a small button a fixed size that follows that of text."""
    follow(widget, lambda: widget.setFixedSize(px(side), px(side)))


class _Follower(QObject):
    def __init__(self, widget: QWidget, act: Callable[[], object]) -> None:
        super().__init__(widget)
        self._act = act
        notifier().changed.connect(self._again)
        act()

    def _again(self, _: object) -> None:
        self._act()


def font(size: int = BODY, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the native interface font at a pixel size of the type scale."""
    return QFont(_face(px(size), weight))


@lru_cache
def _face(pixels: int, weight: QFont.Weight) -> QFont:
    face = QFont()
    face.setFamilies(_families())
    face.setPixelSize(pixels)
    face.setWeight(weight)
    face.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return face


def mono_font(size: int = BODY) -> QFont:
    """Return the native fixed-width font."""
    face = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    face.setPixelSize(px(size))
    return face


@lru_cache(maxsize=1)
def _families() -> list[str]:
    # Bare Linux desktops answer with an alias such as "Sans Serif": choose a good face ourselves.
    native = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    wished = "Inter,Ubuntu,Cantarell,Noto Sans,Open Sans,Liberation Sans,DejaVu Sans".split(",")  # not shown
    if sys.platform in ("win32", "darwin") or native not in (
        "",
        "Sans Serif",
        "Sans",
        "sans-serif",
        "Helvetica",
    ):
        return [native, *wished]
    known = set(QFontDatabase.families())
    return [name for name in wished if name in known] or [native]


def set_kind(widget: QWidget, kind: str) -> None:
    """Dress a widget by another rule of the style sheet."""
    widget.setProperty("kind", kind)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def community_mark(index: int) -> tuple[QColor, bool]:
    """`Theme.community_mark` of the theme in use."""
    return current().community_mark(index)


@cache
def icon(name: str, role: str = "text") -> QIcon:
    """Return an icon of the one family (Phosphor, regular weight) by its name, e.g. `"folder-open"`.

    It is painted in the colour that `role` has in the theme in use, so it follows a change of theme.
    Raises KeyError for an unknown name. One lives as long as the program: where Python's collector clears the engine
    of an icon before the icon, Shiboken deletes the engine, and the icon deletes it again.
    """
    return themed_icon(name, lambda enabled: current().color(role if enabled else "strong_border"))


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1..21. WCAG 2.2, "relative luminance"."""

    def luminance(value: str) -> float:
        parts = (int(value[start : start + 2], 16) / 255 for start in (1, 3, 5))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    colors = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.raised,
        role.Text: theme.text,
        role.Button: theme.raised,
        role.ButtonText: theme.text,
        role.BrightText: theme.on_accent,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.PlaceholderText: theme.muted,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Light: theme.raised,
        role.Midlight: theme.border,
        role.Mid: theme.border,
        role.Dark: theme.strong_border,
        role.Shadow: theme.border,
    }
    palette = QPalette()
    for key, value in colors.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(theme.strong_border))
    return palette
