"""Which of two came first, and whether two are the same: each is asked about by itself, and the values are compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.candidates import Candidate
from core.answering.comprehension import Comprehension
from core.answering.joint import Place
from core.answering.plan import Comparison, comparison
from core.extraction.question import ParsedQuestion
from core.extraction.question_words import PEOPLE, labels_of
from core.models.reader import ReaderPassage
from core.text.dates import find_dates, iso
from core.text.stems import fold, stem

_DECIDED = ("earliest", "latest", "same")
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_WHEN = {"date of birth": "When was {} born?", "date of death": "When did {} die?"}


@dataclass(frozen=True, slots=True)
class Compared:
    """The answer, how likely all its values are right, and where they are said."""

    text: str
    probability: float
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    probability: float
    places: tuple[Place, ...]


def compared(
    question: ParsedQuestion, candidates: Sequence[Candidate], comprehension: Comprehension
) -> Compared | None:
    """None where the question compares nothing, or the values do not decide."""
    asked = comparison(question)
    if asked is None or asked.order not in _DECIDED:
        return None
    values: list[_Value] = []
    for name in asked.surfaces:
        subject = _Value(name, 1.0, ())
        for question_text in (*_steps(question), _attribute(question, asked)):
            found = _read(question_text.format(subject.text), subject.text, candidates, comprehension)
            if found is None:
                return None
            probability = subject.probability * found.probability
            subject = _Value(found.text, probability, (*subject.places, *found.places))
        values.append(subject)
    text = _decided(asked, values)
    if not text:
        return None
    probability = 1.0
    for value in values:
        probability *= value.probability
    # Wrong values decide rightly half of the time, too.
    return Compared(text, (1 + probability) / 2, tuple(place for value in values for place in value.places))


def _steps(question: ParsedQuestion) -> list[str]:
    """'Which film has the director who died first': people that stand between the names and what is compared."""
    people = [
        token.lemma
        for place, token in enumerate(question.tokens)
        if token.pos == "NOUN" and place != question.focus_token and labels_of(token.lemma) == PEOPLE
        if token.lemma in question.content
    ]
    return [f"Who is the {person} of {{}}?" for person in people[:1]]


def _attribute(question: ParsedQuestion, asked: Comparison) -> str:
    """A question about one of them, with {} for its name."""
    if asked.order == "same":
        return f"What is the {asked.final.word} of {{}}?"
    if asked.final.word in _WHEN:
        return _WHEN[asked.final.word]
    verbs = [
        token.text
        for token in question.tokens
        if token.pos == "VERB" and stem(token.lemma) in asked.final.clues
    ]
    return f"When was {{}} {verbs[0] if verbs and verbs[0].endswith('ed') else 'released'}?"


def _read(
    question: str, name: str, candidates: Sequence[Candidate], comprehension: Comprehension
) -> _Value | None:
    """The likeliest answer from the passages that hold the name."""
    rows = [
        row
        for row, each in enumerate(candidates)
        if fold(name) in fold(f"{each.passage.title}\n{each.passage.text}")
    ]
    passages = [ReaderPassage.of(candidates[row].passage) for row in rows]
    found = comprehension.understand(question, passages, [candidates[row].hit.score for row in rows])
    if not found.answers:
        return None
    best, probability = found.answers[0]
    first = best.places[0]
    return _Value(best.text, probability, (Place(rows[first.passage], first.start, first.end),))


def _decided(asked: Comparison, values: Sequence[_Value]) -> str:
    if asked.order == "same":
        return "Yes" if len({fold(value.text) for value in values}) == 1 else "No"
    one, other = (_when(value.text) for value in values[:2])
    length = min(len(one), len(other))  # a month and a day of it are not held against each other
    one, other = one[:length], other[:length]
    if one == other:
        return ""
    return asked.surfaces[0 if (one < other) == (asked.order == "earliest") else 1]


def _when(text: str) -> tuple[int, ...]:
    """Year, month and day as far as they are told; () for no date."""
    for start, end in find_dates(text):
        if date := iso(text[start:end]):
            return tuple(map(int, date.split("-")))
    found = _YEAR.search(text)
    return (int(found.group()),) if found else ()
