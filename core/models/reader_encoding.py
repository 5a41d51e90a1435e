"""Question and text as one sequence of tokens that the reader reads, and what its network says of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from core.models.minilm import model_folder
from core.models.reader_examples import KINDS
from core.types import Verdict

_CLS, _SEP = 101, 102
# Tokens that no text holds: after a title, between turns, items and rows, after a heading.
_TITLE_END, _LINE_END, _HEADING_END = 1, 2, 3
_QUESTION, _TITLE = 64, 24  # tokens at most
Spans = Sequence[tuple[int, int]]
LONGEST = 384  # tokens of question, title and text together
STRIDE = 128  # tokens that two windows of a longer text share, at least
VERDICTS = tuple(Verdict)
ON_TOKENS = 3  # start, end, inside
ON_PAIR = len(KINDS) + 1 + len(VERDICTS)


@dataclass(frozen=True, slots=True)
class Pair:
    """`ids` (n,) and `segments` (n,) as the network reads them; of the tokens from `begin` on, which are the text's,
    `starts` and `ends` (n - begin - 1,) are places in it, equal for the mark at a line's end; `joined` says which go on
    with the word before them."""

    ids: NDArray[np.int64]
    segments: NDArray[np.int64]
    begin: int
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    joined: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Text:
    """Tokens of a text, with a mark at each line's end. `starts` and `ends` are places in it, `joined` as in Pair."""

    ids: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    joined: NDArray[np.bool_]


class PairEncoder:
    """The vocabulary is that of all-MiniLM-L6-v2. Raises ModelUnavailable where its package is missing."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def texts(self, texts: Sequence[str], headings: Sequence[Spans] | None = None) -> list[Text]:
        """`headings`: of each text where those lie that stand in it."""
        found = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        # The fast way gives no offsets in some versions of the library.
        if found and found[0].ids and not any(end for _, end in found[0].offsets):
            found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        headed = headings or [()] * len(texts)
        return [_lined(*each) for each in zip(texts, found, headed, strict=True)]

    def words(self, text: str, most: int) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids[:most])

    def pairs(self, question: str, title: str, text: Text, longest: int = LONGEST) -> Iterator[Pair]:
        """Yield the text in windows that overlap; one, where it is short enough."""
        head = self.head(question, title)
        room = longest - len(head[0]) - 1
        for first in window_starts(len(text.ids), room):
            yield paired(head, text, first, first + room)

    def head(self, question: str, title: str) -> tuple[list[int], int]:
        """Return what stands before the text, and how many tokens of it are the question's."""
        asked = [_CLS, *self.words(question, _QUESTION), _SEP]
        named = [*self.words(title, _TITLE), _TITLE_END] if title else []
        return [*asked, *named], len(asked)


def paired(head: tuple[list[int], int], text: Text, first: int, last: int) -> Pair:
    """Return the window of the text's tokens from `first` to `last`."""
    before, asked = head
    ids = np.concatenate(
        [np.array(before, dtype=np.int64), text.ids[first:last], np.array([_SEP], dtype=np.int64)]
    )
    segments = np.ones(len(ids), dtype=np.int64)
    segments[:asked] = 0
    within = slice(first, last)
    return Pair(ids, segments, len(before), text.starts[within], text.ends[within], text.joined[within])


def window_starts(tokens: int, room: int) -> range:
    if tokens <= room:
        return range(1)
    return range(0, tokens - min(room, STRIDE), max(1, room - STRIDE))


def _lined(text: str, encoding: Encoding, headings: Spans) -> Text:
    closing = sorted(end for _, end in headings)
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    joined: list[bool] = []
    before = 0
    for id, token, (start, end) in zip(encoding.ids, encoding.tokens, encoding.offsets, strict=True):
        if ids and "\n" in text[before:start]:
            after = bisect_left(closing, before)
            headed = after < len(closing) and closing[after] <= start
            ids.append(_HEADING_END if headed else _LINE_END)
            starts.append(before)
            ends.append(before)
            joined.append(False)
        ids.append(id)
        starts.append(start)
        ends.append(end)
        joined.append(token.startswith("##"))
        before = end
    found, first, last = (np.array(column, dtype=np.int64) for column in (ids, starts, ends))
    return Text(found, first, last, np.array(joined, dtype=bool))


@dataclass(frozen=True, slots=True)
class Logits:
    """`start`, `end` and `inside` of each token (n,), `kind` (KINDS,), `relevance`, `support` (VERDICTS,)."""

    start: NDArray[np.float32]
    end: NDArray[np.float32]
    inside: NDArray[np.float32]
    kind: NDArray[np.float32]
    relevance: float
    support: NDArray[np.float32]

    @classmethod
    def of(cls, tokens: NDArray[np.float32], pair: NDArray[np.float32]) -> Logits:
        """`tokens` (n, ON_TOKENS), `pair` (ON_PAIR,)."""
        kinds, (start, end, inside) = len(KINDS), tokens.T
        return cls(start, end, inside, pair[:kinds], float(pair[kinds]), pair[kinds + 1 :])
