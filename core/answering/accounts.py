"""Whole sentences for what no few words answer: why, how, and who somebody is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.answering.candidates import Candidate
from core.answering.comprehension import Understood
from core.answering.joint import SIGNALS, Place, Proposal
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.rules import ENGLISH
from core.extraction.topic import SUBJECTS
from core.models.reader_examples import Kind
from core.text.stems import content_stems
from core.types import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_LONGEST = 700  # characters of what is told
_SENTENCE = 600  # characters of a sentence that are parsed
_NAMED, _SHARED = 0.7, 0.5  # of the question's names and predicate, in a sentence that states it
_NEW = 3  # content words beyond the question's, from which on a sentence is not the question again
_REPEATED = 0.6  # share of the question's content in a sentence that says what is asked about
_NEAR = 0.4  # share of the likeliest answer's probability, from which on one with a cause comes before it
_DESCRIBED = 0.6  # least probability of what a sentence says by its grammar that somebody is
_DESCRIBING = 12  # sentences with the name that are parsed
_CAUSES = frozenset(("because", "since", "as", "lest"))
_CAUSE = re.compile(
    r"\b(?:because|due to|owing to|on account of|thanks to|as a result of|so that|so as to|caused by"
    r"|in order (?:to|that)|for fear of|for the purpose of|to prevent|to avoid|the reason)\b",
    re.IGNORECASE,
)
_HENCE = re.compile(
    r"\W*(?:therefore|thus|hence|consequently|accordingly|so,?|as a result|for (?:this|that) reason"
    r"|(?:that|this) is why|[^.,;]{1,40}\b(?:therefore|thus|consequently)\b)\b",
    re.IGNORECASE,
)
_BACKWARD = frozenset("he she it they this that these those then there his her its their such both".split())
_MANNERS = frozenset("by with through over via using under from into in on beside around".split())
_TIMES = frozenset(("DATE", "TIME", "GPE", "CARDINAL"))
_BECOMES = frozenset("be become remain serve act work".split())
_COMMON = frozenset(("NN", "NNS"))
_ROLE = re.compile(r"\s?\(([a-z][^()\d]{2,60})\)")  # "Anna Berg (chair)"
_LABELLED = re.compile(r"[^\w\n]*[^.:\n]{1,40}:\s")  # a line of a form or of front matter
_CHOOSES = frozenset("elect appoint name make choose call".split())


class Account(NamedTuple):
    """`literal`: whether the first answer's sentences state what is asked; None where that is judged as elsewhere."""

    found: Understood
    literal: bool | None = None


def with_account(question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate]) -> Account:
    """Return `found` with whole sentences first where a question asks why, how or who somebody is.

    Raises ModelUnavailable.
    """
    asked = _asks(question)
    if asked == "who":
        return _identity(question.names[0].text, found, candidates)
    return _passage(question, found, candidates, asked == "why") if asked else Account(found)


def _asks(question: ParsedQuestion) -> str:
    """ "why", "how", "who" where it is asked who somebody is and nothing else of them, or ""."""
    if question.type is QuestionType.WHO and len(question.names) == 1:
        (name,) = question.names
        others = [t for at, t in enumerate(question.tokens) if not name.first <= at < name.last]
        return "who" if all(t.lemma in ("who", "be", "the") or t.pos == "PUNCT" for t in others) else ""
    if question.question_token < 0 or question.type is not QuestionType.OTHER or question.answer_labels:
        return ""
    word = question.tokens[question.question_token].text.lower()
    return word if word in ("why", "how") else ""


def _passage(
    question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate], is_why: bool
) -> Account:
    """The sentences around the likeliest answer, or around one nearly as likely that has the cause."""
    asked = content_stems(question.text)
    best: tuple[int, Proposal, Place] | None = None
    for proposal, probability in found.answers:
        if not len(proposal.signals) or proposal.kind in (Kind.YES, Kind.NO):
            continue
        if best is not None and probability < _NEAR * found.answers[0][1]:
            break
        place, tells = _around(candidates[proposal.places[0].passage], proposal.places[0], asked, is_why)
        names, predicate = (proposal.signals[SIGNALS.index(key)] for key in ("names", "predicate"))
        text = candidates[place.passage].passage.text[place.start : place.end]
        rank = 2 * (tells and names >= _NAMED and predicate >= _SHARED)
        rank += len(content_stems(text) - asked) >= _NEW
        if best is None or rank > best[0]:
            best = rank, replace(proposal, kind=Kind.SENTENCES), place
    if best is None:
        return Account(found)
    rank, proposal, place = best
    return _first(replace(proposal, places=(place,)), found.answers[0][1], found, literal=rank >= 2)


