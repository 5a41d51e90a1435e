"""Questions in the language of SQLite's full-text search."""

from __future__ import annotations

from collections.abc import Sequence

from core.search_words import is_sign, words_of

_MAX_WORDS = 64
_EITHER = " OR "

# Words that every question holds say nothing about which passage answers it.
STOP_WORDS = frozenset(
    "a an and are as at be been by did do does for from had has have he her his how i if in is it its of on or"
    " she that the their them they this to was we were what when where which who whom whose why will with you"
    " your".split()
)


def match_query(question: str) -> str:
    """An FTS5 MATCH expression that finds any of the question's words; "" when none is left."""
    return either(list(map(quoted, searched_words(question))))


def either(queries: Sequence[str]) -> str:
    """An FTS5 MATCH expression that finds what any of `queries` finds."""
    return _EITHER.join(queries)


def alternatives(match: str) -> list[str]:
    """The queries that `either` joined: words in quotes, which hold no quote."""
    return match.split(_EITHER)


def match_all(question: str) -> str:
    """An FTS5 MATCH expression that finds all of the question's words; "" when none is left."""
    return " AND ".join(map(quoted, searched_words(question)))


def searched_words(question: str) -> list[str]:
    """The words that say something, in lower case, each once; all where none does."""
    words = [word.lower() for word in words_of(question)]
    kept = [word for word in words if word not in STOP_WORDS] or words
    return list(dict.fromkeys(kept))[:_MAX_WORDS]


def quoted(word: str) -> str:
    """So that nothing in a question is read as an operator; a single sign finds every pair that it begins."""
    return f'"{word}" *' if is_sign(word) else f'"{word}"'
