"""The answer: short, then in sentences with their marks, then the sources; or what is missing."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.models.claims import all_supported, claims_words, usage_words
from app.models.plain_text import tooltip
from app.models.wording import (
    answer_as_text,
    citation_place,
    confidence_words,
    first_lines,
    has_short_answer,
    quotes_only,
)
from app.panels.answer_text import AnswerText, citation_tip, mark_width, paint_mark
from app.panels.ask_communities import CommunityRow
from app.selection import Selected
from app.widgets.plain_label import PlainLabel
from core.types import Answer, Citation
from core.visible import visible

CONFIDENCE_TIP = (
    "Confidence {:.2f} of 1: how well the cited sentences match what was asked, as rules without a model "
    "measure it."
)
QUOTED_TIP = (
    "Every sentence stands in its passage word for word. Which ones are told was chosen from the reports of "
    "the communities."
)
LONG_ANSWER = 60  # letters above which a short answer is set smaller


class AnswerSection(QWidget):
    """Signals: citation_pointed(Citation or None), citation_chosen(Citation), community_chosen(id),
    route_chosen(name)."""

    citation_pointed = Signal(object)
    citation_chosen = Signal(object)
    community_chosen = Signal(int)
    route_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: Answer | None = None
        self.short = _label("title")
        self.short.setObjectName("shortAnswer")
        self.short.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.listed = _label("")
        self.listed.setObjectName("listed")
        self.listed.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sentences = AnswerText()
        self.communities = CommunityRow()
        self.missing = MissingBox()
        self.support = _label("small")
        self.support_icon = PlainLabel()
        self.usage = _label("small")
        self.usage.setObjectName("usage")
        self.copy_button = QToolButton()
        self.sources: list[SourceButton] = []
        self._lay_out()
        self.sentences.mark_pointed.connect(self._on_pointed)
        self.sentences.mark_chosen.connect(self._on_chosen)
        self.sentences.community_chosen.connect(self.community_chosen)
        self.communities.chosen.connect(self.community_chosen)
        self.missing.route_chosen.connect(self.route_chosen)
        self.copy_button.clicked.connect(self.copy)
        theme.notifier().changed.connect(self._on_theme)

    def _lay_out(self) -> None:
        self.copy_button.setIcon(theme.icon("copy", "muted"))
        self.copy_button.setToolTip("Copy the answer with its citations (Ctrl+Shift+C)")
        self.copy_button.setAccessibleName("Copy the answer with its citations")
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.addWidget(self.support_icon)
        foot.addWidget(self.support, 1)
        foot.addWidget(self.copy_button)
        self._sources = QVBoxLayout()
        self._sources.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.WITHIN)
        column.addWidget(self.short)
        column.addWidget(self.listed)
        column.addWidget(self.sentences)
        column.addWidget(self.communities)
        column.addWidget(self.missing)
        column.addLayout(self._sources)
        column.addLayout(foot)
        column.addWidget(self.usage)

    def show_answer(self, answer: Answer) -> None:
        """Replace what is shown."""
        self._answer = answer
        short = not answer.abstained and has_short_answer(answer)
        line, listed = first_lines(answer) if short else ("", "")
        self.short.setText(line)
        self.listed.setText(listed)
        self.listed.setVisible(bool(listed))
        self.short.setFont(theme.font(theme.TITLE))
        self.short.setProperty("kind", "title" if len(line) <= LONG_ANSWER and not listed else "heading")
        self.short.style().polish(self.short)
        self.short.setVisible(short)
        self.sentences.show_answer(answer)
        self.sentences.setVisible(not answer.abstained and bool(answer.sentences or answer.claims))
        self.missing.setVisible(answer.abstained)
        if answer.abstained:
            self.missing.show_answer(answer)
        self.communities.show_communities(() if answer.abstained else answer.communities)
        self._show_sources(() if answer.abstained else answer.citations)
        self._show_support(answer)
        self.usage.setText(usage_words(answer))
        self.usage.setVisible(bool(self.usage.text()))

    def _show_support(self, answer: Answer) -> None:
        words, measured = confidence_words(answer.confidence), CONFIDENCE_TIP.format(answer.confidence)
        if quotes_only(answer):
            words, measured = "Every sentence is a quotation", QUOTED_TIP
        if answer.claims:
            words += f"; {claims_words(answer.claims)}"
        sure = answer.confidence >= 0.5 and all_supported(answer.claims)
        icon, role = ("check-circle", "ok") if sure else ("warning-circle", "warn")
        self.support_icon.setPixmap(theme.icon(icon, role).pixmap(16, 16))
        self.support.setText(words)
        for widget in (self.support, self.support_icon):
            widget.setToolTip(tooltip(measured))
            widget.setVisible(not answer.abstained)
        self.copy_button.setVisible(not answer.abstained)

    def _on_theme(self, _: object) -> None:
        if self._answer is not None:
            self._show_support(self._answer)

    def _show_sources(self, citations: tuple[Citation, ...]) -> None:
        for button in self.sources:
            self._sources.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.sources = [
            SourceButton(number, citation, self) for number, citation in enumerate(citations, start=1)
        ]
        for button in self.sources:
            button.clicked.connect(lambda _, button=button: self._on_chosen(button.number))
            button.pointed.connect(self._on_source_pointed)
            self._sources.addWidget(button)
        order = [self.sentences, *self.communities.chips, *self.sources, self.copy_button]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def show_current(self, selected: Selected | None) -> None:
        """Fill the mark of the citation that is selected, wherever it was selected."""
        current = 0
        if self._answer is not None and selected is not None and selected.kind == "citation":
            for number, citation in enumerate(self._answer.citations, start=1):
                place = (citation.passage_id, citation.start, citation.end)
                if place == (selected.id, selected.start, selected.end):
                    current = current or number
        chosen = int(selected.id) if selected is not None and selected.kind == "community" else None
        self.communities.set_current(chosen)
        self.sentences.set_current(current)
        for button in self.sources:
            button.set_current(button.number == current)

    def copy(self) -> None:
        """Put question, answer and sources on the clipboard as plain text."""
        if self._answer is not None:
            QGuiApplication.clipboard().setText(answer_as_text(self._answer))

    def _citation(self, number: int) -> Citation | None:
        citations = self._answer.citations if self._answer else ()
        return citations[number - 1] if 1 <= number <= len(citations) else None

    def _on_pointed(self, number: int) -> None:
        for button in self.sources:
            button.light(button.number == number)
        self.citation_pointed.emit(self._citation(number))

    def _on_source_pointed(self, number: int) -> None:
        self.sentences.light(number)
        self.citation_pointed.emit(self._citation(number))

    def _on_chosen(self, number: int) -> None:
        citation = self._citation(number)
        if citation is not None:
            self.citation_chosen.emit(citation)


class SourceButton(QAbstractButton):
    """One line of the sources: number, title, page. Signal: pointed(number or 0)."""

    pointed = Signal(int)
    HEIGHT = 28

    def __init__(self, number: int, citation: Citation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.number, self.citation = number, citation
        self._lit = self._current = False
        place = citation_place(citation)
        self.setObjectName(f"source{number}")
        self.setAccessibleName(f"Source {number}: {citation.title or citation.document} {place}".strip())
        self.setToolTip(tooltip(citation_tip(citation)))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def light(self, lit: bool) -> None:
        self._lit = lit
        self.update()

    def set_current(self, current: bool) -> None:
        self._current = current
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self.HEIGHT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.light(True)
        self.pointed.emit(self.number)

    def leaveEvent(self, event: QEvent) -> None:
        self.light(False)
        self.pointed.emit(0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.pointed.emit(self.number)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.pointed.emit(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors, painter = theme.current(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        if self._lit or self._current or self.hasFocus():
            painter.setPen(colors.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(colors.color("accent_soft"))
            painter.drawRoundedRect(box, theme.RADIUS, theme.RADIUS)
        wide = mark_width(self.number)
        middle = self.height() / 2
        paint_mark(painter, QRectF(theme.GRID, middle - 8, wide, 16), self.number, self._lit or self._current)
        place = citation_place(self.citation)
        small = theme.font(theme.SMALL)
        place_wide = QFontMetrics(small).horizontalAdvance(place) if place else 0
        left = theme.GRID + wide + theme.WITHIN
        right = self.width() - theme.WITHIN - place_wide
        middle_flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        painter.setFont(theme.font())
        room = right - left - (theme.WITHIN if place else 0)
        title = visible(" ".join((self.citation.title or self.citation.document).split()))
        title = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, room)
        painter.setPen(colors.color("text"))
        painter.drawText(QRectF(left, 0, room, self.height()), middle_flags, title)
        painter.setFont(small)
        painter.setPen(colors.color("muted"))
        painter.drawText(QRectF(right, 0, place_wide, self.height()), middle_flags, place)
        painter.end()


class MissingBox(QFrame):
    """The calm box: what is missing, what to try. Signal: route_chosen(name)."""

    route_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("missingBox")
        self.setProperty("kind", "card")
        self._icon = PlainLabel()
        self._on_theme(None)
        theme.notifier().changed.connect(self._on_theme)
        self.headline = _label("")
        self.headline.setFont(theme.font(theme.BODY, QFont.Weight.DemiBold))
        self.headline.setText("The documents do not carry an answer")
        self.words = _label("")
        self.graph = QPushButton("Ask on the graph route")
        self.graph.setToolTip(
            "Walk over the graph from the names in the question: finds what several documents say"
        )
        self.graph.clicked.connect(lambda: self.route_chosen.emit("graph"))
        text = QVBoxLayout()
        text.setSpacing(theme.GRID)
        text.addWidget(self.headline)
        text.addWidget(self.words)
        text.addWidget(self.graph, 0, Qt.AlignmentFlag.AlignLeft)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 12, 12, 12)
        row.setSpacing(theme.WITHIN)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(text, 1)

    def _on_theme(self, _: object) -> None:
        self._icon.setPixmap(theme.icon("compass", "muted").pixmap(20, 20))

    def show_answer(self, answer: Answer) -> None:
        """Say what is missing; offer the graph where it was not the way taken."""
        self.words.setText(answer.missing or "Nothing in the passages found answers this. Try other words.")
        self.graph.setVisible(answer.trace.route.name != "graph")


def _label(kind: str) -> PlainLabel:
    return PlainLabel(kind=kind, wrap=True)
