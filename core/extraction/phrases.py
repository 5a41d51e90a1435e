"""What a token stands for: a name or a short noun phrase; and the reasons why one is rejected."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.extraction.denials import excepted, excluded
from core.extraction.names import Name, clean
from core.text.translation import mark
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS"})
MAX_PHRASE_TOKENS = 6
MAX_CONJUNCTS = 12
_NOMINAL = frozenset({"attr", "appos", "nsubj", "nsubjpass", "dobj"})
_MODIFIERS = frozenset({"amod", "compound", "nummod", "nmod", "punct"})
# Nouns that say nothing without what follows them.
_EMPTY = frozenset(
    "one ones part member number lot kind type sort time times way thing things people year years name names "
    "day days fact addition order case end beginning rest example result total much more most many "
    "variety couple majority man woman person thing something nothing anything everything somebody nobody matter "
    "chance pity question problem hope deal bit help doubt use fault".split()
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Subject or object of a triple. `name` is None for a common noun phrase."""

    text: str
    name: Name | None
    certainty: float = 1.0  # below 1 where a pronoun or a definite noun was resolved

    @property
    def named(self) -> bool:
        return self.name is not None

    @property
    def label(self) -> str:
        return self.name.label if self.name is not None else ""

    @property
    def value(self) -> bool:
        """Whether it is a time, an amount or a count."""
        return self.name is not None and self.name.label in VALUES


class Phrases:
    """Token -> endpoint, for one parsed text. `stands_for` maps pronouns and short names to names.

    `spoken`: of each token, whether it stands in quotation marks.
    """

    def __init__(
        self,
        doc: Doc,
        source: str,
        spans: list[tuple[int, int, str]],
        names: list[Name],
        stands_for: dict[int, Endpoint],
        spoken: list[bool],
    ) -> None:
        self._doc, self._source, self._spans = doc, source, spans
        self._stands_for, self._spoken = stands_for, spoken
        self._name_of = {i: name for name in names for i in range(name.first, name.last + 1)}

    def common(self, token: Token) -> bool:
        """Return whether the token is a common noun, or a role with a capital ("King of Spain"), outside any name."""
        if token.i in self._name_of:
            return False
        if token.tag_ in NOUNS:
            return len(token) > 1
        # "the fifth single", "one of the islands": not tagged as nouns, yet used as such.
        return (token.tag_ == "JJ" or token.lower_ == "one") and token.dep_ in _NOMINAL

    def apart(self, one: Token, other: Token) -> bool:
        """Return whether a quotation mark stands between two: what is said is no part of who says it."""
        return self._spoken[one.i] != self._spoken[other.i]

    def name(self, token: Token) -> Name | None:
        return self._name_of.get(token.i)

    def endpoint(self, token: Token) -> Endpoint | None:
        """Return the endpoint; None for unresolved pronouns, verbs and anything else that names nothing."""
        if (resolved := self._stands_for.get(token.i)) is not None:
            return resolved
        if (name := self._name_of.get(token.i)) is not None:
            return self._stands_for.get(name.last) or Endpoint(name.text, name)
        if self.common(token) and token.lower_ not in _EMPTY:
            phrase = self.noun_phrase(token)
            return Endpoint(phrase, None) if len(phrase) > 2 else None
        return None

    def named(self, token: Token) -> Endpoint | None:
        """Return the endpoint when it is a name, not a number."""
        point = self.endpoint(token)
        return point if point is not None and point.named and not point.value else None

    def noun_phrase(self, head: Token) -> str:
        """Return the head noun with its adjectives and compounds, without determiner: "American film director"."""
        doc = self._doc
        first = head.i
        floor = max(head.i - MAX_PHRASE_TOKENS + 1, 0)
        while first > floor and _modifies(doc[first - 1], head):
            first -= 1
        while first < head.i and doc[first].dep_ == "punct":
            first += 1
        while first > floor + 1 and doc[first - 1].text == "-" and not doc[first - 1].whitespace_:
            first -= 2  # "Oslo-based expert"
        spans = self._spans[first : head.i + 1]
        phrase = self._source[spans[0][0] : spans[-1][1]]
        if "(" in phrase:  # an aside stood between the words
            phrase = " ".join(self._source[start:end] for start, end, _ in spans)
        return clean(phrase)


def _modifies(token: Token, head: Token) -> bool:
    return token.dep_ in _MODIFIERS and token.tag_ not in {",", "``", "''"} and token.head.i <= head.i


def conjuncts(token: Token) -> list[Token]:
    """Return the token and what is joined to it by "and" or commas, in order of the text, but for what "not" leaves
    out."""
    found = [] if excluded(token) else [token, *excepted(token)]
    for child in token.children:
        listed = child.dep_ == "nmod" and child.tag_ == "NN" and token.doc[child.i + 1].text in {",", "/"}
        if (child.dep_ == "conj" or listed) and len(found) < MAX_CONJUNCTS:
            found.extend(conjuncts(child))
    return found


ORDINAL = mark("an ordinal number joins nothing")
SMALL_NUMBER = mark("a number alone, with fewer than three digits")
IN_WORDS = mark("a time or an amount without a digit")
NO_WORD = mark("nothing but articles, prepositions or signs")
TOO_LONG = mark("too long for a name")
PART_OF_NAME = mark("part of another name")
TOO_SHORT = mark("a single letter, or nothing that can be compared")
TITLE = mark("a title, a role or a unit alone")
ROLE = mark("a role, as the article before it says")
FUNCTION = mark("a pronoun, an interjection or another function word")
VALUE_SUBJECT = mark("its subject is a time, an amount or a number")
COMMON_SUBJECT = mark("its subject is no name")
ITSELF = mark("both ends are one name, or an end is empty")
NO_YEAR = mark("a date without a year")
UNSURE = mark("too unsure: below the confidence of a fact")
NO_PROSE = mark("no sentence that states something: a heading, a question or a fragment")


@dataclass(frozen=True, slots=True)
class RejectedTriple:
    """A triple that was built and not kept. `span` of its sentence in the window, None where it has none."""

    subject: Endpoint
    predicate: str
    object: Endpoint
    confidence: float
    span: tuple[int, int] | None
    reason: str


@dataclass(slots=True)
class Rejections:
    """Of one parsed window; offsets in its source. `anchors`: tokens from which any triple was built."""

    names: list[tuple[int, int, str]] = field(default_factory=list)
    triples: list[RejectedTriple] = field(default_factory=list)
    anchors: set[int] = field(default_factory=set)
