"""What is said to stand nowhere was looked for everywhere, as the index cuts its words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.answering.missing_terms import look_up, missing_names
from core.answering.models import Models
from core.cli import main
from core.index.lexical import number_query
from core.progress import TaskContext
from core.store.settings import MINILM
from core.store.store import Store
from core.types import Scope
from core.workspace import Workspace
from tests.conftest import written

TEXTS = {
    "lease.txt": "Noll, Beatrix rents North 4 for 1,043.50 euro. O’Brien & Sons keep the key. Drawn up on 3 May 2019.",
    "crew.txt": "The mate Jean-Luc Aubry was put ashore because he was drunk. Anneke Größer chaired the inquiry.",
    "valves.txt": "Open valve Brika before the pump AM-2021-0417 is started. The E-Mail went to the harbour office.",
    "korean.txt": "김민수는 2019년부터 뮤직뱅크(Music Bank)의 진행자로 일했다. 그는 서울에서 태어났다.",
    "chinese.txt": "王芳于2018年在上海创办了东海航运公司。公司的船长是李强。",
    "german.txt": "Die Werft verkaufte das Boot Möwe an Sven Lund. Der Mietvertrag mit Jürgens Bruder läuft bis Juni.",
    "russian.txt": "Пётр Орлов живёт в Твери и работает на верфи. Он купил лодку у Анны Соколовой.",
}
# Question, and what of it no document holds; "" where all that it names is there.
CASES = {
    "Who is Beatrix Noll?": "",
    "What is paid: 1043.50 or 1 043,50?": "",
    "Who pays 2043.50 euro?": "“2043.50”",
    "What do O'Brien & Sons keep?": "",
    "What happened in 1987?": "“1987”",
    "What happened on 4 June 1987?": "“1987”",
    "Where is JEAN-LUC AUBRY?": "",
    "Where is Jean-Marc Aubry?": "“Jean-Marc Aubry”",
    "What did Anneke Grosser chair?": "“Anneke Grosser”",  # the index tells ß from ss
    "Which pump is AM 2021 0417?": "",
    "Which pump is AM-2021-0418?": "“AM-2021-0418”",
    "What happened in 1914-1918?": "“1914” or “1918”",
    "Summarise what Edda Rohn wrote": "“Edda Rohn”",
    "WHO IS THE AGENT?": "",
    "What does “hold harmless” mean?": "“hold harmless”",
    "“김민수” 는 누구입니까?": "",
    "“张伟”在哪里?": "“张伟”",
    "Who is 王芳?": "",
    "¿Quién vende la barca?": "",
    "Wer kennt den Bruder von Jürgen?": "",
    "Wo wohnt Gesine Tadsen?": "“Gesine Tadsen”",
    "Кто купил лодку у Анна Соколова?": "",
    "Где живёт Игорь Крылов?": "“Игорь Крылов”",
}


@pytest.fixture(scope="module")
def workspace(models: Models, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = written(tmp_path_factory.mktemp("terms") / "papers", TEXTS)
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no archive")
    opened = Workspace.open(folder.parent / "workspace", create=True, models=models)
    opened.index(folder, TaskContext(), digest=False)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def store(workspace: Workspace) -> Iterator[Store]:
    opened = Store(workspace.path, MINILM.model, MINILM.dimension)
    yield opened
    opened.close()


@pytest.mark.parametrize(("question", "absent"), CASES.items())
def test_what_stands_nowhere_is_named(question: str, absent: str, store: Store, models: Models) -> None:
    found = missing_names(look_up(store, models.parse(question)), scoped=False)
    assert found == (f"No document holds {absent}: check how it is written." if absent else "")


@pytest.mark.parametrize(
    "question", ["Who was drunk?", "Who chaired?", "Who lives in Kazan and drinks ale at noon?"]
)
def test_words_are_found_in_their_forms(question: str, store: Store, models: Models) -> None:
    found = look_up(store, models.parse(question))
    assert bool(found.present_words) is not ("Kazan" in question)


@pytest.mark.parametrize(
    ("number", "form"),
    [
        ("1,043", '"1043"'),
        ("1043", '"1 043"'),
        ("1.234,50", '"1234 5"'),
        ("10,000,000", '"10000000"'),
        ("7.5", '"7 5"'),
    ],
)
def test_digits_are_found_however_they_are_grouped(number: str, form: str) -> None:
    assert form in number_query(number).split(" OR ")


@pytest.mark.long
@pytest.mark.parametrize("question", ["Who was drunk?", "Who is 김민수?"])
def test_the_gate_opens_where_words_stand(question: str, workspace: Workspace) -> None:
    answer = workspace.ask(question, TaskContext(), settings=("control.gate=1",))
    assert answer.evidence and "is about this" not in answer.missing


@pytest.mark.long
def test_a_refusal_says_what_was_not_read(workspace: Workspace, store: Store) -> None:
    answer = workspace.ask("Who won the cup against Gesine Tadsen?", TaskContext())
    assert answer.abstained and "No document holds “Gesine Tadsen”" in answer.missing
    assert answer.missing.endswith("1 document could not be read: broken.docx.")
    with store.database.transaction() as connection:
        for kind, count in (("chart", 2), ("comment", 1), ("encoding", 1)):
            connection.execute(
                "INSERT INTO notices SELECT key, ?, ?, ?, '' FROM documents WHERE path = 'lease.txt'",
                (count + 10 * (kind == "encoding"), kind, count),
            )
    answer = workspace.ask("Who won the cup against Gesine Tadsen?", TaskContext())
    assert "3 parts were not read, of lease.txt. 1 document could not be read: broken.docx." in answer.missing
    (crew,) = workspace.documents.find(["crew.txt"])
    stored = workspace.ask(
        "Who won the cup against Gesine Tadsen?", TaskContext(), scope=Scope((), (crew.id,))
    )
    assert "Nothing in the scope holds “Gesine Tadsen”" in stored.missing
    assert "lease.txt" not in stored.missing and "broken.docx" not in stored.missing


@pytest.mark.long
@pytest.mark.parametrize("typed", ["yes", "Danke!"])
def test_what_asks_nothing_gets_no_answer(
    typed: str, workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    for route in ("auto", "global", "lexical"):
        answer = workspace.ask(typed, TaskContext(), route)
        assert (
            answer.unasked and answer.abstained and not (answer.text or answer.evidence or answer.citations)
        )
        assert "whole question" in answer.missing
    assert main(["ask", str(workspace.path), typed]) == 0
    assert capsys.readouterr().out.startswith("This asks nothing")
