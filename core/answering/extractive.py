"""Answers in the documents' own words, as the trained reader finds them: no language model, every sentence cited."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.answering.assertions import check_assertions, is_against
from core.answering.candidates import Candidate, as_evidence, cite
from core.answering.comparing import compared
from core.answering.comprehension import Comprehension, Understood
from core.answering.conflicts import find_conflicts
from core.answering.joint import Place, Proposal, repeats
from core.answering.listing import asked_part
from core.answering.rewriting import innermost
from core.answering.statement import SIGNALS as STATEMENT
from core.answering.statement import is_literal
from core.answering.tenure import AskedTime, Tenure, asked_time, hold_at, tenure_of
from core.config import AnswerConfig
from core.extraction.question import ParsedQuestion
from core.models.reader import UNREAD, PassageRead
from core.models.reader_examples import KINDS, Kind
from core.progress import TaskContext
from core.protocols import OnText
from core.retrieval.query import Query
from core.text.periods import lies_outside
from core.text.sentences import only_form
from core.text.statements import is_statement
from core.text.translation import both, mark, tr, trn
from core.types import (
    Alternative,
    Answer,
    Citation,
    Evidence,
    Modality,
    Retrieval,
    Route,
    Sentence,
    Stage,
    Trace,
    assertion_words,
)
from core.types.kinds import VALUES
from core.types.stages import MOST, AnswerCandidate, PassageReading, Reading

_LONGEST = 300  # characters of a span that are kept


def as_reading(question: str, found: Understood, candidates: Sequence[Candidate]) -> Reading:
    """`found` in the `candidates`, row by row."""
    best, sure = found.answers[0] if found.answers else (None, 0.0)
    holding = {place.passage for place in best.places} if best is not None else set()
    likeliest: dict[int, float] = {}
    for proposal, probability in found.answers:
        for place in proposal.places:
            likeliest[place.passage] = max(probability, likeliest.get(place.passage, 0.0))
    passages = []
    for row, (candidate, read) in enumerate(zip(candidates[:MOST], found.reads, strict=False)):
        text = candidate.passage.text
        why = "" if row in holding else _why_not(question, text, read, likeliest.get(row), sure)
        passages.append(_read(candidate, read, why))
    answers = tuple(
        AnswerCandidate(
            _short(proposal.text),
            proposal.kind.value,
            probability,
            tuple(dict.fromkeys(candidates[place.passage].passage.id for place in proposal.places)),
        )
        for proposal, probability in found.answers[:MOST]
    )
    return Reading(tuple(passages), answers, len(holding), len(candidates))


def _read(candidate: Candidate, read: PassageRead, why: str) -> PassageReading:
    kind = int(read.kinds.argmax())
    span = read.spans[0] if read.spans else None
    return PassageReading(
        candidate.passage.id,
        _short(candidate.passage.text[span.start : span.end]) if span else "",
        span.margin if span else 0.0,
        span.probability if span else 0.0,
        KINDS[kind].value,
        float(read.kinds[kind]),
        read.relevance,
        why,
    )


def _why_not(question: str, text: str, read: PassageRead, likeliest: float | None, sure: float) -> str:
    """Why the words of a passage are not the answer."""
    if read is UNREAD:
        return tr("not read: a passage above it tells")
    if not read.spans:
        return tr("no words of it may answer")
    span = read.spans[0]
    if repeats(question, text[span.start : span.end]):
        return tr("only repeats the question")
    if read.kind(Kind.NONE) > 0.5 and span.margin <= 0:
        return tr("does not tell it, says the reader")
    if likeliest is None:
        return tr("asks in its turn, or the question wants yes or no")
    return tr("another answer is likelier: {best} against {own}", best=f"{sure:.0%}", own=f"{likeliest:.0%}")


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]


_ALTERNATIVES = 3
_INDIRECT = 0.75  # least probability of an answer that takes a step which no sentence states
CHECKED = 0.2  # how much less likely a statement may be that passes the checks
_POSSIBLE = 0.39  # most that an answer counts which is possible at most
_UNLIKELY = 0.03  # probability below which another reading is not worth a look


class ExtractiveGenerator:
    """Gives the reader's likeliest answer with the sentences that say so; the other readings beside it."""

    name = "extractive"

    def __init__(self, config: AnswerConfig, comprehension: Comprehension) -> None:
        self._config = config
        self._comprehension = comprehension
        self.support = comprehension.reader.support

    def answer(
        self,
        question: ParsedQuestion,
        question_vector: NDArray[np.float32],
        retrieval: Retrieval,
        route: Route,
        candidates: Sequence[Candidate],
        context: TaskContext,
        on_text: OnText | None = None,
        strict: bool = False,
    ) -> Answer:
        """Answer from the candidates, best first (ten are enough).

        `on_text` receives what the first passages tell, before those below them are read. It quotes, `strict` or not.
        `missing` is always told, for the case that whoever checks the answer refuses it.
        `question_vector`: unit vector, shape (d,). The trace's stages are those of the retrieval
        and this one, its seconds their sum. Raises ModelUnavailable, and Cancelled through `context`.
        """
        context.check()
        begin = time.perf_counter()
        scores = [candidate.hit.score for candidate in candidates]

        def on_first(proposal: Proposal, probability: float) -> None:
            if on_text is None or probability < self._config.min_probability:
                return
            if not is_against(question, proposal, candidates):
                on_text(_text(proposal, candidates))

        checked = check_assertions(
            question,
            candidates,
            lambda passages: self._comprehension.understand(question.text, passages, scores, on_first),
        )
        found = checked.found
        if (pick := compared(question, candidates, self._comprehension)) is not None:
            decided = Proposal(pick.text, Kind.SPAN, pick.places, np.zeros(0))
            others = tuple(each for each in found.answers if each[0].text.casefold() != pick.text.casefold())
            found = replace(found, answers=((decided, pick.probability), *others))
        labelled: Proposal | None = None
        if found.answers:
            (best, probability), *rest = found.answers
            if (labelled := _asked_member(question.text, best, candidates)) is not None:
                found = replace(found, answers=((labelled, probability), *rest))
        found = _within_time(question, found, candidates)
        if asks_how_or_why(question) and found.answers:
            (best, probability), *rest = found.answers
            found = replace(found, answers=((_in_sentences(best, candidates), probability), *rest))
        context.check()
        first = found.answers[0][0].places[0] if found.answers else None
        evidence = _evidence(found, candidates, question_vector, first)
        reading = as_reading(question.text, found, candidates)
        stage = Stage(mark("answer"), time.perf_counter() - begin, _detail(found), reading)
        trace = trace_of(question, retrieval, route, stage)
        lacking = checked.refused or missing(question, candidates)
        nothing = Answer("", (), (), evidence, trace, abstained=True, missing=lacking)
        how = assertion_words(checked.put.mark, checked.put.source)
        put_as = tr("The document does not say so itself: {how}", how=how) if how else ""
        if checked.put.modality is Modality.PLANNED:
            put_as = tr("The document says that this was decided or planned, not that it was done")
        answer = self._composed(nothing, question, found, candidates)
        if labelled is not None and answer.text == _text(labelled, candidates):
            answer = replace(answer, literal=True)  # "Treasurer: Ada Moe" states who the treasurer is
        if checked.is_undecided:  # "Was he convicted?": he denies the charges
            answer = replace(answer, literal=False, is_indirect=True)
        return replace(answer, put_as=put_as)

    def _composed(
        self, empty: Answer, question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate]
    ) -> Answer:
        """`empty` with the likeliest answer in it, and with what else the documents may say."""
        if not found.answers:
            return empty
        (best, probability), *rest = found.answers
        listed = best.kind is Kind.SEVERAL  # each member with its sentence
        most = len(best.places) if listed else self._config.sentences
        citations = _citations(best, candidates, most)
        literal = states_literally(best)
        conflicts = find_conflicts(question, found, candidates)
        others = [
            (other, share)
            for other, share in rest
            if share >= _UNLIKELY and not any(other is each for each, _ in conflicts)
            # Beside a sentence that states it, what only stands near is no other answer.
            if not literal or states_literally(other)
        ]
        text = _text(best, candidates)
        return replace(
            empty,
            text=text,
            sentences=tuple(citation.quote for citation in citations),
            citations=citations,
            abstained=False,
            confidence=probability,
            documents=_count_documents(best, candidates),
            literal=literal,
            is_indirect=innermost(question) is not None,
            alternatives=_alternatives(others, candidates, text)[:_ALTERNATIVES],
            conflicts=_alternatives(conflicts, candidates, text),
        )


