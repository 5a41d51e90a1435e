"""Where a passage was lost that should have been found, and which changes would have kept it."""
