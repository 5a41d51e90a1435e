"""Writes the reports of a workspace's communities: of those that changed, and of no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from core.progress import TaskContext
from core.protocols import LanguageModel
from core.providers.tokenizer import WordPieceTokenizer
from core.reporting import extractive
from core.reporting.gathering import gather, with_vectors
from core.reporting.material import Material
from core.store.contents import CommunityRow
from core.store.reports import Source
from core.store.store import Store
from core.types import CommunityReport

_ENTITIES = 4_000  # of the communities that are read together
_COMMUNITIES = 400
_STAGE = "reports"


@dataclass(frozen=True, slots=True)
class Written:
    """How many reports were written, by whom, and what became of the others."""

    written: int = 0  # by rules and by the model
    by_model: int = 0
    kept: int = 0  # nothing of theirs changed
    stale: int = 0  # a model wrote them, and what they tell of has changed since
    removed: int = 0  # their communities are gone


def write_reports(
    store: Store,
    context: TaskContext,
    *,
    level: int | None = None,
    model: LanguageModel | None = None,
    again: bool = False,
) -> Written:
    """Reports for the communities (of one level) that have none, or whose material changed; `again`: for all.

    Committed in batches, so that an interrupted run goes on where it was. Raises Cancelled.
    """
    rows = store.contents.communities(level)
    known = store.reports.sources()
    there = {row.key for row in store.contents.communities()}
    gone = sorted(known.keys() - there)
    if gone:
        with store.database.transaction() as connection:
            store.reports.drop(connection, gone)
    total = Written(removed=len(gone))
    tokenizer = WordPieceTokenizer()
    done = 0
    context.report(_STAGE, 0, len(rows))
    for batch in _batches(rows):
        materials = gather(store, tokenizer, batch)
        context.check()
        changed = [m for m in materials if again or _needed(known.get(m.community_id), m, model)]
        _write(store, changed, context)
        done += len(batch)
        total = replace(
            total, written=total.written + len(changed), kept=total.kept + len(batch) - len(changed)
        )
        context.report(_STAGE, done, len(rows))
    return total


def _needed(known: Source | None, material: Material, model: LanguageModel | None) -> bool:
    return known is None or known.source != material.source


def _write(store: Store, materials: Sequence[Material], context: TaskContext) -> None:
    if not materials:
        return
    reports: list[tuple[str, CommunityReport]] = []
    for material in with_vectors(store, materials):
        context.check()
        reports.append((material.source, extractive.write(material)))
    with store.database.transaction() as connection:
        store.reports.put(connection, reports)


def _batches(rows: Sequence[CommunityRow]) -> Iterator[list[CommunityRow]]:
    """Communities of one level that hold not too many entities together."""
    for _, same in groupby(rows, key=lambda row: row.level):
        batch: list[CommunityRow] = []
        for row in same:
            if batch and (
                len(batch) == _COMMUNITIES or sum(r.entities for r in batch) + row.entities > _ENTITIES
            ):
                yield batch
                batch = []
            batch.append(row)
        yield batch
