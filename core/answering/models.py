"""The encoder and the language pipeline of this process: heavy, shared, loaded once."""

from __future__ import annotations

import contextlib
import shlex
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.answering.comprehension import Comprehension
from core.answering.integration.integrators import ExtractiveIntegrator, NearestSentences
from core.answering.integration.model import load_model as load_integrator
from core.answering.integration.pieces import Integrator
from core.config import ENCODING, ModelConfig
from core.errors import BadInput, ModelUnavailable
from core.extraction.extractors import EXTRACTORS
from core.extraction.question import ParsedQuestion, parse_question
from core.extraction.rules import RulesExtractor
from core.models.hosts import check_private
from core.models.loading import check_encoder, encoder, language_model
from core.models.reader import ReaderFiles, reader_files
from core.progress import TaskContext
from core.protocols import Encoder, Extractor, LanguageModel
from core.retrieval.routing.adapter import EVEN, Adapter
from core.retrieval.routing.adapter import read as read_adapter
from core.retrieval.routing.weighing import EQUAL, Weights
from core.retrieval.routing.weighing import read as read_weights
from core.retrieval.selection.model import SHIPPED, SelectionModel, load_model
from core.store.settings import MINILM, EncoderChoice, EncoderRecord
from core.store.store import Store
from core.text.escape_controls import choose
from core.text.translation import tr, trn

if TYPE_CHECKING:
    from spacy.language import Language

_REMEMBERED = 64
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_PRECISION = "precision"
_NO_SERVER = ModelConfig()


