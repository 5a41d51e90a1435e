"""From passages to mentions and triples, without a language model."""
