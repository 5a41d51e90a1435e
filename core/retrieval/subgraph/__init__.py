"""Parts of the graph that a question is about. LEGO-GraphRAG 3.2."""
