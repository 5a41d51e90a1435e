"""Each passage by the extractor of its language: grammar where there is a model, names alone elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from core.progress import TaskContext
from core.protocols import Extractor
from core.types import Extraction, Passage

ENGLISH = "en"


class LanguageExtractor:
    """English where the language is unknown. `version` changes with any of its parts."""

    name = "rules"

    def __init__(self, by_language: Mapping[str, Extractor], other: Extractor) -> None:
        """`by_language` holds English; `other` reads every language that has no entry."""
        self._by_language = by_language
        self._other = other
        parts = [f"{code} {extractor.version}" for code, extractor in sorted(by_language.items())]
        self.version = ", ".join([*parts, f"other {other.version}"])

    def extract(self, passages: Sequence[Passage], context: TaskContext) -> Iterator[Extraction]:
        """One Extraction a passage, in order."""
        for language, group in groupby(passages, key=lambda passage: passage.language or ENGLISH):
            yield from self._by_language.get(language, self._other).extract(list(group), context)
