"""What is explained, and one tab that explains it: what it shows, or words on what to do first."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.look.translation import tr
from app.session.selection import Selected
from app.widgets.notices import EmptyState
from core.types import Answer, PassageLabel, SavedTrace, Trace

FROM_FILE = (
    tr("This trace is from a file"),
    tr("Only an answer of this workspace can be ranked again: go back to the last answer first."),
)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """The trace of an answer, or one from a file. Passages are called by `labels`, which fill later."""

    trace: Trace
    labels: dict[str, PassageLabel] = field(default_factory=dict)
    answer: Answer | None = None
    saved: SavedTrace | None = None


class Tab(QWidget):
    """Shows `page`, or words on what to do first. `front`: whether a person sees it; only then it computes.

    Signal: turned() when `filtered` may have changed.
    """

    stays = False  # in front while passages are chosen in it
    asks = False  # it says the question itself
    turned = Signal()

    def __init__(self, icon: str, headline: str, line: str) -> None:
        super().__init__()
        self.front = False
        self.subject: Subject | None = None
        self.page = QWidget()
        self.empty = EmptyState(icon, headline, line)
        self._nothing = headline, line
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.page)
        self.entrance: QWidget = self.page

    @property
    def filtered(self) -> bool:
        """Return whether there is a table to filter."""
        return self._stack.currentWidget() is self.page

    def explain(self, subject: Subject | None) -> None:
        """Show another subject, None for none; called again whenever the tab comes to the front."""
        raise NotImplementedError

    def show_selected(self, selected: Selected | None) -> None:
        """Mark what is selected in the window."""

    def renew_names(self) -> None:
        """Call the passages by their names, now that the subject's labels are filled."""

    def filter(self, words: str) -> None:
        """Keep the rows of its tables that hold these words."""

    def show_page(self) -> None:
        self._stack.setCurrentWidget(self.page)
        self.turned.emit()

    def show_nothing(self, headline: str = "", line: str = "") -> None:
        """Say what to do first, or why there is nothing."""
        self.empty.set_text(*((headline, line) if headline else self._nothing))
        self._stack.setCurrentWidget(self.empty)
        self.turned.emit()


def passage_of(selected: Selected | None) -> str:
    """Return the passage that is selected, or that the selected place of a chain belongs to; "" for none."""
    if selected is None or selected.kind not in ("passage", "citation"):
        return ""
    return selected.chain or selected.id
