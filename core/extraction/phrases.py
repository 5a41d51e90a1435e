"""What a token stands for: the name that covers it, or the short noun phrase that it heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.extraction.mentions import Name
from core.extraction.names import clean

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

COMMON = frozenset({"NN", "NNS"})
MAX_PHRASE_TOKENS = 6


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Subject or object of a triple. `name` is None for a common noun phrase."""

    text: str
    name: Name | None

    @property
    def named(self) -> bool:
        return self.name is not None


class Phrases:
    """Token -> endpoint, for one parsed text."""

    def __init__(self, doc: Doc, names: list[Name]) -> None:
        self._doc = doc
        self._name_of: dict[int, Name] = {
            i: name for name in names for i in range(name.first, name.last + 1)
        }

    def name(self, token: Token) -> Name | None:
        return self._name_of.get(token.i)

    def endpoint(self, token: Token) -> Endpoint | None:
        """None for pronouns, verbs and anything else that names nothing."""
        name = self._name_of.get(token.i)
        if name is not None:
            return Endpoint(name.text, name)
        if token.tag_ in COMMON:
            return Endpoint(self.noun_phrase(token), None)
        return None

    def noun_phrase(self, head: Token) -> str:
        """The head noun with its adjectives and compounds, without determiner: "American film director"."""
        first = head.i
        while (
            first > max(head.sent.start, head.i - MAX_PHRASE_TOKENS + 1)
            and self._doc[first - 1].dep_ in {"amod", "compound", "nummod", "nmod"}
            and self._doc[first - 1].head.i <= head.i
        ):
            first -= 1
        start = self._doc[first].idx
        return clean(self._doc.text[start : head.idx + len(head)])
