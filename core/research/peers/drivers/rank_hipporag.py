"""HippoRAG 2: its graph, synonyms, seeds and PageRank, without its filter of facts, which asks a language model."""

from __future__ import annotations

import importlib
import json
import sys
import time
from types import ModuleType, SimpleNamespace

from handover import Handover

MOST = 10  # passages of a question
MODEL_NAME = "given"  # its name for our triples and encoder


def main() -> None:
    handover = Handover()
    # It imports vllm, which only a local language model needs.
    absent = ModuleType("vllm")
    absent.SamplingParams = absent.LLM = object  # type: ignore[attr-defined]
    sys.modules["vllm"] = absent
    module = importlib.import_module("hipporag.HippoRAG")

    class Encoder:
        def __init__(self, **settings: object) -> None:
            pass

        def batch_encode(self, texts: list[str] | str, **how: object) -> object:
            return handover.encode([texts] if isinstance(texts, str) else texts)

    module._get_llm_class = lambda config: SimpleNamespace(infer=None)
    module._get_embedding_model_class = lambda embedding_model_name: Encoder
    config = module.BaseConfig()
    config.save_dir, config.llm_name, config.embedding_model_name = (
        str(handover.place),
        MODEL_NAME,
        MODEL_NAME,
    )
    by_content = {passage.content: passage.id for passage in handover.passages}
    facts = [
        {
            "idx": "",
            "passage": passage.content,
            "extracted_entities": list(passage.entities),
            "extracted_triples": [list(triple) for triple in passage.triples],
        }
        for passage in handover.passages
    ]
    (handover.place / f"openie_results_ner_{MODEL_NAME}.json").write_text(json.dumps({"docs": facts}))
    system = module.HippoRAG(global_config=config)
    system.rerank_filter = lambda query, facts, rows, len_after_rerank: (
        rows[:len_after_rerank],
        facts[:len_after_rerank],
        {},
    )
    system.index(list(by_content))
    system.prepare_retrieval_objects()
    handover.encode([question.text for question in handover.questions])
    handover.indexed()
    for question in handover.questions:
        begin = time.perf_counter()
        (found,) = system.retrieve([question.text], num_to_retrieve=MOST)
        spent = time.perf_counter() - begin
        handover.ranked(question, [by_content[content] for content in found.docs], spent)


if __name__ == "__main__":  # it starts a process, which imports this file
    main()
