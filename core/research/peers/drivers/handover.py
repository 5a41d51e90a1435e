"""The driver's side of the exchange. Runs under a peer's interpreter: nothing of Clew is imported here.

The folder contains passages.jsonl, questions.jsonl, and texts.jsonl with vectors.npy, whose rows are the vectors of
these texts. Clew encodes every other text that the peer compares, so that the encoder is the same: the driver
writes the texts to wanted.jsonl and sends {"wanted": count}; after any reply they are in made.npy. The driver sends
{"indexed": seconds} when all passages are indexed, and {"ranked": ...} for each question.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LOOKED_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
REACHED = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind")


@dataclass(frozen=True)
class Passage:
    """`content` is what is encoded: title, newline, text."""

    id: str
    content: str
    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Question:
    """`names` are those that it mentions, as it writes them."""

    id: str
    text: str
    names: tuple[str, ...]


class Handover:
    """Created once, before the peer is imported: from then on the process has no network."""

    def __init__(self) -> None:
        sys.addaudithook(_stay_inside)
        self._began = time.perf_counter()
        self._folder = Path(sys.argv[1])
        # The peer's own output must not mix with our lines.
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
        os.dup2(2, 1)
        vectors = np.load(self._folder / "vectors.npy", allow_pickle=False)
        self._vectors = dict(zip(_lines(self._folder / "texts.jsonl"), vectors, strict=True))
        self.dimension: int = vectors.shape[1]
        self.passages = [
            Passage(row["id"], row["content"], tuple(row["entities"]), tuple(map(tuple, row["triples"])))
            for row in _lines(self._folder / "passages.jsonl")
        ]
        self.questions = [
            Question(row["id"], row["question"], tuple(row["names"]))
            for row in _lines(self._folder / "questions.jsonl")
        ]
        self.place = self._folder / "work"  # for the peer's own files
        self.place.mkdir()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, (n_texts, dimension), from Clew's encoder."""
        wanted = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if wanted:
            with open(self._folder / "wanted.jsonl", "w", encoding="utf-8") as file:
                file.writelines(json.dumps(text) + "\n" for text in wanted)
            self._say({"wanted": len(wanted)})
            if not sys.stdin.readline():
                raise SystemExit("Clew has gone.")
            vectors = np.load(self._folder / "made.npy", allow_pickle=False)
            self._vectors.update(zip(wanted, vectors, strict=True))
        found = [self._vectors[text] for text in texts]
        return np.array(found, dtype=np.float32).reshape(-1, self.dimension)

    def indexed(self) -> None:
        """Report that all passages are indexed."""
        self._say({"indexed": time.perf_counter() - self._began})

    def ranked(self, question: Question, passages: Sequence[str], seconds: float) -> None:
        """Report a ranking: ids of passages, best first."""
        self._say({"ranked": question.id, "passages": list(passages), "seconds": seconds})

    def _say(self, what: dict[str, object]) -> None:
        self._out.write(json.dumps(what) + "\n")


def described(
    passages: Sequence[Passage], normal: Callable[[str], str]
) -> tuple[dict[str, Description], dict[tuple[str, str], Description]]:
    """Return entities, and pairs that facts join, for systems whose language model would have described both.

    `normal` is how the system writes a name; a name that it leaves empty is left out with its facts.
    """
    entities: dict[str, Description] = {}
    relations: dict[tuple[str, str], Description] = {}
    for passage in passages:
        for name in filter(None, map(normal, passage.entities)):
            entities.setdefault(name, Description()).add("", "", passage.id)
        for subject, predicate, object_ in passage.triples:
            ends = normal(subject), normal(object_)
            if not all(ends):
                continue
            fact = f"{subject} {predicate} {object_}"
            for name in ends:
                entities.setdefault(name, Description()).add(fact, "", passage.id)
            if ends[0] != ends[1]:
                pair = min(ends), max(ends)
                relations.setdefault(pair, Description()).add(fact, predicate, passage.id)
    return entities, relations


class Description:
    """The facts and predicates about an item, and their passages, each once and in order."""

    def __init__(self) -> None:
        self._facts: dict[str, None] = {}
        self._predicates: dict[str, None] = {}
        self._passages: dict[str, int] = {}

    def add(self, fact: str, predicate: str, passage: str) -> None:
        if fact:
            self._facts[fact] = None
        if predicate:
            self._predicates[predicate] = None
        self._passages[passage] = self._passages.get(passage, 0) + 1

    @property
    def facts(self) -> list[str]:
        return list(self._facts)

    @property
    def predicates(self) -> list[str]:
        return list(self._predicates)

    @property
    def passages(self) -> list[str]:
        return list(self._passages)

    @property
    def count(self) -> int:
        """Return how often the item is mentioned."""
        return sum(self._passages.values())


class Words:
    """A tokenizer without a vocabulary: words are tokens."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []

    def encode(self, text: str) -> list[int]:
        found = []
        for word in text.split():
            if word not in self._numbers:
                self._numbers[word] = len(self._words)
                self._words.append(word)
            found.append(self._numbers[word])
        return found

    def decode(self, tokens: Sequence[int]) -> str:
        return " ".join(self._words[token] for token in tokens)


def _lines(path: Path) -> Iterator:  # type: ignore[type-arg]
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def _stay_inside(event: str, arguments: tuple[object, ...]) -> None:
    # Addresses of sockets between processes of this machine are paths, not tuples.
    if event in LOOKED_UP or (event in REACHED and isinstance(arguments[-1], tuple)):
        raise PermissionError(f"No network here: {event}.")
