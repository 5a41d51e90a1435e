"""Qt item models over core records, rows fetched lazily."""
