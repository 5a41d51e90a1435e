"""Names in a text whose grammar nobody here knows: runs of words with a capital, identifiers; never a triple.

A single word with a capital may be any noun, as in German, so only runs of two words and more are names.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import lru_cache

from core.extraction.found import Name
from core.extraction.identifiers import find_identifiers

_WORD = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]*(?:[-'’.][^\W\d_]+)*"
_RUN = re.compile(
    rf"\b{_WORD}(?:[ ](?:(?:von|van|de|da|di|do|du|del|der|den|la|le|y|e|bin|al)[ ]){{0,2}}{_WORD})+"
)


def find_names(text: str, language: str) -> Iterator[Name]:
    """`language` is an ISO 639-1 code; its function words begin no name where spaCy has a list of them."""
    function = _function_words(language)
    for run in _RUN.finditer(text):
        start = run.start()
        while (first := text[start : run.end()].partition(" ")[0]).casefold() in function and first:
            start += len(first) + 1
        name = text[start : run.end()]
        if " " in name and any(letter.islower() for letter in name):
            yield Name(name, "OTHER", start, run.end())
    for one in find_identifiers(text):
        yield Name(one.text, one.label, one.start, one.end)


@lru_cache(maxsize=64)
def _function_words(language: str) -> frozenset[str]:
    try:
        return frozenset(importlib.import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS)
    except (ImportError, AttributeError):
        return frozenset()
