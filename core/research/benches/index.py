"""Indexing speed of a corpus, with bare encoding and bare spaCy in the same run as the floor, and its time by part."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING

from core.answering.models import Models
from core.ingest.reading_process import ReadingProcess
from core.progress import TaskContext
from core.research.benches.harness import Arguments, Figure, Figures, sample_folder
from core.research.datasets import read_dataset
from core.types import Passage
from core.workspace import Workspace

if TYPE_CHECKING:
    from core.protocols import Encoder

UNUSED_PIPES = ["lemmatizer", "attribute_ruler"]  # as in the extractor: the floor is not made slower


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall-clock seconds, and processor seconds of all processes."""

    clock: float
    processor: float


def run(arguments: Arguments) -> Figures:
    """Index every passage into a new workspace; floor: encode all here and parse all in a second process, in
    parallel.

    Each floor is bare: the encoder on all texts in one call, spaCy as it comes. It is measured before and after,
    because of other work on the machine. Loading models in this process is excluded from both; starting the
    extraction process counts as ours. The parts come from another run, from files.
    """
    from core.models.minilm_torch import best_precision  # slow to import

    models, dataset, context = Models(), arguments.dataset, arguments.context
    passages = read_dataset(dataset).passages if dataset else sample_passages(models, context)
    encoder = models.encoder(best_precision())
    encoder.embed([passage.text for passage in passages[:64]], context)
    floors = [_floor(encoder, passages, context)]
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(Path(folder) / "workspace", create=True, models=models)
        indexing = _cost(lambda: workspace.index_passages(passages, context), children)
        facts = workspace.counts().facts
        workspace.close()
    floors.append(_floor(encoder, passages, context))
    encoding, parsing = (
        Cost(sum(one[at].clock for one in floors) / 2, sum(one[at].processor for one in floors) / 2)
        for at in (0, 1)
    )
    floor = Cost(max(encoding.clock, parsing.clock), encoding.processor + parsing.processor)
    return {
        "whole index": Figure(indexing.clock, "s", floor.clock),
        "whole index / floor": Figure(indexing.clock / floor.clock, "x", None, "<= 1.2"),
        "whole index / (encoding + spaCy)": Figure(
            indexing.clock / (encoding.clock + parsing.clock), "x", None, "<= 1.2"
        ),
        "processor time": Figure(indexing.processor, "s", floor.processor),
        "processor time / floor": Figure(indexing.processor / floor.processor, "x", None, "<= 1.2"),
        "encoding alone": Figure(encoding.clock, "s"),
        "spaCy alone": Figure(parsing.clock, "s"),
        "encoding alone, processor": Figure(encoding.processor, "s"),
        "spaCy alone, processor": Figure(parsing.processor, "s"),
        "passages": Figure(len(passages), ""),
        "facts": Figure(facts, ""),
        **_parts(dataset, passages, models, context),
    }


