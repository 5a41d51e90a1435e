"""What a question asks of the place that answers it besides its words: a time, a denial, a kind of amount."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date as Day
from functools import lru_cache

from core.extraction.clause_takers import is_denial
from core.extraction.question import ParsedQuestion, QuestionType, Token
from core.text.dates import ENGLISH_MONTHS, named_days, read_dates
from core.text.stems import stem
from core.text.translation import tr

_TH = r"(?:st|nd|rd|th)?"
_MONTHS = "|".join(ENGLISH_MONTHS)
_TIME = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}{_TH}\s(?:of\s)?(?:{_MONTHS})|(?:{_MONTHS})(?:\s\d{{1,2}}{_TH}\b)?)"
    rf"(?:,?\s\d{{4}})?|(?:the year\s)?(?:1[5-9]|20)\d\d)(?![\w%])"
)
_WINDOW = re.compile(
    rf"\b(?:(?:between|from)\s(?P<low>{_TIME})\s(?:and|to|until)\s(?P<high>{_TIME})"
    rf"|(?:before|prior to|earlier than)\s(?P<before>{_TIME})|(?:until|till|by)\s(?P<until>{_TIME})"
    rf"|(?:after|later than)\s(?P<after>{_TIME})|since\s(?P<since>{_TIME})"
    rf"|(?:in|on|during)\s(?P<within>{_TIME})|of\s(?P<dated>{_TIME}))"
)
_ANY_YEAR = re.compile(r"\d{4}")
_YEAR = re.compile(r"(?<![\d.,£$€/-])(?:1[5-9]|20)\d\d(?![\d.,/-]\d|[%\d]|\s?[€£$])")
_TO = re.compile(r"\s?(?:to|until|till|and|through|[-–—])\s?")
_OPEN_END = re.compile(r"\b(?:since|from|between|as of|starting|starting on|effective)\s+\Z", re.IGNORECASE)
_OPEN_START = re.compile(r"\b(?:until|till|up to)\s+\Z", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")
_BACKWARD = re.compile(r"\b(?:that|same|this|next|following) (?:year|month|day|night|week)\b", re.IGNORECASE)
_CLAUSES = frozenset(("relcl", "acl", "advcl"))
_NEVER, _EVER = Day.min.toordinal(), Day.max.toordinal()
_ABSENT = re.compile(
    r"[\s*_#-]*(?:apologies|absent|excused|regrets|not present)\b[^:\n]{0,40}:", re.IGNORECASE
)
_BE_THERE = frozenset(map(stem, "attend come appear join present participate".split()))
_DENIED_OF = frozenset((QuestionType.WHO, QuestionType.WHICH, QuestionType.WHAT))
_PAYING = frozenset(
    map(stem, "invoice pay cost charge owe bill earn spend sell buy donate lend borrow award".split())
)
_MEASURES = frozenset(
    map(
        stem,
        "tonne ton kilo kilogram kilogramme kg gram pound litre liter gallon barrel metre meter kilometre kilometer km "
        "mile foot feet inch acre hectare hour minute second day week month year euro dollar degree knot percent "
        "inhabitant resident crew".split(),
    )
)
_MONEY = re.compile(
    r"[$€£¥]|\b(?:EUR|USD|GBP|CHF|NOK|SEK|DKK)\b|\b(?:euro|pound|dollar|krone|franc|cent|pence)"
)
_UNIT = re.compile(r"[\s-]?([^\W\d_]+)")
_LABEL = re.compile(r"([^;:\n]*):\s*\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’]\w+)?")


def is_measure(word: str) -> bool:
    """Return whether a word is a unit, or what is only ever stated as a figure: "tonnes", "inhabitants"."""
    return stem(word.casefold()) in _MEASURES


@dataclass(frozen=True, slots=True)
class Restrictions:
    """Of one question; `window` is the time that it names, in its words, "" for none."""

    window: str = ""
    bounds: tuple[tuple[str, str], ...] = ()  # how it is bounded and by which date: ("before", "May 2021")
    denied: bool = False  # "Who did not attend?"
    unit: str = ""  # stem of the measure that is counted, "money" where a sum is asked for
    acts: frozenset[str] = frozenset()  # stems of its verbs

    def excludes(self, sentence: str, around: str) -> bool:
        """Return whether nothing in a sentence may answer: it is of another time, or denies nothing.

        `around`: what dates a sentence that does not date itself: title, headings, the date of a letter.
        """
        if self.denied and not (_ABSENT.match(sentence) or self._denies(sentence)):
            return True
        return bool(self.window) and self._is_other_time(sentence, around)

    def excludes_amount(self, sentence: str, start: int, end: int) -> bool:
        """Return whether words of a sentence are a figure of another kind than is asked for."""
        figures = [at for at in range(start, end) if sentence[at].isdigit()]
        if not self.unit or not figures:
            return False
        label, behind = _LABEL.search(sentence[:start]), _UNIT.match(sentence, figures[-1] + 1)
        named = _WORD.findall(label[1]) if label else []
        units = {
            stem(word.casefold()) for word in (*named, *([behind[1]] if behind else ())) if is_measure(word)
        }
        is_money = _MONEY.search(sentence[max(0, start - 4) : end + 8]) is not None
        if self.unit == "money":
            return bool(units) and not is_money
        return self.unit not in units and (is_money or bool(units))

    def absent_in(self, sentence: str) -> tuple[int, int] | None:
        """Return where a sentence lists who was not there, where that is asked for; None where it does not."""
        found = _ABSENT.match(sentence)
        if found is None or not self.denied or self.acts and not _BE_THERE & self.acts:
            return None
        start, end = found.end(), len(sentence.rstrip(" \n."))
        start += len(sentence[start:]) - len(sentence[start:].lstrip())
        return (start, end) if start < end else None

    def refusal(self) -> str:
        """Return why there is no answer, for people."""
        if self.window:
            return tr(
                "No sentence that was read tells it of the time that is asked for (“{window}”).",
                window=self.window,
            )
        if self.denied:
            return tr(
                "No sentence that was read denies it: of nobody and nothing is it said that they did not."
            )
        return tr("What was read gives figures of another kind than is asked for.") if self.unit else ""

    def _denies(self, sentence: str) -> bool:
        found = [word.casefold() for word in _WORD.findall(sentence)]
        negated = {stem(word.removeprefix("un")) for word in found if word.startswith("un")}
        return bool(negated & self.acts) or any(map(is_denial, found))

    def _is_other_time(self, sentence: str, around: str) -> bool:
        if self.window in sentence:
            return False
        plain = _BRACKETS.sub(lambda found: " " * len(found[0]), sentence)
        if _BACKWARD.search(plain):
            return False
        spans = list(_spans(plain)) or list(_spans(around))
        return bool(spans) and not any(self._meets(low, high) for low, high in spans)

    def _meets(self, low: int, high: int) -> bool:
        """Return whether some day from `low` to `high` lies in the window; one without a year is of theirs."""
        days = _days(self.bounds, Day.fromordinal(low if low > _NEVER else high).year)
        return days is None or low <= days[1] and days[0] <= high


@lru_cache(maxsize=64)
def restrictions_of(question: ParsedQuestion) -> Restrictions:
    """Return what an answer must satisfy; nothing for yes or no, which a sentence decides either way."""
    if question.type is QuestionType.YES_NO:
        return Restrictions()
    # What tells why or how seldom dates itself.
    window, bounds = _window(question) if question.type is not QuestionType.OTHER else ("", ())
    acts = {
        stem(word) for t in question.tokens if t.pos in ("VERB", "ADJ") for word in (t.lemma, t.text.lower())
    }
    return Restrictions(window, bounds, _is_denied(question), _unit(question), frozenset(acts))


def _unit(question: ParsedQuestion) -> str:
    if question.type is not QuestionType.HOW_MANY:
        return ""
    amount, *others = question.tokens[question.question_token + 1 :]
    if others and _MONEY.match(others[0].lemma):
        return "money"
    if others and is_measure(others[0].lemma):
        return stem(others[0].lemma)
    is_money = amount.lemma == "much" and not (
        others and others[0].pos == "NOUN" and others[0].lemma != "money"
    )
    return "money" if is_money and any(stem(token.lemma) in _PAYING for token in others) else ""


def _is_denied(question: ParsedQuestion) -> bool:
    """Return whether the main clause denies: "Which was never paid?", but not "who left as it was not safe?"."""
    return question.type in _DENIED_OF and any(
        is_denial(token.text.lower()) and token.dep in ("neg", "advmod") and not _is_subordinate(question, at)
        for at, token in enumerate(question.tokens)
    )


def _window(question: ParsedQuestion) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the only time that restricts the main clause, and its bounds; "" for none, and for several."""
    quoted = [name for name in question.names if name.quoted]
    found = [
        each
        for each in _WINDOW.finditer(question.text)
        if not any(name.start <= each.start() < name.end for name in quoted)
        and not any(
            t.start == each.start() and _is_subordinate(question, at) for at, t in enumerate(question.tokens)
        )
    ]
    bounds = (
        tuple((kind, text) for kind, text in found[0].groupdict().items() if text) if len(found) == 1 else ()
    )
    return (found[0][0], bounds) if bounds and _days(bounds, 2000) is not None else ("", ())


