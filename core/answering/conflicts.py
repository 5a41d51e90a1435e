"""Where documents disagree: other values of the same kind, told of the same thing at other places; or another holder of
what has one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.candidates import Candidate
from core.answering.comprehension import Understood
from core.answering.joint import SIGNALS, Place, Proposal
from core.answering.tenure import asked_time, has_one_answer, has_turn
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion, QuestionType
from core.models.reader_examples import Kind
from core.text.cell_values import number_of
from core.text.dates import iso
from core.text.stems import stem, words

_NAMED = 0.7  # of the names of the question, by which either sentence is about what is asked
_NAMES = SIGNALS.index("names")
_AMOUNT = re.compile(
    r"(?P<before>[€$£¥]|[A-Z]{3}(?=\s?\d))?\s?(?P<number>[-+]?\d[\d.,'\u2019\u00a0]*)(?P<after>.*)", re.DOTALL
)
_SAME_UNIT = {"euro": "€", "eur": "€", "gbp": "£", "pound": "£", "usd": "$", "dollar": "$", "percent": "%"}
_UNIT = re.compile(r"\s*([%€$£¥]|[^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Value:
    """A date (ISO, as far as it is told), an amount with its unit, "" for a plain number, or a name."""

    unit: str  # "date" for dates, "name" for names
    text: str

    def contradicts(self, other: Value) -> bool:
        """Return whether both cannot be right: of two dates also where one tells less than the other."""
        if self.unit != other.unit:
            return False
        if self.unit == "name":
            return not set(self.text.split()) & set(other.text.split())
        if self.unit == "date":
            length = min(len(self.text), len(other.text))
            return self.text[:length] != other.text[:length]
        return self.text != other.text


def value_of(text: str) -> Value | None:
    """Return the date or amount that the words are; None for others."""
    if date := iso(text.strip(" .")):
        return Value("date", date)
    found = _AMOUNT.fullmatch(" ".join(text.split()))
    number = number_of(found["number"].rstrip(".,'")) if found else None
    if found is None or number is None:
        return None
    after = _UNIT.match(found["after"])
    unit = (found["before"] or "").strip() or (after[1].casefold() if after else "")
    unit = unit.removesuffix("s") if len(unit) > 3 else unit
    return Value(_SAME_UNIT.get(unit.casefold(), unit), f"{number:.15g}")


def _of_proposal(question: ParsedQuestion, proposal: Proposal) -> Value | None:
    """Return the value that a proposal gives; its name where there is one answer at a time."""
    if value := value_of(proposal.text):
        return value
    is_capital = any(word[0].isupper() and not word.isupper() for word in proposal.text.split())
    is_asked = question.type is QuestionType.WHO and has_one_answer(question)
    is_name = is_asked and is_capital and proposal.holds and proposal.kind is Kind.SPAN
    return Value("name", normalise(proposal.text)) if is_name else None


def find_conflicts(
    question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate]
) -> list[tuple[Proposal, float]]:
    """Return readings, with their probabilities, that give another value than the likeliest in another document.

    It is a value of the same thing where both sentences are about the names of the question, and the other's holds all
    of the question's words that the answer's own holds, of which there is one at least.
    """
    if not found.answers:
        return []
    best, _ = found.answers[0]
    own = _of_proposal(question, best)
    if own is None or best.kind is not Kind.SPAN or not len(best.signals) or best.signals[_NAMES] < _NAMED:
        return []
    asked = {stem(word) for word in question.content}
    shared = asked & _stems(candidates, best.places[0])
    if own.unit == "name" and (shared != asked or asked_time(question) is None and _turns(candidates, best)):
        return []  # somebody else may be something else, or have been it at another time
    documents = {candidates[place.passage].document for place in best.places}
    return [
        (other, share)
        for other, share in found.answers[1:]
        if (value := _of_proposal(question, other)) is not None
        and own.contradicts(value)
        and not (own.unit == "name" and asked_time(question) is None and _turns(candidates, other))
        and other.signals[_NAMES] >= _NAMED
        and shared
        and shared <= _stems(candidates, other.places[0])
        and not documents & {candidates[place.passage].document for place in other.places}
    ]


def _turns(candidates: Sequence[Candidate], proposal: Proposal) -> bool:
    """Return whether a sentence of the proposal says that it began or ended."""
    return any(
        has_turn(text[each.start : each.end], place.start - each.start)
        for place in proposal.places
        for text in [candidates[place.passage].passage.text]
        for each in candidates[place.passage].passage.sentences
        if each.start <= place.start < each.end
    )


def _stems(candidates: Sequence[Candidate], place: Place) -> frozenset[str]:
    """Return the stems of the sentence in which the words begin."""
    passage = candidates[place.passage].passage
    inside = (each for each in passage.sentences if each.start <= place.start < each.end)
    return frozenset(word.stem for each in inside for word in words(passage.text[each.start : each.end]))
