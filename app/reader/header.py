"""What stands above the text: title, where the file lies, its pages, and what one can do with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QSizePolicy, QWidget

from app.look import theme
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.reader.document import Look
from app.session import operations
from app.session.session import Session
from app.widgets.buttons import push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.fields import Segments
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import STRETCH, column, row
from core.errors import BadInput
from core.progress import TaskContext
from core.text.escape_controls import escape_controls
from core.types import Changed, Citation, Document, State

if TYPE_CHECKING:
    from core.workspace import Workspace


SOON_MS = 400


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a document, in words; `now` is the document to go to, if there is one."""

    words: str = ""
    action: str = ""
    now: str = ""


def fate_of(workspace: Workspace, opened: Document, context: TaskContext) -> Fate:
    """Compare the document as it was opened with the workspace as it is."""
    try:
        known = workspace.documents.get(opened.id)
    except BadInput:
        context.check()
        return _moved(workspace.documents.all(), opened)
    same_fate = (known.state is State.FAILED) == (opened.state is State.FAILED)
    if known.sha256 == opened.sha256 and same_fate:
        return failed(opened)
    words = tr("This document has changed since you opened it. Below is the text as it was.")
    return Fate(words, tr("Show the new text"), known.id)


def _moved(documents: list[Document], opened: Document) -> Fate:
    for document in documents:
        if opened.sha256 and (document.sha256, document.title) == (opened.sha256, opened.title):
            words = tr("This document is now {path}.", path=document.path)
            return Fate(words, tr("Open it there"), document.id)
    if opened.state is State.FAILED:
        return Fate(tr("This document is no longer in the workspace."))
    return Fate(tr("This document is no longer in the workspace. Below is the text as it was."))


def failed(opened: Document) -> Fate:
    """Return why there is no text, where there is none."""
    if opened.state is not State.FAILED:
        return Fate()
    why = f"{opened.reason} {opened.remedy}"
    return Fate(tr("This document could not be read. {why}", why=why).strip())


