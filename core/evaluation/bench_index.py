"""How fast a corpus is indexed, beside bare encoding and bare spaCy in the same run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.evaluation.datasets import read_dataset
from core.evaluation.figures import Figure
from core.models import Models
from core.progress import TaskContext
from core.types import Passage
from core.workspace import Workspace

UNUSED_PIPES = ["lemmatizer", "attribute_ruler"]  # as in the extractor: the floor is not made slower


def run(dataset: Path | None, context: TaskContext) -> dict[str, Figure]:
    """Index every passage into a new workspace; floor: encode all, then parse all, one after the other.

    Model loading in this process is left out of both; starting the extraction process is in ours.
    """
    from core.providers.minilm_torch import best_precision  # slow to import

    models = Models()
    passages = read_dataset(dataset).passages if dataset else sample_passages(models, context)
    texts = [f"{passage.title}\n{passage.text}" for passage in passages]
    encoder = models.encoder(best_precision())
    encoder.embed(texts[:64], context)
    context.report("encoding alone", 0, 1)
    encoding = _timed(lambda: encoder.embed(texts, context))
    context.report("spaCy alone", 0, 1)
    parsing = _parse_all([passage.text for passage in passages])
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace.open(Path(folder) / "workspace", create=True, models=models)
        whole = _timed(lambda: workspace.index_passages(passages, context))
        facts = workspace.counts().facts
        workspace.close()
    floor = encoding + parsing
    n = len(passages)
    return {
        "passages per second": Figure(n / whole, "1/s", n / floor),
        "whole index": Figure(whole, "s", floor, "at most 2 x the floor"),
        "whole index / floor": Figure(whole / floor, "x", None, "<= 2"),
        "encoding alone": Figure(encoding, "s"),
        "spaCy alone": Figure(parsing, "s"),
        "passages": Figure(n, ""),
        "facts": Figure(facts, ""),
    }


def sample_passages(models: Models, context: TaskContext) -> tuple[Passage, ...]:
    """The passages of the sample folder, read and chunked but not indexed."""
    from core.config import ChunkingConfig
    from core.identity import stable_id
    from core.ingest.chunking import SentenceChunker
    from core.ingest.loaders import DocumentLoader
    from core.ingest.scan import scan
    from core.providers.tokenizer import WordPieceTokenizer

    loader = DocumentLoader()
    chunker = SentenceChunker(ChunkingConfig(), WordPieceTokenizer())
    found: list[Passage] = []
    for file in scan(sample_folder(), context):
        found += chunker.passages(stable_id("document", file.relative), loader.load(file.path))
    return tuple(_alone(passage) for passage in found)


def sample_folder() -> Path:
    """The sample that ships with Clew."""
    return Path(__file__).resolve().parents[2] / "resources" / "sample"


def _alone(passage: Passage) -> Passage:
    """A passage as a document of its own, as index_passages wants it."""
    from core.identity import stable_id

    own = stable_id("document", passage.id)
    return replace(passage, document_id=own, ordinal=0, start=0, end=len(passage.text))


def _parse_all(texts: list[str]) -> float:
    from core.providers.spacy_model import load

    nlp = load()
    with nlp.select_pipes(disable=[name for name in UNUSED_PIPES if name in nlp.pipe_names]):
        for _ in nlp.pipe(texts[:20]):
            pass
        begin = time.perf_counter()
        for _ in nlp.pipe(texts, batch_size=64):
            pass
        return time.perf_counter() - begin


def _timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin
