"""Two sides of a comparison: how the question is asked there, what is answered, and how the passages are ranked."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QEnterEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QFileDialog,
    QFrame,
    QPlainTextEdit,
    QSizePolicy,
    QSpinBox,
    QTextEdit,
    QWidget,
)

from app.answers.wording import NO_ANSWER, ROUTE_MEANING, duration, percent, route_name
from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.session.language_server import QUOTES, writer_of, writer_words
from app.session.session import Session
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from app.widgets.buttons import tool_button
from app.widgets.fields import ChoiceBox, line_edit
from app.widgets.labels import PlainLabel
from app.widgets.layout import STRETCH, column, row
from core.text.escape_controls import escape_controls
from core.types import Answer, RankedTwice

_MOST = 50  # passages
_BREAKPOINT = 320  # pixels at 100 % from which on settings and writer stand beside each other
_LINES = 3  # of an answer
_ROW, _GAP = 26, 110  # pixels at 100 %: a passage, and the room for the lines between the columns


@dataclass(frozen=True, slots=True)
class Way:
    """How a question is asked; `workspace` None: the open one."""

    route: str
    k: int
    writer: str
    settings: tuple[str, ...]
    workspace: Path | None


class SideForm(QWidget):
    """Route, passages, who writes, settings, workspace."""

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._place: Path | None = None
        self.setAccessibleName(name)
        self.route = ChoiceBox(tr("Route of {side}", side=name), letters=4)
        self.route.addItem(tr("Auto"), "auto")
        self.route.setItemData(0, tr("the score chooses"), Qt.ItemDataRole.ToolTipRole)
        for route, meaning in ROUTE_MEANING.items():
            self.route.addItem(route_name(route), route)
            self.route.setItemData(self.route.count() - 1, meaning, Qt.ItemDataRole.ToolTipRole)
        self.k = QSpinBox(minimum=1, maximum=_MOST, value=10)
        set_tip(self.k, tr("Passages that are ranked"))
        self.k.setAccessibleName(tr("Passages of {side}", side=name))
        self.writer = ChoiceBox(tr("Who writes {side}", side=name), letters=4)
        self.settings = line_edit(tr("Settings"), tr("Settings of {side}", side=name), clear=True)
        words = tr("Settings that hold for this side only, as NAME=VALUE: retrieval.damping=0.5")
        set_tip(self.settings, words)
        tip = tr("Ask another workspace, opened for reading only")
        self.choose = tool_button("folder-open", tip, self.choose_workspace, text="")
        self.choose.setAccessibleName(tr("Workspace of {side}", side=name))
        self.here = tool_button("x", tr("Ask the open workspace again"), lambda: self.set_workspace(None))
        self.place = PlainLabel(kind="small")
        self.k.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)  # the arrows of the keyboard do the same
        self.settings.setMinimumWidth(60)
        self._how = row((self.settings, 1), (self.writer, 1))
        column(
            row(PlainLabel(name, "heading"), (self.route, 1), self.k, self.choose),
            self._how,
            row((self.place, 1), self.here),
            STRETCH,
            spacing=theme.GRID,
            on=self,
        )
        session.language.changed.connect(self.fill)
        self.fill()
        self.set_workspace(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < theme.px(_BREAKPOINT)
        way = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._how.setDirection(way)

    def fill(self, _: object = None) -> None:
        """The models that there are."""
        chosen = self.writer.currentData()
        self.writer.clear()
        self.writer.addItem(writer_words(QUOTES), QUOTES)
        for found in self._session.language.models if self._session.trusted else ():
            self.writer.addItem(writer_words(writer_of(found.name)), writer_of(found.name))
        self.writer.setCurrentIndex(max(0, self.writer.findData(chosen)))

    def choose_workspace(self) -> None:
        """Ask for the folder of another workspace."""
        dialog = QFileDialog(self, tr("Workspace to compare with"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda place: self.set_workspace(Path(place)))
        dialog.open()

    def set_workspace(self, place: Path | None) -> None:
        self._place = place
        words = tr("Asks {name}, for reading only", name=place.name) if place else ""
        self.place.setText(words)
        for part in (self.place, self.here):
            part.setVisible(place is not None)

    def set_route(self, route: str) -> None:
        self.route.setCurrentIndex(max(0, self.route.findData(route)))

    @property
    def way(self) -> Way:
        """As it is chosen now. Raises ValueError where a quotation mark of the settings is not closed."""
        settings = tuple(shlex.split(self.settings.text()))
        return Way(self.route.currentData(), self.k.value(), self.writer.currentData(), settings, self._place)


class DiffText(QPlainTextEdit):
    """Read only; `struck` through what the other side does not say, else underlined."""

    def __init__(self, name: str, struck: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent, readOnly=True)
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self._struck = struck
        self._spans: tuple[tuple[int, int], ...] = ()
        theme.follow(self, self._fit)

    def show_answer(self, answer: Answer, spans: tuple[tuple[int, int], ...]) -> None:
        self._spans = () if answer.abstained else spans
        self.setPlainText(NO_ANSWER if answer.abstained else escape_controls(answer.text, keep="\n\t"))
        self._fit()

    def marked(self) -> list[str]:
        """Return what is marked, for a screen reader."""
        text = self.toPlainText()
        return [text[start:end] for start, end in self._spans]

    def _fit(self) -> None:
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + 2 * theme.WITHIN)
        marks = []
        for start, end in self._spans:
            mark = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(_units(self.toPlainText(), start))
            cursor.setPosition(_units(self.toPlainText(), end), QTextCursor.MoveMode.KeepAnchor)
            how = QTextCharFormat()
            how.setBackground(theme.current().color("mark"))
            how.setForeground(theme.current().color("on_mark"))
            how.setFontStrikeOut(self._struck)
            how.setFontUnderline(not self._struck)
            mark.cursor, mark.format = cursor, how
            marks.append(mark)
        self.setExtraSelections(marks)


def _units(text: str, place: int) -> int:
    """Qt counts UTF-16."""
    return len(text[:place].encode("utf-16-le")) // 2


def figures(answer: Answer) -> str:
    """Route, probability, passages, stages and time in one line."""
    trace = answer.trace
    stages = trn("{count} stage", "{count} stages", len(trace.stages))
    share = percent(answer.confidence)
    parts = (route_name(trace.route.name), share, stages, duration(trace.seconds))
    return "  \u00b7  ".join(parts)


def heat_words(more_a: list[str], more_b: list[str]) -> str:
    """Return which names are hotter on which side."""
    if not more_a and not more_b:
        return tr("The heat is the same on both sides.")
    none = tr("nothing")
    one, other = (tr(", ").join(names) or none for names in (more_a, more_b))
    return tr("Hotter in A: {one}. Hotter in B: {other}.", one=one, other=other)


class RankLines(QWidget):
    """The mouse or Up and Down light a passage on both sides. Signals: chosen(RankedTwice), pointed(the
    same, or None)."""

    chosen = Signal(object)
    pointed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[RankedTwice, ...] = ()
        self._lit = -1
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.List, self._parts, lambda: self._lit))
        self.setAccessibleName(tr("Passages of both sides"))
        theme.follow(self, self._fit)

    def show_rows(self, rows: tuple[RankedTwice, ...]) -> None:
        self._rows, self._lit = rows, -1
        self._fit()

    def show_passage(self, passage_id: str) -> None:
        """Light the passage that is selected in the window, on both sides."""
        if self.lit is None or self.lit.passage_id != passage_id:
            rows = (at for at, hit in enumerate(self._rows) if hit.passage_id == passage_id)
            self._lit = next(rows, -1)
            self.update()

    @property
    def lit(self) -> RankedTwice | None:
        return self._rows[self._lit] if 0 <= self._lit < len(self._rows) else None

    def _fit(self) -> None:
        deepest = max((rank or 0 for row in self._rows for rank in (row.rank_a, row.rank_b)), default=0)
        self.setFixedHeight(deepest * theme.px(_ROW) + theme.GRID)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(560), self.height())

    def place(self, at: int, left: bool) -> QRect:
        """Return where a passage stands on a side; empty where it does not."""
        row = self._rows[at]
        rank = row.rank_a if left else row.rank_b
        if rank is None:
            return QRect()
        wide, high = (self.width() - theme.px(_GAP)) // 2, theme.px(_ROW)
        return QRect(0 if left else self.width() - wide, (rank - 1) * high, wide, high - 2)

    def _parts(self) -> list[Part]:
        return [
            Part(
                hit.title or hit.document,
                moved_words(hit),
                self.place(at, hit.rank_a is not None),
                at == self._lit,
            )
            for at, hit in enumerate(self._rows)
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, now = smooth(self), theme.current()
        for at, hit in enumerate(self._rows):
            left, right = self.place(at, True), self.place(at, False)
            lit = at == self._lit
            if not left.isEmpty() and not right.isEmpty():
                start, end = (
                    QPointF(left.right() + 4, left.center().y()),
                    QPointF(right.left() - 4, right.center().y()),
                )
                path, half = QPainterPath(start), (end.x() - start.x()) / 2
                path.cubicTo(start + QPointF(half, 0), end - QPointF(half, 0), end)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(now.color("accent" if lit else "strong_border"), 2.5 if lit else 1.2))
                painter.drawPath(path)
            for box, rank, other in ((left, hit.rank_a, hit.rank_b), (right, hit.rank_b, hit.rank_a)):
                if box.isEmpty():
                    continue
                rounded(painter, box, "accent" if lit else "border", "accent_soft" if lit else "surface")
                number = QRect(box.left() + theme.WITHIN, box.top(), theme.px(26), box.height())
                paint_text(painter, number, str(rank), "muted", theme.SMALL)
                room = theme.px(52) if other is None else theme.WITHIN
                name = QRect(number.right(), box.top(), box.right() - number.right() - room, box.height())
                weight = QFont.Weight.DemiBold if lit else QFont.Weight.Normal
                paint_text(painter, name, escape_controls(hit.title or hit.document), weight=weight)
                side = QRect(box.right() - theme.px(50), box.top(), theme.px(44), box.height())
                moved = tr("only") if other is None else ""
                paint_text(painter, side, moved, "warn", theme.SMALL, place=Qt.AlignmentFlag.AlignRight)

    def _light(self, at: int) -> None:
        if at != self._lit:
            self._lit = at
            row = self.lit
            set_tip(self, f"{moved_words(row)}\n{' '.join(row.text.split())[:300]}" if row else "")
            self.pointed.emit(row)
            self.update()

    def _at(self, event: QMouseEvent) -> int:
        point = event.position().toPoint()
        places = ((at, side) for at in range(len(self._rows)) for side in (True, False))
        return next((at for at, side in places if self.place(at, side).contains(point)), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._light(self._at(event))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._light(self._at(event))
        if (row := self.lit) is not None:
            self.chosen.emit(row)

    def leaveEvent(self, event: QEnterEvent) -> None:  # type: ignore[override]
        if not self.hasFocus():
            self._light(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if step and self._rows:
            self._light(max(0, min(self._lit + step, len(self._rows) - 1)))
            announce_focus(self, self._lit)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.lit is not None:
            self.chosen.emit(self.lit)
        else:
            super().keyPressEvent(event)


def moved_words(row: RankedTwice) -> str:
    """Return where a passage stands on both sides."""
    if row.rank_b is None:
        return tr("{document}: {rank} in A, not in B", document=row.document, rank=row.rank_a)
    if row.rank_a is None:
        return tr("{document}: {rank} in B, not in A", document=row.document, rank=row.rank_b)
    return tr("{document}: {a} in A, {b} in B", document=row.document, a=row.rank_a, b=row.rank_b)
