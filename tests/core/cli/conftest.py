"""Commands of one process share its models, as those of a window do: loading them takes longer than all else."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import Config
from core.workspace import Workspace
from core.workspace.handle import WorkspaceHandle


@pytest.fixture(autouse=True)
def shared_models(models: Models, monkeypatch: pytest.MonkeyPatch) -> None:
    """How a command loads and releases its own is for tests of its own."""
    begin = Workspace.__init__

    def lend(
        self: Workspace, path: Path, opened: WorkspaceHandle, config: Config, lent: Models | None
    ) -> None:
        begin(self, path, opened, config, lent or models)

    monkeypatch.setattr(Workspace, "__init__", lend)
