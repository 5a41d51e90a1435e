"""Answers that the graph gives by itself: the far end of facts that tell what is asked, with the facts that lead there.

A2RAG III-C.1 (eq. 7): from the question's names over facts that tell its relations, one step at a time. The reader is
handed the passages of these facts; what both say is likelier than what one says alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from core.answering.candidates import Candidate, cite_step
from core.answering.joint import repeats
from core.answering.tenure import AskedTime, asked_time, hold_at, tenure_of
from core.config import AgenticConfig
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_words import PLACES, labels_of
from core.graph.connections import as_step, within_passages
from core.progress import TaskContext
from core.retrieval.agentic.alignment import Aligner
from core.retrieval.agentic.facts import stems_of
from core.retrieval.agentic.needs import Needs
from core.retrieval.agentic.trail import Follower, Taken, Trail
from core.retrieval.query import Query
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.cell_values import number_of
from core.text.stems import stem
from core.text.translation import join_words, tr
from core.types import Alternative, Answer, Citation, FactPath, PathStep
from core.types.kinds import VALUES

_LISTED = 30  # entities of a list
_READ, _FACTS = 20, 6  # facts of a name that are looked at, and those that a language model reads
_STEPS = 4  # relations followed one after the other
ALONE = 0.5  # probability of what facts alone tell, by their own words and of one entity only
_UNSURE = 0.45  # probability of the reader's answer below which such facts are the likelier answer
_AGREEING = 0.3  # what facts add where the reader says the same: both read the same sentence
_MOST = 0.95  # of what both say


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """The entities, by name, at the ends of paths of facts that tell what is asked, each by its own words.

    `is_chain`: over something that the question describes and does not name; `is_count`: how many there are is asked.
    """

    names: tuple[str, ...]
    paths: tuple[FactPath, ...]
    is_chain: bool
    is_count: bool = False

    @property
    def passages(self) -> tuple[str, ...]:
        """Ids of the passages that the facts were read from."""
        return tuple(dict.fromkeys(step.passage_id for path in self.paths for step in path.steps))

    @property
    def text(self) -> str:
        listed = join_words(self.names)
        return tr("{count}: {names}", count=len(self.names), names=listed) if self.is_count else listed


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
        graph = view.facts, view.fact_reader, aligner, view.corpus.entity_labels
        self._follower = Follower(*graph, config)
        self._lister = Follower(*graph, replace(config, found=_LISTED))

    def find(self, query: Query, context: TaskContext) -> GraphAnswer | None:
        """Return what facts tell of what the question asks; None where they leave something open, or tell of several
        entities where one is asked for. Raises Cancelled.
        """
        question = query.parsed
        needs, is_count = _needed(self._needs(question), question), question.type is QuestionType.HOW_MANY
        if needs.each or not needs.asked:
            return None
        aligned = self._aligner.entities(query.entities, needs, context)
        if aligned.missing:
            return None
        is_list = is_count or question.focus_token >= 0 and question.tokens[question.focus_token].tag == "NNS"
        follower = self._lister if is_list else self._follower
        found: dict[int, list[Taken]] = {}
        for name in needs.starts:
            trail = Trail(name.key, aligned.rows.get(name.key, ()))
            trail = _follow(follower, trail, needs, context)
            if len(trail.covered) == len(needs.relations):
                found |= {end: _facts_to(end, trail.taken) for end in trail.ends}
        asked_stems, names = {stem(lemma) for lemma in question.content}, self._corpus.entity_names
        stated = {end: self._path(facts) for end, facts in found.items() if _is_stated(facts, asked_stems)}
        paths = {end: path for end, path in stated.items() if path and not repeats(query.text, names[end])}
        is_lacking = len(paths) < len(stated)
        wanted = asked_time(question)
        if wanted is not None and wanted.is_state:
            paths = self._holding(replace(wanted, is_single=wanted.is_single and not is_list), paths)
        if not paths or is_lacking or len(paths) > (_LISTED if is_list else 1):
            return None
        ends = tuple(names[end] for end in paths)
        return GraphAnswer(ends, tuple(paths.values()), bool(needs.steps), is_count)

    def relevant_facts(self, query: Query, found: GraphAnswer | None) -> tuple[PathStep, ...]:
        """Return the facts of an answer, then those of the question's names that hold most other words of it."""
        steps = [step for path in found.paths for step in path.steps] if found is not None else []
        asked = frozenset(stem(lemma) for lemma in query.parsed.content)
        scored: list[tuple[int, PathStep]] = []
        for row in query.entities:
            named = stems_of(self._corpus.entity_names[row])
            for fact in self._store.facts.of_entity(self._corpus.entity_ids[row], _READ):
                here = within_passages(fact, self._corpus.passage_ids)
                shared = (asked & stems_of(f"{fact.subject} {fact.predicate} {fact.object}")) - named
                if here.triples and shared:
                    scored.append((len(shared), as_step(here)))
        steps += [step for _, step in sorted(scored, key=lambda each: -each[0])]
        unique: dict[str, PathStep] = {}
        for step in steps:
            unique.setdefault(step.words, step)
        return tuple(unique.values())[:_FACTS]

    def _holding(self, wanted: AskedTime, paths: Mapping[int, FactPath]) -> dict[int, FactPath]:
        """Return the paths whose last fact holds at the time, or, where it is now, does not hold at another only."""
        tenures = []
        for end, path in paths.items():
            step = path.steps[-1]
            evidence = self._store.passages.get(step.passage_id).passage.text[step.start : step.end]
            name = self._corpus.entity_names[end]
            at = evidence.casefold().find(name.casefold())
            tenures.append(tenure_of(evidence, at, at + len(name)) if at >= 0 else None)
        current = hold_at(wanted, tenures)
        return {
            end: path
            for (end, path), holds in zip(paths.items(), current, strict=True)
            if holds or holds is None and wanted.is_now
        }

    def _path(self, facts: Sequence[Taken]) -> FactPath | None:
        """Return facts with the places that they were read from here; None where one has none."""
        keys, ids = [taken.fact.key for taken in facts], self._corpus.entity_ids
        records = self._store.facts.with_triples(keys)
        steps = []
        for key in keys:
            here = within_passages(records[key], self._corpus.passage_ids) if key in records else None
            if here is None or not here.triples:
                return None
            steps.append(as_step(here))
        return FactPath((ids[facts[0].source], *(ids[taken.target] for taken in facts)), tuple(steps))


