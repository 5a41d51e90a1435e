"""A parsed clause turned into questions: wh-word, auxiliary, subject, rest. After Heilman and Smith 2010.

`Voice` says who speaks, so that "I" and "my" of a turn become its speaker; `None` stands for text that nobody speaks.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

SUBJECTS = {"nsubj", "nsubjpass"}
_LEFT_OUT = {
    "punct",
    "cc",
    "conj",
    "preconj",
    "mark",
    "intj",
    "advcl",
    "parataxis",
    "dep",
    "meta",
    "aux",
    "auxpass",
}
_LEFT_OUT |= {"neg", "csubj", "expl", "discourse"}
_OPTIONAL = {"prep", "npadvmod", "advmod", "agent"}
_TIMES = {"DATE", "TIME"}
_PLACES = {"GPE", "LOC", "FAC"}
_HUMAN = {
    "man",
    "woman",
    "boy",
    "girl",
    "child",
    "person",
    "people",
    "mother",
    "father",
    "brother",
    "sister",
    "son",
}
_HUMAN |= {
    "daughter",
    "wife",
    "husband",
    "friend",
    "member",
    "user",
    "doctor",
    "king",
    "queen",
    "lady",
    "gentleman",
}
_HUMAN |= {
    "uncle",
    "aunt",
    "captain",
    "president",
    "director",
    "author",
    "officer",
    "employee",
    "team",
    "everyone",
}
_VAGUE = {
    "it",
    "this",
    "that",
    "these",
    "those",
    "here",
    "there",
    "one",
    "ones",
    "other",
    "others",
    "such",
    "another",
}
_VAGUE |= {
    "thing",
    "something",
    "anything",
    "nothing",
    "everything",
    "what",
    "which",
    "who",
    "whom",
    "lot",
    "way",
}
_VAGUE |= {
    "someone",
    "anyone",
    "both",
    "some",
    "any",
    "all",
    "each",
    "none",
    "former",
    "latter",
    "same",
    "so",
    "bit",
}
_OF_SPEAKER = {
    "i": "",
    "me": "",
    "we": "",
    "us": "",
    "my": "'s",
    "our": "'s",
    "mine": "'s",
    "myself": "",
    "ours": "'s",
}
_OF_ADDRESSEE = {"you": "", "your": "'s", "yours": "'s", "yourself": ""}
_THIRD = {
    "he",
    "she",
    "him",
    "her",
    "his",
    "they",
    "them",
    "their",
    "himself",
    "herself",
    "itself",
    "themselves",
    "its",
}
_CLITICS = {"'m": "is", "'ve": "has", "'ll": "will", "'re": "are", "ca": "can", "wo": "will", "sha": "shall"}
_SINGULAR = {"am": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "were": "was"}
_SAYING = {"say", "reply", "add", "cry", "ask", "answer", "continue", "exclaim", "observe", "think"}
_OPINING = {
    "think",
    "guess",
    "know",
    "mean",
    "hope",
    "believe",
    "agree",
    "wonder",
    "suppose",
    "bet",
    "say",
    "feel",
}
_CONNECTING = {
    "also",
    "though",
    "actually",
    "however",
    "too",
    "just",
    "really",
    "apparently",
    "then",
    "still",
    "well",
}
_CONNECTING |= {
    "anyway",
    "therefore",
    "thus",
    "hence",
    "moreover",
    "maybe",
    "perhaps",
    "indeed",
    "so",
    "even",
    "only",
}
_LIGHT = {"take", "make", "have", "give", "get", "pay", "keep", "do"}
_LEADING = {
    "in",
    "on",
    "at",
    "during",
    "by",
    "from",
}  # prepositions that "when" and "where" take the place of


@dataclass(frozen=True)
class Voice:
    speaker: str
    addressee: str = ""
    possessive: str = "their"  # of the speaker


@dataclass(frozen=True)
class Asked:
    """A question with the tokens that answer it; `answer` None means that the speaker's name does."""

    question: str
    answer: Span | None
    kind: str  # span, yes, no, sentences
    form: str  # what was asked, for figures by form


