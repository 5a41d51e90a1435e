"""Map and reduce over reports: what each has to say to the question, and what of it is told.

Edge et al. 2024, From Local to Global: every report is asked, its points are weighed, the best are put
together. Triple-layer GraphRAG 4.4.3: broad questions read the top level, specific ones a finer one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.extraction.telling import tells
from core.types import Citation, CommunityReport, Statement

MOST = 12  # communities that an answer speaks of
EACH = 2  # statements of one community, at most
_ALIKE = 0.9  # cosine of two passages from which the second says nothing new
_KEY = 3  # key facts of a community that are told before other statements
_RELEVANT = 0.25  # least cosine, for a question about one kind of thing

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Point:
    """A statement that is told, of which community, and its score, 0 to 1: for a question about one kind of thing
    how near it is (cosine), else the community's share of all entities, for which it is told first."""

    community_id: int
    statement: Statement
    score: float


@dataclass(frozen=True, slots=True)
class Chosen:
    """Points in the order they are told; `reports` are those of their communities, most important first."""

    points: tuple[Point, ...]
    reports: tuple[CommunityReport, ...]
    asked: int  # reports that were looked at
    in_order: bool = False  # not community by community: by date, or name by name


def choose_points(
    reports: Sequence[CommunityReport],
    sizes: Mapping[int, int],
    question: Vectors,
    vectors: Callable[[Sequence[str]], Vectors],
    broad: bool,
) -> Chosen:
    """What is told of these reports of one level.

    `sizes` are entities by community; `question` (d,) and what `vectors` gives for passage ids, (n, d), are
    unit vectors. A broad question hears every large community once before any is heard twice; a specific
    one those that are near it.
    """
    mapped = {report.community_id: _points(report, question, vectors, broad) for report in reports}
    if broad:
        order = sorted(reports, key=lambda r: (-sizes.get(r.community_id, 0), r.community_id))
    else:
        near = {key: max((point.score for point in points), default=-1.0) for key, points in mapped.items()}
        order = sorted(reports, key=lambda r: (-near[r.community_id], r.community_id))
        order = [r for r in order if near[r.community_id] >= _RELEVANT] or order[:1]
    told = [report for report in order if mapped[report.community_id]][:MOST]
    points = _reduced([mapped[report.community_id] for report in told], vectors, broad)
    if broad:
        points = [replace(point, score=share_of(point.community_id, sizes)) for point in points]
    heard = {point.community_id for point in points}
    return Chosen(tuple(points), tuple(r for r in told if r.community_id in heard), len(reports))


def share_of(community: int, sizes: Mapping[int, int]) -> float:
    """Share of the entities that stand in a community."""
    return sizes.get(community, 0) / max(1, sum(sizes.values()))


def _points(
    report: CommunityReport, question: Vectors, vectors: Callable[[Sequence[str]], Vectors], broad: bool
) -> list[Point]:
    """Map: the statements of a report with their nearness to the question.

    In the order of the report; for a broad question those first that carry a key fact.
    """
    statements = [statement for statement in report.statements if statement.citations]
    if broad:
        key = [fact.citation for fact in report.facts if tells(fact.citation.quote)][:_KEY] or [
            fact.citation for fact in report.facts[:_KEY]
        ]
        carrying = [s for s in statements if any(_within(fact, s) for fact in key)]
        told = [Statement(fact.quote, (fact,)) for fact in key if not any(_within(fact, s) for s in carrying)]
        statements = list(dict.fromkeys([*carrying, *told, *statements]))
    if not statements:
        return []
    near = vectors([statement.citations[0].passage_id for statement in statements]) @ question
    return [
        Point(report.community_id, statement, float(score))
        for statement, score in zip(statements, near.tolist(), strict=True)
    ]


def _within(fact: Citation, statement: Statement) -> bool:
    """Whether the statement's first place is the evidence of the fact."""
    place = statement.citations[0]
    return (
        place.document_id == fact.document_id
        and place.start <= fact.start
        and fact.end <= max(place.end, fact.start)
    )


def _reduced(
    mapped: Sequence[Sequence[Point]], vectors: Callable[[Sequence[str]], Vectors], broad: bool
) -> list[Point]:
    """Reduce: one point of each community, then a second where it says something new."""
    found: list[Point] = []
    told = np.zeros((0, 0), dtype=np.float32)
    seen: set[str] = set()
    queues = [list(points) if broad else sorted(points, key=lambda p: -p.score) for points in mapped]
    for turn in range(EACH if not broad or len(queues) < MOST // 2 else 1):
        for queue in queues:
            for point in list(queue):
                queue.remove(point)
                passage = point.statement.citations[0].passage_id
                vector = vectors([passage])
                again = passage in seen or (len(told) and float((told @ vector[0]).max()) > _ALIKE)
                if point.statement.text in seen or (again and (queue or turn)):
                    continue
                found.append(point)
                seen.update((passage, point.statement.text))
                told = np.concatenate([told.reshape(-1, vector.shape[1]), vector])
                break
    return found
