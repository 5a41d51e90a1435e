"""The page that one reads: text in a column, pages told apart, names underlined, places marked."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QToolTip, QWidget

from app.look import theme
from app.look.painting import smooth
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.reader.document import Look, OpenDocument, Piece, Window
from app.reader.dress import Dress, dress
from app.widgets.copying import plain_data
from core.types import Block, BlockKind, Mention, Page

COLUMN = 720  # widest text column, pixels: about 90 letters
PAGE_GAP = 56  # room above a page's first line, for its separator
LINE_HEIGHT = 150.0  # per cent
BAR = 3  # the bar beside a marked place, pixels
INDENT = 16  # left of the text, with room for that bar
NEAR = 500  # characters; no name is longer
READ_AT = 0.3  # share of the height at which a place is shown, and at which one is taken to read

MarkKind = Literal["cited", "passage", "found", "found-here", "entity"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place of the document's text, and why it is marked."""

    start: int
    end: int
    kind: MarkKind


class ReaderText(QTextEdit):
    """Shows one window of a document, from the place that is read outwards, piece by piece. Plain text only.

    Signals: entity_chosen(entity id) by click or Enter; entity_pointed(entity id or "");
    scrolled(place) with the character that one is taken to read; filled() when the whole window is there.
    """

    entity_chosen = Signal(str)
    entity_pointed = Signal(str)
    scrolled = Signal(int)
    filled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("readerText")
        self.setAccessibleName(tr("Text of the document"))
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTextEdit#readerText { border: none; border-radius: 0; padding: 0; }")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._opened: OpenDocument | None = None
        self._window = Window(0, 0, "")
        self._marks: tuple[Mark, ...] = ()
        self._pieces = [Piece(0, "")]
        self._first, self._end = 0, 1  # of the pieces, those that are in the Qt document
        self._growing = False  # text comes in above: what is read stays where it is
        self._pages: list[Page] = []  # that start in the window
        self._blocks: list[Block] = []  # in the window that look different
        self._look: Look = ""
        self._dressed: Dress | None = None
        self._pointed = ""
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self._fill)
        theme.notifier().changed.connect(self._on_theme)

    # ------------------------------------------------------------ content

    @property
    def text_window(self) -> Window:
        """Return the part of the document that is on screen."""
        return self._window

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self._marks

    @property
    def filling(self) -> bool:
        """Return whether some of the window is still to come."""
        return self._first > 0 or self._end < len(self._pieces)

    def show_window(self, opened: OpenDocument, window: Window, place: int) -> None:
        """Replace what is shown. The text around a place is there at once, the rest comes in a moment."""
        if self._dressed is None or self._dressed.opened is not opened:
            self._dressed = dress(opened, self._look)
        self._opened, self._window, self._pieces = opened, window, window.pieces()
        self._pages = [page for page in opened.pages if window.start <= page.start < window.end]
        other = (BlockKind.HEADING, BlockKind.BOILERPLATE)
        inside = (block for block in opened.blocks if block.end > window.start and block.start < window.end)
        self._blocks = [block for block in inside if block.kind in other]
        self._begin(place)

    def set_look(self, look: Look) -> None:
        """As what the text is dressed from now on: "mail", "slides" or "" for plainly."""
        if look != self._look:
            self._look = look
            if self._opened is not None:
                self._dressed = dress(self._opened, look)
                self._begin(self.place_at_top())

    def turn_quotations(self) -> None:
        """Show what is folded, or fold it again."""
        if self._dressed is not None:
            self._dressed.turn_all()
            self._refold()

    def clear_window(self) -> None:
        self._soon.stop()
        self._opened, self._window, self._marks, self._dressed = None, Window(0, 0, ""), (), None
        self._pieces, self._first, self._end, self._pages, self._blocks = [Piece(0, "")], 0, 1, [], []
        self.clear()

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Mark places; those outside the window are not drawn."""
        self._marks = marks
        selections = []
        for mark in marks:
            if mark.kind == "passage" or not self._is_loaded(mark.start, mark.end):
                continue
            selection = QTextEdit.ExtraSelection()
            selection.cursor = self._cursor(mark.start, mark.end)
            selection.format = _mark_format(mark.kind)
            selections.append(selection)
        self.setExtraSelections(selections)
        self.viewport().update()

    def reveal(self, start: int, at: float = READ_AT, above: bool = False) -> None:
        """Scroll so that a place lies at the given share of the height, and put the caret there.

        above: leave room for what stands above a page's first line.
        """
        if not self._is_loaded(start, start + 1) and self._window.holds(start, start):
            self._begin(start)
        if self._dressed is not None and self._dressed.unfold(start):
            self._refold()
        cursor = self._cursor(start, start)
        self.setTextCursor(cursor)
        top = self._y_of(cursor.position()) - (PAGE_GAP if above else 0)
        self.verticalScrollBar().setValue(round(top - at * self.viewport().height()))

    def place_at_top(self) -> int:
        """Return the character at the top of the view, a little below the edge."""
        return self._place_of(self.cursorForPosition(QPointF(4, 12).toPoint()).position())

    def place_read(self) -> int:
        """Return the character at the height where places are revealed; at either end of the text, that end."""
        bar = self.verticalScrollBar()
        if bar.value() <= bar.minimum():
            return self.place_at_top()
        share = 0.95 if bar.value() >= bar.maximum() else READ_AT
        point = QPointF(INDENT, share * self.viewport().height()).toPoint()
        return self._place_of(self.cursorForPosition(point).position())

    def _on_scrolled(self) -> None:
        if not self._growing:
            self.scrolled.emit(self.place_read())

    # ------------------------------------------------------------ places and Qt's positions

    def position_of(self, place: int) -> int:
        """Qt's position of a character; clamped to what is in the Qt document."""
        return self._clamped(self._window.to_qt(place))

    def _clamped(self, position: int) -> int:
        """Return a position in the window as one in the Qt document."""
        return min(
            max(position - self._pieces[self._first].position, 0), self.document().characterCount() - 1
        )

    def _place_of(self, position: int) -> int:
        return self._window.from_qt(position + self._pieces[self._first].position)

    def _is_loaded(self, start: int, end: int) -> bool:
        """Return whether some of start..end is in the Qt document."""
        first, last = self._pieces[self._first].position, self._pieces[self._end - 1].end
        return self._window.to_qt(end) > first and self._window.to_qt(start) < last

    def _cursor(self, start: int, end: int) -> QTextCursor:
        return self._cursor_at(self._window.to_qt(start), self._window.to_qt(end))

    def _cursor_at(self, start: int, end: int) -> QTextCursor:
        """From one position in the window to another."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._clamped(start))
        cursor.setPosition(self._clamped(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    # ------------------------------------------------------------ filling

    def _begin(self, place: int) -> None:
        """Fill anew with the pieces around a place; the others follow."""
        self.setExtraSelections([])
        document = self.document()
        document.clear()
        document.setDocumentMargin(0)
        frame = document.rootFrame().frameFormat()
        frame.setLeftMargin(INDENT)
        frame.setRightMargin(INDENT)
        frame.setTopMargin(theme.GROUPS + (self._dressed.above if self._dressed is not None else 0))
        frame.setBottomMargin(theme.AROUND * 2)
        document.rootFrame().setFrameFormat(frame)
        document.setDefaultFont(theme.font(theme.BODY))
        at = bisect_right(self._pieces, self._window.to_qt(place), key=lambda piece: piece.position) - 1
        self._first = self._end = max(at - 1, 0)
        while self._end < min(at + 2, len(self._pieces)):
            self._append()
        self.setTextCursor(self._cursor(place, place))
        self.set_marks(self._marks)
        if self.filling:
            self._soon.start()

    def _fill(self) -> None:
        """Bring in the next piece below and the next one above; what is read stays where it is."""
        everything = self._all_selected()
        if self._end < len(self._pieces):
            self._append()
        if self._first > 0:
            self._prepend()
        if everything:
            self.selectAll()
        self.set_marks(self._marks)
        if self.filling:
            self._soon.start()
        else:
            self._soon.stop()
            self.filled.emit()

    def _all_selected(self) -> bool:
        """Return whether all that is there is, and so all that is still to come."""
        cursor, last = self.textCursor(), self.document().characterCount() - 1
        return 0 < last == cursor.selectionEnd() - cursor.selectionStart()

    def _append(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        cursor.setBlockFormat(_line_format())
        cursor.insertText(self._pieces[self._end].text, QTextCharFormat())
        self._end += 1
        self._dress(self._pieces[self._end - 1])
        cursor.endEditBlock()

    def _prepend(self) -> None:
        bar, height = self.verticalScrollBar(), self.document().size().height()
        self._first -= 1
        piece = self._pieces[self._first]
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.insertText(piece.text, QTextCharFormat())
        # The lines were made like the one before which they were put.
        self._cursor_at(piece.position, piece.end - 1).setBlockFormat(_line_format())
        self._dress(piece)
        cursor.endEditBlock()
        self._growing = True
        bar.setValue(bar.value() + round(self.document().size().height() - height))
        self._growing = False

    def _dress(self, piece: Piece) -> None:
        """Headings stand out, what only stands around the text is pale, names are underlined, pages have room."""
        start, end = self._window.from_qt(piece.position), self._window.from_qt(piece.end)
        formats = _kind_formats()
        for block in self._blocks:
            if block.end > start and block.start < end:
                self._cursor(block.start, block.end).mergeCharFormat(formats[block.kind])
        name = _name_format()
        for mention in self._opened.mentions_in(start - NEAR, end + NEAR) if self._opened is not None else ():
            if mention.end > start and mention.start < end:
                self._cursor(mention.start, mention.end).mergeCharFormat(name)
        for page in self._pages:
            if start <= page.start < end:
                cursor = self._cursor(page.start, page.start)
                if cursor.atBlockStart():
                    cursor.setBlockFormat(_line_format(PAGE_GAP if page.start > self._window.start else 32))
        if self._dressed is not None:
            for worn in self._dressed.worn(start, end):
                if self._is_loaded(worn.start, max(worn.end, worn.start + 1)):
                    cursor = self._cursor(worn.start, worn.end)
                    if worn.lines is not None:
                        cursor.mergeBlockFormat(worn.lines)
                    if worn.letters is not None:
                        cursor.mergeCharFormat(worn.letters)
            self._hide(start, end)

    def _refold(self) -> None:
        """Hide and show lines as they are folded by now."""
        first, last = self._pieces[self._first].position, self._pieces[self._end - 1].end
        self._hide(self._window.from_qt(first), self._window.from_qt(last))
        self.document().markContentsDirty(0, self.document().characterCount())
        self.viewport().update()

    def _hide(self, start: int, end: int) -> None:
        """Of the lines in start..end those that are folded away, and no others."""
        hidden = self._dressed.hidden() if self._dressed is not None else ()
        line = self.document().findBlock(self.position_of(start))
        last = self.document().findBlock(self.position_of(end)).blockNumber()
        while line.isValid() and line.blockNumber() <= last:
            place = self._place_of(line.position())
            is_visible = not any(begin <= place < stop for begin, stop in hidden)
            if line.isVisible() != is_visible:
                line.setVisible(is_visible)
            line = line.next()

    # ------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        dressed = self._dressed
        if dressed is not None:
            behind = smooth(self.viewport())
            dressed.paint_behind(behind, self)
            behind.end()
        super().paintEvent(event)
        painter = smooth(self.viewport())
        if dressed is None or dressed.has_page_lines:
            self._paint_pages(painter)
        self._paint_bars(painter)
        if dressed is not None:
            dressed.paint_upon(painter, self)
        painter.end()

    def box_of(self, start: int, end: int) -> QRectF | None:
        """What the lines of start..end take of the viewport, as wide as the column; None while it is not there."""
        if not self._is_loaded(start, end):
            return None
        scroll, end = self.verticalScrollBar().value(), self._trimmed(start, end)
        top = self._y_of(self.position_of(start)) - scroll
        bottom = self._y_of(self.position_of(end), below=True) - scroll
        if bottom < -PAGE_GAP or top > self.viewport().height() + PAGE_GAP:
            return None
        return QRectF(INDENT, top, self.viewport().width() - 2 * INDENT, bottom - top)

    def _trimmed(self, start: int, end: int) -> int:
        """Return the last character of start..end that is seen."""
        text = self._opened.text if self._opened is not None else ""
        for begin, stop in reversed(self._dressed.hidden() if self._dressed is not None else ()):
            if begin < end <= stop:
                end = begin
        return start + max(len(text[start:end].rstrip()) - 1, 0)

    def end_of_line(self, place: int) -> QPointF | None:
        """The middle of the end of the line that holds a character, in the viewport; None while it is not there."""
        if not self._is_loaded(place, place + 1):
            return None
        rect = self.cursorRect(self._cursor(place, place))
        return QPointF(rect.right(), rect.center().y())

    def _paint_pages(self, painter: QPainter) -> None:
        colors, width, height = theme.current(), self.viewport().width(), self.viewport().height()
        painter.setFont(theme.font(theme.SMALL))
        scroll = self.verticalScrollBar().value()
        for page in self._pages:
            if not self._is_loaded(page.start, page.start + 1):
                continue
            top = self._y_of(self.position_of(page.start)) - scroll
            if not -PAGE_GAP <= top <= height + PAGE_GAP:
                continue
            line = top - (PAGE_GAP - 24 if page.start > self._window.start else 20)
            words = tr("Page {number}", number=str(page.number))
            label = QRectF(INDENT, line - theme.px(10), width, theme.px(20))
            wide = INDENT + painter.fontMetrics().horizontalAdvance(words) + theme.WITHIN
            painter.setPen(colors.color("border"))
            painter.drawLine(QPointF(wide, line), QPointF(width - INDENT, line))
            painter.setPen(colors.color("muted"))
            painter.drawText(label, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), words)

    def _paint_bars(self, painter: QPainter) -> None:
        """Paint a bar in the margin beside marked places: told by more than colour."""
        scroll = self.verticalScrollBar().value()
        for mark in self._marks:
            if mark.kind not in ("cited", "passage") or not self._is_loaded(mark.start, mark.end):
                continue
            top = self._y_of(self.position_of(mark.start)) - scroll
            bottom = self._y_of(self.position_of(max(mark.end - 1, mark.start)), below=True) - scroll
            color = theme.current().color("accent" if mark.kind == "cited" else "strong_border")
            painter.fillRect(QRectF(theme.GRID, top, BAR, bottom - top), color)

    def _y_of(self, position: int, below: bool = False) -> float:
        """Top (or bottom) of the line that holds a Qt position, in pixels of the whole text."""
        block = self.document().findBlock(position)
        rect = self.document().documentLayout().blockBoundingRect(block)
        line = block.layout().lineForTextPosition(position - block.position())
        if not line.isValid():
            return rect.bottom() if below else rect.top()
        inner = block.layout().position().y()
        return inner + line.y() + (line.height() if below else 0.0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        side = max(0, (self.width() - COLUMN) // 2)
        if self.viewportMargins().left() != side:
            self.setViewportMargins(side, 0, side, 0)
        super().resizeEvent(event)

    def _on_theme(self, _: object) -> None:
        if self._opened is None:
            return
        bar, place = self.verticalScrollBar(), self.place_at_top()
        above = self._y_of(self.position_of(place)) - bar.value()
        self._begin(place)
        bar.setValue(round(self._y_of(self.position_of(place)) - above))

    # ------------------------------------------------------------ names

    def mention_under(self, point: QPointF) -> Mention | None:
        """Return the name drawn at a point of the viewport."""
        if self._opened is None:
            return None
        scrolled = QPointF(point.x(), point.y() + self.verticalScrollBar().value())
        position = self.document().documentLayout().hitTest(scrolled, Qt.HitTestAccuracy.ExactHit)
        return None if position < 0 else self._opened.mention_at(self._place_of(position))

    def point_of(self, place: int) -> QPointF:
        """Return where a character is drawn, in the viewport."""
        rect = self.cursorRect(self._cursor(place, place))
        return QPointF(rect.left() + 2, rect.center().y())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        mention = self.mention_under(event.position())
        pointed = mention.entity_id if mention else ""
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if pointed else Qt.CursorShape.IBeamCursor
        )
        if pointed != self._pointed:
            self._pointed = pointed
            self.entity_pointed.emit(pointed)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        place = self._place_of(self.cursorForPosition(event.position().toPoint()).position())
        behind = (spot := self.end_of_line(place)) is not None and event.position().x() > spot.x()
        plain = self._dressed is None or not behind or self.textCursor().hasSelection()
        if not plain and self._dressed is not None and self._dressed.turn(place):
            self._refold()
            return
        mention = self.mention_under(event.position())
        if event.button() == Qt.MouseButton.LeftButton and mention and not self.textCursor().hasSelection():
            self.entity_chosen.emit(mention.entity_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.MoveToStartOfDocument) and self._first > 0:
            self._begin(self._window.start)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument) and self._end < len(self._pieces):
            self._begin(self._window.end)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._opened is not None:
            mention = self._opened.mention_at(self._place_of(self.textCursor().position()))
            if mention is not None:
                self.entity_chosen.emit(mention.entity_id)
                return
        super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and self._opened is not None:
            point = event.pos()  # type: ignore[attr-defined]
            mention = self.mention_under(QPointF(point))
            if mention is not None:
                name = " ".join(self._opened.text[mention.start : mention.end].split())
                words = tr("{name}: click to select it", name=name)
                QToolTip.showText(event.globalPos(), tooltip(words), self)  # type: ignore[attr-defined]
                return True
        if event.type() == QEvent.Type.Leave and self._pointed:
            self._pointed = ""
            self.entity_pointed.emit("")
        return super().viewportEvent(event)

    def marked_words(self) -> tuple[int, str]:
        """Return what the person marked, in the document's own text, and where it begins."""
        if self._opened is None:
            return 0, ""
        cursor = self.textCursor()
        start, end = (self._place_of(at) for at in (cursor.selectionStart(), cursor.selectionEnd()))
        if self._all_selected():
            start, end = self._window.start, self._window.end
        return start, self._opened.text[start:end]

    def createMimeDataFromSelection(self) -> QMimeData:
        """Return the document's own text, and plain."""
        return plain_data(self.marked_words()[1])


