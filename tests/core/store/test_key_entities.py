"""The names that lead communities, read without their reports."""

from __future__ import annotations

from pathlib import Path

from core.store.store import Store


def test_names_are_those_of_all_reports(sample_path: Path) -> None:
    store = Store(sample_path, "all-MiniLM-L6-v2", 384, read_only=True)
    try:
        reports = store.reports.of_level(1)
        labels = {entity.label for report in reports for entity in report.entities}
        wanted = {(r.community_id, e.entity_id, e.name, e.share) for r in reports for e in r.entities}
        assert wanted and set(store.reports.key_entities(1, labels)) == wanted
        assert store.reports.key_entities(1, {"NOTHING"}) == []
        ids = sorted({entity_id for _, entity_id, _, _ in wanted})
        assert [id for id, _, _ in store.entities.heads_among([*ids, "gone"], labels, len(ids))] == ids
        assert [id for id, _, _ in store.entities.heads_among(["gone", *ids], labels, 2)] == ids[:2]
        assert store.entities.heads_among(ids, {"NOTHING"}, 2) == []
    finally:
        store.close()
