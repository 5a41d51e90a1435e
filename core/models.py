"""The encoder and the language pipeline of this process: heavy, shared, loaded once."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.catalog.choice import choose
from core.catalog.reading import EMBEDDERS, EXTRACTORS, language_model
from core.config import ModelConfig
from core.errors import ModelUnavailable
from core.extraction.question import ParsedQuestion, parse_question
from core.ingest.precision import kept_precision
from core.progress import TaskContext
from core.protocols import Extractor, LanguageModel
from core.retrieval.selection.model import SHIPPED, SelectionModel, load_model
from core.routing.weighing import WeightModel
from core.routing.weighing import read as read_weights
from core.store.store import Store

if TYPE_CHECKING:
    from core.providers.minilm import MiniLMEncoder

MODEL = "all-MiniLM-L6-v2"
DIMENSION = 384
_REMEMBERED = 64


class Models:
    """Thread-safe; the first use loads. A question is encoded and parsed once, however often it is asked."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ready = False
        self._encoders: dict[str, MiniLMEncoder] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._parsed: dict[str, ParsedQuestion] = {}
        self._extractors: dict[str, Extractor] = {}
        self._selection: SelectionModel | None = None
        self._weights: WeightModel | None = None
        self._language_models: dict[tuple[str, ModelConfig], LanguageModel] = {}

    @property
    def loaded(self) -> bool:
        return self._ready

    def load(self, context: TaskContext) -> None:
        """Import spaCy and read the weights. Raises ModelUnavailable, Cancelled."""
        context.report("models", 0, 2, "encoder")
        self.encoder()
        context.report("models", 1, 2, "language")
        self.parse("Who is there?")
        self.embed_question("Who is there?")
        self._ready = True
        context.report("models", 2, 2)

    def encoder(self, precision: str = "") -> MiniLMEncoder:
        """For what a workspace keeps in that precision; for none, quickly there, for what a question compares."""
        with self._lock:
            if precision not in self._encoders:
                self._encoders[precision] = EMBEDDERS[MODEL](precision)
            return self._encoders[precision]

    def encoder_of(self, store: Store) -> MiniLMEncoder:
        """For what `store` keeps."""
        return self.encoder(kept_precision(store))

    def extractor(self, name: str) -> Extractor:
        """The extractor of this process, for jobs too small to start another one."""
        with self._lock:
            if name not in self._extractors:
                self._extractors[name] = choose("extractor", name, EXTRACTORS)()
            return self._extractors[name]

    def language_model(self, name: str, config: ModelConfig) -> LanguageModel:
        """The model called "ollama:MODEL", with what was learned of it before. Raises BadInput."""
        with self._lock:
            if (name, config) not in self._language_models:
                self._language_models[name, config] = language_model(name, config)
            return self._language_models[name, config]

    def embed_question(self, question: str) -> NDArray[np.float32]:
        """Unit vector, shape (384,)."""
        with self._lock:
            if question not in self._vectors:
                _forget_oldest(self._vectors)
                self._vectors[question] = self.encoder().embed_question(question)
            return self._vectors[question]

    def parse(self, question: str) -> ParsedQuestion:
        from core.providers.spacy_model import load

        # One thread at a time: spaCy promises nothing beyond that.
        with self._lock:
            if question not in self._parsed:
                _forget_oldest(self._parsed)
                self._parsed[question] = parse_question(question, load())
            return self._parsed[question]

    def selection(self) -> SelectionModel | None:
        """The second stage's model; None where its file is missing or does not fit."""
        with self._lock:
            if self._selection is None:
                with contextlib.suppress(ModelUnavailable):
                    self._selection = load_model(SHIPPED)
            return self._selection

    def weights(self) -> WeightModel:
        """What decides how much each ranked list counts."""
        with self._lock:
            if self._weights is None:
                self._weights = read_weights()
            return self._weights

    def forget_questions(self) -> None:
        """Drop remembered questions; the models stay."""
        with self._lock:
            self._vectors.clear()
            self._parsed.clear()


def _forget_oldest(
    memory: dict[str, object] | dict[str, NDArray[np.float32]] | dict[str, ParsedQuestion],
) -> None:
    while len(memory) >= _REMEMBERED:
        memory.pop(next(iter(memory)))
