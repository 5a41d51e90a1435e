"""Two small windows: what every key does, and what Clew is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from app.look import theme
from app.look.brand import Mark
from app.look.translation import tr
from app.session.commands import Commands, native
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, PanelScroll, fill_dialog, grid, row

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
        rows = [(commands.full_name(one.id), native(one.keys)) for one in commands if one.keys and one.bound]
        keys_of = grid(down=theme.WITHIN)
        rows = [*rows, *MORE_KEYS]
        columns = 2 if window.width() > theme.px(_TWO_COLUMNS) else 1
        longest = -(-len(rows) // columns)
        for number, (words, keys) in enumerate(rows):
            line, column = number % longest, 3 * (number // longest)
            key = PlainLabel(keys, "muted")
            key.setFont(theme.mono_font())
            keys_of.addWidget(PlainLabel(words, wrap=columns == 1), line, column)
            keys_of.addWidget(key, line, column + 1)
        keys_of.setColumnMinimumWidth(2, theme.AROUND)
        area = PanelScroll(keys_of, left=0)
        inside = area.content.sizeHint()
        area.setMinimumWidth(min(inside.width() + theme.AROUND, window.width() - 2 * theme.AROUND))
        fill_dialog(self, PlainLabel(tr("Keyboard"), "heading"), area, spacing=theme.GROUPS)
        self.resize(self.sizeHint().width(), min(inside.height() + theme.px(120), window.height()))


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
