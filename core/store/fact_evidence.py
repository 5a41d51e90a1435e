"""What facts were read from: what a filter of facts learns from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.store.database import Database

_CLAUSE = 600  # characters that are read of the words of a triple
_READ = (
    "SELECT f.key, f.id, f.state, s.normal, s.label, o.normal, o.label, f.predicate, t.proposer, t.confidence, d.id,"
    ' p.key, p.id, length(p.text), t.subject, t.object, t.start, t."end",'
    f' substr(p.text, t.start + 1, min({_CLAUSE}, t."end" - t.start)),'
    " coalesce((SELECT max(ordinal) FROM sentences n WHERE n.passage_key = p.key AND n.start <= t.start), -1)"
    " FROM json_each(?) j CROSS JOIN candidate_facts f ON f.key = j.value"
    " CROSS JOIN entities s ON s.key = f.subject_key CROSS JOIN entities o ON o.key = f.object_key"
    " CROSS JOIN triples t ON t.fact_key = f.key CROSS JOIN passages p ON p.key = t.passage_key"
    " CROSS JOIN documents d ON d.key = p.document_key"
)


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """A fact with the surest of its triples; of several as sure ones the one of the first passage id."""

    key: int
    id: str
    state: str
    subject_normal: str
    subject_label: str
    object_normal: str
    object_label: str
    predicate: str
    proposer: str
    confidence: float  # 0 to 1
    document_id: str
    passage_key: int
    passage_id: str
    length: int  # of the passage, characters
    subject: str  # as written
    object: str
    start: int  # of the words that it was read from, in the passage
    end: int
    clause: str  # the beginning of these words
    sentence: int  # ordinal of the one in which they begin, -1 where none is known
    triples: int = 1

    @property
    def order(self) -> tuple[float, str, int, str, str]:
        return -self.confidence, self.passage_id, self.start, self.subject, self.object


def fact_evidence(database: Database, keys: Sequence[int]) -> list[FactEvidence]:
    """Of these facts, by id, without those that are gone or that no triple says."""
    found: dict[int, list[FactEvidence]] = {}
    for row in database.connection().execute(_READ, (json.dumps(list(keys)),)):
        found.setdefault(row[0], []).append(FactEvidence(*row))
    facts = [
        replace(min(own, key=lambda one: one.order), triples=len(own)) if len(own) > 1 else own[0]
        for own in found.values()
    ]
    return sorted(facts, key=lambda fact: fact.id)
