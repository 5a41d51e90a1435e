"""The top bar: the mark, the workspace, the one search box, how far indexing is, light or dark."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from app.look import theme
from app.look.painting import Mark
from app.look.plain_text import button_words, set_tip
from app.look.translation import tr
from app.session.commands import Commands
from app.widgets.buttons import push_button, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, row
from app.widgets.result_box import Match, ResultBox
from core.text.escape_controls import escape_controls
from core.types import SearchResult

QUESTION_WORDS = frozenset(
    "who whom whose what when where why which how is are was were did"  # not shown
    " does do has have had can could".split()
)


class TopBar(QWidget):
    """What its buttons do, the commands say."""

    def __init__(self, workspace_menu: QMenu, commands: Commands) -> None:
        super().__init__()
        self._commands = commands
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.workspace = push_button(tr("No workspace"), tip=tr("Open, close or change the workspace"))
        self.workspace.setMenu(workspace_menu)
        self.search = SearchBox(commands.keys("go.search"))
        self.back, self.forward = (
            self._button("arrow-left", "go.back"),
            self._button("arrow-right", "go.forward"),
        )
        self.indexing = push_button(kind="quiet")
        words = tr("How far the present stage of indexing is. Press to pause or go on")
        commands.press(self.indexing, "indexing.pause", words)
        self.models = PlainLabel(kind="small")
        self.theme = self._button("moon", "theme.toggle")
        row(
            *(Mark(24), PlainLabel(tr("Clew"), "heading"), 8, self.workspace, STRETCH),
            *(self.back, self.forward, (self.search, 6), STRETCH),
            *(self.models, self.indexing, self.theme),
            margins=(8, 0, 4, 0),
            on=self,
        )
        self.set_share(None, "")
        theme.follow(self, self._on_theme)

    def _button(self, icon: str, command: str) -> QToolButton:
        button = tool_button(icon, self._commands[command].name, role="text")
        theme.follow(button, lambda: button.setIconSize(QSize(theme.px(18), theme.px(18))))
        self._commands.press(button, command)
        return button

    def set_workspace(self, name: str, tip: str = "") -> None:
        """Show the name of the open workspace, or "" for none."""
        metrics = self.workspace.fontMetrics()
        label = metrics.elidedText(
            escape_controls(name) or tr("No workspace"), Qt.TextElideMode.ElideMiddle, theme.px(200)
        )
        self.workspace.setText(button_words(label))
        set_tip(self.workspace, tip or tr("Open, close or change the workspace"))
        for part in (self.search, self.back, self.forward):
            part.setVisible(bool(name))

    def set_share(self, share: float | None, words: str) -> None:
        """Show how far indexing is, 0 to 1; None with words: running, share unknown; "" hides it."""
        self.indexing.setVisible(bool(words))
        if share is not None:
            words = tr("{words} {share}", words=words, share=f"{share:.0%}")
        self.indexing.setText(words)

    def set_models(self, words: str) -> None:
        """Show whether the models are loaded, in words."""
        self.models.setText(words)

    def _on_theme(self) -> None:
        self.workspace.setMaximumWidth(theme.px(260))
        self.search.setMaximumWidth(theme.px(640))
        dark = theme.current().dark
        self.theme.setIcon(theme.icon("sun" if dark else "moon"))
        words = tr("Change to light") if dark else tr("Change to dark")
        self._commands.describe(self.theme, "theme.toggle", words)
        self.theme.setAccessibleName(words)


def looks_like_question(text: str) -> bool:
    """Return whether Enter should ask rather than go to the first match."""
    words = text.lower().split()
    return text.rstrip().endswith("?") or (len(words) >= 4 and words[0] in QUESTION_WORDS)


class SearchBox(ResultBox):
    """The box of the top bar. Signal: asked(str) when the text is a question."""

    asked = Signal(str)

    def __init__(self, keys: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(tr("Search or ask anything...   {keys}", keys=keys))
        self.setAccessibleName(tr("Search or ask"))
        self.setToolTip(
            tr(
                "Type to find entities, documents, communities, facts and passages, by their letters and their meaning."
                " Enter goes there, Ctrl+Enter asks."
            )
        )

    def rows_of(self, text: str, results: Sequence[Match]) -> Sequence[Match]:
        ask = SearchResult("ask", "", text, tr("Ask this   Ctrl+Enter"))
        return [ask, *results] if looks_like_question(text) or not results else [*results, ask]

    def take(self, match: Match) -> None:
        if match.kind == "ask":
            self._ask(match.title)
        else:
            super().take(match)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        text = self.text().strip()
        entered = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        at_once = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if entered and text and (at_once or (looks_like_question(text) and not self.fits(text))):
            self._ask(text)
        elif not (entered and at_once):
            super().keyPressEvent(event)

    def _ask(self, text: str) -> None:
        self.close_results()
        self.finish(lambda: self.asked.emit(text))
