"""Answers that rest on a sentence which denies, supposes or only reports what is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from core.answering.candidates import Candidate
from core.answering.comprehension import Understood
from core.answering.joint import Place, Proposal, words
from core.answering.stance import Stance, retracts, stance
from core.answering.stance_by_words import stance_by_words
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.rules import ENGLISH
from core.models.reader import ReaderPassage
from core.models.reader_examples import Kind
from core.text.translation import tr
from core.types import Assertion, Sentence, assertion_words
from core.types.knowledge import DENIED

_LOOKED_AT = 8  # answers, the likeliest
_DENIED = Stance(Assertion(denied=True), True)
_PLACES = 4  # of one answer
_SENTENCES = 4  # of a passage, those that share most words with the question
_READINGS = 3  # without the sentences that were refused, at most


@dataclass(frozen=True, slots=True)
class Checked:
    """The answers that may be given; `put` is how the first one is put, `refused` why there is none, in words.

    `is_undecided`: whether it is yes or no, and no sentence says or denies what is asked.
    """

    found: Understood
    put: Assertion = field(default_factory=Assertion)
    refused: str = ""
    is_undecided: bool = False


@dataclass(frozen=True, slots=True)
class _Refused:
    """A place whose sentence puts what is asked in another way than the question."""

    place: Place
    words: str


def check_assertions(
    question: ParsedQuestion,
    candidates: Sequence[Candidate],
    read: Callable[[Sequence[ReaderPassage]], Understood],
) -> Checked:
    """The answers that `read` finds, without those whose sentence denies, supposes or plans what is asked as done.

    Where the likeliest is of that kind, the passages are read again without its sentence. Why and how are left alone:
    their answers stand next to what is asked, not in it. Raises ModelUnavailable.
    """
    passages = [ReaderPassage.of(candidate.passage) for candidate in candidates]
    refused = ""
    found = read(passages)
    for _ in range(_READINGS):
        if not found.answers:
            return Checked(found, refused=refused)
        checked, against = _looked_at(question, found, candidates)
        if not against:
            return replace(checked, refused=refused)
        refused = refused or against[0].words
        for one in against:
            passages[one.place.passage] = _without(passages[one.place.passage], candidates, one.place)
        found = read(passages)
    return Checked(replace(found, answers=()), refused=refused)


def is_against(question: ParsedQuestion, proposal: Proposal, candidates: Sequence[Candidate]) -> bool:
    """Whether the likeliest place of a proposal denies, supposes or plans what is asked as done."""
    stance_there = _stance_at(question, proposal.places[0], candidates) if proposal.places else None
    return stance_there is not None and stance_there.against


def _looked_at(
    question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate]
) -> tuple[Checked, list[_Refused]]:
    """What is left, and the places of the likeliest answer, where all of them are refused."""
    if found.answers[0][0].kind in (Kind.YES, Kind.NO):
        return _verdict_looked_at(question, found, candidates)
    remaining: list[tuple[Proposal, float]] = []
    put = Assertion()
    for number, (proposal, probability) in enumerate(found.answers):
        if number >= _LOOKED_AT:
            remaining.append((proposal, probability))
            continue
        places, refused = list(proposal.places[_PLACES:]), list[_Refused]()
        for place in reversed(proposal.places[:_PLACES]):
            each = _stance_at(question, place, candidates)
            if each is not None and each.against:
                quote = _quote(candidates[place.passage], place)
                refused.insert(0, _Refused(place, _words(each.assertion, quote)))
            else:
                places.insert(0, place)
                put = each.assertion if each is not None and not number else put
        if places:
            remaining.append((_at(proposal, places, candidates), probability))
        elif not number:
            return Checked(found), refused
    return Checked(replace(found, answers=tuple(remaining)), put), []


def _verdict_looked_at(
    question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate]
) -> tuple[Checked, list[_Refused]]:
    """Yes or no by the sentence that says most of what is asked: its denial says no, a mere plan says neither."""
    best, sure = found.answers[0]
    row = best.places[0].passage
    sentence, put = _decisive_sentence(question, candidates[row])
    quote = candidates[row].passage.text[sentence.start : sentence.end].strip()
    place = Place(row, sentence.start, sentence.end)
    end = _taken_back_at(candidates[row], sentence.start) if put is None or not put.against else None
    if end is not None:
        put, place = _DENIED, Place(row, sentence.start, end)
    if put is None:
        return Checked(found, is_undecided=True), []
    if not put.against:
        if best.kind is Kind.NO:  # which no sentence denies
            return Checked(found, is_undecided=True), []
        return Checked(found, put.assertion), []
    if put.assertion.mark != DENIED:
        return Checked(found), [_Refused(place, _words(put.assertion, quote))]
    no = replace(best, text=Kind.NO.value, kind=Kind.NO, places=(place,))
    by = put.assertion if put.assertion.source else Assertion()
    return Checked(replace(found, answers=((no, sure),)), by), []


def _decisive_sentence(question: ParsedQuestion, candidate: Candidate) -> tuple[Sentence, Stance | None]:
    """Return the sentence with most of the question's words, or the next one that says anything of what is asked."""
    passage, asked = candidate.passage, frozenset(words(question.text))
    spans = passage.sentences or (Sentence(0, len(passage.text)),)
    shared = {one: len(asked.intersection(words(passage.text[one.start : one.end]))) for one in spans}
    ranked = sorted(spans, key=lambda one: -shared[one])[:_SENTENCES]
    for one in ranked:
        put = _stance(question, passage.text[one.start : one.end].strip(), candidate) if shared[one] else None
        if put is not None:
            return one, put
    return ranked[0], None


