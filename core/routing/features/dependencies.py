"""Family: distances, counts and balance of the dependency relations. EA-GraphRAG 3.2.2."""

from __future__ import annotations

import math
from collections import Counter

from core.extraction.question import ParsedQuestion, Token
from core.routing.features.signal import Signal, children_of, plain, share, tally, word_indices

LONG = 5  # words; a dependency over more than these is long-range, as in the paper

_RELATIONS: dict[str, tuple[str, frozenset[str]]] = {
    "subject_relations": ("subject", frozenset("nsubj nsubjpass csubj csubjpass expl".split())),
    "object_relations": ("object", frozenset("dobj dative obj iobj".split())),
    "prepositional_objects": ("object of a preposition", frozenset("pobj pcomp".split())),
    "modifier_relations": ("modifier", frozenset("amod advmod nmod nummod npadvmod poss quantmod".split())),
    "compound_relations": ("compound", frozenset(["compound"])),
    "coordination_relations": ("coordination", frozenset("cc conj preconj".split())),
    "subordination_relations": (
        "subordination",
        frozenset("mark advcl ccomp csubj csubjpass acl relcl xcomp".split()),
    ),
    "preposition_relations": ("preposition", frozenset("prep agent".split())),
    "determiner_relations": ("determiner", frozenset("det predet".split())),
    "auxiliary_relations": ("auxiliary", frozenset("aux auxpass".split())),
    "possessive_relations": ("owner", frozenset(["poss"])),
    "apposition_relations": ("apposition", frozenset(["appos"])),
    "predicative_relations": ("predicative", frozenset("attr acomp oprd".split())),
    "adjective_relations": ("adjective", frozenset(["amod"])),
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
_IRREGULAR = {
    "auxiliary": "auxiliaries",
    "object of a preposition": "objects of prepositions",
}


def measure(question: ParsedQuestion) -> list[Signal]:
    """Distances in words; counts by relation; how far the tree leans to one side."""
    tokens = question.tokens
    words = word_indices(tokens)
    found = Counter(tokens[i].dep for i in words)
    relations = [
        tally(name, sum(found[dep] for dep in deps), one, _IRREGULAR.get(one, ""))
        for name, (one, deps) in _RELATIONS.items()
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
            "max_dependency_distance", float(longest), f"words that belong together up to {longest} apart"
        ),
        Signal(
            "mean_dependency_distance", mean, f"words that belong together {plain(mean)} apart on average"
        ),
        Signal(
            "dependency_distance_spread", spread, f"distances between related words vary by {plain(spread)}"
        ),
        tally("long_dependencies", far, "long-range dependency", "long-range dependencies"),
        share("long_dependency_share", far / count, "of dependencies long-range"),
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
        tally("distinct_relations", len(found), "kind of relation", "kinds of relations"),
        Signal("relation_entropy", entropy, f"relations mixed by {plain(entropy)} bits"),
        share("left_branching", left / arcs, "of words lean on a later word"),
        Signal("imbalance", imbalance, f"grammar leans to one side by {plain(imbalance)}"),
        share("root_position", root, "of the words before the main verb"),
    ]
