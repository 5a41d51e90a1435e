"""Family: the shape of the dependency tree, and terms that join families. EA-GraphRAG 3.2.4."""

from __future__ import annotations

from collections import Counter

from core.extraction.question import ParsedQuestion, Token
from core.retrieval.routing.features.lexicon import connectors, entity_count
from core.retrieval.routing.features.signal import Signal, children_of, plain, tally, word_indices
from core.retrieval.routing.features.units import units_of
from core.text.translation import tr

NAMES = (
    "tree_depth",
    "mean_depth",
    "tree_width",
    "leaves",
    "leaf_ratio",
    "mean_branching",
    "max_branching",
    "depth_to_width",
    "tokens_per_clause",
    "entities_per_clause",
    "depth_per_token",
    "connectors_per_clause",
    "depth_by_entities",
    "clauses_by_entities",
    "steps_by_names",
    "words_outside_names",
)


def measure(question: ParsedQuestion) -> list[Signal]:
    """Depth in arcs, width in words on one level, branching in dependents a word; then the terms."""
    tokens = question.tokens
    words = word_indices(tokens)
    depths = [d for i, d in enumerate(depths_of(tokens)) if tokens[i].pos not in ("PUNCT", "SPACE")]
    children = children_of(tokens)
    below = [sum(tokens[j].pos not in ("PUNCT", "SPACE") for j in children[i]) for i in words]
    depth, width = max(depths, default=0), max(Counter(depths).values(), default=0)
    leaves = sum(n == 0 for n in below)
    inner = [n for n in below if n]
    mean_depth = sum(depths) / max(len(depths), 1)
    branching = sum(inner) / max(len(inner), 1)
    leaf_ratio = leaves / max(len(inner), 1)
    slender = depth / max(width, 1)
    return [
        tally("tree_depth", depth, "{number} level of grammar", "{number} levels of grammar"),
        Signal(
            "mean_depth",
            mean_depth,
            lambda: tr("words {mean_depth} levels deep on average", mean_depth=plain(mean_depth)),
        ),
        Signal("tree_width", float(width), lambda: tr("grammar {width} words wide", width=width)),
        tally("leaves", leaves, "{number} word without dependents", "{number} words without dependents"),
        Signal(
            "leaf_ratio",
            leaf_ratio,
            lambda: tr("{leaf_ratio} leaves for each inner word", leaf_ratio=plain(leaf_ratio)),
        ),
        Signal(
            "mean_branching",
            branching,
            lambda: tr("{branching} dependents for each inner word", branching=plain(branching)),
        ),
        Signal(
            "max_branching",
            float(max(below, default=0)),
            lambda: tr("up to {below} dependents a word", below=max(below, default=0)),
        ),
        Signal(
            "depth_to_width",
            slender,
            lambda: tr("grammar {slender} times as deep as wide", slender=plain(slender)),
        ),
        *_terms(question, len(words), depth),
    ]


def _terms(question: ParsedQuestion, words: int, depth: int) -> list[Signal]:
    clauses = max(units_of(question).clauses, 1)
    entities, joined = entity_count(question), connectors(question)
    inside = sum(name.last - name.first for name in question.names)
    steps = len(question.steps) * max(len(question.names), 1)
    slope = depth / max(words, 1)
    return [
        Signal(
            "tokens_per_clause",
            words / clauses,
            lambda: tr("{words} words for each clause", words=plain(words / clauses)),
        ),
        Signal(
            "entities_per_clause",
            entities / clauses,
            lambda: tr("{entities} entities for each clause", entities=plain(entities / clauses)),
        ),
        Signal(
            "depth_per_token",
            slope,
            lambda: tr("{slope} levels of grammar for each word", slope=f"{slope:.2f}"),
        ),
        Signal(
            "connectors_per_clause",
            joined / clauses,
            lambda: tr("{joined} connectors for each clause", joined=plain(joined / clauses)),
        ),
        Signal(
            "depth_by_entities",
            float(depth * entities),
            lambda: tr("{depth} levels of grammar with {entities} entities", depth=depth, entities=entities),
        ),
        Signal(
            "clauses_by_entities",
            float(clauses * entities),
            lambda: tr("{clauses} clauses with {entities} entities", clauses=clauses, entities=entities),
        ),
        Signal(
            "steps_by_names",
            float(steps),
            lambda: tr(
                "{steps} unnamed steps from {names} names",
                steps=len(question.steps),
                names=len(question.names),
            ),
        ),
        tally(
            "words_outside_names",
            max(words - inside, 0),
            "{number} word outside names",
            "{number} words outside names",
        ),
    ]


def depths_of(tokens: tuple[Token, ...]) -> list[int]:
    """Arcs from every token to its root; in one pass over each way, however long the text."""
    depths = [-1] * len(tokens)
    for i in range(len(tokens)):
        way: list[int] = []
        at = i
        while depths[at] < 0 and tokens[at].head != at and len(way) <= len(tokens):
            way.append(at)
            at = tokens[at].head
        depths[at] = max(depths[at], 0)
        for step, j in enumerate(reversed(way), start=1):
            depths[j] = depths[at] + step
    return depths
