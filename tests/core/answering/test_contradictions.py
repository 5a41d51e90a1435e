"""Sentences of two documents that tell another value of one thing."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.contradictions import read_values
from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace
from tests.conftest import written

REPORT = """# Report of the surveyor

The keel of the Marigold was laid at Tromso on 6 September 2022. The Marigold is certified to carry 396 passengers in
summer. The port engine of the Marigold reached 742 revolutions per minute at full load. The survey of the hull was
ordered by Maria Hansen of the harbour office. The meeting closed at 9:40 pm.
"""
LETTER = """# Letter to the bank

The keel of the Marigold was laid at Tromso on 16 September 2022. The Marigold is certified to carry 369 passengers in
summer. The starboard engine of the Marigold reached 716 revolutions per minute at full load. The survey of the hull
was ordered by Peter Johnson of the harbour office. The first sum of EUR 250,000 was paid on 3 May 2021.
"""
MINUTES = """# Minutes of May

The board met in the long room. The chair thanked the auditors for the work of the year. The association counted 312
members at the end of the year. The second sum of EUR 250,000 was paid on 9 June 2021.
"""
LATER = MINUTES.replace("May", "June").replace("312", "340").replace("9 June 2021", "09.06.2021")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, models: Models) -> Workspace:
    root: Path = tmp_path_factory.mktemp("contradictions")
    folder = written(
        root / "folder",
        {"report.md": REPORT, "letter.md": LETTER, "minutes-may.md": MINUTES, "minutes-june.md": LATER},
    )
    opened = Workspace.open(root / "workspace", create=True, models=models)
    opened.index(folder, TaskContext(), digest=False)
    return opened


def test_what_two_documents_tell_otherwise_is_found_with_its_place(workspace: Workspace) -> None:
    found = workspace.passages.contradictions(20, TaskContext())
    values = [
        {each.quote[slice(*(each.marked or (0, 0)))] for each in (pair.one, pair.other)} for pair in found
    ]
    assert {"6 September 2022", "16 September 2022"} in values
    assert {"396", "369"} in values
    assert {"Maria Hansen", "Peter Johnson"} in values
    for pair in found:
        assert pair.one.document_id != pair.other.document_id and 0.5 < pair.likelihood < 1.0
        for each in (pair.one, pair.other):
            text = workspace.documents.text(each.document_id)
            assert text[each.start : each.end] == each.quote
    assert [pair.likelihood for pair in found] == sorted((pair.likelihood for pair in found), reverse=True)


def test_other_things_other_days_and_documents_of_a_kind_contradict_nothing(workspace: Workspace) -> None:
    """Two engines, two payments, and what each of two minutes says of its own time."""
    quotes = [
        pair.one.quote + pair.other.quote for pair in workspace.passages.contradictions(20, TaskContext())
    ]
    assert quotes
    for word in ("engine", "sum of", "members", "closed"):
        assert not [quote for quote in quotes if word in quote], word


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It cost EUR 1.2 million, or €1,200,000.", [("€", "1200000"), ("€", "1200000")]),
        ("They paid $3bn, €45k and £5m.", [("$", "3000000000"), ("€", "45000"), ("£", "5000000")]),
        ("45 000 tons and 12,345,687 tons were lost.", [("ton", "45000"), ("ton", "12345687")]),
        ("At 12:30 am and 12:30 pm they met.", [("time", "00:30"), ("time", "12:30")]),
        ("The siren at 03:31 and at 9.40 pm was heard.", [("time", "03:31"), ("time", "21:40")]),
        ("In 2015 the museum welcomed 8,412 visitors.", [("date", "2015"), ("visitor", "8412")]),
        ("Of 12 and 14 they kept 3 in 1998.", [("date", "1998")]),
        ("", []),
    ],
)
def test_values_are_read_in_their_units(text: str, values: list[tuple[str, str]]) -> None:
    assert [(value.unit, value.text) for value, _, _ in read_values(text)] == values


def test_the_same_pairs_are_found_again_and_no_more_than_asked(workspace: Workspace) -> None:
    every = workspace.passages.contradictions(20, TaskContext())
    assert workspace.passages.contradictions(20, TaskContext()) == every
    assert workspace.passages.contradictions(1, TaskContext()) == every[:1]
