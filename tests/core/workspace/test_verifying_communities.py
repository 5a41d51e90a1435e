"""Rules of communities: damage of their kind makes exactly them fail, repair and indexing make it whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.store.verify import RULES
from core.workspace import Workspace
from tests.core.workspace import test_verifying
from tests.core.workspace.test_verifying import Damage, damage, digest, failed, sql

A_MEMBER = "(SELECT min(entity_key) FROM community_members)"
SMALLEST = "(SELECT community_key FROM community_members GROUP BY community_key ORDER BY count(*) LIMIT 1)"
PLACES, REPORTS = "communities and places", "reports of communities"
REFERENCES = "references between rows"

DAMAGES: dict[str, tuple[Damage, set[str]]] = {
    "an entity in no community": (
        sql(f"DELETE FROM community_members WHERE entity_key = {A_MEMBER}"),
        {PLACES},
    ),
    "all entities in none": (sql("DELETE FROM community_members"), {PLACES}),
    "an entity in a large community": (
        sql(
            "UPDATE community_members SET community_key = (SELECT max(key) FROM communities WHERE parent_key IS NULL)"
            f" WHERE entity_key = {A_MEMBER}"
        ),
        {PLACES},
    ),
    "an entity in a community that is gone": (
        sql(f"UPDATE community_members SET community_key = 999999 WHERE entity_key = {A_MEMBER}"),
        {REFERENCES},
    ),
    "a member that is gone": (
        sql(f"INSERT INTO community_members VALUES (999999, {SMALLEST})"),
        {REFERENCES},
    ),
    "a community whose parent is gone": (
        sql(f"UPDATE communities SET parent_key = 999999 WHERE key = {SMALLEST}"),
        {REFERENCES, PLACES},
    ),
    "a community without a parent": (
        sql(f"UPDATE communities SET parent_key = NULL WHERE key = {SMALLEST}"),
        {PLACES},
    ),
    "a circle": (
        sql("UPDATE communities SET parent_key = key WHERE key = (SELECT min(key) FROM communities)"),
        {PLACES},
    ),
    "a level that is left out": (
        sql("UPDATE communities SET level = level + 1 WHERE parent_key IS NULL"),
        {PLACES},
    ),
    "an empty community": (
        sql(
            "INSERT INTO communities SELECT 999998, 1, parent_key, 999 FROM communities WHERE level = 1 LIMIT 1"
        ),
        {PLACES, REPORTS},
    ),
    "two of one number": (
        sql(
            "UPDATE communities SET number = 1 WHERE level = 1 AND key = (SELECT min(key) FROM communities"
            " WHERE level = 1 AND number <> 1)"
        ),
        {PLACES},
    ),
    "no report": (
        sql("DELETE FROM community_reports WHERE community_key = (SELECT min(key) FROM communities)"),
        {REPORTS},
    ),
    "a report from nowhere": (
        sql(f"UPDATE community_reports SET source = '' WHERE community_key = {SMALLEST}"),
        {REPORTS},
    ),
    "a report of odd content": (
        sql(
            "UPDATE community_reports SET report = json_set(report, '$.statements', 3)"
            f" WHERE community_key = {SMALLEST}"
        ),
        {REPORTS},
    ),
    "a report that is cut off": (
        sql(f"UPDATE community_reports SET report = substr(report, 1, 40) WHERE community_key = {SMALLEST}"),
        {REPORTS},
    ),
    "a report of a community that is gone": (
        sql(
            "INSERT INTO community_reports SELECT 999999, source, written_by, report FROM community_reports LIMIT 1"
        ),
        {REFERENCES},
    ),
    "a place in another's colour": (
        sql(
            "UPDATE layout SET community = community + 1 WHERE entity_key ="
            " (SELECT min(entity_key) FROM layout WHERE community >= 0)"
        ),
        {PLACES},
    ),
}


def test_every_rule_has_a_damage_that_breaks_it() -> None:
    breaking = [expected for damages in (DAMAGES, test_verifying.DAMAGES) for _, expected in damages.values()]
    cannot_be_mended = {"database pages", "log of decisions"}
    assert set().union(*breaking) | cannot_be_mended == {rule.name for rule in RULES} | {
        "vector index on disk"
    }


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_to_communities_is_found_mended_and_undone(
    name: str, sample_copy: Path, sample_folder: Path, sample_path: Path, models: Models
) -> None:
    act, expected = DAMAGES[name]
    damage(sample_copy, act)
    opened = Workspace.open(sample_copy, models=models)
    try:
        assert failed(opened.verify(TaskContext())) == expected
        assert failed(opened.verify(TaskContext(), repair=True)) == set()
        opened.index(sample_folder, TaskContext())
        after = opened.verify(TaskContext())
        assert failed(after) == set()
        assert {check.detail for check in after if check.name == "indexing"} == {"finished"}
        assert opened.status().digest == digest(sample_path)
        grouped = opened._store.communities.members()
        heads = [row.key for row in opened._store.entities.rows()]
        assert grouped[0].tolist() == sorted(heads)
    finally:
        opened.close()
