"""The parts that answer: routers, generators, validators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.answering.candidate import Candidate
from core.answering.comprehension import Comprehension
from core.answering.control import Rewriter, Validators
from core.answering.extractive import ExtractiveGenerator
from core.answering.generate import ModelGenerator
from core.answering.integration.distiller import Distiller
from core.answering.rewriting import ModelRewriter
from core.answering.validators import TripleCheck
from core.config import (
    AnswerConfig,
    ControlConfig,
    ModelConfig,
)
from core.errors import BadInput
from core.extraction.question import ParsedQuestion
from core.models.loading import LANGUAGE_MODELS
from core.protocols import Generator, LanguageModel
from core.text.escape_controls import choose
from core.text.translation import mark, tr

GENERATORS: dict[str, Callable[[AnswerConfig, Comprehension], ExtractiveGenerator]] = {
    "extractive": ExtractiveGenerator
}


VALIDATORS: dict[str, Callable[[ControlConfig, Comprehension], Validators]] = {"triple check": TripleCheck}


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, checks and rewrites while one question is answered."""

    generator: Generator[ParsedQuestion, Candidate]
    validators: Validators
    rewriter: Rewriter | None = None


def model_writer(
    model: LanguageModel,
    quoting: ExtractiveGenerator,
    validators: Validators,
    distiller: Distiller | None = None,
) -> Writer:
    """A language model writes, the reader checks: one call where that holds."""
    return Writer(ModelGenerator(model, quoting, distiller), validators, ModelRewriter(model))


def check_generator(name: str, config: ModelConfig) -> None:
    """Raises BadInput where nothing of this name writes answers, or where it needs a model and none is named."""
    kind, _, model = name.partition(":")
    if kind not in LANGUAGE_MODELS:
        choose(mark("generator"), name, {**GENERATORS, **{f"{kind}:MODEL": None for kind in LANGUAGE_MODELS}})
    elif not (model or config.model):
        raise BadInput(
            tr("No model is named."),
            tr("Give {kind}:MODEL; clew models list tells what there is.", kind=kind),
        )
