"""Chooses between the wordings of one message (plain text, HTML, RTF), and adds what only another of them says.

Decided by the words of each, so that a note such as "this program cannot show HTML" is known in every language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from core.ingest.reading import Reading
from core.text.search_words import words_of
from core.types import Notice, NoticeKind

_LINK = re.compile(r"<?(?:https?://|www\.|mailto:|cid:)[^\s<>]+>?|\[(?:cid|image):[^\]\n]*\]", re.IGNORECASE)
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?。！？…](?=\s)|(?=\n)|\Z)")
_POINT = re.compile(r"\s*(?:[-*•·]|\(?\d{1,3}[.)])\s+")
_OTHERS = 0.4  # of a sentence's words, from which on it says something of its own
_STUB = 40  # words, more are no note about programs
_COMMON = 0.5  # of the words, from which on two wordings say the same


def read_wordings(wordings: Sequence[Reading]) -> Reading:
    """The first wording, or a later one that has tables or says more; what another alone says stands after it.

    They are in the order of MIME, the plainest first. A note about the program is left out; what may be more than
    that gets a Notice.
    """
    wordings = [wording for wording in wordings if wording.text.strip()]
    if len(wordings) < 2:
        return wordings[0] if wordings else Reading("")
    words = [_words(wording.text) for wording in wordings]
    chosen = 0
    for at in range(1, len(wordings)):
        # One that shares little with the other is the richer where it is the longer.
        richer = len(words[at]) > len(words[chosen]) or _say_the_same(words[chosen], words[at])
        tables = len(wordings[at].tables) > len(wordings[chosen].tables)
        if richer and (tables or any(_own_sentences(wordings[at].text, words[chosen]))):
            chosen = at
    found, known = wordings[chosen], set(words[chosen])
    for at, wording in enumerate(wordings):
        own = [] if at == chosen else list(_own_sentences(wording.text, known))
        if not own:
            continue
        if _is_stub(wording.text, words[at], words[chosen]):
            if _has_names(own):
                found = replace(found, notices=(*found.notices, Notice(NoticeKind.ALTERNATIVE)))
            continue
        common = _say_the_same(words[at], known)
        found = joined([found, Reading("\n".join(own)) if common else wording])
        known |= words[at]
    return found


def joined(readings: Iterable[Reading]) -> Reading:
    """One after the other, a blank line between; what the first says of itself holds."""
    readings = list(readings)
    moved: list[Reading] = []
    at = 0
    for reading in readings:
        if reading.text:
            moved.append(shifted(reading, at))
            at += len(reading.text) + 2
    first = moved[0] if moved else Reading("")
    return replace(
        first,
        text="\n\n".join(reading.text for reading in moved),
        regions=tuple(region for reading in moved for region in reading.regions),
        blocks=tuple(block for reading in moved for block in reading.blocks),
        tables=tuple(table for reading in moved for table in reading.tables),
        notices=tuple(notice for reading in readings for notice in reading.notices),
    )


def shifted(reading: Reading, by: int) -> Reading:
    """The places of a reading, whose text then begins at `by`."""
    import numpy as np  # the process that reads loads it only where there is a table

    move = np.array([0, 0, by, by], dtype=np.int32)
    return replace(
        reading,
        regions=tuple(replace(r, start=r.start + by, end=r.end + by) for r in reading.regions),
        blocks=tuple(replace(b, start=b.start + by, end=b.end + by) for b in reading.blocks),
        tables=tuple(
            replace(t, start=t.start + by, end=t.end + by, cells=t.cells + move) for t in reading.tables
        ),
    )


def _say_the_same(words: set[str], others: set[str]) -> bool:
    return len(words & others) >= _COMMON * len(words)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in words_of(_LINK.sub(" ", text))}


def _own_sentences(text: str, known: set[str]) -> Iterator[str]:
    """Those with a number or many words that are not `known`."""
    for found in _SENTENCE.finditer(text):
        words = _words(_POINT.sub("", found[0], count=1))
        lacking = words - known
        if lacking and (len(lacking) >= _OTHERS * len(words) or any(map(_has_digit, lacking))):
            yield found[0].strip()


def _is_stub(text: str, words: set[str], others: set[str]) -> bool:
    """Whether it is a short note without numbers that shares few words with the longer wording."""
    few = len(words) <= _STUB and len(words) < len(others) and not _say_the_same(words, others)
    return few and not _has_digit(_LINK.sub(" ", text))


def _has_names(sentences: Iterable[str]) -> bool:
    """Whether a word within a sentence begins large, and is no abbreviation."""
    return any(
        word[0].isupper() and not word.isupper()
        for sentence in sentences
        for word in words_of(_LINK.sub(" ", sentence))[1:]
    )


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
