"""Extractors by their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.config import ModelConfig
from core.errors import BadInput
from core.extraction.french import FrenchExtractor
from core.extraction.language_model import Memory, MixedExtractor, ModelExtractor
from core.extraction.rules import ENGLISH, LanguageExtractor, RulesExtractor, WrittenNames
from core.models.spacy_model import import_spacy
from core.protocols import Extractor, LanguageModel
from core.text.escape_controls import choose
from core.text.translation import mark, tr

# Triples that the rules find in a passage; where there are fewer, mixed extraction asks the model, too.
MIXED_BELOW = 2


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
    return MixedExtractor(rules_extractor(), model_extractor(parts), MIXED_BELOW)


EXTRACTORS: dict[str, Callable[[], Extractor]] = {"rules": rules_extractor}
# With a model behind a colon: "ollama:llama3.2:3b", "mixed:llama3.2:3b".
MODEL_EXTRACTORS: dict[str, Callable[[ExtractionParts], Extractor]] = {
    "ollama": model_extractor,
    "mixed": _mixed_extractor,
}


def known_extractor(stored: str) -> str:
    """Return the extractor that a workspace names, without its version; "rules" for none and for what there is none
    of."""
    name = stored.partition(" ")[0]
    return name if name in EXTRACTORS or name.partition(":")[0] in MODEL_EXTRACTORS else "rules"


def check_extractor(name: str, config: ModelConfig) -> None:
    """Raise BadInput where there is no such extractor, or where it needs a model and none is named."""
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
