"""What is denied, supposed, planned or reported is marked and is no plain fact; what is put as so stays one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.extraction.assertion import assertion_of
from core.extraction.denials import excluded
from core.models.spacy_model import load
from core.types import Triple

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
        ("Tilda Marsh could not have closed the mill.", "closed", "denied", ""),
        ("The mill has no longer been used by anybody.", "used", "denied", ""),
        ("Not a single guest tasted the soup.", "tasted", "denied", ""),
        ("The guide denied that the bridge had moved.", "moved", "denied", "The guide"),
        ("The guide forgot to lock the gate.", "lock", "denied", ""),
        ("They were barred from entering the hall.", "entering", "denied", ""),
        ("The board threw out the claim that she owned the mill.", "owned", "reported", ""),
        ("The board rejected the claim that she owned the mill.", "owned", "denied", ""),
        ("Nobody believes that she owned the mill.", "owned", "doubted", ""),
        ("There is no sign that she owned the mill.", "owned", "doubted", ""),
        ("It is doubtful whether she owned the mill.", "owned", "doubted", ""),
        ("She may have owned the mill.", "owned", "possible", ""),
        ("She had hoped to own the mill.", "own", "possible", ""),
        ("She will own the mill.", "own", "planned", ""),
        ("The mill was to be sold in May.", "sold", "planned", ""),
        ("If she had owned the mill, we would know.", "owned", "conditional", ""),
        ("Had she owned the mill, we would know.", "owned", "conditional", ""),
        ("The miller says that she owned the mill.", "owned", "reported", "The miller"),
        ("She is reported to have owned the mill.", "owned", "reported", ""),
        ("According to the miller, she owned the mill.", "owned", "reported", "the miller"),
        ("She was falsely accused of burning the mill.", "burning", "denied", ""),
        ("She left before paying the miller.", "paying", "", ""),
        ("She knew that he owned the mill.", "owned", "", ""),
        ("She did not know that he owned the mill.", "owned", "", ""),
        ("She not only owned the mill but ran it.", "owned", "", ""),
        ("She never failed to pay the miller.", "pay", "", ""),
        ("She did not leave the mill until May.", "leave", "", ""),
        ("Nobody but the miller entered the hall.", "entered", "", ""),
        ("Mill No. 4 burned in May.", "burned", "", ""),
        ("She was the last to leave the mill.", "leave", "", ""),
        ("Under no circumstances did she leave the mill.", "leave", "denied", ""),
        ("She nearly lost the mill.", "lost", "denied", ""),
        ("She came close to losing the mill.", "losing", "denied", ""),
        ("She had no part in building the mill.", "building", "denied", ""),
        ("She had no difficulty in finding the mill.", "finding", "", ""),
        ("She would not sell the mill.", "sell", "denied", ""),
        ("She stayed rather than sell the mill.", "sell", "denied", ""),
        ("Provided that she owns the mill, all is well.", "owns", "conditional", ""),
        ("Was the mill sold by her brother?", "sold", "possible", ""),
        ("The board found the claim that she owned the mill unfounded.", "owned", "denied", ""),
        ("There is nothing in the story that she owned the mill.", "owned", "denied", ""),
        ("There is no denying that she owned the mill.", "owned", "", ""),
        ("Nobody doubts that she owned the mill.", "owned", "", ""),
        ("Not far from the ford she owned the mill.", "owned", "", ""),
        ("Hardly had she sold the mill when it burned.", "sold", "", ""),
        ("It was not in May that she sold the mill.", "sold", "", ""),
        ("Nothing less than a storm broke the mill.", "broke", "", ""),
        ("Why was the mill sold?", "sold", "", ""),
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
        ("Anna Berg rather than Otto Kask paid.", "Kask"),
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
        ("Anna Berg never became director of Corvina Bank.", "denied"),
        ("Anna Berg did not serve as chairman of Corvina Bank.", "denied"),
        ("Anna Berg, never a member of Corvina Bank, lived in Oslo.", "denied"),
        ("The director of Corvina Bank is no longer Anna Berg.", "denied"),
        ("The list wrongly names Anna Berg as the director of Corvina Bank.", "denied"),
        ("Corvina Bank was bought neither by Anna Berg nor by Otto Kask.", "denied"),
        ("Anna Berg may become director of Corvina Bank.", "possible"),
        ("The alleged owner of Corvina Bank is Anna Berg.", "reported"),
        ("Anna Berg is not a lawyer but the director of Corvina Bank.", ""),
        ("Corvina Bank was bought not by Otto Kask but by Anna Berg.", ""),
        ("Otto Kask never met Anna Berg, the director of Corvina Bank.", ""),
        ("Will Berg left Corvina Bank, where Anna Berg served as director of Corvina Bank.", ""),
    ],
)
def test_how_a_role_is_put(read: Read, text: str, mark: str) -> None:
    facts = [t for t in read(text, ordinal=1).triples if joins(t, ["Anna Berg", "Corvina Bank"])]
    assert {t.assertion for t in facts} <= {mark}
    assert facts or mark


def joins(triple: Triple, ends: list[str]) -> bool:
    told = (triple.subject.casefold(), triple.object.casefold())
    return all(any(end.casefold() in one or one in end.casefold() for one in told) for end in ends)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "denied", "plain"),
    [
        ("assertions.jsonl", 0.95, 0.95),
        ("assertions-held-out.jsonl", 0.95, 0.85),
        ("assertions-third.jsonl", 0.95, 0.85),
        ("assertions-fourth.jsonl", 0.95, 0.9),
        ("assertions-fifth.jsonl", 0.95, 0.85),
        ("assertions-sixth.jsonl", 0.95, 0.85),
    ],
)
def test_denied_sentences_give_no_plain_fact_and_plain_ones_do(
    read: Read, name: str, denied: float, plain: float
) -> None:
    """Of each kind of sentence; what the parser cannot read of plain ones gives no fact at all."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for row in rows(name):
        facts = [t for t in read(row["sentence"], ordinal=1).triples if joins(t, row["ends"])]
        stays = row["want_who"] == "given"
        right[stays].append(any(not t.assertion for t in facts) == stays)
    assert sum(right[False]) >= denied * len(right[False]) > 0
    assert sum(right[True]) >= plain * len(right[True]) > 0
