"""An encoder that Ollama serves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.config import ModelConfig
from core.errors import ModelFault, ModelSilent, ModelUnavailable
from core.models.centred import VERSION
from core.models.minilm import Vectors
from core.models.ollama.faults import NoAddress, NoSuchModel, Unreachable, unavailable
from core.models.ollama.stream import digest, embeddings, show, waited
from core.models.prompt import estimate
from core.progress import TaskContext
from core.protocols import Tokenizer
from core.text.translation import tr

_BATCH = 16  # texts a call
_LONGEST = 512  # tokens, where the server tells no limit
_NAMED = 16  # characters of the model's digest


class OllamaEncoder:
    """See `TextEncoder`. `config.model` at `config.host`."""

    def __init__(
        self,
        config: ModelConfig,
        context: TaskContext,
        question_prefix: str = "",
        passage_prefix: str = "",
    ) -> None:
        """Ask the server for the model. Raises ModelUnavailable, ModelFault, Cancelled."""
        self._config = config
        self._prefixes = {True: question_prefix, False: passage_prefix}
        self.tokenizer: Tokenizer = EstimatingTokenizer()
        self.dimension = 0  # of whatever the first reply has
        try:
            window = show(config, context).context
            found = digest(config, context)[:_NAMED]
        except (Unreachable, ModelSilent, NoSuchModel, NoAddress) as fault:
            raise unavailable(fault) from fault
        self.max_tokens = (window or _LONGEST) - estimate(passage_prefix)
        prefixes = f"{question_prefix}|{passage_prefix}" if question_prefix or passage_prefix else ""
        self.name = " ".join(part for part in (f"ollama:{config.model}", found, prefixes, VERSION) if part)
        self.dimension = self.encode(["dimension"], context, question=False).shape[1]

    def encode(self, texts: Sequence[str], context: TaskContext, *, question: bool) -> Vectors:
        """Raise ModelUnavailable, ModelFault, Cancelled."""
        prefix = self._prefixes[question]
        found = []
        for start in range(0, len(texts), _BATCH):
            batch = [f"{prefix} {text}" if prefix else text for text in texts[start : start + _BATCH]]
            found.append(self._patient(batch, context))
        return np.concatenate(found)

    def _patient(self, batch: list[str], context: TaskContext) -> Vectors:
        """Wait for faults that can pass."""
        config = self._config
        tries, wait = 0, config.retry_wait
        while True:
            context.check()
            try:
                return self._once(batch, context)
            except ModelFault as fault:
                tries += 1
                most = 1 if isinstance(fault, ModelSilent) else config.retries
                if not fault.passing or tries > most:
                    if fault.passing or isinstance(fault, NoSuchModel | NoAddress):
                        raise unavailable(fault) from fault
                    raise
                waited(wait, context)
                wait *= 2

    def _once(self, batch: list[str], context: TaskContext) -> Vectors:
        config = self._config
        rows = embeddings(config, batch, context)
        try:
            with np.errstate(over="ignore"):  # what is too large is told below
                vectors = np.array(rows, dtype=np.float32)
        except ValueError:  # rows of several lengths
            vectors = np.zeros(0, dtype=np.float32)
        if (
            vectors.ndim != 2
            or len(vectors) != len(batch)
            or not np.isfinite(vectors).all()
            or not vectors.any()
        ):
            raise ModelUnavailable(
                tr(
                    "{model} at {host} gives no vectors that can be used.",
                    model=config.model,
                    host=config.host,
                ),
                tr("Choose an embedding model, such as one that `clew models list` shows."),
            )
        if self.dimension not in (0, vectors.shape[1]):
            raise ModelUnavailable(
                tr(
                    "{model} gave vectors of {shape} numbers, and of {dimension} before.",
                    model=config.model,
                    shape=vectors.shape[1],
                    dimension=self.dimension,
                ),
                tr("Look which model the server runs, then try again; what was done so far is kept."),
            )
        return vectors


class EstimatingTokenizer:
    """Tokens of a server's model, rather too many than too few."""

    special = 2

    def count(self, text: str) -> int:
        return estimate(text) + self.special

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [estimate(text) for text in texts]
