"""All papers by their names, in the order of docs/research/papers.md."""

from __future__ import annotations

from core.research.papers import a2rag, deep_graphrag, ea_graphrag, lego_graphrag, triple_layer
from core.research.papers.check import Check

PAPERS: dict[str, tuple[Check, ...]] = {
    "ea-graphrag": ea_graphrag.CHECKS,
    "lego-graphrag": lego_graphrag.CHECKS,
    "deep-graphrag": deep_graphrag.CHECKS,
    "triple-layer": triple_layer.CHECKS,
    "a2rag": a2rag.CHECKS,
}
