"""Results of lab runs: how they are stored and summarised. `core.research.lab_run` produces them."""