# Openings of a sentence that leans on the one before it, and of one that gives the reason for the one before it.
_LEANING = re.compile(
    r"(?:this|that|these|those|it|he|she|they|so|thus|hence|therefore|then|such)\b", re.IGNORECASE
)
_REASON = re.compile(
    r"(?:because|this is because|the reason|for this reason|so that|otherwise)\b", re.IGNORECASE
)
_OUTSIDE = 0.3  # what an answer counts that holds at other times only than the question asks for
_UNDATED = 0.6  # one that nothing puts at the time that the question names: possible at most
_QUOTED_KINDS = (Kind.SPAN, Kind.SENTENCES)


def asks_how_or_why(question: ParsedQuestion) -> bool:
    """Whether it asks for a reason or a way, which no few words tell; "how old", "how many" ask for a figure."""
    at, tokens = question.question_token, question.tokens
    if at < 0 or tokens[at].text.lower() not in ("why", "how"):
        return False
    return at + 1 < len(tokens) and tokens[at + 1].pos not in ("ADJ", "ADV")


def _within_time(question: ParsedQuestion, found: Understood, candidates: Sequence[Candidate]) -> Understood:
    """Return the answers anew by probability; one that holds at another time than is asked for counts less."""
    wanted = asked_time(question)
    if wanted is None or not found.answers:
        return found
    places = [(row, place) for row, (each, _) in enumerate(found.answers) for place in each.places]

    def tenures(has_plain: bool) -> list[Tenure | None]:
        return [
            _tenure(wanted, found.answers[row][0], place, candidates, has_plain=has_plain)
            for row, place in places
        ]

    known = tenures(wanted.is_explicit)
    if wanted.is_single and any(tenure is not None and tenure.is_open for tenure in known):
        known = tenures(True)  # what a document says in passing held before what began later
    current = hold_at(wanted, known)
    if wanted.is_now and not any(current):
        return found  # who held it last is the best that is told
    if wanted.is_now and wanted.is_single and wanted.is_explicit:
        # Beside one that is known to hold now, what is told without any time may be over.
        current = [
            False if holds is None and states_literally(found.answers[row][0]) else holds
            for holds, (row, _) in zip(current, places, strict=True)
        ]
    verdicts: dict[int, list[bool | None]] = {}
    for (row, place), holds in zip(places, current, strict=True):
        sentence, _, _ = _sentence_text(candidates, place)
        if holds is None and not wanted.is_now and lies_outside(wanted.period, sentence):
            holds = False
        verdicts.setdefault(row, []).append(holds)
    is_dated = wanted.is_state and not wanted.is_now
    answers = []
    for row, (proposal, probability) in enumerate(found.answers):
        own = verdicts.get(row, [True])
        if not any(own) and None not in own:
            proposal, probability = replace(proposal, holds=False), probability * _OUTSIDE
        elif not any(own) and is_dated:
            probability = min(_POSSIBLE, probability * _UNDATED)
        answers.append((proposal, probability))
    return replace(found, answers=tuple(sorted(answers, key=lambda each: -each[1])))


