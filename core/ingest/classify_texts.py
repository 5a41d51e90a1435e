"""Keeps in step what the texts of documents are like: where they list the works that they cite, and whether they
tell in sentences at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from core.extraction.bibliography import RULES as REFERENCES
from core.extraction.bibliography import reference_lists
from core.progress import TaskContext
from core.store.store import Store
from core.text.sentences import sentences
from core.text.statements import RULES as SENTENCES
from core.text.statements import is_statement

_RULES = f"{REFERENCES} {SENTENCES}"
_READ_BY = "forms"  # the setting: by which rules all texts were looked through
_AT_ONCE = 64  # documents a transaction
_TELLING = 0.2  # share of its letters that a document which tells in sentences has in them


def note_forms(store: Store, context: TaskContext) -> None:
    """Look through the texts that are new, or were looked through by other rules.

    Where a workspace is looked through by other rules than before, communities are made anew by the next derivation:
    they may rest on what is in a list. Raises Cancelled; what was looked through stays so.
    """
    due = store.settings.get(_READ_BY) != _RULES and store.communities.levels() > 0
    for part in _parts(store.reference_lists.unread(_RULES)):
        context.check()
        rows = [(key, reference_lists(text), in_sentences(text)) for key, text in part]
        # First: a run that ends in between looks at these texts again.
        if due and store.reference_lists.differ((key, spans) for key, spans, _ in rows):
            store.marks.unsettle(store.facts.count() + 1)
            due = False
        store.reference_lists.put(rows, _RULES)
    store.settings.set(_READ_BY, _RULES)


def in_sentences(text: str) -> bool:
    """Whether a text tells in sentences; else it is a register, a table, an agenda: a list of rows and points."""
    wanted = _TELLING * len(text.strip())
    length = 0
    for sentence in sentences(text):
        length += sentence.end - sentence.start if is_statement(text[sentence.start : sentence.end]) else 0
        if length > wanted:  # hardly ever is all of it read
            return True
    return False


def _parts(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    rest = iter(texts)
    while part := list(islice(rest, _AT_ONCE)):
        yield part
