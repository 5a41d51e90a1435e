"""What a question asks: read once by spaCy, then handed on as plain values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.extraction.question_names import Name, Token, choices_among, described_nouns, names_in
from core.extraction.question_words import (
    ATTRIBUTES,
    DATES,
    MONEY,
    NUMBERS,
    PEOPLE_OR_GROUPS,
    PLACES,
    labels_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Name", "ParsedQuestion", "QuestionType", "Token", "parse_question"]


class QuestionType(StrEnum):
    """The form of the question, by its question word."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    HOW_MANY = "how many"
    WHICH = "which"
    WHAT = "what"
    YES_NO = "yes or no"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question and the facts of its grammar that other rooms need.

    `focus` is the lower-case lemma of the noun asked for ("ship" in "Which ship...", "date" in
    "What is the date of..."), or "". `answer_labels` are the spaCy labels that an answer may carry,
    best first, () when any. `content` holds the lower-case lemmas of nouns, verbs, adjectives and
    numbers outside names. `choices` are the names between which "A or B" asks.
    """

    text: str
    tokens: tuple[Token, ...]
    names: tuple[Name, ...]
    type: QuestionType
    focus: str
    focus_token: int  # index into tokens, -1 when there is none
    question_token: int  # the question word, -1 when there is none
    answer_labels: tuple[str, ...]
    content: frozenset[str]
    choices: tuple[Name, ...] = ()
    steps: tuple[int, ...] = ()  # tokens of described, unnamed things on the way to the answer


_WH = {
    "who": QuestionType.WHO,
    "whom": QuestionType.WHO,
    "whose": QuestionType.WHO,
    "when": QuestionType.WHEN,
    "where": QuestionType.WHERE,
    "which": QuestionType.WHICH,
    "what": QuestionType.WHAT,
    "how": QuestionType.OTHER,
    "why": QuestionType.OTHER,
}
_AUXILIARIES = frozenset(
    "is are was were am do does did has have had can could will would shall should may might must".split()
)
_ORDERS = frozenset("name give list find tell identify state show".split())
_MEASURES = {
    "many": NUMBERS,
    "much": (*MONEY, "QUANTITY", "PERCENT", "CARDINAL"),
    "long": ("DATE", "TIME", "QUANTITY", "CARDINAL"),
    "old": ("DATE", "CARDINAL"),
    "far": ("QUANTITY", "CARDINAL"),
    "tall": ("QUANTITY", "CARDINAL"),
    "high": ("QUANTITY", "CARDINAL"),
    "large": ("QUANTITY", "CARDINAL"),
    "big": ("QUANTITY", "CARDINAL"),
    "heavy": ("QUANTITY", "CARDINAL"),
    "often": ("DATE", "CARDINAL"),
}
# Verbs whose "how much", without a noun behind it, is a sum of money; the first also asks so by "what".
_COSTS = frozenset(("cost",))
_PAYING = _COSTS | frozenset(
    "pay owe invoice charge bill spend earn donate lend borrow refund remit repay reimburse bid".split()
)
_CONTENT = frozenset(("NOUN", "VERB", "ADJ", "NUM", "ADV", "PROPN"))
_EMPTY = frozenset("be do have many much other there also name kind".split())
_TYPED = {
    QuestionType.WHO: PEOPLE_OR_GROUPS,
    QuestionType.WHEN: DATES,
    QuestionType.WHERE: PLACES,
    QuestionType.HOW_MANY: NUMBERS,
}


def parse_question(text: str, nlp: Callable[[str], Doc]) -> ParsedQuestion:
    """Read a question; `nlp` is the pipeline of `core.models.spacy_model`. Never raises on odd text."""
    doc = nlp(" ".join(text.split()))
    tokens = tuple(
        Token(t.text, t.lemma_.lower(), t.pos_, t.tag_, t.dep_, t.head.i, t.idx, t.idx + len(t), t.ent_type_)
        for t in doc
    )
    entities = tuple((e.start, e.end, e.label_) for e in doc.ents)
    return _assembled(doc.text, tokens, names_in(doc.text, tokens, entities))


def _assembled(text: str, tokens: tuple[Token, ...], names: tuple[Name, ...]) -> ParsedQuestion:
    word, kind = _question_word(tokens, names)
    focus = _focus(tokens, names, word, kind)
    lemma = tokens[focus].lemma if focus >= 0 else ""
    return ParsedQuestion(
        text=text,
        tokens=tokens,
        names=names,
        type=kind,
        focus=lemma,
        focus_token=focus,
        question_token=word,
        answer_labels=_labels(tokens, word, kind, lemma),
        content=_content(tokens, names, word),
        choices=choices_among(tokens, names),
        steps=described_nouns(tokens, names, focus, word),
    )


def _question_word(tokens: tuple[Token, ...], names: tuple[Name, ...]) -> tuple[int, QuestionType]:
    """Index of the question word (-1: none) and the form it gives the question."""
    named = {i for name in names for i in range(name.first, name.last)}
    asking = [i for i, t in enumerate(tokens) if t.text.lower() in _WH and i not in named]
    first = next((i for i, t in enumerate(tokens) if t.pos not in ("PUNCT", "SPACE")), -1)
    opening = _last_sentence(tokens, first)
    if opening >= 0 and tokens[opening].text.lower() in _AUXILIARIES:
        return opening, QuestionType.YES_NO
    early = [i for i in asking if i in (first, opening) or (i <= first + 2 and tokens[first].pos == "ADP")]
    # A question word in the middle asks when nothing else does: "died on which date?"
    late = [i for i in asking if _determines(tokens, i) or not _relative(tokens, i) or _closes(tokens, i)]
    word = (early or late[-1:] or [-1])[0]
    if word < 0:
        return -1, QuestionType.OTHER
    kind = _WH[tokens[word].text.lower()]
    following = tokens[word + 1].text.lower() if word + 1 < len(tokens) else ""
    if tokens[word].text.lower() == "how" and following in ("many", "much"):
        kind = QuestionType.HOW_MANY
    return word, kind


def _last_sentence(tokens: tuple[Token, ...], first: int) -> int:
    """Return where the last sentence begins: 'X has a prize. Does Y have one?'"""
    ends = [i for i, t in enumerate(tokens[:-2]) if t.text in ".?!" and t.dep == "punct"]
    return ends[-1] + 1 if ends and tokens[ends[-1] + 1].text[:1].isupper() else first


def _closes(tokens: tuple[Token, ...], i: int) -> bool:
    return all(t.pos in ("PUNCT", "SPACE") for t in tokens[i + 1 :])


def _relative(tokens: tuple[Token, ...], i: int) -> bool:
    """Return whether the wh-word at i opens a relative clause: 'the film that he made, which...'"""
    head = tokens[i].head
    steps = 0
    while steps < 4 and head != i:
        if tokens[head].dep in ("relcl", "acl"):
            return True
        if tokens[head].head == head:
            return False
        head, steps = tokens[head].head, steps + 1
    return False


def _determines(tokens: tuple[Token, ...], i: int) -> bool:
    if tokens[i].tag == "WRB" or i + 1 >= len(tokens):
        return tokens[i].text.lower() == "how" and i + 1 < len(tokens) and tokens[i + 1].lemma in _MEASURES
    head = tokens[i].head
    if tokens[i].dep == "det" and head > i and tokens[head].pos in ("NOUN", "PROPN"):
        return True
    # "is father to which Bollywood actress"
    return i > 0 and tokens[i - 1].pos in ("ADP", "VERB") and tokens[i + 1].pos in ("NOUN", "PROPN", "ADJ")


def _focus(tokens: tuple[Token, ...], names: tuple[Name, ...], word: int, kind: QuestionType) -> int:
    """Index of the noun that is asked for, or -1."""
    named = {i for name in names for i in range(name.first, name.last)}
    if kind is QuestionType.YES_NO:
        return -1
    if word < 0:  # "Name the mother of ..."
        if tokens and tokens[0].text.lower() in _ORDERS:
            return next((i for i, t in enumerate(tokens) if t.pos == "NOUN" and i not in named), -1)
        return -1
    if kind in (QuestionType.WHICH, QuestionType.WHAT, QuestionType.HOW_MANY, QuestionType.WHO):
        noun = _noun_after(tokens, named, word)
        if noun >= 0:
            return _through_name_of(tokens, noun)
    if kind in (QuestionType.WHEN, QuestionType.WHERE, QuestionType.OTHER):
        return -1
    return _through_name_of(tokens, _predicate_noun(tokens, named, word))


def _noun_after(tokens: tuple[Token, ...], named: set[int], word: int) -> int:
    """'Which Australian city' -> city; the noun must belong to the same phrase."""
    noun = -1
    start = word + 1
    if start + 1 < len(tokens) and tokens[start].text == "of" and tokens[start + 1].pos == "DET":
        start += 2  # "Which of the founders"
    for i in range(start, len(tokens)):
        t = tokens[i]
        if t.pos == "NOUN" and i not in named:
            noun = i
        elif t.label == "NORP" or t.text in "-/":
            continue  # "What low budget British comedy"
        elif noun >= 0 or not (t.pos in ("ADJ", "NUM", "PROPN", "NOUN", "PART") or t.dep == "amod"):
            break
    return noun


def _predicate_noun(tokens: tuple[Token, ...], named: set[int], word: int) -> int:
    """'What is the date of birth of X' -> date; 'Who is X's father' -> father."""
    i = word + 1
    if i < len(tokens) and tokens[i].pos in ("AUX", "VERB") and tokens[i].lemma in ("be", "become"):
        noun = -1
        for j in range(i + 1, len(tokens)):
            t = tokens[j]
            if t.pos == "NOUN" and j not in named:
                noun = j
            elif t.tag == "VBG" and t.dep in ("amod", "compound"):
                continue  # "the managing director"
            elif (
                noun >= 0
                or t.pos in ("ADP", "VERB", "SCONJ", "PRON")
                and t.lemma not in ("his", "her", "their", "its")
            ):
                break
        return noun
    return -1


