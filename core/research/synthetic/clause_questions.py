"""The clause or table row of a fact converted to a question for one of its ends.

Clauses are taken apart as for the reader's training data; here a question contains the whole clause, and its answer
is a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.research.reader_data.clause import OF_SPEAKER, THIRD, Clause, clauses, head_of, words
from core.research.reader_data.clause_questions import sentence_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

LONGEST = 24  # words of a question
_NOUNS = {"PERSON": "person", "ORG": "organisation", "GPE": "place", "LOC": "place", "FAC": "place"}
_UNFIT = re.compile(r"[\"“”()\[\]{}<>|*_=#\\~^:;\n]|https?|--|—")  # breaks the parse
_NUMBERED = re.compile(r"^(?:[-•*]|\(?\d+(?:\.\d+)*[.)]?)\s+(?=[A-Z])")  # a number before the clause
_BRACKETS = re.compile(r"\s*\([^()]*\)")
# Words whose referent is elsewhere in the document.
_POINTING = (THIRD | OF_SPEAKER.keys()).union(
    "hers theirs you your this that these those here there such former latter above below "
    "who whom whose which what".split()
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
    span, clause = _span(doc, asked), _main_clause(next(doc.sents))
    if span is None or clause is None or not all(map(_is_name, (span, _span(doc, named)))):
        return None
    top = span.root
    if any(c.dep_ == "conj" for c in top.children):
        return None  # it is one of several answers
    label = label if top.ent_type_ in ("", label) else ""  # its kind is uncertain
    if top == head_of(clause.subject):
        draft = _of_subject(clause, label)
    else:
        draft = next(
            (_of_object(clause, at, label) for at, part in enumerate(clause.rest) if _asks(part, top)), None
        )
    return draft if draft is not None and _fit(draft.question, asked, named) else None


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


def _main_clause(sentence: Span) -> Clause | None:
    """Return the clause of the root with what follows its verb; None if it denies, or is about several."""
    clause = next((c for c in clauses(sentence, None, {}) if c.verb == sentence.root), None)
    if clause is None or clause.negated or clause.auxiliary == "do":
        return None
    subject = head_of(clause.subject)
    if subject.tag_ in ("NNS", "NNPS") or any(c.dep_ == "conj" for c in subject.children):
        return None
    rest = (part for part in clause.rest if part[0].i > clause.verb.i and head_of(part).dep_ != "ccomp")
    return replace(clause, rest=tuple(rest))


def _span(doc: Doc, name: str) -> Span | None:
    """Return the only occurrence of the name, at token boundaries."""
    start = doc.text.find(name)
    if start < 0 or doc.text.find(name, start + 1) >= 0:
        return None
    return doc.char_span(start, start + len(name))


def _is_name(span: Span | None) -> bool:
    return span is not None and (
        span.root.pos_ == "PROPN" or bool(span.root.ent_type_ and span.text[:1].isupper())
    )


def _asks(part: tuple[Token, ...], name: Token) -> bool:
    """Return whether the part is the name, or a preposition with it."""
    head = head_of(part)
    if head == name:
        return head.dep_ in ("dobj", "attr", "oprd")
    return head.dep_ in ("prep", "agent") and name.dep_ == "pobj" and name.head == head


def _of_subject(clause: Clause, label: str) -> ClauseQuestion | None:
    if not clause.rest:
        return None  # "Who sailed?"
    predicate = [clause.finite, *_rest(clause)]
    return ClauseQuestion(sentence_of([_wh(label), *predicate]), _description(label, *predicate))


def _of_object(clause: Clause, place: int, label: str) -> ClauseQuestion:
    """Ask for a part, or for the object of its preposition, which stays in place except for "where"."""
    part, subject, wh = clause.rest[place], words(clause.subject, clause, named=False), _wh(label)
    head = head_of(part)
    is_object = head.dep_ not in ("prep", "agent")
    before = [token for token in part if token.i < head.i]  # "nine miles" of "nine miles from Barchester"
    stranded = [] if is_object else [*before, head]
    # "The person who the winner is" describes nobody.
    described = ""
    if clause.verb.lemma_ != "be":
        described = _description(label, subject, clause.finite, *_rest(clause, place, stranded))
    if wh == "which place" and head.lower_ in ("in", "at") and not is_object:
        wh, stranded = "where", before
    pieces = [wh, clause.auxiliary, subject, clause.middle, *_rest(clause, place, stranded)]
    return ClauseQuestion(sentence_of(pieces), described)


def _rest(clause: Clause, place: int = -1, instead: Sequence[Token] = ()) -> Iterator[str]:
    """Return what follows the verb, with the part at `place` replaced."""
    for at, part in enumerate(clause.rest):
        yield words(tuple(instead) if at == place else part, clause, named=False)


def _wh(label: str) -> str:
    if label == "PERSON":
        return "who"
    return f"which {_NOUNS[label]}" if label in _NOUNS else "what"


def _description(label: str, *pieces: str) -> str:
    relative = "who" if label == "PERSON" else "that"
    return " ".join(["the", _NOUNS.get(label, "thing"), relative, *filter(None, pieces)])


def _fit(question: str, asked: str, named: str) -> bool:
    """Return whether the question is short, names the one end but not the other, and has no dangling reference."""
    found = re.findall(r"[\w'’-]+", question.lower())
    return (
        4 <= len(found) <= LONGEST
        and named.casefold() in question.casefold()
        and asked.casefold() not in question.casefold()
        and not _POINTING.intersection(found[1:])
    )
