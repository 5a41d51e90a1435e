"""Documents are stored as written; names, facts and searches do not stumble over what nobody sees in them."""

from __future__ import annotations

from pathlib import Path

from core.index.lexical import match_all
from core.ingest.extraction_input import plain_passage
from core.ingest.reading import READER
from core.progress import TaskContext
from core.types import Passage, Sentence
from core.workspace import Workspace

TEXT = "Tobias\xa0Renwick   founded Cal\xadder\u200b Reach in Lima\xadssol. "
TEXT += "The inves\xadti\u200bgation of Ines\tHolm goes on.\n"


TEXTS = {"a.txt": TEXT}


def test_names_are_plain_and_their_places_true(workspace: Workspace) -> None:
    assert workspace.documents.text(workspace.documents.all()[0].id) == TEXT.strip()
    connection = workspace._store.database.connection()
    found = {
        surface: text[start:end]
        for surface, text, start, end in connection.execute(
            'SELECT m.surface, p.text, m.start, m."end" FROM mentions m JOIN passages p ON p.key = m.passage_key'
        )
    }
    assert found["Tobias Renwick"] == "Tobias\xa0Renwick"
    assert found["Calder Reach"] == "Cal\xadder\u200b Reach"
    assert found["Limassol"] == "Lima\xadssol"


def test_words_are_found_by_their_letters_and_the_index_is_sound(workspace: Workspace) -> None:
    passages = workspace._store.passages
    for words in ("investigation", "Calder Reach", "Limassol", "Holm"):
        assert passages.search(match_all(words), 5), words
    assert [check.name for check in workspace.verify(TaskContext()) if not check.ok] == []


def test_what_an_older_reader_read_is_read_again(workspace: Workspace, folder: Path) -> None:
    """Part 5b: AT&T was stored as ATT. The file is the same as ever."""
    connection = workspace._store.database.connection()
    old = connection.execute("SELECT reader FROM files").fetchone()[0]
    assert old.startswith(READER) and int(READER) > 3
    with workspace._store.database.transaction() as writing:
        writing.execute("UPDATE files SET reader = ?", ("3" + old.removeprefix(READER),))
        writing.execute("UPDATE document_texts SET text = 'Tobias Renwick founded CalderReach.'")
    workspace.index(folder, TaskContext())
    assert workspace.documents.text(workspace.documents.all()[0].id) == TEXT.strip()


def test_places_of_sentences_in_plain_passages() -> None:
    text = "\xadOne  two.\u200b Thr\xadee\xa0 \xa0four."
    stored = (Sentence(1, 10), Sentence(12, len(text)))
    plain = plain_passage(Passage("p", "d", 0, "", text, 0, len(text), sentences=stored))
    assert plain.passage.text == "One two. Three four."
    assert [plain.passage.text[s.start : s.end] for s in plain.passage.sentences] == [
        "One two.",
        "Three four.",
    ]
    for word, written in {"One": "One", "two.": "two.", "Three": "Thr\xadee", "four.": "four."}.items():
        start = plain.passage.text.index(word)
        begin, end = plain.stored(start, start + len(word))
        assert text[begin:end] == written
    assert plain.stored(0, 0) == (0, 0)
