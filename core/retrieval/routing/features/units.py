"""Family: the nine syntactic units and their ratios. EA-GraphRAG 3.2.1; Lu 2010 for what a unit is.

The paper counts them in constituency trees (`core.retrieval.routing.features.constituency`). Here they are
read off the dependency parse that every question has anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from core.extraction.question import ParsedQuestion, Token
from core.retrieval.routing.features.signal import Signal, children_of, plain, tally
from core.text.translation import mark, markn, tr

_FINITE = frozenset(["MD", "VBZ", "VBP", "VBD"])
_ASKING = frozenset(["WDT", "WP$", "WP", "WRB"])
_VERBS = frozenset(["VERB", "AUX"])
_SUBJECTS = frozenset(["nsubj", "nsubjpass", "csubj", "csubjpass", "expl"])
_DEPENDENT = frozenset(["relcl", "advcl", "ccomp", "csubj", "csubjpass", "pcomp", "acl"])
_MAXIMAL = frozenset(
    "nsubj nsubjpass dobj pobj attr dative npadvmod oprd nmod intj dep obj iobj".split()
)  # where a noun phrase is not part of another one
_NOMINAL = frozenset(["NOUN", "PROPN", "PRON", "NUM", "DET", "ADJ"])


@dataclass(frozen=True, slots=True)
class Units:
    """Counts of one question. The letters in `UNIT_NAMES` are the paper's."""

    words: int
    sentences: int
    clauses: int
    dependent_clauses: int
    t_units: int
    complex_t_units: int
    coordinate_phrases: int
    complex_nominals: int
    verb_phrases: int


UNIT_NAMES = ("W", "S", "C", "DC", "T", "CT", "CP", "CN", "VP")
RATIO_NAMES = (
    "MLS",
    "MLT",
    "C/S",
    "C/T",
    "CT/T",
    "DC/C",
    "DC/T",
    "CP/C",
    "CP/T",
    "T/S",
    "CN/C",
    "CN/T",
    "VP/T",
)
NAMES = (*UNIT_NAMES, *RATIO_NAMES)

_WORDS = (
    markn("{number} word", "{number} words"),
    markn("{number} sentence", "{number} sentences"),
    markn("{number} clause", "{number} clauses"),
    markn("{number} dependent clause", "{number} dependent clauses"),
    markn(
        "{number} main clause with all that hangs on it", "{number} main clauses with all that hangs on them"
    ),
    markn("{number} main clause with a clause inside", "{number} main clauses with clauses inside"),
    markn("{number} coordinate phrase", "{number} coordinate phrases"),
    markn("{number} complex noun phrase", "{number} complex noun phrases"),
    markn("{number} verb phrase", "{number} verb phrases"),
)
_RATIO_WORDS = (
    mark("{number} words a sentence"),
    mark("{number} words a main clause"),
    mark("{number} clauses a sentence"),
    mark("{number} clauses a main clause"),
    mark("{number} of every main clause holds another"),
    mark("{number} of every clause dependent"),
    mark("{number} dependent clauses a main clause"),
    mark("{number} coordinate phrases a clause"),
    mark("{number} coordinate phrases a main clause"),
    mark("{number} main clauses a sentence"),
    mark("{number} complex noun phrases a clause"),
    mark("{number} complex noun phrases a main clause"),
    mark("{number} verb phrases a main clause"),
)


def measure(question: ParsedQuestion) -> list[Signal]:
    """The nine counts, then the thirteen ratios, named as in the paper."""
    return signals(units_of(question))


def signals(units: Units) -> list[Signal]:
    """Named counts and ratios of given units, wherever they were counted."""
    w, s, c, dc, t, ct, cp, cn, vp = counts(units)
    pairs = (
        (w, s),
        (w, t),
        (c, s),
        (c, t),
        (ct, t),
        (dc, c),
        (dc, t),
        (cp, c),
        (cp, t),
        (t, s),
        (cn, c),
        (cn, t),
    )
    ratios = [over / max(under, 1) for over, under in (*pairs, (vp, t))]
    found = [
        tally(name, n, one, many)
        for name, n, (one, many) in zip(UNIT_NAMES, counts(units), _WORDS, strict=True)
    ]
    return found + [
        Signal(name, value, partial(tr, words, number=plain(value)))
        for name, value, words in zip(RATIO_NAMES, ratios, _RATIO_WORDS, strict=True)
    ]


def counts(units: Units) -> tuple[int, ...]:
    """The nine counts in the order of UNIT_NAMES."""
    return (
        units.words,
        units.sentences,
        units.clauses,
        units.dependent_clauses,
        units.t_units,
        units.complex_t_units,
        units.coordinate_phrases,
        units.complex_nominals,
        units.verb_phrases,
    )


