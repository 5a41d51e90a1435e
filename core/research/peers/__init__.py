"""Other GraphRAG systems on the same passages, vectors and triples, each in an environment of its own."""
