"""Picks the sentences that answer, as a set: each must add a name or a word that is still missing."""

from __future__ import annotations

from core.answering.plan import Plan
from core.answering.reading import Reading
from core.answering.words import stem
from core.extraction.question import ParsedQuestion

_COSINE, _OVERLAP, _NAMES, _TYPE, _RANK = 1.0, 0.5, 0.5, 0.2, 0.1
_HEADING = 0.3


def score_lines(reading: Reading, question: ParsedQuestion, plan: Plan) -> list[float]:
    """How well each line alone answers, about 0..2.3: similarity, shared words, names, type, rank."""
    asked = content_stems(question)
    names = [n.key for n in question.names]
    scores = []
    for i, line in enumerate(reading.lines):
        shared = len(asked & line.stems) / len(asked) if asked else 0.0
        named = max((reading.about(key)[i] for key in names), default=0.0)
        typed = any(s.label in question.answer_labels and s.key not in names for s in line.spans)
        told = bool(plan.final.clues & line.stems)
        # A heading names what it does not tell.
        worth = _HEADING if reading.headings[i] else 1.0
        scores.append(
            worth
            * (
                _COSINE * line.cosine
                + _OVERLAP * shared
                + _NAMES * named
                + _TYPE * (typed + told) / 2
                + _RANK / (1 + line.candidate)
            )
        )
    return scores


def content_stems(question: ParsedQuestion) -> frozenset[str]:
    """Stems of the question's content words."""
    return frozenset(stem(lemma) for lemma in question.content)


def select(
    reading: Reading,
    question: ParsedQuestion,
    scores: list[float],
    start: tuple[int, ...],
    most: int,
) -> tuple[int, ...]:
    """Lines of the answer: `start` (the way to a short answer), then what covers the rest.

    Greedy: a line is worth its score times the share of names, content words and bridging names
    (those of lines already chosen) that it adds. At least one line unless there are none.
    """
    chosen = list(start[-most:])
    wanted = {("name", n.key) for n in question.names} | {("word", s) for s in content_stems(question)}
    covered = {need for i in chosen for need in _covers(reading, i, question, wanted)}
    while len(chosen) < most:
        bridges = {
            s.key for i in chosen for s in reading.lines[i].spans if s.label not in ("DATE", "CARDINAL")
        }
        best, best_gain = -1, 0.0
        for i, score in enumerate(scores):
            if i in chosen:
                continue
            new = _covers(reading, i, question, wanted) - covered
            names = sum(kind == "name" for kind, _ in new)
            bridging = any(s.key in bridges for s in reading.lines[i].spans) or (
                reading.titles[reading.lines[i].candidate] in bridges
            )
            share = (2 * names + len(new)) / max(len(wanted), 1) + (0.2 if bridging and new else 0.0)
            gain = score * share if chosen else score
            if gain > best_gain:
                best, best_gain = i, gain
        if best < 0 or (chosen and best_gain < (0.45 if not start else 0.6)):
            break
        chosen.append(best)
        covered |= _covers(reading, best, question, wanted)
    return tuple(chosen)


def _covers(
    reading: Reading, i: int, question: ParsedQuestion, wanted: set[tuple[str, str]]
) -> set[tuple[str, str]]:
    line = reading.lines[i]
    return {
        (kind, key)
        for kind, key in wanted
        if (kind == "word" and key in line.stems) or (kind == "name" and reading.about(key)[i] >= 0.7)
    }
