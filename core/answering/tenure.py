"""When what a sentence states holds: from an appointment on, until a resignation, between two days.

A question about a state ("Who is the treasurer?", "Where did she live in 2019?") is answered by what holds then; of two
that began before, the later one took the place of the earlier.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from core.extraction.question import ParsedQuestion, QuestionType
from core.text.dates import day_span
from core.text.periods import EVER, NEVER, Period, restriction_of, times_in
from core.types.kinds import VALUES

_NOW = re.compile(
    r"\b(?:now|currently|today|at present|presently|nowadays|these days|at the moment|current|the present)\b",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:appoint(?:s|ed|ment)?|(?:re-?)?elect(?:s|ed|ion)?|becomes?|became|joins?|joined|hire[sd]?|promoted|"
    r"named as|(?:took|takes?) (?:office|up)|move[sd]? (?:to|into)|starts?|started|begins?|began|since|"
    r"with effect from|effective|sworn in)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:resign(?:s|ed|ation)?|retire(?:s|d|ment)?|left|leaves|step(?:s|ped) down|ceased?|dismiss(?:ed|al)|removed|"
    r"until|till|former(?:ly)?|previous(?:ly)?|ended|expired?|died|outgoing|quit)\b",
    re.IGNORECASE,
)
# Of an exchange the subject begins and the other ends, or the other way round.
_TAKES = re.compile(
    r"\b(?:succeed(?:s|ed)?|replace[sd]?|(?:took|takes?|taken) over|acquire[sd]?|bought|buys|purchase[sd]?)\b",
    re.IGNORECASE,
)
_GIVES = re.compile(r"\b(?:sold|sells|transfer(?:s|red)|handed over|passed (?:on )?to)\b", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|was|were|be|been)\s+(?:\w+ly\s+)?$", re.IGNORECASE)
_PREPOSITION = re.compile(r"\b(by|to|from)\s+(?:(?:the|mr|mrs|ms|dr)\.?\s+)*$", re.IGNORECASE)
_ANY = frozenset(("a", "an", "any", "some", "which", "what"))
_RANGE = re.compile(r"\b(?:from|between)\s+(?:the\s+)?$", re.I)
_PAST = re.compile(r"\b(?:former|previous|predecessor|founder|first|original|last|late)\b", re.I)
_AFTER = re.compile(r"\b(?:after|when|as|once|following)\b", re.I)
_STATES = frozenset(
    "be have hold live reside own lead head chair manage run serve work belong occupy stand lie".split()
)
_SINGLE = frozenset("own lead head chair manage run occupy".split())


@dataclass(frozen=True, slots=True)
class Tenure:
    """The days for which a sentence's statement holds. `is_open`: it goes on until something takes its place."""

    days: Period
    is_open: bool


@dataclass(frozen=True, slots=True)
class AskedTime:
    """The time that an answer must hold at.

    `is_state`: it is asked who, where or what something is or was. `is_single`: of which there is one at a time.
    `is_now`: the question says or only implies the present. `is_explicit`: it says its time. `is_count`: how many there
    are.
    """

    period: Period
    is_state: bool
    is_single: bool
    is_now: bool
    is_explicit: bool
    is_count: bool = False


def asked_time(question: ParsedQuestion) -> AskedTime | None:
    """Return the time that the answer must hold at; None where the question says nothing of it."""
    is_state, is_single = asks_for_state(question), has_one_answer(question)
    if restriction := restriction_of(question.text):
        return AskedTime(restriction, is_state, is_single, False, True)
    today = date.today().toordinal()
    now, is_explicit = Period(today, today), bool(_NOW.search(question.text))
    is_present = any(
        token.tag in ("VBZ", "VBP") and token.lemma in _STATES | {"do"} for token in question.tokens
    )
    if question.type is QuestionType.HOW_MANY and is_explicit:
        is_present = any(token.tag in ("VBZ", "VBP") for token in question.tokens)
        return AskedTime(now, True, True, True, True, True) if is_present else None
    if not is_state or _PAST.search(question.text):
        return None
    return AskedTime(now, True, is_single, True, is_explicit) if is_explicit or is_present else None


def asks_for_state(question: ParsedQuestion) -> bool:
    """Return whether it asks who, where or what is or was something, not when or how often something happened."""
    if question.type in (QuestionType.WHEN, QuestionType.HOW_MANY, QuestionType.YES_NO, QuestionType.OTHER):
        return False
    labels = frozenset(question.answer_labels)
    if labels and labels <= VALUES:  # "What is the end date of the lease?"
        return False
    verbs = _verbs(question)
    return bool(verbs) and verbs <= _STATES


