"""A question's plan, told to the graph route as what its evidence must cover."""

from __future__ import annotations

from core.answering.plan import Plan, Step, comparison, plan
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_words import COMPARISONS, NATIONS, PLACES
from core.retrieval.agentic.needs import Named, Needs, Relation
from core.text.stems import stem, words

# Say what kind of thing a name is, or how answers are held together: no fact has to tell them.
_KINDS = frozenset(
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
        asked=_asked(question, read, compared.final if compared else None),
        labels=compared.final.labels if compared else read.final.labels,
        each=bool(compared) or question.type is QuestionType.YES_NO,
    )


def _clues(step: Step) -> frozenset[str]:
    """'the country where X is': facts tell a place by where it lies, not by what kind of place it is."""
    return step.clues | _LIES if step.labels and set(step.labels) <= _PLACES else step.clues


def stems_of(text: str) -> frozenset[str]:
    """Stems of all words of a text, those of names included."""
    return frozenset(word.stem for word in words(text))


def _asked(question: ParsedQuestion, read: Plan, compared: Step | None) -> tuple[Relation, ...]:
    """Each word of what is finally asked is a relation of its own: all must be told."""
    inner = frozenset(clue for step in read.steps for clue in step.clues)
    found: dict[str, Relation] = {}
    for token in question.tokens:
        own, is_content = stem(token.lemma), token.lemma in question.content and token.pos != "NUM"
        if not is_content or own in _KINDS or own in inner or token.lemma in COMPARISONS:
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
