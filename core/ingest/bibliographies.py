"""Keeps in step where the documents list the works that they cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from core.extraction.bibliography import RULES, reference_lists
from core.progress import TaskContext
from core.store.store import Store

_READ_BY = "references"  # the setting: by which rules all texts were looked through
_AT_ONCE = 64  # documents a transaction


def note_references(store: Store, context: TaskContext) -> None:
    """Look through the texts that are new, or were looked through by other rules.

    Where a workspace is looked through by other rules than before, communities are made anew by the next derivation:
    they may rest on what is in a list. Raises Cancelled; what was looked through stays so.
    """
    changed = False
    for part in _parts(store.reference_lists.unread(RULES)):
        context.check()
        changed |= store.reference_lists.put([(key, reference_lists(text)) for key, text in part], RULES)
        if changed and store.settings.get(_READ_BY) != RULES and store.communities.levels():
            store.marks.unsettle(store.facts.count() + 1)
    store.settings.set(_READ_BY, RULES)


def _parts(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    rest = iter(texts)
    while part := list(islice(rest, _AT_ONCE)):
        yield part
