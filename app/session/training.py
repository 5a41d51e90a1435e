"""The training of an integrator in a process of its own, which is `clew research train integrator`.

Its model comes to lie in the workspace's folder once it is done.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.look.translation import tr
from app.session.running import RunningProcess, clew_command
from core.errors import CoreError
from core.types import IntegratorWish, TrainingStep
from core.workspace.integrators import step_of

_APART = 4  # every fourth question is measured on and not learned from


class TrainingRunning(RunningProcess):
    """`steps` are those of the last training. Signal: stepped() when there is another one."""

    stepped = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.out: Path | None = None  # where the last training writes
        self.steps: list[TrainingStep] = []

    def start(self, workspace: Path, out: Path, wish: IntegratorWish) -> None:
        """Train as is wished. What runs is stopped first."""
        self.out, self.steps = out, []
        self.run(command(workspace, out, wish))

    def _hear(self, event: dict[str, Any]) -> None:
        if event.get("event") == "step":
            with contextlib.suppress(KeyError, TypeError, ValueError):
                self.steps.append(step_of(event))
                self.stepped.emit()

    def _unexpected(self, why: str) -> CoreError:
        return CoreError(tr("The training stopped unexpectedly."), tr("Begin it again. {why}", why=why))


def command(workspace: Path, out: Path, wish: IntegratorWish) -> list[str]:
    """The command line of a training."""
    count = str(wish.count)
    asked = ("--questions", wish.questions, "--count", count, "--limit", count)
    how = ("--steps", str(wish.steps), "--apart", str(_APART), *(() if wish.dynamic else ("--static",)))
    return clew_command(
        "research", "train", "integrator", str(workspace), *asked, *how, "--out", str(out), "--events"
    )