def _tenure(
    wanted: AskedTime, proposal: Proposal, place: Place, candidates: Sequence[Candidate], *, has_plain: bool
) -> Tenure | None:
    """Return when it holds, where a sentence states it of what is asked; None where nothing tells."""
    if not wanted.is_state or not (states_literally(proposal) or wanted.is_count):
        return None
    sentence, start, end = _sentence_text(candidates, place)
    first = sentence.rfind(";", 0, start) + 1  # "Until May there were five; since June there are four."
    last = (sentence.find(";", end) + 1 or len(sentence) + 1) - 1
    clause = sentence[first:last], start - first, end - first
    return tenure_of(*clause, candidates[place.passage].date, has_plain)


def _sentence_text(candidates: Sequence[Candidate], place: Place) -> tuple[str, int, int]:
    """Return the sentence around a place, and where in it the place lies."""
    sentence = _around(candidates[place.passage], place)
    text = candidates[place.passage].passage.text[sentence.start : sentence.end]
    return text, place.start - sentence.start, place.end - sentence.start


def _asked_member(question: str, proposal: Proposal, candidates: Sequence[Candidate]) -> Proposal | None:
    """Return of a list what its only member tells that the question names; None where it names none."""
    if proposal.kind is not Kind.SEVERAL:
        return None
    parts: list[Place] = []
    for place in proposal.places:
        part = asked_part(question, candidates[place.passage].passage.text[place.start : place.end])
        if part is not None:
            parts.append(replace(place, start=place.start + part[0], end=place.start + part[1]))
    if len(parts) != 1:
        return None
    text = candidates[parts[0].passage].passage.text[parts[0].start : parts[0].end]
    return replace(proposal, kind=Kind.SPAN, text=text, places=tuple(parts))


