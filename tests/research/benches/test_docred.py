"""Facts are scored against articles whose related pairs are known."""

import json
from pathlib import Path

import pytest

from core.errors import BadInput
from core.research.benches.extraction import read_articles, score
from core.types import ExtractedMention, Extraction, Triple

ROW = {
    "title": "Anna Berg",
    "vertexSet": [
        [{"name": "Anna Berg", "type": "PER"}, {"name": "Berg", "type": "PER"}],
        [{"name": "Oslo", "type": "LOC"}],
        [{"name": "two", "type": "NUM"}],
        [{"name": "Acme Lines", "type": "ORG"}],
    ],
    "labels": [{"h": 0, "t": 1, "r": "P19"}, {"h": 1, "t": 0, "r": "P1"}, {"h": 0, "t": 3, "r": "P108"}],
    "sents": [["Anna", "Berg", ",", "born", "in", "Oslo", ",", "runs", "Acme", "Lines", "."]],
}


def test_pairs_facts_and_names_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "dev.json"
    file.write_text(json.dumps([ROW]), encoding="utf-8")
    (article,) = read_articles(file)
    assert article.passage.text == "Anna Berg, born in Oslo, runs Acme Lines."
    triples = (
        Triple("Berg", "born in", "Oslo", "0", 0, 10, 0.9),
        Triple("Oslo", "near", "Acme Lines", "0", 0, 10, 0.9),
        Triple("Berg", "is", "manager", "0", 0, 10, 0.5),
    )
    counts = score(article, Extraction((ExtractedMention("Oslo", "GPE", 0, 4),), triples))
    assert {name: counts[name] for name in ("related", "joined", "facts", "between", "right")} == {
        "related": 2,
        "joined": 1,
        "facts": 3,
        "between": 2,
        "right": 1,
    }
    assert (counts["names"], counts["found"]) == (3, 1)  # a numeral is no name


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"title": "x"}]'])
def test_another_file_is_rejected(tmp_path: Path, text: str) -> None:
    file = tmp_path / "dev.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        read_articles(file)
