"""Yes or no, read off what the passage says of each name and number of the question.

"Was it signed in Bergen?" is asked once more without the place ("Where was it signed?"): another answer of the same
sort says no, the same one yes. Where the sentence that holds most of the question denies one time more or less than
the question does, yes and no change places. After question answering as a check of facts (Wang et al. 2020, QAGS).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from core.answering.stance import stance
from core.extraction.clause_takers import is_denial
from core.models.reader import PassageRead, Reader, ReaderPassage
from core.models.reader_examples import Kind
from core.text.sentences import ROUGH_SENTENCE

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_ROOT = 4  # letters that the forms of a verb share
_LEAST = 0.3  # probability of an answer to a part that counts
_MOST = 4  # names and numbers of a question that are asked for
_COVERED = 0.7  # share of the question's words in one sentence, from which on the sentence alone decides
_DENIAL_SHARE = 0.6  # share from which on its denials count
_BY_WORDS = 0.7  # probability of what the words of one sentence decide
_CLAUSE = re.compile(r"[,;:]\s|\sbut\s")
_WORD = re.compile(r"[^\W_]+(?:['’]\w+)?")
_IN_NUMBER = re.compile(r"(?<=\d)[,.](?=\d)")
_OFFERS = frozenset(("both", "same", "either", "or", "different"))
_LIGHT = frozenset(
    "be is are was were been am do does did have has had can could will would should must might may shall the a an of "
    "in on at to for by with from and as that this it its his her their there any into than then".split()
)
_TIMES = frozenset(("DATE", "TIME"))
_PLACES = frozenset(("GPE", "LOC", "FAC"))
_NUMBERS = frozenset(("CARDINAL", "QUANTITY", "PERCENT", "MONEY"))
_NAMES = frozenset(("PERSON", "ORG", "NORP", "PRODUCT"))


@dataclass(frozen=True, slots=True)
class Part:
    """A name or number of a question, and the question for it."""

    question: str
    statement: str
    label: str  # spaCy's, of the entity
    phrase: str = ""  # pattern of the entity in its role, in lower case: "of the ferry Skarv", "Skarv sail"


def parts(doc: Doc) -> Iterator[Part]:
    """Of a parsed yes/no question, which begins with its verb; none where it offers a choice."""
    if _OFFERS & {token.lower_ for token in doc}:
        return
    for entity in doc.ents:
        if entity.start and entity.label_ in _TIMES | _PLACES | _NUMBERS | _NAMES:
            yield Part(*_without(doc, entity), entity.label_, _phrase(doc, entity))


def _phrase(doc: Doc, entity: Span) -> str:
    """How the sentence names the entity in the same role: with its preposition, or before the verb. "" where none."""
    first = next(
        (c.start for c in doc.noun_chunks if c.start <= entity.start and entity.end <= c.end), entity.start
    )
    if first and doc[first - 1].pos_ in {"ADP", "NOUN"}:
        return _pattern(doc[first - 1 : entity.end].text)
    verb = doc[entity.end] if entity.end < len(doc) else None
    if verb is None or verb.pos_ not in {"VERB", "NOUN"} or len(verb) < _ROOT:
        return ""
    return f"{_pattern(entity.text)}\\W+{re.escape(verb.lower_[:_ROOT])}"


def _pattern(words: str) -> str:
    return r"\W+".join(map(re.escape, words.casefold().split()))


def _without(doc: Doc, entity: Span) -> tuple[str, str]:
    """The question for the entity, and its words."""
    phrase = next((c for c in doc.noun_chunks if c.start <= entity.start and entity.end <= c.end), entity)
    first, last, label = phrase.start, phrase.end, entity.label_
    wh = "Who" if label == "PERSON" else "What"
    if label in _NUMBERS:
        counted = doc[entity.end : last].text
        wh = f"How many {counted}" if counted else "How much"
    elif label in _TIMES | _PLACES and doc[first - 1].pos_ == "ADP":
        wh, first = ("When" if label in _TIMES else "Where"), first - 1
    elif label in _TIMES:
        wh = "When"
    before = doc[:first].text
    rest = f"{before[:1].lower()}{before[1:]} {doc[last:].text}".replace("?", " ")
    return " ".join(f"{wh} {rest}".split()) + "?", entity.text


def says_yes(question: str, passages: Sequence[ReaderPassage], reader: Reader) -> list[float | None]:
    """How probably each passage answers with yes; None where nothing in it decides. Raises ModelUnavailable."""
    from core.models.spacy_model import load

    question = question.strip()
    doc = load()(question[:1].upper() + question[1:].rstrip("? ") + "?")
    asked = [(part, reader.read(part.question, passages)) for part in islice(parts(doc), _MOST)]
    return [
        _verdict(question, passage.text, [(part, reads[row]) for part, reads in asked])
        for row, passage in enumerate(passages)
    ]


def _verdict(question: str, text: str, asked: Sequence[tuple[Part, PassageRead]]) -> float | None:
    agreeing: list[float] = []
    denying: list[float] = []
    covered, denied, sentence = _covering(question, text)
    for part, read in asked:
        if not read.spans:
            continue
        best = read.spans[0]
        sure = best.probability * (1 - read.kind(Kind.NONE))
        words = text[best.start : best.end]
        if sure >= _LEAST and _agree(part.statement, words):
            agreeing.append(sure)
        elif (
            sure >= _LEAST
            and _alike(part.label, words)
            and not (part.phrase and re.search(part.phrase, sentence))
        ):
            denying.append(sure)
    if denying:
        return 0.5 - 0.5 * max(denying)
    if any(not _content(part.statement) <= _content(text) for part, _ in asked):
        return None  # of what it does not name it says nothing
    yes = 0.5 + 0.5 * max(agreeing) if agreeing else _BY_WORDS
    if covered < (_DENIAL_SHARE if agreeing else _COVERED):
        return yes if agreeing else None
    return 1 - yes if denied else yes


def _agree(asked: str, statement: str) -> bool:
    """Whether one holds all that the other says."""
    a, b = _content(asked), _content(statement)
    return bool(a and b) and (a <= b or b <= a)


def _alike(label: str, statement: str) -> bool:
    """Whether an answer is of the sort of an entity, so that it speaks against another."""
    if label in _TIMES | _NUMBERS:
        return any(c.isdigit() for c in statement) or label in _TIMES
    return any(word[0].isupper() for word in _WORD.findall(statement)[-1:])


def _content(text: str) -> frozenset[str]:
    words = _WORD.findall(_IN_NUMBER.sub("", text.casefold()))
    return frozenset(word for word in words if word not in _LIGHT or word == "may")


def _covering(question: str, text: str) -> tuple[float, bool, str]:
    """How much of the question the sentence holds that holds most, whether it denies it, and its words."""
    asked = _roots(question)
    found = max(
        (each[0] for each in ROUGH_SENTENCE.finditer(text)), key=lambda s: len(asked & _roots(s)), default=""
    )
    covered = len(asked & _roots(found)) / max(1, len(asked))
    words = " ".join(found.casefold().split())
    if (put := stance(question, found.strip())) is not None:
        return covered, put.against and put.assertion.denied, words
    clause = max(_CLAUSE.split(found), key=lambda c: len(asked & _roots(c)))
    return covered, _denials(clause) % 2 != _denials(question) % 2, words


def _roots(text: str) -> frozenset[str]:
    """Content words without what inflects them, roughly: their first five letters."""
    return frozenset(word[:5].removesuffix("e") for word in _content(text) if not is_denial(word))


def _denials(text: str) -> int:
    return sum(map(is_denial, _WORD.findall(text.casefold())))
