"""The page that one reads: text in a column, pages told apart, names underlined, places marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QKeyEvent,
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
from app.look.plain_text import tooltip
from app.reader.document import OpenDocument, Window
from app.widgets.clipboard import plain_data
from core.types import BlockKind, Mention

COLUMN = 720  # widest text column, pixels: about 90 letters
PAGE_GAP = 56  # room above a page's first line, for its separator
LINE_HEIGHT = 150.0  # per cent
BAR = 3  # the bar beside a marked place, pixels
INDENT = 16  # left of the text, with room for that bar
READ_AT = 0.3  # share of the height at which a place is shown, and at which one is taken to read

MarkKind = Literal["cited", "passage", "found", "found-here", "entity"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place of the document's text, and why it is marked."""

    start: int
    end: int
    kind: MarkKind


class ReaderText(QTextEdit):
    """Shows one window of a document. Text goes in as plain text only.

    Signals: entity_chosen(entity id) by click or Enter; entity_pointed(entity id or "");
    scrolled(place) with the character that one is taken to read.
    """

    entity_chosen = Signal(str)
    entity_pointed = Signal(str)
    scrolled = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("readerText")
        self.setAccessibleName("Text of the document")
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
        self.verticalScrollBar().valueChanged.connect(lambda _: self.scrolled.emit(self.place_read()))
        self._opened: OpenDocument | None = None
        self._window = Window(0, 0, "")
        self._marks: tuple[Mark, ...] = ()
        self._page_starts: list[tuple[int, int]] = []  # Qt position, page number
        self._pointed = ""
        theme.notifier().changed.connect(self._on_theme)

    # ------------------------------------------------------------ content

    @property
    def window_shown(self) -> Window:
        """The part of the document that is on screen."""
        return self._window

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self._marks

    def show_window(self, opened: OpenDocument, window: Window) -> None:
        """Replace what is shown; the view goes to its top."""
        self._opened, self._window = opened, window
        self._fill()

    def clear_window(self) -> None:
        self._opened, self._window, self._marks = None, Window(0, 0, ""), ()
        self._page_starts = []
        self.clear()

    def set_marks(self, marks: tuple[Mark, ...]) -> None:
        """Mark places; those outside the window are not drawn."""
        self._marks = marks
        selections = []
        for mark in marks:
            if mark.end <= self._window.start or mark.start >= self._window.end or mark.kind == "passage":
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
        cursor = self._cursor(start, start)
        self.setTextCursor(cursor)
        top = self._y_of(cursor.position()) - (PAGE_GAP if above else 0)
        self.verticalScrollBar().setValue(round(top - at * self.viewport().height()))

    def place_at_top(self) -> int:
        """The character at the top of the view, a little below the edge."""
        return self._window.from_qt(self.cursorForPosition(QPointF(4, 12).toPoint()).position())

    def place_read(self) -> int:
        """The character at the height where places are revealed; at either end of the text, that end."""
        bar = self.verticalScrollBar()
        if bar.value() <= bar.minimum():
            return self.place_at_top()
        share = 0.95 if bar.value() >= bar.maximum() else READ_AT
        point = QPointF(INDENT, share * self.viewport().height()).toPoint()
        return self._window.from_qt(self.cursorForPosition(point).position())

    # ------------------------------------------------------------ filling

    def _fill(self) -> None:
        window = self._window
        self.setExtraSelections([])
        document = self.document()
        document.clear()
        document.setDocumentMargin(0)
        frame = document.rootFrame().frameFormat()
        frame.setLeftMargin(INDENT)
        frame.setRightMargin(INDENT)
        frame.setTopMargin(theme.GROUPS)
        frame.setBottomMargin(theme.AROUND * 2)
        document.rootFrame().setFrameFormat(frame)
        document.setDefaultFont(theme.font(theme.BODY))
        block = QTextBlockFormat()
        block.setLineHeight(LINE_HEIGHT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        cursor.setBlockFormat(block)
        cursor.insertText(window.shown, QTextCharFormat())
        self._show_kinds(cursor)
        self._underline_names(cursor)
        self._part_pages(cursor, block)
        cursor.endEditBlock()
        self.setTextCursor(self._cursor(window.start, window.start))
        self.set_marks(self._marks)

    def _show_kinds(self, cursor: QTextCursor) -> None:
        """Headings stand out; what only stands around the text is small and pale."""
        heading, around = QTextCharFormat(), QTextCharFormat()
        heading.setFontWeight(QFont.Weight.DemiBold)
        around.setFont(theme.font(theme.SMALL))
        around.setForeground(theme.current().color("muted"))
        formats = {BlockKind.HEADING: heading, BlockKind.BOILERPLATE: around}
        for block in self._opened.blocks if self._opened is not None else ():
            format_ = formats.get(block.kind)
            if format_ is None or block.end <= self._window.start or block.start >= self._window.end:
                continue
            cursor.setPosition(self._window.to_qt(block.start))
            cursor.setPosition(self._window.to_qt(block.end), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(format_)

    def _underline_names(self, cursor: QTextCursor) -> None:
        if self._opened is None:
            return
        name = QTextCharFormat()
        name.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
        soft = theme.current().color("strong_border")
        soft.setAlphaF(0.7)
        name.setUnderlineColor(soft)
        for mention in self._opened.mentions_in(self._window.start, self._window.end):
            cursor.setPosition(self._window.to_qt(mention.start))
            cursor.setPosition(self._window.to_qt(mention.end), QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(name)

    def _part_pages(self, cursor: QTextCursor, plain: QTextBlockFormat) -> None:
        """Give each page that starts in the window room for its separator."""
        self._page_starts = []
        if self._opened is None:
            return
        for page in self._opened.pages:
            if not self._window.start <= page.start < self._window.end:
                continue
            position = self._window.to_qt(page.start)
            self._page_starts.append((position, page.number))
            block = QTextBlockFormat(plain)
            block.setTopMargin(PAGE_GAP if position else 32)
            cursor.setPosition(position)
            if cursor.atBlockStart():
                cursor.setBlockFormat(block)

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._window.to_qt(start))
        cursor.setPosition(self._window.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    # ------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        self._paint_pages(painter)
        self._paint_bars(painter)
        painter.end()

    def _paint_pages(self, painter: QPainter) -> None:
        colors, width, height = theme.current(), self.viewport().width(), self.viewport().height()
        painter.setFont(theme.font(theme.SMALL))
        scroll = self.verticalScrollBar().value()
        for position, number in self._page_starts:
            top = self._y_of(position) - scroll
            if not -PAGE_GAP <= top <= height + PAGE_GAP:
                continue
            line = top - (PAGE_GAP - 24 if position else 20)
            label = QRectF(INDENT, line - theme.px(10), width, theme.px(20))
            wide = INDENT + painter.fontMetrics().horizontalAdvance(f"Page {number}") + theme.WITHIN
            painter.setPen(colors.color("border"))
            painter.drawLine(QPointF(wide, line), QPointF(width - INDENT, line))
            painter.setPen(colors.color("muted"))
            painter.drawText(
                label, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), f"Page {number}"
            )

    def _paint_bars(self, painter: QPainter) -> None:
        """A bar in the margin beside marked places: told by more than colour."""
        scroll = self.verticalScrollBar().value()
        for mark in self._marks:
            if (
                mark.kind not in ("cited", "passage")
                or not self._window.start <= mark.start < self._window.end
            ):
                continue
            top = self._y_of(self._window.to_qt(mark.start)) - scroll
            bottom = self._y_of(self._window.to_qt(max(mark.end - 1, mark.start)), below=True) - scroll
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
        bar = self.verticalScrollBar()
        share = bar.value() / max(bar.maximum(), 1)
        self._fill()
        self.document().documentLayout().documentSize()  # lays the text out, so that the bar has its range
        bar.setValue(round(share * bar.maximum()))

    # ------------------------------------------------------------ names

    def mention_under(self, point: QPointF) -> Mention | None:
        """The name drawn at a point of the viewport."""
        if self._opened is None:
            return None
        scrolled = QPointF(point.x(), point.y() + self.verticalScrollBar().value())
        position = self.document().documentLayout().hitTest(scrolled, Qt.HitTestAccuracy.ExactHit)
        return None if position < 0 else self._opened.mention_at(self._window.from_qt(position))

    def point_of(self, place: int) -> QPointF:
        """Where a character is drawn, in the viewport."""
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
        mention = self.mention_under(event.position())
        if event.button() == Qt.MouseButton.LeftButton and mention and not self.textCursor().hasSelection():
            self.entity_chosen.emit(mention.entity_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._opened is not None:
            mention = self._opened.mention_at(self._window.from_qt(self.textCursor().position()))
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
                words = f"{name}: click to select it"
                QToolTip.showText(event.globalPos(), tooltip(words), self)  # type: ignore[attr-defined]
                return True
        if event.type() == QEvent.Type.Leave and self._pointed:
            self._pointed = ""
            self.entity_pointed.emit("")
        return super().viewportEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """What is copied is the document's own text, and plain."""
        if self._opened is None:
            return plain_data("")
        cursor = self.textCursor()
        start, end = (self._window.from_qt(at) for at in (cursor.selectionStart(), cursor.selectionEnd()))
        return plain_data(self._opened.text[start:end])


def _mark_format(kind: MarkKind) -> QTextCharFormat:
    colors = theme.current()
    made = QTextCharFormat()
    if kind == "cited":
        made.setBackground(colors.color("mark"))
        made.setForeground(colors.color("on_mark"))
    elif kind == "found":
        made.setBackground(colors.color("accent_soft"))
        made.setForeground(colors.color("text"))
    elif kind == "found-here":
        # The reverse of the page: it stands out from a citation in every theme.
        made.setBackground(colors.color("text"))
        made.setForeground(colors.color("surface"))
    elif kind == "entity":
        made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        made.setUnderlineColor(colors.color("accent"))
        made.setForeground(colors.color("accent"))
    return made
