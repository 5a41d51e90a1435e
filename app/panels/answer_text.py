"""The sentences of an answer, each with the numbered mark of its citation."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRect, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPyTextObject,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QToolTip, QWidget

from app import theme
from app.models.plain_text import tooltip
from app.models.wording import citation_place
from core.types import Answer, Citation

MARK_OBJECT = QTextFormat.ObjectTypes.UserObject.value + 1
NUMBER = QTextFormat.Property.UserProperty.value + 1
OBJECT_SIGN = "\ufffc"
MARK_HEIGHT = 16
INNER_HEIGHT = 12  # what a line is told: taller than the letters, the mark would push lines apart


def paint_mark(painter: QPainter, rect: QRectF, number: int, lit: bool, ring: bool = False) -> None:
    """A citation's number in a rounded box: filled when lit, ringed when it has the keyboard."""
    colors = theme.current()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(colors.color("text") if ring else Qt.PenStyle.NoPen)
    painter.setBrush(colors.color("accent" if lit else "accent_soft"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setFont(theme.font(theme.SMALL, QFont.Weight.DemiBold))
    painter.setPen(colors.color("on_accent" if lit else "accent"))
    painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), str(number))
    painter.restore()


def mark_width(number: int) -> int:
    return 12 + 7 * len(str(number))


class _Marks(QPyTextObject):
    """Draws the marks inside the text."""

    def __init__(self, view: AnswerText) -> None:
        super().__init__(view)
        self._view = view

    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        return QSizeF(mark_width(int(format.property(NUMBER))), INNER_HEIGHT)

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        number = int(format.property(NUMBER))
        over = (MARK_HEIGHT - INNER_HEIGHT) / 2
        box = QRectF(rect).adjusted(0, -over, 0, over)
        paint_mark(painter, box, number, self._view.lit == number, self._view.focused_mark == number)


class AnswerText(QTextEdit):
    """As tall as its text. Marks are links: hover, click, or Tab to one and press Enter.

    Signals: mark_pointed(number or 0) and mark_chosen(number); numbers count from 1.
    """

    mark_pointed = Signal(int)
    mark_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("answerText")
        self.setAccessibleName("Answer")
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QTextEdit#answerText { border: none; padding: 0; background: transparent; }")
        self.viewport().setAutoFillBackground(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._marks = _Marks(self)
        self._citations: tuple[Citation, ...] = ()
        self._positions: list[int] = []  # Qt position of each mark, in order
        self._pointed = 0
        self._current = 0
        self.focused_mark = 0
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.document().documentLayout().registerHandler(MARK_OBJECT, self._marks)
        theme.notifier().changed.connect(self._on_theme)

    @property
    def lit(self) -> int:
        """The mark that is drawn filled: the one under the mouse, else the chosen one; 0: none."""
        return self._pointed or self._current

    def show_answer(self, answer: Answer) -> None:
        """Put the sentences in as plain text, a paragraph each."""
        self.document().clear()
        self.document().setDocumentMargin(0)
        self.document().setDefaultFont(theme.font(theme.BODY))
        self._citations = answer.citations
        self._positions, self._pointed, self._current, self.focused_mark = [], 0, 0, 0
        block = QTextBlockFormat()
        block.setLineHeight(145.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        block.setBottomMargin(theme.WITHIN)
        cursor = QTextCursor(self.document())
        cursor.setBlockFormat(block)
        for number, sentence in enumerate(answer.sentences, start=1):
            if number > 1:
                cursor.insertBlock(block, QTextCharFormat())
            cursor.insertText(" ".join(sentence.split()), QTextCharFormat())
            if number <= len(answer.citations):
                cursor.insertText("\u00a0", QTextCharFormat())
                self._positions.append(cursor.position())
                cursor.insertText(OBJECT_SIGN, _mark_format(number))
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._fit()

    def light(self, number: int) -> None:
        """Draw a mark as pointed at (from a list of sources); 0: none."""
        self._pointed = number
        self.viewport().update()

    def set_current(self, number: int) -> None:
        """Draw a mark as the chosen one; 0: none."""
        self._current = number
        self.viewport().update()

    def point_of(self, number: int) -> QPointF:
        """The middle of a mark, in the viewport."""
        position = self._positions[number - 1]
        before, after = QTextCursor(self.document()), QTextCursor(self.document())
        before.setPosition(position)
        after.setPosition(position + 1)
        left, right = self.cursorRect(before), self.cursorRect(after)
        return QPointF((left.left() + right.left()) / 2, left.bottom() - MARK_HEIGHT / 2)

    def _mark_at(self, point: QPointF) -> int:
        href = self.document().documentLayout().anchorAt(point)
        return int(href) if href.isdigit() else 0

    def _on_theme(self, _: object) -> None:
        self.viewport().update()

    # ------------------------------------------------------------ size

    def _fit(self, _: object = None) -> None:
        self.document().setTextWidth(self.viewport().width())
        height = round(self.document().size().height())
        if height != self.height():
            self.setFixedHeight(max(height, 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, round(self.document().size().height()))

    # ------------------------------------------------------------ mouse and keys

    def _point(self, number: int) -> None:
        if number != self._pointed:
            self._pointed = number
            self.viewport().update()
            self.mark_pointed.emit(number)
        shape = Qt.CursorShape.PointingHandCursor if number else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point(self._mark_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        number = self._mark_at(event.position())
        if number and event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self.mark_chosen.emit(number)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._point(0)
        if event.type() == QEvent.Type.ToolTip:
            number = self._mark_at(QPointF(event.pos()))  # type: ignore[attr-defined]
            if number:
                words = citation_tip(self._citations[number - 1])
                QToolTip.showText(event.globalPos(), words, self)  # type: ignore[attr-defined]
                return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() == Qt.FocusReason.TabFocusReason:
            self._focus(1 if self._positions else 0)
        elif event.reason() == Qt.FocusReason.BacktabFocusReason:
            self._focus(len(self._positions))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._focus(0)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab goes from mark to mark, then out of the answer."""
        wanted = self.focused_mark + (1 if next else -1)
        if self.focused_mark and 1 <= wanted <= len(self._positions):
            self._focus(wanted)
            return True
        return super().focusNextPrevChild(next)

    def _focus(self, number: int) -> None:
        self.focused_mark = number
        self._point(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self.focused_mark:
            self.mark_chosen.emit(self.focused_mark)
            return
        super().keyPressEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Plain text, with the marks as [1], [2]..."""
        cursor = self.textCursor()
        start, text = cursor.selectionStart(), cursor.selectedText().replace("\u2029", "\n")
        passed = sum(1 for position in self._positions if position < start)
        parts = text.split(OBJECT_SIGN)
        written = parts[0]
        for number, part in enumerate(parts[1:], start=passed + 1):
            written += f"[{number}]{part}"
        data = QMimeData()
        data.setText(written.replace("\u00a0[", " ["))
        return data


def citation_tip(citation: Citation) -> str:
    """What a citation points to: title, page, path and the sentence itself."""
    named = ", ".join(part for part in (citation.title, citation_place(citation)) if part)
    quote = " ".join(citation.quote.split())
    return tooltip(f"{named}\n{citation.document}\n\u201c{quote}\u201d")


def _mark_format(number: int) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setObjectType(MARK_OBJECT)
    made.setProperty(NUMBER, number)
    made.setAnchor(True)
    made.setAnchorHref(str(number))
    return made
