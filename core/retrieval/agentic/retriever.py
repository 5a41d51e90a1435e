"""The graph route: local, then bridge, then a walk over the whole graph, and no further than the evidence asks for.

A2RAG III-C. Each stage runs at most once, what was found is kept, and after each it is judged whether
the evidence is enough. Without a language model: sufficiency is the coverage of `coverage.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.config import AgenticConfig, RetrievalConfig
from core.extraction.question import ParsedQuestion
from core.progress import TaskContext
from core.protocols import Embedder
from core.retrieval.agentic.alignment import Aligned, Aligner, Phrases
from core.retrieval.agentic.coverage import Coverage, of_facts, of_texts
from core.retrieval.agentic.facts import stems_of
from core.retrieval.agentic.needs import Named, Needs
from core.retrieval.agentic.trail import Follower, Trail, bridges
from core.retrieval.ppr import WalkRetriever, heaviest_names, rank_by_entities, seed_weights, top_passages
from core.retrieval.query import Query
from core.retrieval.ranking import by_rank
from core.retrieval.seeds import NAMED
from core.retrieval.view import SnapshotView
from core.text.translation import mark, tr, trn
from core.types import Brought, Retrieval, Seed, Stage, StageData
from core.types.stages import MOST, Gathered, GatheredPassages, SeedCandidate, SeedCandidates

_HOLDING = 50  # passages that are counted for a name that no entity bears
_FIRST = 3  # passages of telling facts that go first, of those that the walk ranks highest
_STEPS = 4  # relations followed one after the other
_NODES = 60  # heaviest nodes of the walk that are mapped back to their passages
_ENOUGH = 1.0  # coverage of names, relations and answer type at which a stage is the last
_TOP = 10  # first passages of the walk, among which those of telling facts come first
LOCAL, BRIDGE, GLOBAL, FAIL = mark("local"), mark("bridge"), mark("global"), "fail"


@dataclass(slots=True)
class Evidence:
    """What the stages have found so far, and the passages that it is mapped back to.

    It grows from stage to stage and is never taken back (A2RAG III-C.4: monotonic).
    """

    order: list[str] = field(default_factory=list)  # passage ids, as they were found
    facts: dict[str, list[str]] = field(default_factory=dict)  # facts in words, by passage id
    nodes: dict[str, list[str]] = field(default_factory=dict)  # entity names, by passage id
    stages: dict[str, str] = field(default_factory=dict)  # the stage that found it first, by passage id

    def add(self, stage: str, passage: str, facts: Iterable[str] = (), nodes: Iterable[str] = ()) -> None:
        """A passage, with what led to it."""
        if passage not in self.stages:
            self.stages[passage] = stage
            self.order.append(passage)
        for by_passage, new in ((self.facts, facts), (self.nodes, nodes)):
            items = by_passage.setdefault(passage, [])
            items.extend(item for item in dict.fromkeys(new) if item not in items)


@dataclass(slots=True)
class _State:
    """What is known of one question so far (A2RAG III-C, "Retriever state")."""

    query: Query
    needs: Needs
    aligned: Aligned
    trails: list[Trail]
    lost: list[list[int]] = field(default_factory=list)  # passage rows, by name that no entity bears
    evidence: Evidence = field(default_factory=Evidence)
    stages: list[Stage] = field(default_factory=list)
    begin: float = 0.0


@dataclass(frozen=True, slots=True)
class EarlyStages:
    """What came of the stages before the walk.

    `ended` is the stage whose evidence is enough, "" if a walk must follow. It starts from `start_weights` by node, or
    from the entities that the question names if that is None. `passages`: those of the evidence and then the nearest
    in meaning if it is enough, else those of facts that tell what is asked.
    """

    ended: str
    passages: tuple[str, ...]
    start_weights: Mapping[int, float] | None = None

    def merge(self, walk: Sequence[str]) -> list[str]:
        """Return passage ids, best first; `walk` are those of the walk, by mass."""
        if self.ended:
            return list(self.passages)
        top = set(walk[:_TOP])
        return list(dict.fromkeys((*(passage for passage in self.passages if passage in top), *walk)))


class GraphRetriever:
    def __init__(
        self,
        view: SnapshotView,
        walk: WalkRetriever,
        embedder: Embedder,
        needs: Callable[[ParsedQuestion], Needs],
        retrieval: RetrievalConfig,
        config: AgenticConfig,
    ) -> None:
        """`walk` is over the same snapshot; `needs` reads what facts must tell for a question."""
        self._corpus = corpus = view.corpus
        self._walk = walk
        self._facts = view.facts
        self._search = view.word_search.search
        self._wording = view.wording
        self._needs = needs
        self._retrieval = retrieval
        self._config = config
        self._rows = corpus.passage_ids.rows
        self._reader = view.fact_reader
        self._aligner = Aligner(corpus, Phrases(embedder), self._search, config)
        self._follower = Follower(view.facts, self._reader, self._aligner, corpus.entity_labels, config)

    def retrieve(self, query: Query, k: int, context: TaskContext) -> Retrieval:
        """Return the k best passages; `ended` tells the last stage. Raises Cancelled."""
        context.check()
        if not self._corpus.passage_ids or k <= 0:
            return Retrieval(())
        wide = max(k, self._retrieval.pool)
        early, state = self._run_early_stages(query, wide, context)
        if early.ended:
            return self._retrieval_of(state, early.passages[:k], early.ended)
        return self._global(state, early, k, context)

    def run_early_stages(self, query: Query, k: int, context: TaskContext) -> EarlyStages:
        """Return what comes of the stages before the walk, with at least k passages where they suffice."""
        return self._run_early_stages(query, k, context)[0]

    # ------------------------------------------------------------ stages

    def _run_early_stages(self, query: Query, k: int, context: TaskContext) -> tuple[EarlyStages, _State]:
        state = self._started(query, context)
        ended = LOCAL if self._local(state, context) else BRIDGE if self._bridge(state, context) else ""
        if ended:
            return EarlyStages(ended, self._with_nearest(state, k)), state
        seeds = {seed.row: seed.score for seed in state.aligned.seeds.values()}
        names = None
        if not query.entities and (seeds or state.lost):
            names = seed_weights(self._corpus, seeds, state.lost)
        return EarlyStages("", tuple(_evidence_passages(state.trails)[:_FIRST]), names), state

    def _started(self, query: Query, context: TaskContext) -> _State:
        begin = time.perf_counter()
        needs = self._needs(query.parsed)
        if not self._config.relations:
            needs = replace(needs, steps=(), asked=())
        aligned = self._aligner.entities(query.entities, needs, context)
        trails = [
            Trail(name.key, aligned.rows[name.key]) for name in needs.starts if name.key in aligned.rows
        ]
        state = _State(query, needs, aligned, trails, begin=begin)
        exact = sum(seed.score == 1.0 for seed in aligned.seeds.values())
        nearly, relations = len(aligned.seeds) - exact, [relation.word for relation in needs.relations]
        notes = [
            trn(
                "{count} entity by name, {nearly} nearly",
                "{count} entities by name, {nearly} nearly",
                exact,
                nearly=nearly,
            )
        ]
        if aligned.missing:
            names = tr(", ").join(name.text for name in aligned.missing)
            notes.append(tr("no entity for {names}", names=names))
        notes.append(tr("relations: {words}", words=tr(", ").join(relations) or tr("none")))
        self._record(state, mark("align"), tr("; ").join(notes), self._as_candidates(aligned))
        return state

    def _as_candidates(self, aligned: Aligned) -> SeedCandidates:
        """For the trace: who the names mean, and the names that no entity bears."""
        corpus, share = self._corpus, 1.0 / max(1, len(aligned.seeds))
        taken = (
            SeedCandidate(
                corpus.entity_ids[seed.row],
                corpus.entity_names[seed.row],
                seed.text,
                share,
                NAMED if seed.score == 1.0 else tr("nearly so called, {score}", score=f"{seed.score:.2f}"),
            )
            for seed in aligned.seeds.values()
        )
        lost = (
            SeedCandidate("", name.text, name.text, 0.0, NAMED, tr("no entity of this name"))
            for name in aligned.missing
        )
        every = (*taken, *lost)
        return SeedCandidates(every[:MOST], (), len(aligned.seeds), len(every))

    def _local(self, state: _State, context: TaskContext) -> bool:
        """The facts around the seeds that tell what is asked, and the passages that name the seeds."""
        self._step(state, LOCAL, context)
        for seed in state.aligned.seeds.values():
            self._add_passages(state, LOCAL, seed.row)
        for name in state.aligned.missing:
            self._add_by_words(state, LOCAL, name)
        return self._judged(state, LOCAL, _around(sum(t.looked for t in state.trails)))

    def _bridge(self, state: _State, context: TaskContext) -> bool:
        """On from the names that were found, and over the nodes between the seeds."""
        before = sum(len(trail.taken) for trail in state.trails)
        for _ in range(1, _STEPS):
            if not self._step(state, BRIDGE, context):
                break
        added_count = sum(len(trail.taken) for trail in state.trails) - before
        found = bridges(self._facts, list(state.aligned.seeds), self._config, context)
        keys = [key for bridge in found for path in bridge.paths for key in path]
        facts = self._reader.read(keys)
        names = self._corpus.entity_names
        for bridge in found:
            for key in dict.fromkeys(key for path in bridge.paths for key in path):
                for passage in facts[key].passages if key in facts else ():
                    state.evidence.add(BRIDGE, passage, [facts[key].words], [names[bridge.row]])
        return self._judged(state, BRIDGE, _bridged(added_count, len(found)))

    def _global(self, state: _State, early: EarlyStages, k: int, context: TaskContext) -> Retrieval:
        """A walk over the whole graph, mapped back to passages; what was found before is kept."""
        corpus, config, wide = self._corpus, self._config, max(k, self._retrieval.pool)
        found, walk = self._walk.walk(state.query, wide, context, early.start_weights)
        state.stages += found.stages
        state.begin = time.perf_counter()
        hits = (
            top_passages(corpus, rank_by_entities(corpus, walk, _NODES), wide)
            if config.map_back
            else found.hits
        )
        order = [hit.passage_id for hit in hits]
        names = heaviest_names(corpus, walk, order, _NODES)
        for passage, nodes in names.items():
            state.evidence.add(GLOBAL, passage, nodes=nodes)
        detail = tr(
            "the {most} heaviest names are in {count} of {passages} passages",
            most=_NODES,
            count=len(names),
            passages=len(order),
        )
        enough = self._judged_by_text(state, detail, order[: config.passages])
        result = self._retrieval_of(state, early.merge(order)[:k], GLOBAL if enough else FAIL)
        return replace(result, heat=found.heat, seeds=found.seeds)

    # ------------------------------------------------------------ parts of stages

    def _step(self, state: _State, stage: str, context: TaskContext) -> bool:
        """Every trail one step on; whether any moved."""
        moved = False
        for at, trail in enumerate(state.trails):
            after = self._follower.step(trail, state.needs, context)
            for taken in after.taken[len(trail.taken) :]:
                for passage in taken.fact.passages:
                    state.evidence.add(stage, passage, [taken.fact.words])
                self._add_passages(state, stage, taken.target, 2)
            moved |= len(after.taken) > len(trail.taken)
            state.trails[at] = after
        return moved

    def _add_passages(self, state: _State, stage: str, row: int, most: int = 0) -> None:
        """The passages that name an entity, those nearest to the question first."""
        n = self._corpus.graph.n_entities
        start, end = self._corpus.graph.adjacency.indptr[row : row + 2]
        near = self._corpus.graph.adjacency.indices[start:end]
        passages = np.sort(near[near >= n] - n)
        cosines = self._corpus.passage_vectors.of(passages, state.query.vector)
        for at in np.argsort(-cosines, kind="stable")[: most or self._config.passages]:
            passage = self._corpus.passage_ids[int(passages[at])]
            state.evidence.add(stage, passage, nodes=[self._corpus.entity_names[row]])

    def _add_by_words(self, state: _State, stage: str, name: Named) -> None:
        """Extraction may have lost the entity: its name still stands in the text."""
        words = " ".join(name.key.replace('"', " ").split())
        found = self._search(f'"{words}"', _HOLDING) if words else []
        for passage, _ in found[: self._config.passages]:
            state.evidence.add(stage, passage, nodes=[tr("{name} (in the text)", name=name.text)])
        rows = [self._rows[passage] for passage, _ in found if passage in self._rows]
        opens = " " not in name.key and state.query.text.startswith(name.text)
        if rows and not opens:  # the capital of the question's first word makes no name
            state.lost.append(rows)

    def _judged(self, state: _State, stage: str, detail: str) -> bool:
        """Whether facts cover the question; what they cover is told."""
        found = of_facts(
            state.needs, state.trails, self._text, self._corpus.entity_labels, state.aligned.forms
        )
        return self._decided(state, stage, detail, found)

    def _judged_by_text(self, state: _State, detail: str, passages: Sequence[str]) -> bool:
        """Whether the text of the first passages covers the question, where the graph does not."""
        corpus, n = self._corpus, self._corpus.graph.n_entities
        texts = [(text, stems_of(text)) for text in map(self._text, passages)]
        labels = set()
        for passage in passages:
            node = n + self._rows[passage]
            start, end = corpus.graph.adjacency.indptr[node : node + 2]
            named = set(corpus.graph.adjacency.indices[start:end].tolist()) - set(state.aligned.seeds)
            labels |= {corpus.entity_labels[row] for row in named if row < n}
        return self._decided(state, GLOBAL, detail, of_texts(state.needs, texts, labels, state.aligned.forms))

    def _decided(self, state: _State, stage: str, detail: str, found: Coverage) -> bool:
        enough = found.least >= _ENOUGH
        words = found.words(_ENOUGH)
        message = tr("; ").join((detail, _passages(len(state.evidence.order)), words))
        self._record(state, stage, message, _gathered(state.evidence, stage))
        return enough

    def _text(self, passage: str) -> str:
        return self._wording.of([passage])[0].text

    def _record(self, state: _State, name: str, detail: str, data: StageData) -> None:
        now = time.perf_counter()
        state.stages.append(Stage(name, now - state.begin, detail, data))
        state.begin = now

    # ------------------------------------------------------------ results

    def _with_nearest(self, state: _State, k: int) -> tuple[str, ...]:
        """The evidence, then the k passages nearest in meaning."""
        rows = self._corpus.passage_vectors.nearest(state.query.vector, k).rows
        return tuple(dict.fromkeys((*state.evidence.order, *self._corpus.passage_ids.at(rows))))

    def _retrieval_of(self, state: _State, order: Sequence[str], ended: str) -> Retrieval:
        hits = by_rank(order)
        corpus, evidence = self._corpus, state.evidence
        count = max(1, len(state.aligned.seeds))
        seeds = tuple(
            Seed(corpus.entity_ids[seed.row], corpus.entity_names[seed.row], 1.0 / count, NAMED)
            for seed in state.aligned.seeds.values()
        )
        brought = {
            passage: Brought(
                evidence.stages[passage],
                tuple(evidence.facts.get(passage, ())),
                tuple(evidence.nodes.get(passage, ())),
            )
            for passage in order
            if passage in evidence.stages
        }
        return Retrieval(hits, tuple(state.stages), seeds=seeds, brought=brought, ended=ended)


def _evidence_passages(trails: Sequence[Trail]) -> list[str]:
    """Passages of facts whose own words tell what is asked, to what it should lead to."""
    sure = [p for trail in trails for taken in trail.taken if taken.score >= 1.0 for p in taken.fact.passages]
    return list(dict.fromkeys(sure))


def _gathered(evidence: Evidence, stage: str) -> GatheredPassages:
    """For the trace: what this stage found first."""
    order = [passage for passage in evidence.order if evidence.stages[passage] == stage]
    passages = (
        Gathered(id, tuple(evidence.facts.get(id, ())[:MOST]), tuple(evidence.nodes.get(id, ())[:MOST]))
        for id in order[:MOST]
    )
    return GatheredPassages(tuple(passages), len(order), len(evidence.order))


def _around(facts: int) -> str:
    return trn("{count} fact around the seeds", "{count} facts around the seeds", facts)


def _bridged(facts: int, bridges: int) -> str:
    return trn(
        "{count} fact from names found, {bridges}",
        "{count} facts from names found, {bridges}",
        facts,
        bridges=trn("{count} bridge", "{count} bridges", bridges),
    )


def _passages(count: int) -> str:
    return trn("{count} passage", "{count} passages", count)
