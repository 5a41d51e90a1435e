"""What one stage recorded, laid open: its sentence, the question's words, its tables."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.answers.wording import duration
from app.explain.details import counted_words, sections_of, signals_section
from app.explain.stages import stage_words
from app.explain.tables import Labels, Section, SectionTables, SectionView
from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.buttons import tool_button
from app.widgets.labels import PlainLabel
from app.widgets.layout import TOP, clear, column, row
from app.widgets.table import RECORD_ROLE
from core.text.escape_controls import escape_controls
from core.types import Stage
from core.types.stages import QuestionRead, Reordered, SecondStageOrder, Word

# Universal parts of speech (universaldependencies.org/u/pos).
PARTS = {
    "ADJ": tr("adjective"), "ADP": tr("preposition"), "ADV": tr("adverb"), "AUX": tr("auxiliary"),
    "CCONJ": tr("conjunction"), "DET": tr("determiner"), "INTJ": tr("interjection"), "NOUN": tr("noun"),
    "NUM": tr("number"), "PART": tr("particle"), "PRON": tr("pronoun"), "PROPN": tr("name"),
    "PUNCT": tr("punctuation"), "SCONJ": tr("conjunction"), "SYM": tr("sign"), "VERB": tr("verb"),
}  # fmt: skip
_MOST = 120  # words that are drawn


class StageDetail(SectionTables):
    """Hidden until a stage is shown; Escape goes back to the list of stages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stage: Stage | None = None
        self._labels: Labels = {}
        self._filter = ""
        self.title = PlainLabel(wrap=True, selectable=True, bold=True)
        self.notes = PlainLabel(kind="muted", wrap=True, selectable=True)
        self.close_button = tool_button("x", tr("Close the stage (Esc)"), self.closed, side=24)
        self._parts = column(spacing=theme.GROUPS)
        self.head = QWidget()
        top = row((self.title, 1), (self.close_button, TOP))
        column(top, self.notes, spacing=theme.GRID, on=self.head)
        column(self.head, self._parts, spacing=theme.WITHIN, on=self)
        # Inside a row of the list: a press here is none on the row.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.hide()

    def show_stage(self, stage: Stage, labels: Labels) -> None:
        """Replace what is shown; `labels` may fill later, then `renew`."""
        self.leave()
        self.stage, self._labels = stage, labels
        name = stage_words(stage.name)
        self.title.setText(tr("{stage}  \u00b7  {time}", stage=name, time=duration(stage.seconds)))
        self.setAccessibleName(tr("Stage: {stage}", stage=name))
        notes = (" ".join(stage.detail.split()), counted_words(stage.data))
        self.notes.setText("  \u00b7  ".join(filter(None, notes)))
        self.notes.setVisible(any(notes))
        if stage.data is None:
            self._parts.addWidget(
                PlainLabel(tr("This stage recorded nothing more."), "muted", self, wrap=True)
            )
        else:
            if isinstance(stage.data, QuestionRead):
                self._parts.addWidget(TokenLine(stage.data.words, self))
            for section in sections_of(stage.data, labels):
                self._add(section)
        self.show()

    def renew(self) -> None:
        """Call the passages by their names, now that these are known."""
        for section in self.sections:
            section.renew()

    def set_filter(self, words: str) -> None:
        self._filter = words
        super().set_filter(words)

    def leave(self) -> None:
        """Nothing is open any more."""
        self.stage, self.sections = None, []
        clear(self._parts)
        self.hide()

    def _add(self, section: Section) -> None:
        view = SectionView(section, f"stageTable{len(self.sections)}", self)
        view.table.set_filter(self._filter)
        view.table.chosen.connect(self.chosen)
        if not self.sections:
            view.table.selectionModel().currentRowChanged.connect(self._show_signals)
        self.sections.append(view)
        self._parts.addWidget(view)

    def _show_signals(self, index: QModelIndex) -> None:
        """Of the candidate of the second stage on which the keyboard is."""
        data = self.stage.data if self.stage is not None else None
        record = index.data(RECORD_ROLE)
        if isinstance(data, SecondStageOrder) and isinstance(record, Reordered) and record.values:
            section = signals_section(data, record, self._labels)
            if len(self.sections) == 1:
                self._add(section)
            else:
                self.sections[1].show_section(section)


def part_words(pos: str) -> str:
    """`noun`; letters that are unknown stay."""
    return PARTS.get(pos, pos.casefold())


class TokenLine(QWidget):
    """Wraps like words; a name stands on the colour of what is selected, and says so in its tooltip."""

    def __init__(self, words: tuple[Word, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = words[:_MOST]
        descriptions = (self.described(word) for word in self._words)
        self.setAccessibleName(tr("The words of the question"))
        self.setAccessibleDescription(tr("; ").join(descriptions))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.follow(self, self.updateGeometry)

    @staticmethod
    def described(word: Word) -> str:
        """`arrested: arrest, verb`."""
        text, lemma, part = escape_controls(word.text), escape_controls(word.lemma), part_words(word.pos)
        if word.named:
            return tr("{word}: {lemma}, {part}, part of a name", word=text, lemma=lemma, part=part)
        return tr("{word}: {lemma}, {part}", word=text, lemma=lemma, part=part)

    def boxes(self, width: int) -> Iterator[tuple[Word, QRect]]:
        """Yield each word with its place in a line so wide."""
        body, small = QFontMetrics(_heavy()), QFontMetrics(theme.font(theme.SMALL))
        high, left, top = self._row(), 0, 0
        for word in self._words:
            texts = (
                body.horizontalAdvance(escape_controls(word.text)),
                small.horizontalAdvance(escape_controls(word.lemma)),
            )
            wide = min(max(*texts, small.horizontalAdvance(part_words(word.pos))) + 2 * theme.WITHIN, width)
            if left and left + wide > width:
                left, top = 0, top + high + theme.GRID
            yield word, QRect(left, top, wide, high)
            left += wide + theme.GRID

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return max((box.bottom() + 1 for _, box in self.boxes(max(width, 1))), default=0)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self._row())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setFixedHeight(self.heightForWidth(self.width()))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            at = event.pos()
            word = next((word for word, box in self.boxes(self.width()) if box.contains(at)), None)
            QToolTip.showText(event.globalPos(), tooltip(self.described(word)) if word else "", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, row = smooth(self), theme.px(18)
        centre = Qt.AlignmentFlag.AlignHCenter
        for word, box in self.boxes(self.width()):
            rounded(
                painter, box, "accent" if word.named else "border", "accent_soft" if word.named else "surface"
            )
            inside = QRectF(box).adjusted(2, 3, -2, 0)
            for at, (text, role, size) in enumerate(
                (
                    (escape_controls(word.text), "text", theme.BODY),
                    (escape_controls(word.lemma), "muted", theme.SMALL),
                    (part_words(word.pos), "muted", theme.SMALL),
                )
            ):
                line = QRectF(inside.left(), inside.top() + at * row, inside.width(), row)
                weight = QFont.Weight.DemiBold if at == 0 else QFont.Weight.Normal
                paint_text(painter, line, text, role, size, weight, centre)

    def _row(self) -> int:
        return theme.px(3 * 18) + 6


def _heavy() -> QFont:
    return theme.font(theme.BODY, QFont.Weight.DemiBold)
