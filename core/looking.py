"""What can be seen of a workspace: documents, passages, entities, the graph. Changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.finding import KINDS, search
from core.graph.folding import fold, foldable
from core.keeping import name_id, named, taken_out
from core.reliability import reliability
from core.store.store import Store
from core.types import (
    Block,
    Boxes,
    Community,
    CommunityQuality,
    CommunityReport,
    Document,
    Entity,
    Fact,
    Failure,
    Foldable,
    FoldedView,
    GraphView,
    JudgedAnswer,
    Mention,
    NameMerge,
    Page,
    Passage,
    Region,
    Reliability,
    Removal,
    SearchResult,
    Status,
)
from core.views import communities, community_quality, community_report, graph_view, neighbourhood

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Looking:
    """The half of a workspace that only reads. Safe from every thread."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def status(self) -> Status:
        """Counts and digest; reads everything."""
        return self._store.database.steadily(lambda: self._store.census.status(digest=True))

    def counts(self) -> Status:
        """Counts, digest empty; quick."""
        return self._store.census.status(digest=False)

    def documents(self) -> list[Document]:
        return self._store.documents.all()

    def document(self, document_id: str) -> Document:
        """Raises BadInput when it is gone."""
        return self._store.documents.get(document_id)

    def document_text(self, document_id: str) -> str:
        return self._store.documents.text(document_id)

    def pages(self, document_id: str) -> list[Page]:
        return self._store.documents.pages(document_id)

    def regions(self, document_id: str, start: int, end: int) -> list[Region]:
        """Named places (sheets, cells, notes) that overlap a span of the document's text, the narrowest first."""
        return self._store.documents.regions(document_id, start, end)

    def blocks(self, document_id: str, start: int, end: int) -> list[Block]:
        """What the parts of the document's text are that overlap a span, the outer before the inner."""
        return self._store.documents.blocks(document_id, start, end)

    def boxes(self, document_id: str) -> Boxes | None:
        """Where the text stands on its pages; None for formats that do not tell."""
        return self._store.documents.boxes(document_id)

    def metadata(self, document_id: str) -> list[tuple[str, str]]:
        """(name, value) as the document states them: sender, recipients, thread and the like."""
        return self._store.documents.metadata(document_id)

    def document_mentions(self, document_id: str) -> list[Mention]:
        """Mentions with offsets in the document's text, by place."""
        return self._store.entities.mentions_of_document(document_id)

    def passage(self, passage_id: str) -> Passage:
        """Raises BadInput when it is gone."""
        return self._store.passages.get(passage_id).passage

    def passages_of(self, document_id: str) -> list[Passage]:
        return [stored.passage for stored in self._store.passages.of_document(document_id)]

    def passage_vectors(self) -> dict[str, NDArray[np.float32]]:
        """Unit vectors, shape (d,), by passage id; passages without one yet are left out."""
        keys, vectors = self._store.embeddings.all("passage")
        ids = dict(self._store.passages.ids())
        return {ids[int(key)]: vector for key, vector in zip(keys, vectors, strict=True)}

    def passage_counts(self) -> dict[str, int]:
        """Number of passages by document id."""
        return self._store.passages.counts()

    def entity(self, entity_id: str) -> Entity:
        """Raises BadInput when it is gone."""
        return self._store.entities.get(entity_id)

    def entities(self, limit: int = 0) -> list[Entity]:
        """Most mentioned first; `limit` 0 means all."""
        return self._store.entities.all(limit)

    def facts_of(self, entity_id: str, limit: int = 50) -> list[Fact]:
        """Strongest first, with the triples that support them."""
        return self._store.facts.of_entity(entity_id, limit)

    def fact(self, fact_id: str) -> Fact:
        """With the triples that support it, the surest first. Raises BadInput when it is gone."""
        return self._store.facts.get(fact_id)

    def passages_of_entity(self, entity_id: str, limit: int = 20) -> list[Passage]:
        keys = self._store.entities.passage_keys(entity_id, limit)
        return [stored.passage for stored in self._store.passages.by_keys(keys)]

    def neighbourhood(self, entity_id: str, limit: int = 40) -> GraphView:
        """The entity and its strongest neighbours, with the facts among them."""
        return neighbourhood(self._store, entity_id, limit)

    def graph_view(self, limit: int = 0) -> GraphView:
        """Entities with facts and the edges between them; the `limit` most connected, 0 for all."""
        return graph_view(self._store, limit)

    def communities(self, level: int | None = None) -> list[Community]:
        """Of a level, 1 the finest, or of all from the top down; the largest first within a level."""
        return communities(self._store, level)

    def community_of(self, entity_id: str) -> tuple[int, str] | None:
        """Id and title ("" before it is told of) of the finest community that holds an entity; None: none does."""
        home = self._store.communities.home_of(entity_id)
        return (home, self._store.reports.titles([home]).get(home, "")) if home is not None else None

    def foldable(self, view: GraphView, communities: Sequence[Community]) -> Foldable:
        """Prepare a view for `fold`: the communities of all levels, put upon it."""
        return foldable(view, communities)

    def fold(self, whole: Foldable, opened: Collection[int]) -> FoldedView:
        """What is seen while the communities with these ids are open, all others closed."""
        return fold(whole, opened)

    def community_report(self, community_id: int) -> CommunityReport:
        """What is told of a community. Raises BadInput when it is gone or not told of yet."""
        return community_report(self._store, community_id)

    def community_quality(self) -> list[CommunityQuality]:
        """How good the partition of each level is, the top level first."""
        return community_quality(self._store)

    def search(self, text: str, limit: int = 20, kinds: Collection[str] = KINDS) -> list[SearchResult]:
        """Entities, documents, communities, facts and passages that match; [] for an empty text."""
        return search(self._store, text, limit, kinds)

    @property
    def revision(self) -> int:
        """Grows whenever indexing changed something."""
        return self._store.settings.revision()

    @property
    def folder(self) -> Path | None:
        """The folder that was indexed last."""
        stored = self._store.settings.get("folder")
        return Path(stored) if stored else None

    def failures(self) -> list[Failure]:
        """Documents that could not be read and passages at which a stage failed."""
        return self._store.troubles.failures()

    def named(self, names: Sequence[str]) -> list[Document]:
        """Documents by id, by path or by the end of a path. Raises BadInput where none or several match."""
        return named(self._store, names)

    def taken_out(self, names: Sequence[str]) -> list[str]:
        """Those of these names whose documents are out already; any `remove` finishes what one left that was killed."""
        return taken_out(self._store, names)

    def preview_removal(self, document_ids: Sequence[str]) -> Removal:
        """What would go with these documents. Changes nothing."""
        return self._store.troubles.removal(document_ids)

    def entity_by_name(self) -> dict[str, str]:
        """Id of the entity that each name, by its normal form, belongs to."""
        return self._store.entities.ids_by_name()

    def name_id(self, name: str) -> str:
        """Id of this very name. Raises BadInput when no document holds it."""
        return name_id(self._store, name)

    def merges_of(self, entity_id: str) -> list[NameMerge]:
        """The pairs of names that make up an entity, each with its reason, the surest first."""
        return self._store.resolution.merges_of(entity_id)

    def judged_answers(self, question: str = "") -> list[JudgedAnswer]:
        """What people said of answers to a question, or to all; the oldest first."""
        judged = self._store.judged_answers
        return judged.of(question) if question else judged.all()

    def reliability(self) -> Reliability:
        """How stated probabilities hold, by the report of the model that ships and by the answers judged here."""
        return reliability(self._store.judged_answers.all())

    def excluded(self) -> list[str]:
        """Paths of documents that were taken out, by alphabet."""
        return sorted(self._store.files.excluded())
