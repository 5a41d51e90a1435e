"""What must be found, in order: the unnamed steps from the names outward, then what is asked."""

from __future__ import annotations

from dataclasses import dataclass

from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import conceded, subtree
from core.extraction.question_words import COMPARISONS, DATES, NATIONS, PEOPLE, PLACES, WORKS, labels_of
from core.retrieval.agentic.needs import Named, Needs, Relation
from core.text.stems import stem

# Words that say what kind of thing a name is, not how it relates to the answer.
_VALUES = frozenset(("DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "QUANTITY"))
_COPULAS = frozenset(("is", "wa", "was", "were"))
_BODIES = frozenset(stem(w) for w in "study educated graduated attended work employ".split())
# "Which shipyard": a noun that no list knows still asks for something that bears a name.
_NAMED = ("ORG", "FAC", "PRODUCT", "WORK", "WORK_OF_ART", "GPE", "LOC", "EVENT", "OTHER")
_KINDS = frozenset(stem(w) for w in "film movie song album book novel both same other share".split())


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to find: labels it may carry (() any), stems that tell the relation."""

    word: str  # as people read it: "director", "date", "where"
    labels: tuple[str, ...]
    clues: frozenset[str]
    role: str = ""  # birth or death, when that is what is asked


@dataclass(frozen=True, slots=True)
class Plan:
    """`starts` are keys of the names to begin at."""

    starts: tuple[str, ...]
    steps: tuple[Step, ...]
    final: Step


def plan(question: ParsedQuestion) -> Plan:
    """Read the steps off the parse."""
    tokens = question.tokens
    # What could not be told apart from anything else in the evidence is no step, only words.
    known = [i for i in question.steps if _is_thing(tokens[i].lemma)]
    scopes = {i: subtree(tokens, i) for i in known}
    named = {i for name in question.names for i in range(name.first, name.last)}
    tail = _tail(question, scopes)
    scopes = {i: scope - tail for i, scope in scopes.items()}
    order = sorted(known, key=lambda i: (len(scopes[i]), -i))
    steps: list[Step] = []
    used: set[int] = set()
    for i in order:
        scope = {j for j in scopes[i] if j not in used and j not in named}
        used |= scopes[i]
        steps.append(_step_of(question, i, scope))
    inner = {i for i in order for i in scopes[i]}
    starts = [n.key for n in question.names if n.first in inner or not order]
    if not starts:  # the parse hung the name elsewhere: begin at every name
        starts = [n.key for n in question.names]
    return Plan(tuple(dict.fromkeys(starts)), tuple(steps), _asked(question, used | named))


def _is_thing(noun: str) -> bool:
    """Whether a noun names what can bear a name; a payment or a share is only told in words."""
    labels = labels_of(noun)
    return bool(labels and labels[0] not in _VALUES)


def _tail(question: ParsedQuestion, scopes: dict[int, frozenset[int]]) -> frozenset[int]:
    """'When was the director of film X born?': the parser often hangs the last word on the director.

    Words after the last name that no relative clause holds, when nothing else says what is asked.
    """
    tokens = question.tokens
    named = {i for name in question.names for i in range(name.first, name.last)}
    last = max(named, default=len(tokens))
    inner = {i for scope in scopes.values() for i in scope}
    asked = [
        i for i, t in enumerate(tokens) if t.lemma in question.content and i not in named and i not in inner
    ]
    relative = any(
        t.tag in ("WDT", "WP", "WRB", "WP$") for i, t in enumerate(tokens[:last]) if i in inner - named
    )
    if asked or relative:
        return frozenset()
    return frozenset(i for i in inner if i > last and tokens[i].lemma in question.content)


def _step_of(question: ParsedQuestion, i: int, scope: set[int]) -> Step:
    noun = question.tokens[i].lemma
    clues = {stem(noun)}
    for j in scope:
        if question.tokens[j].lemma in question.content and j != i and question.tokens[j].pos != "NUM":
            clues.add(stem(question.tokens[j].lemma))
    return Step(noun, labels_of(noun), frozenset(clues) - _KINDS)


def _asked(question: ParsedQuestion, used: set[int]) -> Step:
    """What the question finally asks for: its labels and the words around the question word."""
    tokens = question.tokens
    clues: set[str] = set()
    lemmas = []
    used = used | conceded(tokens)
    for j, t in enumerate(tokens):
        if j not in used and t.lemma in question.content and t.pos != "NUM":
            lemmas.append(t.lemma)
            clues.add(stem(t.lemma))
    role = _role(question.answer_labels, {stem(lemma) for lemma in lemmas})
    if role and question.focus:
        clues.add(stem(role))
    word = question.focus or question.type.value
    labels = question.answer_labels
    if labels == NATIONS:
        clues |= _COPULAS
    if not labels and question.type is QuestionType.WHICH and question.focus:
        labels = _NAMED
    if question.type is QuestionType.WHERE and clues & _BODIES:
        labels = ("ORG", *labels)  # "Where did she study?" asks for a school
    return Step(word, labels, frozenset(clues) - _KINDS, role)


def _role(labels: tuple[str, ...], stems: set[str]) -> str:
    if "bear" in stems:
        return "birth"
    if "die" in stems or "buri" in stems:
        return "death"
    return ""


# ------------------------------------------------------------------ comparisons


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two or more names held against each other by one attribute."""

    names: tuple[str, ...]  # keys
    surfaces: tuple[str, ...]
    final: Step
    order: str  # earliest, latest, longest, shortest, same


_EARLY = frozenset("first earlier older before oldest earliest".split())
_LATE = frozenset("later younger newer last latest youngest recently after".split())
_CREATION = frozenset(
    "come release publish form found establish start open begin launch premiere create build".split()
)


def comparison(question: ParsedQuestion) -> Comparison | None:
    """The comparison that the question asks for, or None."""
    words = {t.text.lower() for t in question.tokens}
    if question.choices:
        names = question.choices
    elif question.type is QuestionType.YES_NO and words & {"both", "same", "share"}:
        names = question.names
    else:
        return None
    if len(names) < 2:
        return None
    keys = tuple(n.key for n in names)
    surfaces = tuple(n.text for n in names)
    if question.type is QuestionType.YES_NO:
        kind = _same_kind(question, words)
        return Comparison(keys, surfaces, kind, "same") if kind else None
    asked = _dated(question, words)
    if asked is None:
        return None
    step, order = asked
    return Comparison(keys, surfaces, step, order)


def _same_kind(question: ParsedQuestion, words: set[str]) -> Step | None:
    """What must be the same: 'the same country', 'share the same nationality'."""
    if not words & {"same", "share"}:
        return None
    for t in question.tokens:
        labels = labels_of(t.lemma) if t.pos == "NOUN" else ()
        if labels and labels not in (PEOPLE, WORKS) and t.lemma in question.content:
            return Step(t.lemma, labels, frozenset([stem(t.lemma), *(_COPULAS if labels == NATIONS else ())]))
    return None


def _dated(question: ParsedQuestion, words: set[str]) -> tuple[Step, str] | None:
    lemmas = {stem(lemma) for lemma in question.content}
    if "longer" in words and lemmas & {"liv", "live", "life"}:
        return Step("life", DATES, frozenset([stem("born"), stem("died")])), "longest"
    early, late = words & _EARLY, words & _LATE
    if not (early or late):
        return None
    order = "earliest" if early else "latest"
    if "die" in lemmas:
        return Step("date of death", DATES, frozenset([stem("died")]), "death"), order
    if "bear" in lemmas or words & {"older", "younger", "oldest", "youngest"}:
        return Step("date of birth", DATES, frozenset([stem("born")]), "birth"), order
    clues = {stem("released")}
    for lemma in question.content:
        if lemma in _CREATION:
            clues.add(stem(lemma))
    return Step("date", DATES, frozenset(clues)), order


# Say what kind of thing a name is, or how answers are held together: no fact has to tell them.
_KIND_WORDS = frozenset(
    stem(word)
    for word in "film movie song album book novel both same share first last name date year time place "
    "person people thing kind type country old young early late long short recent".split()
)
_PLACES = frozenset((*PLACES, *NATIONS))
_LIES = frozenset(stem(word) for word in "in located situated lies part".split())
_BELONGS = _LIES | frozenset(stem(word) for word in "is was from".split())
_DATED = frozenset((stem("dated"),))
_ROLES = {"birth": "bear", "death": "die"}


def needs_of(question: ParsedQuestion) -> Needs:
    """What facts must tell before the question counts as covered. Never raises."""
    read, compared = plan(question), comparison(question)
    names = tuple(Named(name.text, name.key) for name in question.names)
    keys = compared.names if compared else read.starts
    starts = tuple(name for name in names if name.key in keys)
    return Needs(
        names=names,
        starts=tuple({name.key: name for name in starts}.values()),
        steps=tuple(Relation(step.word, _clues(step), step.labels) for step in read.steps if step.clues),
        asked=_relations_asked(question, read, compared.final if compared else None),
        labels=compared.final.labels if compared else read.final.labels,
        each=bool(compared) or question.type is QuestionType.YES_NO,
    )


def _clues(step: Step) -> frozenset[str]:
    """'the country where X is': facts tell a place by where it lies, not by what kind of place it is."""
    return step.clues | _LIES if step.labels and set(step.labels) <= _PLACES else step.clues


def _relations_asked(question: ParsedQuestion, read: Plan, compared: Step | None) -> tuple[Relation, ...]:
    """Each word of what is finally asked is a relation of its own: all must be told."""
    inner = frozenset(clue for step in read.steps for clue in step.clues)
    found: dict[str, Relation] = {}
    for token in question.tokens:
        own, is_content = stem(token.lemma), token.lemma in question.content and token.pos != "NUM"
        if not is_content or own in _KIND_WORDS or own in inner or token.lemma in COMPARISONS:
            continue
        if own in read.final.clues:
            found[own] = Relation(token.lemma, _forms(read.final) | {own})
    role = _ROLES.get(compared.role if compared else read.final.role)
    if role and stem(role) not in found:
        found[stem(role)] = Relation(role, frozenset([stem(role)]))
    return tuple(found.values())


def _forms(final: Step) -> frozenset[str]:
    """What facts say of every thing of a kind: 'X is Estonian', 'village in Estonia', 'film dated 1971'."""
    if final.role:
        return frozenset()
    labels = set(final.labels)
    if labels and labels <= set(NATIONS):
        return _BELONGS
    if labels and labels <= _PLACES:
        return _LIES
    return _DATED if "DATE" in labels and stem("release") in final.clues else frozenset()