def _in_sentences(proposal: Proposal, candidates: Sequence[Candidate]) -> Proposal:
    """Return the proposal as the whole sentences of its places, with the neighbour that each needs."""
    if proposal.kind not in _QUOTED_KINDS:
        return proposal
    places = (replace(place, start=start, end=end) for place in proposal.places
              for start, end in [_with_neighbours(candidates[place.passage], place)])  # fmt: skip
    return replace(proposal, kind=Kind.SENTENCES, places=tuple(dict.fromkeys(places)))


def _with_neighbours(candidate: Candidate, place: Place) -> tuple[int, int]:
    """Return the sentences that the place touches, the one before where they lean on it, the next where it says why."""
    text, around = candidate.passage.text, _around(candidate, place)
    start, end = around.start, around.end
    before = next((s for s in reversed(candidate.passage.sentences) if s.end <= start), None)
    after = next((s for s in candidate.passage.sentences if s.start >= end), None)
    if before is not None and _LEANING.match(text[start:end].lstrip()):
        start = before.start
    if after is not None and _REASON.match(text[after.start : after.end].lstrip()):
        end = after.end
    return start, end


def _alternatives(
    proposals: Sequence[tuple[Proposal, float]], candidates: Sequence[Candidate], text: str
) -> tuple[Alternative, ...]:
    """Return proposals with their probabilities as other answers than `text`, those of the same words once."""
    found: dict[str, Alternative] = {}
    for proposal, share in proposals:
        words = _text(proposal, candidates)
        if words != text:
            citation = _citations(proposal, candidates, 1)[0]
            documents = _count_documents(proposal, candidates)
            found.setdefault(words, Alternative(words, share, citation, documents, proposal.holds))
    return tuple(found.values())


def states_literally(proposal: Proposal) -> bool | None:
    """Return whether the sentence of a span states what is asked; None for what is no span."""
    if proposal.kind not in (Kind.SPAN, Kind.SENTENCES) or not len(proposal.signals):
        return None
    return is_literal(proposal.signals[-len(STATEMENT) :].tolist())


def _count_documents(proposal: Proposal, candidates: Sequence[Candidate]) -> int:
    """Return how many documents say it."""
    return len({candidates[place.passage].document for place in proposal.places})


def least_probability(literal: bool | None, is_indirect: bool, sure: float) -> float:
    """Return how likely an answer must be to be displayed as one; `literal`: whether a sentence states it, None for
    what is no span; `is_indirect`: see `Answer`."""
    return max(sure, _INDIRECT if is_indirect and literal is False else 0.0)


