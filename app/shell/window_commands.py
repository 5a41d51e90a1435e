"""What the window can do by itself, whatever panels it holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.look import theme
from app.look.motion import set_motion
from app.look.translation import tr
from app.session import operations
from app.session.commands import Command
from app.widgets.copying import Form, copy, copyable, set_harmless

if TYPE_CHECKING:
    from app.shell.main_window import MainWindow

_HARMLESS = tr("A cell that a spreadsheet would run as a formula is copied with an apostrophe before it")
_PROPOSES = tr(
    "What the sentences behind a verified answer tell waits in the Review panel, and counts once approved"
)
_THEMES: tuple[tuple[str, theme.Mode], ...] = (
    (tr("Theme of the &system"), "system"),
    (tr("&Light theme"), "light"),
    (tr("&Dark theme"), "dark"),
    (tr("High &contrast theme"), "contrast"),
)
_WORDS = {
    Form.TEXT: (tr("Copy the &rows"), "Ctrl+C"),
    Form.MARKDOWN: (tr("Copy the rows as &Markdown"), "Ctrl+Shift+M"),
    Form.CSV: (tr("Copy the rows as CS&V"), "Ctrl+Shift+V"),
}


def window_commands(window: MainWindow) -> tuple[Command, ...]:
    """Return the window's commands in the order of the menus."""
    session = window.session

    def closed() -> str:
        return "" if session.workspace is not None else tr("No workspace is open.")

    return (
        *_of_workspace(window, closed),
        Command("window.quit", tr("&Quit"), window.close, "Ctrl+Q"),
        *_of_sight(window),
        Command(
            "window.full",
            tr("F&ull screen"),
            partial(_full_screen, window),
            "F11",
            checked=window.isFullScreen,
        ),
        Command(
            "window.harmless",
            tr("Copy &formulas in tables as text"),
            partial(_toggle_harmless, window),
            checked=lambda: window.preferences.harmless_cells,
            tip=_HARMLESS,
        ),
        Command(
            "answer.proposes",
            tr("Have &facts behind answers reviewed"),
            partial(_toggle_proposes, window),
            checked=lambda: window.session.proposals.wanted,
            tip=_PROPOSES,
        ),
        *window.copies.commands(),
        *_of_going(window, closed),
        *_of_indexing(window),
        Command(
            "answer.approved",
            tr("A&pproved facts only"),
            session.policy.toggle,
            "Ctrl+Shift+S",
            "shield-check",
            session.policy.why_not,
            lambda: session.policy.approved_only,
            session.policy.tip,
        ),
        Command("help.keys", tr("&Keyboard"), partial(_keyboard, window), "F1", "keyboard"),
        Command("help.palette", tr("All &commands..."), partial(_palette, window), "Ctrl+Shift+P", "list"),
        Command("help.about", tr("&About Clew"), partial(_about, window), icon="info"),
    )


def _of_workspace(window: MainWindow, closed: Callable[[], str]) -> tuple[Command, ...]:
    session = window.session
    sample, close = partial(operations.open_sample, session), partial(operations.close_workspace, session)
    return (
        Command("workspace.folder", tr("Open a &folder..."), window.choose_folder, "Ctrl+O", "folder-open"),
        Command(
            "workspace.open",
            tr("Open a &workspace..."),
            window.choose_workspace,
            "Ctrl+Shift+O",
            "share-network",
        ),
        Command("workspace.sample", tr("Explore the &sample"), sample, "Ctrl+E", "compass"),
        Command("workspace.close", tr("&Close the workspace"), close, "Ctrl+W", why_not=closed),
        Command(
            "workspace.export",
            tr("E&xport the graph..."),
            window.choose_export,
            "Ctrl+Shift+E",
            why_not=closed,
        ),
    )


def _of_sight(window: MainWindow) -> tuple[Command, ...]:
    """Return the commands for theme, text size and motion."""

    def text_of(step: int) -> int:
        sizes = theme.TEXT_SIZES
        nearest = min(range(len(sizes)), key=lambda at: abs(sizes[at] - theme.text_size()))
        return sizes[min(max(nearest + step, 0), len(sizes) - 1)]

    def size(step: int) -> None:
        window.set_text_size(text_of(step))

    def why_not(step: int, words: str) -> str:
        return words if text_of(step) == theme.text_size() else ""

    larger = partial(why_not, 1, tr("Text is already as large as it gets."))
    smaller = partial(why_not, -1, tr("Text is already as small as it gets."))
    return (
        *(
            Command(f"theme.{mode}", words, partial(window.set_theme, mode), checked=partial(_is_theme, mode))
            for words, mode in _THEMES
        ),
        Command("theme.toggle", tr("Light or &dark"), window.toggle_theme, "Ctrl+Shift+D", "moon"),
        Command(
            "view.larger", tr("La&rger text"), partial(size, 1), "Ctrl++", "magnifying-glass-plus", larger
        ),
        Command(
            "view.smaller",
            tr("S&maller text"),
            partial(size, -1),
            "Ctrl+-",
            "magnifying-glass-minus",
            smaller,
        ),
        Command("view.normal", tr("&Normal size of text"), partial(window.set_text_size, 100), "Alt+0"),
        Command(
            "view.still",
            tr("L&ess motion"),
            partial(_toggle_motion, window),
            checked=lambda: window.preferences.less_motion,
            tip=tr("Nothing glides or fades: what changes is there at once"),
        ),
    )


