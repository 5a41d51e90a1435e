"""A share of a corpus: gold always stays, the rest grows by the share, a larger one holds the smaller."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from core.research.datasets import Dataset, EvalQuestion, read_documents, with_share
from core.types import Passage

SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)


def question(*gold: str) -> EvalQuestion:
    return EvalQuestion("q", "Who?", ("Otto",), frozenset(gold), "all")


def passages(count: int) -> tuple[Passage, ...]:
    return tuple(Passage(f"p{n}", f"d{n}", 0, "T", "text", 0, 4) for n in range(count))


def test_gold_stays_and_a_larger_share_holds_the_smaller() -> None:
    whole = Dataset("made", passages(42), (question("p3", "p41"), question()), "print", 42 * 4)
    parts = [with_share(whole, share) for share in SHARES]
    kept = [{p.id for p in part.passages} for part in parts]
    assert [len(each) for each in kept] == [2, 2 + 4, 2 + 10, 2 + 20, 42]
    assert all({"p3", "p41"} <= each for each in kept)
    assert all(small < large for small, large in pairwise(kept))
    assert len({part.fingerprint for part in parts}) == len(SHARES), "no two share a workspace"
    assert [part.size for part in parts] == [4 * len(each) for each in kept]
    assert with_share(whole, 0.25) == parts[2], "the same each time"
    assert {p.id for p in with_share(whole, 0.25, seed=1).passages} != kept[2]
    fewer = with_share(replace(whole, questions=(question(),)), 0.0)
    assert fewer.passages == (), "gold of questions that are not asked is no gold"


def test_of_a_folder_files_are_copied_and_an_archive_of_gold_stays(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "mail").mkdir(parents=True)
    for n in range(10):
        (docs / f"{n}.txt").write_text(f"text {n}")
    (docs / "mail" / "old.zip").write_text("stands for an archive")
    (docs / "link.txt").symlink_to(docs / "0.txt")
    asked = tmp_path / "q.jsonl"
    asked.write_text('{"question": "Who?", "answers": ["x"], "gold": ["mail/old.zip/inner.txt", "7.txt"]}\n')
    whole = read_documents(docs, asked)
    part = with_share(whole, 1 / 3)
    assert part.folder is not None and part.folder != docs
    found = {path.relative_to(part.folder).as_posix() for path in part.folder.rglob("*") if path.is_file()}
    assert {"mail/old.zip", "7.txt"} < found and len(found) == 2 + 3 and "link.txt" not in found
    assert all((part.folder / name).read_bytes() == (docs / name).read_bytes() for name in found)
    (part.folder / "left.txt").write_text("of an earlier run")
    again = with_share(whole, 1 / 3)
    assert again == part and not (part.folder / "left.txt").exists()


def test_names_of_files_that_are_no_utf8_have_a_place() -> None:
    held = tuple(replace(each, id=f"{each.id}\udcff") for each in passages(4))
    assert len(with_share(Dataset("made", held, (), "print"), 0.5).passages) == 2


@pytest.mark.parametrize("share", SHARES)
def test_a_share_of_nothing_is_nothing(share: float) -> None:
    assert with_share(Dataset("empty", (), (), "print"), share).passages == ()
