"""Rows below an answer that lead to places: its sources, other values and readings, and the nearest passages."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.answers.answer_text import citation_tip
from app.answers.claims import marked_quote
from app.answers.evidence_rows import excerpt
from app.answers.text_objects import MarkedLabel, mark_width, paint_mark
from app.answers.wording import citation_place, place_words, placed, probability_words, values_line
from app.look import theme
from app.look.painting import paint_text, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.buttons import RowButton, fold_button, push_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import Icon, PlainLabel
from app.widgets.layout import LEFT, TOP, column, drop, row
from core.text.escape_controls import escape_controls
from core.types import Alternative, Answer, AnswerStep, Citation, Evidence

FIRST = 3  # passages below an answer that is only possible, beside those that it cites


class SourceButton(RowButton):
    """One line of the sources: number, title, page."""

    HEIGHT = 28

    def __init__(self, number: int, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number, self.citation = number, citation
        self._place, self._title = citation_place(citation), citation.title or citation.document
        self.setObjectName(f"source{number}")
        words = tr(
            "Source {number}: {title} {place}", number=str(number), title=self._title, place=self._place
        )
        self.setAccessibleName(words.strip())
        set_tip(self, citation_tip(citation))

    def sizeHint(self) -> QSize:
        return QSize(200, theme.px(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, wide = smooth(self), mark_width(self.number)
        mark = QRectF(theme.GRID, self.height() / 2 - theme.px(8), wide, theme.px(16))
        paint_mark(painter, mark, self.number, self._lit or self.current)
        room = QRectF(self.rect()).adjusted(theme.GRID + wide + theme.WITHIN, 0, -theme.WITHIN, 0)
        right = Qt.AlignmentFlag.AlignRight
        taken = paint_text(painter, room, self._place, "muted", theme.SMALL, place=right)
        room.setRight(room.right() - taken - (theme.WITHIN if taken else 0))
        paint_text(painter, room, escape_controls(" ".join(self._title.split())))


class PlaceRow(RowButton):
    """Words of a document, some of them marked, above the line that says where they stand."""

    def __init__(
        self, words: tuple[str, int, int], place: str, aside: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(tr("; ").join(filter(None, (words[0], aside, place))))
        self.words, self.place = MarkedLabel(), ElidedLabel(place, "small")
        self.aside = PlainLabel(aside, "small")
        self.words.set_marked(*words, bold=False)
        below = row((self.place, 1), self.aside)
        column(self.words, below, spacing=2, margins=(theme.WITHIN, theme.GRID), on=self)
        self.pass_the_mouse()


class AlternativeRows(QWidget):
    """Other answers, a row each. Signals: citation_chosen(Citation), citation_pointed(Citation or None)."""

    citation_chosen = Signal(object)
    citation_pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[PlaceRow] = []
        self._column = column(spacing=0, on=self)

    def show_alternatives(self, alternatives: tuple[Alternative, ...]) -> None:
        """Replace the rows."""
        drop(self._column, self.rows)
        self.rows = [self._row(other) for other in alternatives]
        for each in self.rows:
            self._column.addWidget(each)

    def _row(self, other: Alternative) -> PlaceRow:
        text = " ".join(other.text.split())
        citation = other.citation
        place = placed(citation.title or citation.document, citation_place(citation))
        aside = probability_words(other.probability) if other.holds else tr("At another time")
        found = PlaceRow((text, 0, 0), place, aside, self)
        set_tip(found, citation_tip(citation))
        found.clicked.connect(lambda: self.citation_chosen.emit(citation))
        found.pointed.connect(lambda lit: self.citation_pointed.emit(citation if lit else None))
        return found


class OtherReadings(QWidget):
    """`Other readings (3)`, which opens the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = AlternativeRows()
        self.fold = fold_button(tr("Other readings"), self.list)
        self.fold.setProperty("kind", "fold")
        column((self.fold, LEFT), self.list, spacing=theme.GRID, on=self)

    def show_alternatives(self, alternatives: tuple[Alternative, ...]) -> None:
        """Replace the list, folded; without any nothing is seen."""
        self.list.show_alternatives(alternatives)
        self.fold.setText(tr(" Other readings ({count})", count=len(alternatives)))
        self.fold.setChecked(False)
        self.setVisible(bool(alternatives))