class ReaderNews(QFrame):
    """A strip above the text; its button opens the document as it is, or where it is, now."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._opened: Document | None = None
        self._fate = Fate()
        self._icon, self.words = PlainLabel(), PlainLabel(wrap=True)
        self.button = push_button("", lambda: operations.select_document(session, self._fate.now))
        margins = (theme.GROUPS, theme.GRID, theme.WITHIN, theme.GRID)
        row(self._icon, (self.words, 1), self.button, margins=margins, on=self)
        self._soon = QTimer(self, interval=SOON_MS, singleShot=True)
        self._soon.timeout.connect(self._look)
        session.changes.published.connect(self._on_changed)
        theme.notifier().changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def follow(self, document: Document | None) -> None:
        """This document is open now."""
        if document != self._opened:
            self._tasks.drop("reader-news")
            self._opened = document
            self._show(Fate() if document is None else failed(document))

    def _on_changed(self, changed: Changed) -> None:
        opened = self._opened
        if opened is not None and (changed.everything or opened.id in changed.documents):
            self._soon.start()

    def _look(self) -> None:
        workspace, opened = self._session.workspace, self._opened
        if workspace is not None and opened is not None:
            self._tasks.start("reader-news", lambda context: fate_of(workspace, opened, context), self._show)

    def _show(self, fate: Fate) -> None:
        self._fate = fate
        self.words.setText(fate.words)
        self.button.setText(fate.action)
        self.button.setVisible(bool(fate.action))
        self.setAccessibleName(fate.words)
        self.setVisible(bool(fate.words))

    def _restyle(self, *_: object) -> None:
        self._icon.setPixmap(theme.icon("warning", "warn").pixmap(16, 16))


ViewMode = Literal["text", "look", "both"]
NAMES: dict[Look, str] = {
    "page": tr("Page"),
    "sheet": tr("Sheet"),
    "mail": tr("Mail"),
    "slides": tr("Slides"),
}
ADJACENT: frozenset[Look] = frozenset({"page", "sheet"})  # what can stand beside the text


class LookSwitch(Segments):
    """Signal: chosen(ViewMode) at a person's press."""

    chosen = Signal(str)

    def __init__(self) -> None:
        words = {"text": tr("Text"), "look": tr("Page"), "both": tr("Both")}
        # A click leaves the keyboard to the document.
        super().__init__(words, self._emit_chosen, Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(tr("How the document is shown"))
        self.was_wide = False  # when it was shown last
        set_tip(self.buttons["text"], tr("The text as it was read"))
        set_tip(self.buttons["look"], tr("The document as it looks"))
        set_tip(self.buttons["both"], tr("Text and document beside each other"))
        self.hide()

    def _emit_chosen(self, mode: str) -> None:
        self.chosen.emit(mode)

    def show_look(self, look: Look, mode: ViewMode, wide: bool) -> None:
        """Show what a document can be shown as, and as what it is; nothing where there is its text alone."""
        self.was_wide = wide
        self.setVisible(bool(look))
        if look:
            self.buttons["look"].setText(NAMES[look])
            self.buttons["both"].setVisible(look in ADJACENT and wide)
            self.buttons[mode].setChecked(True)


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
        """Return the chosen one among them, -1 for none."""
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


class ReaderHeader(QWidget):
    """Signals: page_wanted(+1 or -1), number_wanted(number of a page), find_wanted(), open_wanted()."""

    page_wanted = Signal(int)
    number_wanted = Signal(int)
    find_wanted = Signal()
    open_wanted = Signal()

    def __init__(self, citations: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.path = ElidedLabel(kind="heading", end=True), ElidedLabel(kind="small")
        self.path.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.about, self.page = PlainLabel(kind="small"), PlainLabel(kind="muted")
        self.page.setAccessibleName(tr("Page"))
        self.switch = LookSwitch()
        self.number = QLineEdit()
        self.number.setAccessibleName(tr("Number of the page"))
        self.number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.number.returnPressed.connect(self._go)
        theme.follow(self.number, lambda: self.number.setFixedWidth(theme.px(48)))
        self._typed = False  # whether pages have a field for their number
        self.before = tool_button("caret-left", tr("Page before"), lambda: self.page_wanted.emit(-1))
        self.after = tool_button("caret-right", tr("Next page"), lambda: self.page_wanted.emit(1))
        self.find_button = tool_button("magnifying-glass", tr("Find in this document"), self.find_wanted)
        words = tr("Open the file with the program meant for it")
        self.external = tool_button("arrow-square-out", words, self.open_wanted)
        paging = (self.before, self.number, self.page, self.after)
        column(
            row(
                (self.title, 1),
                self.switch,
                citations,
                *paging,
                self.find_button,
                self.external,
                spacing=theme.GRID,
            ),
            row(self.path, self.about, STRETCH),
            spacing=0,
            margins=(theme.GROUPS, theme.WITHIN, theme.WITHIN, theme.WITHIN),
            on=self,
        )

    def show_document(self, document: Document) -> None:
        """Title, path, date and author as the document states them."""
        self.title.setText(document.title or document.path)
        self.path.setText(escape_controls(document.path))
        parts = [part for part in (document.date and document.date[:10], document.author) if part]
        self.about.setText("".join(f"·  {part}  " for part in parts).rstrip())
        set_tip(self.about, tr("Date and author, as the document states them") if parts else "")
        self.show_page(None, document.pages)

    def show_page(self, number: int | None, of: int) -> None:
        """`number` None or `of` 0: the format has no pages, and nothing is shown of them."""
        has_pages = bool(number and of)
        for widget in (self.before, self.page, self.after):
            widget.setVisible(has_pages)
        self.number.setVisible(has_pages and self._typed)
        if number and of:
            of_all = tr("of {count}", count=str(of))
            both = tr("page {number} of {count}", number=str(number), count=str(of))
            self.page.setText(of_all if self._typed else both)
            if not self.number.hasFocus():
                self.number.setText(str(number))
            self.before.setEnabled(number > 1)
            self.after.setEnabled(number < of)

    def set_typed(self, typed: bool) -> None:
        """Set whether the number of the page can be typed; shown from the next `show_page` on."""
        self._typed = typed

    def _go(self) -> None:
        words = self.number.text().strip()
        if words.isdecimal() and len(words) < 8:
            self.number_wanted.emit(int(words))
        self.number.selectAll()