def _follow(follower: Follower, trail: Trail, needs: Needs, context: TaskContext) -> Trail:
    """Return a trail as far as facts tell what is asked."""
    for _ in range(_STEPS):
        after = follower.step(trail, needs, context)
        if len(after.taken) == len(trail.taken):
            break
        trail = after
    return trail


def _needed(needs: Needs, question: ParsedQuestion) -> Needs:
    """Return the needs without the noun that only says what kind of thing is asked for or counted: "Which ship"."""
    labels = labels_of(question.focus) if question.type is QuestionType.HOW_MANY else needs.labels
    if "PRODUCT" in labels:
        labels = (*labels, *PLACES)  # "the Northern Gannet" is a ship, and a place to the parser
    needs = replace(needs, labels=labels)
    if question.type is QuestionType.HOW_MANY:
        if not labels or set(labels) <= VALUES:
            return replace(needs, asked=())  # what bears no name is in no graph
    elif question.type not in (QuestionType.WHICH, QuestionType.WHAT) or len(needs.asked) < 2:
        return needs
    return replace(needs, asked=tuple(each for each in needs.asked if each.word != question.focus))


def _is_stated(facts: Sequence[Taken], asked_stems: Container[str]) -> bool:
    """Whether each fact tells its relation by its own words, and the last by a word of its predicate that the question
    says: "in" alone tells of any place."""
    own = all(taken.score >= 1.0 for taken in facts)
    return bool(facts) and own and any(each in asked_stems for each in stems_of(facts[-1].fact.predicate))


def _facts_to(end: int, taken: Sequence[Taken]) -> list[Taken]:
    """Return the facts of a trail that lead to an entity, from the start on."""
    found: list[Taken] = []
    at = end
    while before := [each for each in taken if each.target == at and each not in found]:
        found.insert(0, max(before, key=lambda each: each.score))
        at = found[0].source
    return found


def join_graph_answer(answer: Answer, graph: GraphAnswer, candidates: Sequence[Candidate]) -> Answer:
    """Return the reader's answer, likelier where the facts say the same; theirs where the reader is not sure, or names
    one of several. The one that does not stand is an alternative to the other.
    """
    by_id = {candidate.passage.id: candidate for candidate in candidates}
    if not all(passage in by_id for passage in graph.passages):
        return answer
    agrees = not answer.abstained and any(_is_same(answer.text, name) for name in graph.names)
    if graph.is_count:
        agrees = not answer.abstained and number_of(answer.text) == len(graph.names)
    both = max(answer.confidence, min(_MOST, 1.0 - (1.0 - answer.confidence) * (1.0 - _AGREEING)))
    if agrees and (graph.is_count or len(graph.names) == 1):
        return replace(answer, confidence=both, paths=graph.paths)
    citations = _cited(graph, by_id)
    own = Alternative(graph.text, ALONE, citations[-1])
    bar = ALONE if graph.is_chain else _UNSURE
    if not (answer.abstained or agrees) and answer.confidence >= bar:
        return replace(answer, alternatives=(own, *answer.alternatives))
    others = answer.alternatives
    if not (answer.abstained or agrees) and answer.citations:
        others = (Alternative(answer.text, answer.confidence, answer.citations[0], answer.documents), *others)
    several = tr("{count} found in the facts; the documents may name more", count=len(graph.names))
    return replace(
        answer.withdrawn(),
        text=graph.text,
        sentences=tuple(citation.quote for citation in citations),
        citations=citations,
        abstained=False,
        confidence=both if agrees else ALONE,
        literal=not graph.is_chain,
        is_indirect=graph.is_chain,
        documents=1 if len(graph.names) == 1 else 0,
        alternatives=tuple(
            each for each in others if not any(_is_same(each.text, name) for name in graph.names)
        ),
        paths=graph.paths,
        table_note=several if graph.is_count or len(graph.names) > 1 else "",
    )


def _is_same(text: str, name: str) -> bool:
    """Whether an answer's words are a name, or hold it, or are a part of it."""
    words, named = f" {normalise(text)} ", f" {normalise(name)} "
    return named in words or words.strip() != "" and words in named


def _cited(graph: GraphAnswer, by_id: Mapping[str, Candidate]) -> tuple[Citation, ...]:
    """Return the sentence of each fact, in the last of each path the name marked."""
    found: dict[tuple[str, int], Citation] = {}
    for name, path in zip(graph.names, graph.paths, strict=True):
        cited = [cite_step(by_id[step.passage_id], step) for step in path.steps]
        at = cited[-1].quote.casefold().find(name.casefold())
        if at >= 0:
            cited[-1] = replace(cited[-1], marked=(at, at + len(name)))
        for each in cited:
            found.setdefault((each.document_id, each.start), each)
    return tuple(found.values())
