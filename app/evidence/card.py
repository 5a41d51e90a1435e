"""One ranked passage: rank, title, place, score, the text around its best sentence, and why it is here."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from app.answers.ask_communities import CommunityChip
from app.answers.evidence_rows import EvidenceRow, excerpt, full_excerpt
from app.answers.text_objects import MarkedLabel, StepButton, mark_width, paint_mark
from app.answers.wording import place_words
from app.evidence.support import SupportRow
from app.look import theme
from app.look.counting import listed
from app.look.painting import paint_share, paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.accessible import Role, Spoken, speak
from app.widgets.buttons import RowButton, explain, push_button, tool_button
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row

PAD = 12
_PLAIN = (
    Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
)  # Ctrl+Y says nothing of an answer
CHIP = 320  # pixels of a community's title at most


class EvidenceCard(RowButton):
    """Shows the text around the best sentence; the caret, or Right and Left, open and close the rest; W tells why it is
    not higher; Y and N say whether it supports the answer.

    Signals, beside those of its kind: moved(+1 or -1) by the arrows; community_chosen(id) of one whose report told
    the passage.
    """

    moved = Signal(int)
    community_chosen = Signal(int)
    explained = Signal()  # it is to be said why it is not higher
    ask_wanted = Signal()

    def __init__(self, row: EvidenceRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = row
        self._opened = False
        passage, hit = row.evidence.passage, row.evidence.hit
        place = place_words(passage.page)
        self.setObjectName(f"evidence{hit.rank}")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        speak(self, Spoken(Role.ListItem))
        name = tr("Passage {rank}: {title} {place}", rank=hit.rank, title=passage.title, place=place)
        self.setAccessibleName(name.strip())
        score = f"{hit.score:.4f}"
        self.setAccessibleDescription(tr("Score {score}; {reason}", score=score, reason=_spoken(row)))
        self.rank = PlainLabel(str(hit.rank), "muted", tip=tr("Rank {rank}", rank=hit.rank))
        self.title = ElidedLabel(passage.title or row.evidence.document, end=True)
        theme.wear(self.title, weight=QFont.Weight.DemiBold)
        self.path, self.place = ElidedLabel(row.evidence.document, "small"), PlainLabel(place, "small")
        self.score = ScoreBar(row)
        self.words = MarkedLabel()
        self.chips = [CommunityChip(community, widest=CHIP) for community in row.communities]
        self.reason = ElidedLabel("" if self.chips else row.reason, "small", end=True)
        path = row.evidence.why.path if row.evidence.why else ()
        self.steps = [StepButton(number, step) for number, step in enumerate(path, start=1)]
        self.why = push_button(act=self.explained, kind="link")
        words = tr("Why here?") if hit.rank == 1 else tr("Why not higher?")
        self.why.setText(words)
        explain(
            self.why, tr("{question} Its rank in every ranking, and without each part (W)", question=words)
        )
        self.why.setParent(self)
        self.why.hide()
        self.ask = push_button(tr("Ask about this"), self.ask_wanted, kind="link")
        explain(self.ask, tr("Keep the next question to the chain that leads here, or else to this document"))
        self.ask.setParent(self)
        self.ask.hide()
        self.support = SupportRow(bool(path))
        self.support.setParent(self)
        self.support.hide()
        self.more = tool_button(side=20)
        self.more.setProperty("kind", "bare")
        self.more.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # Right and Left do the same
        if len(excerpt(row.evidence).text) >= len(full_excerpt(row.evidence).text):
            self.more.hide()  # never shown here: before it lies in the card it would be a window with the keyboard
        self.more.clicked.connect(lambda: self.set_open(not self._opened))
        self._lay_out()
        self._fill()

    def _lay_out(self) -> None:
        cited = CitedAs(self.row) if self.row.cited_as else None
        self._column = column(
            *(row(self.rank, (self.title, 1), self.score), row((self.path, 1), self.place), 2, self.words, 2),
            *(
                column(*self.steps, spacing=0) if self.steps else None,
                self._tellers() if self.chips else None,
            ),
            row((self.reason, 1), cited, self.more, spacing=theme.GRID),
            row(self.why, self.ask, STRETCH),
            self.support,
            spacing=theme.GRID,
            margins=(PAD, theme.WITHIN),
            on=self,
        )

    def set_current(self, current: bool) -> None:
        super().set_current(current)
        self.why.setVisible(current)
        self.ask.setVisible(current)
        self.support.setVisible(current or bool(self.support.verdict))

    def _tellers(self) -> QHBoxLayout:
        """`from the report of` and the community, which a press shows."""
        for chip in self.chips:
            chip.clicked.connect(lambda _, chip=chip: self.community_chosen.emit(chip.community.id))
        words = trn("from the report of", "from the reports of", len(self.chips))
        return row(PlainLabel(words, "small"), *self.chips, STRETCH, spacing=theme.GRID)

    def _fill(self) -> None:
        marked_text = full_excerpt(self.row.evidence) if self._opened else excerpt(self.row.evidence)
        self.words.set_marked(marked_text.text, marked_text.start, marked_text.end)
        words = tr("Show less (Left)") if self._opened else tr("Show the whole passage (Right)")
        self.more.setIcon(theme.icon("caret-up" if self._opened else "caret-down", "muted"))
        explain(self.more, words)

    def set_open(self, opened: bool) -> None:
        """Show the whole passage, or the text around its best sentence."""
        if opened != self._opened:
            self._opened = opened
            self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.set_open(event.key() == Qt.Key.Key_Right)
        elif event.modifiers() & ~_PLAIN:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_W:
            self.explained.emit()
        elif event.key() in (Qt.Key.Key_Y, Qt.Key.Key_N):
            self.support.setVisible(True)
            self.support.buttons["yes" if event.key() == Qt.Key.Key_Y else "no"].click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, framed = smooth(self), self.current or self.hasFocus()
        outline = "accent" if framed else "strong_border" if self._lit else "border"
        rounded(painter, self.rect(), outline, "surface")
        if self.current:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.current().color("accent"))
            painter.drawRoundedRect(QRectF(0, theme.RADIUS, 3, self.height() - 2 * theme.RADIUS), 1.5, 1.5)


def _spoken(row: EvidenceRow) -> str:
    """Return the reason and the facts behind it, or whose report told it."""
    if row.communities:
        titles = listed(community.title for community in row.communities)
        return tr("from the report of {titles}", titles=titles)
    facts = [step.words for step in row.evidence.why.path] if row.evidence.why else []
    return tr("; ").join((row.reason, *facts))


class CitedAs(QWidget):
    """The marks under which the answer cites the passage."""

    def __init__(self, row: EvidenceRow) -> None:
        super().__init__()
        self._numbers = row.cited_as
        self._words = tr("cited as")
        theme.follow(self, self._fit)
        self.setAccessibleName(tr("cited as {numbers}", numbers=listed(map(str, self._numbers))))

    def _fit(self) -> None:
        self._left = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(self._words) + theme.GRID
        marks = sum(mark_width(number) + theme.GRID for number in self._numbers)
        self.setFixedSize(self._left + marks - theme.GRID, theme.px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, left = QPainter(self), float(self._left)
        paint_text(painter, self.rect(), self._words, "muted", theme.SMALL)
        for number in self._numbers:
            paint_mark(painter, QRectF(left, 1, mark_width(number), theme.px(16)), number, lit=False)
            left += mark_width(number) + theme.GRID


class ScoreBar(QWidget):
    """The score as a number over a bar that is its share of the best score."""

    WIDE = 52

    def __init__(self, row: EvidenceRow) -> None:
        super().__init__()
        self._score, self._share = row.evidence.hit.score, row.share
        speak(self, Spoken(Role.ProgressBar, value=self.text))
        self.setAccessibleName(tr("Score"))
        theme.follow(self, lambda: self.setFixedSize(theme.px(self.WIDE), theme.px(16) + 4))
        tip = tr(
            "Score {score}, as the last stage of the route gave it.\nThe bar: {share} of the best passage's score.",
            score=f"{self._score:.4f}",
            share=f"{self._share:.0%}",
        )
        set_tip(self, tip)

    def text(self) -> str:
        """Return the number as shown."""
        return f"{self._score:.3f}"

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, corner = smooth(self), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        paint_text(painter, self.rect(), self.text(), "muted", theme.SMALL, place=corner)
        paint_share(painter, QRectF(0, self.height() - 4, self.width(), 4), self._share, 4)
