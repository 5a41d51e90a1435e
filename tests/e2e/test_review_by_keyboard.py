"""A reviewer's hour by keyboard alone: facts decided, entities merged and split, and all of it undone again."""

from __future__ import annotations

import pytest

from app.entities.panel import EntitiesPanel
from app.session.session import Session
from app.session.tasks import KEEPING
from app.shell.workbench import Workbench
from core.progress import TaskContext
from core.workspace import Workspace
from tests.e2e.keyboard import Keyboard

pytestmark = pytest.mark.long

FACTS = 12


def decisions(workspace: Workspace) -> list[str]:
    """What was done and holds, the newest first."""
    return [act.verb for act in workspace.review.log(200) if not (act.about or act.undone)]


def test_decided_merged_split_and_undone(session: Session, keys: Keyboard, bench: Workbench) -> None:
    workspace = session.workspace
    assert workspace is not None
    workspace.review.settle(TaskContext())
    before = workspace.status().digest

    keys.press("Alt+4")
    keys.go_to("review")
    queue = bench.review.queue
    keys.until(lambda: queue.model.rowCount() > FACTS and keys.focus is queue.list)
    keys.press(*("A" if number % 3 else "R" for number in range(FACTS)))
    keys.until(lambda: len(decisions(workspace)) == FACTS)

    panel = bench.panels["entities"]
    assert isinstance(panel, EntitiesPanel)
    keys.press("Ctrl+M")
    keys.until(lambda: keys.focus is panel.suggestions.list and panel.suggestions.current() is not None)
    keys.press("M")
    keys.until(lambda: decisions(workspace)[0] == "merge")

    def select(name: str) -> None:
        keys.press("Ctrl+F", "Ctrl+A")
        keys.type(name)
        keys.press("Return")
        keys.until(lambda: bench.graph.card.isVisible() and bench.graph.card.name.text() == name)
        assert session.selection.current is not None and session.selection.current.kind == "entity"

    select("Brandvold Lines")
    keys.press("Ctrl+J")
    keys.until(lambda: keys.focus is panel.form.box)
    known = {"Brandvold Lines", "Tobias Renwick"}
    keys.type(
        next(
            one.name
            for one in workspace.graph.entities()
            if one.label == "PERSON" and one.name.isascii() and one.name not in known
        )
    )
    keys.until(lambda: panel.form.box.open)
    keys.press("Return")
    keys.until(lambda: panel.form.change is not None and panel.preview.entities.isVisible())
    keys.press("Ctrl+Return")
    keys.until(lambda: decisions(workspace)[:2] == ["merge", "merge"])

    select("Tobias Renwick")
    keys.press("Ctrl+U")
    keys.until(lambda: keys.focus is panel.form.mentions.list)
    keys.press("Space")
    keys.tab_to(panel.form.name)
    keys.type("the clerk")
    keys.tab_to(panel.preview.why)
    keys.type("another Renwick signs here")
    keys.press("Ctrl+Return")
    keys.until(lambda: decisions(workspace)[0] == "split")
    keys.until(lambda: any(one.name.endswith("(the clerk)") for one in workspace.graph.entities()))

    keys.go_to("graph")
    keys.press(*["Ctrl+Z"] * (FACTS + 3))
    keys.until(lambda: not decisions(workspace) and not session.tasks.busy(KEEPING), timeout=120_000)
    workspace.review.settle(TaskContext())
    assert workspace.status().digest == before
    assert [check for check in workspace.verify(TaskContext()) if not check.ok] == []
