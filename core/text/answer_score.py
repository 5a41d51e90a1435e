"""Scores short answers as SQuAD does. Rajpurkar et al. 2016, section 6.1; official evaluate-v1.1.py."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation + "–—’‘“”")


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """Each in 0..1: exact match, token F1, and whether the gold answer stands in the given one."""

    exact: float
    f1: float
    contains: float


def normalise_answer(text: str) -> str:
    """Lower case, without punctuation, articles and extra white space."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, gold: str) -> float:
    """1.0 when both are the same once normalised."""
    return float(normalise_answer(answer) == normalise_answer(gold))


def f1(answer: str, gold: str) -> float:
    """Harmonic mean of token precision and recall; yes and no count only when they are the same."""
    left, right = normalise_answer(answer), normalise_answer(gold)
    if left != right and {left, right} & {"yes", "no"}:
        return 0.0  # as HotpotQA scores them
    a, b = left.split(), right.split()
    if not a or not b:
        return float(a == b)
    same = sum((Counter(a) & Counter(b)).values())
    if not same:
        return 0.0
    precision, recall = same / len(a), same / len(b)
    return 2 * precision * recall / (precision + recall)


def contains(text: str, gold: str) -> float:
    """1.0 when the gold answer's tokens stand in a row in the given text."""
    left, right = normalise_answer(text), normalise_answer(gold)
    return float(bool(right) and f" {right} " in f" {left} ")


def is_right(measures: Mapping[str, float]) -> bool:
    """F1 of .5 or more, or a gold answer stands in what was said; to an unanswerable question nothing is right."""
    return measures.get("f1", 0.0) >= 0.5 or measures.get("contains", 0.0) > 0.0


def score_answer(answer: str, golds: Sequence[str]) -> AnswerScore:
    """The best of each score over the gold answers. Raises ValueError when there is none."""
    if not golds:
        raise ValueError("an answer is scored against at least one gold answer")
    return AnswerScore(
        max(exact_match(answer, gold) for gold in golds),
        max(f1(answer, gold) for gold in golds),
        max(contains(answer, gold) for gold in golds),
    )
