"""One question looked behind: where a passage stood in every list, in the pool, and before the reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from core.answering.ask import Asker
from core.answering.comprehension import Understood
from core.answering.passage_answers import READ
from core.answering.writers import GENERATORS, QUOTING
from core.extraction.names import normalise
from core.models.reader import UNREAD, ReaderPassage
from core.progress import TaskContext
from core.retrieval.routes import AUTO, FUSION, GLOBAL
from core.retrieval.seeds import names_in_question
from core.store.store import Store
from core.text.sentences import sentences
from core.types import Answer, Hit, Passage, PassageRanks, ReaderView, Retrieval, Seed

JOINED = (AUTO, FUSION)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class RetrievalDiagnosis:
    """What was asked and what came of it; `ranks` by passage id, along the route that was asked for."""

    question: str
    route: str
    k: int
    generator: str
    answer: Answer
    ranks: dict[str, int]
    hits: tuple[Hit, ...]
    lists: dict[str, dict[str, int]] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    candidates: Retrieval = field(
        default_factory=lambda: Retrieval(())
    )  # the graph's, before its second stage
    mass: dict[str, float] = field(default_factory=dict)  # of a walk, by passage id

    @property
    def read(self) -> int:
        """Passages that an answer is looked for in."""
        return max(self.k, READ)

    @property
    def searched(self) -> bool:
        """Whether passages were looked for; not where a table or reports tell, or no document is near enough."""
        return bool(self.answer.trace.hits) and not self.other_answerer

    @property
    def other_answerer(self) -> str:
        """ "table" or "reports" where one of these answered."""
        return other_answerer(self.answer)


@dataclass(frozen=True, slots=True)
class Words:
    """Marked words and their place in the document's text; `around`: with the rest of their sentences."""

    text: str
    start: int
    end: int
    around: str


def place_in(passage: Passage, places: Sequence[tuple[int, int]], answer: Answer) -> tuple[int, int] | None:
    """Of the places of marked words the first in a passage, one that the answer cites before the others."""
    cited = [each for each in answer.citations if each.passage_id == passage.id]
    inside = [(start, end) for start, end in places if start < passage.end and passage.start < end]
    read = (each for each in inside if any(one.start < each[1] and each[0] < one.end for one in cited))
    return next(read, inside[0] if inside else None)


def words_at(store: Store, passage: Passage, place: tuple[int, int] | None) -> Words | None:
    """The marked words of a passage's document; None where all of the passage is meant."""
    if place is None:
        return None
    start, end = place
    text = store.documents.text(passage.document_id)[start:end]
    spans = ((each.start + passage.start, each.end + passage.start) for each in sentences(passage.text))
    quotes = [passage.text[a - passage.start : b - passage.start] for a, b in spans if a < end and start < b]
    return Words(text, start, end, " ".join((text, *quotes)))


def other_answerer(answer: Answer) -> str:
    """ "table" or "reports" where one of these answered, and no passage alone."""
    if any(stage.name == "table" for stage in answer.trace.stages):
        return "table"
    return "reports" if answer.trace.route.name == GLOBAL else ""


def rests_on(answer: Answer, passage_id: str) -> bool:
    return any(each.passage_id == passage_id for each in answer.citations)


def says(answer: Answer, generator: str, passage_id: str, marked: Words | None) -> bool:
    """Whether the answer rests on the marked words.

    A sentence that holds some of them is cited, and the answer, where it quotes a passage, has one of them.
    """
    cited = [each for each in answer.citations if each.passage_id == passage_id]
    if marked is None or not cited:
        return bool(cited)
    if not any(each.start < marked.end and marked.start < each.end for each in cited):
        return False
    quoted = generator in GENERATORS and not other_answerer(answer)
    return not quoted or alike(answer.text, marked.text)


def alike(text: str, other: str) -> bool:
    """Whether they have a word in common."""
    one, two = (set(_WORD.findall(each.casefold())) for each in (text, other))
    return bool(one & two)


def look(
    asker: Asker,
    question: str,
    context: TaskContext,
    route: str = "auto",
    k: int = 5,
    generator: str = QUOTING,
) -> RetrievalDiagnosis:
    """Ask, and keep every list of it. Raises as `Asker.ask`."""
    answer = asker.ask(question, context, route, k, generator)
    route = asker.rankings.resolve(route)
    if route == GLOBAL:
        return RetrievalDiagnosis(question, route, k, generator, answer, {}, ())
    lists, complexity, hits = asker.rankings.joined(question, route, context)
    if route not in JOINED:
        hits = asker.retrieve(question, route, len(asker.view.corpus.passage_ids), context)[1].hits
    return RetrievalDiagnosis(
        question,
        route,
        k,
        generator,
        answer,
        _ranks(hits),
        hits,
        {name: _ranks(found) for name, found in lists.items()},
        complexity.weights,
        asker.rankings.candidates(question, context),
        asker.rankings.mass(question, context),
    )


def furthest(diagnosis: RetrievalDiagnosis, passages: Sequence[Passage]) -> Passage:
    """Of a document's passages the one that came furthest: cited, else ranked first."""
    cited = {each.passage_id for each in diagnosis.answer.citations}
    graph = _ranks(diagnosis.candidates.hits)
    return min(
        passages,
        key=lambda passage: (
            passage.id not in cited,
            diagnosis.ranks.get(passage.id, len(graph) + 1),
            graph.get(passage.id, len(graph) + 1),
        ),
    )


