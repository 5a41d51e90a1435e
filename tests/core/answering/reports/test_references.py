"""A list of references is found, but is no theme: neither communities nor reports rest on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.models import Models
from core.ingest.derive import note_forms
from core.progress import TaskContext
from core.types import Answer
from core.workspace import Workspace
from tests.conftest import written

CONTEXT = TaskContext()
AUTHORS = "Smith Quill Holloway Castell Bright Norwood Ashby Fenwick Garland Hurst".split()
FIRST = "John Karl Marta Jonas Ada Pieter Ines Alma Ole Clara".split()


def entry(number: int) -> str:
    one, two = number % len(AUTHORS), (number * 3 + 1) % len(AUTHORS)
    return (
        f"- [{number + 1}] {FIRST[one]} {AUTHORS[one]}, {FIRST[two]} {AUTHORS[two]}, and Ruth "
        f"Pelham. {1990 + number}. "
        f"Silt of bay {number}. In *Proceedings of the Association for Coastal Research*. Harbour "
        f"Press, {number + 3}–{number + 9}.\n"
    )


PAPER = """# Gauges of the Kestrel Bay

The Tidewell Institute measured the tides of Kestrel Bay for two years. Tidewell Institute placed nine gauges near \
Marlow Point. Dora Linden leads the Tidewell Institute. Dora Linden built the Linden Gauge at Marlow Point. The Linden \
Gauge records the tide every hour. Kestrel Bay amplifies the tide in spring, as Holloway found before.

Figure 1: Kestrel Bay with Marlow Point and the Linden Gauge.

The town of Averton paid the Tidewell Institute for the survey. Averton lies behind Marlow Point. Ralph Enright of \
Averton read the Linden Gauge each morning. Ralph Enright married Dora Linden. The Tidewell Institute will repeat the \
survey of Kestrel Bay, and Averton will pay for it again.

"""
REFERENCES = "## References\n\n" + "".join(entry(number) for number in range(40))
REGISTER = "Register of masters\n\n" + "".join(
    f"- {first} {last}, master, Harbour of Averton\n"
    for first, last in zip(FIRST, reversed(AUTHORS), strict=True)
)


TEXTS = {"paper.md": PAPER + REFERENCES}


def themes(workspace: Workspace) -> Answer:
    answer = workspace.ask("What are the main themes?", CONTEXT)
    assert answer.trace.route.name == "global"
    return answer


def cited(workspace: Workspace) -> list[int]:
    """Where, in the paper, everything stands that a report tells."""
    store = workspace._store
    found: list[int] = []
    for level in range(1, store.communities.levels() + 1):
        for report in store.reports.of_level(level):
            found += [c.start for s in report.statements for c in s.citations]
            found += [fact.citation.start for fact in report.facts]
            found += [dated.citation.start for dated in report.timeline]
    return found


def test_no_report_rests_on_the_entries(workspace: Workspace) -> None:
    places = cited(workspace)
    assert places and max(places) < len(PAPER)
    named = {row.name for row in workspace._store.entities.rows()}
    assert "Ruth Pelham" in named and "Ole Ashby" not in named
    titles = workspace._store.reports.titles()
    listed = [name for name in (*AUTHORS, "Pelham") if name not in PAPER]  # the text itself names Holloway
    assert len(listed) == len(AUTHORS)
    for title in titles.values():
        assert not any(name in title for name in (*listed, "Proceedings", "Association")), title
    answer = themes(workspace)
    assert not any(name in answer.text for name in (*listed, "References"))
    assert answer.citations and max(citation.start for citation in answer.citations) < len(PAPER)
    assert not any("Figure" in sentence for sentence in answer.sentences)


def test_names_that_only_entries_hold_stand_apart(workspace: Workspace) -> None:
    store = workspace._store
    top = store.communities.levels()
    reports = {report.community_id: report for report in store.reports.of_level(top)}
    apart = [report for report in reports.values() if report.title.startswith("References of")]
    assert apart and all(not r.statements and not r.facts and not r.timeline and r.documents for r in apart)
    homes = store.communities.entities(list(reports))
    names = {row.key: row.name for row in store.entities.rows()}
    for key, members in homes.items():
        listed = {names[member] for member in members} & {"Ruth Pelham", "Harbour Press", "Karl Quill"}
        assert not listed or reports[key] in apart
    people = workspace.ask("Which people come up most often in the documents?", CONTEXT)
    assert people.trace.route.name == "global"
    assert "Dora Linden" in people.text and "Pelham" not in people.text
    found = workspace.ask("Which paper of Karl Quill appeared in 1991?", CONTEXT)
    assert any("Karl Quill" in evidence.passage.text for evidence in found.evidence), (
        "it can still be asked for"
    )


def test_a_run_that_ends_while_texts_are_looked_through_is_completed(workspace: Workspace) -> None:
    """The lists are known to one commit: communities must be due before it, or they never are."""
    store = workspace._store
    with store.database.transaction() as connection:
        connection.execute("DELETE FROM reference_lists")
        connection.execute("DELETE FROM text_forms")
        connection.execute("INSERT OR REPLACE INTO settings VALUES ('forms', '')")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patched:
        for name in ("settings.set", "marks.unsettle"):
            thing, method = name.split(".")
            patched.setattr(getattr(store, thing), method, killed)
        with pytest.raises(KeyboardInterrupt):
            note_forms(store, CONTEXT)
    note_forms(store, CONTEXT)
    assert store.marks.any()


def test_a_register_of_nothing_but_points_is_a_theme(tmp_path: Path, models: Models) -> None:
    texts = {"paper.md": PAPER, "register.md": REGISTER}
    with Workspace.open(tmp_path / "workspace", create=True, models=models) as opened:
        opened.index(written(tmp_path / "papers", texts), CONTEXT, digest=False)
        communities = [community.id for community in opened.graph.communities()]
        statements = [s for id in communities for s in opened.reports.get(id).statements]
    places = {(c.document, s.text) for s in statements for c in s.citations}
    assert any(document.endswith("register.md") and "master" in text for document, text in places)
    assert not any(text.startswith("Figure") for _, text in places)
