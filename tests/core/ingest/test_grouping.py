"""Communities of a workspace that grows, changes and shrinks: always sound, and what did not change is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.answering.models import Models
from core.answering.reports.writing import write_reports
from core.ingest import derive
from core.progress import Cancelled, TaskContext
from core.store.reports import Reports
from core.store.store import Store
from core.types import GraphFilter, GraphShape
from core.workspace import Workspace
from tests.conftest import written

PLACES = ("Bergen", "Antwerp", "Limassol", "Piraeus", "Rotterdam", "Genoa", "Trieste", "Riga")
FIRST = ("Astrid", "Tobias", "Ines", "Pieter", "Maria", "Jonas", "Clara", "Henrik", "Sofia", "Anton")
STEMS = ("Brand", "Ren", "Hol", "Vour", "Cal", "Mar", "Fair", "Dal", "Grun", "Sel", "Tor", "Wen")
ENDS = ("vold", "wick", "mark", "kander", "strom", "berg")


def name(number: int) -> str:
    return f"{STEMS[number % len(STEMS)]}{ENDS[number // len(STEMS) % len(ENDS)]}"


def house(number: int) -> str:
    """People of one firm, who deal with one another; their firm deals with the next one."""
    one, two, three = (f"{FIRST[(number * 3 + k) % len(FIRST)]} {name(number * 4 + k)}" for k in range(3))
    firm, next_firm = f"{name(number * 4 + 3)} Lines", f"{name(number * 4 + 7)} Lines"
    return (
        f"# The papers of {firm}\n\n{one} founded {firm} in {PLACES[number % len(PLACES)]}. "
        f"{two} works for {firm}. {three} married {two}. {one} hired {three}. "
        f"{firm} sold a ship to {next_firm}. {two} met {one} in {PLACES[(number + 3) % len(PLACES)]}.\n"
    )


HOUSES = 48
TEXTS = {f"{number:02}.md": house(number) for number in range(HOUSES)}
ADDED = "# A visit\n\nGwendolyn Ashworth met Barnaby Thistle in Riga. Barnaby Thistle owns Thistle Mills.\n"


@pytest.fixture(scope="module")
def indexed(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the folder `papers` and its workspace; copy it to change it."""
    place = tmp_path_factory.mktemp("grouping")
    opened = Workspace.open(place / "workspace", create=True, models=models)
    opened.index(written(place / "papers", TEXTS), TaskContext(), digest=False)
    opened.close()
    return place


@pytest.fixture
def place(indexed: Path, tmp_path: Path) -> Path:
    place = Path(shutil.copytree(indexed, tmp_path / "place"))
    Workspace.trust(place / "workspace")
    return place


