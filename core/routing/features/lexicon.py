"""Family: entities, roles, words and markers. EA-GraphRAG 3.2.3."""

from __future__ import annotations

from collections import Counter

from core.extraction.question import ParsedQuestion, QuestionType, Token
from core.extraction.question_steps import NEGATIONS
from core.routing.features.signal import Signal, flag, named_tokens, plain, share, tally, word_indices

_KINDS: dict[str, tuple[str, str, frozenset[str]]] = {
    "people": ("person named", "people named", frozenset(["PERSON"])),
    "organisations": ("organisation named", "organisations named", frozenset(["ORG"])),
    "places": ("place named", "places named", frozenset("GPE LOC FAC".split())),
    "dates": ("date or time", "dates or times", frozenset("DATE TIME".split())),
    "works": ("work named", "works named", frozenset("WORK WORK_OF_ART LAW PRODUCT".split())),
    "peoples": ("nationality or group", "nationalities or groups", frozenset("NORP LANGUAGE".split())),
    "quantities": (
        "quantity",
        "quantities",
        frozenset("CARDINAL ORDINAL PERCENT MONEY QUANTITY".split()),
    ),
    "events": ("event named", "events named", frozenset(["EVENT"])),
    "unlabelled_names": ("name of unknown kind", "names of unknown kind", frozenset([""])),
}
_TYPES = {kind: f"type_{kind.value.replace(' ', '_')}" for kind in QuestionType}
_ASKED: dict[str, tuple[str, frozenset[str]]] = {
    "asks_person": ("a person", frozenset(["PERSON"])),
    "asks_place": ("a place", frozenset("GPE LOC FAC".split())),
    "asks_date": ("a date", frozenset("DATE TIME".split())),
    "asks_number": ("a number", frozenset("CARDINAL QUANTITY ORDINAL MONEY PERCENT".split())),
    "asks_group": ("an organisation or nation", frozenset("ORG NORP".split())),
    "asks_work": ("a work", frozenset("WORK WORK_OF_ART".split())),
}
NAMES = (
    *_KINDS,
    "entity_density",
    "entity_kinds",
    "name_share",
    "longest_name",
    "agents",
    "patients",
    "temporal_roles",
    "locative_roles",
    "lexical_diversity",
    "lemma_diversity",
    "content_words",
    "function_words",
    "content_to_function",
    "noun_share",
    "verb_share",
    "adjective_share",
    "pronouns",
    "information_density",
    "mean_word_length",
    "characters",
    "digits",
    *_TYPES.values(),
    *_ASKED,
    "coordination_markers",
    "subordination_markers",
    "negation_markers",
    "passive_markers",
)

_CONTENT = frozenset("NOUN PROPN VERB ADJ ADV NUM".split())
_SUBORDINATORS = frozenset(
    "that who whom whose which where when while because since although though if whether after before until "
    "unless whereas once".split()
)
_IN_TIME = frozenset("year date day month century decade time age season".split())
_AT = frozenset("in at near on from to around within outside inside".split())


def measure(question: ParsedQuestion) -> list[Signal]:
    """Entities by kind, roles, diversity and density of words, form of the question, markers."""
    words = word_indices(question.tokens)
    return [
        *_entities(question, len(words)),
        *_roles(question),
        *_vocabulary(question.tokens, words),
        *_form(question),
        *_markers(question),
    ]


def entity_labels(question: ParsedQuestion) -> list[str]:
    """The label of every name, and of every date or quantity that is no name."""
    inside, labels = named_tokens(question), [name.label for name in question.names]
    before = ""
    for i, t in enumerate(question.tokens):
        label = "" if i in inside else t.label
        if label and label != before:
            labels.append(label)
        before = label
    return labels


def entity_count(question: ParsedQuestion) -> int:
    """How many names, dates and quantities the question holds."""
    return len(entity_labels(question))


def connectors(question: ParsedQuestion) -> int:
    """Words that join phrases or clauses, outside names and but for the question word."""
    return _coordinators(question) + _subordinators(question)


def _entities(question: ParsedQuestion, words: int) -> list[Signal]:
    labels = entity_labels(question)
    kinds = [
        tally(name, sum(label in among for label in labels), one, many)
        for name, (one, many, among) in _KINDS.items()
    ]
    inside = sum(name.last - name.first for name in question.names)
    longest = max((name.last - name.first for name in question.names), default=0)
    return [
        *kinds,
        Signal("entity_density", len(labels) / max(words, 1), f"{len(labels)} entities in {words} words"),
        tally("entity_kinds", len(set(labels)), "kind of entity", "kinds of entities"),
        share("name_share", min(inside / max(words, 1), 1.0), "of the words in names"),
        Signal("longest_name", float(longest), f"longest name {longest} words"),
    ]


