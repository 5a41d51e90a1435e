"""Family: distances, counts and balance of the dependency relations. EA-GraphRAG 3.2.2."""

from __future__ import annotations

import math
from collections import Counter

from core.extraction.question import ParsedQuestion, Token
from core.retrieval.routing.features.signal import Signal, children_of, plain, share, tally, word_indices
from core.text.translation import markn, tr

LONG = 5  # words; a dependency over more than these is long-range, as in the paper

_RELATIONS: dict[str, tuple[str, str, frozenset[str]]] = {
    "subject_relations": (
        *markn("{number} subject", "{number} subjects"),
        frozenset("nsubj nsubjpass csubj csubjpass expl".split()),
    ),
    "object_relations": (
        *markn("{number} object", "{number} objects"),
        frozenset("dobj dative obj iobj".split()),
    ),
    "prepositional_objects": (
        *markn("{number} object of a preposition", "{number} objects of prepositions"),
        frozenset("pobj pcomp".split()),
    ),
    "modifier_relations": (
        *markn("{number} modifier", "{number} modifiers"),
        frozenset("amod advmod nmod nummod npadvmod poss quantmod".split()),
    ),
    "compound_relations": (*markn("{number} compound", "{number} compounds"), frozenset(["compound"])),
    "coordination_relations": (
        *markn("{number} coordination", "{number} coordinations"),
        frozenset("cc conj preconj".split()),
    ),
    "subordination_relations": (
        *markn("{number} subordination", "{number} subordinations"),
        frozenset("mark advcl ccomp csubj csubjpass acl relcl xcomp".split()),
    ),
    "preposition_relations": (
        *markn("{number} preposition", "{number} prepositions"),
        frozenset("prep agent".split()),
    ),
    "determiner_relations": (
        *markn("{number} determiner", "{number} determiners"),
        frozenset("det predet".split()),
    ),
    "auxiliary_relations": (
        *markn("{number} auxiliary", "{number} auxiliaries"),
        frozenset("aux auxpass".split()),
    ),
    "possessive_relations": (*markn("{number} owner", "{number} owners"), frozenset(["poss"])),
    "apposition_relations": (*markn("{number} apposition", "{number} appositions"), frozenset(["appos"])),
    "predicative_relations": (
        *markn("{number} predicative", "{number} predicatives"),
        frozenset("attr acomp oprd".split()),
    ),
    "adjective_relations": (*markn("{number} adjective", "{number} adjectives"), frozenset(["amod"])),
}
NAMES = (
    "max_dependency_distance",
    "mean_dependency_distance",
    "dependency_distance_spread",
    "long_dependencies",
    "long_dependency_share",
    *_RELATIONS,
    "distinct_relations",
    "relation_entropy",
    "left_branching",
    "imbalance",
    "root_position",
)


def measure(question: ParsedQuestion) -> list[Signal]:
    """Distances in words; counts by relation; how far the tree leans to one side."""
    tokens = question.tokens
    words = word_indices(tokens)
    found = Counter(tokens[i].dep for i in words)
    relations = [
        tally(name, sum(found[dep] for dep in deps), one, many)
        for name, (one, many, deps) in _RELATIONS.items()
    ]
    return [*_distances(tokens, words), *relations, *_balance(tokens, words, found)]


def _distances(tokens: tuple[Token, ...], words: list[int]) -> list[Signal]:
    place = {i: at for at, i in enumerate(words)}
    distances = [
        abs(at - place[tokens[i].head])
        for i, at in place.items()
        if tokens[i].head != i and tokens[i].head in place
    ]
    count = max(len(distances), 1)
    mean = sum(distances) / count
    spread = math.sqrt(sum((d - mean) ** 2 for d in distances) / count)
    longest = max(distances, default=0)
    far = sum(d > LONG for d in distances)
    return [
        Signal(
            "max_dependency_distance",
            float(longest),
            lambda: tr("words that belong together up to {longest} apart", longest=longest),
        ),
        Signal(
            "mean_dependency_distance",
            mean,
            lambda: tr("words that belong together {mean} apart on average", mean=plain(mean)),
        ),
        Signal(
            "dependency_distance_spread",
            spread,
            lambda: tr("distances between related words vary by {spread}", spread=plain(spread)),
        ),
        tally("long_dependencies", far, "{number} long-range dependency", "{number} long-range dependencies"),
        share("long_dependency_share", far / count, "{share} of dependencies long-range"),
    ]


def _balance(tokens: tuple[Token, ...], words: list[int], found: Counter[str]) -> list[Signal]:
    total = max(len(words), 1)
    entropy = -math.fsum(n / total * math.log2(n / total) for n in found.values())
    left = sum(i < tokens[i].head for i in words)
    arcs = max(sum(tokens[i].head != i for i in words), 1)
    lean = [
        abs(sum(j < i for j in below) - sum(j > i for j in below))
        for i, below in enumerate(children_of(tokens))
        if below
    ]
    imbalance = sum(lean) / max(len(lean), 1)
    root = next((at for at, i in enumerate(words) if tokens[i].head == i), 0) / total
    return [
        tally("distinct_relations", len(found), "{number} kind of relation", "{number} kinds of relations"),
        Signal(
            "relation_entropy",
            entropy,
            lambda: tr("relations mixed by {entropy} bits", entropy=plain(entropy)),
        ),
        share("left_branching", left / arcs, "{share} of words lean on a later word"),
        Signal(
            "imbalance",
            imbalance,
            lambda: tr("grammar leans to one side by {imbalance}", imbalance=plain(imbalance)),
        ),
        share("root_position", root, "{share} of the words before the main verb"),
    ]
