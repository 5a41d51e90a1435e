"""Rows of the evidence panel over the records of an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.answers.wording import reason_of
from core.types import Answer, Citation, CitedCommunity, Evidence

ROWS = 20  # passages shown at most


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One card: the passage, its share of the best score (0..1), why it is here, which marks cite it.

    `communities`: whose reports told it, in an answer about all documents.
    """

    evidence: Evidence
    share: float
    reason: str
    cited_as: tuple[int, ...]
    communities: tuple[CitedCommunity, ...] = ()


def evidence_rows(answer: Answer) -> list[EvidenceRow]:
    """Cards in the order of their rank, at most ROWS."""
    best = max((row.hit.score for row in answer.evidence), default=0.0)
    return [
        EvidenceRow(
            row,
            min(max(row.hit.score / best, 0.0), 1.0) if best > 0 else 0.0,
            reason_of(row, answer),
            _citing(row, answer.citations),
            _telling(row, answer),
        )
        for row in sorted(answer.evidence, key=lambda row: row.hit.rank)[:ROWS]
    ]


def _citing(row: Evidence, citations: tuple[Citation, ...]) -> tuple[int, ...]:
    return tuple(
        number for number, citation in enumerate(citations, start=1) if citation.passage_id == row.passage.id
    )


def _telling(row: Evidence, answer: Answer) -> tuple[CitedCommunity, ...]:
    """Return the communities whose reports told a passage, in the order of the answer."""
    own = {each.community for each in answer.citations if each.passage_id == row.passage.id}
    return tuple(community for community in answer.communities if community.id in own)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Part of a passage with the place of its best sentence in that part; ellipses included."""

    text: str
    start: int
    end: int


def excerpt(evidence: Evidence, most: int = 280) -> Excerpt:
    """About `most` characters around the best sentence, cut at blanks; white space made single."""
    passage, sentence = evidence.passage, evidence.sentence
    start, end = (sentence.start, sentence.end) if sentence else (0, 0)
    before, marked, after = (_single(part) for part in _parts(passage.text, start, end))
    if len(before) + len(marked) + len(after) <= most * 1.3:
        return Excerpt(before + marked + after, len(before), len(before) + len(marked))
    spare = max(most - len(marked), 0)
    before = _tail(before, max(spare // 3, spare - len(after)))
    after = _head(after, max(spare - len(before), 0))
    return Excerpt(before + marked + after, len(before), len(before) + len(marked))


def full_excerpt(evidence: Evidence) -> Excerpt:
    """Return the passage in full, with its lines."""
    sentence = evidence.sentence
    start, end = (sentence.start, sentence.end) if sentence else (0, 0)
    before, marked, after = (_single_lines(part) for part in _parts(evidence.passage.text, start, end))
    before = before.lstrip()
    return Excerpt((before + marked + after).rstrip(), len(before), len(before) + len(marked))


def _single_lines(text: str) -> str:
    """Blanks within lines and empty lines made single; what stands at the ends is kept."""
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"[^\S\n]+", " ", text))


def _parts(text: str, start: int, end: int) -> tuple[str, str, str]:
    return text[:start], text[start:end], text[end:]


def _single(text: str) -> str:
    """White space made single, kept as one blank at the ends."""
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return (" " if text[0].isspace() else "") + words + (" " if text[-1].isspace() else "")


def _tail(text: str, most: int) -> str:
    if len(text) <= max(most, 1):
        return text
    tail = text[len(text) - most :] if most > 0 else ""
    return "\u2026 " + tail.partition(" ")[2]


def _head(text: str, most: int) -> str:
    if len(text) <= max(most, 1):
        return text
    head = text[:most].rpartition(" ")[0] if most > 0 else ""
    return head.rstrip() + " \u2026"
