"""Writers of answers: quotes of the documents, or a language model, with what checks and rewrites."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.answering.candidates import Candidate
from core.answering.comprehension import Comprehension
from core.answering.control import Rewriter, Validators
from core.answering.extractive import ExtractiveGenerator
from core.answering.generate import ModelGenerator
from core.answering.integration.distiller import Distiller
from core.answering.models import Models, QuestionVectors
from core.answering.rewriting import ModelRewriter
from core.answering.validators import TripleCheck
from core.config import AnswerConfig, Config, ControlConfig, ModelConfig
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.models.capped import CappedModel, current_budget
from core.models.loading import LANGUAGE_MODELS, on_processor
from core.progress import TaskContext
from core.protocols import Generator, OnRanked, OnText
from core.retrieval.query import Query
from core.retrieval.view import SnapshotView
from core.store.store import Store
from core.text.escape_controls import choose
from core.text.translation import mark, tr

QUOTING = "extractive"  # the generator that says nothing but what stands in the passages
GENERATORS: dict[str, Callable[[AnswerConfig, Comprehension], ExtractiveGenerator]] = {
    QUOTING: ExtractiveGenerator
}
VALIDATORS: dict[str, Callable[[ControlConfig, Comprehension, float], Validators]] = {
    "triple check": TripleCheck
}


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, checks and rewrites while one question is answered."""

    generator: Generator[ParsedQuestion, Candidate]
    validators: Validators
    rewriter: Rewriter | None = None


class Writers:
    """Creates the writer of each question's answer over one snapshot."""

    def __init__(self, store: Store, vectors: QuestionVectors, view: SnapshotView, config: Config) -> None:
        self._store = store
        self._vectors = vectors
        self._view = view
        self._config = config
        comprehension = vectors.models.comprehension(config.models)
        self.quotes = GENERATORS[QUOTING](config.answer, comprehension)
        self._validators = VALIDATORS["triple check"](config.control, comprehension, config.answer.sure)

    def create(self, generator: str, context: TaskContext, *, distilled: bool) -> Writer:
        """Return the writer called "extractive" or "ollama:MODEL".

        A language model writes and the reader checks: one call where that holds. It reads full passages or, where
        `distilled`, what the settings leave of them. Raises Cancelled, and ModelUnavailable for an integrator that
        cannot be read.
        """
        if generator in GENERATORS:
            return Writer(self.quotes, self._validators)
        model = capped_model(self._store, self._vectors.models, _while_waited_for(self._config), generator)
        distiller = self._distiller(generator, context) if distilled else None
        return Writer(ModelGenerator(model, self.quotes, distiller), self._validators, ModelRewriter(model))

    def _distiller(self, generator: str, context: TaskContext) -> Distiller | None:
        """Return None where a language model is to read full passages."""
        config = self._config.answer
        is_wanted = config.distilled == "true" or (
            config.distilled == "auto" and on_processor(generator, self._config.models, context)
        )
        if not is_wanted:
            return None
        integrator = self._vectors.models.integrator(self._vectors.encoder, config.integrator)
        return Distiller(self._store, self._view, integrator, config.distilled_share)


def _while_waited_for(config: Config) -> Config:
    """Return the settings for a model that a person waits for: its first words are bounded, and awaited once."""
    models = replace(config.models, first_token_seconds=config.longest_silence, silent_retries=0)
    return replace(config, models=models)


def capped_model(store: Store, models: Models, config: Config, name: str) -> CappedModel:
    """Return a model that answers as long as the question's caps allow."""
    return CappedModel(models.language_model(store, name, config.models), current_budget(config.caps))


def check_generator(name: str, config: ModelConfig) -> None:
    """Raise BadInput where nothing of this name writes answers, or where it needs a model and none is named."""
    kind, _, model = name.partition(":")
    if kind not in LANGUAGE_MODELS:
        choose(mark("generator"), name, {**GENERATORS, **{f"{kind}:MODEL": None for kind in LANGUAGE_MODELS}})
    elif not (model or config.model):
        raise BadInput(
            tr("No model is named."),
            tr("Give {kind}:MODEL; clew models list tells what there is.", kind=kind),
        )


@dataclass(frozen=True, slots=True)
class Request:
    """A question, and how it is to be answered.

    `route` is the one that the person chose, "" for none. `k` passages are displayed. `generator` is "extractive" or
    "ollama:MODEL"; `on_text` receives what a model writes, `on_ranked` the passages before they are read.
    `prior_passages` are ids of passages that the answer before rests on, where this question was completed from it.
    """

    query: Query
    route: str
    k: int
    generator: str
    on_text: OnText | None = None
    on_ranked: OnRanked | None = None
    prior_passages: tuple[str, ...] = ()

    @property
    def question(self) -> ParsedQuestion:
        return self.query.parsed
