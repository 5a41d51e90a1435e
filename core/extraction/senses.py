"""Homonyms: one name, several bearers, kept apart by what stands beside them.

Within one document a name means one thing (Gale, Church and Yarowsky 1992), so a name's sense is told
document by document, from signs that stand in that document: a longer name that holds it, a date of birth,
what the sentences do with it. A sense is part of the key of a name (`core.types.kinds`); "" is the one
of which nothing is said. Precision comes first: only signs that contradict each other divide a name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.extraction.name_blocks import SHORTEST_SURNAME
from core.extraction.names import (
    ANCHOR,
    OTHER,
    PERSON,
    PLACE,
    NamedEntity,
    fits,
    kind_of,
    lower_words,
    normalise,
    qualified,
    words_of,
)
from core.extraction.titles import at_odds, has_rank, sex_of_words, titles_of, untitled
from core.extraction.topic import PLACE_NOUNS
from core.types.kinds import VALUES

QUALIFIER, SURNAME, BORN, KIND, BEARER = "qualifier", "surname", "born", "kind", "bearer"
INITIALS = "initials"
_YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_BIRTH = re.compile(r"born(?: on| in)?")
_DONE_BY_PEOPLE = frozenset(
    "born died married said wrote told asked signed studied graduated joined resigned retired taught spoke testified"
    " lived".split()
)


@dataclass(slots=True)
class Bearing:
    """What all uses of a name in one document say. `offices`: (office, firm as written)."""

    located: bool = False
    kinds: set[str] = field(default_factory=set)
    pronouns: Counter[str] = field(default_factory=Counter)
    offices: set[tuple[str, str]] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)  # in brackets behind a person's name
    doubtful: bool = False  # named once, and one of its words is a word elsewhere in the document

    @property
    def pronoun(self) -> str:
        """ "he" or "she" where no use says the other."""
        return next(iter(self.pronouns)) if len(self.pronouns) == 1 else ""


@dataclass(frozen=True, slots=True)
class DocumentName:
    """A name in one document: its key without sense, what most of its mentions there are, and what is around them."""

    normal: str
    label: str
    bearing: Bearing = field(default_factory=Bearing)


@dataclass(frozen=True, slots=True)
class DocumentFact:
    """A fact of one document: keys of its ends without sense."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Sign:
    """What a document says about which bearer of a name it means; `value` belongs to the kind of sign."""

    kind: str
    value: str


def signs(names: Sequence[DocumentName], facts: Iterable[DocumentFact]) -> dict[str, Sign]:
    """Return, by name, the surest sign of its bearer that one document gives; names without any are left out."""
    found = _kinds(names, facts) | _surnames(names) | _qualifiers(names) | _initials(names)
    return {normal: found[normal] for normal in sorted(found)}


def senses(signs_: Mapping[int, Sign]) -> dict[int, str]:
    """Return sense of one name in each document that gives a sign of it."""
    born = {sign.value for sign in signs_.values() if sign.kind == BORN}
    full = {sign.value for sign in signs_.values() if sign.kind in (QUALIFIER, SURNAME)}
    several = not all(_same_person(one, other) for one in full for other in full if one < other)
    named_places = any(sign == Sign(KIND, PLACE) for sign in signs_.values())
    # "in" alone, which things stand in, too, makes no thing another.
    places = named_places or any(sign == Sign(KIND, LOCATED) for sign in signs_.values())
    # A verb alone is done by firms and ships, too: only what is surely a person makes a thing another.
    people = any(sign.kind in (BORN, BEARER) for sign in signs_.values())
    bearers = _bearers({at: sign.value for at, sign in signs_.items() if sign.kind == BEARER})
    found: dict[int, str] = {}
    for document, sign in signs_.items():
        # One bearer in all documents is no reason to tell this one from those that do not say.
        if (
            (sign.kind == QUALIFIER and len(full) > 1)
            or (sign.kind == SURNAME and (several or places))
            or sign.kind == INITIALS
        ):
            found[document] = ANCHOR + sign.value
        elif sign.kind == BORN and len(born) > 1:
            found[document] = f"born {sign.value}"
        elif sign == Sign(KIND, THING):
            found[document] = THING if named_places or people else ""
        elif bearers.get(document):
            found[document] = bearers[document]
        elif places and (sign.kind in (BORN, BEARER) or sign == Sign(KIND, PERSON)):
            found[document] = PERSON
        else:
            found[document] = ""
    return found


