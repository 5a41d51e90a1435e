"""Words of questions and passages, as the second stage counts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.extraction.names import normalise, without_disambiguation
from core.index.lexical import STOP_WORDS
from core.text.search_words import words_of
from core.text.stems import strip_ending

_REMEMBERED = 20_000  # passages whose words are remembered

Texts = Callable[[Sequence[str]], list[tuple[str, str]]]


def content_words(text: str) -> tuple[str, ...]:
    """Stems of the words that say something, each once, in order."""
    stems = (strip_ending(word) for word in words_of(text.lower()) if word not in STOP_WORDS)
    return tuple(dict.fromkeys(stems))


def name_key(name: str) -> str:
    """Return the name made comparable: normalised, without "(1945 film)"."""
    return without_disambiguation(normalise(name))


@dataclass(frozen=True, slots=True)
class PassageWords:
    """`key` is the title as a name, `text` title and text in lower case."""

    key: str
    text: str
    words: frozenset[str]
    title_words: frozenset[str]


class Wording:
    """Reads passages on demand and remembers them. Safe from several threads: entries never change."""

    def __init__(self, texts: Texts) -> None:
        """`texts(ids)` gives (title, text) in order."""
        self._texts = texts
        self._known: dict[str, PassageWords] = {}

    def of(self, ids: Sequence[str]) -> list[PassageWords]:
        """The words of each passage, in order."""
        missing = [i for i in ids if i not in self._known]
        if len(self._known) + len(missing) > _REMEMBERED:
            self._known = {}
            missing = list(ids)
        for passage, (title, text) in zip(missing, self._texts(missing), strict=True):
            self._known[passage] = self._read(title, text)
        return [self._known[i] for i in ids]

    def _read(self, title: str, text: str) -> PassageWords:
        both = f"{title}\n{text}".lower()
        return PassageWords(
            name_key(title),
            both,
            frozenset(map(strip_ending, set(words_of(both)))),
            frozenset(map(strip_ending, words_of(title.lower()))),
        )
