"""All features of a question in one fixed order: phi(q) of EA-GraphRAG 3.2."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.extraction.question import ParsedQuestion
from core.routing.features import (
    clauses,
    comparison,
    dependencies,
    form,
    lexicon,
    names,
    nesting,
    tree,
    units,
)
from core.routing.features.signal import Signal

STEPS = (  # how many steps the question takes through named and unnamed things
    *("named_entities", "unnamed", "quoted_titles", "coordinated_names"),
    *("relative_clauses", "subordinate_clauses", "passive", "negation", "told_first"),
    *("bridging_nouns", "two_step_kin", "of_chain", "nested_possessives"),
    *("comparison_words", "superlatives", "choice", "paired_yes_no"),
    *("length", "depth"),
)
_FAMILIES = (
    units.measure,
    dependencies.measure,
    lexicon.measure,
    tree.measure,
    names.measure,
    clauses.measure,
    nesting.measure,
    comparison.measure,
    form.measure,
)
FEATURE_NAMES: tuple[str, ...] = (*units.NAMES, *dependencies.NAMES, *lexicon.NAMES, *tree.NAMES, *STEPS)


def described(question: ParsedQuestion) -> tuple[Signal, ...]:
    """Every feature with its value and its words, in the order of FEATURE_NAMES."""
    return tuple(signal for family in _FAMILIES for signal in family(question))


def measure(question: ParsedQuestion) -> NDArray[np.float64]:
    """The values, shape (len(FEATURE_NAMES),), all finite."""
    return np.array([signal.value for signal in described(question)], dtype=np.float64)
