"""Runs of the lab, as they are kept and told. `core.evaluation.lab_run` makes them."""
