"""Tables of a workspace: the rows behind a count are cited; what no table understands is not computed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.progress import TaskContext
from core.types import Way
from core.workspace import Workspace

SHIPS = (
    "Ship,Owner,Built,Crew\nGull,Vest AS,1979,4\nTern,Holm,1985,6\nAuk,Vest AS,1990,7\nSkua,Fjord,2001,2\n"
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("tables")
    documents = folder / "documents"
    documents.mkdir()
    (documents / "ships.csv").write_text(SHIPS, encoding="utf-8")
    rows = "".join(f"<tr><td>Port {n}<td>{n * 3}</tr>" for n in range(1, 8))
    page = f"<h1>Ports</h1><p>What the ports took in that year.</p><table><tr><th>Port<th>Dues</tr>{rows}</table>"
    (documents / "ports.html").write_text(page, encoding="utf-8")
    lamps = "Lamp,Oil\n" + "".join(f"L{n},{n * 2}\n" for n in range(1, 13))
    (documents / "lamps.csv").write_text(lamps, encoding="utf-8")
    workspace = Workspace.open(folder / "workspace", create=True)
    workspace.index(documents, TaskContext())
    yield workspace
    workspace.close()


@pytest.mark.parametrize(
    ("question", "expected", "quotes"),
    [
        ("how many ships does vest as own", "2", ["Ship: Gull", "Ship: Auk"]),
        ("What is the total crew of the ships owned by Vest AS?", "11", ["Ship: Gull", "Ship: Auk"]),
        ("What are the dues of Port 4?", "12", ["Port: Port 4"]),
    ],
)
def test_an_answer_opens_its_rows(
    workspace: Workspace, question: str, expected: str, quotes: list[str]
) -> None:
    answer = workspace.ask(question, TaskContext())
    assert answer.text == expected
    for quote in quotes:
        assert any(citation.quote.startswith(quote) for citation in answer.citations)
    for citation in answer.citations:
        assert citation.end - citation.start == len(citation.quote)


def test_rows_are_cited_once_and_how_many_are_displayed(workspace: Workspace) -> None:
    answer = workspace.ask("How many lamps are there?", TaskContext())
    assert (answer.text, answer.table_note) == ("12", "8 of 12 rows shown")
    assert len(answer.citations) == len(answer.sentences) == 8
    assert len({citation.start for citation in answer.citations}) == 8
    listed = workspace.ask("List all lamps", TaskContext())
    assert listed.text == ", ".join(f"L{n}" for n in range(1, 13))


def test_what_is_not_understood_is_not_computed(workspace: Workspace) -> None:
    answer = workspace.ask("How many of the ships of Vest AS are painted green?", TaskContext())
    assert answer.abstained and answer.evidence and not answer.alternatives
    assert "No table tells this" in answer.missing
    route = answer.trace.route
    assert (route.way, route.reason) == (Way.TABLE, "asks to compute over the rows of a table")