class Models:
    """Thread-safe; the first use loads. A question is encoded and parsed once, however often it is asked."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._ready = False
        self._encoders: dict[tuple[EncoderChoice, ModelConfig, str], Encoder] = {}
        self._vectors: dict[tuple[str, str], NDArray[np.float32]] = {}
        self._parsed: dict[str, ParsedQuestion] = {}
        self._extractors: dict[str, Extractor] = {}
        self._selection: SelectionModel | None = None
        self._integrator: Integrator | None = None
        self._weights: Weights | None = None
        self._adapter: Adapter | None = None
        self._comprehensions: dict[ReaderFiles, Comprehension] = {}
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

    def encoder(
        self,
        precision: str = "",
        choice: EncoderChoice = MINILM.choice,
        config: ModelConfig = _NO_SERVER,
        context: TaskContext | None = None,
    ) -> Encoder:
        """For what a workspace keeps in that precision; for none, quickly there, for what a question compares."""
        if not choice.encoder.startswith("ollama:"):
            config = _NO_SERVER  # so that it is loaded once
        with self._lock:
            if (choice, config, precision) not in self._encoders:
                self._encoders[choice, config, precision] = encoder(
                    choice, config, precision, context or TaskContext()
                )
            return self._encoders[choice, config, precision]

    def question_encoder(
        self, store: Store, config: ModelConfig, context: TaskContext | None = None
    ) -> Encoder:
        """For what is compared with vectors of `store`. Raises BadInput where another one is chosen, and what making
        it raises."""
        choice = encoder_choice(store, config)
        if choice.encoder.startswith("ollama:"):
            check_private(store.private.is_any, config.host)
        found = self.encoder("", choice, config, context)
        _check_same(found, store)
        return found

    def encoder_of(self, store: Store, config: ModelConfig) -> Encoder:
        """For what `store` keeps; raises what `question_encoder` does."""
        found = self.question_encoder(store, config)
        return self.encoder(stored_precision(store)) if is_minilm(found) else found

    def extractor(self, name: str) -> Extractor:
        """The extractor of this process, for jobs too small to start another one."""
        with self._lock:
            if name not in self._extractors:
                self._extractors[name] = choose("extractor", name, EXTRACTORS)()
            return self._extractors[name]

    def language_model(self, store: Store, name: str, config: ModelConfig) -> LanguageModel:
        """The model called "ollama:MODEL", for texts of `store`, with what was learned of it before.

        Raises BadInput, and HostNotAllowed where documents of `store` are private and it runs on another machine.
        """
        check_private(store.private.is_any, config.host)
        with self._lock:
            if (name, config) not in self._language_models:
                self._language_models[name, config] = language_model(name, config)
            return self._language_models[name, config]

    def embed_question(self, question: str, encoder: Encoder | None = None) -> NDArray[np.float32]:
        """Unit vector, shape (dimension,); by minilm where no `encoder` is given."""
        with self._lock:
            encoder = encoder or self.encoder()
            key = (encoder.name, question)
            if key not in self._vectors:
                _forget_oldest(self._vectors)
                self._vectors[key] = encoder.embed_question(question)
            return self._vectors[key]

    def parse(self, question: str) -> ParsedQuestion:
        from core.models.spacy_model import parsed

        # One thread at a time: spaCy promises nothing beyond that.
        with self._lock:
            if question not in self._parsed:
                _forget_oldest(self._parsed)
                self._parsed[question] = parse_question(question, parsed)
            return self._parsed[question]

    def parsing(self, act: Callable[[Callable[[str], Language]], _Value]) -> _Value:
        """What `act` makes of the pipelines of languages, "en" or "fr". One thread at a time."""
        from core.models.spacy_model import load, load_french

        with self._lock:
            return act(lambda language: load_french() if language == "fr" else load())

    def read_closely(self, read: Callable[[Extractor], _Value]) -> _Value:
        """What `read` makes of an extractor that also tells what is too unsure to be a fact. One thread at a time."""
        from core.models.spacy_model import load

        with self._lock:
            return read(RulesExtractor(nlp=load(), unsure=True))

    def comprehension(self, config: ModelConfig = _NO_SERVER) -> Comprehension:
        """Return the reader that the settings choose, as far as it is installed."""
        files = reader_files(config.reader)
        with self._lock:
            return self._comprehensions.setdefault(files, Comprehension(files))

    def selection(self, encoder: Encoder | None = None) -> SelectionModel | None:
        """The second stage's model; None where its file is missing or does not fit, and for another encoder than
        minilm: it was trained on cosines of that one."""
        if encoder is not None and not is_minilm(encoder):
            return None
        with self._lock:
            if self._selection is None:
                with contextlib.suppress(ModelUnavailable):
                    self._selection = load_model(SHIPPED)
            return self._selection

    def integrator(self, encoder: Encoder | None = None, path: str = "") -> Integrator:
        """What distils passages for a language model: the one that Clew comes with or of a file, filling its budget;
        for another encoder than minilm, of which nothing was learned, and where what Clew comes with is missing, the
        nearest sentences. Raises ModelUnavailable for a file that cannot be read."""
        if encoder is not None and not is_minilm(encoder):
            return NearestSentences()
        if path:
            return ExtractiveIntegrator(load_integrator(Path(path).expanduser())[0], full=True)
        with self._lock:
            if self._integrator is None:
                self._integrator = NearestSentences()
                with contextlib.suppress(ModelUnavailable):
                    self._integrator = ExtractiveIntegrator(load_integrator()[0], full=True)
            return self._integrator

    def weights(self, encoder: Encoder | None = None) -> Weights:
        """What decides how much each ranked list counts: all the same for another encoder than minilm, of which
        nothing was learned."""
        if encoder is not None and not is_minilm(encoder):
            return Weights(EQUAL)
        with self._lock:
            if self._weights is None:
                self._weights = read_weights()
            return self._weights

    def adapter(self, encoder: Encoder | None = None) -> Adapter:
        """What takes meaning or the graph by the question alone; both for another encoder than minilm."""
        if encoder is not None and not is_minilm(encoder):
            return EVEN
        with self._lock:
            if self._adapter is None:
                self._adapter = read_adapter()
            return self._adapter

    def release(self) -> None:
        """Let go of all that was loaded, some 200 MB; who still uses it keeps it, and the next use loads it again."""
        with self._lock:
            self.forget_questions()
            for loaded in (self._encoders, self._extractors, self._comprehensions, self._language_models):
                loaded.clear()
            self._selection = self._weights = self._adapter = self._integrator = None
            self._ready = False

    def forget_questions(self) -> None:
        """Drop remembered questions; the models stay."""
        from core.models.spacy_model import parsed

        with self._lock:
            self._vectors.clear()
            self._parsed.clear()
            parsed.cache_clear()


class QuestionVectors:
    """The Embedder of one workspace: each question is encoded once."""

    def __init__(self, models: Models, encoder: Encoder) -> None:
        self.models = models
        self.encoder = encoder
        self.name = encoder.name
        self.dimension = encoder.dimension

    @property
    def described(self) -> str:
        """For people: how long the vectors are, and what their encoder costs."""
        if is_minilm(self.encoder):
            return trn("{count} dimension", "{count} dimensions", self.dimension)
        return trn(
            "{count} dimension, {name}; what was trained on minilm stands aside",
            "{count} dimensions, {name}; what was trained on minilm stands aside",
            self.dimension,
            name=self.name,
        )

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]:
        return self.encoder.embed(texts, context)

    def embed_question(self, question: str) -> NDArray[np.float32]:
        return self.models.embed_question(question, self.encoder)


def is_minilm(encoder: Encoder) -> bool:
    """Whether it is the one that all that is shipped was trained on."""
    return encoder.name == MINILM.model


def encoder_choice(store: Store, config: ModelConfig) -> EncoderChoice:
    """The one that is set, else the one that the workspace was made with."""
    return encoder_chosen(config) if config.encoder else store.embeddings.encoder.choice


def encoder_chosen(config: ModelConfig) -> EncoderChoice:
    """The one that is set. Raises BadInput where there is none of that name."""
    if config.encoder == MINILM.choice.encoder:
        return MINILM.choice
    choice = EncoderChoice(config.encoder, config.question_prefix, config.passage_prefix)
    check_encoder(choice)
    kind, _, which = choice.encoder.partition(":")
    if kind == "folder":  # wherever the next run begins
        choice = replace(choice, encoder=f"{kind}:{Path(which).expanduser().absolute()}")
    return choice


def _check_same(found: Encoder, store: Store) -> None:
    """Raises BadInput where the workspace holds vectors of another encoder."""
    stored = store.embeddings.encoder
    if (found.name, found.dimension) != (stored.model, stored.dimension) and store.embeddings.any():
        raise BadInput(
            tr(
                "This workspace was made with the encoder {kept}; {found} cannot be compared with its vectors.",
                kept=described(stored),
                found=_with_dimension(found.name, found.dimension),
            ),
            tr(
                "Index into a new workspace, or choose the old one: {settings}",
                settings=_as_settings(stored.choice),
            ),
        )


def described(record: EncoderRecord) -> str:
    return _with_dimension(record.model, record.dimension)


def _with_dimension(model: str, dimension: int) -> str:
    return trn("{model} ({count} dimension)", "{model} ({count} dimensions)", dimension, model=model)


def encoder_words(record: EncoderRecord) -> str:
    """For people: what texts are compared by, and what that means."""
    words = tr("Texts are compared by {encoder}.", encoder=described(record))
    if record.model == MINILM.model:
        return words
    aside = tr(
        "What was learned on all-MiniLM-L6-v2 stands aside: the second stage, the weights of ranked lists."
    )
    return f"{words} {aside}"


def _as_settings(choice: EncoderChoice) -> str:
    values = zip(ENCODING, (choice.encoder, choice.question_prefix, choice.passage_prefix), strict=True)
    return " ".join(f"--set {shlex.quote(f'{name}={value}')}" for name, value in values if value)


def _forget_oldest(memory: dict[_Key, _Value]) -> None:
    while len(memory) >= _REMEMBERED:
        memory.pop(next(iter(memory)))


def stored_precision(store: Store) -> str:
    """What the workspace keeps, else what suits this processor, kept from now on.

    Vectors of an older Clew, which did not tell, stay: those of both precisions are within .9999 of each other.
    """
    from core.models.minilm_torch import PRECISIONS, best_precision  # slow to import

    precision = store.settings.get(_PRECISION)
    if precision not in PRECISIONS:
        precision = best_precision()
        store.settings.set(_PRECISION, precision)
    return precision
