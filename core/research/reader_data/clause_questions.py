"""Clauses converted to questions: wh-word, auxiliary, subject, rest. After Heilman and Smith 2010."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.research.reader_data.clause import (
    HUMAN,
    OF_SPEAKER,
    OPINING,
    SAYING,
    SUBJECTS,
    THIRD,
    VAGUE,
    Clause,
    head_of,
    plain_part,
    words,
)

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_OPTIONAL = {"prep", "npadvmod", "advmod", "agent"}
_TIMES = {"DATE", "TIME"}
_PLACES = {"GPE", "LOC", "FAC"}
_LIGHT = {"take", "make", "have", "give", "get", "pay", "keep", "do"}
_STRANDED = {"about", "with", "to", "for", "from", "on", "by", "into"}
_LEADING = {"in", "on", "at", "during", "by", "from"}  # "when" and "where" take their place


@dataclass(frozen=True)
class Asked:
    """A question with the tokens that answer it; with `answer` None the speaker's name is the answer."""

    question: str
    answer: Span | None
    kind: str  # span, yes, no, sentences
    form: str  # kind of question, for figures by form


def _ask(clause: Clause, wh: str, without: int, chance: random.Random, drop: float, strand: str = "") -> str:
    own = clause.subject[0].lower_ in OF_SPEAKER and len(clause.subject) == 1
    pieces = [wh, clause.auxiliary, words(clause.subject, clause, named=False)]
    pieces += ["not"] if clause.negated else []
    pieces += [clause.middle, *_rest(clause, without, chance, drop, own, strand)]
    return sentence_of(pieces)


def _rest(
    clause: Clause, without: int, chance: random.Random, drop: float, named: bool, strand: str = ""
) -> Iterator[str]:
    objects = any(head_of(part).dep_ not in _OPTIONAL for n, part in enumerate(clause.rest) if n != without)
    for place, part in enumerate(clause.rest):
        if place == without:
            yield strand
        elif _needed(clause, place, objects or without >= 0) or chance.random() >= drop:
            yield words(part, clause, named)


def _needed(clause: Clause, place: int, objects: bool) -> bool:
    """Return objects and complements, or what follows a verb that has neither."""
    return head_of(clause.rest[place]).dep_ not in _OPTIONAL or (place == 0 and not objects)


def sentence_of(pieces: list[str]) -> str:
    text = " ".join(p.strip(" ,") for p in pieces if p.strip(" ,"))
    return text[:1].upper() + text[1:] + "?"


