"""Widgets that know nothing of the domain."""
