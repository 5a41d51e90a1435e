"""`workspace.integrators`: what distils passages for a language model, as it was trained, and which one is used."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.answering.integration.model import SHIPPED, load_model
from core.answering.integration.rewards import REWARDS
from core.config import AnswerConfig
from core.errors import BadInput, CoreError
from core.files.safe_files import refused, strange
from core.text.translation import tr
from core.types import DistilledWay, TrainedIntegrator, TrainingStep
from core.workspace.handle import WorkspaceHandle

FOLDER, MODEL = "lab", ".safetensors"
_MOST = 100_000  # steps of a report that are believed

__all__ = ["REWARDS", "IntegratorsApi"]


class IntegratorsApi:
    """`clew research train integrator ... --out` trains them, in a process of its own. Safe from every thread."""

    def __init__(
        self,
        opened: WorkspaceHandle,
        config: Callable[[], AnswerConfig],
        keep_settings: Callable[[Sequence[str]], list[str]],
    ) -> None:
        self._opened, self._config, self._keep = opened, config, keep_settings
        self._folder = opened.path / FOLDER

    def all(self) -> list[TrainedIntegrator]:
        """The one that Clew comes with, then the workspace's own, the newest first."""
        found = []
        if strange(self._folder) in ("", tr("a folder")) and self._folder.is_dir():
            found = [_read(path) for path in self._folder.glob(f"*{MODEL}")]
        return [
            replace(_read(SHIPPED), name="", path=None),
            *sorted(found, key=lambda each: (-each.at, each.name)),
        ]

    def begin(self) -> Path:
        """Where a training is to write its model. Raises Untrusted, OSError."""
        self._opened.check_trusted()
        self._folder.mkdir(exist_ok=True)
        stem, number = time.strftime("%Y-%m-%d %H.%M.%S"), 1
        path = self._folder / f"{stem}{MODEL}"
        while path.exists():
            number += 1
            path = self._folder / f"{stem} {number}{MODEL}"
        return path

    def remove(self, integrator: TrainedIntegrator) -> None:
        """Delete one that was trained here. Raises Untrusted, BadInput for what is none of this workspace."""
        self._opened.check_trusted()
        path = integrator.path
        if path is None or path.parent != self._folder or path.suffix != MODEL:
            raise BadInput(
                tr("{name} is no integrator of this workspace.", name=integrator.name), tr("Choose another.")
            )
        path.unlink(missing_ok=True)

    @property
    def used(self) -> str | None:
        """The file of the one by which language models read in this workspace, "" for the one that Clew comes with,
        None where they read whole passages."""
        config = self._config()
        return None if config.distilled == "false" else config.integrator

    def use(self, integrator: TrainedIntegrator | None) -> str | None:
        """Have language models read by it from now on, None for whole passages; what was used before.

        Raises Untrusted, WorkspaceError where nothing can be written.
        """
        before = self.used
        path = "" if integrator is None or integrator.path is None else str(integrator.path)
        self._keep([f"answer.distilled={str(integrator is not None).lower()}", f"answer.integrator={path}"])
        return before


def _read(path: Path) -> TrainedIntegrator:
    try:
        if kind := strange(path):
            raise refused(path, kind)
        at = path.lstat().st_mtime
        report = json.loads(load_model(path)[1])
        return TrainedIntegrator(path.stem, path, at, *_parse_report(report))
    except CoreError as error:
        return TrainedIntegrator(path.stem, path, fault=error.message)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return TrainedIntegrator(path.stem, path, fault=tr("What it tells of its training cannot be read."))


def _parse_report(
    report: Mapping[str, Any],
) -> tuple[tuple[TrainingStep, ...], tuple[DistilledWay, ...], int, tuple[str, ...]]:
    """Raises what a report of another form raises."""
    steps = tuple(step_of(row) for row in report.get("steps", [])[:_MOST])
    ways = tuple(
        DistilledWay(str(name), int(row["questions"]), float(row["right"]), float(row["kept"]))
        for name, row in report.get("held", {}).items()
    )
    return steps, ways, int(report.get("questions", 0)), tuple(map(str, report.get("corpora", ())))


def step_of(row: Mapping[str, Any]) -> TrainingStep:
    """A step as a report or an event of a training tells it. Raises KeyError, TypeError, ValueError."""
    return TrainingStep(
        {name: float(row[name]) for name in REWARDS}, {name: float(row[f"w {name}"]) for name in REWARDS}
    )
