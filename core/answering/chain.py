"""Follows a plan through the sentences: from the names, over each unnamed step, to the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.answering.lines import Line, Span
from core.answering.plan import Plan, Step
from core.answering.reading import Reading
from core.answering.words import stem
from core.extraction.question_steps import NEGATIONS
from core.extraction.question_words import NATIONS

BEAM = 4  # things remembered at each step
_SKIP = 0.3  # cost of passing over a step that the evidence does not tell
_VALUES = frozenset(("DATE", "TIME", "CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL"))
_TITLED = frozenset(("PERSON", "ORG", "WORK", "PRODUCT"))
_ALL = 0.3  # worth of speaking of all names at once, where the question tells no steps
_BESIDE = 0.6  # pull of a clue that stands nearly beside
_DENIALS = frozenset(stem(word) for word in NEGATIONS)
_AGENTS = frozenset(("PERSON", "ORG"))
_PASSIVE = 8  # words that what stands before "chartered by" is moved away
_NEAR = 6.0  # words at which a clue's pull has halved
_CLEAR = 0.5
_Match = tuple[Span, int, float, float]  # (span, line, score, clue)


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
    past: frozenset[str]  # keys met on the way: no step leads back
    score: float  # mean of the steps' scores
    lines: tuple[int, ...]


def follow(reading: Reading, plan: Plan, avoid: frozenset[str]) -> list[Found]:
    """Answers, best first, one a key. `avoid`: keys that the question itself names."""
    states = [_State(plan.starts, avoid, 0.0, ())]
    depth = 0
    for step in plan.steps:
        grown = [
            _State(
                (span.key,),
                state.past | {*state.keys},
                (state.score * depth + score) / (depth + 1),
                _join(state.lines, line),
            )
            for state in states
            for span, line, score, _ in _told(_matches(reading, step, state.keys, (), state.past))
        ]
        if not grown:  # the evidence does not tell this step: look for the next from where we are
            states = [replace(s, score=s.score - _SKIP) for s in states]
            continue
        states = sorted(_distinct(grown), key=lambda s: -s.score)[:BEAM]
        depth += 1
    best: dict[str, Found] = {}
    for state in states:
        for span, line, score, clue in _matches(
            reading, plan.final, state.keys, plan.others, state.past, not plan.steps
        ):
            total = (state.score * depth + 2.0 * score) / (depth + 2.0)
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


def _told(found: list[_Match]) -> list[_Match]:
    """Where the step's relation is told outright, only what it is told of."""
    clearest = max((clue for *_, clue in found), default=0.0)
    return [m for m in found if m[3] >= clearest / 2] if clearest >= _CLEAR else found


def _matches(
    reading: Reading,
    step: Step,
    keys: tuple[str, ...],
    others: tuple[str, ...],
    avoid: frozenset[str],
    together: bool = False,
) -> list[_Match]:
    """(span, line, score, clue) of the spans that may fill the step for one of the names.

    `others` are names that the line should speak of as well; half of what it is about is theirs.
    """
    found = []
    topics = [reading.about(key) for key in keys]
    extra = [reading.about(key) for key in others]
    barred = [set(key.split()) for key in (*keys, *avoid)]
    for index, line in enumerate(reading.lines):
        related = max((topic[index] for topic in topics), default=0.3)
        if len(topics) > 1 and together:
            related = (1.0 - _ALL) * related + _ALL * sum(topic[index] for topic in topics) / len(topics)
        if extra:
            related = 0.5 * related + 0.5 * max(topic[index] for topic in extra)
        if related <= 0.0 or not line.spans or reading.headings[index]:
            continue
        places = [
            i
            for i, word in enumerate(line.words)
            if word.stem in step.clues and (step.denied or not _denied(line, i))
        ]
        prior = 0.1 / (1 + line.candidate)
        for span in line.spans:
            rank = _rank(span, step)
            if rank < 0 or not span.key or _known(span, barred) or stem(span.key.split()[-1]) in step.kinds:
                continue
            clue = _clue(line, span, places, step)
            if span.label == "OTHER" and clue < _BESIDE and not _TITLED & set(step.labels):
                continue
            score = related + 0.8 * clue + 0.3 * line.cosine + prior - 0.08 * rank + _detail(line, span)
            found.append((span, index, score / 2.0, clue))
    return found


def _denied(line: Line, place: int) -> bool:
    """Whether the word stands after a "no" or "never": what is told did not happen."""
    return any(word.stem in _DENIALS for word in line.words[max(0, place - 3) : place])


def _known(span: Span, barred: list[set[str]]) -> bool:
    """Whether the span is part of a name on the way, or a longer form of one: 'Petrel Ltd of Oslo'."""
    own = set(span.key.split())
    return any(own <= words or (len(words) > 1 and words <= own) for words in barred)


def _detail(line: Line, span: Span) -> float:
    """Fuller dates are better answers; of equals in a life's brackets the first is the finest place."""
    if span.label == "DATE":
        return 0.06 if any(c.isalpha() for c in span.text) and any(c.isdigit() for c in span.text) else 0.0
    same = [s for s in line.spans if s.role and s.role == span.role and s.label != "DATE"]
    return 0.05 if len(same) > 1 and same[0] is span else 0.0


def _rank(span: Span, step: Step) -> int:
    """Place of the span's label among those allowed; -1 when it may not answer."""
    labels = step.labels
    if not labels:
        return -1
    if span.label in labels:
        return labels.index(span.label)
    if span.label == "WORK" and span.key.endswith(f" {step.word}"):
        return len(labels)
    # The small model mislabels names; a thing of no known kind may still be the answer.
    return len(labels) + 1 if span.label == "OTHER" and not _VALUES & set(labels) else -1


def _clue(line: Line, span: Span, places: list[int], step: Step) -> float:
    """Pull of the nearest word that tells the relation, 1 beside it; a life date's role tells most."""
    if step.role and span.role:
        return 1.0 if span.role == step.role else 0.0
    first = next((i for i, w in enumerate(line.words) if w.start >= span.start), len(line.words))
    last = next((i for i, w in enumerate(line.words) if w.start >= span.end), len(line.words)) - 1
    if step.word and _says_its_kind(line, span, last, step):
        return 1.0
    pull = 0.0
    for place in places:
        if first <= place <= last:
            continue
        # What follows its clue is preferred: "directed by X", "born in X".
        distance = first - place - 1 if place < first else (place - last - 1) + 2
        passive = place > last and bool(_AGENTS & set(step.labels)) and _said_by(line, place)
        distance += _PASSIVE * passive  # "owned by X, chartered by Y": Y did it
        pull = max(pull, 1.0 / (1.0 + max(distance, 0) / _NEAR))
    return pull


def _said_by(line: Line, place: int) -> bool:
    return any(word.stem == "by" for word in line.words[place + 1 : place + 3])


def _says_its_kind(line: Line, span: Span, last: int, step: Step) -> bool:
    """'Jiangsu province', 'the North Canadian River', 'the city of Poznan': the noun stands with the name."""
    own = stem(step.word)
    if len(own) < 3 or span.label in _VALUES or step.labels == NATIONS or "PERSON" in step.labels:
        return False
    final = line.words[last].stem if 0 <= last < len(line.words) else ""
    after = line.words[last + 1].stem if last + 1 < len(line.words) else ""
    return own in (final, after)