def apply_thresholds(answer: Answer, config: AnswerConfig) -> Answer:
    """As it may be shown: an answer, a guess, or that it is not told; by its probability."""
    if answer.abstained:
        return answer
    if answer.confidence >= config.min_probability:
        least = least_probability(answer.literal, answer.is_indirect, config.sure)
        if _is_checked_statement(answer):
            least = min(least, checked_bar(config))
        guess = answer.confidence < least or bool(answer.failed_check)
        return replace(answer, guess=guess, missing=answer.missing if guess else "")
    other = (Alternative(answer.text, answer.confidence, answer.citations[0]),) if answer.citations else ()
    return answer.withdrawn(alternatives=(*other, *answer.alternatives))


def checked_bar(config: AnswerConfig) -> float:
    """Return the probability from which a statement that passes the checks is an answer, 0 to 1."""
    return max(0.0, config.sure - CHECKED)


def _is_checked_statement(answer: Answer) -> bool:
    """Whether words of whole sentences answer, as the reader finds them, and have passed all checks of the loop."""
    is_span = answer.literal is not None and not (answer.is_indirect or answer.put_as or answer.conflicts)
    is_read = is_span and bool(answer.trace.rounds) and not (answer.paths or answer.usage.calls)
    return is_read and not answer.failed_check and all(is_statement(each.quote) for each in answer.citations)


def _text(proposal: Proposal, candidates: Sequence[Candidate]) -> str:
    """The words that answer; whole sentences where these are asked for."""
    if proposal.kind in (Kind.YES, Kind.NO):
        return proposal.kind.value.capitalize()
    if proposal.kind is Kind.SENTENCES:
        place = proposal.places[0]
        sentence = _around(candidates[place.passage], place)
        return _clean(candidates[place.passage].passage.text[sentence.start : sentence.end])
    if proposal.kind is Kind.SPAN and proposal.places:
        place = _of_name(candidates, proposal.places[0])
        if place != proposal.places[0]:
            return _clean(candidates[place.passage].passage.text[place.start : place.end])
    return _clean(proposal.text)


def _of_name(candidates: Sequence[Candidate], place: Place) -> Place:
    """The place, or the full name around it: of "Anders" "Anders Brandvold", of "Ltd" "5AM Ltd", of a single word of
    any name that name."""
    text = candidates[place.passage].passage.text
    is_form = only_form(text[place.start : place.end].strip(" .,"))
    for mention in candidates[place.passage].mentions:
        is_around = mention.start <= place.start and place.end <= mention.end
        is_part = " " not in text[place.start : place.end] and mention.label not in VALUES  # "Petrel"
        if is_around and (is_form or is_part or mention.label == "PERSON"):
            return replace(place, start=mention.start, end=mention.end)
    return place


def _clean(text: str) -> str:
    return " ".join(text.split())


def _citations(proposal: Proposal, candidates: Sequence[Candidate], most: int) -> tuple[Citation, ...]:
    """The sentence of each place, the likeliest first, none twice; with the words that answer marked in it."""
    found: dict[tuple[str, int, int], Citation] = {}
    for place in (_of_name(candidates, each) for each in proposal.places):
        candidate = candidates[place.passage]
        citation = cite(candidate, _around(candidate, place))
        first = candidate.passage.start + place.start - citation.start
        marked = (max(0, first), min(len(citation.quote), first + place.end - place.start))
        is_all = len(citation.quote[slice(*marked)].rstrip(" .!?")) >= len(citation.quote.rstrip(" .!?"))
        is_unmarked = proposal.kind is Kind.SENTENCES or is_all or marked[0] >= marked[1]
        final = citation if is_unmarked else replace(citation, marked=marked)
        found.setdefault((citation.document_id, citation.start, citation.end), final)
    return tuple(found.values())[:most]


def _around(candidate: Candidate, place: Place) -> Sentence:
    """The sentences that the place touches, as one."""
    every = candidate.passage.sentences
    touched = [s for s in every if s.start < max(place.end, place.start + 1) and place.start < s.end]
    if not touched:
        return Sentence(0, len(candidate.passage.text))
    return Sentence(touched[0].start, touched[-1].end)


