"""Questions in the language of SQLite's full-text search."""

from __future__ import annotations

from collections.abc import Sequence

from core.text.search_words import is_run, is_sign, parts_of, phrase_of, words_of

_MAX_WORDS = 64
_EITHER = " OR "
_NEAR = 8  # words between those of a name: "Noll, Beatrix", "Beatrix M. Noll"
_BEGINS, _SIGNS = 3, 2  # letters, and signs of scripts without spaces, of a word that are kept at least
_ENDING = 2  # letters that an ending takes away at most

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
    terms = [word for word in words if word not in STOP_WORDS] or words
    return list(dict.fromkeys(terms))[:_MAX_WORDS]


def quoted(word: str) -> str:
    """So that nothing in a question is read as an operator; a single sign finds every pair that it begins."""
    return f'"{word}" *' if is_sign(word) else f'"{word}"'


def phrase(text: str) -> str:
    """An FTS5 query that finds `text` as it stands, cut into words as the index cuts it; "" for no word."""
    words = phrase_of(text)
    if not words:
        return ""
    return f'"{" ".join(words)}"' + (" *" if is_sign(words[-1]) else "")


def name_query(name: str, inflected: bool = False) -> str:
    """An FTS5 query that finds a name however it is joined or turned around; "" for no word.

    `inflected`: also with other endings, in languages whose endings the index does not cut.
    """
    parts = parts_of(name)
    parts = [part for part in parts if part.lower() not in STOP_WORDS] or parts
    found = [phrase(name)]
    if len(parts) > 1:
        found += [phrase("".join(parts)), f"NEAR({' '.join(map(phrase, parts))}, {_NEAR})"]
    if inflected:
        named = [
            part for part in parts if not part.islower()
        ] or parts  # "Bruder von Jürgen", "Jürgens Bruder"
        found.append(" AND ".join(map(_beginning, named)))
    return either([f"({query})" for query in dict.fromkeys(filter(None, found))])


def number_query(number: str) -> str:
    """An FTS5 query that finds a number however its digits are grouped: 1,043.50 as 1043.5 and 1 043,50."""
    mark = max(number.rfind("."), number.rfind(","))
    integer, part = number[: max(0, mark)], number[mark + 1 :]
    if mark < 0 or (len(part) == 3 and len(integer) <= 3) or integer.count(number[mark]):
        integer, part = number, ""  # 1,043 rather than a part of one
    digits = "".join(filter(str.isdigit, integer))
    first = len(digits) % 3
    groups = [digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))]
    forms = [number]
    for written in (digits, " ".join(filter(None, groups))):
        forms += [
            f"{written} {tail}".strip()
            for tail in dict.fromkeys((part, part.rstrip("0"), part.ljust(2, "0") if part else ""))
        ]
    return either(list(dict.fromkeys(map(phrase, forms))))


def _beginning(part: str) -> str:
    """A query for what begins like a word; numbers have no endings."""
    if any(map(str.isdigit, part)):
        return phrase(part)
    if is_run(part):
        return phrase(part[: max(_SIGNS, len(part) - _ENDING)])
    return f'"{part[: max(_BEGINS, len(part) - _ENDING)]}" *'
