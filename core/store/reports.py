"""Reports of communities, kept as JSON with ids and offsets; quotes are read from the documents again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from types import NoneType
from typing import Any

from core.files.safe_files import parse_json
from core.store.columns import in_clause
from core.store.database import Database, Tables
from core.store.faults import damaged
from core.types import Citation, CommunityReport, DatedFact, DocumentShare, KeyEntity, KeyFact, Statement

_AT_ONCE = 500  # reports whose passages are read together
# That of names which stand in lists of references only tells nothing.
_TELLS = "r.report->'$.statements' IS NOT '[]'"


@dataclass(frozen=True, slots=True)
class Source:
    """What a report was written from (a hash), and by whom; `stale`: what it tells of has changed since."""

    source: str
    written_by: str
    stale: bool


@dataclass(frozen=True, slots=True)
class TitleSource:
    """What a report's title is made of; `document` is the title of the document that holds most of it, or ""."""

    community: int
    title: str
    written_by: str
    entities: tuple[KeyEntity, ...]
    document: str


@dataclass(frozen=True, slots=True)
class _There:
    """Ids that are there, and (id, name) of entities."""

    passages: set[str]
    facts: set[str]
    documents: set[str]
    names: set[tuple[str, str]]

    def cut(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """What is left of a report."""
        statements = [
            [text, valid]
            for text, places in content["statements"]
            if (valid := [place for place in places if place[0] in self.passages])
            and len(valid) == len(places)
        ]
        return {
            **content,
            "statements": statements,
            "facts": [f for f in content["facts"] if f[0] in self.facts and f[-1][0] in self.passages],
            "timeline": [d for d in content["timeline"] if d[-1][0] in self.passages],
            "documents": [d for d in content["documents"] if d[0] in self.documents],
            "entities": [e for e in content["entities"] if (e[0], e[1]) in self.names],
        }


class Reports(Tables):
    def put(self, connection: sqlite3.Connection, rows: Iterable[tuple[str, CommunityReport]]) -> None:
        """Keep (source, report), one a community, inside a transaction."""
        connection.executemany(
            "INSERT OR REPLACE INTO community_reports VALUES (?, ?, ?, ?)",
            [(report.community_id, source, report.written_by, _packed(report)) for source, report in rows],
        )

    def get(self, community: int) -> CommunityReport | None:
        """The report of a community; None when there is none.

        What the documents no longer hold is left out, and the report is then stale.
        """
        found = self._read("WHERE r.community_key = ?", (community,))
        return found[0] if found else None

    def of_level(self, level: int) -> list[CommunityReport]:
        """All reports of a level, by community."""
        return self._read("WHERE c.level = ? ORDER BY c.key", (level,))

    def key_entities(self, level: int, labels: Set[str]) -> list[tuple[int, str, str, float]]:
        """(community, id, name, share) of each key entity of these labels, in reports of a level that tell something.

        Some may be gone.
        """
        wanted = ", ".join(f"'{label}'" for label in sorted(labels) if label.isidentifier())
        sql = (
            "SELECT r.community_key, p.value->>0, p.value->>1, p.value->>3 FROM communities c"
            " CROSS JOIN community_reports r ON r.community_key = c.key, json_each(r.report, '$.entities') p"
            f" WHERE c.level = ? AND p.value->>2 IN ({wanted}) AND {_TELLS} ORDER BY c.key, p.key"
        )
        return self._select(sql, (level,)).fetchall()

    def titles(self, only: Iterable[int] | None = None) -> dict[int, str]:
        """Title of each report, or `only` those of these communities, by community."""
        of, listed = in_clause("community_key", only)
        sql = f"SELECT community_key, title FROM community_titles WHERE 1{of}"
        return dict(self._select(sql, listed))

    def title_sources(self) -> list[TitleSource]:
        """Return what every title is made of, the top level first."""
        rows = self._select(
            "SELECT c.key, t.title, r.written_by, r.report->'$.entities', coalesce(d.title, '')"
            " FROM communities c JOIN community_reports r ON r.community_key = c.key"
            " JOIN community_titles t ON t.community_key = c.key"
            " LEFT JOIN documents d ON d.id = r.report->>'$.documents[0][0]' ORDER BY c.level DESC, c.key"
        )
        return [
            TitleSource(int(key), str(title), str(by), self._key_entities(entities), in_one_line(document))
            for key, title, by, entities, document in rows
        ]

    def _key_entities(self, packed: str) -> tuple[KeyEntity, ...]:
        """Raises WorkspaceError where the file holds something else in their place."""
        try:
            rows = parse_json(packed or "")
        except ValueError as error:
            raise damaged(self._database.path) from error
        if not (isinstance(rows, list) and all(_is_row(row, _ITEMS["entities"]) for row in rows)):
            raise damaged(self._database.path)
        return tuple(KeyEntity(*row) for row in rows)

    def rename(self, titles: Mapping[int, str]) -> None:
        """Give reports, by community, these titles."""
        self._write_each(
            "UPDATE community_reports SET report = json_set(report, '$.title', ?) WHERE community_key = ?",
            [(title, key) for key, title in titles.items()],
        )

    def titles_stamp(self) -> str:
        """Another one whenever a report was written, changed or dropped."""
        row = self._select_one("SELECT value FROM settings WHERE name = 'titles'")
        return str(row[0]) if row else ""

    def titled(self, words: Sequence[str], limit: int) -> list[tuple[int, int, str]]:
        """(community, level, title) of reports whose title holds all the words, the top level first."""
        patterns = [f"%{_literal(word)}%" for word in dict.fromkeys(words)]
        holds = " AND ".join(["t.title LIKE ? ESCAPE '\\'"] * len(patterns))
        rows = self._select(
            "SELECT c.key, c.level, t.title FROM community_titles t JOIN communities c ON c.key = t.community_key"
            f" WHERE {holds} ORDER BY c.level DESC, c.number, c.key LIMIT ?",
            (*patterns, limit),
        )
        return [(int(key), int(level), str(title)) for key, level, title in rows]

    def sources(self, only: Iterable[int] | None = None) -> dict[int, Source]:
        """What each report, or `only` those of these communities, was written from, by community."""
        of, listed = in_clause("community_key", only)
        rows = self._select(
            "SELECT community_key, source, written_by, json_extract(report, '$.stale') FROM community_reports"
            f" WHERE 1{of}",
            listed,
        )
        return {int(row[0]): Source(row[1], row[2], bool(row[3])) for row in rows}

    def supported(self, communities: Iterable[int]) -> set[int]:
        """Those of these whose statements rest on passages that are all still there."""
        rests = {
            key: {place[0] for _, places in report["statements"] for place in places}
            for key, report in self._contents(communities).items()
        }
        there = ids_there(self._database, "passages", {id for ids in rests.values() for id in ids})
        return {key for key, ids in rests.items() if ids <= there}

    def intact(self, communities: Iterable[int]) -> set[int]:
        """Those of these whose report holds no word of what is gone: places, facts, documents and names are there.

        Raises WorkspaceError for a damaged report.
        """
        reports = self._contents(communities)
        there = self._there(reports.values())
        return {key for key, one in reports.items() if there.cut(one) == one}

    def cut(self, communities: Iterable[int]) -> set[int]:
        """Take what is gone out of the reports of these, those of the finest level left out, and mark them stale.

        Those that were cut: where a statement is left, and the title is of names that are there. The others stay.
        Raises WorkspaceError for a damaged report.
        """
        reports = self._contents(communities, above=1)
        there = self._there(reports.values())
        left = {key: {**there.cut(one), "stale": True} for key, one in reports.items()}
        remaining = {key: one for key, one in left.items() if one["statements"] and _named_by(one)}
        self._write_each(
            "UPDATE community_reports SET report = ? WHERE community_key = ?",
            [(json.dumps(one, ensure_ascii=False), key) for key, one in remaining.items()],
        )
        return set(remaining)

    def drop(self, connection: sqlite3.Connection, communities: Iterable[int]) -> None:
        """Delete the reports of these communities, inside a transaction."""
        connection.executemany(
            "DELETE FROM community_reports WHERE community_key = ?", [(int(key),) for key in communities]
        )

    def _read(self, where: str, values: Sequence[object]) -> list[CommunityReport]:
        rows = self._select(
            "SELECT c.key, c.level, r.written_by, r.report FROM community_reports r"
            f" JOIN communities c ON c.key = r.community_key {where}",
            values,
        ).fetchall()
        found: list[CommunityReport] = []
        for start in range(0, len(rows), _AT_ONCE):
            some = [(*row[:3], self._content(row[3])) for row in rows[start : start + _AT_ONCE]]
            places = self._places({place[0] for *_, report in some for place in places_of(report)})
            entities = ids_there(
                self._database, "entities", {row[0] for *_, report in some for row in report["entities"]}
            )
            facts = ids_there(
                self._database, "facts", {row[0] for *_, report in some for row in report["facts"]}
            )
            documents = self._titles({row[0] for *_, report in some for row in report["documents"]})
            there = entities | facts
            found += [
                _unpacked(key, at, by, report, places, there, documents) for key, at, by, report in some
            ]
        return found

    def _contents(self, communities: Iterable[int], above: int = 0) -> dict[int, Any]:
        """What is stored of the reports of these communities, of levels above that one."""
        rows = self._select(
            "SELECT r.community_key, r.report FROM json_each(?) j"
            " CROSS JOIN community_reports r ON r.community_key = j.value"
            " JOIN communities c ON c.key = r.community_key WHERE c.level > ?",
            (json.dumps([int(key) for key in communities]), above),
        )
        return {int(key): self._content(report) for key, report in rows}

    def _there(self, content: Iterable[Any]) -> _There:
        every = list(content)
        return _There(
            ids_there(self._database, "passages", {place[0] for one in every for place in places_of(one)}),
            ids_there(self._database, "facts", {fact[0] for one in every for fact in one["facts"]}),
            ids_there(self._database, "documents", {row[0] for one in every for row in one["documents"]}),
            set(
                self._select(
                    "SELECT e.id, e.name FROM json_each(?) j CROSS JOIN entities e ON e.id = j.value",
                    (json.dumps(sorted({entity[0] for one in every for entity in one["entities"]})),),
                )
            ),
        )

    def _content(self, report: str) -> Any:
        """Raises WorkspaceError where the file holds something else in a report's place."""
        try:
            return content_of(report)
        except ValueError as error:
            raise damaged(self._database.path) from error

    def _places(self, ids: Iterable[str]) -> dict[str, Any]:
        """(document id, path, title, start, text) by passage id."""
        rows = self._select(
            "SELECT p.id, d.id, d.path, p.title, p.start, p.text FROM json_each(?) j"
            " CROSS JOIN passages p ON p.id = j.value JOIN documents d ON d.key = p.document_key",
            (json.dumps(sorted(ids)),),
        )
        return {row[0]: row[1:] for row in rows}

    def _titles(self, ids: Iterable[str]) -> dict[str, str]:
        return dict(
            self._select(
                "SELECT d.id, d.title FROM json_each(?) j CROSS JOIN documents d ON d.id = j.value",
                (json.dumps(sorted(ids)),),
            )
        )


def ids_there(database: Database, table: str, ids: Iterable[str]) -> set[str]:
    """Those of `ids` that the table still holds."""
    rows = database.connection().execute(
        f"SELECT t.id FROM json_each(?) j CROSS JOIN {table} t ON t.id = j.value",
        (json.dumps(sorted(ids)),),
    )
    return {str(row[0]) for row in rows}


_PLACE = (str, int, int, (int, NoneType))
_NUMBER = (int, float)
_ITEMS: Mapping[str, tuple[Any, ...]] = {
    "statements": (str, list),
    "entities": (str, str, str, _NUMBER),
    "facts": (str, str, _NUMBER, list),
    "timeline": (str, str, list),
    "documents": (str, int),
}


def content_of(report: str) -> Any:
    """What is kept of a report, as lists. Raises ValueError where it is not what was written."""
    content = parse_json(report)
    if not (isinstance(content, dict) and isinstance(content.get("title"), str) and "stale" in content):
        raise ValueError("it has no title")
    for name, kinds in _ITEMS.items():
        rows = content.get(name)
        if not (isinstance(rows, list) and all(_is_row(row, kinds) for row in rows)):
            raise ValueError(f"its {name} are something else")
    if not all(_is_row(place, _PLACE) for place in places_of(content)):
        raise ValueError("it cites no places")
    return content


def _is_row(row: object, kinds: Sequence[Any]) -> bool:
    return isinstance(row, list) and len(row) == len(kinds) and all(map(isinstance, row, kinds))


def _literal(text: str) -> str:
    """For LIKE, which takes no sign in it for a pattern."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _packed(report: CommunityReport) -> str:
    """Statements that only quote are kept without words: they are those of their place."""
    return json.dumps(
        {
            "title": report.title,
            "statements": [
                ["" if _quotes(item) else item.text, [_place(citation) for citation in item.citations]]
                for item in report.statements
            ],
            "entities": [[e.entity_id, e.name, e.label, e.share] for e in report.entities],
            "facts": [[f.fact_id, f.words, f.strength, _place(f.citation)] for f in report.facts],
            "timeline": [[d.date, d.words, _place(d.citation)] for d in report.timeline],
            "documents": [[d.document_id, d.passages] for d in report.documents],
            "stale": report.stale,
        },
        ensure_ascii=False,
    )


def _place(citation: Citation) -> list[Any]:
    return [citation.passage_id, citation.start, citation.end, citation.page]


def _quotes(statement: Statement) -> bool:
    return len(statement.citations) == 1 and statement.text == in_one_line(statement.citations[0].quote)


def in_one_line(text: str) -> str:
    """White space of any kind and length as one space."""
    return " ".join(text.split())


def places_of(content: Any) -> list[list[Any]]:
    """Every place that a report cites: passage id, start, end, page."""
    within = [place for _, places in content["statements"] for place in places]
    return [*within, *(row[-1] for row in content["facts"]), *(row[-1] for row in content["timeline"])]


def _unpacked(
    key: int,
    level: int,
    written_by: str,
    content: Any,
    passages: Mapping[str, Any],
    there: set[str],
    documents: Mapping[str, str],
) -> CommunityReport:
    """The report without what is gone. A passage's id is a hash of its place and text: its offsets hold."""
    statements: list[Statement] = []
    for text, places in content["statements"]:
        citations = tuple(c for place in places if (c := _citation(place, passages)))
        if citations:
            statements.append(Statement(text or in_one_line(citations[0].quote), citations))
    facts = tuple(
        KeyFact(id, words, strength, citation)
        for id, words, strength, place in content["facts"]
        if id in there and (citation := _citation(place, passages))
    )
    timeline = tuple(
        DatedFact(date, words, citation)
        for date, words, place in content["timeline"]
        if (citation := _citation(place, passages))
    )
    gone = any(place[0] not in passages for place in places_of(content))
    return CommunityReport(
        community_id=key,
        level=level,
        title=content["title"],
        statements=tuple(statements),
        entities=tuple(KeyEntity(*row) for row in content["entities"] if row[0] in there),
        facts=facts,
        timeline=timeline,
        documents=tuple(
            DocumentShare(id, documents[id], n) for id, n in content["documents"] if id in documents
        ),
        written_by=written_by,
        stale=bool(content["stale"]) or gone,
    )


def _citation(place: Sequence[Any], passages: Mapping[str, Any]) -> Citation | None:
    id, start, end, page = place
    if id not in passages:
        return None
    document_id, path, title, begin, text = passages[id]
    return Citation(id, document_id, path, title, page, start, end, text[start - begin : end - begin])


def _named_by(content: Mapping[str, Any]) -> bool:
    """Whether the title is made of nothing but names of its entities."""
    rest = str(content["title"]).casefold()  # a term's title has a capital
    for name in sorted(
        (" ".join(str(entity[1]).casefold().split()) for entity in content["entities"]), key=len, reverse=True
    ):
        rest = rest.replace(name, "\0") if name else rest
    return "\0" in rest and not rest.replace("\0", "").replace(" and ", "").replace(",", "").strip()
