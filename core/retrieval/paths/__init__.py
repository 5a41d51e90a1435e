"""Chains of facts from the question's entities: the strongest, and the path retrieval of LEGO-GraphRAG 3.3."""
