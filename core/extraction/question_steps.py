"""Steps of a question: nouns that are described instead of named ('the director of the film...')."""

from __future__ import annotations

from core.extraction.question_names import Name, Token
from core.extraction.question_words import ATTRIBUTES, WORKS, labels_of

_OPENS = frozenset(["of", "that", "who", "whom", "whose", "which", "where", "behind"])
POSSESSIVES = frozenset(["'s", "’s", "'S", "'", "’"])
_CONCESSIONS = frozenset(["although", "though", "whereas", "while", "despite"])
NEGATIONS = frozenset(["no", "not", "never", "nobody", "nothing", "none", "neither", "without"])


def described_nouns(
    tokens: tuple[Token, ...], names: tuple[Name, ...], focus: int, word: int
) -> tuple[int, ...]:
    """Indices of nouns that must be found before the question can be answered, in reading order.

    `focus` is the noun asked for and `word` the question word: neither is a step.
    """
    inside = {i for name in names for i in range(name.first, name.last)}
    return tuple(
        i
        for i, t in enumerate(tokens)
        if t.pos == "NOUN"
        and i not in inside
        and i != focus
        and (t.lemma not in ATTRIBUTES or _acts(tokens, i))
        # "Which film ...", "the film They Came to Cordura": introduced or named, not described
        and not (labels_of(t.lemma) == WORKS and (i == word + 1 or i + 1 in inside))
        and (_opens_description(tokens, i) or _owned(tokens, i) or _has_clause(tokens, i))
    )


def _opens_description(tokens: tuple[Token, ...], i: int) -> bool:
    if i + 1 >= len(tokens):
        return False
    if tokens[i + 1].text.lower() in _OPENS:
        return True
    return tokens[i + 1].pos == "ADP" and i + 2 < len(tokens) and tokens[i + 2].tag in ("WDT", "WP")


def _acts(tokens: tuple[Token, ...], i: int) -> bool:
    """'the foundation that owns' is an organisation, 'the foundation of the firm' an event."""
    followed = i + 1 < len(tokens) and tokens[i + 1].text.lower() in ("that", "which", "whose", "who")
    return followed and "ORG" in labels_of(tokens[i].lemma)


def _owned(tokens: tuple[Token, ...], i: int) -> bool:
    """Whether a possessive stands before the noun, adjectives between them allowed."""
    j = i - 1
    while j > 0 and tokens[j].pos in ("ADJ", "NOUN"):
        j -= 1
    return j > 0 and tokens[j].text in POSSESSIVES and tokens[j].pos == "PART"


def _has_clause(tokens: tuple[Token, ...], i: int) -> bool:
    return any(t.head == i and t.dep in ("relcl", "acl") for t in tokens)


def subtree(tokens: tuple[Token, ...], i: int) -> frozenset[int]:
    """Indices of all words that depend on the word at i, itself included."""
    found = {i}
    grown = True
    while grown:
        more = {j for j, t in enumerate(tokens) if t.head in found and j not in found}
        grown = bool(more)
        found |= more
    return frozenset(found)


def conceded(tokens: tuple[Token, ...]) -> frozenset[int]:
    """Words of a clause that is granted and not asked: 'although her master swore otherwise'."""
    found: frozenset[int] = frozenset()
    for t in tokens:
        if t.text.lower() in _CONCESSIONS and t.dep == "mark" and tokens[t.head].dep == "advcl":
            found |= subtree(tokens, t.head)
    return found
