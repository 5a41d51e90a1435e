"""What an Ollama server has: its version, its models, what each of them is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import ollama

from core.config import ModelConfig
from core.errors import ModelFault
from core.models.ollama.faults import (
    NoAddress,
    NoSuchModel,
    NotOllama,
    Silent,
    Unreachable,
    not_ollama,
    unavailable,
)
from core.models.ollama.stream import KEEP_ALIVE, asked
from core.progress import TaskContext
from core.types import ModelInfo

NOT_FOUND = 404
_VERSION = 100  # characters
QUICK = 5.0  # seconds for an answer that needs no model


def version(config: ModelConfig, context: TaskContext) -> str:
    """The server's version; "" where it does not tell. Raises ModelFault."""

    async def ask(client: ollama.AsyncClient) -> str:
        # The client has no call for it.
        reply = await client._client.get("/api/version")
        if reply.status_code == NOT_FOUND:
            return ""
        reply.raise_for_status()
        found = reply.json()
        return str(found.get("version", ""))[:_VERSION] if isinstance(found, dict) else ""

    return asked(config, ask, QUICK, context)


def models(config: ModelConfig, context: TaskContext) -> list[ModelInfo]:
    """Every model of the server with its context, by name. Raises ModelFault."""
    listed = asked(config, lambda client: client.list(), QUICK, context)
    found = []
    for model in sorted(listed.models, key=lambda model: model.model or ""):
        name = model.model or ""
        known = _info(name, model.details)
        info = show(replace(config, model=name), context)
        found.append(
            replace(
                info,
                size=int(model.size or 0),
                digest=model.digest or "",
                family=info.family or known.family,
                parameters=info.parameters or known.parameters,
                quantisation=info.quantisation or known.quantisation,
            )
        )
    return found


def digest(config: ModelConfig, context: TaskContext, seconds: float = QUICK) -> str:
    """Tells `config.model` from another one that is called so later; "" where none is told. Raises ModelFault."""
    named = (config.model, f"{config.model}:latest")
    listed = asked(config, lambda client: client.list(), seconds, context).models
    return next(
        ((model.digest or "").removeprefix("sha256:") for model in listed if model.model in named), ""
    )


def embeddings(config: ModelConfig, texts: Sequence[str], context: TaskContext) -> Sequence[Sequence[float]]:
    """Vectors as the server gives them, not looked at. Raises ModelFault, Cancelled."""

    async def ask(client: ollama.AsyncClient) -> ollama.EmbedResponse:
        return await client.embed(model=config.model, input=texts, keep_alive=KEEP_ALIVE)

    return asked(config, ask, config.first_token_seconds, context).embeddings


def find(config: ModelConfig, context: TaskContext) -> None:
    """Look for `config.model` with two quick calls. Raises ModelUnavailable where all to it would fail, Cancelled.

    A server that is there and does not tell what the model is may still serve it.
    """
    server_version = None
    try:
        server_version = version(config, context)
        with suppress(Silent):  # it lives, and may be busy
            show(config, context)
    except (Unreachable, Silent, NotOllama, NoSuchModel, NoAddress) as fault:
        raise unavailable(fault) from fault
    except ModelFault as fault:
        if server_version == "" and not fault.passing:  # it knows neither of the calls
            raise unavailable(not_ollama(fault, config.host)) from fault


def show(config: ModelConfig, context: TaskContext) -> ModelInfo:
    """What `config.model` is; size and digest are told by `models` only. Raises ModelFault."""
    response = asked(config, lambda client: client.show(config.model), QUICK, context)
    info = _info(config.model, response.details)
    return replace(
        info,
        context=_context_length(response.modelinfo or {}),
        capabilities=tuple(str(name) for name in response.capabilities or ()),
    )


def _info(name: str, details: Any) -> ModelInfo:
    return ModelInfo(
        name,
        family=str(getattr(details, "family", None) or ""),
        parameters=str(getattr(details, "parameter_size", None) or ""),
        quantisation=str(getattr(details, "quantization_level", None) or ""),
    )


def _context_length(info: Mapping[str, Any]) -> int:
    """Of "llama.context_length" and its like; 0 where it is not told."""
    lengths = [
        value
        for name, value in info.items()
        if name.endswith(".context_length") and isinstance(value, int) and value > 0
    ]
    return min(lengths, default=0)