def _bearers(values: Mapping[int, str]) -> dict[int, str]:
    """Return sense by document of people who are of different sex, or hold the same office of different firms."""
    parts = {document: value.split("\t") for document, value in values.items()}  # pronoun, office, firm
    pronouns = {pronoun for pronoun, _, _ in parts.values() if pronoun}
    firms: dict[tuple[str, str], set[str]] = {}  # by pronoun and office, their keys
    written: dict[str, str] = {}
    for pronoun, office, firm in sorted(parts.values()):
        if firm:
            firms.setdefault((pronoun if len(pronouns) > 1 else "", office), set()).add(normalise(firm))
            written.setdefault(normalise(firm), firm)
    found: dict[int, str] = {}
    for document, (pronoun, office, firm) in parts.items():
        group = pronoun if len(pronouns) > 1 else ""
        own = {key for (sex, _), keys in firms.items() if sex == group for key in keys}
        if firm and (len(firms[group, office]) > 1 or (group and len(own) == 1)):
            found[document] = written[normalise(firm)]
        elif group:
            found[document] = written[next(iter(own))] if len(own) == 1 else group
    return found


def _same_person(one: str, other: str) -> bool:
    """Return whether nothing speaks against one bearer: "S. Harding" and "Rev. Septimus Harding"."""
    first, second = (untitled(words_of(qualified(name)[0])) for name in (one, other))
    return (first == second or fits(first, second)) and not at_odds(words_of(one), words_of(other))


def _qualifiers(names: Sequence[DocumentName]) -> dict[str, Sign]:
    """ "Titanic" in a document that also writes "Titanic (1997 film)", and of no other Titanic."""
    present = {name.normal for name in names}
    full: dict[str, set[str]] = {}
    for normal in present:
        bare, qualifier = qualified(normal)
        if qualifier and bare in present:
            full.setdefault(bare, set()).add(normal)
    return {bare: Sign(QUALIFIER, min(own)) for bare, own in full.items() if len(own) == 1}


def _initials(names: Sequence[DocumentName]) -> dict[str, Sign]:
    """ "MK" in a document that introduces it: "Mary Krag (MK)"."""
    known: dict[str, set[str]] = {}
    for name in names:
        for short in name.bearing.initials:
            known.setdefault(short, set()).add(name.normal)
    present = {name.normal for name in names}
    return {
        short: Sign(INITIALS, min(own)) for short, own in known.items() if len(own) == 1 and short in present
    }


def _surnames(names: Sequence[DocumentName]) -> dict[str, Sign]:
    """ "Smith", "Mr Smith" or "Mary" in a document of whose people only one is so called, by a full name."""
    people = [named for name in names if (named := NamedEntity(0, name.normal, name.label)).personal]
    doubtful = {name.normal for name in names if name.bearing.doubtful}
    full: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name in people:
        words = untitled(words_of(name.bare))
        if len(words) >= 2 and name.normal not in doubtful:
            for word in {words[0], words[-1]}:
                full.setdefault(word, []).append((words, name.normal))
    found: dict[str, Sign] = {}
    mixed = _mixed(name.normal for name in people)
    for name in people:
        words = untitled(name.words)
        if len(words) != 1 or len(words[0]) < SHORTEST_SURNAME or words[0] not in full:
            continue
        titles = titles_of(name.words)
        bearers = [own for own in full[words[0]] if not at_odds(words_of(own[1]), name.words)]
        if titles:
            bearers = [own for own in bearers if own[0][-1] == words[0]]
        # "Mr Thorne" and "Miss Thorne": whose full name it is, only an honorific tells; so it is of titles of rank.
        if words[0] in mixed or has_rank(titles):
            bearers = [own for own in bearers if titles & titles_of(words_of(own[1]))]
        if not bearers:
            continue
        others = [own for own in full[words[0]] if at_odds(words_of(own[1]), name.words)]
        longest = max(bearers, key=lambda bearer: (len(bearer[0]), bearer[1]))
        alike = [own == longest[0] or fits(own, longest[0]) for own, _ in (*bearers, *others)]
        if all(alike[: len(bearers)]) and not any(alike[len(bearers) :]):
            found[name.normal] = Sign(SURNAME, longest[1])
    return found


