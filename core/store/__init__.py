"""Truth: one SQLite file, one repository a noun. The only room that holds SQL."""
