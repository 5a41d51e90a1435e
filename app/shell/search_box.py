"""The one box: type to find what there is and go there; press Ctrl+Enter to ask instead."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.look.translation import tr
from app.widgets.result_box import Match, ResultBox
from core.types import SearchResult

QUESTION_WORDS = frozenset(
    "who whom whose what when where why which how is are was were did"  # not shown
    " does do has have had can could".split()
)


def looks_like_question(text: str) -> bool:
    """Whether Enter should ask rather than go to the first match."""
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
