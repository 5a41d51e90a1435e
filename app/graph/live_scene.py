"""The scene on the canvas of one panel, and the next one while its nodes are computed on another thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.graph.canvas.canvas import GraphCanvas
from app.graph.drawing import Drawing, drawn
from app.graph.scene import Scene, show
from app.session.session import Session

TASK = "graph drawing"  # not shown


class LiveScene(QObject):
    """`redrawn` fires when other nodes are on the canvas. Nobody else tells the canvas what stands out."""

    redrawn = Signal()
    changed = Signal()  # the scene is another one; its nodes may still be on their way

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__(canvas)
        self._tasks, self._canvas = session.tasks.owned_by(self), canvas
        self.now = self._shown = Scene()
        canvas.set_units(*self.now.units)
        self._then: list[Callable[[], object]] = []

    @property
    def pending(self) -> bool:
        """Whether other nodes than those on the canvas are on their way."""
        return self._tasks.busy(TASK)

    def change(self, then: Callable[[], object] | None = None, **parts: Any) -> None:
        """Show the next scene, with other `parts` than now, named as in `Scene`.

        Where other nodes are to be seen they come when they were computed, unless yet another change came first.
        `then` is called when the nodes are there.
        """
        before, self.now = self.now.plan, replace(self.now, **parts)
        plan, drawing = self.now.plan, self.now.drawing
        if then is not None:
            self._then.append(then)
        if plan != before:
            self._tasks.drop(TASK)
            if plan.folded and plan != drawing.plan:
                self._tasks.start(TASK, lambda _: drawn(plan, drawing), self._land, ended=self._go_on)
            elif plan != drawing.plan:
                self.now = replace(self.now, drawing=drawn(plan, drawing))
        self._show()
        self.changed.emit()

    def _land(self, drawing: Drawing) -> None:
        self.now = replace(self.now, drawing=drawing)
        self._show()

    def _show(self) -> None:
        last, self._shown = self._shown, self.now
        show(self.now, last, self._canvas)
        if self.now.drawing is not last.drawing:
            self.redrawn.emit()
        self._go_on()

    def _go_on(self) -> None:
        """Let the keys wait while nodes are computed, and let all go on that waited for them."""
        if self.pending:
            self._canvas.hold_keys(True)
            return
        waiting, self._then = self._then, []
        for act in waiting:
            act()
        self._canvas.hold_keys(self.pending)
