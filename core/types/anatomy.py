"""One passage taken apart: how it was parsed, what was taken from it, and what was not and why."""

from __future__ import annotations

from dataclasses import dataclass

from core.types.knowledge import ExtractedMention, Triple
from core.types.reading import Passage


@dataclass(frozen=True, slots=True)
class ParsedToken:
    """A word. `head`: place in its sentence of the word that it depends on, its own for the root."""

    text: str
    lemma: str
    pos: str  # coarse, of Universal Dependencies: NOUN, PROPN, VERB...
    dep: str  # the relation to the head: nsubj, dobj, ROOT...
    head: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """`tokens` are none where nothing here parses the language, or a language model read the passage."""

    start: int
    end: int
    tokens: tuple[ParsedToken, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """A pronoun, a definite noun or a short name, and the name that it stands for."""

    text: str
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rejected:
    """What looked like a name, a triple or a reference to a name, and was not taken. `reason` in words."""

    kind: str  # "name", "triple", "reference"
    words: str
    reason: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a language model said in one step, as it is kept, and what of it was dropped."""

    step: str  # "entities", "triples"
    model: str
    text: str
    dropped: tuple[Rejected, ...]


@dataclass(frozen=True, slots=True)
class Anatomy:
    """All offsets lie in the passage's text."""

    passage: Passage
    extractor: str  # with its version, as the workspace keeps it
    grammar: str  # which grammar read it now: "en", "fr", "" for none, names by how they are written
    sentences: tuple[ParsedSentence, ...]
    mentions: tuple[ExtractedMention, ...]
    references: tuple[Reference, ...]
    triples: tuple[Triple, ...]
    rejected: tuple[Rejected, ...]
    replies: tuple[ModelReply, ...]
    failure: str  # why its extraction failed, in words; "" where it did not
    raw: str  # what the extractor said then, word for word
    # Whether the workspace holds the same triples; else it was read by another version or model, or waits.
    matches_store: bool
