"""LightRAG: its graph, its three vector stores and how it merges passages, in the mode that is named."""

from __future__ import annotations

import asyncio
import sys
import time

from handover import Description, Handover, Question, Words, described

handover = Handover()

from lightrag import LightRAG, QueryParam  # noqa: E402
from lightrag.constants import GRAPH_FIELD_SEP  # noqa: E402
from lightrag.utils import (  # noqa: E402
    EmbeddingFunc,
    Tokenizer,
    compute_mdhash_id,
    normalize_entity_name,
    sanitize_text_for_encoding,
)


async def embed(texts: list[str], **how: object) -> object:
    return handover.encode(texts)


async def refuse(*prompt: object, **how: object) -> str:
    raise RuntimeError("There is no language model.")


def keywords(question: Question) -> tuple[list[str], list[str]]:
    """Return the high-level and low-level keywords."""
    return [question.text], list(question.names) or [question.text]


async def main() -> None:
    system = LightRAG(
        working_dir=str(handover.place),
        embedding_func=EmbeddingFunc(embedding_dim=handover.dimension, max_token_size=8192, func=embed),
        llm_model_func=refuse,
        tokenizer=Tokenizer("words", Words()),
    )
    await system.initialize_storages()
    chunks = {
        passage.id: compute_mdhash_id(sanitize_text_for_encoding(passage.content), prefix="chunk-")
        for passage in handover.passages
    }
    await fill(system, chunks)
    handover.encode([", ".join(words) for question in handover.questions for words in keywords(question)])
    handover.indexed()
    ids = {chunk: id for id, chunk in chunks.items()}
    for question in handover.questions:
        high, low = keywords(question)
        begin = time.perf_counter()
        found = await system.aquery_data(
            question.text,
            QueryParam(mode=sys.argv[2], hl_keywords=high, ll_keywords=low, enable_rerank=False),
        )
        spent = time.perf_counter() - begin
        passages = [ids[chunk["chunk_id"]] for chunk in found.get("data", {}).get("chunks", [])]
        handover.ranked(question, list(dict.fromkeys(passages)), spent)
    await system.finalize_storages()


def described_as(item: Description) -> str:
    """Join the facts as LightRAG does when no language model summarises them."""
    return GRAPH_FIELD_SEP.join(item.facts)


async def fill(system: LightRAG, chunks: dict[str, str]) -> None:
    entities, relations = described(handover.passages, normalize_entity_name)
    # Encode everything in advance: it asks for ten at a time.
    handover.encode([f"{name}\n{described_as(item) or name}" for name, item in entities.items()])
    handover.encode(
        [
            f"{', '.join(item.predicates)}\t{one}\n{other}\n{described_as(item)}"
            for (one, other), item in relations.items()
        ]
    )
    await system.ainsert_custom_kg(
        {
            "chunks": [
                {"content": p.content, "source_id": p.id, "file_path": p.id} for p in handover.passages
            ],
            "entities": [
                {
                    "entity_name": name,
                    "entity_type": "UNKNOWN",
                    "description": described_as(item) or name,
                    "source_id": item.passages[0],
                }
                for name, item in entities.items()
            ],
            "relationships": [
                {
                    "src_id": one,
                    "tgt_id": other,
                    "description": described_as(item),
                    "keywords": ", ".join(item.predicates),
                    "source_id": item.passages[0],
                    "weight": float(item.count),
                }
                for (one, other), item in relations.items()
            ],
        }
    )
    # The insertion records one passage for each, its own extraction all of them.
    graph = system.chunk_entity_relation_graph
    for name, item in entities.items():
        if (node := await graph.get_node(name)) is not None:
            sources = GRAPH_FIELD_SEP.join(chunks[id] for id in item.passages)
            await graph.upsert_node(name, {**node, "source_id": sources})
    for (one, other), item in relations.items():
        if (edge := await graph.get_edge(one, other)) is not None:
            sources = GRAPH_FIELD_SEP.join(chunks[id] for id in item.passages)
            await graph.upsert_edge(one, other, {**edge, "source_id": sources})


asyncio.run(main())
