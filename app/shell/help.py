"""Two small windows: what every key does, and what Clew is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from app.look import theme
from app.look.painting import Mark
from app.look.translation import tr
from app.session.commands import Commands, native
from app.shell.menus import LEAVING, MENUS, WORKSPACE
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, TOP, PanelScroll, fill_dialog, grid, row

_TWO_COLUMNS = 1100  # pixels of a window, at 100 %

# Keys that what has the keyboard takes by itself.
MORE_KEYS = (
    (tr("Give up: search, question, selection"), tr("Esc")),
    (tr("Open an entity's neighbourhood, or a community in place"), tr("double click, Enter")),
    (tr("Ask what is in the search box"), "Ctrl+Enter"),
    (tr("Next and previous match"), tr("Down, Up")),
    (tr("Communities as areas: choose, go in, go up, to the top"), tr("Space, Enter, Backspace, Home")),
)


class KeyboardDialog(QDialog):
    """The keys of all commands, read from the registry, so that they cannot differ."""

    def __init__(self, window: QWidget, commands: Commands) -> None:
        super().__init__(window)
        self.setWindowTitle(tr("Keyboard"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        columns = 2 if window.width() > theme.px(_TWO_COLUMNS) else 1
        groups = _groups(commands)
        half = -(-sum(len(rows) + 1 for rows in groups.values()) // columns)
        sides, side, line = [grid(down=theme.WITHIN) for _ in range(columns)], 0, 0
        for heading, rows in groups.items():
            if side + 1 < columns and line + len(rows) // 2 > half:  # a group is not parted
                side, line = side + 1, 0
            title = PlainLabel(heading, "section")
            title.setContentsMargins(0, theme.WITHIN if line else 0, 0, 0)
            sides[side].addWidget(title, line, 0, 1, 2)
            for words, keys in rows:
                line += 1
                key = PlainLabel(keys, "muted")
                key.setFont(theme.mono_font())
                sides[side].addWidget(PlainLabel(words, wrap=columns == 1), line, 0)
                sides[side].addWidget(key, line, 1)
            line += 1
        for each in sides:
            each.setRowStretch(each.rowCount(), 1)
        area = PanelScroll(row(*((each, TOP) for each in sides), spacing=theme.AROUND), STRETCH, left=0)
        inside = area.content.sizeHint()
        area.setMinimumWidth(min(inside.width() + theme.AROUND, window.width() - 2 * theme.AROUND))
        fill_dialog(self, PlainLabel(tr("Keyboard"), "heading"), area, spacing=theme.GROUPS)
        self.resize(self.sizeHint().width(), min(inside.height() + theme.px(120), window.height()))


def _groups(commands: Commands) -> dict[str, list[tuple[str, str]]]:
    """Return words and keys under the name of the menu, or of the part of the window in which they hold."""
    bound = [one for one in commands if one.keys and one.bound]
    found: dict[str, list[tuple[str, str]]] = {}
    for title, ids in ((tr("Workspace"), f"{WORKSPACE} {LEAVING}"), *MENUS.items()):
        places = ids.split()
        for one in bound:
            if commands.scope(one.id) is None and any(_holds(place, one.id) for place in places):
                heading = tr("Panels") if one.id.startswith("panel.") else title.replace("&", "")
                found.setdefault(heading, []).append((commands.full_name(one.id), native(one.keys)))
    listed = {words for rows in found.values() for words, _ in rows}
    for one in bound:
        if commands.full_name(one.id) not in listed:
            heading = commands.part(one.id) or tr("Window")
            found.setdefault(heading, []).append((one.name.rstrip("."), native(one.keys)))
    return {**found, tr("Where the keyboard is"): [*MORE_KEYS]}


def _holds(place: str, id: str) -> bool:
    return id == place or (place.endswith(".") and id.startswith(place))


class AboutDialog(QDialog):
    """What Clew is, its version and its licence."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        from app.session.errors import report

        self.setWindowTitle(tr("About Clew"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = PlainLabel(
            tr(
                "A desktop workbench for finding, checking and defending answers in your own documents.\n"
                "Nothing leaves this machine. Free software under the GNU GPL, version 3 or later.\n\n{versions}",
                versions=report(None).strip(),
            ),
            wrap=True,
            selectable=True,
        )
        inside = row((Mark(64), TOP), (words, 1), spacing=theme.GROUPS)
        self.setMinimumWidth(min(theme.px(560), window.width()))
        fill_dialog(self, PlainLabel(tr("Clew"), "heading"), inside, spacing=theme.GROUPS)