def _roles(question: ParsedQuestion) -> list[Signal]:
    tokens = question.tokens
    found = Counter(t.dep for t in tokens)
    by = sum(t.dep == "pobj" and tokens[t.head].dep == "agent" for t in tokens)
    temporal = sum(
        t.label in ("DATE", "TIME") and tokens[t.head].label not in ("DATE", "TIME") for t in tokens
    )
    temporal += sum(t.lemma in _IN_TIME and not t.label for t in tokens)
    temporal += question.type is QuestionType.WHEN
    locative = sum(
        t.dep == "pobj" and tokens[t.head].lemma in _AT and t.label in ("GPE", "LOC", "FAC") for t in tokens
    )
    locative += question.type is QuestionType.WHERE
    return [
        tally("agents", found["nsubj"] + by, "agent"),
        tally("patients", found["dobj"] + found["nsubjpass"], "patient"),
        tally("temporal_roles", temporal, "part that tells a time", "parts that tell times"),
        tally("locative_roles", locative, "part that tells a place", "parts that tell places"),
    ]


def _vocabulary(tokens: tuple[Token, ...], words: list[int]) -> list[Signal]:
    total = max(len(words), 1)
    pos = Counter(tokens[i].pos for i in words)
    content = sum(pos[p] for p in _CONTENT)
    function = len(words) - content
    unique = len({tokens[i].text.lower() for i in words}) / total
    lemmas = len({tokens[i].lemma for i in words}) / total
    length = sum(len(tokens[i].text) for i in words) / total
    balance = content / max(function, 1)
    characters = tokens[-1].end if tokens else 0
    return [
        share("lexical_diversity", unique, "of the words different"),
        share("lemma_diversity", lemmas, "of the base forms different"),
        tally("content_words", content, "content word"),
        tally("function_words", function, "function word"),
        Signal("content_to_function", balance, f"{plain(balance)} content words for each function word"),
        share("noun_share", (pos["NOUN"] + pos["PROPN"]) / total, "of the words nouns"),
        share("verb_share", pos["VERB"] / total, "of the words verbs"),
        share("adjective_share", pos["ADJ"] / total, "of the words adjectives"),
        tally("pronouns", pos["PRON"], "pronoun"),
        share("information_density", content / total, "of the words carry content"),
        Signal("mean_word_length", length, f"words of {plain(length)} letters"),
        tally("characters", characters, "character"),
        tally("digits", sum(c.isdigit() for i in words for c in tokens[i].text), "digit"),
    ]


def _form(question: ParsedQuestion) -> list[Signal]:
    types = [
        flag(name, question.type is kind, f'asks "{kind.value}"', f'does not ask "{kind.value}"')
        for kind, name in _TYPES.items()
    ]
    first = frozenset(question.answer_labels[:1])
    asked = [
        flag(name, bool(first & among), f"asks for {words}", f"does not ask for {words}")
        for name, (words, among) in _ASKED.items()
    ]
    return [*types, *asked]


def _markers(question: ParsedQuestion) -> list[Signal]:
    inside = named_tokens(question)
    outside = [t for i, t in enumerate(question.tokens) if i not in inside]
    denied = sum(t.dep == "neg" or t.text.lower() in NEGATIONS for t in outside)
    passive = sum(
        t.dep in ("nsubjpass", "csubjpass", "agent") and t.head not in inside for t in question.tokens
    )
    return [
        tally("coordination_markers", _coordinators(question), "coordinating word"),
        tally("subordination_markers", _subordinators(question), "subordinating word"),
        tally("negation_markers", denied, "word that denies", "words that deny"),
        tally("passive_markers", passive, "passive", "passives"),
    ]


def _coordinators(question: ParsedQuestion) -> int:
    inside = named_tokens(question)
    return sum(t.dep in ("cc", "preconj") and i not in inside for i, t in enumerate(question.tokens))


def _subordinators(question: ParsedQuestion) -> int:
    inside = named_tokens(question)
    return sum(
        (t.dep == "mark" or t.text.lower() in _SUBORDINATORS)
        and i not in inside
        and i != question.question_token
        and t.tag != "DT"
        for i, t in enumerate(question.tokens)
    )
