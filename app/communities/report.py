"""What a community is about: statements with their places, entities, facts, dates and documents."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget
from superqt.utils import qdebounced

from app.answers.answer_text import AnswerText
from app.answers.claims import AnswerSentence, by_words, sentence_as_text
from app.answers.communities_model import name_of, size_words
from app.answers.wording import citation_line
from app.communities.rows import RowWords, Section
from app.look import theme
from app.look.painting import smooth
from app.look.translation import tr, trn
from app.widgets.buttons import push_button, tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import LEFT, STRETCH, TOP, PanelScroll, column, row
from app.widgets.legend import paint_mark
from core.errors import CoreError
from core.types import Citation, Community, CommunityReport, kind_words

PATIENCE = 200  # milliseconds before the wait for a report is told
RULES = "rules"
# The engine begins with it the titles of communities that only lists of references name.
_REFERENCES = "References"  # not shown
_ONLY_CITED = tr("No statements: only lists of references name its entities")
_NO_SENTENCES = tr("No statements: no sentence of the documents tells of its entities")
Rows = list[tuple[RowWords, Callable[[], object]]]


class _Mark(QWidget):
    """The community's coloured mark."""

    def __init__(self) -> None:
        super().__init__()
        self.colour = -1
        self.setFixedSize(QSize(16, 24))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_mark(smooth(self), QPointF(7, 12), 6, self.colour)