@pytest.fixture
def workspace(place: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(place / "workspace", models=models)
    yield opened
    opened.close()


@pytest.fixture
def rewritten(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Communities whose reports were written, in order."""
    found: list[int] = []
    put = Reports.put

    def noted(self: Reports, connection: object, rows: list) -> None:
        rows = list(rows)
        found.extend(report.community_id for _, report in rows)
        put(self, connection, rows)

    monkeypatch.setattr(Reports, "put", noted)
    return found


@pytest.fixture
def small_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that makes all anew is no small change."""

    def place(*_: object) -> None:
        raise AssertionError("the hierarchy was made anew")

    monkeypatch.setattr("core.ingest.derive._place", place)


def rows(workspace: Workspace, sql: str) -> list[tuple]:
    return workspace._store.database.connection().execute(sql).fetchall()


def index(workspace: Workspace, place: Path) -> None:
    workspace.index(place / "papers", TaskContext(), digest=False)


def sound(workspace: Workspace) -> None:
    """Told without the rules that `clew verify` has."""
    communities = {
        key: (level, parent, number)
        for key, level, parent, number in rows(
            workspace, "SELECT key, level, parent_key, number FROM communities"
        )
    }
    members = rows(workspace, "SELECT entity_key, community_key FROM community_members ORDER BY 1")
    heads = [
        key
        for (key,) in rows(workspace, "SELECT key FROM entities WHERE head_key IS NULL AND node ORDER BY 1")
    ]
    assert [entity for entity, _ in members] == heads
    top = max((level for level, _, _ in communities.values()), default=0)
    for level, parent, _ in communities.values():
        if level == top:
            assert parent is None
        else:
            assert communities[parent][0] == level + 1
    for level in range(1, top + 1):
        numbers = [number for at, _, number in communities.values() if at == level]
        assert len(numbers) == len(set(numbers))
    inhabited = set()
    number_of = {}
    for entity, home in members:
        assert communities[home][0] == 1
        inhabited.add(home)
        while communities[home][1] is not None:
            home = communities[home][1]
            inhabited.add(home)
        number_of[entity] = communities[home][2]
    assert inhabited == set(communities), "a community is empty"
    for entity, community in rows(workspace, "SELECT entity_key, community FROM layout"):
        assert community in (-1, number_of[entity])
    reports = {key for (key,) in rows(workspace, "SELECT community_key FROM community_reports")}
    assert reports == set(communities)
    # Large ones of which next to nothing changed wait until more has.
    waiting = rows(
        workspace,
        "SELECT t.community_key, c.level FROM communities_to_tell t JOIN communities c"
        " ON c.key = t.community_key",
    )
    assert all(level > 1 for _, level in waiting)
    again = write_reports(workspace._store, TaskContext())
    assert again.removed == 0
    assert again.written <= len(waiting), "a report is not in step"


def contents(workspace: Workspace) -> dict[int, tuple[int, int, frozenset[str]]]:
    """Level, number and the ids of the entities of each community, by key."""
    store = workspace._store
    id_of = dict(rows(workspace, "SELECT key, id FROM entities"))
    keys = store.communities.rows()
    inside = store.communities.entities([row.key for row in keys])
    return {row.key: (row.level, row.number, frozenset(id_of[k] for k in inside[row.key])) for row in keys}


def reports(workspace: Workspace) -> dict[int, tuple[str, str]]:
    return {
        key: (source, report)
        for key, source, report in rows(
            workspace, "SELECT community_key, source, report FROM community_reports"
        )
    }


def say_more(papers: Path) -> None:
    path = papers / "07.md"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n{ADDED[11:]}", encoding="utf-8")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a changed file": say_more,
    "a deleted file": lambda papers: (papers / "11.md").unlink(),
    "a new file": lambda papers: (papers / "new.md").write_text(ADDED, encoding="utf-8"),
    "a file of nothing known": lambda papers: (papers / "20.md").write_text("# Oats\n\nIt rained.\n"),
}


@pytest.mark.usefixtures("small_changes")
@pytest.mark.parametrize("change", CHANGES)
def test_after_a_small_change_all_is_sound_and_the_rest_stays(
    change: str, workspace: Workspace, place: Path, rewritten: list[int]
) -> None:
    before, reports_before = contents(workspace), reports(workspace)
    CHANGES[change](place / "papers")
    index(workspace, place)
    written_again = list(rewritten)
    waiting = {key for (key,) in rows(workspace, "SELECT community_key FROM communities_to_tell")}
    sound(workspace)
    after, reports_after = contents(workspace), reports(workspace)
    same = {key for key, content in before.items() if after.get(key) == content}
    assert len(same) >= 0.6 * len(before), "a small change moved half of the communities"
    # Numbers, and so colours, stay with their communities as long as these are there.
    assert all(after[key][:2] == before[key][:2] for key in before.keys() & after.keys())
    # Written anew: just those that are told from something else now; of some large ones it is too little.
    assert len(written_again) == len(set(written_again))
    assert (
        set(written_again)
        == {key for key, report in reports_after.items() if reports_before.get(key, ("",))[0] != report[0]}
        - waiting
    )
    assert 0 < len(written_again) < len(after)
    for key in reports_before.keys() & reports_after.keys() - set(written_again) - waiting:
        # A title says what those above do not, and may change with theirs.
        assert without_title(reports_after[key][1]) == without_title(reports_before[key][1])


def without_title(report: str) -> dict[str, object]:
    return {**json.loads(report), "title": ""}


def test_nothing_changed_and_nothing_is_done(workspace: Workspace, place: Path, rewritten: list[int]) -> None:
    before = contents(workspace), reports(workspace)
    index(workspace, place)
    assert (contents(workspace), reports(workspace)) == before
    assert rewritten == []


def test_a_person_deletes_a_document(workspace: Workspace) -> None:
    ids = [document.id for document in workspace.documents.all() if document.path in ("03.md", "04.md")]
    workspace.documents.remove(ids, TaskContext())
    sound(workspace)


@pytest.mark.long
def test_the_hierarchy_is_new_once_more_than_a_tenth_of_the_facts_changed(
    workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All houses have as many facts, so that 3 of 48 are 1 in 15 of those that stay, and 6 are 1 in 7."""
    grouped: list[None] = []

    def group(store: Store, context: TaskContext) -> None:
        grouped.append(None)
        regroup(store, context)

    regroup = derive._place
    monkeypatch.setattr(derive, "_place", group)
    for expected in (0, 1):
        for file in sorted((place / "papers").iterdir())[:3]:
            file.unlink()
        index(workspace, place)
        assert len(grouped) == expected, "small changes add up"


def test_after_much_change_the_new_hierarchy_goes_by_the_old_numbers(
    workspace: Workspace, place: Path
) -> None:
    before = contents(workspace)
    for number in range(8):
        (place / "papers" / f"{number:02}.md").unlink()
    index(workspace, place)
    sound(workspace)
    stored = contents(workspace)
    assert before.keys() & stored.keys()
    assert all(before[key][:2] == stored[key][:2] for key in before.keys() & stored.keys())


def test_places_and_colours_stay_over_decisions_filters_and_indexing(
    workspace: Workspace, place: Path
) -> None:
    """What is drawn is where it was, in the colour that it had: all of it but what a change is about."""

    def drawn(shape: GraphShape | None = None) -> dict[str, tuple[int, np.ndarray]]:
        found = workspace.graph.overview()
        view = workspace.graph.shaped(found, shape, None)[0].view if shape else found.view
        rows = zip(view.ids, view.community.tolist(), view.positions, strict=True)
        return {id: (colour, xy) for id, colour, xy in rows}

    def stay(before: dict, after: dict, near: float) -> float:
        """Share of what is in both that keeps its colour and its place, up to this share of the map's size."""
        both = before.keys() & after.keys()
        size = np.ptp([xy for _, xy in before.values()], axis=0).max()
        same = [before[id][0] == after[id][0] and np.hypot(*(before[id][1] - after[id][1])) <= near * size
                for id in both]  # fmt: skip
        return float(np.mean(same))

    before = drawn()
    persons = drawn(GraphShape(GraphFilter(labels=("PERSON",))))
    assert 20 < len(persons) < len(before) and stay(before, persons, 0.0) == 1.0
    view = workspace.graph.view()
    one, other = view.edges[0].tolist()
    fact = workspace.graph.facts_between(view.ids[one], view.ids[other])[0]
    workspace.review.decide([fact.id], "rejected")
    workspace.review.settle(TaskContext())
    assert stay(before, rejected := drawn(), 0.0) > 0.95
    people = [id for id, label in zip(view.ids, view.labels, strict=True) if label == "PERSON"]
    workspace.names.merge(people[:2], TaskContext())
    assert len(merged := drawn()) == len(rejected) - 1 and stay(before, merged, 0.0) > 0.95
    index(workspace, place)
    assert stay(merged, again := drawn(), 0.0) == 1.0, "nothing changed"
    CHANGES["a new file"](place / "papers")
    index(workspace, place)
    assert len(grown := drawn()) > len(again) and stay(again, grown, 0.02) > 0.95


def test_everything_goes(workspace: Workspace, place: Path) -> None:
    for path in (place / "papers").iterdir():
        path.unlink()
    index(workspace, place)
    sound(workspace)
    assert contents(workspace) == {}


@pytest.mark.parametrize(
    ("change", "stop"),
    [
        ("a changed file", "core.workspace.stages.write_changed"),
        ("a deleted file", "core.answering.reports.writing.weighed"),
        ("a changed file", "core.store.communities.Communities.changed"),
        ("a deleted file", "core.store.changes.DirtyFlags.clear"),
    ],
)
def test_what_was_stopped_is_completed_by_the_next_run(
    change: str, stop: str, workspace: Workspace, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    CHANGES[change](place / "papers")

    def stopped(*_: object, **__: object) -> None:
        raise Cancelled

    with monkeypatch.context() as patch:
        patch.setattr(stop, stopped)
        with pytest.raises(Cancelled):
            index(workspace, place)
    assert (workspace.counts().unfinished, workspace.counts().pending) == (True, 1)
    index(workspace, place)
    assert (workspace.counts().unfinished, workspace.counts().pending) == (False, 0)
    sound(workspace)
