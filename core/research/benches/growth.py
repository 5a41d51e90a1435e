"""Growth of the time to read a file with its size, over the shapes of `growth_shapes`."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.config import ChunkingConfig
from core.errors import DocumentError
from core.extraction.extractors import rules_extractor
from core.extraction.records import DocumentRecords, with_records
from core.ingest.chunking import SentenceChunker
from core.ingest.extraction_input import plain_passage
from core.ingest.loaders import DocumentLoader
from core.models.minilm import WordPieceTokenizer
from core.progress import TaskContext
from core.protocols import Extractor
from core.research.benches.harness import Arguments, Figure, Figures
from core.research.synthetic.growth_shapes import SHAPES

CHARACTERS = (
    25_000,
    250_000,
)  # characters of the smallest of a shape's three files: for extraction, and for reading
TIMES = (1, 2, 4)
MOST = 1.35  # exponent that still counts as linear: larger files miss caches and allocate memory
LEAST = 0.2  # processor seconds below which a ratio means nothing


@dataclass(frozen=True, slots=True)
class Growth:
    """Processor seconds at 1, 2 and 4 times the size."""

    seconds: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """Return the exponent of the time from twice to four times the size; 1 is linear, 2 quadratic."""
        return math.log2(max(self.seconds[2], LEAST) / max(self.seconds[1], LEAST))

    @property
    def is_linear(self) -> bool:
        return self.exponent < MOST


class Reader:
    """Processes one file up to storage: its documents, their passages, and the facts of these."""

    def __init__(self, folder: Path, extractor: Extractor | None = None) -> None:
        self._folder = folder
        self._loader = DocumentLoader()
        self._chunker = SentenceChunker(ChunkingConfig(), WordPieceTokenizer())
        self._extractor = extractor

    def read(self, name: str, content: bytes) -> None:
        path = self._folder / name
        path.write_bytes(content)
        try:
            parts = self._loader.parts(path)
        except (DocumentError, RecursionError):
            return  # refused, or nested too deeply: that takes time as well
        for part in parts:
            if part.document is None:
                continue
            passages = self._chunker.passages("d", part.document)
            if self._extractor is None:
                continue
            tables = DocumentRecords(part.document.tables, part.document.text)
            found = self._extractor.extract([plain_passage(p).passage for p in passages], TaskContext())
            for passage, extraction in zip(passages, found, strict=True):
                with_records(passage, extraction, tables)


def run(arguments: Arguments) -> Figures:
    """Read and chunk every shape at three sizes, and extract facts from a tenth of it by the rules."""
    figures: Figures = {}
    slow, sizes = 0, arguments.sizes or CHARACTERS
    with tempfile.TemporaryDirectory() as place:
        for words, size, extractor in (
            ("read", sizes[-1], None),
            ("extracted", sizes[0], rules_extractor()),
        ):
            reader = Reader(Path(place), extractor)
            for done, (name, make) in enumerate(SHAPES.items()):
                arguments.context.report(words, done, len(SHAPES), name)
                growth = measure(partial(reader.read, name), make, size)
                slow += not growth.is_linear
                for times, seconds in zip(TIMES, growth.seconds, strict=True):
                    figures[f"{name}, {words}, {times} x"] = Figure(seconds, "s")
                figures[f"{name}, {words}, exponent"] = Figure(growth.exponent, "", None, f"< {MOST}")
    return {
        "shapes": Figure(len(SHAPES), ""),
        "shapes that take more than their size": Figure(slow, "", None, "0"),
        **figures,
    }


def measure(read: Callable[[bytes], None], make: Callable[[int], bytes], size: int) -> Growth:
    return Growth(tuple(_seconds(read, make(size * times)) for times in TIMES))


def _seconds(read: Callable[[bytes], None], content: bytes) -> float:
    began = time.process_time()
    read(content)
    return time.process_time() - began
