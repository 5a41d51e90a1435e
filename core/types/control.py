"""How an answer was checked before it was given. A2RAG III-B."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What the passages say to a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of an answer, and what the passages say to it.

    `citations` are places in the answer's citations, from 0; () for what no passage carries.
    """

    text: str
    verdict: Verdict
    citations: tuple[int, ...] = ()
    words: str = ""  # why, for people
    by: str = "heuristic"  # or the model that judged


@dataclass(frozen=True, slots=True)
class Validation:
    """One part of the Triple-Check. A2RAG III-B, eq. 2 to 4."""

    name: str  # relevance, grounding, resolution
    passed: bool
    score: float  # 0 to 1
    words: str  # what was looked at, for people
    by: str = "heuristic"  # or the model that judged


@dataclass(frozen=True, slots=True)
class Round:
    """One time round the loop: what was asked, what came of it, why it was not enough and what followed."""

    number: int  # from 1
    question: str
    route: str
    answer: str  # "" where none was found
    validations: tuple[Validation, ...]
    failure: str = ""  # the first part that failed; "" where the answer holds
    rewrite: str = ""  # what is tried next, for people
    seconds: float = 0.0
    claims: tuple[Claim, ...] = ()  # of the answer, one a sentence, where each was judged
