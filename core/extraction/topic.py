"""What a passage is about: its document's title, where title and text bear that out.

An encyclopedic first sentence says what the title is ("X was a Swiss director"), and then "he", "it" and
"the film" mean the title. A report is not about its own title, so without such a sign nothing is resolved.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from core.extraction.names import Name, normalise
from core.extraction.reading import Reading
from core.extraction.titles import HONORIFICS
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

PERSONAL = {"he": "he", "him": "he", "his": "he", "she": "she", "her": "she"}
BE = frozenset({"is", "was", "are", "were", "be", "been", "being", "'s", "’s"})
SUBJECTS = frozenset({"nsubj", "nsubjpass"})

_WORD = re.compile(r"[\w'-]+")
_FUNCTION = frozenset("of from with by on to in at for and or the a an about between re fwd".split())
_PERSONAL_WORD = re.compile(r"\b(he|she|his|him|her)\b", re.IGNORECASE)
_THING_WORD = re.compile(r"\b(it|its)\b", re.IGNORECASE)
_PERSON_NOUN = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ian|ess|man|woman|wright|ant|eer)|son|king|queen|prince|duke|earl|baron|count|wife|nurse|"
    r"athlete|poet|judge|bishop|pope|saint|monk|chef|sultan|figure|heir|"
    r"model|spy|pilot|coach|critic|cleric|rabbi|priest|lord|lady|noble)"
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
PLACE_NOUNS = frozenset(
    "village town city municipality commune settlement district county province region country island hamlet "
    "locality suburb neighbourhood neighborhood township parish capital".split()
)
_GROUP_NOUN = frozenset(
    "band group company corporation firm organization organisation school university college club team church "
    "agency newspaper publisher manufacturer bank party association institute".split()
)


@dataclass(frozen=True, slots=True)
class Opening:
    """How the first sentence takes up the title: by itself (`name` is the title), by another name, by a
    pronoun or by words that are no name to spaCy (`name` is None)."""

    subject: int  # token index
    root: int  # token index of the verb
    name: Name | None


@dataclass(frozen=True, slots=True)
class Topic:
    """What the passage is about. `kind` is person, thing or "" (not known); `nouns` are what it is called."""

    name: Name
    kind: str
    pronoun: str  # he, she or "" for a person
    nouns: frozenset[str]
    opening: Opening | None
    is_stated: bool  # whether the first sentence says what it is: "Awake is the third album"


def find_topic(doc: Doc, reading: Reading, names: list[Name], title: str, first: bool) -> Topic | None:
    """Return the title, where it stands in the text as a name or the first sentence is about it; else None.

    `first` tells that the text is the beginning of its document.
    """
    if not normalise(title):
        return None
    stands = next((n for n in names if n.text == title), None)
    name = stands or Name(title, "WORK", 0, 0)
    opening = _find_opening(doc, reading, names, title) if first else None
    nouns = _predicate_nouns(doc, opening.root) if opening is not None else frozenset()
    counts = Counter(PERSONAL[m.group().lower()] for m in _PERSONAL_WORD.finditer(reading.text))
    pronoun = counts.most_common(1)[0][0] if counts else ""
    if opening is None and (stands is None or stands.weak or not reads_as_name(title)):
        return None
    personal = counts.total() > len(_THING_WORD.findall(reading.text))
    kind = _kind(name.label, nouns, personal)
    label = _label(name.label, kind, nouns)
    return Topic(replace(name, label=label), kind, pronoun, nouns & _THING_NOUN, opening, bool(nouns))


def relabelled(names: list[Name], topic: Topic | None) -> list[Name]:
    """Return the names, those of the topic as the topic says: what the first sentence calls it is surer than spaCy.

    What that sentence says to be something has its capital of a name, not of where it stands: "Garrett is a town".
    """
    if topic is None:
        return names
    own = {topic.name.text}
    if topic.opening is not None and topic.opening.name is not None:
        own.add(topic.opening.name.text)
    return [
        replace(
            n,
            label=topic.name.label if n.text == topic.name.text else n.label,
            weak=n.weak and not topic.is_stated,
        )
        if n.text in own
        else n
        for n in names
    ]


def reads_as_name(title: str) -> bool:
    """Return whether all longer words of a title have a capital: "Anna Berg", not "Crew list of the Anna Berg"."""
    words = title.split()
    if not words or len(words) > 10 or ":" in title:
        return False
    return all(not word[:1].islower() for word in words if len(word) > 3)


def main_subject(sentence: Span) -> Token | None:
    """Return the subject of the sentence's main verb."""
    return next((child for child in sentence.root.children if child.dep_ in SUBJECTS), None)


def name_words(name: str) -> list[str]:
    """Return words of a name's key, without punctuation."""
    return _WORD.findall(normalise(name))


def _find_opening(doc: Doc, reading: Reading, names: list[Name], title: str) -> Opening | None:
    sentence = next(iter(doc.sents), None)
    subject = main_subject(sentence) if sentence is not None else None
    if sentence is None or subject is None:
        return None
    root = sentence.root.i
    name = next((n for n in names if n.first <= subject.i <= n.last), None)
    if name is not None and name.text == title:
        return Opening(subject.i, root, name)
    if not reads_as_name(title):
        return None
    again = title in reading.between(subject.left_edge.idx, sentence.root.idx)
    if name is not None:
        alike = name.label not in VALUES and (again or _alike(name.text, title))
        return Opening(subject.i, root, name) if alike else None
    if subject.tag_ == "PRP":
        return None
    phrase = doc[subject.left_edge.i : subject.i + 1].text
    foreign = phrase[:1].isupper() and doc[subject.left_edge.i].tag_ != "DT" and "'s" not in phrase
    return Opening(subject.i, root, None) if foreign and (again or _alike(phrase, title)) else None


def _predicate_nouns(doc: Doc, root: int) -> frozenset[str]:
    """Return nouns that the first sentence equates with its subject: film, village, director."""
    nouns: set[str] = set()
    for token in doc[root].sent:
        if token.dep_ == "attr" and token.head.lower_ in BE:
            nouns.update(t.lower_ for t in [token, *token.conjuncts] if t.tag_ in {"NN", "NNP", "JJ"})
    return frozenset(nouns)


def _kind(label: str, nouns: frozenset[str], personal: bool) -> str:
    if any(_PERSON_NOUN.fullmatch(noun) for noun in nouns - _THING_NOUN):
        return "person"
    if nouns & _THING_NOUN:
        return "thing"
    if personal:
        return "person"
    return {"PERSON": "person", "ORG": "thing", "GPE": "thing"}.get(label, "thing" if nouns else "")


def _label(label: str, kind: str, nouns: frozenset[str]) -> str:
    if kind == "person":
        return "PERSON"
    if nouns & PLACE_NOUNS:
        return "GPE"
    if nouns & _GROUP_NOUN:
        return "ORG"
    return "WORK" if kind == "thing" and label == "PERSON" else label


def _alike(one: str, title: str) -> bool:
    """Return whether two names are of one thing: they share their head or are spelled much the same.

    "Notes of Anna Berg" is no name of Anna Berg: with small words inside, the first word must be shared.
    """
    words, wanted = name_words(one), [word for word in name_words(title) if word not in HONORIFICS]
    shared = {word for word in words if len(word) >= 3} & set(wanted) - _FUNCTION
    if not words or not wanted:
        return False
    if shared and (wanted[0] in words or not _FUNCTION & set(wanted)):
        return True
    same_start = words[0][0] == wanted[0][0]
    return same_start and SequenceMatcher(None, normalise(one), normalise(title)).ratio() >= 0.6