class CommunityReportView(QFrame):
    """The report of one community. Signals say what the person wants to see."""

    entity_wanted = Signal(str)  # entity id
    place_wanted = Signal(object)  # Citation
    document_wanted = Signal(str)  # document id
    again_wanted = Signal()  # a report that could not be read
    closed = Signal()
    changed = Signal(object)  # the CommunityReport that is shown now, or None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.report: CommunityReport | None = None
        self._citations: tuple[Citation, ...] = ()
        self._dates = ("", "")  # to which the time line keeps
        self._writers: tuple[QWidget, ...] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(tr("Report of the community"))
        self.mark, self.title = _Mark(), PlainLabel(wrap=True, bold=True)
        self.size_line, self.origin = PlainLabel(kind="small", wrap=True), PlainLabel(kind="small", wrap=True)
        self.trouble = PlainLabel(kind="muted", wrap=True)
        self.copy = tool_button("copy", tr("Copy the report with its sources"), self.copy_report, side=24)
        self.close_ = tool_button("x", tr("Close the report"), self.closed, side=24)
        self.again = push_button(tr("Try again"), self.again_wanted)
        self.statements = AnswerText()
        self.entities = Section(tr("Key entities"))
        self.facts = Section(tr("Key facts"), wraps=True)
        self.timeline = Section(tr("Time line"), wraps=True, timeline=True)
        self.documents = Section(tr("Documents"))
        self.sections = (self.entities, self.facts, self.timeline, self.documents)
        self._wait = qdebounced(self._show_loading, PATIENCE, parent=self)
        self._lay_out()
        self.statements.setAccessibleName(tr("Statements"))
        self.statements.mark_chosen.connect(self._on_mark)
        for section in self.sections:
            section.grown.connect(self._order_tabs)
        self.clear()

    def add_writer(self, writer: QWidget, *focused: QWidget) -> None:
        """Put what offers to write the report below the line that tells who wrote it; `focused`: its parts."""
        self._upper.insertWidget(self._upper.indexOf(self.origin) + 1, writer)
        self._writers = focused
        self._order_tabs()

    def _lay_out(self) -> None:
        self._upper = column(
            *(self._top(), self.size_line, self.origin, self.trouble, (self.again, LEFT)),
            *(theme.WITHIN, self.statements),
            spacing=theme.GRID,
            margins=(
                theme.WITHIN,
                0,
                0,
                0,
            ),  # rows keep 8 free for their frame: words stand under the title's
        )
        self._area = PanelScroll(
            self._upper, *self.sections, STRETCH, spacing=theme.GROUPS, left=theme.WITHIN
        )
        for ground in (self._area.viewport(), self._area.content):
            ground.setAutoFillBackground(False)
        column(self._area, on=self)

    def _top(self) -> QHBoxLayout:
        """Mark, title, and the buttons at its right."""
        self.title.setContentsMargins(0, 4, 0, 0)  # its first line stands level with the buttons
        top = row((self.mark, TOP), spacing=theme.GRID)
        top.addWidget(self.title, 1, TOP)
        top.addWidget(self.copy, 0, TOP)
        top.addWidget(self.close_, 0, TOP)
        keys = QAction(tr("Copy"), self)
        keys.setShortcut(QKeySequence.StandardKey.Copy)
        keys.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        keys.triggered.connect(self.copy_report)
        self.addAction(keys)
        return top

    # ------------------------------------------------------------ content

    def clear(self) -> None:
        """No community."""
        self._wait.cancel()
        self.title.setText("")
        self._empty()

    def begin(self, community: Community, inside: int) -> None:
        """Head the report with what is known already; its content is on the way."""
        self._empty()
        self.head(community, inside)
        self._area.verticalScrollBar().setValue(0)
        self._wait()

    def head(self, community: Community, inside: int) -> None:
        """Mark, name and size, as they are now. inside: communities right below it."""
        self.mark.colour = community.colour
        self.mark.update()
        if self.report is None:
            self.title.setText(name_of(community))
        self.size_line.setText(size_words(community, inside))

    def show_failed(self, error: CoreError) -> None:
        """Show why the report cannot be read, and what to do."""
        self._wait.cancel()
        self._empty()
        self._show_trouble(f"{error.message} {error.remedy}".strip(), retry=True)

    def show_report(self, report: CommunityReport) -> None:
        """Show what a community is about, in place of what was shown."""
        self._wait.cancel()
        if report == self.report:
            return  # read again, and nothing changed: the person's place in it stays
        self.report = report
        numbered = Numbered(report)
        self._citations = numbered.citations
        self.title.setText(" ".join(report.title.split()) or self.title.text())
        self.origin.setText(origin_words(report))
        theme.set_kind(self.origin, "warn" if report.stale else "small")
        self.origin.show()
        self.trouble.hide()
        self.again.hide()
        self.copy.setEnabled(True)
        self.statements.show_sentences(numbered.sentences, numbered.citations)
        self.statements.setVisible(bool(numbered.sentences))
        self.entities.set_rows(self._entity_rows(report))
        self.facts.set_rows(self._fact_rows(report, numbered))
        self.timeline.set_rows(self._dated_rows(report, numbered))
        self.documents.set_rows(self._document_rows(report))
        if not (numbered.sentences or any(section.rows for section in self.sections)):
            self._show_trouble(
                tr("Nothing is told of this community yet. Its entities are lit on the graph."), False
            )
        self._order_tabs()
        self.changed.emit(report)

    def keep_to(self, dates: tuple[str, str]) -> None:
        """Show of the time line what lies in a range of ISO 8601, ("", "") for all."""
        if dates != self._dates:
            self._dates = dates
            if self.report is not None:
                self.timeline.set_rows(self._dated_rows(self.report, Numbered(self.report)))
                self._order_tabs()

    def _entity_rows(self, report: CommunityReport) -> Rows:
        most = max((entity.share for entity in report.entities), default=0.0) or 1.0
        return [
            (
                RowWords(
                    " ".join(entity.name.split()),
                    kind=kind_words(entity.label),
                    share=max(entity.share / most, 0.0),
                    tip=tr(
                        "{share} of the community's centrality. Selects it everywhere",
                        share=f"{entity.share:.0%}",
                    ),
                ),
                partial(self.entity_wanted.emit, entity.entity_id),
            )
            for entity in report.entities
        ]

    def _fact_rows(self, report: CommunityReport, numbered: Numbered) -> Rows:
        return [self._cited(fact.words, fact.citation, numbered) for fact in report.facts]

    def _dated_rows(self, report: CommunityReport, numbered: Numbered) -> Rows:
        ordered = sorted(report.timeline, key=lambda row: row.date)
        ordered = [row for row in ordered if meets(row.date, *self._dates)]
        return [self._cited(row.words, row.citation, numbered, row.date) for row in ordered]

    def _cited(
        self, words: str, citation: Citation, numbered: Numbered, date: str = ""
    ) -> tuple[RowWords, Callable[[], object]]:
        number = numbered.number(citation)
        quote = " ".join(citation.quote.split())
        tip = f"{citation_line(number, citation)}\n\u201c{quote}\u201d" if quote else tr("Opens the place")
        row = RowWords(" ".join(words.split()), date=date, number=number, tip=tip)
        return row, partial(self.place_wanted.emit, citation)

    def _document_rows(self, report: CommunityReport) -> Rows:
        return [
            (
                RowWords(
                    " ".join(row.title.split()) or tr("Untitled"),
                    right=trn("{count} passage", "{count} passages", row.passages),
                    tip=tr("Opens the document"),
                ),
                partial(self.document_wanted.emit, row.document_id),
            )
            for row in report.documents
        ]

    def copy_report(self) -> None:
        """The report as plain text, with its sources; where text is marked, that."""
        if self.statements.textCursor().hasSelection():
            self.statements.copy()
        elif self.report is not None:
            QGuiApplication.clipboard().setText(report_as_text(self.report))

    # ------------------------------------------------------------ parts

    def _empty(self) -> None:
        self.report, self._citations = None, ()
        self.statements.show_sentences((), ())
        for section in self.sections:
            section.empty()
        for part in (self.statements, self.origin, self.trouble, self.again):
            part.hide()
        self.copy.setEnabled(False)
        self.changed.emit(None)

    def _show_loading(self) -> None:
        self._show_trouble(tr("Reading the report..."), retry=False)

    def _show_trouble(self, words: str, retry: bool) -> None:
        self.trouble.setText(words)
        self.trouble.show()
        self.again.setVisible(retry)

    def _on_mark(self, number: int) -> None:
        if 1 <= number <= len(self._citations):
            self.statements.set_current(number)
            self.place_wanted.emit(self._citations[number - 1])

    def _order_tabs(self) -> None:
        rows = [widget for section in self.sections for widget in section.focus_order()]
        upper = (self.copy, self.close_, *self._writers, self.again, self.statements)
        for one, next_ in pairwise((*upper, *rows)):
            QWidget.setTabOrder(one, next_)