def _mixed(people: Iterable[str]) -> set[str]:
    """Return surnames that stand after honorifics of different people."""
    short: dict[str, list[tuple[str, ...]]] = {}
    for normal in people:
        words = words_of(normal)
        if len(rest := untitled(words)) == 1 and len(words) > 1:
            short.setdefault(rest[0], []).append(words)
    return {
        name for name, forms in short.items() if any(at_odds(one, other) for one in forms for other in forms)
    }


def _kinds(names: Sequence[DocumentName], facts: Iterable[DocumentFact]) -> dict[str, Sign]:
    """Return dates of birth; else people, who do what only people do, and places, where something is."""
    label = {name.normal: name.label for name in names}
    years: dict[str, set[str]] = {}
    doing: set[str] = set()
    for fact in facts:
        if kind_of(label.get(fact.subject, "")) != PERSON:
            continue
        if _BIRTH.fullmatch(fact.predicate) and (match := _YEAR.search(fact.object)) is not None:
            years.setdefault(fact.subject, set()).add(match.group())
        if fact.predicate.partition(" ")[0] in _DONE_BY_PEOPLE:
            doing.add(fact.subject)
    in_people = {
        word for name in names if kind_of(name.label) == PERSON for word in words_of(name.normal)[1:]
    }  # "the Mr Grove whom", "the Grove of the letter"
    found: dict[str, Sign] = {}
    for name in names:
        bearing, kind, words = name.bearing, kind_of(name.label), words_of(name.normal)
        full = kind == PERSON and len(untitled(words)) > 1
        # A forename that is a man's or a woman's everywhere says more than a pronoun, which may be another's.
        pronoun = "" if sex_of_words(words) else bearing.pronoun
        if len(own := years.get(name.normal, set())) == 1:
            found[name.normal] = Sign(BORN, next(iter(own)))
        elif len(bearing.kinds) > 1:
            continue  # the document itself speaks of several
        elif full and (pronoun or len(bearing.offices) == 1):
            office, firm = next(iter(bearing.offices)) if len(bearing.offices) == 1 else ("", "")
            found[name.normal] = Sign(BEARER, "\t".join((pronoun, office, firm)))
        elif THING in bearing.kinds:
            if name.normal not in in_people:
                found[name.normal] = Sign(KIND, THING)
        elif PERSON in bearing.kinds and kind != PLACE:
            found[name.normal] = Sign(BEARER, "\t\t")
        elif name.normal in doing and not bearing.located:
            found[name.normal] = Sign(KIND, PERSON)
        elif PLACE in bearing.kinds:
            found[name.normal] = Sign(KIND, PLACE)
        elif bearing.located and kind == PLACE:
            found[name.normal] = Sign(KIND, LOCATED)
    return found


THING, LOCATED = "thing", "located"
_BEFORE, _SENTENCE = 30, 300  # characters that are looked at before a name, and behind it
_LOCATED = re.compile(r"[ (](?:in|at|near) $", re.IGNORECASE)
_PLACE_OF = re.compile(
    rf"\b(?:{'|'.join(sorted(PLACE_NOUNS))}|harbou?r|port|river|outskirts|streets|ville|quartier|rues) (?:of|de) $",
    re.IGNORECASE,
)
_THING_BEFORE = re.compile(
    r"\b(?:(?:steam|war|motor|flag|battle|air)?ship|vessel|(?:steam|motor|sail|life)?boat|ferry|liner|frigate"
    r"|cutter|sloop|steamer|schooner|tug|yacht|barque|brig|trawler|freighter|tanker|aircraft|airplane"
    r"|locomotive|film|novel|song|album|opera|painting|navire|bateau|paquebot|SS|MS|MV|HMS|USS|aboard(?: the)?) $"
)
# What ships alone do: "The Durham put to sea", though Durham is a place.
_SAILS = re.compile(
    r" (?:sank|sailed|docked|moored|anchored|capsized|foundered|steamed|left port|put to sea|ran aground|lay at anchor"
    r"|was (?:launched|scuttled|torpedoed|salvaged|towed))\b"
)
_ARTICLE = re.compile(r"(?:^|[\s(\"“])[Tt]he $")
# What a name is followed by that stands by itself: "the Berg family" does not.
_BY_ITSELF = re.compile(
    r"['’]s\b|[.,;:!?)]|$| (?:is|was|were|are|has|had|will|would|and|or|in|on|at|of|to|from|with|by|for|which|that"
    r"|into|near|left|sank|ran|lay|came|went|took|made|struck|lost|set|put|bore|met|hit|fell|[a-z]{2,}ed)\b"
)
_BEGINS = re.compile(r"(?:^|[.!?][\"”’)]*\s+|\n)[\"“‘(]?$")
_ENDS = re.compile(r"[.!?][\"”’)]*(?=\s|$)|\n")
_OWN = re.compile(r"\b(his|himself|her|herself)\b")
_NEXT = re.compile(r"\s*(He|She|His|Her|Il|Elle)\b")
_BRACKETS = re.compile(r" \(([^\W\d_]{2,3})\)")  # initials behind a name
_WHO = re.compile(r",? who\b")
_MALE = frozenset({"he", "his", "himself", "il"})
# An office of which there is one: no "a" before it. In the present, for offices change.
_OFFICE = re.compile(
    r"(?:,| is| is now| serves as|, who is,?) (?:the |our |our new )?(?!an? )(?P<role>[^\W\d_][\w-]*(?: [\w-]+){0,3}?)"
    r" (?:of|at|for) (?:the )?$"
)


