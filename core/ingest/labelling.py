"""Keeps names and labels of entities in step with their mentions."""

from __future__ import annotations

from core.extraction.labelling import voted
from core.store.store import Store


def label_names(store: Store) -> None:
    """Name and label what was touched, and names of a word that more, or fewer, passages write in lower case."""
    store.entities.touch_words()
    store.entities.rename()
    votes = store.entities.votes()
    lower = store.entities.lower_counts({own.normal for own in votes})
    labels = {own.key: voted(own.normal, own.labels, lower.get(own.normal, 0)) for own in votes}
    store.entities.set_labels({own.key: labels[own.key] for own in votes if labels[own.key] != own.label})