def _without(passage: ReaderPassage, candidates: Sequence[Candidate], place: Place) -> ReaderPassage:
    """The passage with blanks for the sentence of a place, so that all others stay where they are."""
    candidate, text = candidates[place.passage], passage.text
    start, _ = _sentence_at(candidate, place)
    end = start + len(_quote(candidate, place))
    return replace(passage, text=text[:start] + " " * (end - start) + text[end:])


def _stance_at(question: ParsedQuestion, place: Place, candidates: Sequence[Candidate]) -> Stance | None:
    candidate = candidates[place.passage]
    start, sentence = _sentence_at(candidate, place)
    found = _stance(question, sentence, candidate, (place.start - start, place.end - start))
    if found is not None and found.against or _taken_back_at(candidate, place.start) is None:
        return found
    return _DENIED


def _taken_back_at(candidate: Candidate, place: int) -> int | None:
    """Where the sentence ends that takes back what is said at a place: "This is not so."; None where none does."""
    spans = candidate.passage.sentences
    behind = next((n + 1 for n, one in enumerate(spans) if one.start <= place < one.end), len(spans))
    if behind >= len(spans) or candidate.passage.language not in {ENGLISH, ""}:
        return None
    end = spans[behind].end
    return end if retracts(candidate.passage.text[spans[behind].start : end]) else None


def _stance(
    question: ParsedQuestion, sentence: str, candidate: Candidate, span: tuple[int, int] | None = None
) -> Stance | None:
    """Read off the parse in English, off the words of each clause elsewhere; where the language is unknown off both."""
    language = candidate.passage.language
    found = None if language == ENGLISH else stance_by_words(question.text, sentence, language, span)
    if found is None and language in {ENGLISH, ""} and question.type is not QuestionType.OTHER:
        return stance(question.text, sentence, span)
    return found


def _quote(candidate: Candidate, place: Place) -> str:
    """The sentence that a place begins in, with the one that takes it back."""
    start, sentence = _sentence_at(candidate, place)
    end = _taken_back_at(candidate, place.start)
    return sentence if end is None else candidate.passage.text[start:end]


def _sentence_at(candidate: Candidate, place: Place) -> tuple[int, str]:
    """Where the sentence that the place begins in starts, and its words."""
    text = candidate.passage.text
    for sentence in candidate.passage.sentences:
        if sentence.start <= place.start < sentence.end:
            return sentence.start, text[sentence.start : max(sentence.end, place.end)].rstrip()
    return 0, text


def _at(proposal: Proposal, places: Sequence[Place], candidates: Sequence[Candidate]) -> Proposal:
    """The proposal at these of its places; of a list, what stands there."""
    if len(places) == len(proposal.places):
        return proposal
    if proposal.kind is not Kind.SEVERAL:
        return replace(proposal, places=tuple(places))
    *before, last = (candidates[at.passage].passage.text[at.start : at.end] for at in places)
    text = f"{', '.join(before)} and {last}" if before else last
    return replace(proposal, places=tuple(places), text=text, kind=Kind.SEVERAL if before else Kind.SPAN)


def _words(assertion: Assertion, quote: str) -> str:
    how, quote = assertion_words(assertion.mark, assertion.source), " ".join(quote.split())
    if not how:
        return tr("The document says otherwise: “{quote}”", quote=quote)
    return tr("Not stated as a fact, but {how}: “{quote}”", how=how, quote=quote)
