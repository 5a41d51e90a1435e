"""Answers that the graph gives by itself: the far end of facts that tell what is asked, with the facts that lead there.

A2RAG III-C.1 (eq. 7): from the question's names over facts that tell its relations, one step at a time. The reader is
handed the passages of these facts; what both say is likelier than what one says alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from core.answering.candidates import Candidate, cite_step
from core.answering.joint import repeats
from core.config import AgenticConfig
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion, QuestionType
from core.graph.connections import as_step
from core.progress import TaskContext
from core.retrieval.agentic.alignment import Aligner
from core.retrieval.agentic.facts import stems_of
from core.retrieval.agentic.needs import Needs
from core.retrieval.agentic.trail import Follower, Taken, Trail
from core.retrieval.query import Query
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.stems import stem
from core.types import Alternative, Answer, Citation, FactPath

_STEPS = 4  # relations followed one after the other
ALONE = 0.5  # probability of what facts alone tell, by their own words and of one entity only
_UNSURE = 0.45  # probability of the reader's answer below which such facts are the likelier answer
_MOST = 0.95  # of what both say


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """An entity at the end of a path of facts that tell what is asked, each by its own words.

    `is_chain`: over something that the question describes and does not name.
    """

    name: str
    path: FactPath
    is_chain: bool

    @property
    def passages(self) -> tuple[str, ...]:
        """Ids of the passages that the facts were read from."""
        return tuple(dict.fromkeys(step.passage_id for step in self.path.steps))


class GraphAnswers:
    """Over one snapshot of a workspace."""

    def __init__(
        self,
        store: Store,
        view: SnapshotView,
        aligner: Aligner,
        needs: Callable[[ParsedQuestion], Needs],
        config: AgenticConfig,
    ) -> None:
        self._store = store
        self._corpus = view.corpus
        self._aligner = aligner
        self._needs = needs
        self._follower = Follower(view.facts, view.fact_reader, aligner, view.corpus.entity_labels, config)

    def find(self, query: Query, context: TaskContext) -> GraphAnswer | None:
        """Return what facts tell of what the question asks; None where they leave something open, or tell of several
        entities as well. Raises Cancelled.
        """
        needs = _without_kind(self._needs(query.parsed), query.parsed)
        if needs.each or not needs.asked:
            return None
        aligned = self._aligner.entities(query.entities, needs, context)
        if aligned.missing:
            return None
        trails = (
            Trail(name.key, aligned.rows[name.key]) for name in needs.starts if name.key in aligned.rows
        )
        found: dict[int, list[Taken]] = {}
        for trail in trails:
            trail = self._followed(trail, needs, context)
            if len(trail.covered) == len(needs.relations):
                found |= {end: _facts_to(end, trail.taken) for end in trail.ends}
        said = {stem(lemma) for lemma in query.parsed.content}
        plain = [end for end, facts in found.items() if _is_told(facts, said)]
        if len(plain) != 1 or repeats(query.text, self._corpus.entity_names[plain[0]]):
            return None
        path, name = self._path(found[plain[0]]), self._corpus.entity_names[plain[0]]
        return GraphAnswer(name, path, bool(needs.steps)) if path is not None else None

    def _followed(self, trail: Trail, needs: Needs, context: TaskContext) -> Trail:
        """Return a trail as far as facts tell what is asked."""
        for _ in range(_STEPS):
            after = self._follower.step(trail, needs, context)
            if len(after.taken) == len(trail.taken):
                break
            trail = after
        return trail

    def _path(self, facts: Sequence[Taken]) -> FactPath | None:
        """Return facts with the places that they were read from here; None where one has none."""
        keys, ids = [taken.fact.key for taken in facts], self._corpus.entity_ids
        records = self._store.facts.with_triples(keys)
        steps = []
        for key in keys:
            triples = records[key].triples if key in records else ()
            here = tuple(triple for triple in triples if triple.passage_id in self._corpus.passage_ids)
            if not here:
                return None
            steps.append(as_step(replace(records[key], triples=here)))
        return FactPath((ids[facts[0].source], *(ids[taken.target] for taken in facts)), tuple(steps))


def _without_kind(needs: Needs, question: ParsedQuestion) -> Needs:
    """Return the needs without the noun that only says what kind of thing is asked for: "Which ship"."""
    if question.type not in (QuestionType.WHICH, QuestionType.WHAT) or len(needs.asked) < 2:
        return needs
    return replace(needs, asked=tuple(each for each in needs.asked if each.word != question.focus))


def _is_told(facts: Sequence[Taken], said: Container[str]) -> bool:
    """Whether each fact tells its relation by its own words, and the last by a word of its predicate that the question
    says: "in" alone tells of any place."""
    own = all(taken.score >= 1.0 for taken in facts)
    return bool(facts) and own and any(each in said for each in stems_of(facts[-1].fact.predicate))


def _facts_to(end: int, taken: Sequence[Taken]) -> list[Taken]:
    """Return the facts of a trail that lead to an entity, from the start on."""
    found: list[Taken] = []
    at = end
    while before := [each for each in taken if each.target == at and each not in found]:
        found.insert(0, max(before, key=lambda each: each.score))
        at = found[0].source
    return found


def join_graph_answer(answer: Answer, graph: GraphAnswer, candidates: Sequence[Candidate]) -> Answer:
    """Return the reader's answer, likelier where the facts say the same; theirs where the reader is not sure.

    The one that does not stand is an alternative to the other.
    """
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    if not all(step.passage_id in by_id for step in graph.path.steps):
        return answer
    if not answer.abstained and _is_same(answer.text, graph.name):
        both = 1.0 - (1.0 - answer.confidence) * (1.0 - ALONE)
        return replace(answer, confidence=max(answer.confidence, min(_MOST, both)), paths=(graph.path,))
    citations = tuple(dict.fromkeys(_cited(graph, by_id)))
    own = Alternative(graph.name, ALONE, citations[-1])
    if not answer.abstained and answer.confidence >= (ALONE if graph.is_chain else _UNSURE):
        return replace(answer, alternatives=(own, *answer.alternatives))
    others = answer.alternatives
    if not answer.abstained and answer.citations:
        others = (Alternative(answer.text, answer.confidence, answer.citations[0], answer.documents), *others)
    return replace(
        answer.withdrawn(),
        text=graph.name,
        sentences=tuple(citation.quote for citation in citations),
        citations=citations,
        abstained=False,
        confidence=ALONE,
        literal=not graph.is_chain,
        is_indirect=graph.is_chain,
        documents=1,
        alternatives=tuple(each for each in others if not _is_same(each.text, graph.name)),
        paths=(graph.path,),
    )


def _is_same(text: str, name: str) -> bool:
    """Whether an answer's words are a name, or hold it, or are a part of it."""
    words, named = f" {normalise(text)} ", f" {normalise(name)} "
    return named in words or words.strip() != "" and words in named


def _cited(graph: GraphAnswer, by_id: Mapping[str, Candidate]) -> list[Citation]:
    """Return the sentence of each fact, in the last of them the name marked."""
    citations = [cite_step(by_id[step.passage_id], step) for step in graph.path.steps]
    last = citations[-1]
    at = last.quote.casefold().find(graph.name.casefold())
    if at >= 0:
        citations[-1] = replace(last, marked=(at, at + len(graph.name)))
    return citations
