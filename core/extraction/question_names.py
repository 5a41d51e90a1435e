"""Names in a question, and the steps that a nested question takes from one to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.extraction.names import normalise, without_disambiguation
from core.extraction.question_words import ATTRIBUTES, WORKS, is_interrogative, labels_of
from core.types.kinds import VALUES


@dataclass(frozen=True, slots=True)
class Token:
    """One word of the question; offsets in the question's text, `head` an index into the tokens."""

    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    start: int
    end: int
    label: str  # spaCy's entity label, "" outside


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the question; [start, end) in its text, [first, last) in its tokens."""

    text: str
    key: str  # normalised, without "(1945 film)"
    start: int
    end: int
    first: int
    last: int
    label: str = ""
    quoted: bool = False


_JOINS = frozenset("of de la le du von van der den del di da do dos das al el bin ibn & -".split())
_QUESTION_WORDS = frozenset(
    "who whom whose when where which what how why is are was were am do does did has have had can could will would "
    "shall should may might must in on at of to for from by under with during after before between the a an if and "
    "name give list find tell there both among".split()
)
_RANKS = frozenset(
    "King Queen Prince Princess Duke Duchess Count Countess Earl Lady Lord Baron Baroness Marquess Marquis Viscount "
    "Viscountess Archduke Archduchess Emperor Empress Elector Landgrave Margrave Margravine Jr. Sr. Jr Sr".split()
)
QUOTED = re.compile(
    r'"([^"]{2,120})"|“([^”]{2,120})”|«\s?([^»]{2,120}?)\s?»|„([^“”]{2,120})[“”]|「([^」]{2,120})」|『([^』]{2,120})』'
)


def names_in(
    text: str, tokens: tuple[Token, ...], entities: tuple[tuple[int, int, str], ...]
) -> tuple[Name, ...]:
    """Return all names in order; their spans do not overlap."""
    spans = _quoted(text, tokens)
    taken = {i for first, last, _ in spans for i in range(first, last)}
    name_spans = [e for e in entities if e[2] not in VALUES]
    for first, last in _capital_runs(tokens, name_spans, taken):
        label = next((lb for s, e, lb in name_spans if s < last and e > first), "")
        spans.append((first, last, label))
        taken.update(range(first, last))
    for first, last, label in name_spans:  # lower-case names that spaCy knows
        free = not taken & set(range(first, last))
        asking = all(
            t.text.lower() in _QUESTION_WORDS or is_interrogative(t.text, "") for t in tokens[first:last]
        )
        if free and not asking:
            spans.append((first, last, label))
            taken.update(range(first, last))
    quoted = {(first, last) for first, last, label in spans if label == "QUOTED"}
    candidates = [
        name_at(
            text, tokens, first, last, "WORK" if (first, last) in quoted else label, (first, last) in quoted
        )
        for first, last, label in sorted(spans)
    ]
    return tuple(name for name in candidates if name is not None)


def name_at(
    text: str, tokens: tuple[Token, ...], first: int, last: int, label: str = "", quoted: bool = False
) -> Name | None:
    """Return the name in tokens [first, last); None when nothing of it is left once normalised."""
    start, end = tokens[first].start, tokens[last - 1].end
    surface = text[start:end]
    key = normalise(without_disambiguation(surface))
    label = label or next((t.label for t in tokens[first:last] if t.label), "")
    return Name(surface, key, start, end, first, last, label, quoted) if key else None


def _quoted(text: str, tokens: tuple[Token, ...]) -> list[tuple[int, int, str]]:
    spans = []
    for match in QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        inside = [i for i, t in enumerate(tokens) if t.start >= start and t.end <= end]
        if inside:
            spans.append((inside[0], inside[-1] + 1, "QUOTED"))
    return spans


def _capital_runs(
    tokens: tuple[Token, ...], entities: list[tuple[int, int, str]], taken: set[int]
) -> list[tuple[int, int]]:
    """Return maximal runs of capitalised words, with what may stand inside a name between them."""
    runs: list[tuple[int, int]] = []
    i = 0
    while i < len(tokens):
        if i in taken or not _opens(tokens, entities, i):
            i += 1
            continue
        last = _run_end(tokens, entities, taken, i)
        runs.append((i, last))
        i = last
    return runs


def _opens(tokens: tuple[Token, ...], entities: list[tuple[int, int, str]], i: int) -> bool:
    t = tokens[i]
    if not t.text[:1].isupper():
        return False
    following = tokens[i + 1].text if i + 1 < len(tokens) else ""
    asks = t.text.lower() in _QUESTION_WORDS or is_interrogative(t.text, following)
    begins = not any(before.text[:1].isalnum() for before in tokens[:i])  # "¿Quién"
    if asks and (begins or not _inside(entities, i)):
        # "The Prairie King": an article in mid-sentence with a capital opens a title.
        return not begins and tokens[i - 1].text not in (".", "?", "!") and following[:1].isupper()
    return True


def _run_end(
    tokens: tuple[Token, ...], entities: list[tuple[int, int, str]], taken: set[int], first: int
) -> int:
    last = first + 1
    i = last
    while i < len(tokens) and i not in taken:
        t = tokens[i]
        if t.text == "(":  # "(1945 Film)" belongs to the name before it
            close = next((j for j in range(i, min(i + 10, len(tokens))) if ")" in tokens[j].text), -1)
            if close < 0:
                break
            last = i = close + 1
        elif t.text.lower() == "or":
            break
        elif t.text[:1].isupper() or (t.text[:1].isdigit() and _hugs(t)) or _covered(entities, last - 1, i):
            last = i = i + 1
        elif t.text == "," and _rank_follows(tokens, i):
            i += 1
            if tokens[i].text[:1].isdigit():
                i += 1
        elif _joins(tokens, entities, i):
            i += 1
            while i < len(tokens) and tokens[i].text in ("the", "la", "los", "las"):
                i += 1
            if i >= len(tokens) or not tokens[i].text[:1].isupper():
                break
        else:
            break
    while last - first > 1 and tokens[last - 1].text in ("'s", "’s", "'", "’", ",", "'S"):
        last -= 1
    return last


def _joins(tokens: tuple[Token, ...], entities: list[tuple[int, int, str]], i: int) -> bool:
    """Return whether the small word at i may stand inside a name."""
    word = tokens[i].text.lower()
    if word in _JOINS:
        return True
    if word in ("and", "the", "in", "for", "to", "on", "'s", "’s", ",", ".", "!", "?", ":", "'"):
        return i + 1 < len(tokens) and _covered(entities, i - 1, i + 1)
    return False


def _rank_follows(tokens: tuple[Token, ...], comma: int) -> bool:
    """', 6th Earl of Westmorland' and ', Duchess of Aquitaine' belong to the name before them."""
    rest = tokens[comma + 1 : comma + 3]
    if (
        len(rest) == 2
        and rest[0].text[:1].isdigit()
        and rest[0].text.lower().endswith(("st", "nd", "rd", "th"))
    ):
        return rest[1].text in _RANKS
    return bool(rest) and rest[0].text in _RANKS


def _hugs(token: Token) -> bool:
    """Return whether a number right after a capital belongs to the name: 'Berth 7', 'Apollo 11'; a year does not."""
    return not (token.text.isdigit() and len(token.text) == 4)


def _inside(entities: list[tuple[int, int, str]], i: int) -> bool:
    return any(first <= i < last and last - first > 1 for first, last, _ in entities)


def _covered(entities: list[tuple[int, int, str]], i: int, j: int) -> bool:
    """Return whether one entity holds both tokens."""
    return any(first <= i and j < last for first, last, _ in entities)


def choices_among(tokens: tuple[Token, ...], names: Sequence[Name]) -> tuple[Name, ...]:
    """Return the two names that "or" joins, () when there is no such choice."""
    for i, t in enumerate(tokens):
        if t.text.lower() != "or":
            continue
        before = [n for n in names if n.last <= i and all(_filler(x) for x in tokens[n.last : i])]
        after = [n for n in names if n.first > i and all(_filler(x) for x in tokens[i + 1 : n.first])]
        if before and after:
            return before[-1], after[0]
    return ()


_FILLERS = frozenset("the a an film movie song".split())


def _filler(token: Token) -> bool:
    return token.pos in ("DET", "PUNCT", "NOUN") or token.text.lower() in _FILLERS


_OPENS = frozenset(["of", "that", "who", "whom", "whose", "which", "where", "behind"])
POSSESSIVES = frozenset(["'s", "’s", "'S", "'", "’"])
_CONCESSIONS = frozenset(["although", "though", "whereas", "while", "despite"])
NEGATIONS = frozenset(["no", "not", "never", "nobody", "nothing", "none", "neither", "without"])


def described_nouns(
    tokens: tuple[Token, ...], names: tuple[Name, ...], focus: int, word: int
) -> tuple[int, ...]:
    """Return the indices of nouns that must be found before the question can be answered, in reading order.

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
    """Return whether a possessive stands before the noun, adjectives between them allowed."""
    j = i - 1
    while j > 0 and tokens[j].pos in ("ADJ", "NOUN"):
        j -= 1
    return j > 0 and tokens[j].text in POSSESSIVES and tokens[j].pos == "PART"


def _has_clause(tokens: tuple[Token, ...], i: int) -> bool:
    return any(t.head == i and t.dep in ("relcl", "acl") for t in tokens)


def subtree(tokens: tuple[Token, ...], i: int) -> frozenset[int]:
    """Return the indices of all words that depend on the word at i, itself included."""
    found = {i}
    grown = True
    while grown:
        more = {j for j, t in enumerate(tokens) if t.head in found and j not in found}
        grown = bool(more)
        found |= more
    return frozenset(found)


def conceded(tokens: tuple[Token, ...]) -> frozenset[int]:
    """Return words of a clause that is granted and not asked: 'although her master swore otherwise'."""
    found: frozenset[int] = frozenset()
    for t in tokens:
        if t.text.lower() in _CONCESSIONS and t.dep == "mark" and tokens[t.head].dep == "advcl":
            found |= subtree(tokens, t.head)
    return found
