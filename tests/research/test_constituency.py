"""Units by patterns over trees, and how far the dependency parse agrees with trees parsed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.models import Models
from core.retrieval.routing.features.constituency import (
    constituency_parser,
    read_tree,
    stanza_model,
    units_of_trees,
)
from core.retrieval.routing.features.units import UNIT_NAMES, Units, counts, units_of

TREES = Path(__file__).resolve().parents[1] / "data" / "question-trees.txt"
LEAST = 0.9  # share of the trees on which both count the same


def hand_parsed() -> list[tuple[str, Units]]:
    found: list[tuple[str, list[str]]] = []
    for line in TREES.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found.append((line[2:], []))
        elif line.strip():
            found[-1][1].append(line)
    return [(question, units_of_trees([read_tree(tree) for tree in trees])) for question, trees in found]


def test_dependency_units_agree_with_hand_parsed_trees(models: Models) -> None:
    trees = hand_parsed()
    assert len(trees) >= 40
    pairs = [(counts(units), counts(units_of(models.parse(question)))) for question, units in trees]
    agreement = {
        name: sum(tree[i] == dependency[i] for tree, dependency in pairs) / len(pairs)
        for i, name in enumerate(UNIT_NAMES)
    }
    print(f"agreement on {len(pairs)} trees:", {name: f"{share:.2f}" for name, share in agreement.items()})
    assert {name: share for name, share in agreement.items() if share < LEAST} == {}


def test_every_unit_occurs_in_the_trees() -> None:
    """A unit that is 0 everywhere would agree for nothing."""
    unit_counts = [counts(units) for _, units in hand_parsed()]
    assert {name for i, name in enumerate(UNIT_NAMES) if len({row[i] for row in unit_counts}) > 1} == set(
        UNIT_NAMES
    )


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        # counted by hand: words, S, C, DC, T, CT, CP, CN, VP
        ("(ROOT (S (NP (PRP We)) (VP (VBD sailed)) (. .)))", (2, 1, 1, 0, 1, 0, 0, 0, 1)),
        (
            "(ROOT (S (NP (PRP We)) (VP (VBD sailed) (SBAR (IN when) (S (NP (PRP it)) (VP (VBD rained)))))))",
            (5, 1, 2, 1, 1, 1, 0, 0, 2),
        ),
        (
            "(ROOT (S (S (NP (PRP We)) (VP (VBD sailed))) (CC and) (S (NP (PRP they)) (VP (VBD slept)))))",
            (5, 1, 2, 0, 2, 0, 0, 0, 2),
        ),
        (
            "(ROOT (S (NP (DT The) (JJ old) (NN ship)) "
            "(VP (VBD left) (PP (IN with) (NP (NN salt) (CC and) (NN fish))))))",
            (8, 1, 1, 0, 1, 0, 1, 1, 1),
        ),
        ("(ROOT (SBARQ (WHNP (WP Who)) (SQ (VBZ is) (NP (NN captain)))))", (3, 1, 1, 0, 1, 0, 0, 0, 1)),
        ("(ROOT (FRAG (NP (DT The) (NN ship)) (. ?)))", (2, 1, 1, 0, 1, 0, 0, 0, 0)),
    ],
)
def test_patterns_on_small_trees(tree: str, expected: tuple[int, ...]) -> None:
    assert counts(units_of_trees([read_tree(tree)])) == expected


@pytest.mark.parametrize("text", ["(ROOT (S (NP (PRP We)))", "", "(ROOT (S we)) (ROOT (S they))"])
def test_what_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="bracket"):
        read_tree(text)


def test_without_stanzas_model_the_dependency_parse_serves(tmp_path: Path) -> None:
    assert stanza_model(tmp_path) is None
    assert constituency_parser(tmp_path) is None


def test_stanzas_model_is_found_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "en" / "constituency").mkdir(parents=True)
    (tmp_path / "en" / "constituency" / "ptb3-revised_charlm.pt").touch()
    monkeypatch.setenv("STANZA_RESOURCES_DIR", str(tmp_path))
    assert stanza_model() == tmp_path
    assert constituency_parser() is not None
