"""nano-graphrag: entities near the question, and the passages that tell of them, as its local mode orders these."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict

from handover import Handover, Question, Words, described

given = Handover()

from nano_graphrag import GraphRAG, QueryParam, _op, _utils  # noqa: E402
from nano_graphrag._utils import EmbeddingFunc, compute_mdhash_id  # noqa: E402

ENDLESS = 1 << 30  # tokens: a description is never handed to a language model to be shortened


async def embed(texts: list[str]) -> object:
    return given.encode(texts)


async def refuse(*prompt: object, **how: object) -> str:
    raise RuntimeError("There is no language model.")


async def main() -> None:
    _utils.ENCODER = Words()
    system = GraphRAG(
        working_dir=str(given.place),
        embedding_func=EmbeddingFunc(embedding_dim=given.dimension, max_token_size=8192, func=embed),
        best_model_func=refuse,
        cheap_model_func=refuse,
        entity_summary_to_max_tokens=ENDLESS,
    )
    await fill(system)
    given.encode([question.text for question in given.questions])
    given.indexed()
    for question in given.questions:
        begin = time.perf_counter()
        passages = await ranked(system, question, QueryParam(mode="local"))
        given.ranked(question, passages, time.perf_counter() - begin)


async def fill(system: GraphRAG) -> None:
    """As `extract_entities` does with what the language model replies; that writes names in capitals."""
    await system.text_chunks.upsert(
        {p.id: {"content": p.content, "full_doc_id": p.id} for p in given.passages}
    )
    entities, relations = described(given.passages, str.upper)
    graph, config = system.chunk_entity_relation_graph, asdict(system)
    nodes = {
        name: [
            {
                "entity_type": '"UNKNOWN"',
                "description": "\n".join(item.facts) or name,
                "source_id": id,
            }
            for id in item.passages
        ]
        for name, item in entities.items()
    }
    edges = {
        pair: [{"weight": 1.0, "description": "\n".join(item.facts), "source_id": id} for id in item.passages]
        for pair, item in relations.items()
    }
    merged = [await _op._merge_nodes_then_upsert(name, data, graph, config) for name, data in nodes.items()]
    for (one, other), data in edges.items():
        await _op._merge_edges_then_upsert(one, other, data, graph, config)
    given.encode([node["entity_name"] + node["description"] for node in merged])  # it asks for 32 at a time
    await system.entities_vdb.upsert(
        {
            compute_mdhash_id(node["entity_name"], prefix="ent-"): {
                "content": node["entity_name"] + node["description"],
                "entity_name": node["entity_name"],
            }
            for node in merged
        }
    )


async def ranked(system: GraphRAG, question: Question, how: QueryParam) -> list[str]:
    """The first half of its `_build_local_query_context`, up to the passages."""
    graph = system.chunk_entity_relation_graph
    near = await system.entities_vdb.query(question.text, top_k=how.top_k)
    nodes = [(found["entity_name"], await graph.get_node(found["entity_name"])) for found in near]
    data = [{**node, "entity_name": name} for name, node in nodes if node is not None]
    found = await _op._find_most_related_text_unit_from_entities(data, how, system.text_chunks, graph)
    return list(dict.fromkeys(chunk["full_doc_id"] for chunk in found))


asyncio.run(main())