@dataclass(frozen=True, slots=True)
class Use:
    """A mention in a passage: the key of its name without sense, its label and place."""

    normal: str
    label: str
    start: int
    end: int


def bearings(passages: Iterable[tuple[str, Sequence[Use]]]) -> dict[str, Bearing]:
    """Return by name, of a document's passages, each with its uses in order."""
    found: dict[str, Bearing] = defaultdict(Bearing)
    passages = list(passages)
    counts = Counter(use.normal for _, uses in passages for use in uses)
    lower = {word for text, _ in passages for word in lower_words(text)}
    for text, uses in passages:
        for at, use in enumerate(uses):
            if counts[use.normal] == 1 and kind_of(use.label) == PERSON:
                found[use.normal].doubtful = not lower.isdisjoint(words_of(use.normal))
            # What begins a sentence may pass for a word; what is written small is one.
            if use.end > use.start and use.label not in VALUES and text[use.start].isupper():
                _look(text, use, uses[at + 1 :], found[use.normal])
    return dict(found)


def _look(text: str, use: Use, later: Sequence[Use], bearing: Bearing) -> None:
    before = text[max(0, use.start - _BEFORE) : use.start]
    kind = kind_of(use.label)
    bearing.located |= _LOCATED.search(before) is not None
    if _PLACE_OF.search(before) is not None:
        bearing.kinds.add(PLACE)
    elif _THING_BEFORE.search(before) is not None or (
        _ARTICLE.search(before) is not None
        and (_BY_ITSELF if kind == OTHER else _SAILS).match(text, use.end) is not None
    ):
        bearing.kinds.add(THING)
    if kind == PERSON and (brackets := _BRACKETS.match(text, use.end)) is not None:
        short, words = brackets[1].casefold(), untitled(words_of(use.normal))
        if len(words) > 1 and short[0] == words[0][0] and words[-1][0] in short[1:]:
            bearing.initials.add(short)
    if _WHO.match(text, use.end) is not None and kind != PLACE:
        bearing.kinds.add(PERSON)
    end = _ENDS.search(text, use.end, use.end + _SENTENCE)
    if end is None or _BEGINS.search(before) is None or _ARTICLE.search(before) is not None:
        return
    others = [one for one in later if one.start >= use.end and one.label not in VALUES]
    for other in others[:4]:
        office = _OFFICE.fullmatch(text, use.end, other.start) if kind_of(other.label) != PLACE else None
        if office is not None and other.end <= end.start():
            bearing.offices.add((office["role"].casefold(), text[other.start : other.end]))
            others = [one for one in others if one.start > other.start]  # whatever the firm is labelled
            break
    for word in _pronouns(text, use, others, end):
        bearing.kinds.add(PERSON)
        bearing.pronouns["he" if word.lower() in _MALE else "she"] += 1


def _pronouns(text: str, use: Use, others: Sequence[Use], end: re.Match[str]) -> Iterator[str]:
    """Yield those that mean the name which leads the sentence: in it with no other name before, or first in the
    next one."""
    first = min((one.start for one in others), default=len(text))
    if (own := _OWN.search(text, use.end, min(end.start(), first))) is not None:
        yield own[1]
    alone = not any(one.start < end.start() and kind_of(one.label) == PERSON for one in others)
    if use.label == "PERSON" and alone and (following := _NEXT.match(text, end.end())) is not None:
        yield following[1]
