"""How a text is dressed: plainly, as mail, or as slides. The words and their places stay those of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QTextBlockFormat, QTextCharFormat

from app.look import theme
from app.look.translation import tr, trn
from app.reader.document import Look, OpenDocument
from core.types import Block, BlockKind

if TYPE_CHECKING:
    from app.reader.text import ReaderText

FOLD_LINES, FOLD_SIGNS = 5, 600  # a quotation of more is folded to its first line
STEP = 18  # pixels that each level of quotation is further in
PAD, SLIDE_GAP = 20, 72  # around what stands on a card; between two slides, pixels
LONGEST_HEAD = 60  # characters of the name of a header line


@dataclass(frozen=True, slots=True)
class Worn:
    """Formats for start..end of the document's text: of its lines, of its letters."""

    start: int
    end: int
    lines: QTextBlockFormat | None = None
    letters: QTextCharFormat | None = None


class Dress:
    """The plain one: nothing is added."""

    has_page_lines = True  # whether a line with its number stands above each page
    above = 0  # pixels above the first line, where Qt takes no margin of its own

    def __init__(self, opened: OpenDocument) -> None:
        self.opened = opened

    def worn(self, start: int, end: int) -> Iterator[Worn]:
        """Yield what lies wholly or partly in start..end."""
        yield from ()

    def hidden(self) -> Sequence[tuple[int, int]]:
        """Spans whose lines are folded away."""
        return ()

    def unfold(self, place: int) -> bool:
        """Show what holds a character; whether it was folded."""
        return False

    def turn(self, place: int) -> bool:
        """Fold or unfold what begins in the line of a character; whether anything does."""
        return False

    def turn_all(self) -> None:
        """Unfold all, or fold all again."""

    def paint_behind(self, painter: QPainter, text: ReaderText) -> None:
        """Paint what lies behind the letters, in the viewport's pixels."""

    def paint_upon(self, painter: QPainter, text: ReaderText) -> None:
        """Paint what lies upon them."""


class MailDress(Dress):
    """The head on a card; quoted words further in, with a bar a level, folded where they are long."""

    above = PAD - 4

    def __init__(self, opened: OpenDocument) -> None:
        super().__init__(opened)
        notes = (block for block in opened.blocks if block.kind is BlockKind.NOTE and block.start == 0)
        self.head = next((block.end for block in notes), 0)
        quoted = [block for block in opened.blocks if block.kind is BlockKind.QUOTATION]
        self._quoted = sorted(quoted, key=lambda block: (block.start, -block.end))
        self._folds = [fold for block in self._outer() if (fold := self._fold(block)) is not None]
        self._folded = set(range(len(self._folds)))

    def _outer(self) -> Iterator[Block]:
        end = 0
        for block in self._quoted:
            if block.start >= end:
                yield block
                end = block.end

    def _fold(self, block: Block) -> tuple[int, int, int] | None:
        """Start of a long quotation, start and end of what is folded of it."""
        text = self.opened.text[block.start : block.end].rstrip()
        first = text.find("\n")
        if first < 0 or (text.count("\n") < FOLD_LINES and len(text) < FOLD_SIGNS):
            return None
        return block.start, block.start + first + 1, block.start + len(text)

    def worn(self, start: int, end: int) -> Iterator[Worn]:
        if start < self.head:
            yield from self._head()
        for block in self._quoted:
            if block.end > start and block.start < end:
                lines, letters = QTextBlockFormat(), QTextCharFormat()
                lines.setLeftMargin(STEP * max(block.level, 1))
                letters.setForeground(theme.current().color("muted"))
                yield Worn(block.start, block.end, lines, letters)

    def _head(self) -> Iterator[Worn]:
        at = 0
        inside, small, strong = QTextBlockFormat(), QTextCharFormat(), QTextCharFormat()
        inside.setLeftMargin(PAD)
        inside.setRightMargin(PAD)
        small.setForeground(theme.current().color("muted"))
        strong.setFont(theme.font(theme.HEADING, QFont.Weight.DemiBold))
        lines = self.opened.text[: self.head].splitlines(keepends=True)
        for line in lines:
            colon = line.find(":", 0, LONGEST_HEAD) + 1
            yield Worn(at, at + len(line.rstrip()), inside)
            yield Worn(at, at + colon, None, small)
            if line[:colon] == "Subject:":  # as the text has it, in every language  # not shown
                yield Worn(at + colon, at + len(line.rstrip()), None, strong)
            at += len(line)

    def hidden(self) -> Sequence[tuple[int, int]]:
        return [(start, end) for at, (_, start, end) in enumerate(self._folds) if at in self._folded]

    def unfold(self, place: int) -> bool:
        holding = {at for at in self._folded if self._folds[at][1] <= place < self._folds[at][2]}
        self._folded -= holding
        return bool(holding)

    def turn(self, place: int) -> bool:
        for at, (begin, start, _) in enumerate(self._folds):
            if begin <= place < start:
                self._folded ^= {at}
                return True
        return False

    def turn_all(self) -> None:
        self._folded = set() if self._folded else set(range(len(self._folds)))

    def paint_behind(self, painter: QPainter, text: ReaderText) -> None:
        if self.head and (box := text.box_of(0, self.head)) is not None:
            _card(painter, box.adjusted(0, -PAD + 4, 0, PAD - 8))
        bars = theme.current().color("strong_border")
        for block in self._quoted:
            if (box := text.box_of(block.start, block.end)) is not None:
                left = box.left() + STEP * max(block.level - 1, 0) + 4
                painter.fillRect(QRectF(left, box.top(), 2, box.height()), bars)

    def paint_upon(self, painter: QPainter, text: ReaderText) -> None:
        painter.setFont(theme.font(theme.SMALL))
        for at, (_, start, end) in enumerate(self._folds):
            spot = text.end_of_line(start - 1)
            if spot is None:
                continue
            count = self.opened.text.count("\n", start, end) + 1
            words = (
                trn("+ {count} quoted line", "+ {count} quoted lines", count)
                if at in self._folded
                else tr("fold")
            )
            wide = painter.fontMetrics().horizontalAdvance(words) + 2 * theme.WITHIN
            high = theme.px(18)
            chip = QRectF(spot.x() + theme.WITHIN, spot.y() - high / 2, wide, high)
            painter.setPen(theme.current().color("border"))
            painter.setBrush(theme.current().color("raised"))
            painter.drawRoundedRect(chip, high / 2, high / 2)
            painter.setPen(theme.current().color("accent"))
            painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), words)