def passage_ranks(
    store: Store, asker: Asker, diagnosis: RetrievalDiagnosis, passage: Passage, context: TaskContext
) -> PassageRanks:
    """The passage's numbers on the way of this question."""
    corpus, candidates = asker.view.corpus, _ranks(diagnosis.candidates.hits)
    named = names_in_question(diagnosis.question, corpus)
    inside = _entities_of(asker, passage.id)
    parsed = asker.vectors.models.parse(diagnosis.question).names
    known = {word for text in named.values() for word in normalise(text).split()}
    # What the parser takes for a name and nobody bears: no word of it belongs to one that is known.
    unknown = [name.text for name in parsed if not set(normalise(name.text).split()) & known]
    seeds = _seeds(diagnosis.candidates.seeds)
    vector = asker.vectors.embed_question(diagnosis.question)
    cosines = corpus.passage_vectors.cosines(vector)
    row = corpus.passage_ids.rows[passage.id]
    reader, preferred = _read(store, asker, diagnosis, passage, context)
    graph = diagnosis.lists.get("graph", {})
    return PassageRanks(
        passages=len(corpus.passage_ids),
        read=diagnosis.read,
        route=diagnosis.answer.trace.route.name,
        words=diagnosis.lists.get("lexical", {}).get(passage.id),
        meaning=int((cosines > cosines[row]).sum()) + 1,
        walk=candidates.get(passage.id),
        mass=diagnosis.mass.get(passage.id, 0.0),
        graph=graph.get(passage.id, candidates.get(passage.id)),
        joined=diagnosis.ranks.get(passage.id),
        weights=tuple(diagnosis.weights.items()),
        depth=max((len(found) for found in diagnosis.lists.values()), default=0),
        pool=asker.config.retrieval.pool if asker.config.retrieval.second_stage else 0,
        names=tuple(dict.fromkeys(named.values())),
        unknown=tuple(dict.fromkeys(unknown)),
        shared=tuple(dict.fromkeys(text for at, text in named.items() if at in inside)),
        seeds=len(seeds),
        seeds_inside=tuple(corpus.entity_names[at] for at in inside if corpus.entity_ids[at] in seeds),
        passage_names=tuple(corpus.entity_names[at] for at in inside),
        passage_entities=tuple(corpus.entity_ids[at] for at in inside),
        reader=reader,
        preferred=preferred,
    )


def _ranks(hits: Sequence[Hit]) -> dict[str, int]:
    return {hit.passage_id: hit.rank for hit in hits}


def _seeds(seeds: Sequence[Seed]) -> set[str]:
    return {seed.entity_id for seed in seeds}


def _entities_of(asker: Asker, passage_id: str) -> list[int]:
    """Rows of the entities that the passage names, in the order of its sentences."""
    corpus = asker.view.corpus
    row = corpus.passage_ids.rows[passage_id]
    first, last = corpus.sentence_starts[row : row + 2]
    entity_rows = corpus.named_entities[corpus.named_starts[first] : corpus.named_starts[last]]
    return list(dict.fromkeys(int(at) for at in np.asarray(entity_rows)))


def _read(
    store: Store, asker: Asker, diagnosis: RetrievalDiagnosis, passage: Passage, context: TaskContext
) -> tuple[ReaderView | None, ReaderView | None]:
    """What the reader says of the passage, among those read or else by itself, and of the one that it prefers."""
    context.check()
    asked = asker.vectors.models.comprehension(asker.config.models)
    hits = diagnosis.hits[: diagnosis.read]
    among = [store.passages.get(hit.passage_id) for hit in hits]
    pages = [ReaderPassage.of(stored.passage) for stored in among]
    together = asked.understand(diagnosis.question, pages, [hit.score for hit in hits])
    ids = [hit.passage_id for hit in hits]
    if passage.id in ids and together.reads[ids.index(passage.id)] is not UNREAD:
        own = _view(together, ids.index(passage.id), passage, among[ids.index(passage.id)].path)
    else:
        alone = asked.understand(diagnosis.question, [ReaderPassage.of(passage)], [1.0])
        own = _view(alone, 0, passage, store.passages.get(passage.id).path)
    wanted = _preferred(diagnosis.answer, together, ids)
    if wanted is None or wanted == passage.id:
        return own, None
    at = ids.index(wanted)
    return own, _view(together, at, among[at].passage, among[at].path)


def _preferred(answer: Answer, together: Understood, ids: Sequence[str]) -> str | None:
    """The passage that the answer rests on, else that of the likeliest reading."""
    for cited in answer.citations:
        if cited.passage_id in ids:
            return cited.passage_id
    return ids[together.answers[0][0].places[0].passage] if together.answers else None


def _view(found: Understood, row: int, passage: Passage, document: str) -> ReaderView:
    read = found.reads[row]
    best = max(read.spans, key=lambda span: span.margin, default=None)
    sure = (share for proposal, share in found.answers if any(p.passage == row for p in proposal.places))
    return ReaderView(
        passage.id,
        document,
        " ".join(passage.text[best.start : best.end].split()) if best else "",
        best.probability if best else 0.0,
        read.relevance,
        max(sure, default=0.0),
    )
