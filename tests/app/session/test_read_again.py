"""After one decision, each panel reads again what it shows of that, however large the workspace is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.session import operations
from app.session.changes import Following
from app.session.panels import PanelSpec
from app.session.session import Session
from app.shell.features import PANELS
from core.progress import TaskContext
from core.store import database
from core.types import Community
from core.workspace import Workspace
from tests.conftest import copied
from tests.data_makers.settled_workspaces import settled_workspace
from tests.waiting import process_events

SIZES = (150, 600)  # entities
PANEL = {spec.id: spec for spec in PANELS}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    place = tmp_path_factory.mktemp("made")
    return {size: settled_workspace(place / str(size), size) for size in SIZES}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Counts the statements and rows that are read of any workspace."""
    found: Counter[str] = Counter()
    cursor = database._Cursor
    one, many, execute = cursor.fetchmany, cursor.fetchall, cursor.execute

    def counted_many(self: Any, size: int | None = 1) -> list[Any]:
        rows = one(self, size)
        found["rows"] += len(rows)
        return rows

    def counted_all(self: Any) -> list[Any]:
        rows = many(self)
        found["rows"] += len(rows)
        return rows

    def counted(self: Any, sql: str, parameters: Any = (), /) -> Any:
        found["statements"] += 1
        return execute(self, sql, parameters)

    monkeypatch.setattr(cursor, "fetchmany", counted_many)
    monkeypatch.setattr(cursor, "fetchall", counted_all)
    monkeypatch.setattr(cursor, "execute", counted)
    return found


def settled(qtbot: QtBot, session: Session) -> None:
    """Wait until nobody reads, or is about to."""

    def quiet() -> bool:
        waiting = (each for widget in session.property("made") for each in widget.findChildren(Following))
        return not session.tasks._current and not any(each._timer.isActive() or each._due for each in waiting)

    qtbot.waitUntil(quiet, timeout=20_000)
    process_events()  # what is told is on its way
    qtbot.waitUntil(quiet, timeout=20_000)


def opened(qtbot: QtBot, place: Path, spec: PanelSpec) -> tuple[Session, Workspace, QWidget]:
    session = Session()
    panel = spec.make(session)
    qtbot.addWidget(panel)
    panel.resize(500, 600)
    panel.show()
    session.setProperty("made", [panel])
    workspace = Workspace.open(place, own=True)
    session.set_workspace(workspace)
    return session, workspace, panel


def after_a_decision(
    qtbot: QtBot, place: Path, spec: PanelSpec, read: Counter[str]
) -> tuple[Counter[str], QWidget, Workspace, Session]:
    """What is read once the decision was told; the card of one of the two is open."""
    session, workspace, panel = opened(qtbot, place, spec)
    facts = {
        entity.id: len(workspace.graph.facts_of(entity.id, 100)) for entity in workspace.graph.entities(100)
    }
    one, other = sorted(facts, key=lambda id: (abs(facts[id] - 8), id))[:2]  # as many in every size
    operations.select_entity(session, one)
    settled(qtbot, session)
    workspace.names.decide(one, other, "same", TaskContext())
    read.clear()
    settled(qtbot, session)
    return Counter(read), panel, workspace, session


@pytest.mark.parametrize("id", ("graph", "communities", "review"))
def test_what_is_read_again_does_not_grow_with_the_workspace(
    qtbot: QtBot,
    made: dict[int, Path],
    tmp_path: Path,
    read: Counter[str],
    monkeypatch: pytest.MonkeyPatch,
    id: str,
) -> None:
    monkeypatch.setattr("app.communities.panel.SMALL", 0)  # both are large enough
    found = []
    for size, place in made.items():
        own = copied(place, tmp_path / str(size))
        count, _, _, session = after_a_decision(qtbot, own, PANEL[id], read)
        found.append(count)
        session.close()
    few, many = found
    # Of four times the names; ties of what is joined reach further where there are more.
    assert many["statements"] <= 2 * few["statements"] + 40, found
    assert many["rows"] <= 2 * few["rows"] + 400, found
    assert many["rows"] > 0


def test_what_was_patched_is_what_would_be_read(
    qtbot: QtBot, made: dict[int, Path], tmp_path: Path, read: Counter[str]
) -> None:
    own = copied(made[SIZES[0]], tmp_path / "own")
    _, panel, workspace, session = after_a_decision(qtbot, own, PANEL["graph"], read)
    shown, whole = panel.live.now.full_graph.view, workspace.graph.view()  # type: ignore[attr-defined]
    places = {id: whole.positions[at].tolist() for at, id in enumerate(whole.ids)}
    assert {id: shown.positions[at].tolist() for at, id in enumerate(shown.ids)} == places
    assert dict(zip(shown.ids, shown.names, strict=True)) == dict(zip(whole.ids, whole.names, strict=True))
    assert {frozenset(shown.ids[end] for end in edge) for edge in shown.edges.tolist()} == {
        frozenset(whole.ids[end] for end in edge) for edge in whole.edges.tolist()
    }
    assert panel.canvas.node_count == len(whole.ids)  # type: ignore[attr-defined]
    session.close()


def test_patched_communities_are_what_would_be_read(
    qtbot: QtBot, made: dict[int, Path], tmp_path: Path, read: Counter[str]
) -> None:
    own = copied(made[SIZES[0]], tmp_path / "own")
    _, panel, workspace, session = after_a_decision(qtbot, own, PANEL["communities"], read)

    def told(communities: list[Community]) -> dict[int, object]:
        return {c.id: (c.level, c.parent_id, set(c.entity_ids), c.label, c.colour) for c in communities}

    assert told(panel.model.communities) == told(workspace.graph.communities())  # type: ignore[attr-defined]
    assert sum(item.weight for item in panel.treemap._items.values()) == sum(  # type: ignore[attr-defined]
        len(community.entity_ids) for community in workspace.graph.communities()
    )
    session.close()


def test_the_library_reads_only_the_document_that_went(
    qtbot: QtBot, made: dict[int, Path], tmp_path: Path, read: Counter[str]
) -> None:
    own = copied(made[SIZES[1]], tmp_path / "own")
    session, workspace, panel = opened(qtbot, own, PANEL["library"])
    settled(qtbot, session)
    before = panel.model.total  # type: ignore[attr-defined]
    gone = workspace.documents.all()[3]
    workspace.documents.remove([gone.id], TaskContext())
    read.clear()
    settled(qtbot, session)
    assert panel.model.total == before - 1 and panel.model.row_of(gone.id) == -1  # type: ignore[attr-defined]
    assert before > 30 and read["rows"] <= 5, read
    assert panel.model.listing == workspace.documents.listed()  # type: ignore[attr-defined]
    session.close()
