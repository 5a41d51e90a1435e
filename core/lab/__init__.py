"""Runs of the lab, as they are kept and told. `core.research.lab_run` makes them."""
