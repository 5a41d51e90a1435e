"""What a ranking is worth, and how sure that is."""