@dataclass(frozen=True)
class Clause:
    verb: Token
    subject: list[Token]
    auxiliary: str  # the finite one, inverted in questions: "did" where the clause has none
    middle: str  # further auxiliaries and the verb after inversion
    finite: str  # auxiliaries and verb as they stand after "who": third person singular
    rest: tuple[tuple[Token, ...], ...]  # objects, complements and modifiers, in order
    negated: bool
    voice: Voice | None
    names: dict[int, str]  # by token: the name that a third-person subject stands for


def clauses(sentence: Span, voice: Voice | None, names: dict[int, str]) -> Iterator[Clause]:
    for verb in sentence:
        if verb.pos_ in {"VERB", "AUX"} and (verb.dep_ == "ROOT" or _joined(verb)):
            clause = _clause(verb, voice, names)
            if clause:
                yield clause


def _joined(verb: Token) -> bool:
    return verb.dep_ == "conj" and verb.head.dep_ == "ROOT" and any(c.dep_ in SUBJECTS for c in verb.children)


def _clause(verb: Token, voice: Voice | None, names: dict[int, str]) -> Clause | None:
    subjects = [c for c in verb.children if c.dep_ in SUBJECTS and c.i < verb.i]
    if len(subjects) != 1 or any(c.dep_ in {"expl", "csubj", "csubjpass"} for c in verb.children):
        return None
    plural = subjects[0].tag_ in {"NNS", "NNPS"} or any(c.dep_ == "conj" for c in subjects[0].children)
    if (verb.tag_ == "VBP" and subjects[0].tag_ in {"NN", "NNP"} and not plural) or (
        verb.tag_ == "VBZ" and plural
    ):
        return None  # a parse without agreement is a wrong one
    subject = [t for t in _plain(subjects[0]) if t.i < verb.i]
    auxiliaries = [
        c for c in verb.children if c.dep_ in {"aux", "auxpass"} and c.i < verb.i and c.lower_ != "to"
    ]
    if auxiliaries and auxiliaries[0].i < subjects[0].i:
        return None  # it is a question already
    negations = [c for c in verb.children if c.dep_ == "neg"]
    own = subjects[0].lower_ in _OF_SPEAKER and voice is not None
    yours = subjects[0].lower_ in _OF_ADDRESSEE and voice is not None
    singular = own or yours
    if auxiliaries:
        first = auxiliaries[0]
        word = _finite(first, verb)
        if not word or first.tag_ in {"VB", "VBG", "VBN"} and first.dep_ != "aux":
            return None
        auxiliary = _SINGULAR.get(word, word) if singular else word
        middle = " ".join([a.lower_ for a in auxiliaries[1:]] + [verb.lower_])
        finite = f"{_SINGULAR.get(word, word)} {middle}"
    elif verb.tag_ not in {"VBD", "VBZ", "VBP"}:
        return None
    elif verb.lemma_ == "be" or verb.lower_ in {"'s", "'re", "'m"}:
        word = {"'s": "is", "'re": "are", "'m": "am"}.get(verb.lower_, verb.lower_)
        auxiliary = _SINGULAR.get(word, word) if singular else word
        middle, finite = "", _SINGULAR.get(word, word)
    else:
        does = "does" if singular or verb.tag_ == "VBZ" else "do"
        auxiliary = "did" if verb.tag_ == "VBD" else does
        middle = verb.lemma_.lower()
        finite = verb.lower_ if verb.tag_ != "VBP" else third_person(middle)
    if subjects[0].pos_ not in {"NOUN", "PROPN", "PRON"}:
        return None
    after = [c for c in verb.children if c.i > verb.i and c.dep_ not in _LEFT_OUT]
    rest = tuple(tuple(_plain(c)) for c in after if c.lower_ not in _CONNECTING)
    fronted = [c for c in verb.children if c.i < subject[0].i and c.dep_ in {"prep", "npadvmod"}]
    rest += tuple(tuple(_plain(c)) for c in fronted)
    return Clause(verb, subject, auxiliary, middle, finite, rest, bool(negations), voice, names)