def _parts(
    dataset: Path | None, passages: Sequence[Passage], models: Models, context: TaskContext
) -> Figures:
    """Return each part's share of the processor time of indexing a folder: the sample, or a file for each passage."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = sample_folder()
        if dataset:
            folder = Path(temporary) / "documents"
            folder.mkdir()
            for number, passage in enumerate(passages):
                (folder / f"{number:06}.txt").write_text(
                    f"{passage.title}\n\n{passage.text}\n", encoding="utf-8"
                )
        workspace = Workspace.open(Path(temporary) / "workspace", create=True, models=models)
        seconds = profiled(lambda: workspace.index(folder, context, digest=False))
        workspace.close()
    total = sum(seconds.values())
    return {f"of it {part}": Figure(100 * each / total, "%") for part, each in seconds.items()}


def _floor(encoder: Encoder, passages: Sequence[Passage], context: TaskContext) -> tuple[Cost, Cost]:
    """Encode and parse in parallel, each in a process with its model loaded."""
    context.report("encoding and spaCy alone", 0, 1)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        pool.submit(_parse, [passage.text for passage in passages[:20]]).result()
        parsing = pool.submit(_parse, [passage.text for passage in passages])
        encoding = _cost(lambda: encoder.embed([f"{one.title}\n{one.text}" for one in passages], context))
        return Cost(encoding.clock, encoding.processor), parsing.result()


def _parse(texts: Sequence[str]) -> Cost:
    """Parse with spaCy as it comes, with its own parallelism."""
    from thinc.api import NumpyOps, use_ops

    from core.models.spacy_model import import_spacy, load

    import_spacy()
    nlp = load()
    ops = NumpyOps()
    for _, pipe in nlp.pipeline:
        if (model := getattr(pipe, "model", None)) is not None:
            for node in model.walk():
                node.ops = ops
    with (
        use_ops("numpy"),
        nlp.select_pipes(disable=[name for name in UNUSED_PIPES if name in nlp.pipe_names]),
    ):
        return _cost(lambda: [len(doc) for doc in nlp.pipe(texts, batch_size=64)])


def sample_passages(models: Models, context: TaskContext) -> tuple[Passage, ...]:
    """Return the passages of the sample folder, read and chunked but not indexed."""
    from core.config import ChunkingConfig
    from core.ingest.chunking import SentenceChunker
    from core.ingest.loaders import DocumentLoader
    from core.ingest.scan import scan
    from core.models.minilm import WordPieceTokenizer
    from core.types.kinds import stable_id

    loader = DocumentLoader()
    chunker = SentenceChunker(ChunkingConfig(), WordPieceTokenizer())
    found: list[Passage] = []
    for file in scan(sample_folder(), context):
        found += chunker.passages(stable_id("document", file.relative), loader.load(file.path))
    return tuple(_alone(passage) for passage in found)


def _alone(passage: Passage) -> Passage:
    """Return a passage as a document of its own, as index_passages wants it."""
    from core.types.kinds import stable_id

    own = stable_id("document", passage.id)
    return replace(passage, document_id=own, ordinal=0, start=0, end=len(passage.text))


def _cost(work: Callable[[], object], processes: Callable[[], float] = lambda: 0.0) -> Cost:
    """Measure the cost; `processes` returns the processor seconds of child processes so far."""
    begin, processor, other_time = time.perf_counter(), time.process_time(), processes()
    work()
    clock = time.perf_counter() - begin
    return Cost(clock, time.process_time() - processor + processes() - other_time)


# (part, module, its class or "", function). Calls from one part to another count for the outer one.
_PARTS = (
    ("chunking", "core.ingest.chunking", "SentenceChunker", "passages"),
    ("repetition", "core.ingest.folder", "", "settle_repetition"),
    ("passages encoded", "core.models.minilm", "MiniLMEncoder", "embed_spans"),
    ("names encoded", "core.models.minilm", "MiniLMEncoder", "embed"),
    ("passages stored", "core.ingest.pipeline", "Pipeline", "_finish"),
    ("names: senses, labels", "core.ingest.derive", "", "disambiguate"),
    ("names: senses, labels", "core.ingest.derive", "", "label_names"),
    ("names resolved", "core.ingest.resolving", "Resolver", "resolve"),
    ("synonyms", "core.ingest.linking", "Linker", "link"),
    ("communities", "core.ingest.derive", "", "group_all"),
    ("layout", "core.ingest.derive", "", "force_layout"),
    ("reports", "core.workspace.stages", "", "write_changed"),
    ("snapshot", "core.workspace.retrieval", "RetrievalApi", "keep_snapshot"),
)
_INNER = {"passages encoded", "names encoded"}  # counted separately wherever they are called
_PATIENCE = 30  # seconds


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        counted = not self._running or (name in _INNER and self._running[-1] not in _INNER)
        if not counted:
            yield
            return
        self._turn()
        self._running.append(name)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def _turn(self) -> None:
        now = time.process_time()
        if self._running:
            name = self._running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now


def profiled(index: Callable[[], object]) -> dict[str, float]:
    """Return the processor seconds of each part of `index`, which is called once, including its child processes."""
    clock = _Clock()
    read = 0.0

    @contextmanager
    def reader_ends() -> Iterator[None]:
        nonlocal read
        before = _of_ended()
        yield
        read += _of_ended() - before

    with ExitStack() as stack:
        for part, module, owner, name in _PARTS:
            place = importlib.import_module(module)
            _clocked(stack, getattr(place, owner) if owner else place, name, partial(clock.part, part))
        _clocked(stack, ReadingProcess, "close", reader_ends)
        begin, before = time.process_time(), children()
        index()
        here, child_time = time.process_time() - begin, children() - before
    seconds = {"files read": read, "names and facts extracted": child_time - read, **clock.seconds}
    return {**seconds, "all else": here - sum(clock.seconds.values())}


def children() -> float:
    """Return the processor seconds of all child processes; waits for those that are about to end."""
    for process in multiprocessing.active_children():
        process.join(_PATIENCE)
    return _of_ended()


def _of_ended() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _clocked(
    stack: ExitStack, owner: object, name: str, part: Callable[[], AbstractContextManager[None]]
) -> None:
    """Have `part` entered around each call of the function until `stack` closes."""
    function = getattr(owner, name)

    @wraps(function)
    def clocked(*arguments: object, **named: object) -> object:
        with part():
            return function(*arguments, **named)

    setattr(owner, name, clocked)
    stack.callback(setattr, owner, name, function)
