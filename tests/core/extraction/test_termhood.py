"""Which phrases are terms: by their counts and by how English at large uses their words."""

import numpy as np

from core.extraction.termhood import MOST_TERMS, choose_terms, word_ranks


def chosen(uses: dict[str, int]) -> dict[str, float]:
    """Terms where each phrase stands in so many of a hundred passages."""
    numbers = [number for number, count in enumerate(uses.values()) for _ in range(count)]
    passages = [(7 * number + at) % 100 for number, count in enumerate(uses.values()) for at in range(count)]
    return choose_terms(list(uses), np.array(numbers, np.int64), np.array(passages, np.int64))


# As English at large has them: by Zipf's law.
COMMON = {word: 3000 // rank for word, rank in list(word_ranks().items())[100:400]}


def test_words_of_a_trade_make_terms_and_those_of_everyday_none() -> None:
    everyday = " ".join(list(COMMON)[:2])
    found = chosen({**COMMON, "purchase invoice": 9, "delivery receipt": 8, everyday: 9})
    assert set(found) == {"purchase invoice", "delivery receipt"}


def test_a_phrase_that_stands_only_within_a_longer_one_is_no_term_beside_it() -> None:
    found = chosen({**COMMON, "bilge pump valve": 12, "pump valve": 1})
    assert "bilge pump valve" in found
    assert "pump valve" not in found


def test_a_nested_phrase_that_stands_alone_as_well_counts_within_longer_ones() -> None:
    alone = chosen({**COMMON, "bilge pump": 4})["bilge pump"]
    within = chosen({**COMMON, "bilge pump": 4, "bilge pump valve": 2, "bilge pump hose": 2})
    assert within["bilge pump"] > alone


def test_two_passages_are_too_few() -> None:
    assert "bilge pump" not in chosen({**COMMON, "bilge pump": 2})


def test_there_are_at_most_some_hundreds() -> None:
    many = {f"{word} pump": 4 for word in list(word_ranks())[15_000 : 15_000 + 2 * MOST_TERMS]}
    assert len(chosen({**COMMON, **many})) == MOST_TERMS


def test_nothing_has_no_terms() -> None:
    assert choose_terms([], np.zeros(0, np.int64), np.zeros(0, np.int64)) == {}


def test_words_are_ranked_by_frequency() -> None:
    ranks = word_ranks()
    assert ranks["the"] == 1
    assert ranks["house"] < ranks["invoice" if "invoice" in ranks else "ledger"]
