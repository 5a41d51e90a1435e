"""What ranks passages, by name, but for paths (`core.retrieval.compositions.RANKERS`)."""

from __future__ import annotations

from collections.abc import Callable

from core.protocols import Retriever
from core.retrieval.agentic.retriever import GraphRetriever
from core.retrieval.dense import DenseRetriever
from core.retrieval.document_words import DocumentWords
from core.retrieval.hierarchy.retriever import HierarchicalRetriever
from core.retrieval.hybrid import HybridRetriever
from core.retrieval.ircot import IRCoTRetriever
from core.retrieval.lexical import LexicalRetriever
from core.retrieval.parts import RetrievalParts
from core.retrieval.ppr import WalkRetriever


def _meaning(parts: RetrievalParts) -> Retriever:
    return DenseRetriever(parts.corpus, parts.embedder)


def _words(parts: RetrievalParts) -> Retriever:
    return LexicalRetriever(parts.search_rows, parts.corpus.passage_ids)


def _walk(parts: RetrievalParts) -> WalkRetriever:
    return WalkRetriever(parts.corpus, parts.embedder, parts.config, parts.normalise, parts.chooser(parts))


def _document_words(parts: RetrievalParts) -> Retriever:
    corpus = parts.corpus
    documents = DocumentWords(parts.holders, corpus.graph.passage_keys, parts.owners)
    return LexicalRetriever(parts.search_rows, corpus.passage_ids, documents)


def _strength(parts: RetrievalParts) -> Retriever:
    return HybridRetriever(parts.corpus, parts.embedder, parts.facts, parts.config, parts.normalise)


def graph_retriever(parts: RetrievalParts) -> GraphRetriever:
    """Return the graph route's retriever, without its second stage."""
    return GraphRetriever(
        parts.corpus,
        _walk(parts),
        parts.embedder,
        parts.facts,
        parts.tell,
        parts.search,
        parts.wording,
        parts.language,
        parts.normalise,
        parts.config,
        parts.agentic,
    )


def _tree(parts: RetrievalParts) -> Retriever:
    return HierarchicalRetriever(parts.corpus, parts.embedder, parts.tree, parts.normalise, parts.hierarchy)


def _thoughts(parts: RetrievalParts) -> Retriever:
    return IRCoTRetriever(_words(parts), parts.texts, parts.asked)


RANKERS: dict[str, Callable[[RetrievalParts], Retriever]] = {
    "words": _words,
    "document-words": _document_words,
    "meaning": _meaning,
    "walk": _walk,
    "strength": _strength,
    "stages": graph_retriever,
    "tree": _tree,
    "thoughts": _thoughts,
}
