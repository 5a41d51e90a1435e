"""A router whose every step can be read: named features times written weights, then two thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable

from core.config import RoutingConfig
from core.extraction.question import ParsedQuestion
from core.routing.features import clauses, comparison, form, names, nesting
from core.types import Complexity, Feature, Route

BIAS = -1.6  # logits of a question that shows none of the features: sigmoid 0.17

WEIGHTS: dict[str, float] = {
    "named_entities": 0.4,
    "unnamed": 0.3,
    "quoted_titles": 0.3,
    "coordinated_names": 0.5,
    "relative_clauses": 1.2,
    "subordinate_clauses": 0.3,
    "passive": 0.1,
    "negation": 0.2,
    "told_first": 1.0,
    "bridging_nouns": 2.5,
    "two_step_kin": 2.5,
    "of_chain": 0.8,
    "nested_possessives": 0.8,
    "comparison_words": 1.0,
    "superlatives": 0.4,
    "choice": 1.0,
    "paired_yes_no": 0.8,
    "length": 0.8,
    "depth": 0.4,
}

_FAMILIES = (names.measure, clauses.measure, nesting.measure, comparison.measure, form.measure)


class RuleRouter:
    """Complexity by rules: how many steps through named and unnamed things a question asks for.

    Serves when no trained router is installed. Idea and thresholds: EA-GraphRAG 3.2 and 3.3; the
    features are a readable handful of the paper's 85.
    """

    def __init__(self, config: RoutingConfig, parse: Callable[[str], ParsedQuestion]) -> None:
        self._config = config
        self._parse = parse

    def complexity(self, question: str | ParsedQuestion) -> Complexity:
        """Score in 0..1; sigmoid(BIAS + the sum of the features' contributions), strongest first."""
        parsed = self._parse(question) if isinstance(question, str) else question
        features = features_of(parsed)
        logit = math.fsum([BIAS, *(f.contribution for f in features)])
        return Complexity(1.0 / (1.0 + math.exp(-logit)), self._config.low, self._config.high, features)

    def route(self, question: str | ParsedQuestion) -> Route:
        """dense at or below the low threshold, graph at or above the high one, fusion between."""
        complexity = self.complexity(question)
        return Route(route_of(complexity), complexity)


def route_of(complexity: Complexity) -> str:
    """The route of a score between its thresholds. EA-GraphRAG, eq. 2."""
    if complexity.score >= complexity.high:
        return "graph"
    return "dense" if complexity.score <= complexity.low else "fusion"


def features_of(question: ParsedQuestion) -> tuple[Feature, ...]:
    """Every feature with its push in logits, the strongest first, ties in the order of WEIGHTS."""
    signals = [signal for family in _FAMILIES for signal in family(question)]
    features = [Feature(s.name, s.value, WEIGHTS[s.name] * s.value, s.words) for s in signals]
    return tuple(sorted(features, key=lambda f: -abs(f.contribution)))
