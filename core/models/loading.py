"""Encoders and language models by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from core.config import ModelConfig
from core.errors import BadInput, ModelFault
from core.progress import TaskContext
from core.protocols import Encoder, LanguageModel
from core.store.settings import MINILM, EncoderChoice
from core.text.escape_controls import choose
from core.text.translation import mark, tr

_T = TypeVar("_T")


def _minilm(choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext) -> Encoder:
    from core.models.minilm import MiniLMEncoder
    from core.models.minilm_numpy import load

    if not precision:
        return MiniLMEncoder(load)
    from core.models.minilm_torch import TorchForward  # slow to import

    return MiniLMEncoder(partial(TorchForward, precision=precision))


def _folder_encoder(
    choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext
) -> Encoder:
    from core.models.centred import CentredEncoder
    from core.models.folder_encoder import FolderEncoder

    folder = Path(choice.encoder.partition(":")[2])
    return CentredEncoder(FolderEncoder(folder, choice.question_prefix, choice.passage_prefix), context)


def _ollama_encoder(
    choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext
) -> Encoder:
    from core.models.centred import CentredEncoder
    from core.models.ollama.encoder import OllamaEncoder

    config = replace(config, model=choice.encoder.partition(":")[2])
    return CentredEncoder(
        OllamaEncoder(config, context, choice.question_prefix, choice.passage_prefix), context
    )


# By what stands before the colon of the setting models.encoder. Made for a precision of `core.answering.models`; for
# none minilm encodes a question before torch would be imported.
ENCODERS: dict[str, Callable[[EncoderChoice, ModelConfig, str, TaskContext], Encoder]] = {
    "minilm": _minilm,
    "folder": _folder_encoder,
    "ollama": _ollama_encoder,
}


def check_encoder(choice: EncoderChoice) -> None:
    """Raise BadInput where there is no such encoder."""
    kind, _, which = choice.encoder.partition(":")
    if (kind == "minilm") == bool(which) or kind not in ENCODERS:
        raise BadInput(
            tr("There is no encoder {encoder}.", encoder=repr(choice.encoder)),
            tr("Set models.encoder to minilm, folder:PATH or ollama:MODEL."),
        )


def encoder(choice: EncoderChoice, config: ModelConfig, precision: str, context: TaskContext) -> Encoder:
    """Raise BadInput, ModelUnavailable, ModelFault, Cancelled."""
    check_encoder(choice)
    return ENCODERS[choice.encoder.partition(":")[0]](choice, config, precision, context)


def bundled_minilm(precision: str) -> Encoder:
    """Return the encoder that ships, for vectors that are stored; for other processes and machines.

    Raises ModelUnavailable.
    """
    return encoder(MINILM.choice, ModelConfig(), precision, TaskContext())


def _ollama(config: ModelConfig) -> LanguageModel:
    from core.models.ollama.model import OllamaModel

    return OllamaModel(config)


# By what stands before the colon of "ollama:llama3.2:3b".
LANGUAGE_MODELS: dict[str, Callable[[ModelConfig], LanguageModel]] = {"ollama": _ollama}


def _find_ollama(config: ModelConfig, context: TaskContext) -> None:
    from core.models.ollama.stream import find

    find(config, context)


# Quick calls that need no model in memory: raise ModelUnavailable where the server does not answer, is none or does
# not have the model.
FINDERS: dict[str, Callable[[ModelConfig, TaskContext], None]] = {"ollama": _find_ollama}


def check_model(name: str, config: ModelConfig, context: TaskContext) -> None:
    """Look for the model of that name, see `language_model`. Raises BadInput, ModelUnavailable, Cancelled."""
    find, model = _chosen(name, config, FINDERS)
    find(replace(config, model=model), context)


def on_processor(name: str, config: ModelConfig, context: TaskContext) -> bool:
    """Return whether the model of that name runs on a processor, as one whose server does not tell may.

    Raises BadInput, Cancelled.
    """
    from core.models.ollama import stream

    config = replace(config, model=_chosen(name, config, LANGUAGE_MODELS)[1])
    try:
        return stream.on_processor(config, context)
    except ModelFault:
        return True


def language_model(name: str, config: ModelConfig) -> LanguageModel:
    """Return the model called "ollama:MODEL"; with "ollama" alone the configured one. Raises BadInput."""
    make, model = _chosen(name, config, LANGUAGE_MODELS)
    return make(replace(config, model=model))


def _chosen(name: str, config: ModelConfig, table: dict[str, _T]) -> tuple[_T, str]:
    """Return what the table holds for the provider, and the model, the configured one where the name tells none."""
    provider, _, model = name.partition(":")
    found = choose(mark("provider of language models"), provider, table)
    if not (model or config.model):
        raise BadInput(
            tr("No model is named."),
            tr("Give {provider}:MODEL; clew models list tells what there is.", provider=provider),
        )
    return found, model or config.model
