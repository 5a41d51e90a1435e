"""A workspace of the oldest schema that opens: it is brought up to date, and what people decided in it holds.

`tests/data/workspace-27.db.gz` was made of three texts by the Clew that had this schema.
"""

from __future__ import annotations

import contextlib
import gzip
import sqlite3
from pathlib import Path

import pytest

from core.answering.models import Models
from core.config import changed
from core.progress import TaskContext
from core.workspace import Workspace
from tests.conftest import written

OLD = Path(__file__).resolve().parents[2] / "data" / "workspace-27.db.gz"
QUESTION = "Who commands the Northern Gannet?"


@pytest.fixture
def untouched(tmp_path: Path) -> Path:
    (tmp_path / "clew.db").write_bytes(gzip.decompress(OLD.read_bytes()))
    return tmp_path


@pytest.fixture
def old(untouched: Path) -> Path:
    Workspace.trust(untouched)
    return untouched


def test_what_some_profile_might_see_is_private(untouched: Path, models: Models) -> None:
    with contextlib.closing(sqlite3.connect(untouched / "clew.db")) as database:
        first, second, *_ = (row[0] for row in database.execute("SELECT path FROM documents ORDER BY path"))
        marks = [(first, "hr"), (first, "law"), (second, "hr")]
        database.executemany("INSERT INTO private_marks (path, name) VALUES (?, ?)", marks)
        database.execute("INSERT INTO profiles VALUES ('staff', '[\"hr\"]')")
        database.commit()
    Workspace.trust(untouched)
    with Workspace.open(untouched, models=models) as opened:
        assert opened.private.marks() == [first, second]
        assert {document.path for document in opened.private.documents()} == {first, second}
        assert all(check.ok for check in opened.verify(TaskContext()))
        with opened.public_part(TaskContext()) as part:
            assert not {first, second} & {document.path for document in part.documents.all()}
        opened.private.unmark([first])
        assert {document.path for document in opened.private.documents()} == {second}


@pytest.mark.parametrize(("before", "after"), [("agentic", "graph"), ("hierarchical", "lab:hierarchical")])
def test_a_pin_by_a_route_that_is_gone_is_asked_by_its_successor(
    untouched: Path, models: Models, before: str, after: str
) -> None:
    with contextlib.closing(sqlite3.connect(untouched / "clew.db")) as database:
        database.execute("UPDATE pinned_questions SET route = ?", (before,))
        database.commit()
    Workspace.trust(untouched)
    with Workspace.open(untouched, models=models) as opened:
        (pin,) = opened.pins.all()
        assert pin.route == after
        assert opened.ask(pin.question, TaskContext(), pin.route).trace.route.name == after


def test_statistics_of_questions_go_and_their_setting_is_ignored(untouched: Path, models: Models) -> None:
    gone = {"asked_questions", "judged_links", "grouped_documents", "graph_updates"}
    with contextlib.closing(sqlite3.connect(untouched / "clew.db")) as database:
        row = ("2026-09-03T10:00:00+00:00", "graph", 0, 0, "answer", 0.5, 1.0, 10, 1, 1)
        database.execute("INSERT INTO asked_questions VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        settings = "monitoring.keep=false\nretrieval.damping=0.6"
        database.execute("INSERT INTO settings VALUES ('asking', ?)", (settings,))
        database.commit()
    Workspace.trust(untouched)
    with Workspace.open(untouched, models=models) as opened:
        assert opened.config.retrieval.damping == 0.6
        assert all(check.ok for check in opened.verify(TaskContext()))
    with contextlib.closing(sqlite3.connect(untouched / "clew.db")) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert "documents" in tables and not tables & gone


def test_settings_that_were_saved_hold_under_their_new_names(untouched: Path, models: Models) -> None:
    lines = "answer.told=0.5\nagentic.steps=2\nretrieval.damping=0.7"
    with contextlib.closing(sqlite3.connect(untouched / "clew.db")) as database:
        database.execute("INSERT INTO settings VALUES ('asking', ?)", (lines,))
        database.execute("INSERT INTO pin_runs VALUES (99, '2026-01-01', 1, ?)", (lines,))
        database.commit()
    Workspace.trust(untouched)
    with Workspace.open(untouched, models=models) as opened:
        assert changed(opened.config) == ["retrieval.damping=0.7", "answer.min_probability=0.5"]
        assert "answer.min_probability=0.5" in opened.pins.runs()[0].settings


def test_decisions_pins_and_verdicts_survive(old: Path, models: Models) -> None:
    with Workspace.open(old, models=models) as opened:
        answer = opened.ask(QUESTION, TaskContext())
        assert "Ines Holm" in answer.text
        assert [act.verb for act in opened.review.log()][:2] == ["reject", "approve"]
        assert [pin.right_answer for pin in opened.pins.all()] == ["Ines Holm"]
        assert [one.right for one in opened.answers.judged(QUESTION)] == [True]
        assert "Tobias James Renwick" in {entity.name for entity in opened.graph.entities()}
        assert all(check.ok for check in opened.verify(TaskContext()))


def test_the_map_of_an_older_workspace_is_derived_by_the_next_run(
    old: Path, models: Models, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tmp_path = tmp_path_factory.mktemp("documents")
    with Workspace.open(old, models=models) as opened:
        view = opened.graph.view()
        assert not view.common_passages.any(), "ties are not known yet"
        text = "Ines Holm met Otto Kask on 3 May 2021. In Tallinn it rained on the day when Marta Kuusk sang."
        opened.index(written(tmp_path / "papers", {"more.md": text}), TaskContext())
        assert "3 May 2021" in {entity.name for entity in opened.graph.entities()}
        view = opened.graph.view()
        assert "3 May 2021" not in view.names and view.common_passages.any()
        assert all(check.ok for check in opened.verify(TaskContext()))
