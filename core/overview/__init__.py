"""Answers about all documents at once, from the reports of communities. Triple-layer GraphRAG 4.4.3."""