def _evidence(
    found: Understood, candidates: Sequence[Candidate], vector: NDArray[np.float32], first: Place | None
) -> tuple[Evidence, ...]:
    """Every passage with one sentence marked: that of its likeliest span, or the nearest to the question."""
    evidence = []
    for row, (candidate, read) in enumerate(zip(candidates, found.reads, strict=True)):
        if first is not None and first.passage == row:
            evidence.append(as_evidence(candidate, _around(candidate, first)))
        elif read.spans and read.spans[0].margin > 0:
            span = read.spans[0]
            evidence.append(as_evidence(candidate, _around(candidate, Place(row, span.start, span.end))))
        else:
            evidence.append(as_evidence(candidate, nearest_sentence(candidate, vector)))
    return tuple(evidence)


def nearest_sentence(candidate: Candidate, vector: NDArray[np.float32]) -> Sentence | None:
    """The sentence that is nearest to the question in meaning; None for a passage without sentences."""
    sentences = candidate.passage.sentences
    if not sentences or len(candidate.vectors) != len(sentences):
        return sentences[0] if sentences else None
    return sentences[int((candidate.vectors @ vector).argmax())]


def missing(question: ParsedQuestion, candidates: Sequence[Candidate]) -> str:
    """What was looked for, and where: for the case that it is not told."""
    if not candidates:
        return tr("No passage was found. Index a folder first, or ask with other words.")
    documents = len({candidate.document for candidate in candidates})
    where = trn(
        "{passages} of {count} document",
        "{passages} of {count} documents",
        documents,
        passages=trn("{count} passage", "{count} passages", len(candidates)),
    )
    names = [
        name.text.rstrip("?!.")
        for name in question.names
        if name.quoted or any(token.pos == "PROPN" for token in question.tokens[name.first : name.last])
    ]
    if names and " " not in names[0] and question.text.startswith(names[0]):
        names = names[1:]  # "Que dit ...": its capital is that of the beginning
    if not names:
        return tr(
            "Read {passages}: none says clearly what is asked. The nearest ones are below; ask with other "
            "words, or for one step at a time.",
            passages=where,
        )
    return tr(
        "Read {passages} for {names}: none says clearly what is asked. The nearest ones are below; ask with "
        "other words, or for one step at a time.",
        passages=where,
        names=both([f"“{name}”" for name in names[:3]]),
    )


def _detail(found: Understood) -> str:
    summary = trn(
        "{count} passage read, {readings}",
        "{count} passages read, {readings}",
        sum(read is not UNREAD for read in found.reads),
        readings=trn("{count} reading", "{count} readings", len(found.answers)),
    )
    if not found.answers:
        return summary
    best, probability = found.answers[0]
    return trn(
        "{read}; the likeliest {probability}, {kind}, said at {count} place",
        "{read}; the likeliest {probability}, {kind}, said at {count} places",
        len(best.places),
        read=summary,
        probability=f"{probability:.2f}",
        kind=best.kind.value,
    )


def ranked_only(query: Query, found: Retrieval, route: Route, candidates: Sequence[Candidate]) -> Answer:
    """Return the passages that were found, with the sentences nearest to the question, before anything is read."""
    evidence = tuple(as_evidence(each, nearest_sentence(each, query.vector)) for each in candidates)
    trace = trace_of(query.parsed, found, route, Stage(mark("answer"), 0.0))
    return Answer("", (), (), evidence, trace, abstained=True)


def trace_of(question: ParsedQuestion, retrieval: Retrieval, route: Route, stage: Stage) -> Trace:
    stages = (*retrieval.stages, stage)
    return Trace(
        question=question.text,
        route=route,
        stages=stages,
        seeds=retrieval.seeds,
        heat=retrieval.heat,
        hits=retrieval.hits,
        seconds=sum(s.seconds for s in stages),
        beam=retrieval.beam,
    )
