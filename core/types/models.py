"""What is known and measured of language models."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.types.generation import Usage
from core.types.knowledge import Triple


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


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server and what it has."""

    host: str
    version: str  # "" where it does not tell
    models: tuple[ModelInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """What reading passages with a model will come to."""

    passages: int
    tokens_in: int
    tokens_out: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Trial:
    """A model measured on a few passages. Calls that failed are in `calls`, and told in `problems`."""

    passages: int
    calls: int
    valid: int  # calls whose JSON was right at once
    repaired: int  # whose JSON could be mended with certainty
    asked_again: int  # that were right when asked once more
    failed: int  # that gave nothing of use
    triples: int  # whose ends stand in their passage
    rejected: int  # names and triples that no passage holds
    usage: Usage
    loading_seconds: float  # until the first token of the first call
    first_token_seconds: float  # median of the others
    tokens_per_second: float  # written, while it writes
    throughput: tuple[tuple[int, float], ...]  # (calls at a time, calls a second)
    parallel: int  # a useful number of calls at a time
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Whether a model is of use for a corpus, and what that would cost; None where nothing could be measured.

    `mixed` is for extraction by the rules first, which an index by the rules tells the size of. `extractor`
    is the one that is recommended, "ollama:MODEL" or "mixed:MODEL"; "" for the rules.
    """

    model: ModelInfo
    host: str
    version: str
    window: int  # tokens that it was used with
    trial: Trial
    full: Estimate | None = field(metadata={"key": "whole"})
    mixed: Estimate | None
    recommendation: str
    extractor: str = ""


@dataclass(frozen=True, slots=True)
class TripleChange:
    """One triple that two extractors do not share. `kind` is gained, lost or changed."""

    kind: str
    passage_id: str
    rules: Triple | None
    model: Triple | None


@dataclass(frozen=True, slots=True)
class ExtractionComparison:
    """The rules and a model on the same passages."""

    model: str
    passages: int
    rules: int  # triples
    found: int  # triples of the model
    same: int
    changes: tuple[TripleChange, ...]
    failures: tuple[tuple[str, str], ...]  # (passage id, reason)
    rules_seconds: float
    model_seconds: float


@dataclass(frozen=True, slots=True)
class ModelWork:
    """What a model has done for a workspace so far."""

    model: str
    passages: int  # read to the end
    usage: Usage
    rejected: int  # names and triples that their passages do not hold
    failed: int  # passages put aside
