"""Entities and triples from elsewhere: where they are placed, and files that do not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.errors import BadInput
from core.progress import TaskContext
from core.research.external_triples import ExternalExtractor, ExternalPassage, place, read_external
from core.text.sentences import sentences
from core.types import ExtractedMention, Passage

TEXT = "Marta Ilves founded Ilves Shipping in 1998. In Tallinn, MARTA  ILVES met Otto Kask. Ilvesen rose."


def passage(passage_id: str = "a", text: str = TEXT, title: str = "Firm") -> Passage:
    return Passage(passage_id, passage_id, 0, title, text, 0, len(text), sentences=tuple(sentences(text)))


def spans(name: str, entry: ExternalPassage) -> list[str]:
    found = [mention for mention in place(passage(), entry).mentions if mention.text == name]
    return [TEXT[mention.start : mention.end] for mention in found]


def test_every_occurrence_is_found_in_any_case_at_word_boundaries() -> None:
    entry = ExternalPassage(("Marta Ilves", "Ilves"), ())
    assert spans("Marta Ilves", entry) == ["Marta Ilves", "MARTA  ILVES"]
    assert spans("Ilves", entry) == ["Ilves", "Ilves", "ILVES"]


def test_a_name_that_the_text_lacks_has_no_place() -> None:
    found = place(passage(), ExternalPassage(("Firm", "C++ (1998)"), ()))
    assert found.mentions == (
        ExtractedMention("Firm", "OTHER", 0, 0),
        ExtractedMention("C++ (1998)", "OTHER", 0, 0),
    )


def test_nothing_is_added_to_the_external_names() -> None:
    assert place(passage(), ExternalPassage((), ())).mentions == ()
    found = place(passage(), ExternalPassage(("Otto Kask",), (("Otto Kask", "met", "a founder"),)))
    assert {mention.text for mention in found.mentions} == {"Otto Kask", "a founder"}


def test_ends_of_triples_are_mentions_labelled_by_their_form() -> None:
    entry = ExternalPassage(("Marta Ilves", "1998", "50 %"), (("Marta Ilves", "founded", "a line in 1998"),))
    labels = {mention.text: mention.label for mention in place(passage(), entry).mentions}
    assert labels == {"Marta Ilves": "OTHER", "1998": "DATE", "50 %": "CARDINAL", "a line in 1998": "NOUN"}


@pytest.mark.parametrize(
    ("triple", "sentence"),
    [
        (("Marta Ilves", "founded", "Ilves Shipping"), "Marta Ilves founded Ilves Shipping in 1998."),
        (("Marta Ilves", "met", "Otto Kask"), "In Tallinn, MARTA  ILVES met Otto Kask."),
        (("Marta Ilves", "was", "in Tallinn"), "In Tallinn, MARTA  ILVES met Otto Kask."),
        (("She", "rose", "high"), "Ilvesen rose."),
    ],
    ids=["both ends", "both ends, later", "one end in two: words decide", "words alone"],
)
def test_a_triple_rests_on_the_sentence_that_holds_it_best(
    triple: tuple[str, str, str], sentence: str
) -> None:
    found = place(passage(), ExternalPassage((), (triple,))).triples[0]
    assert (found.subject, found.predicate, found.object) == triple
    assert TEXT[found.start : found.end].strip() == sentence
    assert found.confidence == 1.0


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def line(passage_id: str = "a", **more: object) -> dict[str, object]:
    return {
        "id": passage_id,
        "title": "Firm",
        "entities": ["Otto"],
        "triples": [["Otto", "is", "Kask"]],
    } | more


def test_incomplete_triples_are_left_out_and_counted(tmp_path: Path) -> None:
    triples = [["Otto", "is", "Kask"], ["Otto", "is"], ["Otto", "is", "Kask", "too"], ["", "is", "Kask"]]
    found = read_external(
        write(tmp_path / "g", line(triples=triples, entities=["Otto", "Otto", " "])), [passage()]
    )
    assert found.passages["a"] == ExternalPassage(("Otto",), (("Otto", "is", "Kask"),))
    assert found.skipped == 3


def test_the_version_follows_the_content_not_the_order(tmp_path: Path) -> None:
    both = [passage("a"), passage("b")]
    one = ExternalExtractor(read_external(write(tmp_path / "1", line("a"), line("b")), both))
    same = ExternalExtractor(read_external(write(tmp_path / "2", line("b"), line("a")), both))
    other = ExternalExtractor(
        read_external(write(tmp_path / "3", line("a"), line("b", entities=["Eve"])), both)
    )
    assert one.version == same.version != other.version
    found = list(one.extract([both[1], both[0]], TaskContext()))
    assert [extraction.triples[0].passage_id for extraction in found] == ["b", "a"]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([line("z")], "does not hold"),
        ([line(title="Other")], "the corpus calls it 'Firm'"),
        ([line(), line()], "second line"),
        ([], "1 of 1 passages"),
        ([line(entities="Otto")], "'entities'"),
        ([line(entities=[1])], "'entities'"),
        ([line(triples=None)], "'triples'"),
        ([line(triples=["Otto is Kask"])], "'triples'"),
        ([line(triples=[["Otto", "is", 3]])], "'triples'"),
        ([line(id=7)], "no 'id'"),
        (["text"], "not an object"),
    ],
)
def test_mismatched_files_are_rejected_with_their_line(
    rows: list[object], words: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "given.jsonl", *rows)
    with pytest.raises(BadInput) as caught:
        read_external(path, [passage()])
    assert words in caught.value.message
    assert "given.jsonl" in caught.value.message
    assert caught.value.remedy


@pytest.mark.parametrize(("content", "words"), [(b"{", "line 1 cannot be read"), (b"\xff\xfe\x00", "UTF-8")])
def test_unreadable_files_are_rejected(content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "given.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_external(path, [passage()])
    assert words in caught.value.message
