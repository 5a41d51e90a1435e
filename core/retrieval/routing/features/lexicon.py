"""Family: entities, roles, words and markers. EA-GraphRAG 3.2.3."""

from __future__ import annotations

from collections import Counter

from core.extraction.question import ParsedQuestion, QuestionType, Token
from core.extraction.question_names import NEGATIONS
from core.retrieval.routing.features.signal import (
    Signal,
    flag,
    named_tokens,
    plain,
    share,
    tally,
    word_indices,
)
from core.text.translation import mark, markn, tr

_KINDS: dict[str, tuple[str, str, frozenset[str]]] = {
    "people": (*markn("{number} person named", "{number} people named"), frozenset(["PERSON"])),
    "organisations": (
        *markn("{number} organisation named", "{number} organisations named"),
        frozenset(["ORG"]),
    ),
    "places": (*markn("{number} place named", "{number} places named"), frozenset("GPE LOC FAC".split())),
    "dates": (*markn("{number} date or time", "{number} dates or times"), frozenset("DATE TIME".split())),
    "works": (
        *markn("{number} work named", "{number} works named"),
        frozenset("WORK WORK_OF_ART LAW PRODUCT".split()),
    ),
    "peoples": (
        *markn("{number} nationality or group", "{number} nationalities or groups"),
        frozenset("NORP LANGUAGE".split()),
    ),
    "quantities": (
        *markn("{number} quantity", "{number} quantities"),
        frozenset("CARDINAL ORDINAL PERCENT MONEY QUANTITY".split()),
    ),
    "events": (*markn("{number} event named", "{number} events named"), frozenset(["EVENT"])),
    "unlabelled_names": (
        *markn("{number} name of unknown kind", "{number} names of unknown kind"),
        frozenset([""]),
    ),
}
_TYPES = {kind: f"type_{kind.value.replace(' ', '_')}" for kind in QuestionType}
_ASKED: dict[str, tuple[str, str, frozenset[str]]] = {
    "asks_person": (mark("asks for a person"), mark("does not ask for a person"), frozenset(["PERSON"])),
    "asks_place": (
        mark("asks for a place"),
        mark("does not ask for a place"),
        frozenset("GPE LOC FAC".split()),
    ),
    "asks_date": (mark("asks for a date"), mark("does not ask for a date"), frozenset("DATE TIME".split())),
    "asks_number": (
        mark("asks for a number"),
        mark("does not ask for a number"),
        frozenset("CARDINAL QUANTITY ORDINAL MONEY PERCENT".split()),
    ),
    "asks_group": (
        mark("asks for an organisation or nation"),
        mark("does not ask for an organisation or nation"),
        frozenset("ORG NORP".split()),
    ),
    "asks_work": (
        mark("asks for a work"),
        mark("does not ask for a work"),
        frozenset("WORK WORK_OF_ART".split()),
    ),
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
        Signal(
            "entity_density",
            len(labels) / max(words, 1),
            lambda: tr("{count} entities in {words} words", count=len(labels), words=words),
        ),
        tally("entity_kinds", len(set(labels)), "{number} kind of entity", "{number} kinds of entities"),
        share("name_share", min(inside / max(words, 1), 1.0), "{share} of the words in names"),
        Signal("longest_name", float(longest), lambda: tr("longest name {longest} words", longest=longest)),
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
        tally("agents", found["nsubj"] + by, "{number} agent", "{number} agents"),
        tally("patients", found["dobj"] + found["nsubjpass"], "{number} patient", "{number} patients"),
        tally(
            "temporal_roles", temporal, "{number} part that tells a time", "{number} parts that tell times"
        ),
        tally(
            "locative_roles", locative, "{number} part that tells a place", "{number} parts that tell places"
        ),
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
        share("lexical_diversity", unique, "{share} of the words different"),
        share("lemma_diversity", lemmas, "{share} of the base forms different"),
        tally("content_words", content, "{number} content word", "{number} content words"),
        tally("function_words", function, "{number} function word", "{number} function words"),
        Signal(
            "content_to_function",
            balance,
            lambda: tr("{balance} content words for each function word", balance=plain(balance)),
        ),
        share("noun_share", (pos["NOUN"] + pos["PROPN"]) / total, "{share} of the words nouns"),
        share("verb_share", pos["VERB"] / total, "{share} of the words verbs"),
        share("adjective_share", pos["ADJ"] / total, "{share} of the words adjectives"),
        tally("pronouns", pos["PRON"], "{number} pronoun", "{number} pronouns"),
        share("information_density", content / total, "{share} of the words carry content"),
        Signal("mean_word_length", length, lambda: tr("words of {length} letters", length=plain(length))),
        tally("characters", characters, "{number} character", "{number} characters"),
        tally(
            "digits",
            sum(c.isdigit() for i in words for c in tokens[i].text),
            "{number} digit",
            "{number} digits",
        ),
    ]


def _form(question: ParsedQuestion) -> list[Signal]:
    types = [
        flag(
            name,
            question.type is kind,
            mark('asks "{kind}"'),
            mark('does not ask "{kind}"'),
            kind=kind.value,
        )
        for kind, name in _TYPES.items()
    ]
    first = frozenset(question.answer_labels[:1])
    asked = [flag(name, bool(first & among), asks, not_) for name, (asks, not_, among) in _ASKED.items()]
    return [*types, *asked]


def _markers(question: ParsedQuestion) -> list[Signal]:
    inside = named_tokens(question)
    outside = [t for i, t in enumerate(question.tokens) if i not in inside]
    denied = sum(t.dep == "neg" or t.text.lower() in NEGATIONS for t in outside)
    passive = sum(
        t.dep in ("nsubjpass", "csubjpass", "agent") and t.head not in inside for t in question.tokens
    )
    return [
        tally(
            "coordination_markers",
            _coordinators(question),
            "{number} coordinating word",
            "{number} coordinating words",
        ),
        tally(
            "subordination_markers",
            _subordinators(question),
            "{number} subordinating word",
            "{number} subordinating words",
        ),
        tally("negation_markers", denied, "{number} word that denies", "{number} words that deny"),
        tally("passive_markers", passive, "{number} passive", "{number} passives"),
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
