"""Follows a plan through the sentences: from the names, over each unnamed step, to the answer."""

from __future__ import annotations

from dataclasses import dataclass

from core.answering.nations import country_of
from core.answering.plan import Plan, Step
from core.answering.reading import Line, Reading, Span
from core.extraction.question_words import NATIONS

BEAM = 4  # things remembered at each step
_SKIP = 0.15  # cost of passing over a step that the evidence does not tell
_NEAR = 6.0  # words at which a clue's pull has halved


@dataclass(frozen=True, slots=True)
class Found:
    """An answer span and the lines that lead to it, the span's own line last. Score about 0..1.5."""

    span: Span
    score: float
    lines: tuple[int, ...]
    clue: float  # how clearly the relation is told, 0..1


@dataclass(frozen=True, slots=True)
class _State:
    keys: tuple[str, ...]
    score: float  # mean of the steps' scores
    lines: tuple[int, ...]


def follow(reading: Reading, plan: Plan, avoid: frozenset[str]) -> list[Found]:
    """Answers, best first, one a key. `avoid`: keys that the question itself names."""
    states = [_State(plan.starts, 0.0, ())]
    depth = 0
    for step in plan.steps:
        grown = [
            _State((span.key,), (state.score * depth + score) / (depth + 1), _join(state.lines, line))
            for state in states
            for span, line, score, _ in _matches(reading, step, state.keys, avoid, final=False)
        ]
        skipped = [_State(s.keys, s.score - _SKIP, s.lines) for s in states]
        states = sorted(_distinct(grown), key=lambda s: -s.score)[:BEAM] + skipped[:1]
        depth += 1
    best: dict[str, Found] = {}
    for state in states:
        for span, line, score, clue in _matches(reading, plan.final, state.keys, avoid, final=True):
            total = (state.score * depth + 2.0 * score) / (depth + 2.0)
            total += 0.1 * _covers(reading, line, plan.others)
            found = Found(span, total, _join(state.lines, line), clue)
            if span.key not in best or best[span.key].score < total:
                best[span.key] = found
    return sorted(best.values(), key=lambda f: -f.score)


def _join(lines: tuple[int, ...], line: int) -> tuple[int, ...]:
    return (*(x for x in lines if x != line), line)


def _distinct(states: list[_State]) -> list[_State]:
    best: dict[tuple[str, ...], _State] = {}
    for state in states:
        if state.keys not in best or best[state.keys].score < state.score:
            best[state.keys] = state
    return list(best.values())


def _covers(reading: Reading, line: int, keys: tuple[str, ...]) -> float:
    return max((reading.about(key)[line] for key in keys), default=0.0)


def _matches(
    reading: Reading, step: Step, keys: tuple[str, ...], avoid: frozenset[str], final: bool
) -> list[tuple[Span, int, float, float]]:
    """(span, line, score, clue) of the spans that may fill the step for one of the names."""
    found = []
    for index, line in enumerate(reading.lines):
        related = max((reading.about(key)[index] for key in keys), default=0.3 if final else 0.0)
        if related <= 0.0 or not line.spans:
            continue
        clue_places = [i for i, word in enumerate(line.words) if word.stem in step.clues]
        prior = 0.1 / (1 + line.candidate)
        for span in line.spans:
            rank = _rank(span, step.labels)
            if rank < 0 or span.key in avoid or span.key in keys or not span.key:
                continue
            clue = _clue(line, span, clue_places, step)
            score = related + 0.8 * clue + 0.3 * line.cosine + prior - 0.08 * rank
            found.append((span, index, score / 2.0, clue))
    return found


def _rank(span: Span, labels: tuple[str, ...]) -> int:
    """Place of the span's label among those allowed; -1 when it may not answer."""
    if not labels:
        return -1
    if labels == NATIONS:
        return 0 if country_of(span.key) else -1
    if span.label in labels:
        return labels.index(span.label)
    # Short names of things are often mislabelled by the small model.
    return (
        len(labels) + 1 if span.label == "OTHER" and "DATE" not in labels and "CARDINAL" not in labels else -1
    )


def _clue(line: Line, span: Span, places: list[int], step: Step) -> float:
    """Pull of the nearest word that tells the relation, 1 beside it; a life date's role tells most."""
    if step.role and span.role:
        return 1.0 if span.role == step.role else 0.0
    first = next((i for i, w in enumerate(line.words) if w.start >= span.start), len(line.words))
    last = next((i for i, w in enumerate(line.words) if w.start >= span.end), len(line.words)) - 1
    pull = 0.0
    for place in places:
        if first <= place <= last:
            continue
        # What follows its clue is preferred: "directed by X", "born in X".
        distance = first - place - 1 if place < first else (place - last - 1) + 2
        pull = max(pull, 1.0 / (1.0 + max(distance, 0) / _NEAR))
    return pull