def units_of(question: ParsedQuestion) -> Units:
    """The units by the dependency parse."""
    tokens = question.tokens
    children = children_of(tokens)
    words = [i for i, t in enumerate(tokens) if t.pos not in ("PUNCT", "SPACE")]
    roots = [i for i in words if tokens[i].head == i]
    clauses = [i for i in words if _heads_clause(tokens, children, i)]
    dependent = [i for i in clauses if _is_dependent(tokens, i)]
    tops = [i for i in clauses if i not in set(dependent)]
    over = {_top_of(tokens, set(tops), i) for i in dependent}
    bare = sum(_is_bare_phrase(tokens, children, i) for i in words)
    verbal = sum(_has_verb(tokens, children, i) for i in clauses)
    return Units(
        words=len(words),
        sentences=len(roots),
        clauses=len(clauses),
        dependent_clauses=len(dependent),
        t_units=len(tops),
        complex_t_units=len(over & set(tops)),
        coordinate_phrases=sum(_is_coordinate(tokens, children, i) for i in words),
        complex_nominals=sum(_is_complex_nominal(tokens, children, i) for i in words),
        verb_phrases=verbal + bare,
    )


def _heads_clause(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    """A root, or a finite predicate; verbs that share their subject are one clause."""
    if tokens[i].head == i:
        return True
    if tokens[i].dep == "conj":
        return _is_finite(tokens, children, i) and _has_subject(tokens, children, i)
    if _is_stray(tokens, children, i):
        return False
    return tokens[i].dep in (*_DEPENDENT, "parataxis") and _is_finite(tokens, children, i)


def _is_stray(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    """The main verb of 'Where was the wife buried?', read as a clause of its own below 'was'."""
    opened = any(tokens[j].dep in (*_SUBJECTS, "mark", "aux", "auxpass", "advmod") for j in children[i])
    over = tokens[tokens[i].head]
    return over.lemma in ("be", "have", "do") and tokens[i].tag in ("VBD", "VBN") and not opened


def _is_finite(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    if tokens[i].tag in _FINITE:
        return True
    return any(tokens[j].dep in ("aux", "auxpass") and tokens[j].tag in _FINITE for j in children[i])


def _has_subject(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    return any(tokens[j].dep in _SUBJECTS for j in children[i])


def _has_verb(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    return tokens[i].pos in _VERBS or any(tokens[j].dep in ("aux", "auxpass", "cop") for j in children[i])


def _is_dependent(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether the clause, or the one it is coordinated with, hangs on a word of another."""
    while tokens[i].dep == "conj" and tokens[i].head != i:
        i = tokens[i].head
    return tokens[i].dep in _DEPENDENT


def _top_of(tokens: tuple[Token, ...], tops: set[int], i: int) -> int:
    """The main clause over the word at i, -1 when there is none."""
    while i not in tops:
        if tokens[i].head == i:
            return -1
        i = tokens[i].head
    return i


def _is_bare_phrase(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    """A verb phrase without a finite verb that stands for a clause: 'to win', 'by winning'."""
    t = tokens[i]
    if t.pos not in _VERBS or _is_finite(tokens, children, i) or _is_stray(tokens, children, i):
        return False
    if t.dep in ("xcomp", "advcl", "pcomp", "ccomp", "csubj"):
        return True
    return t.dep in ("acl", "relcl") and any(tokens[j].tag == "TO" for j in children[i])


def _is_coordinate(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    """A phrase, not a clause, that holds 'and' or 'or'."""
    if not any(tokens[j].dep == "cc" for j in children[i]):
        return False
    joined = [j for j in children[i] if tokens[j].dep == "conj"]
    if not joined or tokens[i].dep == "prep":
        return bool(joined) and any(tokens[j].dep != "prep" and tokens[j].pos != "ADP" for j in joined)
    return not any(_heads_clause(tokens, children, j) for j in joined)


def _is_complex_nominal(tokens: tuple[Token, ...], children: list[list[int]], i: int) -> bool:
    """A whole noun phrase with an adjective, owner, preposition, clause or apposition; or a clause as noun."""
    t = tokens[i]
    if t.dep in ("ccomp", "csubj") and t.pos in _VERBS:
        return True
    if t.pos not in _NOMINAL or t.dep not in _MAXIMAL:
        return False
    below = _under(children, i)
    near = (i, *children[i], *(j for c in children[i] for j in children[c] if c < i))
    if any(tokens[j].tag in _ASKING and j <= i for j in near):
        return False  # "which film", "how many members" are question phrases
    return any(_complicates(tokens, j) for j in below)


def _complicates(tokens: tuple[Token, ...], i: int) -> bool:
    t = tokens[i]
    return t.tag in ("JJ", "POS", "VBG") or t.dep in ("prep", "relcl", "appos")


def _under(children: list[list[int]], i: int) -> list[int]:
    """Everything that depends on i, without i."""
    found, waiting = [], list(children[i])
    while waiting:
        j = waiting.pop()
        found.append(j)
        waiting.extend(children[j])
    return found
