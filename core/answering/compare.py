"""Answers comparisons: the attribute is found for each name, then the values are held together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.answering.chain import Found, follow
from core.answering.dates import Date, earlier, find_dates
from core.answering.plan import Comparison, Step, plan
from core.answering.reading import Reading
from core.answering.words import clues
from core.extraction.question import ParsedQuestion
from core.extraction.question_words import PEOPLE, labels_of


@dataclass(frozen=True, slots=True)
class Verdict:
    """`text` is the short answer; `values` what was found for each name, None where nothing was."""

    text: str
    values: tuple[Found | None, ...]
    lines: tuple[int, ...]


def compare(reading: Reading, question: ParsedQuestion, asked: Comparison) -> Verdict:
    """Text is "" when a value is missing or does not decide."""
    avoid = frozenset(n.key for n in question.names)
    base = plan(question, final=asked.final)
    steps = _person_steps(question)
    values: list[Found | None] = []
    for key in asked.names:
        found = follow(reading, replace(base, starts=(key,), others=(), steps=steps), avoid - {key})
        values.append(found[0] if found else None)
    lines = tuple(dict.fromkeys(i for v in values if v for i in v.lines))
    if any(v is None for v in values):
        return Verdict("", tuple(values), lines)
    present = [v for v in values if v is not None]
    if asked.order == "same":
        same = len({value.span.key for value in present}) == 1
        return Verdict("yes" if same else "no", tuple(values), lines)
    return Verdict(_first(reading, present, asked), tuple(values), lines)


def _person_steps(question: ParsedQuestion) -> tuple[Step, ...]:
    """'Which film has the director died first': people that stand between the names and the dates."""
    return tuple(
        Step(t.lemma, PEOPLE, clues(t.lemma))
        for i, t in enumerate(question.tokens)
        if t.pos == "NOUN"
        and t.lemma in question.content
        and i != question.focus_token
        and labels_of(t.lemma) == PEOPLE
    )[:1]


def _first(reading: Reading, values: list[Found], asked: Comparison) -> str:
    dates = [_date(v) for v in values]
    if dates[0] is None or dates[1] is None:
        return ""
    sooner = earlier(dates[0], dates[1])
    if sooner is None:
        return ""
    wins_first = sooner if asked.order == "earliest" else not sooner
    return asked.surfaces[0 if wins_first else 1]


def _date(found: Found) -> Date | None:
    dates = find_dates(found.span.text)
    return dates[0] if dates else None