def _first(proposal: Proposal, probability: float, found: Understood, literal: bool) -> Account:
    """With a proposal before all others, of which those at its place are left out."""
    (place,) = proposal.places
    others = (each for each in found.answers if not (each[0].places and _holds(place, each[0].places[0])))
    return Account(replace(found, answers=((proposal, probability), *others)), literal)


def _holds(place: Place, other: Place) -> bool:
    return place.passage == other.passage and place.start <= other.start and other.end <= place.end


def _around(candidate: Candidate, place: Place, asked: frozenset[str], is_why: bool) -> tuple[Place, bool]:
    """The one to three sentences that tell it, and whether these have a cause or a manner."""
    text, every = candidate.passage.text, candidate.passage.sentences
    at = next((n for n, one in enumerate(every) if one.end > place.start), None)
    if at is None:
        return replace(place, start=0, end=len(text)), False
    sentence = _words_of(candidate, every[at])
    tells = _tells(sentence, asked, is_why, candidate)
    first = last = at
    before, behind = _neighbour(candidate, at, -1), _neighbour(candidate, at, 1)
    repeats = _repeats(sentence, asked)
    if before is not None and (
        _HENCE.match(sentence) or _leans(sentence) or not repeats and _repeats(before, asked)
    ):
        first -= 1
        tells = tells or is_why and bool(_HENCE.match(sentence))
    if behind is not None and _goes_on(sentence, behind, asked, is_why, needs=repeats and not tells):
        last += 1
        tells = tells or is_why and _leans(behind) and _tells(behind, asked, is_why, candidate)
    found = replace(place, start=every[first].start, end=every[last].end)
    if found.end - found.start > _LONGEST:
        found = replace(place, start=every[at].start, end=every[at].end)
    return found, tells


def _goes_on(sentence: str, behind: str, asked: frozenset[str], is_why: bool, needs: bool) -> bool:
    """Whether the sentence behind one belongs to what it tells; `needs`: it says no more than is asked about."""
    if not is_why:
        shared = content_stems(sentence) & content_stems(behind) - asked
        return needs or bool(shared) or _leans(behind)
    if _HENCE.match(behind):
        return True
    # With a cause of its own it explains something else.
    return needs and (_leans(behind) or not _CAUSE.search(behind))


def _words_of(candidate: Candidate, sentence: Sentence) -> str:
    return candidate.passage.text[sentence.start : sentence.end].strip()


def _neighbour(candidate: Candidate, at: int, step: int) -> str | None:
    """The sentence beside one in the same paragraph."""
    every, text = candidate.passage.sentences, candidate.passage.text
    if not 0 <= at + step < len(every):
        return None
    low, high = sorted((at, at + step))
    if "\n" in text[every[low].end - 1 : every[high].start + 1]:
        return None  # a list, or another paragraph
    return _words_of(candidate, every[at + step])


def _leans(sentence: str) -> bool:
    """Whether a sentence goes on with what the one before it is about."""
    return next(iter(re.findall(r"[^\W\d_]+", sentence.casefold())), "") in _BACKWARD


def _repeats(sentence: str, asked: frozenset[str]) -> bool:
    """Whether a sentence says what is asked about."""
    return len(asked & content_stems(sentence)) >= _REPEATED * len(asked) > 0


def _tells(sentence: str, asked: frozenset[str], is_why: bool, candidate: Candidate) -> bool:
    """Whether a sentence has a cause or an aim; for how, a manner in which one of the asked verbs is done."""
    if is_why and _CAUSE.search(sentence):
        return True
    if candidate.passage.language not in (ENGLISH, ""):
        return False
    doc = _read(sentence)
    if is_why:
        return any(_is_cause(token) for token in doc)
    return len(content_stems(sentence) - asked) >= _NEW and any(_is_manner(token, asked) for token in doc)


def _is_cause(token: Token) -> bool:
    if token.dep_ == "mark" and token.lower_ in _CAUSES:
        return token.head.dep_ == "advcl"
    return (
        token.tag_ == "VB"
        and token.dep_ == "advcl"
        and any(c.lower_ == "to" and c.dep_ == "aux" for c in token.children)
    )