@lru_cache(maxsize=1024)
def _days(bounds: tuple[tuple[str, str], ...], year: int) -> tuple[int, int] | None:
    """Return the first and last day, by `datetime.date.toordinal`; `year` is that of dates that name none."""
    if named := _ANY_YEAR.search(bounds[-1][1]):
        year = int(named[0])  # "between June and August 2021"
    spans = [named_days(text if _ANY_YEAR.search(text) else f"{text} {year}") for _, text in bounds]
    if (one := spans[0]) is None or (other := spans[-1]) is None:
        return None
    kind, (first, last) = bounds[0][0], one
    if kind == "dated" and first != last:
        return None  # "the law of 1911" is a name
    return {
        "low": (first, other[1]),
        "before": (_NEVER, first - 1),
        "until": (_NEVER, last),
        "after": (last + 1, _EVER),
        "since": (first, _EVER),
    }.get(kind, (first, last))


def _is_subordinate(question: ParsedQuestion, at: int) -> bool:
    return any(token.dep in _CLAUSES for token in _above(question.tokens, at))


def _above(tokens: tuple[Token, ...], at: int) -> Iterator[Token]:
    for _ in tokens:
        yield tokens[at]
        at = tokens[at].head


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield first and last day of each date and year; of "since" a date all days from then on."""
    dates = read_dates(text)
    years = [year for year in _YEAR.finditer(text) if not any(d.start <= year.start() < d.end for d in dates)]
    found = [(one.start, one.end, one.days()) for one in dates]
    found += [(*year.span(), named_days(year[0])) for year in years]
    begun: tuple[int, int] | None = None  # "from 1955 to 1972": where the first one ends, and its first day
    for start, end, days in sorted(found, key=lambda each: each[0]):
        if days is None:
            continue
        before = text[max(0, start - 20) : start]
        if begun is not None and _TO.fullmatch(text, begun[0], start):
            yield begun[1], days[1]
            begun = None
            continue
        if begun is not None:
            yield begun[1], _EVER
        begun = (end, days[0]) if _OPEN_END.search(before) else None
        if begun is None:
            yield (_NEVER if _OPEN_START.search(before) else days[0]), days[1]
    if begun is not None:
        yield begun[1], _EVER
