"""Terms of a folder: which phrases are terms, and which sentences define them."""

import pytest

from core.extraction.terms import MOST_TERMS, SURE, choose_terms, find_definitions, word_ranks


def chosen(uses: dict[str, int]) -> dict[str, float]:
    """Terms where each phrase stands in so many of a hundred passages."""
    counts = enumerate(uses.values())
    places = [(number, (7 * number + at) % 100) for number, count in counts for at in range(count)]
    return choose_terms(list(uses), places)


# As English at large has them: by Zipf's law.
COMMON = {word: 3000 // rank for word, rank in list(word_ranks().items())[100:400]}


def test_words_of_a_trade_make_terms_and_those_of_everyday_none() -> None:
    everyday = " ".join(list(COMMON)[:2])
    found = chosen({**COMMON, "purchase invoice": 9, "delivery receipt": 8, everyday: 9})
    assert set(found) == {"purchase invoice", "delivery receipt"}


def test_a_phrase_that_stands_only_within_a_longer_one_is_no_term() -> None:
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
    assert choose_terms([], []) == {}


def test_words_are_ranked_by_frequency() -> None:
    ranks = word_ranks()
    assert ranks["the"] == 1
    assert ranks["house"] < ranks["invoice" if "invoice" in ranks else "ledger"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1.2 “Credit Limit” means the most that the Buyer may owe.", "credit limit"),
        ("“Goods” (in the plural) shall mean whatever is listed below.", "goods"),
        ("The term delivery note refers to the paper that goes with goods.", "delivery note"),
        ("A delivery note is a paper that goes with the goods.", "delivery note"),
        ("Delivery notes are the papers that go with goods.", "delivery note"),
        ("- Payee: the person to whom a cheque is paid.", "payee"),
        ("Acme Holdings of Leeds (the “Seller”) delivers the goods.", "Seller"),
    ],
)
def test_definitions(text: str, name: str) -> None:
    before = "It rains.\n\n"
    assert [found[1:] for found in find_definitions(before + text, [name])] == [
        (len(before), len(before + text))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The credit limit was raised by the bank in May.",
        "Is a credit limit the most that one may owe?",
        "Credit limits are set by the bank every year.",
        "Nobody knows what the credit limit means to him.",
        "A credit limit line is a row of the table.",
    ],
)
def test_what_only_speaks_of_a_term_defines_nothing(text: str) -> None:
    assert not list(find_definitions(text, ["credit limit"]))


def test_the_surest_form_has_the_lowest_rank() -> None:
    text = "A credit limit is a sum of money. “Credit limit” means the most that one may owe."
    ranks = [rank for rank, _, _ in find_definitions(text, ["credit limit"])]
    assert ranks[1] < ranks[0]
    assert len(list(find_definitions(text, ["credit limit"], SURE))) == 1
