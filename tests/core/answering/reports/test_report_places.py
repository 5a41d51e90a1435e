"""The citations of a report tell cells and places as those of answers do."""

from __future__ import annotations

from core.answering.candidates import place_of
from core.types import Citation
from core.workspace import Workspace


def test_a_report_tells_the_cells_that_it_cites(sample_workspace: Workspace) -> None:
    tables = {document.id for document in sample_workspace.documents.all() if document.path.endswith(".csv")}
    cited: list[Citation] = []
    for community in sample_workspace.graph.communities():
        report = sample_workspace.reports.get(community.id)
        cited += [citation for statement in report.statements for citation in statement.citations]
        cited += [row.citation for row in (*report.facts, *report.timeline)]
    of_tables = [citation for citation in cited if citation.document_id in tables]
    assert of_tables and all("!" in citation.place for citation in of_tables)
    for citation in cited:
        regions = sample_workspace.documents.regions(citation.document_id, citation.start, citation.end)
        assert citation.place == place_of(regions, citation.start, citation.end)
    # The same words are found again when the report is read anew: an equal report is not shown twice.
    first = sample_workspace.graph.communities()[0].id
    assert sample_workspace.reports.get(first) == sample_workspace.reports.get(first)
