"""What a driver is given and what it gives back. Runs under a peer's interpreter: nothing of Clew is imported here.

In the folder: passages.jsonl, questions.jsonl, and texts.jsonl with vectors.npy, whose rows are the vectors of these
texts. Every other text that the peer wants compared is encoded by Clew, so that the encoder is the very same: the
texts are written to wanted.jsonl, {"wanted": count} is said, and once anything is answered they are in made.npy.
The driver says {"indexed": seconds} when all passages are in, and {"ranked": ...} for each question.
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
    """Made once, before the peer is imported: from then on the process reaches no network."""

    def __init__(self) -> None:
        sys.addaudithook(_stay_inside)
        self._began = time.perf_counter()
        self._folder = Path(sys.argv[1])
        # What the peer prints must not come between our lines.
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
        self.place = self._folder / "work"  # for what the peer keeps
        self.place.mkdir()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, (n_texts, dimension), by Clew's encoder."""
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
        """All passages are in."""
        self._say({"indexed": time.perf_counter() - self._began})

    def ranked(self, question: Question, passages: Sequence[str], seconds: float) -> None:
        """Ids of passages, best first."""
        self._say({"ranked": question.id, "passages": list(passages), "seconds": seconds})

    def _say(self, what: dict[str, object]) -> None:
        self._out.write(json.dumps(what) + "\n")


def described(
    passages: Sequence[Passage], normal: Callable[[str], str]
) -> tuple[dict[str, Description], dict[tuple[str, str], Description]]:
    """Entities, and pairs of them that facts join, for systems whose model would have described both in words.

    `normal` is how the system writes a name; one that it leaves nothing of is left out with its facts.
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
    """The facts and predicates that say it, and the passages that do, each once and in order."""

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
        """How often it is said."""
        return sum(self._passages.values())


class Words:
    """A tokenizer that needs no vocabulary: words are tokens."""

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
