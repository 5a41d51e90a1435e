"""Words of what is gone: which reports hold some, and reports with them cut out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.store.database import Database
from core.store.faults import damaged
from core.store.reports import content_of, ids_there, places_of


@dataclass(frozen=True, slots=True)
class _There:
    """Ids that are there, and (id, name) of entities."""

    passages: set[str]
    facts: set[str]
    documents: set[str]
    names: set[tuple[str, str]]

    def cut(self, told: Mapping[str, Any]) -> dict[str, Any]:
        """What is left of a report."""
        statements = [
            [text, valid]
            for text, places in told["statements"]
            if (valid := [place for place in places if place[0] in self.passages])
            and len(valid) == len(places)
        ]
        return {
            **told,
            "statements": statements,
            "facts": [f for f in told["facts"] if f[0] in self.facts and f[-1][0] in self.passages],
            "timeline": [d for d in told["timeline"] if d[-1][0] in self.passages],
            "documents": [d for d in told["documents"] if d[0] in self.documents],
            "entities": [e for e in told["entities"] if (e[0], e[1]) in self.names],
        }


class ReportWords:
    """The reports of communities, by what they rest on."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def intact(self, communities: Iterable[int]) -> set[int]:
        """Those of these whose report holds no word of what is gone: places, facts, documents and names are there.

        Raises WorkspaceError for a damaged report.
        """
        reports = self._read(communities)
        there = self._there(reports.values())
        return {key for key, one in reports.items() if there.cut(one) == one}

    def cut(self, communities: Iterable[int]) -> set[int]:
        """Take what is gone out of the reports of these, those of the finest level left out, and mark them stale.

        Those that were cut: where a statement is left, and the title is of names that are there. The others stay.
        Raises WorkspaceError for a damaged report.
        """
        reports = self._read(communities, above=1)
        there = self._there(reports.values())
        left = {key: {**there.cut(one), "stale": True} for key, one in reports.items()}
        remaining = {key: one for key, one in left.items() if one["statements"] and _named_by(one)}
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE community_reports SET report = ? WHERE community_key = ?",
                [(json.dumps(one, ensure_ascii=False), key) for key, one in remaining.items()],
            )
        return set(remaining)

    def _read(self, communities: Iterable[int], above: int = 0) -> dict[int, Any]:
        rows = self._database.connection().execute(
            "SELECT r.community_key, r.report FROM json_each(?) j"
            " CROSS JOIN community_reports r ON r.community_key = j.value"
            " JOIN communities c ON c.key = r.community_key WHERE c.level > ?",
            (json.dumps([int(key) for key in communities]), above),
        )
        try:
            return {int(key): content_of(report) for key, report in rows}
        except ValueError as error:
            raise damaged(self._database.path) from error

    def _there(self, told: Iterable[Any]) -> _There:
        every = list(told)
        return _There(
            ids_there(self._database, "passages", {place[0] for one in every for place in places_of(one)}),
            ids_there(self._database, "facts", {fact[0] for one in every for fact in one["facts"]}),
            ids_there(self._database, "documents", {row[0] for one in every for row in one["documents"]}),
            set(
                self._database.connection().execute(
                    "SELECT e.id, e.name FROM json_each(?) j CROSS JOIN entities e ON e.id = j.value",
                    (json.dumps(sorted({entity[0] for one in every for entity in one["entities"]})),),
                )
            ),
        )


def _named_by(told: Mapping[str, Any]) -> bool:
    """Whether the title is made of nothing but names of its entities."""
    rest = str(told["title"])
    for name in sorted(
        (" ".join(str(entity[1]).split()) for entity in told["entities"]), key=len, reverse=True
    ):
        rest = rest.replace(name, "\0") if name else rest
    return "\0" in rest and not rest.replace("\0", "").replace(" and ", "").replace(",", "").strip()