def _toggle_motion(window: MainWindow) -> None:
    less = not window.preferences.less_motion
    window.preferences.less_motion = less
    set_motion(False if less else None)


def _of_going(window: MainWindow, closed: Callable[[], str]) -> tuple[Command, ...]:
    selection = window.session.selection
    return (
        Command("go.search", tr("&Search or ask"), window.focus_search, "Ctrl+K", "magnifying-glass", closed),
        Command("go.ask", tr("Ask a &question"), window.focus_question, "Ctrl+L", "chat-circle-dots", closed),
        Command("go.back", tr("&Back"), selection.back, "Alt+Left", "arrow-left"),
        Command("go.forward", tr("&Forward"), selection.forward, "Alt+Right", "arrow-right"),
        Command("go.nothing", tr("&Nothing selected"), window.escape, "Esc", bound=False),  # not shown
    )


def _of_indexing(window: MainWindow) -> tuple[Command, ...]:
    session, watching = window.session, window.watching
    again, stop = partial(operations.index_again, session), partial(operations.cancel_indexing, session)
    retry = partial(operations.retry, session)
    return (
        Command(
            "indexing.again",
            tr("Read the folder &again"),
            again,
            "F5",
            "arrows-clockwise",
            lambda: session.shut,
        ),
        Command("indexing.pause", tr("&Pause or go on"), window.toggle_pause, "Ctrl+P", "pause"),
        Command("indexing.stop", tr("&Stop"), stop, "Ctrl+.", "stop"),
        Command(
            "indexing.watch",
            tr("&Watch the folder"),
            lambda: watching.set_wanted(not watching.wanted),
            "Shift+F5",
            "eye",
            lambda: watching.shut,
            lambda: watching.wanted,
        ),
        Command("indexing.failed", tr("Show what &failed"), window.show_failed, "Ctrl+Shift+F", "warning"),
        Command(
            "indexing.retry",
            tr("&Try again what failed"),
            retry,
            "Ctrl+Shift+R",
            "arrow-counter-clockwise",
            lambda: session.blocked,
        ),
    )


def _is_theme(mode: theme.Mode) -> bool:
    return theme.mode() == mode


def _full_screen(window: MainWindow) -> None:
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()


def _toggle_proposes(window: MainWindow) -> None:
    wanted = not window.session.proposals.wanted
    window.session.proposals.wanted = window.preferences.proposes = wanted


def _toggle_harmless(window: MainWindow) -> None:
    wanted = not window.preferences.harmless_cells
    window.preferences.harmless_cells = wanted
    set_harmless(wanted)


def _keyboard(window: MainWindow) -> None:
    from app.shell.help import KeyboardDialog

    KeyboardDialog(window, window.session.commands).show()


def _palette(window: MainWindow) -> None:
    from app.shell.palette import Palette

    Palette(window, window.session.commands).show()


def _about(window: MainWindow) -> None:
    from app.shell.help import AboutDialog

    AboutDialog(window).show()


class Copies:
    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._last: QWidget | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus)
        window.destroyed.connect(lambda: application.focusChanged.disconnect(self._on_focus))

    def commands(self) -> tuple[Command, ...]:
        return tuple(
            # Ctrl+C belongs to whatever has the keyboard: a table copies rows by it, a text its words.
            Command(f"table.{form.value}", words, partial(self._copy, form), keys, why_not=self._why_not,
                    bound=form is not Form.TEXT)
            for form, (words, keys) in _WORDS.items()
        )  # fmt: skip

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        found = copyable(now)
        if found is not None and found.window() is self._window:
            self._last = found

    def _table(self) -> QWidget | None:
        return (
            self._last if self._last is not None and isValid(self._last) and self._last.isVisible() else None
        )

    def _why_not(self) -> str:
        return "" if self._table() else tr("Click into a table or list first.")

    def _copy(self, form: Form) -> None:
        if (table := self._table()) is not None:
            copy(table, form)
