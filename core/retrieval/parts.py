"""What retrievers are made of, all of one snapshot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.config import AgenticConfig, Config, HierarchyConfig, RetrievalConfig, with_settings
from core.errors import BadInput
from core.graph.pagerank import Walker
from core.protocols import Embedder, LanguageModel, SecondStage
from core.retrieval.agentic.facts import FactReader, Tell
from core.retrieval.agentic.needs import Language
from core.retrieval.compositions import MODEL, SCORERS, SETTLED
from core.retrieval.corpus import Corpus
from core.retrieval.document_words import Holders
from core.retrieval.fact_graph import FactGraph
from core.retrieval.fact_seeds import FactChooser
from core.retrieval.fusion import Enough, Owners, Score, Weigh
from core.retrieval.hierarchy.tree import Tree
from core.retrieval.lexical import Search, SearchRows
from core.retrieval.scoring.meaning import MeaningScorer
from core.retrieval.scoring.model import ModelScorer
from core.retrieval.scoring.reading import ReadingScorer, Relevance
from core.retrieval.scoring.scorer import ComponentTexts, Scorer
from core.retrieval.scoring.words import WordScorer
from core.retrieval.seeds import Normalise
from core.retrieval.selection.wording import Texts, Wording
from core.retrieval.subgraph.subgraph import Subgraph, whole
from core.text.translation import tr


@dataclass(frozen=True)
class RetrievalParts:
    """Made once for all that are compared.

    `weigh(question, lists)` decides what each ranked list counts, `enough` whether words and meaning are, `score` what
    meaning and graph count by the question alone,
    `names(question)` gives the keys of its names,
    `wording` the words of passages, `texts` their titles and texts, `tell` what the `facts` of the snapshot
    say, `tree` the hierarchy of communities, `language` how a question's needs are read, `documents` the
    document of each of some passages, `holders` the passages that hold words, `owners` (n_passages,) the documents of
    all.
    `walked` gives the corpus and the facts as other settings have them walked.
    `second_stage` and `chooser` (of the facts that seed a walk) are made of the parts, and None where there is none;
    they raise BadInput for a model that there is none of. `relevance` is the trained reader's, of texts to a question,
    and `model` the language model; None where there is none.
    """

    corpus: Corpus
    embedder: Embedder
    config: RetrievalConfig
    agentic: AgenticConfig
    hierarchy: HierarchyConfig
    normalise: Normalise
    search: Search
    search_rows: SearchRows
    weigh: Weigh
    enough: Enough
    score: Score
    facts: FactGraph
    names: Callable[[str], tuple[str, ...]]
    wording: Wording
    texts: Texts
    tell: Tell
    language: Language
    tree: Callable[[], Tree]
    documents: Owners
    holders: Holders
    owners: NDArray[np.int64]
    walked: Callable[[RetrievalConfig], tuple[Corpus, FactGraph]]
    second_stage: Callable[[RetrievalParts], SecondStage | None]
    chooser: Callable[[RetrievalParts], FactChooser | None]
    relevance: Relevance | None = None
    model: Callable[[], LanguageModel] | None = None

    @cached_property
    def walker(self) -> Walker:
        return Walker(self.corpus.graph)

    @cached_property
    def whole(self) -> Subgraph:
        return whole(self.facts)

    @cached_property
    def reader(self) -> FactReader:
        return FactReader(self.tell, self.language.stems)

    @cached_property
    def second(self) -> SecondStage | None:
        """None where there is none, or none is wanted."""
        return self.second_stage(self) if self.config.second_stage else None

    def under(self, settings: Sequence[str]) -> RetrievalParts:
        """The same under other settings, as in "retrieval.damping=0.6". Raises BadInput for settings that are none."""
        config = Config(retrieval=self.config, agentic=self.agentic, hierarchy=self.hierarchy)
        config = with_settings(config, settings, SETTLED)
        corpus, facts = self.walked(config.retrieval)
        return replace(
            self,
            corpus=corpus,
            facts=facts,
            config=config.retrieval,
            agentic=config.agentic,
            hierarchy=config.hierarchy,
        )

    @property
    def asked(self) -> Callable[[], LanguageModel]:
        """The language model. Raises BadInput where there is none."""
        if self.model is None:
            raise _no_model()
        return self.model

    @cached_property
    def scorers(self) -> Mapping[str, Scorer]:
        """By the names of SCORERS, without those that need what is not there."""
        texts = ComponentTexts(self.corpus, self.facts, self.reader)
        found: dict[str, Scorer] = {
            "words": WordScorer(texts),
            "meaning": MeaningScorer(self.corpus, self.facts),
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
            raise _no_model()
        raise BadInput(
            tr("This composition needs the trained reader, which is not there."),
            tr("Choose one that scores by words or meaning."),
        )


def _no_model() -> BadInput:
    return BadInput(
        tr("This composition needs a language model, and none is named."),
        tr("Set models.model, or choose one that scores by words, meaning or reading."),
    )
