"""A run of the lab in a process of its own, the same code as `clew lab run`; its rows lie in the workspace's folder.

What was made stays whatever becomes of the process, and a run that was stopped goes on from there.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.look.translation import tr
from app.session.running import RunningProcess, clew_command
from core.errors import CoreError
from core.types import LabWish


class LabRunning(RunningProcess):
    """A row that is torn when it ends is taken off when it goes on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.out: Path | None = None  # where the last run writes

    def start(self, workspace: Path, out: Path, wish: LabWish) -> None:
        """Run what is wished, or go on with it. One that runs is stopped first."""
        self.out = out
        self.run(command(workspace, out, wish))

    def _unexpected(self, why: str) -> CoreError:
        words = tr("The run stopped unexpectedly. Its rows are kept.")
        return CoreError(words, tr("Go on with it. {why}", why=why))


def command(workspace: Path, out: Path, wish: LabWish) -> list[str]:
    """The command line of a run."""
    asked = ("--questions", wish.questions, "--limit", str(wish.count))
    chosen = ("--instances", ",".join(wish.compositions), "--out", str(out), "--events")
    return clew_command("lab", "run", str(workspace), *asked, *chosen)
