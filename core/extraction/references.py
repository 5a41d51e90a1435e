"""What pronouns, definite nouns and short names stand for, as far as it is safe to say.

Encyclopedic and business prose is about its title: the title is the topic, and "he", "it" or "the
film" mean the topic unless another subject of that kind stands nearer (Poesio et al. 2004 find the
subject of the previous clause the likeliest centre; we add the title).
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.extraction.mentions import VALUES, Name
from core.extraction.names import normalise
from core.extraction.phrases import Endpoint
from core.extraction.reading import Reading

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

PERSONAL = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she"}
THING = frozenset({"it", "its"})
GROUP = frozenset({"they", "them", "their"})
BE = frozenset({"is", "was", "are", "were", "be", "been", "being", "'s", "’s"})
SUBJECTS = frozenset({"nsubj", "nsubjpass"})

GUESS, PRONOUN, DEFINITE, SHORT, TOPIC = 0.6, 0.8, 0.85, 0.95, 1.0  # certainty of each way to resolve

_WORD = re.compile(r"[\w'-]+")
_JOINTS = frozenset({"the", "and", "von", "van", "der", "for", "del"})
_HONORIFICS = frozenset("sir dame lord lady prince princess king queen mr mrs ms dr dr. mr. mrs. count countess duke".split())
_PERSONAL_WORD = re.compile(r"\b(he|she|his|him|her)\b", re.IGNORECASE)
_THING_WORD = re.compile(r"\b(it|its)\b", re.IGNORECASE)
_PERSON_NOUN = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ian|ess|man|woman|wright|ant|eer)|son|king|queen|prince|duke|earl|baron|count|wife|nurse|"
    r"athlete|poet|judge|bishop|pope|saint|monk|chef|sultan|figure|heir|model|spy|pilot|coach|critic|cleric|rabbi|priest|lord|lady|noble)"
)
_THING_NOUN = frozenset(
    "film song album novel book play opera series episode single comedy drama documentary magazine newspaper "
    "journal game poem painting band group company corporation firm organization organisation school university "
    "college club team village town city river lake island mountain municipality commune settlement district "
    "county province region country street station church building bridge ship aircraft software program "
    "programme show thriller western musical record label award tournament battle war treaty theatre "
    "theater center centre character quarter letter order paper number chapter computer tower "
    "error answer matter weather winter summer power water sector factor harbor harbour river motor".split()
)
_PLACE_NOUN = frozenset(
    "village town city municipality commune settlement district county province region country island hamlet "
    "locality suburb neighbourhood neighborhood township parish capital".split()
)
_GROUP_NOUN = frozenset(
    "band group company corporation firm organization organisation school university college club team church "
    "agency newspaper publisher manufacturer bank party association institute".split()
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What the passage is about. `kind` is person, thing or "" (not known); `nouns` are what it is called."""

    name: Name
    kind: str
    pronoun: str  # he, she or "" for a person
    nouns: frozenset[str]


def relabelled(names: list[Name], topic: Topic | None) -> list[Name]:
    """The names, those of the topic as the topic says: what the first sentence calls it is surer than spaCy."""
    if topic is None:
        return names
    return [replace(n, label=topic.name.label) if n.text == topic.name.text else n for n in names]


def find_topic(doc: Doc, text: str, names: list[Name], title: str, opening: bool) -> Topic | None:
    """The title as topic; `opening` tells that the text is the beginning of its document."""
    if not normalise(title):
        return None
    name = next((n for n in names if n.text == title), None)
    if name is None:
        name = Name(title, "WORK", 0, 0)
    nouns = _predicate_nouns(doc) if opening else frozenset()
    counts = Counter(PERSONAL[m.group().lower()] for m in _PERSONAL_WORD.finditer(text))
    pronoun = counts.most_common(1)[0][0] if counts else ""
    if any(_PERSON_NOUN.fullmatch(noun) for noun in nouns - _THING_NOUN):
        kind = "person"
    elif nouns & _THING_NOUN:
        kind = "thing"
    elif counts.total() > len(_THING_WORD.findall(text)):
        kind = "person"
    else:
        kind = {"PERSON": "person", "ORG": "thing", "GPE": "thing"}.get(name.label, "thing" if nouns else "")
    label = name.label
    if kind == "person":
        label = "PERSON"
    elif nouns & _PLACE_NOUN:
        label = "GPE"
    elif nouns & _GROUP_NOUN:
        label = "ORG"
    elif kind == "thing" and label == "PERSON":
        label = "WORK"
    return Topic(replace(name, label=label), kind, pronoun, nouns & _THING_NOUN)


