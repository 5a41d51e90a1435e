"""The clause or table row of a fact converted to a question for one of its ends.

Clauses after Heilman and Smith 2010.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

LONGEST = 24  # words of a question
_SUBJECTS, _OBJECTS = {"nsubj", "nsubjpass"}, {"dobj", "attr", "oprd"}
_AUXILIARIES = {"aux", "auxpass"}
# Dependents outside the statement: other clauses and asides.
_ASIDE = {
    "advcl", "appos", "cc", "ccomp", "conj", "csubj", "dep", "intj", "mark", "meta", "parataxis", "preconj",
    "relcl",
}  # fmt: skip
_LISTED = {"cc", "conj", "preconj"}  # kept with nouns: "on the coast and the river"
_LINKING = {
    "also",
    "however",
    "moreover",
    "still",
    "then",
    "therefore",
    "thus",
    "too",
}  # to the preceding text
_NOUNS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
# Characters that break the parse; below, words whose referent is elsewhere in the document.
_UNFIT = re.compile(r"[\"“”()\[\]{}<>|*_=#\\~^:;\n]|https?|--|—")
_NUMBERED = re.compile(r"^(?:[-•*]|\(?\d+(?:\.\d+)*[.)]?)\s+(?=[A-Z])")  # a number before the clause
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_POINTING = frozenset(
    "he she it they him her them his hers its their theirs i me my we us our you your this these that those here there "
    "such former latter above below who whom whose which what".split()
)


@dataclass(frozen=True, slots=True)
class ClauseQuestion:
    """`description` describes the end that is asked for: "the person who founded Calder Reach"."""

    question: str
    description: str


def question_for(doc: Doc, asked: str, label: str, named: str) -> ClauseQuestion | None:
    """Ask an English clause for the name `asked`, with this label, in words that contain the name `named`.

    None if the verb does not relate the two, or if the question cannot be understood alone.
    """
    if _UNFIT.search(doc.text.strip()) or len(list(doc.sents)) != 1:
        return None
    span, other, verb = _span(doc, asked), _span(doc, named), next(doc.sents).root
    if other is None or not _is_name(other):
        return None
    if (
        span is None
        or not _is_name(span)
        or verb.pos_ not in ("VERB", "AUX")
        or any(c.dep_ in ("neg", "expl") for c in verb.children)
    ):
        return None
    subject = next((c for c in verb.children if c.dep_ in _SUBJECTS and c.i < verb.i), None)
    if subject is None or subject.tag_ in ("NNS", "NNPS") or not _agrees(verb):
        return None
    top = span.root
    label = label if top.ent_type_ in ("", label) else ""  # its kind is uncertain
    if top == subject:
        draft = _of_subject(verb, subject, label)
    elif top.dep_ in _OBJECTS and top.head == verb:
        draft = _of_object(verb, subject, span, label, None)
    elif top.dep_ == "pobj" and top.head.head == verb:
        draft = _of_object(verb, subject, span, label, top.head)
    else:
        return None
    joined = any(c.dep_ == "conj" for name in (top, subject) for c in name.children)
    return None if draft is None or joined or not _fit(draft.question, asked, named) else draft


def simplify_clause(clause: str, *names: str) -> str:
    """Return the clause on one line, without a leading number and without brackets that contain none of the names."""

    def keep_named(found: re.Match[str]) -> str:
        return found.group() if any(name in found.group() for name in names) else ""

    line = " ".join(clause.split())
    line = line if line.startswith(names) else _NUMBERED.sub("", line, count=1)
    return _BRACKETS.sub(keep_named, line)


def row_question(row: str, predicate: str, subject: str, value: str) -> ClauseQuestion | None:
    """Ask a table row, "Head; Column: value; Column: value", for the `value` in the column named `predicate`.

    None if the row has no such cells, or if one is a text rather than a name. The head is never asked for: other
    rows may have the same value, from which no fact was made.
    """
    head, *rest = (cell.strip().rstrip(".") for cell in row.split("; "))
    cells = (cell.partition(": ")[::2] for cell in rest)
    column = next((name for name, cell in cells if (name.casefold(), cell) == (predicate, value)), None)
    if column is None or head != subject:
        return None
    phrase = f"given as {column.lower()} for {subject}"
    draft = ClauseQuestion(f"What is {phrase}?", f"the thing {phrase}")
    return draft if _fit(draft.question, value, subject) else None


def _is_name(span: Span) -> bool:
    return span.root.pos_ == "PROPN" or bool(span.root.ent_type_ and span.text[:1].isupper())


def _agrees(verb: Token) -> bool:
    """Return whether the verb is finite and singular, or has an auxiliary."""
    helped = any(c.dep_ in _AUXILIARIES and c.i < verb.i for c in verb.children)
    return verb.tag_ in ("VBD", "VBZ") or (helped and verb.tag_ in ("VB", "VBN", "VBG"))


def _span(doc: Doc, name: str) -> Span | None:
    """Return the only occurrence of the name, at token boundaries."""
    start = doc.text.find(name)
    if start < 0 or doc.text.find(name, start + 1) >= 0:
        return None
    return doc.char_span(start, start + len(name))


def _of_subject(verb: Token, subject: Token, label: str) -> ClauseQuestion | None:
    inside = {token.i for token in subject.subtree}
    rest = [token for token in _clause_tokens(verb) if token.i not in inside and token.i > subject.i]
    if verb.i == max((token.i for token in rest), default=verb.i):
        return None  # "Who sailed?"
    if any(c.dep_ in _AUXILIARIES and c.i < subject.i for c in verb.children):
        return None  # "Never will Ines sail" would lose its auxiliary
    predicate = _words(rest)
    return ClauseQuestion(_sentence(_wh(label), predicate), f"{_described(label)} {predicate}")


def _of_object(
    verb: Token, subject: Token, asked: Span, label: str, preposition: Token | None
) -> ClauseQuestion | None:
    """Ask for an object, or for the object of a `preposition`, which stays in place except for "where"."""
    taken = {token.i for token in asked.root.subtree}
    who = {token.i for token in subject.subtree}
    tokens = [token for token in _clause_tokens(verb) if token.i not in taken]
    subject_text = _words([token for token in tokens if token.i in who])
    helping = [c for c in verb.children if c.dep_ in _AUXILIARIES and c.i < verb.i]
    if helping and helping[0].i < subject.i:
        return None  # it is a question already
    after = [token for token in tokens if token.i not in who and token.i > subject.i]
    # "The person who the winner is" describes nobody.
    relative = "" if verb.lemma_ == "be" else f"{_described(label)} {subject_text} {_words(after)}"
    if helping:
        first, after = helping[0].lower_, [token for token in after if token != helping[0]]
    elif verb.lemma_ == "be":
        first, after = verb.lower_, [token for token in after if token != verb]
    else:
        first = "did" if verb.tag_ == "VBD" else "does"
    wh = _wh(label)
    if preposition is not None and wh == "which place" and preposition.lower_ in ("in", "at"):
        wh, after = "where", [token for token in after if token != preposition]
    bare = _words(after, verb if first in ("did", "does") and not helping else None)
    return ClauseQuestion(_sentence(wh, first, subject_text, bare), relative)


def _clause_tokens(verb: Token) -> list[Token]:
    """Return the verb and its dependents in order, without asides."""
    tokens, waiting = [], [verb]
    while waiting:
        token = waiting.pop()
        tokens.append(token)
        waiting += [c for c in token.children if not _aside(c, verb)]
    return sorted(tokens, key=lambda token: token.i)


def _aside(token: Token, verb: Token) -> bool:
    if token.ent_iob_ == "I":  # part of a name: "Johnson & Co"
        return False
    if token.dep_ in _LISTED:
        return token.head == verb or token.pos_ == "VERB"
    if token.is_punct:
        glued = not token.whitespace_ and token.i > 0 and not token.nbor(-1).whitespace_
        return not glued and all(c.dep_ != "conj" for c in token.head.children)
    return token.dep_ in _ASIDE or token.lower_ in _LINKING


def _words(tokens: Iterable[Token], bare: Token | None = None) -> str:
    """Return the tokens as text, with the verb `bare` in its base form."""
    sentence, before = "", -1
    for token in tokens:
        text = token.lemma_ if token == bare else token.lower_ if token.pos_ == "DET" else token.text
        sentence += (" " if token.i != before + 1 and not token.is_punct else "") + text + token.whitespace_
        before = token.i
    return " ".join(sentence.replace(" ,", ",").strip(" ,.").split())


def _wh(label: str) -> str:
    if label == "PERSON":
        return "who"
    return f"which {_NOUNS[label]}" if label in _NOUNS else "what"


def _described(label: str) -> str:
    return f"the {_NOUNS.get(label, 'thing')} {'who' if label == 'PERSON' else 'that'}"


def _sentence(*pieces: str) -> str:
    text = " ".join(piece.strip(" ,.") for piece in pieces if piece.strip(" ,."))
    return f"{text[:1].upper()}{text[1:]}?"


def _fit(question: str, asked: str, named: str) -> bool:
    """Return whether the question is short, names the one end but not the other, and has no dangling reference."""
    words = re.findall(r"[\w'’-]+", question.lower())
    return (
        4 <= len(words) <= LONGEST
        and named.casefold() in question.casefold()
        and asked.casefold() not in question.casefold()
        and not _POINTING.intersection(words[1:])
    )
