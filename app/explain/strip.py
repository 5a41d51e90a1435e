"""The way of a question as a row of stages, each passed, weak or lost; one of them is chosen."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look import theme
from app.look.painting import paint_text, rounded, smooth
from app.look.plain_text import set_tip
from app.look.translation import tr
from app.widgets.accessible import Part, Role, Spoken, announce_focus, speak
from core.types import MissStage, MissStep, StepState

NAMES = {
    MissStage.FILE: tr("File"),
    MissStage.PASSAGE: tr("Passage"),
    MissStage.INDEX: tr("Index"),
    MissStage.SCOPE: tr("Scope"),
    MissStage.WAY: tr("Way"),
    MissStage.GATE: tr("Gate"),
    MissStage.NAMES: tr("Names"),
    MissStage.SEEDS: tr("Seeds"),
    MissStage.WALK: tr("Walk"),
    MissStage.SECOND: tr("Reranking"),
    MissStage.WORDS: tr("Words"),
    MissStage.MEANING: tr("Meaning"),
    MissStage.JOIN: tr("Joined"),
    MissStage.CUT: tr("Read"),
    MissStage.PACK: tr("Given"),
    MissStage.READER: tr("Reader"),
    MissStage.CHECKS: tr("Checks"),
    MissStage.BAR: tr("Bar"),
}
STATES = {
    StepState.PASSED: (tr("passed"), "check-circle", "ok"),
    StepState.WEAK: (tr("weak"), "minus-circle", "muted"),
    StepState.LOST: (tr("lost here"), "x-circle", "error"),
    StepState.UNREACHED: (tr("not reached"), "circle-dashed", "muted"),
}
_LEAST = 92  # pixels of a stage at 100 %
_HIGH = 46


class StageStrip(QWidget):
    """Left and Right go from stage to stage. Signal: chosen(MissStep)."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stageStrip")
        self._steps: tuple[MissStep, ...] = ()
        self._at = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        speak(self, Spoken(Role.List, self._parts, lambda: self._at))
        self.setAccessibleName(tr("Stages from the file to the answer"))
        theme.follow(self, self._fit)

    @property
    def current(self) -> MissStep | None:
        return self._steps[self._at] if 0 <= self._at < len(self._steps) else None

    def show_steps(self, steps: tuple[MissStep, ...], lost: MissStage | None) -> None:
        """Show these stages; the one that lost it is chosen, else the last."""
        self._steps = steps
        self._fit()
        self.choose(next((at for at, step in enumerate(steps) if step.stage is lost), len(steps) - 1))

    def choose(self, at: int) -> None:
        if self._steps:
            self._at = max(0, min(at, len(self._steps) - 1))
            self.update()
            announce_focus(self, self._at)
            self.chosen.emit(self._steps[self._at])

    def _per_line(self) -> int:
        return max(1, self.width() // theme.px(_LEAST))

    def _fit(self) -> None:
        lines = -(-len(self._steps) // self._per_line()) if self._steps else 0
        self.setFixedHeight(lines * (theme.px(_HIGH) + theme.GRID))
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(_LEAST) * 6, self.height())

    def place(self, at: int) -> QRect:
        """Return where a stage stands."""
        per_line = min(self._per_line(), max(1, len(self._steps)))
        wide, high = self.width() // per_line, theme.px(_HIGH)
        return QRect(at % per_line * wide, at // per_line * (high + theme.GRID), wide - theme.GRID, high)

    def _parts(self) -> list[Part]:
        return [
            Part(
                tr(
                    "{stage}: {state} {figure}",
                    stage=NAMES[s.stage],
                    state=STATES[s.state][0],
                    figure=s.figure,
                ),
                s.words,
                self.place(at),
                at == self._at,
            )
            for at, s in enumerate(self._steps)
        ]

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = smooth(self)
        for at, step in enumerate(self._steps):
            _, icon, role = STATES[step.state]
            box, here = self.place(at), at == self._at
            outline = "accent" if here else "error" if step.state is StepState.LOST else "border"
            rounded(painter, box, outline, "accent_soft" if here else "surface")
            inside = box.adjusted(theme.WITHIN, theme.GRID, -theme.GRID, -theme.GRID)
            side = theme.px(14)
            theme.icon(icon, role).paint(painter, QRect(inside.left(), inside.top() + 2, side, side))
            half = inside.height() // 2
            upper = QRect(
                inside.left() + side + theme.GRID, inside.top(), inside.width() - side - theme.GRID, half
            )
            lower = QRect(inside.left(), inside.top() + half, inside.width(), half)
            faint = step.state is StepState.UNREACHED
            weight = QFont.Weight.DemiBold if step.state is StepState.LOST else QFont.Weight.Normal
            paint_text(painter, upper, NAMES[step.stage], "muted" if faint else "text", weight=weight)
            paint_text(painter, lower, step.figure or STATES[step.state][0], "muted", theme.SMALL)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        at = next((at for at in range(len(self._steps)) if self.place(at).contains(point)), -1)
        if at >= 0:
            self.choose(at)
            set_tip(self, self._steps[at].words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: self._at - 1, Qt.Key.Key_Right: self._at + 1, Qt.Key.Key_Home: 0}
        ends = {Qt.Key.Key_End: len(self._steps) - 1}
        at = {**steps, **ends}.get(Qt.Key(event.key()))
        if at is None:
            super().keyPressEvent(event)
        else:
            self.choose(at)
