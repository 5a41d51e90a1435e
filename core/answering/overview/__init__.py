"""Answers about all documents at once, by themes, names and dates. Triple-layer GraphRAG 4.4.3; Grootendorst 2022."""