def _finite(first: Token, verb: Token) -> str:
    """The first auxiliary in full, empty where its short form may be two words."""
    word = first.lower_
    if word in {"'s", "'d"}:
        if word == "'s":
            return "has" if verb.tag_ == "VBN" and first.dep_ == "aux" else "is"
        return "would" if verb.tag_ == "VB" else "had" if verb.tag_ == "VBN" else ""
    return _CLITICS.get(word, word)


def third_person(lemma: str) -> str:
    if lemma in {"have", "do", "go"}:
        return {"have": "has", "do": "does", "go": "goes"}[lemma]
    if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
        return f"{lemma[:-1]}ies"
    return f"{lemma}es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{lemma}s"


def _plain(head: Token) -> list[Token]:
    """The subtree of a constituent up to its first relative clause, apposition, bracket or dash."""
    dropped = {
        t.i
        for part in head.subtree
        if part.dep_ in {"relcl", "appos", "parataxis", "advcl"} and part.i > head.i
        for t in part.subtree
    }
    kept: list[Token] = []
    for token in sorted(head.subtree, key=lambda t: t.i):
        if token.i in dropped or (
            token.is_punct and token.text not in {",", "-", "'", "/"} and token.i > head.i
        ):
            break
        kept.append(token)
    while kept and (kept[-1].is_punct or kept[-1].dep_ in {"cc", "preconj"}):
        kept.pop()
    return kept if head in kept else [head]


def words(tokens: list[Token] | tuple[Token, ...], clause: Clause, named: bool) -> str:
    """The tokens as words of a question; `named` where its speaker stands in it already."""
    pieces = []
    for token in tokens:
        name = (
            token.pos_ == "PROPN"
            or (token.ent_type_ and token.pos_ != "DET")
            or len(token) > 1
            and token.text.isupper()
        )
        text = token.text if name or token.text == "I" else token.lower_
        voice, low = clause.voice, token.lower_
        if token.i in clause.names:
            text = clause.names[token.i]
        elif voice and low in _OF_SPEAKER:
            text = voice.speaker + _OF_SPEAKER[low]
            if named:
                text = voice.possessive if _OF_SPEAKER[low] else text
        elif voice and voice.addressee and low in _OF_ADDRESSEE:
            text = voice.addressee + _OF_ADDRESSEE[low]
        pieces.append(text + token.whitespace_)
    return "".join(pieces).strip()


def _ask(clause: Clause, wh: str, without: int, chance: random.Random, drop: float, strand: str = "") -> str:
    own = clause.subject[0].lower_ in _OF_SPEAKER and len(clause.subject) == 1
    pieces = [wh, clause.auxiliary, words(clause.subject, clause, named=False)]
    pieces += ["not"] if clause.negated else []
    pieces += [clause.middle, *_rest(clause, without, chance, drop, own, strand)]
    return _joined_up(pieces)


def _rest(
    clause: Clause, without: int, chance: random.Random, drop: float, named: bool, strand: str = ""
) -> Iterator[str]:
    objects = any(_head(part).dep_ not in _OPTIONAL for n, part in enumerate(clause.rest) if n != without)
    for place, part in enumerate(clause.rest):
        if place == without:
            yield strand
        elif _needed(clause, place, objects or without >= 0) or chance.random() >= drop:
            yield words(part, clause, named)


def _needed(clause: Clause, place: int, objects: bool) -> bool:
    """Objects and complements, and what follows a verb that has neither."""
    return _head(clause.rest[place]).dep_ not in _OPTIONAL or (place == 0 and not objects)


def _head(part: tuple[Token, ...] | list[Token]) -> Token:
    inside = {t.i for t in part}
    return next((t for t in part if t.head.i not in inside or t.head is t), part[0])