def _predicate_nouns(doc: Doc) -> frozenset[str]:
    """Nouns that the first sentence equates with its subject: film, village, director."""
    nouns = set()
    for sentence in doc.sents:
        for token in sentence:
            if token.dep_ == "attr" and token.head.lower_ in BE:
                nouns.update(t.lower_ for t in [token, *token.conjuncts] if t.tag_ in {"NN", "NNP", "JJ"})
        break
    return frozenset(nouns)


class References:
    """One pass over the sentences; `stands_for` maps token index to endpoint."""

    def __init__(self, doc: Doc, names: list[Name], topic: Topic | None, reading: Reading | None) -> None:
        self._doc, self._topic = doc, topic
        self._name_of = {i: name for name in names for i in range(name.first, name.last + 1)}
        self._full: dict[str, Name] = {}  # last word of a full person's name -> the name
        self._person: Name | None = topic.name if topic and topic.kind == "person" else None
        self._thing: Name | None = topic.name if topic and topic.kind != "person" else None
        self.stands_for: dict[int, Endpoint] = {}
        self.opening_root = -1  # token index of the first verb, when its subject is the topic
        self.aliases: list[tuple[Name, int]] = []  # other names of the topic, with a token as evidence
        for number, sentence in enumerate(doc.sents):
            if number == 0 and reading is not None and topic is not None:
                self._open(sentence, topic, reading)
            self._read(sentence)

    def _open(self, sentence: Span, topic: Topic, reading: Reading) -> None:
        """The subject of the first sentence is the topic when its name or its form says so."""
        subject = main_subject(sentence)
        if subject is None:
            return
        name = self._name_of.get(subject.i)
        again = topic.name.text in reading.before(sentence.root.idx)
        if name is None:
            if subject.lower_ in THING | PERSONAL.keys():
                self.stands_for[subject.i] = Endpoint(topic.name.text, topic.name, PRONOUN)
            elif sentence[0].text[0].isupper() and sentence[0].tag_ != "DT":
                phrase = self._doc[subject.left_edge.i : subject.i + 1].text
                if "'s" not in phrase and (again or _alike(phrase, topic.name.text)):  # a foreign name, not tagged as one
                    self.stands_for[subject.i] = Endpoint(topic.name.text, topic.name, TOPIC)
                    self.opening_root = sentence.root.i
            return
        if name.text == topic.name.text:
            self.opening_root = sentence.root.i
        elif name.label not in VALUES and (again or _alike(name.text, topic.name.text)):
            self.stands_for[name.last] = Endpoint(topic.name.text, topic.name, TOPIC)
            if topic.kind != "person" or len(name_words(name.text)) > 1:  # "Hayek" is no other name of F. A. Hayek
                self.aliases.append((name, subject.i))
            self.opening_root = sentence.root.i

    def _read(self, sentence: Span) -> None:
        inner: Name | None = None  # the last person named as a subject within this sentence
        for token in sentence:
            name = self._name_of.get(token.i)
            if name is not None:
                if token.i == name.last:
                    self._shorten(name, token.dep_ in SUBJECTS or token.dep_ == "poss")
                if token.dep_ in SUBJECTS and name.label == "PERSON":
                    inner = self._target(name)
            elif token.tag_ in {"PRP", "PRP$"}:
                self._pronoun(token, inner)
            elif token.tag_ in {"NN", "JJ"}:
                self._definite(token)
        subject = main_subject(sentence)
        if subject is None:
            return
        point = self.stands_for.get(subject.i)
        name = point.name if point is not None else self._name_of.get(subject.i)
        if name is not None and name.label not in VALUES:
            name = self._target(name)
            if name.label == "PERSON" or self._is_topic_person(name):
                self._person = name
            else:
                self._thing = name

    def _target(self, name: Name) -> Name:
        point = self.stands_for.get(name.last)
        return point.name if point is not None and point.name is not None else name

    def _is_topic_person(self, name: Name) -> bool:
        return self._topic is not None and self._topic.kind == "person" and name.text == self._topic.name.text

    def _shorten(self, name: Name, leading: bool) -> None:
        """A surname alone stands for the full name that was read before, or for the topic.

        Part of the topic's name counts where it leads a clause: "son of Henry" may be another Henry.
        """
        if name.last in self.stands_for:
            return
        words = [word for word in name_words(name.text) if word not in _HONORIFICS]
        topic = self._topic
        if not words or topic is None or name.text == topic.name.text:
            return
        if leading and topic.kind == "person" and len(words) > 1 and self._is_topic(words):
            self.stands_for[name.last] = Endpoint(topic.name.text, topic.name, SHORT)
        elif len(words) == 1 and name.label not in {*VALUES, "NORP", "GPE", "LOC", "WORK"}:
            full = self._full.get(words[0])
            if topic.kind == "person" and words[0] in _edge_words(topic.name.text)[0 if leading else 1 :]:
                full = topic.name
            if full is not None and full is not name and name_words(full.text) != words:
                self.stands_for[name.last] = Endpoint(full.text, full, SHORT)
        elif 2 <= len(words) <= 4 and name.label == "PERSON":
            self._full[words[-1]] = name

    def _is_topic(self, words: list[str]) -> bool:
        """Whether all words of a name stand in one name of the topic, the first or the last among them."""
        if self._topic is None:
            return False
        for name in (self._topic.name, *(alias for alias, _ in self.aliases)):
            known = name_words(name.text)
            if set(words) <= set(known) and words[-1] in {known[-1], *known[1:2]}:
                return True
        return False

    def _pronoun(self, token: Token, inner: Name | None) -> None:
        word, topic = token.lower_, self._topic
        if token.i in self.stands_for:
            return
        target: Name | None = None
        if word in PERSONAL:
            target = inner or self._person
            mismatch = topic is not None and topic.pronoun and topic.pronoun != PERSONAL[word]
            if target is not None and topic is not None and target.text == topic.name.text and mismatch:
                target = None
        elif word in THING and token.dep_ in SUBJECTS | {"poss"}:
            known = topic is not None and topic.kind == "thing"
            target = topic.name if known and topic is not None else self._thing
        elif word in GROUP and topic is not None and topic.nouns & {"band", "group", "company", "team", "club"}:
            target = topic.name
        if target is not None:
            guess = topic is not None and target.text == topic.name.text and not topic.kind
            self.stands_for[token.i] = Endpoint(target.text, target, GUESS if guess else PRONOUN)

    def _definite(self, token: Token) -> None:
        """ "The film", "this company": the topic, when the first sentence called it that."""
        if self._topic is None or token.lower_ not in self._topic.nouns or token.dep_ in {"attr", "compound"}:
            return
        modifiers = [child for child in token.children if child.i < token.i]
        if len(modifiers) == 1 and modifiers[0].lower_ in {"the", "this"} and token.i - modifiers[0].i == 1:
            if not any(child.dep_ in {"appos", "prep", "relcl", "acl"} for child in token.children):
                self.stands_for[token.i] = Endpoint(self._topic.name.text, self._topic.name, DEFINITE)


def main_subject(sentence: Span) -> Token | None:
    """The subject of the sentence's main verb."""
    return next((child for child in sentence.root.children if child.dep_ in SUBJECTS), None)


def name_words(name: str) -> list[str]:
    """Words of a name's key, without punctuation."""
    return _WORD.findall(normalise(name))


def _edge_words(name: str) -> tuple[str, ...]:
    """First and last word of a name's key."""
    words = name_words(name)
    return (words[0], words[-1]) if words else ()


def _alike(one: str, other: str) -> bool:
    """Two names of one thing: they share a word of three letters or more, or are spelled much the same."""
    shared = {word for word in name_words(one) if len(word) >= 3} & set(name_words(other))
    return bool(shared - _JOINTS) or SequenceMatcher(None, normalise(one), normalise(other)).ratio() >= 0.6