class StepRows(QWidget):
    """What was asked for first, each step with its place and a way to go on from it by hand.

    Signals: citation_chosen(Citation), citation_pointed(Citation or None), edit_wanted(question).
    """

    citation_chosen = Signal(object)
    citation_pointed = Signal(object)
    edit_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[PlaceRow] = []
        self.edits: list[QPushButton] = []
        self._column = column(spacing=0, on=self)

    def show_steps(self, steps: tuple[AnswerStep, ...]) -> None:
        """Replace the rows; without any nothing is seen."""
        drop(self._column, self.rows)
        drop(self._column, self.edits)
        self.rows, self.edits = [], []
        for step in steps:
            row = self._row(step)
            edit = push_button(
                tr("Edit this step") if step.sure else tr("Go on with {answer}", answer=step.text),
                lambda *_, question=step.following: self.edit_wanted.emit(question),
                kind="link",
                tip=tr("Puts the question with this in it into the box: {question}", question=step.following),
            )
            for each in (row, edit):
                self._column.addWidget(each)
            self.rows.append(row)
            self.edits.append(edit)
        self.setVisible(bool(steps))

    def _row(self, step: AnswerStep) -> PlaceRow:
        citation = step.citation
        place = placed(citation.title or citation.document, citation_place(citation)) if citation else ""
        before = f"{step.question} "
        words = (f"{before}{step.text}", len(before), len(before) + len(step.text))
        aside = "" if step.sure else probability_words(step.confidence)
        found = PlaceRow(words, place, aside, self)
        if citation is not None:
            set_tip(found, citation_tip(citation))
            found.clicked.connect(lambda: self.citation_chosen.emit(citation))
            found.pointed.connect(lambda lit: self.citation_pointed.emit(citation if lit else None))
        return found


class ConflictRows(QWidget):
    """Which values other documents give in place of the answer's, with their places."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = PlainLabel(wrap=True, selectable=True, bold=True)
        self.list = AlternativeRows()
        head = row((Icon("warning-circle", "warn", 16), TOP), (self.words, 1), spacing=theme.GRID)
        column(head, self.list, spacing=theme.GRID, on=self)

    def show_answer(self, answer: Answer) -> None:
        """Replace what is shown; where no document disagrees nothing is seen."""
        self.words.setText(values_line(answer))
        self.list.show_alternatives(answer.conflicts)
        self.setVisible(bool(answer.conflicts))


class NearestPassages(QWidget):
    """The best sentences of the passages below an answer that is only possible.

    Signal: passage_chosen(passage id, document id).
    """

    passage_chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[PlaceRow] = []
        self.heading = PlainLabel(tr("The passages that come nearest"), "caps")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._column = column(self.heading, spacing=theme.GRID, margins=(0, 0, 0, theme.WITHIN), on=self)

    def show_answer(self, answer: Answer) -> None:
        """Show the first passages and those that the answer cites, its words marked."""
        drop(self._column, self.rows)
        numbered = reversed(list(enumerate(answer.citations, 1)))
        cited: dict[str, tuple[int, Citation]] = {each.passage_id: (at, each) for at, each in numbered}
        ranked = sorted(answer.evidence, key=lambda each: each.hit.rank)
        selected = [each for at, each in enumerate(ranked) if at < FIRST or each.passage.id in cited]
        self.rows = [self._row(each, cited.get(each.passage.id)) for each in selected]
        for each in self.rows:
            self._column.addWidget(each)

    def _row(self, evidence: Evidence, cited: tuple[int, Citation] | None) -> PlaceRow:
        passage = evidence.passage
        aside = tr("cited as {number}", number=str(cited[0])) if cited is not None else ""
        near = excerpt(evidence, 76)
        words = marked_quote(cited[1]) if cited is not None else (near.text, 0, 0)
        place = placed(passage.title or evidence.document, place_words(passage.page))
        found = PlaceRow(words, place, aside, self)
        set_tip(found, f"{place}\n{evidence.document}\n{tr('Opens the passage')}")
        found.clicked.connect(lambda: self.passage_chosen.emit(passage.id, passage.document_id))
        return found
