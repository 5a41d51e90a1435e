"""The parts that indexing is made of: extractors, encoders, language models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from core.catalog.choice import choose
from core.config import ModelConfig
from core.errors import BadInput
from core.extraction.french import FrenchExtractor
from core.extraction.language_model import Memory, MixedExtractor, ModelExtractor
from core.extraction.rules import ENGLISH, LanguageExtractor, RulesExtractor
from core.extraction.written_names import WrittenNames
from core.progress import TaskContext
from core.protocols import Encoder, Extractor, LanguageModel
from core.providers.spacy_model import import_spacy
from core.store.encoder import MINILM, EncoderChoice
from core.translation import mark, tr

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ExtractionParts:
    """What extractors that ask a language model are made of. `memory` keeps replies, None for nowhere."""

    model: LanguageModel
    config: ModelConfig
    memory: Memory | None = None


def rules_extractor() -> Extractor:
    english = RulesExtractor(prepare=import_spacy)
    by_language: dict[str, Extractor] = {ENGLISH: english, "fr": FrenchExtractor(prepare=import_spacy)}
    return LanguageExtractor(by_language, WrittenNames(english.recognise))


def model_extractor(parts: ExtractionParts) -> ModelExtractor:
    return ModelExtractor(parts.model, parts.memory)


def _mixed_extractor(parts: ExtractionParts) -> Extractor:
    return MixedExtractor(rules_extractor(), model_extractor(parts), parts.config.mixed_below)


EXTRACTORS: dict[str, Callable[[], Extractor]] = {"rules": rules_extractor}
# With a model behind a colon: "ollama:llama3.2:3b", "mixed:llama3.2:3b".
MODEL_EXTRACTORS: dict[str, Callable[[ExtractionParts], Extractor]] = {
    "ollama": model_extractor,
    "mixed": _mixed_extractor,
}


def _minilm(choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext) -> Encoder:
    from core.providers.minilm import MiniLMEncoder
    from core.providers.minilm_numpy import load

    if not precision:
        return MiniLMEncoder(load)
    from core.providers.minilm_torch import TorchForward  # slow to import

    return MiniLMEncoder(partial(TorchForward, precision=precision))


def _folder_encoder(
    choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext
) -> Encoder:
    from core.providers.centred import CentredEncoder
    from core.providers.folder_encoder import FolderEncoder

    folder = Path(choice.encoder.partition(":")[2])
    return CentredEncoder(FolderEncoder(folder, choice.question_prefix, choice.passage_prefix), context)


def _ollama_encoder(
    choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext
) -> Encoder:
    from core.providers.centred import CentredEncoder
    from core.providers.ollama.encoder import OllamaEncoder

    config = replace(config, model=choice.encoder.partition(":")[2])
    return CentredEncoder(
        OllamaEncoder(config, context, choice.question_prefix, choice.passage_prefix), context
    )


# By what stands before the colon of the setting models.encoder. Made for a precision of `core.models`; for
# none minilm encodes a question before torch would be imported.
ENCODERS: dict[str, Callable[[EncoderChoice, ModelConfig, str, TaskContext], Encoder]] = {
    "minilm": _minilm,
    "folder": _folder_encoder,
    "ollama": _ollama_encoder,
}


def check_encoder(choice: EncoderChoice) -> None:
    """Raises BadInput where there is no such encoder."""
    kind, _, which = choice.encoder.partition(":")
    if (kind == "minilm") == bool(which) or kind not in ENCODERS:
        raise BadInput(
            tr("There is no encoder {encoder}.", encoder=repr(choice.encoder)),
            tr("Set models.encoder to minilm, folder:PATH or ollama:MODEL."),
        )


def encoder(choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext) -> Encoder:
    """Raises BadInput, ModelUnavailable, ModelFault, Cancelled."""
    check_encoder(choice)
    return ENCODERS[choice.encoder.partition(":")[0]](choice, config, precision, context)


def kept_minilm(precision: str) -> Encoder:
    """What ships, for vectors that are kept; for other processes and machines. Raises ModelUnavailable."""
    return encoder(MINILM.choice, ModelConfig(), precision, TaskContext())


def _ollama(config: ModelConfig) -> LanguageModel:
    from core.providers.ollama.model import OllamaModel

    return OllamaModel(config)


# By what stands before the colon of "ollama:llama3.2:3b".
LANGUAGE_MODELS: dict[str, Callable[[ModelConfig], LanguageModel]] = {"ollama": _ollama}


def _find_ollama(config: ModelConfig, context: TaskContext) -> None:
    from core.providers.ollama.server import find

    find(config, context)


# Quick calls that need no model in memory: raise ModelUnavailable where the server does not answer, is none or does
# not have the model.
FINDERS: dict[str, Callable[[ModelConfig, TaskContext], None]] = {"ollama": _find_ollama}


def check_model(name: str, config: ModelConfig, context: TaskContext) -> None:
    """Look for the model of that name, see `language_model`. Raises BadInput, ModelUnavailable, Cancelled."""
    find, model = _chosen(name, config, FINDERS)
    find(replace(config, model=model), context)


def language_model(name: str, config: ModelConfig) -> LanguageModel:
    """The model called "ollama:MODEL"; with "ollama" alone the configured one. Raises BadInput."""
    make, model = _chosen(name, config, LANGUAGE_MODELS)
    return make(replace(config, model=model))


def _chosen(name: str, config: ModelConfig, table: dict[str, _T]) -> tuple[_T, str]:
    """What the table holds for the provider, and the model, the configured one where the name tells none."""
    provider, _, model = name.partition(":")
    found = choose(mark("provider of language models"), provider, table)
    if not (model or config.model):
        raise BadInput(
            tr("No model is named."),
            tr("Give {provider}:MODEL; clew models list tells what there is.", provider=provider),
        )
    return found, model or config.model


def known_extractor(stored: str) -> str:
    """The extractor that a workspace names, without its version; "rules" for none and for what there is none of."""
    name = stored.partition(" ")[0]
    return name if name in EXTRACTORS or name.partition(":")[0] in MODEL_EXTRACTORS else "rules"


def check_extractor(name: str, config: ModelConfig) -> None:
    """Raises BadInput where there is no such extractor, or where it needs a model and none is named."""
    kind, _, model = name.partition(":")
    if kind in MODEL_EXTRACTORS:
        if not (model or config.model):
            raise BadInput(
                tr("No model is named."),
                tr("Give {kind}:MODEL; clew models list tells what there is.", kind=kind),
            )
    else:
        choices = {**EXTRACTORS, **{f"{kind}:MODEL": None for kind in MODEL_EXTRACTORS}}
        choose(mark("extractor"), name, choices)