def _is_manner(token: Token, asked: frozenset[str]) -> bool:
    if not content_stems(token.head.text) & asked:
        return False
    if token.dep_ == "prep" and token.lower_ in _MANNERS:
        return any(c.dep_ in ("pobj", "pcomp") and c.ent_type_ not in _TIMES for c in token.children)
    return token.dep_ == "advcl" and token.tag_ == "VBG"


@lru_cache(maxsize=128)
def _read(text: str) -> Doc:
    from core.models.spacy_model import load

    return load()(text[:_SENTENCE])


def _identity(name: str, found: Understood, candidates: Sequence[Candidate]) -> Account:
    """What a sentence says that somebody is; else one that is about them, which is a possible answer only."""
    name = name.rstrip("?!. ")
    described: list[tuple[int, Place]] = []
    about: list[Place] = []
    for row, one in islice(_naming(name, candidates), _DESCRIBING):
        text = candidates[row].passage.text[one.start : one.end][:_SENTENCE]
        at = text.index(name)
        for score, start, end in _descriptions(text, at, at + len(name)):
            described.append((score, Place(row, one.start + start, one.start + end)))
        if not _LABELLED.match(text) and _named(text, at, at + len(name)).root.dep_ in SUBJECTS:
            about.append(Place(row, one.start, one.end))
    if not described and not about:
        others = tuple(each for each in found.answers if _may_describe(name, candidates, each[0]))
        return Account(replace(found, answers=others), False)
    place = max(described, key=lambda each: each[0])[1] if described else about[0]
    same = [share for each, share in found.answers if each.places and _holds(place, each.places[0])]
    sure = max((share for _, share in found.answers), default=0.0)
    text = candidates[place.passage].passage.text[place.start : place.end]
    proposal = Proposal(text, Kind.SPAN if described else Kind.SENTENCES, (place,), np.zeros(0))
    return _first(proposal, max([_DESCRIBED, *same]) if described else sure, found, literal=bool(described))


def _may_describe(name: str, candidates: Sequence[Candidate], proposal: Proposal) -> bool:
    """Whether an answer's sentence has the name, and is no line of a form or of front matter."""
    if not proposal.places:
        return False
    place = proposal.places[0]
    passage = candidates[place.passage].passage
    inside = (
        passage.text[one.start : one.end] for one in passage.sentences if one.start <= place.start < one.end
    )
    return any(name in sentence and not _LABELLED.match(sentence) for sentence in inside)


def _naming(name: str, candidates: Sequence[Candidate]) -> Iterator[tuple[int, Sentence]]:
    for row, candidate in enumerate(candidates):
        if candidate.passage.language in (ENGLISH, ""):
            text = candidate.passage.text
            found = (
                one for one in candidate.passage.sentences if name in text[one.start : one.end][:_SENTENCE]
            )
            yield from ((row, one) for one in found)


def _descriptions(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield what a sentence says that the name at a place is, the surest with the highest score; offsets in it."""
    if role := _ROLE.match(text, end):
        yield 2, *role.span(1)
    if _LABELLED.match(text):
        return
    name = _named(text, start, end)
    root = name.root
    for child in root.children:
        if child.dep_ == "relcl" and child.lemma_ == "be":  # "Anna, who was the clerk, ..."
            yield from ((4, *_phrase(noun)) for noun in child.children if noun.dep_ == "attr")
        if child.dep_ == "appos" and child.idx > start and child.tag_ in _COMMON:
            yield 3, *_phrase(child)
    if root.dep_ == "appos" and root.head.idx < start and root.head.tag_ in _COMMON:
        yield 3, root.head.left_edge.idx, root.head.idx + len(root.head)
    verb = root.head
    if (
        root.dep_ in SUBJECTS
        and verb.lemma_ in _BECOMES | _CHOOSES
        and not any(c.dep_ == "neg" for c in verb.children)
    ):
        for child in verb.children:
            nouns = child.children if child.dep_ == "prep" and child.lower_ == "as" else (child,)
            for noun in nouns:
                if noun.dep_ in ("attr", "oprd", "pobj") and noun.tag_ in _COMMON:
                    yield 4, *_phrase(noun)
    title = name.doc[name.start - 1] if name.start else root
    if title.tag_ in _COMMON and title.is_lower:  # "the engineer Anna Berg"
        yield 1, title.left_edge.idx, title.idx + len(title)


def _named(text: str, start: int, end: int) -> Span:
    doc = _read(text)
    return doc.char_span(start, end, alignment_mode="expand") or doc[:1]


def _phrase(noun: Token) -> tuple[int, int]:
    return noun.left_edge.idx, noun.right_edge.idx + len(noun.right_edge)
