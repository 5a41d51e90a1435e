"""One is never said to be many, anywhere in the window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

import app
from app.graph.panel import GraphPanel
from app.graph.scene import FACTS_TIP
from app.look.counting import counted
from app.look.plain_text import tooltip
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Growth, Status
from core.workspace import Workspace
from tests.app.conftest import open_now


@pytest.mark.parametrize(
    ("count", "noun", "words"),
    [
        (1, "document", "1 document"),
        (0, "document", "0 documents"),
        (2040, "entity", "2,040 entities"),
        (1, "community", "1 community"),
    ],
)
def test_numbers_and_nouns_agree(count: int, noun: str, words: str) -> None:
    assert counted(count, noun) == words


def test_a_plural_of_its_own() -> None:
    assert [counted(n, "entity with facts", "entities with facts") for n in (1, 2)] == [
        "1 entity with facts",
        "2 entities with facts",
    ]


def test_no_number_stands_before_a_plural_that_is_written_out() -> None:
    """A number in a text that is put together is followed by what `counted` makes of its noun."""
    nouns = "document passage entitie fact communitie page statement link change report reply mention sentence call"
    written = re.compile(rf"\{{[^{{}}]*:,\}} ({'|'.join(nouns.split())})s\b")
    # These cannot be one.
    known = {
        "{count:,} documents",
        "{len(self.documents):,} documents",
        "{count:,} reports",
        "{row.largest:,} entities",
    }
    found = {
        (path.name, match.group(0))
        for path in Path(app.__file__).parent.rglob("*.py")
        for match in written.finditer(path.read_text(encoding="utf-8"))
    }
    assert {(name, words) for name, words in found if words not in known} == set()


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
    links = counted(panel.canvas.edge_count, "link")
    assert drawn < every, "there are entities without facts"
    assert counts.text() == f"{drawn:,} entities with facts, {links}"
    assert counts.toolTip() == tooltip(FACTS_TIP)
    rows = [row for row in panel.canvas._controls.legend._rows if row.community >= 0]
    assert rows and all("with facts" in row.toolTip() for row in rows)
    open_session.growth.emit(Growth((("new", "New", "ORG"),), (), 1, 1, every + 1, 1))
    qtbot.waitUntil(lambda: panel.canvas.node_count == drawn + 1)
    panel.canvas.settle()
    qtbot.waitUntil(lambda: counts.text().startswith(f"{drawn + 1:,} entities, "))
