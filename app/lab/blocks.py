"""A composition as blocks from left to right, each module with what it does, how long it took and what it left."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.answers.wording import duration
from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr, trn
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from core.text.escape_controls import escape_controls
from core.types import LabComposition, LabFlow, LabPart, LabStep

_LEAST, _MOST = 128, 260  # pixels of a block at 100 %
_HIGH, _WIDE, _LOW = 92, 176, 72  # its height, the width from which on fewer lines do, and the height then
_GAP = 20  # between two, where the arrow is


@dataclass(frozen=True, slots=True)
class Block:
    """`step` is what a question made of it, None before one was asked."""

    part: LabPart
    step: LabStep | None = None

    @property
    def used(self) -> bool:
        return bool(self.part.kind) or self.step is not None

    @property
    def name(self) -> str:
        words = tr(self.part.module)
        return words[:1].upper() + words[1:]

    @property
    def kind(self) -> str:
        """Return what it does, in words."""
        return self.part.kind or ("" if self.step is not None else tr("not used"))

    @property
    def figures(self) -> str:
        """Sizes, or how many settings were changed."""
        if self.step is not None:
            return self.step.detail
        count = len(self.part.settings)
        return trn("{count} setting changed", "{count} settings changed", count) if count else ""

    @property
    def time(self) -> str:
        """That it took, "" before a question."""
        return duration(self.step.seconds) if self.step is not None else ""

    @property
    def words(self) -> str:
        """Return all of it, a line each."""
        found = (self.time, self.figures) if self.step is not None else ()
        return "\n".join(filter(None, (self.kind, *self.part.settings, *found)))


def blocks_of(composition: LabComposition, flow: LabFlow | None) -> tuple[Block, ...]:
    """Return the modules, and where a question met stages within one, these as blocks of their own."""
    blocks, at = [Block(part) for part in composition.parts], 0
    steps = flow.steps if flow is not None else ()
    for number, step in enumerate(steps):
        later = {each.module for each in steps[number + 1 :]}
        coming = [block.part.module for block in blocks[at:]]
        ahead = coming.index(step.module) if step.module in coming else len(coming)
        if ahead < len(coming) and not later.intersection(coming[:ahead]):
            at += ahead
            blocks[at] = Block(blocks[at].part, step)
        else:
            # A module that is told by its stages alone stands before them.
            while at < len(blocks) and blocks[at].used and blocks[at].part.module not in later:
                at += 1
            blocks.insert(at, Block(LabPart(step.module, ""), step))
        at += 1
    return tuple(blocks)


class BlockStrip(QWidget):
    """Left and Right go from block to block, Enter draws one on the graph. Signals: chosen(Block); drawn(Block) by
    click or Enter."""

    chosen = Signal(object)
    drawn = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.blocks: tuple[Block, ...] = ()
        self._at = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.List, self._parts, lambda: self._at))
        self.setAccessibleName(tr("Modules of the composition, from the question to the passages"))
        theme.follow(self, self._fit)

    @property
    def current(self) -> Block | None:
        return self.blocks[self._at] if 0 <= self._at < len(self.blocks) else None

    def show_blocks(self, blocks: tuple[Block, ...]) -> None:
        """In place of those that were shown; the module that was chosen stays so, if it is there."""
        before = self.current.part.module if self.current is not None else ""
        self.blocks = blocks
        self._at = next((at for at, each in enumerate(blocks) if each.part.module == before), 0)
        self._fit()
        if self.current is not None:
            self.chosen.emit(self.current)

    def choose(self, at: int) -> None:
        if self.blocks:
            self._at = max(0, min(at, len(self.blocks) - 1))
            self.update()
            announce_focus(self, self._at)
            self.chosen.emit(self.blocks[self._at])

    def choose_module(self, module: str) -> None:
        """The block of a module, if there is one."""
        at = next((at for at, each in enumerate(self.blocks) if each.part.module == module), None)
        if at is not None:
            self.choose(at)

    # ------------------------------------------------------------ places

    def _per_line(self) -> int:
        gap, count = theme.px(_GAP), max(1, len(self.blocks))
        fits = max(1, (self.width() + gap) // (theme.px(_LEAST) + gap))
        lines = -(-count // fits)
        return -(-count // lines)  # lines of one length

    def _lines(self) -> int:
        return -(-len(self.blocks) // self._per_line()) if self.blocks else 1

    def _wide(self) -> int:
        per_line, gap = self._per_line(), theme.px(_GAP)
        return min((self.width() + gap) // per_line - gap, theme.px(_MOST))

    def _high(self) -> int:
        return theme.px(_LOW if self._wide() >= theme.px(_WIDE) else _HIGH)

    def _fit(self) -> None:
        self.setFixedHeight(self._lines() * (self._high() + theme.WITHIN) - theme.WITHIN)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(_LEAST) * 4, self.height())

    def place(self, at: int) -> QRect:
        """Return where a block stands."""
        wide, high = self._wide(), self._high()
        line, column = divmod(at, self._per_line())
        return QRect(column * (wide + theme.px(_GAP)), line * (high + theme.WITHIN), wide, high)

    def _parts(self) -> list[Part]:
        return [
            Part(
                tr("{module}: {kind}", module=each.name, kind=each.kind),
                each.words,
                self.place(at),
                at == self._at,
            )
            for at, each in enumerate(self.blocks)
        ]

    # ------------------------------------------------------------ painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(self)
        for at, block in enumerate(self.blocks):
            box = self.place(at)
            self._paint_block(painter, box, block, at == self._at)
            if at + 1 < len(self.blocks) and self.place(at + 1).top() == box.top():
                self._paint_arrow(painter, box)

    def _paint_block(self, painter: QPainter, box: QRect, block: Block, here: bool) -> None:
        now = theme.current()
        if block.used or here:
            rounded(painter, box, "accent" if here else "strong_border", "accent_soft" if here else "surface")
        if not block.used:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(now.color("accent" if here else "border"), 1, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(box.adjusted(0, 0, -1, -1), theme.RADIUS, theme.RADIUS)
        if here and self.hasFocus():
            rounded(painter, box.adjusted(1, 1, -1, -1), "accent")
        inside = box.adjusted(10, 8, -8, -6)
        role = "text" if block.used else "muted"
        first = QRect(inside.left(), inside.top(), inside.width(), theme.px(18))
        taken = paint_text(painter, first, block.name, role, weight=QFont.Weight.DemiBold)
        time_width = QFontMetrics(theme.font(theme.SMALL)).horizontalAdvance(block.time)
        fits = taken + time_width + theme.GRID <= first.width()
        if fits:
            end = Qt.AlignmentFlag.AlignRight
            paint_text(painter, first, block.time, "muted", theme.SMALL, place=end)
        figures = block.figures if fits else tr("; ").join(filter(None, (block.time, block.figures)))
        line = QFontMetrics(theme.font(theme.SMALL)).lineSpacing()
        lines = (inside.bottom() - first.bottom()) // line  # whole ones
        below = QRect(inside.left(), first.bottom() + 2, inside.width(), lines * line)
        painter.save()
        painter.setClipRect(below)
        for words, shade in ((block.kind, role), (figures, "muted")):
            below.setTop(below.top() + _paint_wrapped(painter, below, words, shade))
        painter.restore()

    @staticmethod
    def _paint_arrow(painter: QPainter, box: QRect) -> None:
        gap, middle = theme.px(_GAP), box.center().y()
        left, tip = box.right() + 4.0, box.right() + gap - 3.0
        color = theme.current().color("strong_border")
        painter.setPen(QPen(color, 1.5))
        painter.drawLine(QPointF(left, middle), QPointF(tip - 4, middle))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(
            QPolygonF([QPointF(tip, middle), QPointF(tip - 6, middle - 4), QPointF(tip - 6, middle + 4)])
        )

    # ------------------------------------------------------------ hands

    def _under(self, point: QPointF) -> int:
        return next((n for n in range(len(self.blocks)) if self.place(n).contains(point.toPoint())), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self._under(event.position())
        words = f"{self.blocks[at].name}\n{self.blocks[at].words}" if at >= 0 else ""
        set_tip(self, words)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (at := self._under(event.position())) >= 0:
            self.choose(at)
            self.drawn.emit(self.blocks[at])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Left: self._at - 1, Qt.Key.Key_Right: self._at + 1, Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(self.blocks) - 1,
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in moves:
            self.choose(moves[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.current is not None:
            self.drawn.emit(self.current)
        else:
            super().keyPressEvent(event)


def _paint_wrapped(painter: QPainter, box: QRect, words: str, role: str) -> int:
    """Small words on as many lines as they need; the pixels of these."""
    painter.setFont(theme.font(theme.SMALL))
    painter.setPen(theme.current().color(role))
    place = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
    painter.drawText(box, place, escape_controls(words))
    return painter.boundingRect(box, place, escape_controls(words)).height() if words else 0
