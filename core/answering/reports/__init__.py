"""What communities are about: reports by rules or by a language model, every statement with its place."""
