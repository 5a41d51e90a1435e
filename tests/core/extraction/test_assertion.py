"""What is denied, supposed, planned or reported is marked and is no plain fact; what is put as so stays one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.extraction.assertion import assertion_of
from core.extraction.denials import excluded
from core.extraction.rules import RulesExtractor
from core.models.spacy_model import load
from core.progress import TaskContext
from core.types import Passage, Triple

from .conftest import Read

DATA = Path(__file__).parents[2] / "data"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def puts(text: str, word: str) -> tuple[str, str]:
    """The mark of the clause of a word, and who says it."""
    token = next(token for token in load()(text) if token.text == word)
    found = assertion_of(token)
    return found.mark, found.source


@pytest.mark.parametrize(
    ("text", "word", "mark", "source"),
    [
        ("Tilda Marsh did not close the mill.", "close", "denied", ""),
        ("Not a single guest tasted the soup.", "tasted", "denied", ""),
        ("The guide denied that the bridge had moved.", "moved", "denied", "The guide"),
        ("The guide forgot to lock the gate.", "lock", "denied", ""),
        ("The board rejected the claim that she owned the mill.", "owned", "denied", ""),
        ("Nobody believes that she owned the mill.", "owned", "doubted", ""),
        ("There is no sign that she owned the mill.", "owned", "doubted", ""),
        ("She will own the mill.", "own", "planned", ""),
        ("If she had owned the mill, we would know.", "owned", "conditional", ""),
        ("The miller says that she owned the mill.", "owned", "reported", "The miller"),
        ("According to the miller, she owned the mill.", "owned", "reported", "the miller"),
        ("She was falsely accused of burning the mill.", "burning", "denied", ""),
        ("She knew that he owned the mill.", "owned", "", ""),
        ("She not only owned the mill but ran it.", "owned", "", ""),
        ("She never failed to pay the miller.", "pay", "", ""),
        ("Nobody but the miller entered the hall.", "entered", "", ""),
        ("Mill No. 4 burned in May.", "burned", "", ""),
        ("She came close to losing the mill.", "losing", "denied", ""),
        ("She stayed rather than sell the mill.", "sell", "denied", ""),
        ("Was the mill sold by her brother?", "sold", "possible", ""),
        ("The board found the claim that she owned the mill unfounded.", "owned", "denied", ""),
        ("Not far from the ford she owned the mill.", "owned", "", ""),
        ("In May Theresa May owned the mill.", "owned", "", ""),
    ],
)
def test_how_a_clause_is_put(text: str, word: str, mark: str, source: str) -> None:
    found = puts(text, word)
    assert found[0] == mark
    assert not source or found[1] == source


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Not Anna Berg but Otto Kask paid.", "Berg"),
        ("Anna Berg, not Otto Kask, paid.", "Kask"),
        ("The bill was paid by Anna Berg, not by Otto Kask.", "Kask"),
    ],
)
def test_who_is_left_out(text: str, word: str) -> None:
    names = [token for token in load()(text) if token.text in {"Berg", "Kask"}]
    assert [token.text for token in names if excluded(token)] == [word]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("Anna Berg was not elected president of Corvina Bank.", "denied"),
        ("The list wrongly names Anna Berg as the director of Corvina Bank.", "denied"),
        ("Corvina Bank was bought neither by Anna Berg nor by Otto Kask.", "denied"),
        ("Anna Berg may become director of Corvina Bank.", "possible"),
        ("The alleged owner of Corvina Bank is Anna Berg.", "reported"),
        ("Anna Berg is not a lawyer but the director of Corvina Bank.", ""),
        ("Otto Kask never met Anna Berg, the director of Corvina Bank.", ""),
        ("Will Berg left Corvina Bank, where Anna Berg served as director of Corvina Bank.", ""),
    ],
)
def test_how_a_role_is_put(read: Read, text: str, mark: str) -> None:
    facts = [t for t in read(text, ordinal=1).triples if joins(t, ["Anna Berg", "Corvina Bank"])]
    assert {t.assertion for t in facts} <= {mark}
    assert facts or mark


def joins(triple: Triple, ends: list[str]) -> bool:
    pair = (triple.subject.casefold(), triple.object.casefold())
    return all(any(end.casefold() in one or one in end.casefold() for one in pair) for end in ends)


PLAIN = {
    "": 0.95,
    "-held-out": 0.85,
    "-third": 0.85,
    "-fourth": 0.9,
    "-fifth": 0.85,
    "-sixth": 0.85,
}  # of a set


@pytest.mark.long
def test_denied_sentences_give_no_plain_fact_and_plain_ones_do(extractor: RulesExtractor) -> None:
    """Of each set and kind of sentence; what the parser cannot read of plain ones gives no fact at all."""
    asked = [(name, row) for name in PLAIN for row in rows(f"assertions{name}.jsonl")]
    texts = [row["sentence"] for _, row in asked]
    passages = [Passage(str(at), "d", 1, "", text, 0, len(text)) for at, text in enumerate(texts)]
    right: dict[tuple[str, bool], list[bool]] = {
        (name, plain): [] for name in PLAIN for plain in (True, False)
    }
    for (name, row), found in zip(asked, extractor.extract(passages, TaskContext()), strict=True):
        plain = row["want_who"] == "given"
        facts = [triple for triple in found.triples if joins(triple, row["ends"])]
        right[name, plain].append(any(not triple.assertion for triple in facts) == plain)
    shares = {kind: sum(values) / len(values) for kind, values in right.items()}
    assert {
        kind: share for kind, share in shares.items() if share < (PLAIN[kind[0]] if kind[1] else 0.95)
    } == {}
