"""Retrieval from the top of the hierarchy of communities down. Deep GraphRAG 2.1."""
