"""The session closes a workspace only when nobody reads from it any more."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from pytestqt.qtbot import QtBot

from app.session.session import Session
from core.errors import CoreError
from core.progress import TaskContext
from core.workspace import Workspace
from tests.waiting import wait_until_landed


def test_closing_while_threads_read_harms_nobody(
    qtbot: QtBot, session: Session, workspace_path: Path
) -> None:
    for _ in range(15):
        workspace = Workspace.open(workspace_path)
        session.set_workspace(workspace)

        def read(_: TaskContext, workspace: Workspace = workspace) -> int:
            return sum(len(workspace.documents.all()) + workspace.counts().passages for _ in range(30))

        for group in ("one", "two", "three"):
            session.tasks.start(group, read)
        session.close_workspace()
    ended: list[bool] = []
    session.tasks.after_running(lambda: ended.append(True))
    qtbot.waitUntil(lambda: ended == [True], timeout=20_000)


def test_a_new_workspace_takes_the_place_of_the_old_one(
    qtbot: QtBot, session: Session, workspace_path: Path
) -> None:
    heard: list[str] = []
    session.workspace_opening.connect(lambda: heard.append("opening"))
    session.workspace_opened.connect(lambda _: heard.append("opened"))
    session.workspace_closed.connect(lambda: heard.append("closed"))
    session.set_workspace(Workspace.open(workspace_path))
    session.set_workspace(Workspace.open(workspace_path))
    assert heard == ["opening", "opened", "closed", "opening", "opened"]


def test_a_late_result_of_a_closed_workspace_never_lands(
    qtbot: QtBot, session: Session, workspace_path: Path
) -> None:
    landed: list[int] = []
    session.set_workspace(Workspace.open(workspace_path))
    workspace = session.workspace
    assert workspace is not None
    session.tasks.start("documents", lambda _: len(workspace.documents.all()), landed.append)
    session.close_workspace()
    wait_until_landed(session.tasks)
    assert landed == []


def test_a_fault_that_damage_explains_is_told_and_a_bug_is_a_bug(
    qtbot: QtBot, session: Session, sample_copy: Path
) -> None:
    told: list[CoreError] = []
    bugs: list[BaseException] = []
    session.tasks.failed.connect(told.append)
    session.tasks.crashed.connect(bugs.append)
    session.set_workspace(Workspace.open(sample_copy))

    def stumble(_: TaskContext) -> None:
        raise KeyError(7)

    session.tasks.start("one", stumble)
    qtbot.waitUntil(lambda: bool(bugs))
    assert told == []
    with closing(sqlite3.connect(sample_copy / "clew.db", isolation_level=None)) as connection:
        connection.execute("UPDATE candidate_facts SET subject_key = 900000 + key")
    session.tasks.start("one", stumble)
    qtbot.waitUntil(lambda: bool(told))
    assert "is damaged (references between rows" in told[0].message
    assert len(bugs) == 1
