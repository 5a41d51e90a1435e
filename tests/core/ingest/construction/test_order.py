"""The order of building, held against what the store says row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.types import Construction, Event, FactWords
from core.workspace import Workspace


def rows(workspace: Workspace, sql: str) -> list[tuple[Any, ...]]:
    return workspace._store.database.connection().execute(sql).fetchall()


@pytest.fixture(scope="module")
def events(sample_workspace: Workspace) -> Construction:
    return sample_workspace.construction.events()


def test_at_the_end_all_is_there(events: Construction, sample_workspace: Workspace) -> None:
    counts, built = sample_workspace.counts(), events.built(len(events))
    assert (built.passages, built.entities, built.facts) == (counts.passages, counts.entities, counts.facts)
    assert built.merges == len(rows(sample_workspace, "SELECT 1 FROM entities WHERE head_key IS NOT NULL"))
    assert built.merges and built.names == built.entities + built.merges


def test_each_name_and_fact_stands_behind_the_first_passage_that_holds_it(
    events: Construction, sample_workspace: Workspace
) -> None:
    order = [id for (id,) in rows(sample_workspace, "SELECT id FROM passages ORDER BY key")]
    assert list(events.passage_ids) == order
    said = "SELECT e.id, min(m.passage_key) FROM mentions m JOIN entities e ON e.key = m.entity_key GROUP BY e.key"
    ids = dict(rows(sample_workspace, "SELECT key, id FROM passages"))
    first_name = {id: ids[key] for id, key in rows(sample_workspace, said)}
    told = "SELECT f.id, min(t.passage_key) FROM triples t JOIN facts f ON f.key = t.fact_key GROUP BY f.key"
    first_fact = {id: ids[key] for id, key in rows(sample_workspace, told)}
    passage, names, facts = "", {}, {}
    for at in range(len(events)):
        kind, row = Event(int(events.kinds[at])), int(events.rows[at])
        if kind is Event.PASSAGE:
            passage = events.passage_ids[row]
        elif kind is Event.NAME:
            names[events.name_ids[row]] = passage
            assert events.passage_of(at) == order.index(passage)
        elif kind is Event.FACT:
            facts[events.fact_ids[row]] = passage
            assert all(events.name_ids[end] in names for end in events.ends[row].tolist())
    assert names == first_name
    assert facts == first_fact


def test_rows_of_each_kind_come_in_their_order(events: Construction) -> None:
    for kind in Event:
        own = events.rows[events.kinds == kind]
        assert own.tolist() == list(range(len(own)))
        assert np.array_equal(events.places[kind], np.flatnonzero(events.kinds == kind))


def test_what_is_there_only_grows_and_is_counted_rightly(events: Construction) -> None:
    for upto in (0, 1, 17, len(events) // 2, len(events)):
        built, came = events.built(upto), events.kinds[:upto]
        assert built.names == int((came == Event.NAME).sum())
        assert built.facts == int((came == Event.FACT).sum())
    assert events.before(0) == 0
    second = int(events.places[Event.PASSAGE][1])
    assert events.before(second - 1) == 0
    assert events.before(second) == events.before(second + 1) == second


def test_merges_come_behind_the_passages_with_their_reasons(
    events: Construction, sample_workspace: Workspace
) -> None:
    assert int(events.places[Event.MERGE][0]) > int(events.places[Event.PASSAGE][-1])
    heads = dict(
        rows(sample_workspace, "SELECT e.id, h.id FROM entities e JOIN entities h ON h.key = e.head_key")
    )
    merged = {events.name_ids[name]: events.name_ids[into] for name, into in events.merges.tolist()}
    assert merged == heads
    assert all(events.merge_reasons)
    assert (np.diff(events.cosines) <= 0).all()


def test_what_people_did_comes_last_with_its_time(sample_copy: Path, models: Models) -> None:
    Workspace.trust(sample_copy)
    with Workspace.open(sample_copy, models=models) as workspace:
        before = workspace.construction.events()
        one, other = [head for head in range(len(before.names)) if before.heads[head] == head][:2]
        workspace.names.merge([before.name_ids[one], before.name_ids[other]], TaskContext(), "the same man")
        document = workspace.documents.all()[0]
        quote = workspace.documents.text(document.id)[:40].strip()
        words = FactWords("Zelda Quint", "painted", "Ulmar Fest", "PERSON", "EVENT")
        workspace.review.add(document.id, quote, words)
        events = workspace.construction.events()
    acts = events.places[Event.ACT].tolist()
    assert [events.acts[row].verb for row in range(len(events.acts))] == ["merge", "add"]
    assert acts[0] > max(int(events.places[kind][-1]) for kind in (Event.PASSAGE, Event.SYNONYM))
    behind = [Event(int(kind)) for kind in events.kinds[acts[0] :]]
    assert behind == [Event.ACT, Event.MERGE, Event.ACT, Event.NAME, Event.NAME, Event.FACT]
    assert set(events.names[-2:]) == {"Zelda Quint", "Ulmar Fest"}
    assert events.passage_of(len(events) - 1) == -1
    assert events.predicates[-1] == "painted"


def test_a_workspace_without_documents_has_no_events(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "workspace", create=True) as workspace:
        events = workspace.construction.events()
    assert len(events) == 0
    assert events.built(0).entities == 0


def test_a_passage_that_was_read_again_is_told(sample_copy: Path, models: Models) -> None:
    Workspace.trust(sample_copy)
    with Workspace.open(sample_copy, models=models) as workspace:
        store = workspace._store
        passages = rows(
            workspace, "SELECT passage_key FROM triples GROUP BY passage_key ORDER BY passage_key"
        )
        assert workspace.construction.events().extracted_again == 0
        with store.database.transaction() as connection:
            (last,) = connection.execute("SELECT max(key) FROM triples").fetchone()
            connection.execute(
                "UPDATE triples SET key = key + ? WHERE passage_key = ?", (last, passages[0][0])
            )
        assert workspace.construction.events().extracted_again == 1
