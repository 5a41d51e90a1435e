"""From one citation of the last answer to the next, whichever document it is in."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.look.translation import tr
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import tool_button
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import row
from core.types import Citation


class CitationSteps(QWidget):
    """Seen while the last answer has citations; counts where one is among them."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.place = PlainLabel(kind="small")
        self.before, self.after = tool_button("caret-up"), tool_button("caret-down")
        row(Icon("quotes", "muted", 16), self.before, self.place, self.after, spacing=0, on=self)
        session.selection.changed.connect(self._follow)
        session.answered.connect(self._follow)
        session.workspace_closed.connect(self._follow)
        self.hide()

    @property
    def _all(self) -> Sequence[Citation]:
        return self._session.answer.citations if self._session.answer is not None else ()

    @property
    def _at(self) -> int:
        """The chosen one among them, -1 for none."""
        chosen = self._session.selection.current
        if chosen is None or chosen.kind != "citation":
            return -1
        places = [(one.document_id, one.start, one.end) for one in self._all]
        wanted = (chosen.document_id, chosen.start, chosen.end)
        return places.index(wanted) if wanted in places else -1

    def why_not(self) -> str:
        return "" if self._all else tr("The last answer has no citations.")

    def step(self, step: int) -> None:
        """Choose the next one (+1) or the one before (-1), round and round."""
        count, at = len(self._all), self._at
        if count:
            at = (at + step) % count if at >= 0 else (0 if step > 0 else count - 1)
            operations.select_citation(self._session, self._all[at])

    def _follow(self, *_: object) -> None:
        count, at = len(self._all), self._at
        self.setVisible(count > 0)
        self.place.setText(tr("{number} of {count}", number=at + 1, count=count) if at >= 0 else "")
        words = tr("citation {number} of {count}", number=at + 1, count=count)
        self.place.setAccessibleName(words if at >= 0 else tr("No citation is open"))