class SlideDress(Dress):
    """Each slide is a card with its heading; the speaker's notes are small."""

    has_page_lines = False
    above = SLIDE_GAP - PAD

    def worn(self, start: int, end: int) -> Iterator[Worn]:
        for page in self.opened.pages:
            if page.end <= start or page.start >= end:
                continue
            inside, first, body = QTextBlockFormat(), QTextBlockFormat(), QTextCharFormat()
            inside.setLeftMargin(PAD + 4)
            inside.setRightMargin(PAD + 4)
            body.setFont(theme.font(theme.HEADING - 1))
            first.setTopMargin(SLIDE_GAP)
            yield Worn(page.start, page.end, inside, body)
            yield Worn(page.start, page.start, first)
        heading, small = QTextCharFormat(), QTextCharFormat()
        heading.setFont(theme.font(theme.TITLE, QFont.Weight.DemiBold))
        small.setFont(theme.font(theme.SMALL + 1))
        small.setForeground(theme.current().color("muted"))
        for block in self.opened.blocks:
            if block.end > start and block.start < end:
                letters = {BlockKind.HEADING: heading, BlockKind.NOTE: small}.get(block.kind)
                if letters is not None:
                    yield Worn(block.start, block.end, None, letters)

    def paint_behind(self, painter: QPainter, text: ReaderText) -> None:
        painter.setFont(theme.font(theme.SMALL))
        for page in self.opened.pages:
            box = text.box_of(page.start, page.end)
            if box is None:
                continue
            card = box.adjusted(0, -PAD, 0, PAD)
            _card(painter, card)
            painter.setPen(theme.current().color("muted"))
            above = QRectF(card.left(), card.top() - theme.px(20), card.width(), theme.px(18))
            painter.drawText(above, tr("Slide {number}", number=str(page.number)))


def dress(opened: OpenDocument, look: Look) -> Dress:
    """Of a document that is shown as `look`, "" for its plain text."""
    classes: dict[Look, type[Dress]] = {"mail": MailDress, "slides": SlideDress}
    return classes.get(look, Dress)(opened)


def _card(painter: QPainter, box: QRectF) -> None:
    painter.setPen(theme.current().color("border"))
    painter.setBrush(theme.current().color("raised"))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), theme.RADIUS, theme.RADIUS)
