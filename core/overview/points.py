"""One sentence of an answer about all documents."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import Citation


@dataclass(frozen=True, slots=True)
class Point:
    """`citation` has the community below whose title it stands, where it stands below one; `score` is 0 to 1."""

    citation: Citation
    score: float
