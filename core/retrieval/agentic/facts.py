"""What facts say, read when it is needed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from core.store.facts import FactText
from core.text.stems import words

FactTexts = Callable[[Sequence[int]], Mapping[int, FactText]]

_REMEMBERED = 20_000  # facts whose words are cached


@dataclass(frozen=True, slots=True)
class FactWords:
    """What a fact says: in words, as stems, and the passages that say so (ids, surest first)."""

    key: int
    words: str  # "Otto Kask born in Tartu"
    stems: frozenset[str]  # of the predicate and what it says of the subject
    clause: frozenset[str]  # stems of the clauses it was read from, which may tell other facts, too
    predicate: str
    passages: tuple[str, ...]


class FactReader:
    """Reads facts on demand and remembers them. Safe from several threads."""

    def __init__(self, texts: FactTexts) -> None:
        self._texts = texts
        self._known: OrderedDict[int, FactWords] = OrderedDict()
        self._lock = Lock()

    def read(self, keys: Sequence[int]) -> dict[int, FactWords]:
        """The facts by key, in the order asked; those that are gone are left out."""
        with self._lock:
            missing = [key for key in dict.fromkeys(keys) if key not in self._known]
            for key, fact in self._texts(missing).items() if missing else ():
                self._known[key] = _worded(fact)
            found = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of all words of a text, those of names included."""
    return frozenset(word.stem for word in words(text))


def _worded(fact: FactText) -> FactWords:
    clause: frozenset[str] = frozenset().union(*(stems_of(text) for _, text in fact.clauses))
    return FactWords(
        key=fact.key,
        words=" ".join(f"{fact.subject} {fact.predicate} {fact.object}".split()),
        stems=stems_of(f"{fact.predicate} {fact.object}"),
        clause=clause,
        predicate=fact.predicate,
        passages=tuple(dict.fromkeys(passage for passage, _ in fact.clauses)),
    )