def _line_format(above: float = 0.0) -> QTextBlockFormat:
    block_format = QTextBlockFormat()
    block_format.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    block_format.setTopMargin(above)
    return block_format


def _kind_formats() -> dict[BlockKind, QTextCharFormat]:
    heading, around = QTextCharFormat(), QTextCharFormat()
    heading.setFontWeight(QFont.Weight.DemiBold)
    around.setFont(theme.font(theme.SMALL))
    around.setForeground(theme.current().color("muted"))
    return {BlockKind.HEADING: heading, BlockKind.BOILERPLATE: around}


def _name_format() -> QTextCharFormat:
    name = QTextCharFormat()
    name.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    soft = theme.current().color("strong_border")
    soft.setAlphaF(0.7)
    name.setUnderlineColor(soft)
    return name


def _mark_format(kind: MarkKind) -> QTextCharFormat:
    colors = theme.current()
    char_format = QTextCharFormat()
    if kind == "cited":
        char_format.setBackground(colors.color("mark"))
        char_format.setForeground(colors.color("on_mark"))
    elif kind == "found":
        char_format.setBackground(colors.color("accent_soft"))
        char_format.setForeground(colors.color("text"))
    elif kind == "found-here":
        # The reverse of the page: it stands out from a citation in every theme.
        char_format.setBackground(colors.color("text"))
        char_format.setForeground(colors.color("surface"))
    elif kind == "entity":
        char_format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        char_format.setUnderlineColor(colors.color("accent"))
        char_format.setForeground(colors.color("accent"))
    return char_format
