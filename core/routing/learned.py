"""The router that was trained: features, adapter, thresholds; numpy only. EA-GraphRAG 3.2 and 3.3."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.config import RoutingConfig
from core.extraction.question import ParsedQuestion
from core.routing.adapter import SHIPPED, Adapter, read
from core.routing.features.vector import FEATURE_NAMES, described
from core.routing.network import integrated_gradients, logits
from core.routing.rules import RuleRouter, route_of
from core.types import Complexity, Feature, Route

SOURCE = "learned"
REST = "rest"
_TOLD = 12  # features that are named; the others are lumped
_log = logging.getLogger(__name__)


class LearnedRouter:
    """Complexity by the trained adapter; the thresholds are the adapter's own.

    The features' contributions sum to the change of the logit from `baseline`, the logit of a
    question whose features are all average.
    """

    def __init__(self, adapter: Adapter, parse: Callable[[str], ParsedQuestion]) -> None:
        self._adapter = adapter
        self._parse = parse
        zero = np.zeros((1, len(adapter.names)))
        self.baseline = float(adapter.slope * logits(adapter.network, zero)[0] + adapter.offset)

    def complexity(self, question: str | ParsedQuestion) -> Complexity:
        """Score in 0..1: the calibrated probability that the graph finds more than dense retrieval."""
        parsed = self._parse(question) if isinstance(question, str) else question
        adapter = self._adapter
        signals = {signal.name: signal for signal in described(parsed)}
        row = np.array([[signals[name].value for name in FEATURE_NAMES]])
        z = adapter.standardised(row)
        logit = float(adapter.slope * logits(adapter.network, z)[0] + adapter.offset)
        pushes = adapter.slope * integrated_gradients(adapter.network, z[0])
        order = sorted(range(len(adapter.names)), key=lambda i: -abs(pushes[i]))[:_TOLD]
        features = [
            Feature(s.name, s.value, float(pushes[i]), s.words)
            for i in order
            for s in (signals[adapter.names[i]],)
        ]
        rest = logit - self.baseline - math.fsum(f.contribution for f in features)
        others = len(adapter.names) - len(order)
        features.append(Feature(REST, float(others), rest, f"{others} other features together"))
        score = 0.5 * (1.0 + math.tanh(0.5 * logit))
        return Complexity(score, adapter.low, adapter.high, tuple(features), SOURCE)

    def route(self, question: str | ParsedQuestion) -> Route:
        """dense at or below the low threshold, graph at or above the high one, fusion between. Eq. 2."""
        complexity = self.complexity(question)
        return Route(route_of(complexity), complexity)


def learned_router(
    config: RoutingConfig, parse: Callable[[str], ParsedQuestion], path: Path = SHIPPED
) -> LearnedRouter | RuleRouter:
    """The router of the adapter file; the rules, which say that they are, where it cannot serve."""
    try:
        return LearnedRouter(read(path), parse)
    except ValueError as error:
        _log.info("the rules route questions: %s", error)
        return RuleRouter(config, parse)
