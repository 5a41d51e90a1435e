"""Whom a noun describes: "director" in "Anna is the director of X" describes Anna."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.extraction.phrases import Endpoint, Phrases, conjuncts
from core.extraction.topic import BE, SUBJECTS, Topic

if TYPE_CHECKING:
    from spacy.tokens import Token

LINKING = BE | frozenset(
    "became become becomes remained remains grew grown feels felt seems seemed named elected appointed".split()
)
# How a fronted apposition is parsed: "A member of the dynasty, he was..."
_FRONTED = SUBJECTS | frozenset({"dep", "npadvmod", "advcl", "ccomp", "intj"})
_PARTITIVES = frozenset(
    {"one", "series", "set", "pair", "collection", "group", "part", "first", "last", "second"}
)
_MAX_STEPS = 4


class Owners:
    """Noun -> the names it is said of, for one parsed text."""

    def __init__(self, phrases: Phrases, topic: Topic | None) -> None:
        self._phrases, self._topic = phrases, topic

    def of(self, noun: Token, steps: int = _MAX_STEPS) -> list[Endpoint]:
        """Return whom a noun is said of: a name stands for itself, a common noun for what it describes."""
        own = self._phrases.named(noun)
        if own is not None:
            return [own]
        if not self._phrases.common(noun) or not steps:
            return []
        if noun.dep_ != "attr" and (apposed := self.apposed(noun)):
            return apposed
        if noun.dep_ == "conj" and self._phrases.named(noun.head) is not None:
            return []  # "Anna and the laws of Oslo"
        if noun.dep_ in {"conj", "appos"}:
            return self.of(noun.head, steps - 1)
        if noun.dep_ in {"attr", "oprd", "dobj"} and noun.head.lower_ in LINKING:
            return self._subjects_of(noun.head, steps - 1)
        if noun.dep_ == "pobj" and noun.head.lower_ == "of" and noun.head.head.lower_ in _PARTITIVES:
            return self.of(noun.head.head, steps - 1)
        if noun.dep_ == "pobj" and noun.head.lower_ == "as" and noun.head.head.tag_[:2] == "VB":
            objects = [child for child in noun.head.head.children if child.dep_ == "dobj"]
            if objects:  # "they present him as the son of X"
                return [named for child in objects if (named := self._phrases.named(child)) is not None]
            return self._subjects_of(noun.head.head, steps - 1)
        if noun.dep_ in SUBJECTS and second_subject(noun) is None:
            return self._attributes_of(noun.head)
        if noun.dep_ in _FRONTED and noun.head.tag_[:2] == "VB" and noun.i < noun.head.i:
            return self._subjects_of(noun.head, steps - 1, after=noun.i)
        return []

    def _attributes_of(self, verb: Token) -> list[Endpoint]:
        """ "His father was Charles": the father is Charles."""
        attributes = [child for child in verb.children if child.dep_ == "attr"] if verb.lower_ in BE else []
        return [p for a in attributes for c in conjuncts(a) if (p := self._phrases.named(c)) is not None]

    def apposed(self, noun: Token) -> list[Endpoint]:
        """Return the names in apposition to a common noun: "his father, Charles"."""
        apart = self._phrases.apart
        apposed = (child for child in noun.children if child.dep_ == "appos" and not apart(noun, child))
        names = [self._phrases.named(child) for child in apposed]
        return [name for name in names if name is not None]

    def owner_of_part(self, noun: Token) -> Endpoint | None:
        """Return what a common noun is a part of: "its music", "the music of the film", "the music" of the topic."""
        lone = noun.left_edge.i >= noun.i - 1  # "the music", not "the first systematic catalogue"
        definite = lone and noun.tag_ == "NN" and noun.dep_ == "nsubjpass" and noun.left_edge.i == noun.i
        for child in noun.children:
            if child.dep_ == "poss":
                return self._phrases.named(child)
            if child.dep_ == "prep" and child.lower_ == "of":
                targets = [t for t in child.children if t.dep_ == "pobj"]
                return self._phrases.named(targets[0]) if targets else None
            if child.dep_ in {"appos", "relcl"}:
                return None
            definite = definite or (lone and child.dep_ == "det" and child.lower_ == "the")
        if definite and self._topic is not None and self._topic.kind == "thing" and self._topic.nouns:
            return Endpoint(self._topic.name.text, self._topic.name)
        return None

    def _subjects_of(self, verb: Token, steps: int, after: int = -1) -> list[Endpoint]:
        for _ in range(_MAX_STEPS):
            own = [child for child in verb.children if child.dep_ in SUBJECTS and child.i > after]
            if own:
                points: list[Endpoint] = []
                for token in own:
                    if token.tag_ in {"WP", "WDT"}:
                        points += self.of(verb.head, steps)
                    else:
                        named = (self._phrases.named(part) for part in conjuncts(token))
                        points += [point for point in named if point is not None]
                return points
            if verb.dep_ in {"acl", "relcl"}:
                return self.of(verb.head, steps)
            if verb.dep_ not in {"conj", "xcomp", "advcl"}:
                return []
            verb = verb.head
        return []


def second_subject(noun: Token) -> Token | None:
    """Return the real subject behind a fronted apposition: "she" in "The daughter of a king, she was born in Oslo"."""
    later = [child for child in noun.head.children if child.dep_ in SUBJECTS and child.i > noun.i]
    return later[0] if later else None
