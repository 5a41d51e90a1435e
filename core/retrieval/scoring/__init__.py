"""What facts, entities and paths are worth for a question. LEGO-GraphRAG 3.2.2."""
