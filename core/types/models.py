"""What is known and measured of language models."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that a server has; "" and 0 for what the server does not tell."""

    name: str
    size: int = 0  # bytes
    family: str = ""  # "llama"
    parameters: str = ""  # "3.2B"
    quantisation: str = ""  # "Q4_K_M"
    context: int = 0  # tokens that the model was trained for
    capabilities: tuple[str, ...] = ()  # "completion", "thinking", "embedding"...
    digest: str = ""
