"""What compositions are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.config import RetrievalConfig
from core.errors import BadInput
from core.graph.pagerank import Walker
from core.protocols import Embedder, LanguageModel, Retriever, SecondStage
from core.retrieval.agentic.facts import FactReader
from core.retrieval.compositions import MODEL, SCORERS
from core.retrieval.corpus import Corpus
from core.retrieval.fact_graph import FactGraph
from core.retrieval.joined import Weigh
from core.retrieval.scoring.meaning import MeaningScorer
from core.retrieval.scoring.model import ModelScorer
from core.retrieval.scoring.reading import ReadingScorer, Relevance
from core.retrieval.scoring.scorer import ComponentTexts, Scorer
from core.retrieval.scoring.words import WordScorer
from core.retrieval.seeds import Normalise
from core.retrieval.subgraph.subgraph import Subgraph, whole
from core.translation import tr


@dataclass(frozen=True)
class ComposingParts:
    """What modules are made of, all of one snapshot.

    `relevance` is the trained reader's, None where there is none; `model` the language model, None where none is
    named; `second` the second stage; `rankers` make what ranks passages, by the names of RANKERS but "paths";
    `weigh` decides what each list counts that is joined, `documents` gives the document of a passage by its id, and
    `under(settings)` the same under other settings. Raises BadInput for settings that are none.
    """

    corpus: Corpus
    graph: FactGraph
    embedder: Embedder
    config: RetrievalConfig
    normalise: Normalise
    reader: FactReader
    relevance: Relevance | None
    model: Callable[[], LanguageModel] | None
    second: SecondStage | None
    rankers: Mapping[str, Callable[[], Retriever]]
    further: int  # candidates of the staged ranker that its second stage sees beyond the pool
    weigh: Weigh
    documents: Mapping[str, int]
    under: Callable[[Sequence[str]], ComposingParts]

    @cached_property
    def walker(self) -> Walker:
        return Walker(self.corpus.graph)

    @cached_property
    def whole(self) -> Subgraph:
        return whole(self.graph)

    @cached_property
    def scorers(self) -> Mapping[str, Scorer]:
        """By the names of SCORERS, without those that need what is not there."""
        texts = ComponentTexts(self.corpus, self.graph, self.reader)
        found: dict[str, Scorer] = {
            "words": WordScorer(texts),
            "meaning": MeaningScorer(self.corpus, self.graph),
        }
        if self.relevance is not None:
            found["reading"] = ReadingScorer(texts, self.relevance)
        if self.model is not None:
            found[MODEL] = ModelScorer(texts, self.model)
        assert set(found) <= set(SCORERS)
        return found

    def scorer(self, name: str) -> Scorer:
        """Raises BadInput where what it needs is not there."""
        if name in self.scorers:
            return self.scorers[name]
        if name == MODEL:
            raise BadInput(
                tr("This composition needs a language model, and none is named."),
                tr("Set models.model, or choose one that scores by words, meaning or reading."),
            )
        raise BadInput(
            tr("This composition needs the trained reader, which is not there."),
            tr("Choose one that scores by words or meaning."),
        )
