"""Reading: questions against passages, and the data that a reader learns it from."""