def span_questions(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    yield from _subject(clause, chance)
    for place, part in enumerate(clause.rest):
        head = head_of(part)
        drop = chance.choice((0.2, 0.5, 0.9))
        if head.dep_ in {"dobj", "attr", "dative"} and head.pos_ in {"NOUN", "PROPN", "NUM"}:
            yield from _object(clause, place, part, head, chance, drop)
        elif head.dep_ == "npadvmod" and head.ent_type_ in _TIMES and _is_date(part):
            yield _asked(clause, _when(part, chance), place, part, chance, drop, "when")
        elif head.dep_ in {"prep", "agent"} and len(part) > 1:
            yield from _prepositional(clause, place, part, head, chance, drop)


def _asked(
    clause: Clause,
    wh: str,
    place: int,
    answer: list[Token] | tuple[Token, ...],
    chance: random.Random,
    drop: float,
    form: str,
    strand: str = "",
) -> Asked:
    span = clause.verb.doc[answer[0].i : answer[-1].i + 1]
    return Asked(_ask(clause, wh, place, chance, drop, strand), span, "span", form)


def _is_date(part: tuple[Token, ...] | list[Token]) -> bool:
    """Return whether it is a point in time, not a duration ("two weeks") or a rate ("every day")."""
    low = {t.lower_ for t in part}
    if low & set("every each all daily weekly always whole years hours minutes per".split()):
        return bool(low & {"ago", "last"})
    return not (low & {"days", "weeks", "months", "hour", "minute", "seconds"}) or bool(
        low & {"ago", "last", "next"}
    )


def _when(part: tuple[Token, ...] | list[Token], chance: random.Random) -> str:
    numbers = [t for t in part if t.like_num]
    if len(numbers) == 1 and numbers[0].text.isdigit() and len(numbers[0].text) == 4:
        return chance.choice(("when", "when", "in what year", "in which year"))
    if any(
        t.ent_type_ == "TIME" and (":" in t.text or t.lower_ in {"am", "pm", "a.m.", "p.m."}) for t in part
    ):
        return chance.choice(("when", "at what time", "what time"))
    return "when"


def _who(head: Token) -> str:
    """Return who, what, or "" where neither is certain."""
    if head.ent_type_ == "PERSON" or head.lemma_.lower() in HUMAN:
        return "who"
    unknown = head.pos_ == "PROPN" and head.ent_type_ in {"", "GPE", "WORK_OF_ART"}  # perhaps a person
    return "" if unknown or head.pos_ == "PRON" or head.lower_ in VAGUE else "what"


def _speaker(clause: Clause, verbs: list[str], chance: random.Random, drop: float) -> Iterator[Asked]:
    """Ask who said it: the answer is the speaker's name."""
    if clause.verb.lemma_ in OPINING and any(c.dep_ == "ccomp" for c in clause.verb.children):
        return  # "Who thinks so?"
    own = f"{clause.voice.speaker}'s" if clause.voice else ""
    rest = [part.replace(own, "their") for part in _rest(clause, -1, chance, drop, named=False)]
    yield Asked(sentence_of(["who", *verbs, *rest]), None, "span", "who said")


def _subject(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    head = head_of(clause.subject)
    drop = chance.choice((0.0, 0.2, 0.5))
    voice = clause.voice
    negated = ["not"] if clause.negated else []
    if negated and not (clause.auxiliary and " " in clause.finite):
        return
    first, _, later = clause.finite.partition(" ")
    if voice and head.lower_ == "i" and len(clause.subject) == 1:
        yield from _speaker(clause, [first, *negated, later], chance, drop)
        return
    who = _who(head)
    kinds = {head_of(part).dep_ for part in clause.rest}
    if (
        not who
        or head.pos_ not in {"NOUN", "PROPN"}
        or not kinds & {"dobj", "attr", "prep", "agent", "acomp", "xcomp"}
    ):
        return
    named = any(t.pos_ in {"PROPN", "NUM"} for part in clause.rest for t in part)
    if who == "what" and not named and not kinds & {"dobj", "agent"}:
        return  # "What was certain?"
    if clause.verb.lemma_ in SAYING:
        return
    wh = [who]
    if who == "who" and head.ent_type_ == "PERSON" and chance.random() < 0.12:
        wh = ["what is the name of the person who"]
    if head.ent_type_ in _PLACES:
        wh = [chance.choice(("which place", "what place"))]
    rest = list(_rest(clause, -1, chance, drop, named=False))
    span = clause.verb.doc[clause.subject[0].i : clause.subject[-1].i + 1]
    yield Asked(sentence_of([*wh, first, *negated, later, *rest]), span, "span", "subject")
    owner = next((c for c in head.children if c.dep_ == "poss" and c.ent_type_ == "PERSON"), None)
    if owner is not None and clause.subject[0].i == min(t.i for t in owner.subtree):
        tail = [t for t in clause.subject if t.i > owner.i and t.dep_ != "case"]
        name = [t for t in owner.subtree if t.dep_ != "case"]
        rest = list(_rest(clause, -1, chance, drop, named=False))
        finite = clause.auxiliary if not clause.middle else clause.finite
        answer = clause.verb.doc[name[0].i : name[-1].i + 1]
        yield Asked(
            sentence_of(["whose", words(tail, clause, False), *negated, finite, *rest]),
            answer,
            "span",
            "whose",
        )


def _object(
    clause: Clause, place: int, part: tuple[Token, ...], head: Token, chance: random.Random, drop: float
) -> Iterator[Asked]:
    number = next((t for t in head.children if t.dep_ == "nummod" and t.ent_type_ == "CARDINAL"), None)
    if number is not None and head.tag_ == "NNS" and head.dep_ != "attr" and part[0].i >= number.i - 1:
        tail = [t for t in part if t.i > number.i]
        quantity = list(number.subtree)
        wh = f"how many {words(tail, clause, named=False)}"
        yield _asked(clause, wh, place, quantity, chance, drop, "how many")
        return
    if head.ent_type_ == "MONEY":
        yield _asked(clause, "how much", place, part, chance, drop, "how much")
        return
    who = _who(head)
    if not who or head.ent_type_ in _TIMES or (head.dep_ == "attr" and clause.verb.lemma_ != "be"):
        return
    if head.dep_ == "dative" or (len(part) == 1 and head.tag_ == "NN" and clause.verb.lemma_ in _LIGHT):
        return  # "took place"
    if head.dep_ == "attr" and (part[0].lower_ in {"a", "an"} and clause.voice):
        return  # "What is Anna?": nobody asks so
    wh = who
    kind = next((t for t in head.children if t.dep_ in {"amod", "compound"} and t.i == part[0].i), None)
    if kind is not None and head.dep_ == "dobj" and head.pos_ == "NOUN" and chance.random() < 0.4:
        wh = f"{chance.choice(('what kind of', 'what sort of', 'which', 'what'))} {head.lower_}"
    elif head.ent_type_ in {"GPE", "ORG"} and head.dep_ == "dobj" and chance.random() < 0.4:
        wh = {"GPE": "which place", "ORG": "which organisation"}[head.ent_type_]
    yield _asked(clause, wh, place, part, chance, drop, "object")


def _prepositional(
    clause: Clause, place: int, part: tuple[Token, ...], head: Token, chance: random.Random, drop: float
) -> Iterator[Asked]:
    objects = [c for c in head.children if c.dep_ == "pobj" and c in part]
    if len(objects) != 1 or part[0] is not head:
        return
    noun, inner = objects[0], [t for t in part if t.i > head.i]
    preposition = head.lower_
    if noun.pos_ not in {"NOUN", "PROPN", "NUM"} or noun.lower_ in VAGUE:
        return
    if noun.ent_type_ in _TIMES:
        if preposition in {"for"}:
            yield _asked(clause, "how long", place, inner, chance, drop, "how long")
        elif _is_date(inner) and preposition in _LEADING | {"since", "until", "after", "before", "around"}:
            answer = inner if preposition in _LEADING else part
            wh = "since when" if preposition == "since" else _when(inner, chance)
            yield _asked(clause, wh, place, answer, chance, drop, "when")
    elif noun.ent_type_ == "MONEY" and preposition in {"for", "to", "at"}:
        yield _asked(clause, "how much", place, inner, chance, drop, "how much", preposition)
    elif noun.ent_type_ in _PLACES and preposition in {"in", "at", "from", "to", "near"}:
        strand = (
            preposition if preposition in {"from", "to"} and clause.verb.lemma_ not in {"go", "move"} else ""
        )
        wh = chance.choice(("where", "where", "where", "in which place" if preposition == "in" else "where"))
        yield _asked(clause, wh, place, inner, chance, drop, "where", strand)
    else:
        who = _who(noun)
        determined = who == "who" or any(c.dep_ in {"det", "poss"} for c in noun.children)
        if who and (head.dep_ == "agent" or (determined and preposition in _STRANDED)):
            yield _asked(clause, who, place, inner, chance, drop, "prep", preposition)


def polar_question(clause: Clause, chance: random.Random) -> Asked:
    """Ask the clause as a yes/no question without its negation: the answer is "no" if it has one."""
    own = clause.subject[0].lower_ in OF_SPEAKER and len(clause.subject) == 1
    rest = _rest(clause, -1, chance, chance.choice((0.0, 0.3)), own)
    pieces = [clause.auxiliary, words(clause.subject, clause, named=False), clause.middle, *rest]
    return Asked(sentence_of(pieces), clause.verb.sent, "no" if clause.negated else "yes", "polar")


def reason_questions(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    """Ask why and how: the sentence is the answer."""
    for child in clause.verb.children:
        if child.i < clause.verb.i:
            continue
        marks = {c.lower_ for c in child.children if c.dep_ in {"mark", "aux"} and c.i < child.i}
        phrase = child.doc[child.left_edge.i : child.right_edge.i + 1].text.lower()
        wh = ""
        if child.dep_ == "advcl" and ("because" in marks or phrase.startswith(("so that", "in order to"))):
            wh = "why"
        elif child.dep_ == "advcl" and marks == {"to"} and child.tag_ == "VB":
            wh = chance.choice(("why", "why", "for what purpose")) if clause.verb.lemma_ != "be" else ""
        elif child.dep_ == "prep" and phrase.startswith(("because of", "due to", "thanks to")):
            wh = "why"
        elif child.dep_ == "prep" and child.lower_ == "by" and any(c.tag_ == "VBG" for c in child.children):
            wh = "how"
        if not wh:
            continue
        place = next((n for n, part in enumerate(clause.rest) if head_of(part) is child), -1)
        yield Asked(_ask(clause, wh, place, chance, 0.2), clause.verb.sent, "sentences", wh)


def clause_time_questions(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    for child in clause.verb.children:
        marks = {c.lower_ for c in child.children if c.dep_ in {"mark", "advmod"} and c.i < child.i}
        if child.dep_ == "advcl" and marks & {"when", "after", "before", "until"} and child.i > clause.verb.i:
            tokens = plain_part(child)
            if 3 <= len(tokens) <= 12 and tokens[0].lower_ in marks:
                yield _asked(clause, "when", -1, tokens, chance, 0.2, "when clause")


def how_to(sentence: Span) -> Asked | None:
    """Convert "To do X, press Y" to "How do I do X?"."""
    root = sentence.root
    if root.tag_ not in {"VB", "VBP"} or any(c.dep_ in SUBJECTS and c.lower_ != "you" for c in root.children):
        return None
    for child in root.children:
        if (
            child.dep_ == "advcl"
            and child.i < root.i
            and child.left_edge.lower_ == "to"
            and child.tag_ == "VB"
        ):
            tokens = [
                t for t in child.subtree if t.i > child.left_edge.i and not (t.is_punct and t.text == ",")
            ]
            text = "".join(t.text_with_ws for t in tokens).strip().replace("your", "my")
            return Asked(f"How do I {text[:1].lower()}{text[1:]}?", sentence, "sentences", "how to")
    return None


def is_vague(question: str, subjects: list[str]) -> bool:
    """Return whether the question refers to its passage: "it", "he" before any name."""
    low = [w.strip("?,.").lower() for w in question.split()]
    if set(low[1:]) & VAGUE:
        return True
    return bool(set(low) & THIRD) and not any(name.lower() in question.lower() for name in subjects if name)
