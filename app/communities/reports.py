"""A community's report in the words and numbers that people are shown."""

from __future__ import annotations

from app.answers.claims import Said, by_words
from app.answers.wording import citation_line
from app.look.translation import tr
from core.types import Citation, CommunityReport

RULES = "rules"
# The engine begins with it the titles of communities that only lists of references name.
_REFERENCES = "References"  # not shown
_ONLY_CITED = tr("No statements: only lists of references name its entities")
_NOT_TOLD = tr("No statements: no sentence of the documents tells of its entities")


class Numbered:
    """The places that a report rests on, each numbered once in the order of reading, from 1."""

    def __init__(self, report: CommunityReport) -> None:
        self._numbers: dict[Citation, int] = {}
        self.said = tuple(
            Said(" ".join(said.text.split()), tuple(dict.fromkeys(self.number(at) for at in said.citations)))
            for said in report.statements
        )
        for fact in report.facts:
            self.number(fact.citation)
        for dated in sorted(report.timeline, key=lambda row: row.date):
            self.number(dated.citation)

    def number(self, citation: Citation) -> int:
        """The number of a place; a new one is given the next."""
        return self._numbers.setdefault(citation, len(self._numbers) + 1)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """In the order of their numbers."""
        return tuple(self._numbers)


def origin_words(report: CommunityReport) -> str:
    """Who wrote the statements, or that they are older than the graph, or why there are none."""
    if report.stale:
        return tr("Out of date: this community changed after the report was written")
    if report.entities and not (report.statements or report.facts or report.timeline):
        cited = report.title.startswith(_REFERENCES)
        return _ONLY_CITED if cited else _NOT_TOLD
    if report.written_by == RULES:
        return tr("Quoted from the documents by rules")
    by = by_words(report.written_by)
    return tr("Written {by} from the places that each statement cites", by=by)


def report_as_text(report: CommunityReport) -> str:
    """The whole report with its marks and sources: what is copied to the clipboard."""
    numbered = Numbered(report)
    lines = [report.title, origin_words(report), ""]
    for said in numbered.said:
        lines.append(" ".join([said.text, "".join(f"[{number}]" for number in said.numbers)]).strip())
    if report.entities:
        lines += ["", tr("Key entities"), *(f"- {entity.name}" for entity in report.entities)]
    if report.facts:
        lines += ["", tr("Key facts")]
        lines += [f"- {fact.words} [{numbered.number(fact.citation)}]" for fact in report.facts]
    if report.timeline:
        lines += ["", tr("Time line")]
        lines += [f"- {row.date}: {row.words} [{numbered.number(row.citation)}]" for row in report.timeline]
    if numbered.citations:
        lines += ["", tr("Sources")]
        lines += [citation_line(number, place) for number, place in enumerate(numbered.citations, 1)]
    return "\n".join(lines)