class Numbered:
    """The places that a report rests on, each numbered once in the order of reading, from 1."""

    def __init__(self, report: CommunityReport) -> None:
        self._numbers: dict[Citation, int] = {}
        self.sentences = tuple(
            AnswerSentence(
                " ".join(claim.text.split()), tuple(dict.fromkeys(self.number(at) for at in claim.citations))
            )
            for claim in report.statements
        )
        for fact in report.facts:
            self.number(fact.citation)
        for dated in sorted(report.timeline, key=lambda row: row.date):
            self.number(dated.citation)

    def number(self, citation: Citation) -> int:
        """Return the number of a place; a new one is given the next."""
        return self._numbers.setdefault(citation, len(self._numbers) + 1)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """In the order of their numbers."""
        return tuple(self._numbers)


def origin_words(report: CommunityReport) -> str:
    """Return who wrote the statements, or that they are older than the graph, or why there are none."""
    if report.stale:
        return tr("Out of date: this community changed after the report was written")
    if report.entities and not (report.statements or report.facts or report.timeline):
        cited = report.title.startswith(_REFERENCES)
        return _ONLY_CITED if cited else _NO_SENTENCES
    if report.written_by == RULES:
        return tr("Quoted from the documents by rules")
    by = by_words(report.written_by)
    return tr("Written {by} from the places that each statement cites", by=by)


def report_as_text(report: CommunityReport) -> str:
    """Return the whole report with its marks and sources: what is copied to the clipboard."""
    numbered = Numbered(report)
    lines = [report.title, origin_words(report), ""]
    lines += map(sentence_as_text, numbered.sentences)
    if report.entities:
        lines += ["", tr("Key entities"), *(f"- {entity.name}" for entity in report.entities)]
    if report.facts:
        lines += ["", tr("Key facts")]
        lines += [f"- {fact.words} [{numbered.number(fact.citation)}]" for fact in report.facts]
    if report.timeline:
        lines += ["", tr("Time line")]
        lines += [f"- {row.date}: {row.words} [{numbered.number(row.citation)}]" for row in report.timeline]
    if numbered.citations:
        lines += ["", tr("Sources")]
        lines += [citation_line(number, place) for number, place in enumerate(numbered.citations, 1)]
    return "\n".join(lines)


def meets(date: str, since: str, until: str) -> bool:
    """Whether a date lies in a range, each a year, a month or a day in ISO 8601, and an open end "": as far as both are
    known."""
    after = not since or date[: len(since)] >= since[: len(date)]
    return after and (not until or date[: len(until)] <= until[: len(date)])
