"""The table of names against one entity, one mention and one fact at a time; its order, its filters and its file."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from dataclasses import fields
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.store.entities import NewMention
from core.text.dates import day_span
from core.text.escape_controls import spreadsheet_cell
from core.types import NameRow, Policy, kind_words
from core.workspace import NAME_COLUMNS, Workspace, arrange_names
from core.workspace.name_table import read_name_table
from tests.conftest import copied, written


@pytest.fixture(scope="module")
def rows(sample_workspace: Workspace) -> list[NameRow]:
    return sample_workspace.names.table(TaskContext())


def query(workspace: Workspace, sql: str, *values: object) -> list[tuple]:
    return workspace._store.database.connection().execute(sql, values).fetchall()


def test_every_entity_has_a_row_of_its_own(sample_workspace: Workspace, rows: list[NameRow]) -> None:
    entities = {entity.id: entity for entity in sample_workspace.graph.entities()}
    assert len(rows) == len(entities) > 100 and {row.id for row in rows} == entities.keys()
    assert all(row.name == entities[row.id].name for row in rows)
    assert all(row.kind == kind_words(entities[row.id].label) for row in rows)


def test_mentions_and_documents_are_those_of_the_texts(
    sample_workspace: Workspace, rows: list[NameRow]
) -> None:
    """Where passages overlap a mention has a row in both, so that there are never fewer than places."""
    places: Counter[str] = Counter()
    documents: dict[str, set[str]] = defaultdict(set)
    for document in sample_workspace.documents.all():
        for mention in sample_workspace.documents.mentions(document.id):
            places[mention.entity_id] += 1
            documents[mention.entity_id].add(document.id)
    titled = dict(
        query(
            sample_workspace,
            "SELECT coalesce(h.id, e.id), count(DISTINCT p.document_key) FROM mentions m JOIN entities e"
            " ON e.key = m.entity_key LEFT JOIN entities h ON h.key = e.head_key"
            " JOIN passages p ON p.key = m.passage_key GROUP BY 1",
        )
    )
    spoken = {id for (id,) in query(sample_workspace, "SELECT coalesce(h.id, e.id) FROM mentions m JOIN entities e"
        ' ON e.key = m.entity_key LEFT JOIN entities h ON h.key = e.head_key WHERE m.start = m."end"'
        " AND m.label NOT IN ('WORK', 'NOUN')")}  # fmt: skip
    for row in rows:
        if row.id not in spoken:
            assert row.mentions >= places[row.id] and (row.mentions > 0) == (places[row.id] > 0), row
        assert len(documents[row.id]) <= row.documents == titled[row.id], row


def test_titles_and_names_that_nothing_joins(tmp_path: Path, models: Models) -> None:
    """A title is one document, not all its passages; a name of a thing without facts and ties stands alone."""
    with Workspace.open(tmp_path / "w", create=True, models=models) as workspace:
        text = "# Harbour Rules\n\n" + "The clerk counts the boats. " * 400
        workspace.index(written(tmp_path / "papers", {"a.md": text}), TaskContext())
        store = workspace._store
        keys = [key for (key,) in query(workspace, "SELECT key FROM passages ORDER BY key")]
        assert len(keys) > 3
        with store.database.transaction() as connection:
            entity = store.entities.ensure(connection, [("quay rules", "Quay Rules", "WORK")])
            titles = [NewMention(key, "quay rules", "Quay Rules", "WORK", 0, 0) for key in keys]
            store.entities.add_mentions(connection, titles, entity)
            entity = store.entities.ensure(connection, [("ada moe", "Ada Moe", "PERSON")])
            places = [NewMention(keys[0], "ada moe", "Ada Moe", "PERSON", at, at + 7) for at in (0, 20)]
            store.entities.add_mentions(connection, places, entity)
        by_name = {row.name: row for row in workspace.names.table(TaskContext())}
        title, person = by_name["Quay Rules"], by_name["Ada Moe"]
        assert (title.mentions, title.documents) == (0, 1)
        assert (person.mentions, person.documents, person.on_map) == (2, 1, "alone")
        assert workspace.graph.count_nodes() == sum(row.on_map == "alone" for row in by_name.values())


def test_facts_ties_and_the_map(sample_workspace: Workspace, rows: list[NameRow]) -> None:
    ids = [id for (id,) in query(sample_workspace, "SELECT id FROM candidate_facts")]
    counting = [fact for id in ids if (fact := sample_workspace.review.fact(id)).counts]
    facts = Counter(id for each in counting for id in {each.fact.subject_id, each.fact.object_id})
    states = defaultdict(set)
    for each in counting:
        for id in (each.fact.subject_id, each.fact.object_id):
            states[id].add(each.state)
    ties: Counter[str] = Counter()
    for one, other in query(
        sample_workspace,
        "SELECT a.id, b.id FROM ties JOIN nodes a ON a.key = one_key JOIN nodes b ON b.key = other_key",
    ):
        ties.update((one, other))
    nodes = {id for (id,) in query(sample_workspace, "SELECT id FROM nodes")}
    drawn = set(sample_workspace.graph.view().ids)
    for row in rows:
        assert (row.facts, row.ties) == (facts[row.id], ties[row.id])
        assert row.review == ("open" if states[row.id] else "") and states[row.id] <= {"open"}
        assert row.on_map == ("drawn" if row.id in drawn else "alone" if row.id in nodes else "none")
    assert sample_workspace.graph.count_nodes() == len(nodes) == sum(row.on_map != "none" for row in rows)
    assert {row.on_map for row in rows} == {"drawn", "none"} and ties and facts


def test_dates_are_those_by_which_the_time_bar_finds_it(
    sample_workspace: Workspace, rows: list[NameRow]
) -> None:
    def inside(since: str, until: str) -> frozenset[str]:
        return sample_workspace.timeline.inside(since, until).entity_ids

    def day(number: int) -> str:
        return date.fromordinal(number).isoformat()

    dated = [row for row in rows if row.first]
    assert {row.id for row in dated} == inside("1000", "2200") and len(dated) > 50
    for end in {row.first for row in dated}:
        own = {row.id for row in dated if row.first == end}
        first, _ = day_span(end) or (0, 0)
        assert own <= inside("", day(first)) and not own & inside("", day(first - 1)), end
    for end in {row.last for row in dated}:
        own = {row.id for row in dated if row.last == end}
        _, last = day_span(end) or (0, 0)
        assert own <= inside(day(last), "") and not own & inside(day(last + 1), ""), end
    assert all(row.first <= row.last or row.last == row.first[: len(row.last)] for row in dated)


def test_a_decision_is_in_the_next_reading(sample_copy: Path, models: Models) -> None:
    with Workspace.open(sample_copy, models=models) as workspace:
        by_id = {row.id: row for row in workspace.names.table(TaskContext())}
        top = max(by_id.values(), key=lambda row: row.facts)
        facts = [fact.id for fact in workspace.graph.facts_of(top.id, 500)]
        workspace.review.decide(facts[:1], "approved")
        workspace.review.settle(TaskContext())
        (after,) = [row for row in workspace.names.table(TaskContext()) if row.id == top.id]
        assert (top.review, after.review) == ("open", "partly") and after.facts == top.facts
        workspace.review.decide(facts[:1], "rejected")
        workspace.review.settle(TaskContext())
        (after,) = [row for row in workspace.names.table(TaskContext()) if row.id == top.id]
        assert (after.review, after.facts) == ("open", top.facts - 1)
        workspace.review.decide(facts[1:3], "approved")
        workspace.review.set_policy(Policy("approved"), TaskContext())
        rows, drawn = workspace.names.table(TaskContext()), set(workspace.graph.view().ids)
        assert {row.id for row in rows if row.on_map == "drawn"} == drawn and drawn
        assert workspace.graph.count_nodes() == sum(row.on_map != "none" for row in rows) < 10


@pytest.mark.parametrize("by", NAME_COLUMNS)
@pytest.mark.parametrize("descending", [False, True])
def test_any_column_sorts(rows: list[NameRow], by: str, descending: bool) -> None:
    found = arrange_names(rows, by=by, descending=descending)
    assert sorted(row.id for row in found) == sorted(row.id for row in rows)
    if by == "name":
        assert [row.id for row in found] == [row.id for row in rows][:: -1 if descending else 1]
        plain = [row.name.casefold() for row in rows if row.name.isascii()]
        assert plain == sorted(plain, key=lambda name: name[:32])
        return
    values = [getattr(row, by) for row in found]
    known = [value for value in values if value != ""]
    assert values[: len(known)] == known == sorted(known, reverse=descending), (
        "those without a value are last"
    )
    place = {row.id: at for at, row in enumerate(rows)}
    for one, other in pairwise(found):
        assert getattr(one, by) != getattr(other, by) or place[one.id] < place[other.id], "equal ones by name"


def row_of(name: str, **parts: object) -> NameRow:
    empty = {each.name: 0 if each.type == "int" else "" for each in fields(NameRow)}
    return NameRow(**{**empty, "id": name, "name": name, **parts})  # type: ignore[arg-type]


def test_filters_meet_whatever_the_case_and_the_accents() -> None:
    some = [
        row_of("Émile Zoller", kind="person", on_map="drawn"),
        row_of("EMILE'S YARD", kind="place", on_map="alone"),
        row_of("\u05d3\u05df \u05d1\u05df", kind="person", on_map="none"),
        row_of("x" * 20_000, kind="thing", on_map="none"),
        row_of("a\u202eb\x1b[31m", kind="thing", on_map="none"),
    ]
    assert [row.name for row in arrange_names(some, " emile ")] == ["Émile Zoller", "EMILE'S YARD"]
    assert [row.name for row in arrange_names(some, "ÉMILE", "person")] == ["Émile Zoller"]
    assert [row.name for row in arrange_names(some, on_map="alone")] == ["EMILE'S YARD"]
    assert [row.id for row in arrange_names(some, "\u05d1\u05df")] == [some[2].id]
    assert arrange_names(some, "nobody") == arrange_names(some, kind="of no kind") == []
    assert all(len(arrange_names(some, by=by)) == len(some) for by in NAME_COLUMNS)
    assert arrange_names([], by="first") == arrange_names([], by="mentions") == []


def test_a_workspace_without_documents_has_no_names(tmp_path: Path, models: Models) -> None:
    with Workspace.open(tmp_path / "w", create=True, models=models) as workspace:
        assert workspace.names.table(TaskContext()) == [] and workspace.graph.count_nodes() == 0


def test_the_file_for_spreadsheets(names_path: Path, tmp_path: Path) -> None:
    with Workspace.open(names_path, read_only=True) as workspace:
        rows = workspace.names.table(TaskContext())
        found = workspace.export(tmp_path / "names.csv", TaskContext())
    with (tmp_path / "names.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *lines = list(csv.reader(file))
    assert tuple(head) == NAME_COLUMNS and found.entities == len(lines) == len(rows)
    assert lines == [[str(getattr(row, name)) for name in NAME_COLUMNS] for row in rows]


def test_no_name_runs_in_a_spreadsheet(names_path: Path, tmp_path: Path) -> None:
    with Workspace.open(copied(names_path, tmp_path / "copy")) as workspace:
        (key,) = query(workspace, "SELECT key FROM entities WHERE name = 'Ines Holm'")[0]
        name = '=HYPERLINK("http://x")\n\u202e'
        with workspace._store.database.transaction() as connection:
            connection.execute("UPDATE entities SET name = ? WHERE key = ?", (name, key))
        workspace.export(tmp_path / "names.csv", TaskContext())
        assert any(row.name == name for row in read_name_table(workspace._store, TaskContext()))
    with (tmp_path / "names.csv").open(encoding="utf-8-sig", newline="") as file:
        written_names = [line[0] for line in csv.reader(file)]
    assert spreadsheet_cell(name) in written_names and spreadsheet_cell(name).startswith("'=")
    assert not any(cell.startswith("=") or "\n" in cell for cell in written_names)


def test_private_names_are_in_no_file(names_path: Path, tmp_path: Path) -> None:
    with Workspace.open(copied(names_path, tmp_path / "copy")) as workspace:
        (document,) = [each for each in workspace.documents.all() if each.path == "b.txt"]
        own = {each.entity_id for each in workspace.documents.mentions(document.id)}
        others = {each.entity_id for other in workspace.documents.all() if other.id != document.id
                  for each in workspace.documents.mentions(other.id)}  # fmt: skip
        gone = {row.name for row in workspace.names.table(TaskContext()) if row.id in own - others}
        workspace.private.mark(["b.txt"])
        workspace.export(tmp_path / "names.csv", TaskContext())
        assert gone and gone <= {row.name for row in workspace.names.table(TaskContext())}, "at this machine"
    with (tmp_path / "names.csv").open(encoding="utf-8-sig", newline="") as file:
        assert not gone & {line[0] for line in csv.reader(file)}