def has_one_answer(question: ParsedQuestion) -> bool:
    """Return whether at any time there is one answer: where somebody lives, who owns or is the head of something."""
    if question.type is QuestionType.WHERE:
        return True
    verbs, tokens = _verbs(question), question.tokens
    if verbs == {"be"}:
        roots = {at for at, token in enumerate(tokens) if token.lemma == "be"}
        roles = {
            at
            for at, token in enumerate(tokens)
            if token.head in roots and token.dep in ("nsubj", "attr") and token.pos == "NOUN"
        }
        is_any = any(token.head in roles and token.text.lower() in _ANY for token in tokens)
        return bool(roles) and not is_any and all(tokens[at].tag == "NN" for at in roles)
    at = question.question_token
    if at < 0:
        return False
    asked = tokens[tokens[at].head] if tokens[at].dep == "det" else tokens[at]
    is_one = asked.tag not in ("NNS", "NNPS")
    return is_one and bool(verbs & _SINGLE) and asked.dep in ("nsubj", "nsubjpass")


def _verbs(question: ParsedQuestion) -> set[str]:
    """Return its verbs but "do"; the parser takes the last word of "What does she own?" for an adjective."""
    return {
        token.lemma
        for token in question.tokens
        if token.lemma != "do"
        and (token.pos in ("VERB", "AUX") or token.dep == "ROOT" and token.lemma in _STATES)
    }


def tenure_of(
    sentence: str, start: int, end: int, document_date: str = "", has_plain: bool = False
) -> Tenure | None:
    """Return when the words sentence[start:end] hold as an answer; None where nothing tells.

    `document_date` is in ISO 8601, "" for none: a sentence without a date says what begins or ends on the day of its
    document; with `has_plain` also what holds then.
    """
    times = times_in(sentence)
    begins, ends = _turns(sentence, start)
    if not times:
        day = day_span(document_date[:10]) if document_date else None
        if not (begins or ends or has_plain and day):
            return None
        days = Period(*(day or (EVER, EVER)))
        return Tenure(Period(EVER, days.last), False) if ends else Tenure(Period(days.first, NEVER), True)
    first, last = min(times, key=_first_day)[2], max(times, key=_first_day)[2]
    if len(times) > 1 and _RANGE.search(sentence[: times[0][0]]):
        return Tenure(Period(first.first, last.last), False)
    if begins and ends:
        # "Elected in 2018, she resigned in 2020"; of "elected after Jon Berg resigned" nobody can tell which is whose.
        is_one = len(times) > 1 and not _AFTER.search(sentence)
        return Tenure(Period(first.first, last.last), False) if is_one else None
    if begins:
        own = _date_after(times, _BEGINS.search(sentence))
        return Tenure(Period(own.first, NEVER), True)
    return Tenure(Period(EVER, _date_after(times, _ENDS.search(sentence)).last), False) if ends else None


def _first_day(time: tuple[int, int, Period]) -> int:
    return time[2].first


def _date_after(times: Sequence[tuple[int, int, Period]], cue: re.Match[str] | None) -> Period:
    """Return the first time behind a word, else the last before it."""
    after = [period for start, _, period in times if cue is None or start >= cue.end()]
    return after[0] if after else times[-1][2]


def _turns(sentence: str, start: int) -> tuple[bool, bool]:
    """Return whether the words begin to be what the sentence says, and whether they cease to."""
    for verbs, is_taking in ((_TAKES, True), (_GIVES, False)):
        if found := verbs.search(sentence):
            begins = _is_taker(sentence, start, found) if is_taking else _is_receiver(sentence, start, found)
            return begins, not begins
    return bool(_BEGINS.search(sentence)), bool(_ENDS.search(sentence))


def _is_taker(sentence: str, start: int, verb: re.Match[str]) -> bool:
    """Return whether what begins at `start` succeeds another: before an active verb, or behind a passive and "by"."""
    is_passive = bool(_IS.search(sentence[: verb.start()]))
    if start < verb.start():
        return not is_passive
    before = _PREPOSITION.search(sentence[:start])
    return is_passive and before is not None and before[1].lower() == "by"


def _is_receiver(sentence: str, start: int, verb: re.Match[str]) -> bool:
    """Return whether what begins at `start` is given: behind the verb and "to"."""
    before = _PREPOSITION.search(sentence[:start])
    return start >= verb.end() - len("to ") and (before is not None and before[1].lower() == "to")


def has_turn(sentence: str, start: int) -> bool:
    """Return whether a sentence says that what its words from `start` on are begins or ends."""
    return any(_turns(sentence, start))


def hold_at(wanted: AskedTime, tenures: Sequence[Tenure | None]) -> list[bool | None]:
    """Return of each statement of one thing whether it holds at a time: None where its time is not known.

    Where there is one answer at a time, what began before another one did holds no longer.
    """
    period = wanted.period
    begun = [t.days.first for t in tenures if t is not None and t.is_open and t.days.first <= period.last]
    newest = max((day for day in begun if day <= period.first), default=EVER)
    found: list[bool | None] = []
    for tenure in tenures:
        if tenure is None:
            found.append(None)
        elif not tenure.days.overlaps(period):
            found.append(False)
        else:
            found.append(not (wanted.is_single and tenure.is_open) or tenure.days.first >= newest)
    return found
