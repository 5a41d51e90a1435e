"""The few words that answer, where the form of the question gives them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.answering.chain import Found, follow
from core.answering.compare import compare
from core.answering.plan import Plan, comparison
from core.answering.reading import Reading
from core.answering.selection import content_stems
from core.answering.words import stem
from core.extraction.question import ParsedQuestion, QuestionType

_SURE = 0.5  # weaker finds were right one time in five on the development questions
_SURE_UNTOLD = 0.55  # where no word near the find says the relation
_SURE_VALUE = 0.75  # a date or an amount at the end of a chain by which nothing says what it is of
_VALUES = frozenset(("DATE", "MONEY"))
_TOLD = 0.5  # pull of a clue that an answer of no known kind needs
_YEAR = re.compile(r"\d{3,4}")


@dataclass(frozen=True, slots=True)
class Draft:
    """`text` is "" when no short answer is given; `lines` lead to it, the one that holds it last."""

    text: str
    found: Found | None
    lines: tuple[int, ...]
    decided: bool = False  # by holding values together: what is asked need not be said in so many words


NOTHING = Draft("", None, ())


def draft(reading: Reading, question: ParsedQuestion, way: Plan) -> Draft:
    """The short answer by comparison, by a shared property, or by following the plan."""
    asked = comparison(question)
    if asked is not None:
        verdict = compare(reading, question, asked)
        present = [v for v in verdict.values if v is not None]
        weakest = min(present, key=lambda f: f.score) if len(present) == len(asked.names) else None
        return Draft(verdict.text, weakest, verdict.lines, bool(verdict.text))
    if question.type is QuestionType.YES_NO:
        return _shared_property(reading, question)
    if question.choices or not way.final.labels:
        return NOTHING
    found = follow(reading, way, frozenset(n.key for n in question.names))
    if not found:
        return NOTHING
    untold = _SURE_VALUE if found[0].span.label in _VALUES and way.steps else _SURE_UNTOLD
    least = _SURE if found[0].clue > 0.0 else untold
    if found[0].score < least or (not question.answer_labels and found[0].clue < _TOLD):
        return Draft("", found[0], ())
    return Draft(_as_asked(question, found[0]), found[0], found[0].lines)


def _as_asked(question: ParsedQuestion, found: Found) -> str:
    """The span in the form asked for: a year for "which year"."""
    text = found.span.text.replace(": ", " ") if found.span.label == "MONEY" else found.span.text
    if question.focus == "year":
        year = _YEAR.search(text)
        return year.group() if year else text
    return text


def _shared_property(reading: Reading, question: ParsedQuestion) -> Draft:
    """'Are A and B both board games?': yes when a sentence on each tells it, no when one is silent."""
    peoples = frozenset(stem(n.text) for n in question.names if n.label == "NORP")
    names = [n for n in question.names if n.label != "NORP"]
    wanted = (content_stems(question) | peoples) - {stem("both")}
    words = {t.text.lower() for t in question.tokens}
    if len(names) < 2 or not wanted or "both" not in words:
        return NOTHING
    lines: list[int] = []
    told = True
    for name in names:
        topic = reading.about(name.key)
        best = max(
            range(len(topic)),
            key=lambda i: (topic[i] >= 0.7, _share(reading, i, wanted), topic[i]),
            default=-1,
        )
        if best < 0 or topic[best] < 0.7:
            return NOTHING
        lines.append(best)
        told = told and wanted <= reading.lines[best].stems
    return Draft("yes" if told else "no", None, tuple(dict.fromkeys(lines)), decided=True)


def _share(reading: Reading, line: int, wanted: frozenset[str]) -> float:
    return len(wanted & reading.lines[line].stems) / len(wanted)
