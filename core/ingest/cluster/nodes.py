"""What runs on the nodes of a cluster, each in a Ray actor: a file read; passages extracted and encoded.

Ray finds these classes in the Clew that is installed on the node; only their arguments travel.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from core import __version__
from core.config import ReadingConfig
from core.errors import CoreError, DocumentError
from core.ingest.executors import Encoded, encode_each, extract_each
from core.ingest.reading import reader_version
from core.ingest.reading_process import ReadingProcess
from core.ingest.reading_replies import raw_of
from core.progress import TaskContext
from core.protocols import Encoder, Extractor, Spans
from core.text.translation import tr
from core.types import Extraction, LoadedPart, Passage

# Encoded by every node before it is given work: short, long and one beside the other.
_PROBE = tuple(
    Spans(text, ((0, len(text) // 2), (len(text) // 2, len(text))))
    for text in (
        "Vienna",
        "The mayor opened the new bridge in May. " * 2,
        "A ship left the harbour at dawn. " * 30,
    )
)


@dataclass(frozen=True, slots=True)
class PassagePlan:
    """What a node extracts and encodes with; plain functions of modules, so that the node finds them.

    `make_encoder` None: this machine encodes. `precision` is that of the vectors, as `core.answering.models` keeps it.
    """

    make_extractor: Callable[[], Extractor]
    make_encoder: Callable[[], Encoder] | None = None
    precision: str = ""


@dataclass(frozen=True, slots=True)
class NodeReport:
    """An actor that is ready. Of all of a run, and of the machine that started it, the last two must be the same."""

    node: str  # Ray's id of it
    parts: str  # what it works with, by version
    probe: str = ""  # hash of the vectors of a few texts


@dataclass(frozen=True, slots=True)
class Refusal:
    """A CoreError of a node, in words."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True)
class PassagesRead:
    """What a batch of passages brought; `encoded` is empty where this machine encodes."""

    extractions: list[Extraction]
    encoded: list[Encoded]


@dataclass(frozen=True, slots=True)
class FileRead:
    """The documents of a file."""

    parts: tuple[LoadedPart, ...]


@dataclass(frozen=True, slots=True)
class FileRefused:
    """Why nothing of a file can be read."""

    reason: str
    remedy: str
    raw: str


class PassageActor:
    """Extracts and encodes batches of passages, one at a time."""

    def __init__(self, plan: PassagePlan) -> None:
        self._plan = plan
        self._extractor: Extractor | None = None
        self._encoder: Encoder | None = None

    def begin(self) -> NodeReport | Refusal:
        """Load the models, and tell how they are to be known."""
        try:
            extractor, encoder = self._models()
            list(
                extractor.extract((), TaskContext())
            )  # a language model of the grammar that is missing is told now
            return NodeReport(_node_id(), passage_parts(extractor), probe_of(encoder))
        except CoreError as error:
            return Refusal(error.message, error.remedy)

    def work(self, passages: Sequence[Passage], texts: Sequence[Spans]) -> PassagesRead | Refusal:
        """One batch; `texts` are its passages as they are encoded."""
        try:
            extractor, encoder = self._models()
            found = extract_each(extractor, passages, TaskContext())
            encoded = encode_each(encoder, texts, TaskContext()) if encoder is not None else []
            return PassagesRead(found, encoded)
        except CoreError as error:
            return Refusal(error.message, error.remedy)

    def _models(self) -> tuple[Extractor, Encoder | None]:
        # An actor that Ray has started anew may be given work before it is asked to begin.
        if self._extractor is None:
            self._extractor = self._plan.make_extractor()
            if self._plan.make_encoder is not None:
                _check_precision(self._plan.precision)
                self._encoder = self._plan.make_encoder()
        return self._extractor, self._encoder


class ReadingActor:
    """Reads files whose bytes it is sent; in a bounded process beside it, as this machine does."""

    def __init__(self, config: ReadingConfig) -> None:
        self._process = ReadingProcess(config)
        self._version = reader_version(config)

    def begin(self) -> NodeReport | Refusal:
        return NodeReport(_node_id(), reading_parts(self._version))

    def work(self, name: str, data: bytes) -> FileRead | FileRefused:
        """The file of that name and content, which is on this node's disk only while it is read."""
        with tempfile.TemporaryDirectory(prefix="clew-reading-") as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            try:
                return FileRead(self._process.parts(path, Path(folder).resolve()))
            except DocumentError as error:
                return FileRefused(error.message, error.remedy, raw_of(error))


def passage_parts(extractor: Extractor) -> str:
    """What extraction and encoding depend on, in words."""
    libraries = ", ".join(f"{name} {version(name).partition('+')[0]}" for name in ("spacy", "torch"))
    return f"Clew {__version__} ({extractor.name} {extractor.version}; {libraries})"


def reading_parts(reader: str) -> str:
    """What reading depends on, in words; `reader` is its version, which tells whether OCR is at hand."""
    return f"Clew {__version__} (reader {reader})"


def probe_of(encoder: Encoder | None) -> str:
    """SHA-256 of the vectors that this machine makes of a few texts; "" where there is no encoder."""
    if encoder is None:
        return ""
    text_vectors, sentences = encoder.embed_spans(_PROBE, TaskContext())
    digest = hashlib.sha256()
    for vectors in (text_vectors, *sentences):
        digest.update(np.ascontiguousarray(vectors, np.float32).tobytes())
    return digest.hexdigest()


def _check_precision(precision: str) -> None:
    """Raises CoreError where this processor cannot make vectors of that precision."""
    from core.models.minilm_torch import multiplies_bfloat16  # slow to import

    if precision == "bfloat16" and not multiplies_bfloat16():
        raise CoreError(
            tr("This workspace keeps vectors in bfloat16, which the processor of a node does not multiply."),
            tr("Take that node out of the cluster, or index into a new workspace on a machine of its kind."),
        )


def _node_id() -> str:
    import ray

    return str(ray.get_runtime_context().get_node_id())