def _through_name_of(tokens: tuple[Token, ...], noun: int) -> int:
    """'the name of the waterfall' asks for the waterfall; 'the first name' stays as it is."""
    if noun < 0 or tokens[noun].lemma not in ("name", "kind", "type", "sort", "title"):
        return noun
    if noun + 1 < len(tokens) and tokens[noun + 1].lemma == "of":
        for i in range(noun + 2, len(tokens)):
            if tokens[i].pos == "NOUN":
                return i
            if tokens[i].pos not in ("DET", "ADJ", "NUM", "PRON"):
                break
    return noun


def _labels(tokens: tuple[Token, ...], word: int, kind: QuestionType, focus: str) -> tuple[str, ...]:
    if kind is QuestionType.YES_NO:
        return ()
    # "did the repair cost": the parser often takes the last word for a noun.
    last = [t.lemma for t in tokens if t.pos != "PUNCT"][-1:]
    verbs = {t.lemma for t in tokens if t.pos == "VERB" or t.dep == "ROOT"}.union(last)
    if word >= 0 and tokens[word].text.lower() == "how":
        following = tokens[word + 1].text.lower() if word + 1 < len(tokens) else ""
        sums = any(labels_of(t.lemma) == MONEY for t in tokens if t.dep in ("nsubj", "attr"))
        if following == "much" and not focus and (verbs & _PAYING or sums):
            return MONEY
        return _MEASURES.get(following, ())
    if kind is QuestionType.WHAT and not focus and verbs & _COSTS:
        return MONEY
    if kind is QuestionType.WHO:
        narrow = labels_of(focus) if focus else ()
        return narrow if narrow and narrow[0] in PEOPLE_OR_GROUPS else PEOPLE_OR_GROUPS
    return _TYPED.get(kind) or (labels_of(focus) if focus else ())


def _content(tokens: tuple[Token, ...], names: tuple[Name, ...], word: int) -> frozenset[str]:
    named = {i for name in names for i in range(name.first, name.last)}
    return frozenset(
        t.lemma
        for i, t in enumerate(tokens)
        if t.pos in _CONTENT
        and i not in named
        and i != word
        and t.text.lower() not in _WH
        and t.lemma not in _EMPTY
        and any(c.isalnum() for c in t.lemma)
    )


def is_attribute(noun: str) -> bool:
    """Return whether the noun names an attribute ('date of birth') rather than a thing."""
    return noun in ATTRIBUTES
