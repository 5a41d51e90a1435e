"""The reader: a document's text at the place that was asked for, with that place marked."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QSplitter, QStackedLayout, QWidget

from app.look import theme
from app.look.translation import tr
from app.reader.commands import FindBar, reader_commands
from app.reader.document import (
    LIMIT,
    REACH,
    OpenDocument,
    find_all,
    read_document,
    window,
    window_around,
)
from app.reader.header import ADJACENT, CitationSteps, ReaderHeader, ReaderNews, ViewMode
from app.reader.side import LookSide
from app.reader.text import Mark, ReaderText
from app.session import opening, operations
from app.session.panels import Area, PanelSpec
from app.session.selection import Selected
from app.session.session import Session
from app.widgets.labels import PlainLabel
from app.widgets.layout import column
from app.widgets.notices import EmptyState
from core.errors import CoreError
from core.progress import TaskContext
from core.types import MissMark

if TYPE_CHECKING:
    from core.workspace import Workspace

WIDE = 720  # pixels from which on text and document stand beside each other


class ReaderPanel(QWidget):
    """Follows the selection: a citation, passage or document opens here at its place.

    Signals: fact_wanted(document id, marked words, their place) when the person states what they say;
    look_chosen(ViewMode) when they choose how documents are shown.
    """

    fact_wanted = Signal(str, str, int)
    look_chosen = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._tasks = session, session.tasks.owned_by(self)
        self._opened: OpenDocument | None = None
        self._marks: tuple[Mark, ...] = ()
        self._entity = ""
        self._matches: list[tuple[int, int]] = []
        self._match = -1
        self._fresh = False  # whether the text of another document is to be put in
        self._place = 0  # the character that one is at
        self._wanted: ViewMode = "text"
        self._refused = ""  # why the file itself cannot be shown, and so its text is
        self.citations = CitationSteps(session)
        self.header = ReaderHeader(self.citations)
        self.find_bar = FindBar()
        self.news = ReaderNews(session)
        self.refusal = PlainLabel(kind="muted", wrap=True)
        self.text, self.side = ReaderText(), LookSide(session)
        self.earlier = self._more_button(tr("Show more before this"), "caret-up", before=True)
        self.later = self._more_button(tr("Show more after this"), "caret-down", before=False)
        self.empty = EmptyState(
            "book-open",
            tr("Nothing is open"),
            tr("Click a citation, a passage or a document to read it here, at the place it points to."),
        )
        # What was just shown has its width only after the next turn of the event loop.
        self._again = QTimer(self, interval=0, singleShot=True)
        self._again.timeout.connect(lambda: self._go_to(self._place))
        self._lay_out()
        self._connect()
        self.clear()

    def _lay_out(self) -> None:
        page = QWidget()
        self.split = QSplitter(handleWidth=1, childrenCollapsible=False)
        self.split.addWidget(self.text)
        self.split.addWidget(self.side)
        self.refusal.setContentsMargins(theme.GROUPS, theme.GRID, theme.GROUPS, theme.GRID)
        parts = (self.header, self.news, self.refusal, self.find_bar, (self.split, 1))
        column(*parts, spacing=0, on=page)
        self.side.hide()
        self.refusal.hide()
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
        self.find_bar.step.connect(self.step_match)
        self.find_bar.closed.connect(self._end_find)
        for view in (self.text, self.side.pages, self.side.sheet):
            view.entity_chosen.connect(lambda entity_id: operations.select_entity(session, entity_id))
            view.entity_pointed.connect(
                lambda entity_id: session.pointed_at.emit(
                    Selected("entity", entity_id) if entity_id else None
                )
            )
        self.text.scrolled.connect(self._on_text_scrolled)
        self.side.pages.page_changed.connect(self._on_page_changed)
        self.side.pages.refused.connect(self._on_refused)
        self.side.pages.menu_wanted.connect(self._open_page_menu)
        self.header.switch.chosen.connect(self._choose_look)
        self.header.number_wanted.connect(self.go_to_page)
        self.text.filled.connect(self._place_more_buttons)
        session.commands.add(self, *reader_commands(self, session), scoped=True)
        self.text.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.text.customContextMenuRequested.connect(self._open_menu)
        for button, command in (
            (self.header.before, "reader.before"),
            (self.header.after, "reader.after"),
            (self.header.find_button, "reader.find"),
            (self.citations.before, "reader.citation-before"),
            (self.citations.after, "reader.citation-after"),
        ):
            session.commands.describe(button, command)
        for button, end, step in ((self.citations.before, "before", -1), (self.citations.after, "after", 1)):
            button.setAccessibleName(session.commands[f"reader.citation-{end}"].name)
            button.clicked.connect(partial(self.citations.step, step))

    def state(self) -> None:
        """Tell of the marked words that they say a fact."""
        start, words = self.marked_words()
        if self._opened is not None:
            spaces = len(words) - len(words.lstrip())
            self.fact_wanted.emit(self._opened.document.id, words.strip(), start + spaces)

    def report_missed(self) -> None:
        """Tell of the marked words that they should have been found."""
        start, words = self.marked_words()
        if self._opened is not None:
            mark = MissMark(document=self._opened.document.id, start=start, end=start + len(words))
            self._session.miss_wanted.emit(mark)

    def marked_words(self) -> tuple[int, str]:
        """In the text, else on the page."""
        if not self.text.isHidden():
            start, words = self.text.marked_words()
            if words or self.side.isHidden():
                return start, words
        return self.side.view.marked_words()

    def _open_page_menu(self, point: QPoint) -> None:
        menu = QMenu(self)
        copy = menu.addAction(theme.icon("copy"), tr("Copy"), self.side.pages.copy)
        copy.setEnabled(bool(self.marked_words()[1]))
        self._offer(menu, point)

    def _open_menu(self, point: QPoint) -> None:
        """What every text offers, and what can be done with words that were marked."""
        self._offer(self.text.createStandardContextMenu(point), self.text.mapToGlobal(point))

    def _offer(self, menu: QMenu, point: QPoint) -> None:
        commands = self._session.commands
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        ids = [id for id in ("reader.state", "reader.missed", "miss.mark") if id in commands]
        menu.addActions([commands.action(id) for id in ids])
        commands.explain_in(menu, ids)
        menu.popup(point)

    def _more_button(self, words: str, icon: str, before: bool) -> QPushButton:
        button = QPushButton(theme.icon(icon, "accent"), words, self.text)
        button.clicked.connect(lambda: self.show_more(before))
        button.hide()
        return button

    # ------------------------------------------------------------ what is open

    @property
    def opened(self) -> OpenDocument | None:
        """Return the document on screen."""
        return self._opened

    def clear(self) -> None:
        """Show that nothing is open."""
        self._opened, self._marks, self._matches, self._match = None, (), [], -1
        self._tasks.drop("reader")
        self.news.follow(None)
        self.text.clear_window()
        self.side.end()
        self._refused = ""
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
        opened, sentence = self._opened, self._best_sentence(selected)

        def work(context: TaskContext) -> tuple[OpenDocument, tuple[Mark, ...]]:
            marks = marks_of(workspace, selected, sentence)
            document_id = selected.document_id
            if selected.kind == "document":
                document_id = selected.id
            elif not document_id:
                document_id = workspace.passages.get(selected.id).document_id
            context.check()
            if opened is not None and opened.document == workspace.documents.get(document_id):
                return opened, marks
            return read_document(workspace, document_id, context), marks

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
        self._fresh = self._fresh or self._opened is not opened
        self._opened, self._marks = opened, marks
        if other:
            self._matches, self._match, self._refused = [], -1, ""
            self.side.clear()
        self.header.show_document(opened.document)
        self.news.follow(opened.document)
        self._stack.setCurrentIndex(1)
        self._place = start
        self._arrange(start, end)
        if other and self.find_bar.isVisible():
            self._find(self.find_bar.field.text())

    def _go_to(self, place: int, end: int = 0) -> None:
        """Bring a place on screen, loading the text around it when it is far."""
        if self._opened is None:
            return
        if not self.text.isHidden():
            if self._fresh or not self.text.text_window.holds(place, max(end, place)):
                self.text.show_window(self._opened, window_around(self._opened, place, end), place)
                self._fresh = False
                self._draw_marks()
            self.text.reveal(place)
        if not self.side.isHidden():
            self.side.view.reveal(place)
        self._on_scrolled(place)

    def _draw_marks(self) -> None:
        marks = list(self._marks)
        if self._matches:
            near = self._matches[max(self._match - 200, 0) : self._match + 200]
            marks += [Mark(start, end, "found") for start, end in near]
            marks.append(Mark(*self._matches[self._match], "found-here"))
        if not self.side.isHidden():
            self.side.set_marks(tuple(marks), self._entity)
        if self._opened is not None and self._entity and not self.text.isHidden():
            span = self.text.text_window
            marks[len(self._marks) : len(self._marks)] = [
                Mark(mention.start, mention.end, "entity")
                for mention in self._opened.mentions_in(span.start, span.end)
                if mention.entity_id == self._entity
            ]
        self.text.set_marks(tuple(marks))

    # ------------------------------------------------------------ text, or as it looks

    def show_as(self, mode: ViewMode) -> None:
        """Set how documents are shown from now on, as far as they can be."""
        self._wanted, self._refused = mode, ""
        if self._opened is not None:
            self._arrange(self._place)

    def _choose_look(self, mode: ViewMode) -> None:
        self.show_as(mode)
        self.look_chosen.emit(mode)

    def turn_look(self) -> None:
        """Between the text and what can be seen in its place."""
        self._choose_look("look" if self._mode == "text" else "text")
        self._view.setFocus()

    @property
    def _view(self) -> QWidget:
        """Return what is read: the text, where it is seen."""
        return self.side.view if self.text.isHidden() else self.text

    @property
    def _mode(self) -> ViewMode:
        """As what the open document is shown."""
        look = self._opened.look if self._opened is not None else ""
        if not look or self._refused or self._wanted == "text":
            return "text"
        return "both" if self._wanted == "both" and look in ADJACENT and self._wide else "look"

    @property
    def _wide(self) -> bool:
        return self.width() >= theme.px(WIDE)

    def _arrange(self, place: int, end: int = 0) -> None:
        """Show the document as it is wanted, at a place."""
        opened, mode = self._opened, self._mode
        if opened is None:
            return
        focused = QApplication.focusWidget()
        reads = focused is not None and self.split.isAncestorOf(focused)
        has_side = opened.look in ADJACENT and mode != "text"
        self.header.switch.show_look(opened.look, mode, self._wide)
        self.header.set_typed(has_side and opened.look == "page")
        self.refusal.setText(self._refused)
        self.refusal.setVisible(bool(self._refused))
        self.text.set_look(opened.look if mode == "look" and not has_side else "")
        self.text.setVisible(not has_side or mode == "both")
        self.side.setVisible(has_side)
        if has_side:
            self.side.show_document(opened)
        if reads and focused is not None and not focused.isVisible():
            self._view.setFocus()  # what one read is hidden now, and its keys go on
        self._draw_marks()
        self._go_to(place, end)
        self._again.start()

    def _on_refused(self, error: CoreError) -> None:
        """The file is gone, or another one by now: its text is there."""
        self._refused = str(error)
        self.side.clear()
        self._arrange(self._place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._opened is not None and self.header.switch.was_wide != self._wide:
            self._arrange(self._place)

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

    def go_to_page(self, number: int) -> None:
        """Go to a page by its number; the nearest one where there is none."""
        if self._opened is not None and self._opened.pages:
            count = max(self._opened.pages[-1].number, self.side.pages.count)
            number = min(max(number, 1), count)
            page = self._opened.page(number)
            self._go_to_page(page.start if page is not None else self._place, number)

    def _go_to_page(self, start: int, number: int) -> None:
        if self._opened is None:
            return
        if not self.text.isHidden():
            if not self.text.text_window.holds(start, start + 1):
                self.text.show_window(self._opened, window_around(self._opened, start, start), start)
                self._draw_marks()
            self.text.reveal(start, 0.0, above=True)
        if not self.side.isHidden():
            self.side.pages.show_page(number)
        self._place = start  # a short last page cannot be scrolled to the top
        self.header.show_page(number, len(self._opened.pages))

    def _on_text_scrolled(self, place: int) -> None:
        if not self.text.isHidden():
            self._on_scrolled(place)

    def _on_page_changed(self, number: int) -> None:
        """Where the text stands beside it, that tells the place."""
        if self._opened is None or not self.text.isHidden():
            return
        page = self._opened.page(number)
        if page is not None and not page.start <= self._place < page.end:
            self._place = page.start
        self.header.show_page(number, max(len(self._opened.pages), self.side.pages.count))

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
        span, top = self.text.text_window, self.text.place_at_top()
        if before:
            start = max(span.start - REACH, 0)
            end = min(span.end, start + LIMIT)
        else:
            end = min(span.end + REACH, len(self._opened.text))
            start = max(span.start, end - LIMIT)
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
        span, bar = self.text.text_window, self.text.verticalScrollBar()
        middle = self.text.width() // 2
        for button, wanted, top in (
            (self.earlier, span.start > 0 and bar.value() <= bar.minimum() + 8, theme.WITHIN),
            (self.later, span.end < len(self._opened.text) and bar.value() >= bar.maximum() - 8, -1),
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
            top = self._place if self.text.isHidden() else self.text.place_at_top()
            self._match = next((at for at, (start, _) in enumerate(matches) if start >= top), 0) - 1
            self.step_match(1)
        else:
            self.find_bar.show_place(0, 0)
            self._draw_marks()

    def step_match(self, step: int) -> None:
        """Go to the next place that was found (+1) or the one before (-1)."""
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
        self._view.setFocus()

    # ------------------------------------------------------------ the file itself

    def open_original(self) -> None:
        """Hand the file to the program that the system has for it; only ever at a person's press."""
        if self._opened is not None:
            opening.open_original(self._session, self._opened.document)


def marks_of(workspace: Workspace, selected: Selected, sentence: tuple[int, int] | None) -> tuple[Mark, ...]:
    """Return the marks of a selection: the passage first, the place that was asked for last."""
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
