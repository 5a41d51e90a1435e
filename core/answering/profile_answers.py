"""Answers to "Who is X?" and "Everything about X": the sentences that say most of X, by date.

Which sentences: those that name X early and few others, that state something, and that facts of X were read from.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.answering.candidates import Candidate, as_evidence, cite
from core.answering.passage_reader import PassageReader
from core.answering.rankings import Rankings
from core.answering.validators import claims_of_quotes
from core.answering.writers import Request
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import Name
from core.extraction.question_words import PEOPLE, labels_of
from core.progress import TaskContext
from core.retrieval.ranking import by_rank
from core.retrieval.relation_search import NameMatch, RelationSearch
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.dates import date_in
from core.text.statements import is_statement
from core.text.stems import is_misspelled
from core.text.translation import mark, tr, trn
from core.types import Answer, Citation, Sentence, Stage, Trace, Way
from core.types.kinds import VALUES

_SENTENCES = 8
_READ = 60  # sentences that are looked at, those that name the fewest others first
_EARLY = 12  # characters before a name with which a sentence begins: "The master of"
_LONG = 320  # characters of a sentence that is read at a glance
_SURE, _UNSURE = 0.8, 0.4  # probability where a sentence is about the name, and where one only names it
_ASKING = frozenset("who what be the a an 's s".split())
_POINTING = frozenset("that this it he she".split())
_ABOUT = frozenset(
    "everything all anything what tell say know find give show describe summarise summarize profile overview document "
    "file text paper source information detail fact about of on me i you we us can be do there it the a an list "
    "happen please more record have let everyone could would can and it its put together full picture need want full "
    "background biography bio dossier history this that here write info portrait complete short long".split()
)
_CUES = frozenset(
    "about describe summarise summarize profile overview everything all background biography bio dossier "
    "picture info".split()
)


def profiled_name(question: ParsedQuestion) -> Name | None:
    """Return whom a question asks everything about; None where it asks for something else."""
    names = [name for name in question.names if question.text[name.start : name.end].lower() not in _ABOUT]
    if len(names) != 1:
        return None
    inside = range(names[0].first, names[0].last)
    lemmas = {
        t.lemma.lower() for at, t in enumerate(question.tokens) if at not in inside and t.pos != "PUNCT"
    }
    asking = _ASKING | _POINTING if names[0].first == 0 else _ASKING  # "Falk Shipping, what is that?"
    is_who = question.type in (QuestionType.WHO, QuestionType.WHAT) and "be" in lemmas and lemmas <= asking
    is_alone = not lemmas and len(inside) > 1 and names[0].label not in VALUES
    if is_who and question.type is QuestionType.WHO and _is_office(question, names[0]):
        return None
    is_cued = bool(lemmas & _CUES) or any(is_misspelled(lemma, _CUES) for lemma in lemmas)
    is_all = all(lemma in _ABOUT or is_misspelled(lemma, _ABOUT) for lemma in lemmas)
    return names[0] if is_who or is_alone or is_cued and is_all else None


def _is_office(question: ParsedQuestion, name: Name) -> bool:
    """Whether who holds something is asked for, not who bears a name: "Who is the Treasurer?", "Who is Chair?"."""
    before = question.tokens[name.first - 1].text.lower() if name.first else ""
    last = question.tokens[name.last - 1].text.lower()
    return before in ("the", "a", "an") or labels_of(last) == PEOPLE


@dataclass(frozen=True, slots=True)
class _ProfileSentence:
    """A sentence that names whom is asked about. `begins` with the name; `defines` who or what bears it."""

    candidate: Candidate
    sentence: Sentence
    begins: bool
    defines: bool
    worth: tuple[int, ...]


class ProfileAnswers:
    """Over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        view: SnapshotView,
        rankings: Rankings,
        reader: PassageReader,
        search: RelationSearch,
    ) -> None:
        self._store = store
        self._corpus = view.corpus
        self._rankings = rankings
        self._reader = reader
        self._search = search

    def answer(self, request: Request, context: TaskContext) -> Answer | None:
        """Return what the documents say of whom the question names, the sentence that says who it is first.

        None where it asks for something in particular or names what no document holds, and where a person chose a
        route. Raises Cancelled.
        """
        name = None if request.route else profiled_name(request.question)
        if name is None:
            return None
        begin, query = time.perf_counter(), request.query
        match = self._search.match_name(name.text, query, context)
        found = sorted(self._find_sentences(match), key=lambda each: each.worth, reverse=True)[:_SENTENCES]
        if not found:
            return None
        ids = dict.fromkeys(each.candidate.passage.id for each in found)
        hits = by_rank(ids)
        reason = tr("asks what is known of {name}", name=match.text)
        route, stages = self._rankings.choose_route(query.text, way=Way.PROFILE, reason=reason)
        candidates, read = self._reader.read(hits)
        words = trn("{count} sentence names it", "{count} sentences name it", len(match.sentences))
        stage = Stage(mark("profile"), time.perf_counter() - begin, words)
        first, *rest = found
        # "Who is X?" is answered by what says who X is alone.
        asks_all = any(token.lemma.lower() in _CUES for token in request.question.tokens)
        is_answer = first.defines or first.begins and asks_all
        rest.sort(key=self._day)
        citations = tuple(self._unique([first, *rest]))
        marked = {each.candidate.passage.id: each.sentence for each in reversed(found)}
        answer = Answer(
            text=" ".join(citations[0].quote.split()),
            sentences=tuple(each.quote for each in citations),
            citations=citations,
            evidence=tuple(as_evidence(each, marked[each.passage.id]) for each in candidates),
            trace=Trace(query.text, route, (*stages, stage, read), (), {}, hits, 0.0),
            confidence=_SURE if is_answer else _UNSURE,
            guess=not is_answer,
            documents=1,
        )
        answer = replace(answer, claims=claims_of_quotes(answer, candidates))
        return self._reader.complete(query, answer, candidates)

    def _find_sentences(self, match: NameMatch) -> list[_ProfileSentence]:
        """Return the sentences that name a match, with what each is worth."""
        counts = self._search.name_counts
        rows = match.sentences[np.argsort(counts[match.sentences], kind="stable")][:_READ]
        places, words = self._places_of_facts(match), match.text.casefold()
        found = []
        sentences = self._reader.read_sentences(self._corpus, rows)
        for row, (candidate, sentence) in zip(rows.tolist(), sentences, strict=True):
            text = candidate.passage.text[sentence.start : sentence.end]
            at = text.casefold().find(words)
            facts = sum(
                id == candidate.passage.id and sentence.start <= start < sentence.end for id, start in places
            )
            # What somebody says in a turn of theirs is not about them.
            states = is_statement(text) and not text[at + len(words) :].lstrip().startswith(":")
            begins, defines = states and 0 <= at <= _EARLY, states and self._defines(match.text, text)
            worth = (defines, states, len(text) <= _LONG, begins, min(facts, 2), -int(counts[row]))
            found.append(_ProfileSentence(candidate, sentence, begins, defines, worth))
        return found

    @staticmethod
    def _defines(name: str, text: str) -> bool:
        """Whether a sentence says who bears a name: "X, the notary", "X is a ship", "the notary X"."""
        own = re.escape(name)
        after = rf"\b{own},? (?:(?:is|was|are|were) an? |(?:the|an?|who (?:is|was)) |(?<=, )[a-z][\w-]+ (?:of|at|for) )"
        return re.search(rf"{after}|\b[Tt]he [a-z][\w-]+ {own}\b", text) is not None

    def _places_of_facts(self, match: NameMatch) -> list[tuple[str, int]]:
        """Return where facts of a name stand: passage id and offset in its text."""
        ids = self._corpus.entity_ids
        facts = (fact for row in match.rows for fact in self._store.facts.of_entity(ids[row], _READ))
        return [(triple.passage_id, triple.start) for fact in facts for triple in fact.triples]

    def _day(self, found: _ProfileSentence) -> str:
        """Return the date that a sentence names, or that of its document."""
        text = found.candidate.passage.text[found.sentence.start : found.sentence.end]
        return date_in(text) or self._store.documents.get(found.candidate.passage.document_id).date or ""

    @staticmethod
    def _unique(found: Sequence[_ProfileSentence]) -> list[Citation]:
        """Return the places of the sentences, one that stands in several places once."""
        citations = (cite(each.candidate, each.sentence) for each in found)
        return list({" ".join(each.quote.casefold().split()): each for each in citations}.values())
