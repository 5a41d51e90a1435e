"""The reader: a document's text at the place that was asked for, with that place marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QPushButton, QStackedLayout, QWidget

from app.look import theme
from app.look.translation import tr
from app.reader.document import LIMIT, REACH, OpenDocument, find_all, window, window_around
from app.reader.find import FindBar
from app.reader.header import ReaderHeader
from app.reader.news import ReaderNews
from app.reader.text import Mark, ReaderText
from app.session import opening, operations
from app.session.commands import Command
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.empty_state import EmptyState
from app.widgets.layout import column
from core.progress import TaskContext
from core.types import MissMark

if TYPE_CHECKING:
    from core.workspace import Workspace


class ReaderPanel(QWidget):
    """Follows the selection: a citation, passage or document opens here at its place.

    Signal: fact_wanted(document id, marked words, their place) when the person states what they say.
    """

    fact_wanted = Signal(str, str, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("readerPanel")
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._opened: OpenDocument | None = None
        self._marks: tuple[Mark, ...] = ()
        self._entity = ""
        self._matches: list[tuple[int, int]] = []
        self._match = -1
        self._place = 0  # the character that one is at
        self.header = ReaderHeader()
        self.find_bar = FindBar()
        self.news = ReaderNews(session)
        self.text = ReaderText()
        self.earlier = self._more_button(tr("Show more before this"), "caret-up", before=True)
        self.later = self._more_button(tr("Show more after this"), "caret-down", before=False)
        self.empty = EmptyState(
            "book-open",
            tr("Nothing is open"),
            tr("Click a citation, a passage or a document to read it here, at the place it points to."),
        )
        self._lay_out()
        self._connect()
        self.clear()

    def _lay_out(self) -> None:
        page = QWidget()
        column(self.header, self.news, self.find_bar, (self.text, 1), spacing=0, on=page)
        self.find_bar.hide()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(page)
        self.text.installEventFilter(self)

    def _connect(self) -> None:
        session = self._session
        session.selection.changed.connect(self._on_selected)
        session.workspace_closed.connect(self.clear)
        self.header.page_wanted.connect(self.turn_page)
        self.header.find_wanted.connect(self.find_bar.open_bar)
        self.header.open_wanted.connect(self.open_original)
        self.find_bar.wanted.connect(self._find)
        self.find_bar.step.connect(self._step)
        self.find_bar.closed.connect(self._end_find)
        self.text.entity_chosen.connect(lambda entity_id: operations.select_entity(session, entity_id))
        self.text.entity_pointed.connect(
            lambda entity_id: session.pointed_at.emit(Selected("entity", entity_id) if entity_id else None)
        )
        self.text.scrolled.connect(self._on_scrolled)
        self.text.filled.connect(self._place_more_buttons)
        session.commands.add(self, *self._commands(), scoped=True)
        self.text.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.text.customContextMenuRequested.connect(self._open_menu)
        for button, command in (
            (self.header.before, "reader.before"),
            (self.header.after, "reader.after"),
            (self.header.find_button, "reader.find"),
        ):
            session.commands.describe(button, command)

    def _commands(self) -> tuple[Command, ...]:
        def closed() -> str:
            return "" if self._opened is not None else tr("No document is open.")

        def unmarked() -> str:
            nothing = tr("Mark the words in the document that say it.")
            return (
                closed() or ("" if self.text.marked_words()[1].strip() else nothing) or self._session.blocked
            )

        def unmissed() -> str:
            nothing = tr("Mark the words in the document that should have been found.")
            unasked = "" if self._session.answer is not None else tr("Ask a question first.")
            return closed() or unasked or ("" if self.text.marked_words()[1].strip() else nothing)

        step, turn = self._step, self.turn_page
        return (
            Command(
                "reader.find", tr("Find in the document"), self.find_bar.open_bar, "Ctrl+F", why_not=closed
            ),
            Command("reader.next", tr("Next match in the document"), lambda: step(1), "F3", why_not=closed),
            Command(
                "reader.last",
                tr("Match before in the document"),
                lambda: step(-1),
                "Shift+F3",
                why_not=closed,
            ),
            Command("reader.before", tr("Page before"), lambda: turn(-1), "Ctrl+PgUp", why_not=closed),
            Command("reader.after", tr("Next page"), lambda: turn(1), "Ctrl+PgDown", why_not=closed),
            Command("reader.state", tr("New fact from the marked words..."), self._state, why_not=unmarked),
            Command(
                "reader.missed", tr("These words should have been found"), self._missed, why_not=unmissed
            ),
        )

    def _state(self) -> None:
        start, words = self.text.marked_words()
        if self._opened is not None:
            spaces = len(words) - len(words.lstrip())
            self.fact_wanted.emit(self._opened.document.id, words.strip(), start + spaces)

    def _missed(self) -> None:
        start, words = self.text.marked_words()
        if self._opened is not None:
            mark = MissMark(document=self._opened.document.id, start=start, end=start + len(words))
            self._session.miss_wanted.emit(mark)

    def _open_menu(self, point: QPoint) -> None:
        """What every text offers, and a new fact."""
        commands, menu = self._session.commands, self.text.createStandardContextMenu(point)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        ids = ("reader.state", "reader.missed", "miss.mark")
        menu.addActions([commands.action(id) for id in ids if id in commands])
        menu.aboutToShow.connect(lambda: commands.explain([id for id in ids if id in commands], True))
        menu.aboutToHide.connect(lambda: commands.explain([id for id in ids if id in commands], False))
        menu.popup(self.text.mapToGlobal(point))

    def _more_button(self, words: str, icon: str, before: bool) -> QPushButton:
        button = QPushButton(theme.icon(icon, "accent"), words, self.text)
        button.clicked.connect(lambda: self.show_more(before))
        button.hide()
        return button

    # ------------------------------------------------------------ what is open

    @property
    def opened(self) -> OpenDocument | None:
        """The document on screen."""
        return self._opened

    def clear(self) -> None:
        """Show that nothing is open."""
        self._opened, self._marks, self._matches, self._match = None, (), [], -1
        self._tasks.drop("reader")
        self.news.follow(None)
        self.text.clear_window()
        self.find_bar.hide()
        self._stack.setCurrentIndex(0)

    def _on_selected(self, selected: Selected | None) -> None:
        if selected is None:
            self._entity = ""
            self._draw_marks()
        elif selected.kind == "entity":
            self._entity = selected.id
            self._draw_marks()
        elif selected.kind in ("citation", "passage", "document"):
            self._open(selected)

    def _open(self, selected: Selected) -> None:
        workspace = self._session.workspace
        if workspace is None:
            return
        kept, sentence = self._opened, self._best_sentence(selected)

        def work(context: TaskContext) -> tuple[OpenDocument, tuple[Mark, ...]]:
            marks = _marks_of(workspace, selected, sentence)
            document_id = selected.document_id
            if selected.kind == "document":
                document_id = selected.id
            elif not document_id:
                document_id = workspace.passages.get(selected.id).document_id
            context.check()
            if kept is not None and kept.document == workspace.documents.get(document_id):
                return kept, marks
            return _read(workspace, document_id, context), marks

        self._tasks.start("reader", work, lambda result: self._show(*result))

    def _best_sentence(self, selected: Selected) -> tuple[int, int] | None:
        """The sentence for which a passage was ranked, in the passage, if it answers the last question."""
        answer = self._session.answer
        if answer is None or selected.kind != "passage":
            return None
        for row in answer.evidence:
            if row.passage.id == selected.id and row.sentence is not None:
                return row.sentence.start, row.sentence.end
        return None

    def _show(self, opened: OpenDocument, marks: tuple[Mark, ...]) -> None:
        other = self._opened is None or self._opened.document.id != opened.document.id
        start, end = (marks[-1].start, marks[-1].end) if marks else (0, 0)
        fresh = self._opened is not opened or not self.text.window_shown.holds(start, end)
        self._opened, self._marks = opened, marks
        if other:
            self._matches, self._match = [], -1
        self.header.show_document(opened.document)
        self.news.follow(opened.document)
        self._stack.setCurrentIndex(1)
        if fresh:
            self.text.show_window(opened, window_around(opened, start, end), start)
        self._draw_marks()
        self._go_to(start)
        if other and self.find_bar.isVisible():
            self._find(self.find_bar.field.text())

    def _go_to(self, place: int) -> None:
        """Bring a place on screen, loading the text around it when it is far."""
        if self._opened is None:
            return
        if not self.text.window_shown.holds(place, place):
            self.text.show_window(self._opened, window_around(self._opened, place, place), place)
        self.text.reveal(place)
        self._on_scrolled(place)

    def _draw_marks(self) -> None:
        marks = list(self._marks)
        if self._opened is not None and self._entity:
            shown = self.text.window_shown
            marks += [
                Mark(mention.start, mention.end, "entity")
                for mention in self._opened.mentions_in(shown.start, shown.end)
                if mention.entity_id == self._entity
            ]
        if self._matches:
            near = self._matches[max(self._match - 200, 0) : self._match + 200]
            marks += [Mark(start, end, "found") for start, end in near]
            marks.append(Mark(*self._matches[self._match], "found-here"))
        self.text.set_marks(tuple(marks))

    # ------------------------------------------------------------ moving

    def turn_page(self, step: int) -> None:
        """Go to the next page (+1) or the one before (-1)."""
        if self._opened is None or not self._opened.pages:
            return
        pages = self._opened.pages
        here = self._opened.page_at(self._place)
        at = pages.index(here) + step if here else 0
        if 0 <= at < len(pages):
            self._place = pages[at].start
            self._go_to_page(pages[at].start, pages[at].number)

    def _go_to_page(self, start: int, number: int) -> None:
        if self._opened is None:
            return
        if not self.text.window_shown.holds(start, start + 1):
            self.text.show_window(self._opened, window_around(self._opened, start, start), start)
            self._draw_marks()
        self.text.reveal(start, 0.0, above=True)
        self._place = start  # a short last page cannot be scrolled to the top
        self.header.show_page(number, len(self._opened.pages))

    def _on_scrolled(self, place: int) -> None:
        if self._opened is None:
            return
        self._place = place
        page = self._opened.page_at(place)
        self.header.show_page(page.number if page else None, len(self._opened.pages))
        self._place_more_buttons()

    def show_more(self, before: bool) -> None:
        """Load the part of a long document before or after the one on screen."""
        if self._opened is None:
            return
        shown, top = self.text.window_shown, self.text.place_at_top()
        if before:
            start = max(shown.start - REACH, 0)
            end = min(shown.end, start + LIMIT)
        else:
            end = min(shown.end + REACH, len(self._opened.text))
            start = max(shown.start, end - LIMIT)
        self.text.show_window(self._opened, window(self._opened, start, end), top)
        self._draw_marks()
        self.text.reveal(top, 0.0)
        self._on_scrolled(top)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and event.type() == QEvent.Type.Resize:
            self._place_more_buttons()
        return super().eventFilter(watched, event)

    def _place_more_buttons(self) -> None:
        """Offer the rest of a long document at the ends of what is shown."""
        if self._opened is None:
            return
        shown, bar = self.text.window_shown, self.text.verticalScrollBar()
        middle = self.text.width() // 2
        for button, wanted, top in (
            (self.earlier, shown.start > 0 and bar.value() <= bar.minimum() + 8, theme.WITHIN),
            (self.later, shown.end < len(self._opened.text) and bar.value() >= bar.maximum() - 8, -1),
        ):
            button.adjustSize()
            y = top if top >= 0 else self.text.height() - button.height() - theme.WITHIN
            button.move(middle - button.width() // 2, y)
            button.setVisible(wanted and not self.text.filling)

    # ------------------------------------------------------------ finding

    def _find(self, wanted: str) -> None:
        opened = self._opened
        if opened is None:
            return
        text = opened.text
        self._tasks.start("reader-find", lambda context: find_all(text, wanted, context), self._on_found)

    def _on_found(self, matches: list[tuple[int, int]]) -> None:
        self._matches, self._match = matches, -1
        if matches:
            # The first place behind the top of the view: finding does not throw the reader back.
            top = self.text.place_at_top()
            self._match = next((at for at, (start, _) in enumerate(matches) if start >= top), 0) - 1
            self._step(1)
        else:
            self.find_bar.show_place(0, 0)
            self._draw_marks()

    def _step(self, step: int) -> None:
        if not self._matches:
            return
        self._match = (self._match + step) % len(self._matches)
        self._go_to(self._matches[self._match][0])
        self._draw_marks()
        self.find_bar.show_place(self._match + 1, len(self._matches))

    def _end_find(self) -> None:
        self._tasks.drop("reader-find")
        self._matches, self._match = [], -1
        self._draw_marks()
        self.text.setFocus()

    # ------------------------------------------------------------ the file itself

    def open_original(self) -> None:
        """Hand the file to the program that the system has for it; only ever at a person's press."""
        if self._opened is not None:
            opening.open_original(self._session, self._opened.document)


def _read(workspace: Workspace, document_id: str, context: TaskContext) -> OpenDocument:
    """All that is drawn of a document; runs off the GUI thread."""
    document = workspace.documents.get(document_id)
    text = workspace.documents.text(document_id)
    context.check()
    mentions = sorted(workspace.documents.mentions(document_id), key=lambda mention: mention.start)
    blocks = workspace.documents.blocks(document_id, 0, len(text))
    return OpenDocument(
        document, text, tuple(workspace.documents.pages(document_id)), tuple(mentions), tuple(blocks)
    )


def _marks_of(workspace: Workspace, selected: Selected, sentence: tuple[int, int] | None) -> tuple[Mark, ...]:
    """The place that was asked for comes last; the passage around it before."""
    if selected.kind == "document":
        return ()
    if selected.has_place:
        return (Mark(selected.start, selected.end, "cited"),)
    passage = workspace.passages.get(selected.id)
    marks = [Mark(passage.start, passage.end, "passage")]
    if sentence is not None:
        marks.append(Mark(passage.start + sentence[0], passage.start + sentence[1], "cited"))
    return tuple(marks)


PANEL = PanelSpec("reader", tr("Reader"), Area.BOTTOM, ReaderPanel)
