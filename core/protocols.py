"""The seams: what may be replaced, and by what shape.

Implementations are listed in `core.extraction.extractors`, `core.models.loading` and `core.answering.writers`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from core.progress import NodeShare, TaskContext
from core.types import (
    Answer,
    Extraction,
    Generation,
    LoadedDocument,
    LoadedPart,
    Message,
    Passage,
    Retrieval,
    Route,
    Structured,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Loader(Protocol):
    """Reads one file into its documents. `version` changes when the same file may be read differently."""

    version: str

    def parts(
        self, path: Path, inside: Path | None = None, encodings: Mapping[str, str] | None = None
    ) -> tuple[LoadedPart, ...]:
        """The documents of the file, at least one. Raises DocumentError when nothing of it can be read.

        No link below the folder `inside` is followed; None: all are. `encodings` are those that a person chose, by the
        names of parts.
        """
        ...


@runtime_checkable
class LoaderAhead(Protocol):
    """A Loader that reads several files at a time, on several machines, where it knows what comes."""

    def expect(self, paths: Sequence[Path], inside: Path | None) -> None:
        """The files that `parts` will be asked for, in that order; some of them may be left out."""
        ...

    def shares(self) -> tuple[NodeShare, ...]:
        """Files that each machine has read."""
        ...


class Tokenizer(Protocol):
    """Counts tokens as the encoder does; `special` tokens are in `count` and not in `counts`."""

    special: int

    def count(self, text: str) -> int: ...

    def counts(self, texts: Sequence[str]) -> list[int]: ...


class Chunker(Protocol):
    """Cuts a document into passages that fit the encoder's window. `version` changes with how it cuts."""

    version: str

    def passages(self, document_id: str, document: LoadedDocument) -> list[Passage]: ...


class Extractor(Protocol):
    """Finds names and triples; one Extraction a passage, in order. `version` changes with its rules."""

    name: str
    version: str

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]: ...


@dataclass(frozen=True, slots=True)
class Spans:
    """A text with the spans (character offsets) that want a vector of their own."""

    text: str
    spans: tuple[tuple[int, int], ...]


class Embedder(Protocol):
    """Turns texts into unit vectors, float32, shape (n_texts, dimension)."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]: ...

    def embed_question(self, question: str) -> NDArray[np.float32]: ...


class Encoder(Embedder, Protocol):
    """What keeps vectors. `name` changes with whatever its vectors depend on; those of two names never mix."""

    max_tokens: int  # that it reads of a passage, what it puts before the text left out

    @property
    def tokenizer(self) -> Tokenizer:
        """Counts tokens as it does."""
        ...

    def embed_spans(
        self, texts: Sequence[Spans], context: TaskContext
    ) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
        """Vectors of the texts, (n_texts, dimension), and of each text's spans, (n_spans, dimension) each."""
        ...


_Record = TypeVar("_Record")


class LanguageModel(Protocol):
    """Writes text. Safe to use from several threads at once.

    Every call may raise, all children of CoreError: ModelUnavailable (no server, no such model),
    PromptTooLong, BadReply (empty or unreadable; carries prompt and raw), CapReached, ModelFault for
    what else a server does, and Cancelled within a fraction of a second, also while it waits for the
    first token. Faults that can pass were tried again before. Texts from documents are data: put them
    between marks and say so, see `core.types.Message`.
    """

    name: str  # "ollama:llama3.2:3b"

    @property
    def window(self) -> int:
        """Tokens that a prompt and its reply share."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a text, estimated so that it is hardly ever too few."""
        ...

    def generate(
        self,
        messages: Sequence[Message],
        context: TaskContext,
        *,
        max_tokens: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        """A reply of at most `max_tokens` (0: as configured).

        `on_text` is called from this thread with each new piece of the answer, never with thinking. After
        a fault in mid-stream the reply begins anew: then it is called with "" first.
        """
        ...

    def structured(
        self,
        messages: Sequence[Message],
        record: type[_Record],
        context: TaskContext,
        *,
        max_tokens: int = 0,
    ) -> Structured[_Record]:
        """A reply that is JSON by the schema of `record`, a frozen dataclass of plain types, as that record.

        JSON that is broken is mended where that is certain, else the model is asked once more with the
        error, else BadReply is raised.
        """
        ...


class VectorIndex(Protocol):
    """Nearest neighbours by inner product. Positions are rows of the matrix it was built from."""

    def search(
        self, queries: NDArray[np.float32], k: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...


OnRanked = Callable[[Answer], None]  # receives an answer that has its passages, before they are read
OnText = Callable[[str], None]  # told what is written, piece by piece; "" when it begins anew

_Question = TypeVar("_Question", contravariant=True)
_Candidate = TypeVar("_Candidate", contravariant=True)


class Generator(Protocol[_Question, _Candidate]):
    """Writes an answer out of ranked passages, best first; cites every sentence or abstains.

    Generic over what reading a question gives and over what is known of a passage, both of which
    are defined in rooms above this one.
    """

    def answer(
        self,
        question: _Question,
        question_vector: NDArray[np.float32],
        retrieval: Retrieval,
        route: Route,
        candidates: Sequence[_Candidate],
        context: TaskContext,
        on_text: OnText | None = None,
        strict: bool = False,
    ) -> Answer:
        """`on_text` is told the text as it is written, "" when it begins anew; `strict` after an answer
        that was not grounded. Who only quotes leaves both."""
        ...