def _joined_up(pieces: list[str]) -> str:
    text = " ".join(p.strip(" ,") for p in pieces if p.strip(" ,"))
    return text[:1].upper() + text[1:] + "?"


def span_questions(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    yield from _subject(clause, chance)
    for place, part in enumerate(clause.rest):
        head = _head(part)
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
    """A point of time, not a length ("two weeks") nor a rate ("every day")."""
    low = {t.lower_ for t in part}
    if low & {
        "every",
        "each",
        "all",
        "daily",
        "weekly",
        "always",
        "whole",
        "years",
        "hours",
        "minutes",
        "per",
    }:
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
    """Who, what, or empty where neither can be told."""
    if head.ent_type_ == "PERSON" or head.lemma_.lower() in _HUMAN:
        return "who"
    unknown = head.pos_ == "PROPN" and head.ent_type_ in {"", "GPE", "WORK_OF_ART"}  # perhaps a person
    return "" if unknown or head.pos_ == "PRON" or head.lower_ in _VAGUE else "what"


def _subject(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    head = _head(clause.subject)
    drop = chance.choice((0.0, 0.2, 0.5))
    voice = clause.voice
    negated = ["not"] if clause.negated else []
    if negated and not (clause.auxiliary and " " in clause.finite):
        return
    first, _, later = clause.finite.partition(" ")
    if voice and head.lower_ == "i" and len(clause.subject) == 1:
        if clause.verb.lemma_ in _OPINING and any(c.dep_ == "ccomp" for c in clause.verb.children):
            return  # "Who thinks so?"
        rest = list(_rest(clause, -1, chance, drop, named=False))
        rest = [r.replace(f"{voice.speaker}'s", "their") for r in rest]
        yield Asked(_joined_up(["who", first, *negated, later, *rest]), None, "span", "who said")
        return
    who = _who(head)
    kinds = {_head(part).dep_ for part in clause.rest}
    if (
        not who
        or head.pos_ not in {"NOUN", "PROPN"}
        or not kinds & {"dobj", "attr", "prep", "agent", "acomp", "xcomp"}
    ):
        return
    if who == "what" and not any(t.pos_ in {"PROPN", "NUM"} for part in clause.rest for t in part):
        if not kinds & {"dobj", "agent"}:
            return  # "What was certain?"
    if clause.verb.lemma_ in _SAYING:
        return
    wh = [who]
    if who == "who" and head.ent_type_ == "PERSON" and chance.random() < 0.12:
        wh = ["what is the name of the person who"]
    if head.ent_type_ in _PLACES:
        wh = [chance.choice(("which place", "what place"))]
    rest = list(_rest(clause, -1, chance, drop, named=False))
    span = clause.verb.doc[clause.subject[0].i : clause.subject[-1].i + 1]
    yield Asked(_joined_up([*wh, first, *negated, later, *rest]), span, "span", "subject")
    owner = next((c for c in head.children if c.dep_ == "poss" and c.ent_type_ == "PERSON"), None)
    if owner is not None and clause.subject[0].i == min(t.i for t in owner.subtree):
        tail = [t for t in clause.subject if t.i > owner.i and t.dep_ != "case"]
        name = [t for t in owner.subtree if t.dep_ != "case"]
        rest = list(_rest(clause, -1, chance, drop, named=False))
        finite = clause.auxiliary if not clause.middle else clause.finite
        answer = clause.verb.doc[name[0].i : name[-1].i + 1]
        yield Asked(
            _joined_up(["whose", words(tail, clause, False), *negated, finite, *rest]),
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
        quantity = [t for t in number.subtree]
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
    if noun.pos_ not in {"NOUN", "PROPN", "NUM"} or noun.lower_ in _VAGUE:
        return
    if noun.ent_type_ in _TIMES:
        if preposition in {"for"}:
            yield _asked(clause, "how long", place, inner, chance, drop, "how long")
        elif _is_date(inner) and preposition in _LEADING | {"since", "until", "after", "before", "around"}:
            kept = inner if preposition in _LEADING else part
            wh = "since when" if preposition == "since" else _when(inner, chance)
            yield _asked(clause, wh, place, kept, chance, drop, "when")
    elif noun.ent_type_ == "MONEY" and preposition in {"for", "to", "at"}:
        yield _asked(clause, "how much", place, inner, chance, drop, "how much", preposition)
    elif noun.ent_type_ in _PLACES and preposition in {"in", "at", "from", "to", "near"}:
        strand = (
            preposition if preposition in {"from", "to"} and clause.verb.lemma_ not in {"go", "move"} else ""
        )
        wh = chance.choice(("where", "where", "where", "in which place" if preposition == "in" else "where"))
        yield _asked(clause, wh, place, inner, chance, drop, "where", strand)
    elif preposition not in {"of", "as", "like", "in", "on", "at"} or clause.verb.lemma_ in {
        "think",
        "work",
        "agree",
    }:
        who = _who(noun)
        determined = who == "who" or any(c.dep_ in {"det", "poss"} for c in noun.children)
        if (
            who
            and (head.dep_ == "agent" or determined)
            and preposition in {"about", "with", "to", "for", "from", "on", "by", "into", "of"}
        ):
            yield _asked(clause, who, place, inner, chance, drop, "prep", preposition)


def polar_question(clause: Clause, chance: random.Random) -> Asked:
    """The clause asked as it stands, its negation left out: "no" where it has one."""
    own = clause.subject[0].lower_ in _OF_SPEAKER and len(clause.subject) == 1
    rest = _rest(clause, -1, chance, chance.choice((0.0, 0.3)), own)
    pieces = [clause.auxiliary, words(clause.subject, clause, named=False), clause.middle, *rest]
    return Asked(_joined_up(pieces), clause.verb.sent, "no" if clause.negated else "yes", "polar")


def reason_questions(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    """Why and how: the sentence answers."""
    for child in clause.verb.children:
        if child.i < clause.verb.i:
            continue
        marks = {c.lower_ for c in child.children if c.dep_ in {"mark", "aux"} and c.i < child.i}
        phrase = child.doc[child.left_edge.i : child.right_edge.i + 1].text.lower()
        wh = ""
        if child.dep_ == "advcl" and ("because" in marks or phrase.startswith(("so that", "in order to"))):
            wh = "why"
        elif child.dep_ == "advcl" and marks == {"to"} and child.tag_ == "VB":
            wh = chance.choice(("why", "what", "for what purpose")) if clause.verb.lemma_ != "be" else ""
            wh = "why" if wh == "what" else wh
        elif child.dep_ == "prep" and phrase.startswith(("because of", "due to", "thanks to")):
            wh = "why"
        elif child.dep_ == "prep" and child.lower_ == "by" and any(c.tag_ == "VBG" for c in child.children):
            wh = "how"
        if not wh:
            continue
        place = next((n for n, part in enumerate(clause.rest) if _head(part) is child), -1)
        yield Asked(_ask(clause, wh, place, chance, 0.2), clause.verb.sent, "sentences", wh)


def clause_time_questions(clause: Clause, chance: random.Random) -> Iterator[Asked]:
    for child in clause.verb.children:
        marks = {c.lower_ for c in child.children if c.dep_ in {"mark", "advmod"} and c.i < child.i}
        if child.dep_ == "advcl" and marks & {"when", "after", "before", "until"} and child.i > clause.verb.i:
            tokens = _plain(child)
            if 3 <= len(tokens) <= 12 and tokens[0].lower_ in marks:
                yield _asked(clause, "when", -1, tokens, chance, 0.2, "when clause")


def how_to(sentence: Span) -> Asked | None:
    """ "To do X, press Y" asked as "How do I do X?"."""
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
    """Whether the question points at what only its passage tells: "it", "he" before any name."""
    low = [w.strip("?,.").lower() for w in question.split()]
    if set(low[1:]) & _VAGUE:
        return True
    return bool(set(low) & _THIRD) and not any(name.lower() in question.lower() for name in subjects if name)
