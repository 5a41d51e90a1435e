"""One is never said to be many, anywhere in the window."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import app
from app.graph.panel import GraphPanel
from app.graph.scene import NODES_TIP
from app.look.plain_text import tooltip
from app.look.translation import trn
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Growth, Status
from core.workspace import Workspace
from tests.app.conftest import open_now

NOUNS = (
    "document passage entitie fact communitie page statement link change report reply mention sentence call"
)
WRITTEN = re.compile(rf"\{{\w+\}} (?:{'|'.join(NOUNS.split())})s\b")


def plurals(source: str) -> list[str]:
    """Texts of `tr` in which a number stands before a plural: only `trn` knows of one."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args)
    texts = (call.args[0] for call in calls if isinstance(call.func, ast.Name) and call.func.id == "tr")
    return [text.value for text in texts if isinstance(text, ast.Constant) and WRITTEN.search(text.value)]


@pytest.mark.long
def test_no_number_stands_before_a_plural_that_is_written_out() -> None:
    files = Path(app.__file__).parent.rglob("*.py")
    assert [text for path in files for text in plurals(path.read_text("utf-8"))] == []


def test_such_a_number_is_noticed() -> None:
    assert plurals('tr("Reads {count} documents", count=n)') and not plurals(
        'trn("{count} page", "{count} pages", n)'
    )


def test_the_status_line_counts_one(window: MainWindow) -> None:
    line = window.status
    line.set_counts(Status(1, 1, 1, 2, triples=2, communities=0, failed=0, pending=0, digest=""))
    assert line.totals.text() == "1 document   1 passage   1 entity   2 facts"


def test_the_graph_says_what_it_counts(open_session: Session, qtbot: QtBot) -> None:
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    workspace: Workspace = open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count > 0)
    drawn, every = panel.canvas.node_count, workspace.status().entities
    counts = panel.canvas._controls._counts
    links = trn("{count} link", "{count} links", panel.canvas.edge_count)
    assert drawn < every, "dates and headings are no nodes"
    assert counts.text() == f"{drawn:,} entities on the map, {links}"
    assert counts.toolTip() == tooltip(NODES_TIP)
    rows = [row for row in panel.canvas._controls.legend._rows if row.community >= 0]
    assert rows and all("on the map" in row.toolTip() for row in rows)
    open_session.growth.emit(Growth((("new", "New", "ORG"),), (), 1, 1, every + 1, 1))
    qtbot.waitUntil(lambda: panel.canvas.node_count == drawn + 1)
    panel.canvas.settle()
    qtbot.waitUntil(lambda: counts.text().startswith(f"{drawn + 1:,} entities, "))
