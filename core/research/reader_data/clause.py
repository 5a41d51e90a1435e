"""A parsed clause taken apart: subject, finite auxiliary, the rest in order; "I" and "my" become the speaker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

# Small closed classes of words.

# Nouns for persons, asked for with "who".
HUMAN = frozenset(
    (
        "aunt author boy brother captain child daughter director doctor employee everyone father friend "
        "gentleman girl husband king lady man member mother officer people person president queen sister "
        "son team uncle user wife woman"
    ).split()
)
# Words whose referent is in the passage.
VAGUE = frozenset(
    (
        "all another any anyone anything bit both each everything former here it latter lot none nothing "
        "one ones other others same so some someone something such that there these thing this those way "
        "what which who whom"
    ).split()
)
THIRD = frozenset("he her herself him himself his its itself she their them themselves they".split())
# Verbs before a quotation.
SAYING = frozenset("add answer ask continue cry exclaim observe reply say think".split())
# Verbs whose complement clause carries the content.
OPINING = frozenset("agree believe bet feel guess hope know mean say suppose think wonder".split())
# Adverbs that link a sentence to the one before it.
CONNECTING = frozenset(
    (
        "actually also anyway apparently even hence however indeed just maybe moreover only perhaps really "
        "so still then therefore though thus too well"
    ).split()
)

SUBJECTS = {"nsubj", "nsubjpass"}
_LEFT_OUT = frozenset(
    "punct cc conj preconj mark intj advcl parataxis dep meta aux auxpass neg csubj expl discourse".split()
)
OF_SPEAKER = {"i": "", "me": "", "we": "", "us": "", "myself": ""}
OF_SPEAKER |= {"my": "'s", "our": "'s", "mine": "'s", "ours": "'s"}
_OF_ADDRESSEE = {"you": "", "your": "'s", "yours": "'s", "yourself": ""}
_CLITICS = {"'m": "is", "'ve": "has", "'ll": "will", "'re": "are", "ca": "can", "wo": "will", "sha": "shall"}
_SINGULAR = {"am": "is", "are": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does", "were": "was"}


@dataclass(frozen=True)
class Voice:
    speaker: str
    addressee: str = ""
    possessive: str = "their"  # of the speaker


@dataclass(frozen=True)
class Clause:
    verb: Token
    subject: list[Token]
    auxiliary: str  # the finite one, inverted in questions: "did" where the clause has none
    middle: str  # other auxiliaries and the verb after inversion
    finite: str  # auxiliaries and verb as they stand after "who": third person singular
    rest: tuple[tuple[Token, ...], ...]  # objects, complements and modifiers, in order
    negated: bool
    voice: Voice | None
    names: dict[int, str]  # by token: the name that a third-person subject refers to


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
        return None  # without agreement the parse is wrong
    subject = [t for t in plain_part(subjects[0]) if t.i < verb.i]
    auxiliaries = [
        c for c in verb.children if c.dep_ in {"aux", "auxpass"} and c.i < verb.i and c.lower_ != "to"
    ]
    if auxiliaries and auxiliaries[0].i < subjects[0].i:
        return None  # it is a question already
    negations = [c for c in verb.children if c.dep_ == "neg"]
    own = subjects[0].lower_ in OF_SPEAKER and voice is not None
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
    rest = tuple(tuple(plain_part(c)) for c in after if c.lower_ not in CONNECTING)
    fronted = [c for c in verb.children if c.i < subject[0].i and c.dep_ in {"prep", "npadvmod"}]
    rest += tuple(tuple(plain_part(c)) for c in fronted)
    return Clause(verb, subject, auxiliary, middle, finite, rest, bool(negations), voice, names)


def _finite(first: Token, verb: Token) -> str:
    """Return the first auxiliary in full, empty where its short form may be two words."""
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


def plain_part(head: Token) -> list[Token]:
    """Return the subtree of a constituent up to its first relative clause, apposition, bracket or dash."""
    dropped = {
        t.i
        for part in head.subtree
        if part.dep_ in {"relcl", "appos", "parataxis", "advcl"} and part.i > head.i
        for t in part.subtree
    }
    tokens: list[Token] = []
    for token in sorted(head.subtree, key=lambda t: t.i):
        if token.i in dropped or (
            token.is_punct and token.text not in {",", "-", "'", "/"} and token.i > head.i
        ):
            break
        tokens.append(token)
    while tokens and (tokens[-1].is_punct or tokens[-1].dep_ in {"cc", "preconj"}):
        tokens.pop()
    return tokens if head in tokens else [head]


def words(tokens: list[Token] | tuple[Token, ...], clause: Clause, named: bool) -> str:
    """Return the tokens as words of a question; `named` if its speaker already occurs in it."""
    pieces = []
    for token in tokens:
        name = token.pos_ == "PROPN" or (token.ent_type_ and token.pos_ != "DET")
        name = name or (len(token) > 1 and token.text.isupper())
        text = token.text if name or token.text == "I" else token.lower_
        voice, low = clause.voice, token.lower_
        if token.i in clause.names:
            text = clause.names[token.i]
        elif voice and low in OF_SPEAKER:
            text = voice.speaker + OF_SPEAKER[low]
            if named:
                text = voice.possessive if OF_SPEAKER[low] else text
        elif voice and voice.addressee and low in _OF_ADDRESSEE:
            text = voice.addressee + _OF_ADDRESSEE[low]
        pieces.append(text + token.whitespace_)
    return "".join(pieces).strip()


def head_of(part: tuple[Token, ...] | list[Token]) -> Token:
    inside = {t.i for t in part}
    return next((t for t in part if t.head.i not in inside or t.head is t), part[0])
