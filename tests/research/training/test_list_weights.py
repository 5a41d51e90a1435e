"""Learning the weights: a signal for the right list is found, and families are separated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.progress import Cancelled, TaskContext
from core.research.training.list_weights import LOWS, Example, FitSettings, fit, left_out, recall
from core.retrieval.routing.features.vector import FEATURE_NAMES

QUICK = FitSettings(rounds=15)
PASSAGES = 12


def example(corpus: str, number: int, noisy: str, plain: bool = False) -> Example:
    """Gold is first by words or by the graph and last in the others; a signal tells by which."""
    gold = np.zeros((1, PASSAGES), dtype=np.bool_)
    gold[0, 0] = True
    good = np.arange(1, PASSAGES + 1)
    bad = np.concatenate([[PASSAGES], np.arange(1, PASSAGES)])
    ranks = np.stack([bad if noisy == "lexical" else good, bad, bad if noisy == "graph" else good], axis=1)
    signals = dict.fromkeys(FEATURE_NAMES, 0.0)
    signals |= {"graph_first": float(noisy != "graph"), "lexical_first": float(noisy != "lexical")}
    signals["length"] = float(number)
    early = {**signals, "graph_first": 0.0}
    return Example(corpus, plain, signals, early, ranks, gold, 1, np.arange(PASSAGES))


def corpora(*names: str) -> list[Example]:
    return [
        example(name, number, "graph" if number % 2 else "lexical", number % 4 > 1)
        for name in names
        for number in range(8)
    ]


def test_the_right_list_gains_weight_on_a_new_family() -> None:
    found = left_out(corpora("letters", "pages-news", "pages-blogs"), TaskContext(), QUICK)
    assert list(found) == [
        "letters",
        "letters, plain",
        "pages-blogs",
        "pages-blogs, plain",
        "pages-news",
        "pages-news, plain",
    ]
    for row in found.values():
        assert row["questions"] == 4
        assert (row["lexical"], row["dense"], row["graph"]) == (0.5, 0.0, 0.5)
        assert row["learned"] == 1.0
        # A list that holds the answer is enough, and it is seen: the graph is asked where words are noisy.
        assert row["auto 0.5"] == 1.0 and row["asked 0.5"] == 0.5
        shares = [row[f"asked {low:g}"] for low in LOWS]
        assert shares == sorted(shares, reverse=True)


def test_one_family_alone_is_judged_by_no_model() -> None:
    found = left_out(corpora("pages-news", "pages-blogs"), TaskContext(), QUICK)
    assert all("learned" not in row for row in found.values())


def test_training_repeats() -> None:
    one, other = (fit(corpora("letters", "pages"), TaskContext(), QUICK) for _ in range(2))
    assert one.early is not None and other.early is not None
    for first, second in ((one.full, other.full), (one.early, other.early)):
        assert np.array_equal(first.push, second.push) and np.array_equal(first.bias, second.bias)


def test_families_count_the_same_however_many_questions_they_have() -> None:
    """Ten corpora of one family favour the graph, one of another words: both families count the same."""
    loud = [example(f"loud-{at}", 0, "lexical") for at in range(10) for _ in range(5)]
    quiet = [example("quiet", 0, "graph")]
    signals = dict.fromkeys(loud[0].signals, 0.0)
    blind = [replace(each, signals=signals, early=signals) for each in (*loud, *quiet)]
    shares = fit(blind, TaskContext(), QUICK).full.shares(np.zeros(len(signals)))
    assert shares[0] == pytest.approx(shares[2], abs=0.02)


def test_recall_counts_documents_not_quotes() -> None:
    gold = np.zeros((3, PASSAGES), dtype=np.bool_)
    gold[0, 0] = gold[1, 11] = gold[2, 11] = True
    ranks = np.tile(np.arange(1, PASSAGES + 1)[:, None], 3)
    two = Example("letters", False, {}, {}, ranks, gold, 2, np.arange(ranks.shape[0]))
    assert recall(two, np.full(3, 1 / 3), FitSettings()) == 0.5


def test_useless_examples_are_rejected_and_training_can_be_stopped() -> None:
    none = example("letters", 0, "graph")
    empty = replace(none, gold=np.zeros_like(none.gold))
    with pytest.raises(ValueError, match="nothing to learn"):
        fit([empty], TaskContext())
    with pytest.raises(Cancelled):
        fit(corpora("letters"), TaskContext(cancelled=lambda: True))
