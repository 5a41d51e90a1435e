"""The sentences of an answer, each with the numbered marks of its citations and what the passages say to it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QToolTip, QWidget

from app.answers.claims import (
    AnswerSentence,
    answer_sentences,
    claim_tip,
    claims_described,
    doubt_words,
    headings,
)
from app.answers.text_objects import (
    LINE_HEIGHT,
    MARK_HEIGHT,
    MARK_OBJECT,
    SIGN_OBJECT,
    TextObjects,
    cited_format,
    mark_width,
    object_format,
    paint_mark,
    paint_sign,
    sign_width,
)
from app.answers.wording import citation_place, placed
from app.look import theme
from app.look.plain_text import tooltip
from app.look.translation import tr
from app.widgets.accessible import announce
from app.widgets.copying import plain_data
from core.text.escape_controls import escape_controls
from core.types import Answer, Citation, Claim, Verdict

COMMUNITY = "community"  # how the address of a community's title begins
SIGN = "sign"  # and that of a sign
OBJECT_SIGN = "\ufffc"


class AnswerText(QTextEdit):
    """As tall as its text. Marks are links: hover, click, or Tab to one and press Enter.

    Behind a sentence that was checked stands its sign; a click on it goes to the first citation.
    Signals: mark_pointed(number or 0) and mark_chosen(number); numbers count from 1.
    Sentences of an answer about all documents stand below the titles of their communities: a click on one
    gives community_chosen(id).
    """

    mark_pointed = Signal(int)
    mark_chosen = Signal(int)
    community_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("answerText")
        self.setAccessibleName(tr("Answer"))
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
        self._citations: tuple[Citation, ...] = ()
        self._size = theme.BODY
        self._sentences: tuple[AnswerSentence, ...] = ()
        self._heads: Mapping[int, str] = {}
        self._marks: list[tuple[int, int]] = []  # Qt position and number of each mark, in order
        self._signs: list[int] = []  # Qt position of the sign of each sentence; none: 0
        self._spans: list[tuple[int, int]] = []  # Qt positions of the words that answer
        self._pointed = 0
        self._current = 0
        self.focused_mark = 0  # its place among the marks, from 1; 0: none
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        marks = TextObjects(self, self._mark_width, self._paint_mark)
        signs = TextObjects(self, self._sign_width, self._paint_sign)
        self.document().documentLayout().registerHandler(MARK_OBJECT, marks)
        self.document().documentLayout().registerHandler(SIGN_OBJECT, signs)
        theme.notifier().changed.connect(self._on_theme)

    @property
    def lit(self) -> int:
        """Return the mark that is drawn filled: the one under the mouse, else the chosen one; 0: none."""
        return self._pointed or self._current

    def show_answer(self, answer: Answer) -> None:
        """Show the sentences of an answer, large where one of a document is the answer."""
        sentences = answer_sentences(answer)
        is_one = answer.main_citation is not None or answer.documents and len(answer.sentences) == 1
        self._size = theme.HEADING if is_one and not answer.guess else theme.BODY
        self.show_sentences(sentences, answer.citations, headings(sentences, answer.communities))
        self.setAccessibleDescription(claims_described(answer.claims))

    def show_sentences(
        self,
        sentences: tuple[AnswerSentence, ...],
        citations: tuple[Citation, ...],
        heads: Mapping[int, str] | None = None,
    ) -> None:
        """Put sentences in as plain text, a paragraph each; their numbers count the citations from 1.

        `heads`: what stands above some of them, by their place.
        """
        self.document().clear()
        self.document().setDocumentMargin(0)
        self.document().setDefaultFont(theme.font(self._size))
        self._citations, self._sentences, self._heads = citations, sentences, heads or {}
        self._marks, self._signs, self._spans = [], [], []
        self._pointed = self._current = self.focused_mark = 0
        block = QTextBlockFormat()
        block.setLineHeight(145.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        block.setBottomMargin(theme.WITHIN)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()  # laid out once, not after every sentence
        cursor.setBlockFormat(block)
        for row, sentence in enumerate(sentences):
            if row:
                cursor.insertBlock(block, QTextCharFormat())
            if row in self._heads:
                self._put_heading(cursor, self._heads[row], sentence.community, first=not row)
                cursor.insertBlock(block, QTextCharFormat())
            self._put(cursor, row, sentence)
        cursor.endEditBlock()
        self._show_spans()
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._fit()

    def _put_heading(self, cursor: QTextCursor, words: str, community: int | None, first: bool) -> None:
        block = QTextBlockFormat()
        block.setTopMargin(theme.GRID if first else theme.WITHIN)
        block.setBottomMargin(theme.GRID)
        cursor.setBlockFormat(block)
        format_ = QTextCharFormat()
        format_.setFont(theme.font(theme.SMALL, QFont.Weight.DemiBold))
        if community is not None:
            format_.setAnchor(True)
            format_.setAnchorHref(f"{COMMUNITY}:{community}")
        cursor.insertText(words, format_)

    def _put(self, cursor: QTextCursor, row: int, sentence: AnswerSentence) -> None:
        start, end = sentence.marked or (0, 0)
        cursor.insertText(sentence.text[:start], QTextCharFormat())
        begin = cursor.position()
        cursor.insertText(sentence.text[start:end], QTextCharFormat())
        if end > start:
            self._spans.append((begin, cursor.position()))
        cursor.insertText(sentence.text[end:], QTextCharFormat())
        for number in sentence.numbers:
            cursor.insertText("\u00a0", QTextCharFormat())
            self._marks.append((cursor.position(), number))
            mark_format = object_format(MARK_OBJECT, len(self._marks) - 1, str(number))
            cursor.insertText(OBJECT_SIGN, mark_format)
        self._signs.append(0)
        if sentence.claim is not None:
            cursor.insertText("\u00a0", QTextCharFormat())
            self._signs[row] = cursor.position()
            cursor.insertText(OBJECT_SIGN, object_format(SIGN_OBJECT, row, f"{SIGN}:{row}"))

    def _show_spans(self) -> None:
        """Show the words that answer, marked as the reader marks them."""
        selections = []
        for start, end in self._spans:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = QTextCursor(self.document())
            selection.cursor.setPosition(start)
            selection.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            selection.format = cited_format()
            selections.append(selection)
        self.setExtraSelections(selections)

    def marked(self) -> list[str]:
        """Return the words that are marked, read back from the view."""
        return [selection.cursor.selectedText() for selection in self.extraSelections()]

    def _claim(self, row: int) -> Claim | None:
        return self._sentences[row].claim if row < len(self._sentences) else None

    def _mark_width(self, place: int) -> float:
        return mark_width(self._marks[place][1])

    def _paint_mark(self, painter: QPainter, rect: QRectF, place: int) -> None:
        number, over = self._marks[place][1], theme.px(MARK_HEIGHT - LINE_HEIGHT) / 2
        box = rect.adjusted(0, -over, 0, over)
        paint_mark(painter, box, number, self.lit == number, self.focused_mark == place + 1)

    def _sign_width(self, row: int) -> float:
        claim = self._claim(row)
        return sign_width(claim) if claim is not None else 0

    def _paint_sign(self, painter: QPainter, rect: QRectF, row: int) -> None:
        if (claim := self._claim(row)) is not None:
            paint_sign(painter, rect, claim)

    def light(self, number: int) -> None:
        """Draw a mark as pointed at (from a list of sources); 0: none."""
        self._pointed = number
        self.viewport().update()

    def set_current(self, number: int) -> None:
        """Draw a mark as the chosen one; 0: none."""
        self._current = number
        self.viewport().update()

    def point_of(self, number: int) -> QPointF:
        """Return the middle of the first mark with this number, in the viewport."""
        return self._middle(next(position for position, found in self._marks if found == number))

    def point_of_sign(self, row: int) -> QPointF:
        """Return the middle of the sign behind a sentence, from 0, in the viewport."""
        return self._middle(self._signs[row])

    def _middle(self, position: int) -> QPointF:
        before, after = QTextCursor(self.document()), QTextCursor(self.document())
        before.setPosition(position)
        after.setPosition(position + 1)
        left, right = self.cursorRect(before), self.cursorRect(after)
        return QPointF((left.left() + right.left()) / 2, left.bottom() - theme.px(MARK_HEIGHT) / 2)

    def _mark_at(self, point: QPointF) -> int:
        """Return the number of the mark there, of a sign the first one of its sentence; 0: none."""
        href = self.document().documentLayout().anchorAt(point)
        sign = self._sign_at(point)
        if sign is not None:
            return next(iter(sign.numbers), 0)
        return int(href) if href.isdigit() else 0

    def _sign_at(self, point: QPointF) -> AnswerSentence | None:
        kind, _, row = self.document().documentLayout().anchorAt(point).partition(":")
        return self._sentences[int(row)] if kind == SIGN and int(row) < len(self._sentences) else None

    def _community_at(self, point: QPointF) -> int | None:
        kind, _, community = self.document().documentLayout().anchorAt(point).partition(":")
        return int(community) if kind == COMMUNITY else None

    def _tip_at(self, point: QPointF) -> str:
        sign, number = self._sign_at(point), self._mark_at(point)
        if sign is not None and sign.claim is not None:
            return claim_tip(sign.claim)
        if self._community_at(point) is not None:
            return tr("From the report of this community. Shows it")
        return citation_tip(self._citations[number - 1]) if number else ""

    def _on_theme(self, _: object) -> None:
        if self.document().defaultFont() != theme.font(self._size):
            current = self._current
            self.show_sentences(self._sentences, self._citations, self._heads)
            self._current = current
        self._show_spans()
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
        self._shape(bool(number))

    def _shape(self, link: bool) -> None:
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._point(self._mark_at(event.position()))
        self._shape(bool(self._pointed) or self._community_at(event.position()) is not None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        number, community = self._mark_at(event.position()), self._community_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        if number:
            self.mark_chosen.emit(number)
        elif community is not None:
            self.community_chosen.emit(community)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._point(0)
        if event.type() == QEvent.Type.ToolTip:
            words = self._tip_at(QPointF(event.pos()))  # type: ignore[attr-defined]
            if words:
                QToolTip.showText(event.globalPos(), tooltip(words), self)  # type: ignore[attr-defined]
                return True
        return super().viewportEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() == Qt.FocusReason.TabFocusReason:
            self._focus(1 if self._marks else 0)
        elif event.reason() == Qt.FocusReason.BacktabFocusReason:
            self._focus(len(self._marks))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._focus(0)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab goes from mark to mark, then out of the answer."""
        wanted = self.focused_mark + (1 if next else -1)
        if self.focused_mark and 1 <= wanted <= len(self._marks):
            self._focus(wanted)
            return True
        return super().focusNextPrevChild(next)

    def _focus(self, place: int) -> None:
        self.focused_mark = place
        number = self._marks[place - 1][1] if place else 0
        self._point(number)
        tip = citation_tip(self._citations[number - 1]) if number else ""
        announce(self, tr("Source {number}: {told}", number=number, told=tip) if number else "")
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self.focused_mark:
            self.mark_chosen.emit(self._marks[self.focused_mark - 1][1])
            return
        super().keyPressEvent(event)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Plain text, with the marks as [1], [2]... and a word behind what is not supported."""
        cursor = self.textCursor()
        position, written = cursor.selectionStart(), ""
        for sign in cursor.selectedText().replace("\u2029", "\n"):
            written += self._object_words(position) if sign == OBJECT_SIGN else sign
            position += 1 + (ord(sign) > 0xFFFF)  # Qt counts units of UTF-16
        return plain_data("\n".join(line.replace("\u00a0", " ").rstrip() for line in written.split("\n")))

    def _object_words(self, position: int) -> str:
        for place, number in self._marks:
            if place == position:
                return f"[{number}]"
        claim = self._claim(self._signs.index(position)) if position in self._signs else None
        return "" if claim is None or claim.verdict is Verdict.SUPPORTED else doubt_words(claim)


def citation_tip(citation: Citation) -> str:
    """Return what a citation points to: title, page, path and the sentence itself."""
    named = placed(citation.title, citation_place(citation))
    quote = " ".join(citation.quote.split())
    return f"{named}\n{escape_controls(citation.document)}\n\u201c{quote}\u201d"
