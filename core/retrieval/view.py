"""What a question is answered from: one snapshot as it is searched, and the models that take part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from core.config import RetrievalConfig
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.graph.pagerank import Walker
from core.protocols import Embedder, LanguageModel
from core.retrieval.agentic.facts import FactReader, FactTexts
from core.retrieval.agentic.needs import Needs
from core.retrieval.corpus import Corpus
from core.retrieval.derived_edges import derived_edges
from core.retrieval.fact_graph import FactGraph
from core.retrieval.graph_filter import filter_graph
from core.retrieval.hierarchy.tree import Tree, tree_over
from core.retrieval.lexical import WordSearch
from core.retrieval.query import Parse
from core.retrieval.routing.adapter import Adapter
from core.retrieval.routing.weighing import Weigher
from core.retrieval.scope import ScopedPassages, scoped_fact_texts
from core.retrieval.scoring.meaning import MeaningScorer
from core.retrieval.scoring.scorer import ComponentTexts
from core.retrieval.scoring.text_scorers import Relevance
from core.retrieval.selection.model import SelectionModel
from core.retrieval.selection.wording import Texts, Wording
from core.retrieval.snapshot_file import Snapshot
from core.retrieval.subgraph.subgraph import Subgraph, full_subgraph
from core.store.passages import PassageFilter
from core.store.store import Store
from core.text.translation import tr
from core.types import DerivedEdges


@dataclass(frozen=True)
class SnapshotView:
    """One snapshot as it is searched. Thread-safe.

    `corpus` and `facts` are those of `snapshot` as the configuration has the graph walked. `texts` gives titles and
    texts of passages, `fact_texts` what facts say, `tree` the hierarchy of communities. `passages` are those to which
    every search by words is restricted, None for all; `edges` gives what follows from the facts, None in a scope.
    """

    snapshot: Snapshot
    corpus: Corpus
    facts: FactGraph
    passages: PassageFilter | None
    word_search: WordSearch
    texts: Texts
    wording: Wording
    fact_texts: FactTexts
    tree: Callable[[], Tree]
    edges: Callable[[], DerivedEdges] | None = None

    def documents_of(self, ids: Sequence[str]) -> list[int]:
        """Return the key of each passage's document."""
        keys: list[int] = self.snapshot.documents[self.corpus.passage_ids.rows_of(ids)].tolist()
        return keys

    def filter(self, config: RetrievalConfig) -> SnapshotView:
        """Return the same snapshot with the graph as `config` has it walked."""
        corpus, facts = filter_graph(self.snapshot.corpus, self.snapshot.facts, self.edges, config)
        if corpus is self.corpus and facts is self.facts:
            return self
        return replace(self, corpus=corpus, facts=facts)

    @cached_property
    def walker(self) -> Walker:
        return Walker(self.corpus.graph)

    @cached_property
    def subgraph(self) -> Subgraph:
        """The graph of all facts."""
        return full_subgraph(self.facts)

    @cached_property
    def fact_reader(self) -> FactReader:
        return FactReader(self.fact_texts)

    @cached_property
    def component_texts(self) -> ComponentTexts:
        return ComponentTexts(self.corpus, self.facts, self.fact_reader)

    @cached_property
    def meaning_scorer(self) -> MeaningScorer:
        return MeaningScorer(self.corpus, self.facts)


def view_snapshot(
    store: Store, snapshot: Snapshot, config: RetrievalConfig, selection: ScopedPassages | None = None
) -> SnapshotView:
    """Return the snapshot as `config` has it searched; `selection` is the scope to which it was cut, if any."""
    corpus = snapshot.corpus
    keys, ids = corpus.graph.passage_keys, corpus.passage_ids
    restricted = selection is not None or store.candidates.passages() is not None
    passages = PassageFilter(keys) if restricted else None
    view = SnapshotView(
        snapshot,
        corpus,
        snapshot.facts,
        passages,
        WordSearch(store.passages, passages, keys, ids),
        store.passages.texts,
        Wording(store.passages.texts),
        partial(scoped_fact_texts, store, frozenset(ids)) if selection else store.facts.texts,
        tree_over(corpus, store),
        None if selection else partial(derived_edges, store),  # a scope was cut from what is walked
    )
    return view.filter(config)


@dataclass(frozen=True)
class RetrievalModels:
    """The models that take part in retrieval over one snapshot.

    `weigher` decides what ranked lists count by the question and the lists, `adapter` by the question alone. `needs`
    reads what facts must tell for a question. `selection` is the second stage's model and `relevance` the trained
    reader's; None where there is none. `language_model` gives the one of a name; `model_name` is that of the configured
    one, "" for none.
    """

    embedder: Embedder
    parse: Parse
    needs: Callable[[ParsedQuestion], Needs]
    weigher: Weigher
    adapter: Callable[[], Adapter]
    selection: SelectionModel | None
    relevance: Relevance | None
    language_model: Callable[[str], LanguageModel]
    model_name: str = ""

    def configured_model(self) -> Callable[[], LanguageModel]:
        """Return what gives the configured language model. Raise BadInput where none is named."""
        if not self.model_name:
            raise BadInput(
                tr("This composition needs a language model, and none is named."),
                tr("Set models.model, or choose one that scores by words, meaning or reading."),
            )
        return partial(self.language_model, self.model_name)
