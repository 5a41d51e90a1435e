"""How questions went, what people said of links in the sample, and of which documents the graph was made."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from core.errors import BadInput
from core.store.database import Database
from core.text.translation import tr
from core.types import AskedQuestion, GraphUpdate

KEPT = 10_000  # questions
UPDATES = 100  # of the graph
KINDS = ("answer", "guess", "refusal")
VERDICTS = ("right", "wrong")
_PATIENCE = 0.2  # seconds that a row waits for another writer, and is given up then
_ROUTE = re.compile(r"[\w:. \-]{1,120}")
_MOST = 2**62
# Cubing permutes the numbers below this prime, since it leaves 2 when divided by 3; keys are added in between, as in
# MiMC (Albrecht et al. 2016). So mentions are put in an order that each seed draws anew and that others do not disturb.
_PRIME = 2_147_483_579
_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class DrawnMention:
    """A mention by its place in its passage, with the entity that it stands for."""

    passage_key: int
    start: int
    end: int
    entity_id: str
    entity: str
    label: str
    others: tuple[str, ...]
    verdict: str


class MonitoringRows:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ------------------------------------------------------------ questions

    def add(self, asked: AskedQuestion) -> None:
        """Keep it and forget the oldest. Raises WorkspaceError where that is not possible at once."""
        with self._database.transaction(_PATIENCE) as connection:
            self._insert(connection, [asked])

    def put(self, questions: Iterable[AskedQuestion]) -> None:
        """Keep these, too, in this order."""
        with self._database.transaction() as connection:
            self._insert(connection, questions)

    def _insert(self, connection: Any, questions: Iterable[AskedQuestion]) -> None:
        connection.executemany(
            "INSERT INTO asked_questions (made, route, forced, own, kind, score, seconds, tokens, documents,"
            " communities) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (q.made, q.route, q.forced, q.own, q.kind, q.score, q.seconds, q.tokens, q.documents,
                 q.communities)
                for q in questions
            ],
        )  # fmt: skip
        connection.execute(
            "DELETE FROM asked_questions WHERE key <="
            " (SELECT key FROM asked_questions ORDER BY key DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )

    def forget(self) -> None:
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM asked_questions")

    def questions(self) -> list[AskedQuestion]:
        """The oldest first; rows that say what no answer can are left out: others may have written them."""
        rows = self._database.connection().execute(
            "SELECT made, route, forced, own, kind, score, seconds, tokens, documents, communities"
            " FROM asked_questions ORDER BY key DESC LIMIT ?",
            (KEPT,),
        )
        found = [AskedQuestion(row[0], row[1], bool(row[2]), bool(row[3]), *row[4:]) for row in rows]
        return sorted(filter(_sound, reversed(found)), key=lambda asked: asked.made)

    def origins(self, passage_ids: Iterable[str]) -> tuple[int, int]:
        """Of how many documents and communities passages are. A passage is of the one most of its names are in."""
        connection, listed = self._database.connection(), json.dumps(list(passage_ids))
        (documents,) = connection.execute(
            "SELECT count(DISTINCT p.document_key) FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value",
            (listed,),
        ).fetchone()
        rows = connection.execute(
            "SELECT p.key, c.community_key, count(*) FROM json_each(?) j CROSS JOIN passages p ON p.id = j.value"
            " CROSS JOIN mentions m ON m.passage_key = p.key CROSS JOIN entities e ON e.key = m.entity_key"
            " CROSS JOIN community_members c ON c.entity_key = coalesce(e.head_key, e.key) GROUP BY 1, 2",
            (listed,),
        )
        counts = defaultdict[int, Counter[int]](Counter)
        for passage, community, count in rows:
            counts[passage][community] = count
        homes = {min(found, key=lambda key: (-found[key], key)) for found in counts.values()}
        return int(documents), len(homes)

    # ------------------------------------------------------------ links

    def draw(self, count: int, seed: int, besides: Set[str]) -> list[DrawnMention]:
        """So many mentions, each as likely, in an order drawn by `seed`; none of entities with labels `besides`.

        Reads all mentions once; a mention that comes or goes leaves the order of the others as it was.
        """
        keys = random.Random(seed)
        inner = (
            'SELECT passage_key, entity_key, start, "end", (passage_key * 4099 + start * 31 + entity_key)'
            f' % {_PRIME} AS h FROM mentions WHERE stated = 0 AND "end" > start'
            " AND entity_key NOT IN (SELECT key FROM entities WHERE label IN (SELECT value FROM json_each(?)))"
        )
        for _ in range(_ROUNDS):
            keyed = f"(h + {keys.randrange(_PRIME):d}) % {_PRIME}"
            # LIMIT keeps SQLite from writing one expression into the other, which would compute it thrice each time.
            inner = f'SELECT passage_key, entity_key, start, "end", {keyed} AS h FROM ({inner}) LIMIT -1'
            cubed = f"(h * ((h * h) % {_PRIME})) % {_PRIME}"
            inner = f'SELECT passage_key, entity_key, start, "end", {cubed} AS h FROM ({inner}) LIMIT -1'
        rows = self._database.connection().execute(
            f'SELECT d.passage_key, d.start, d."end", coalesce(h.key, e.key), coalesce(h.id, e.id),'
            " coalesce(h.name, e.name), coalesce(h.label, e.label), coalesce((SELECT verdict FROM judged_links j"
            " JOIN passages p ON p.id = j.passage_id WHERE p.key = d.passage_key AND j.start = d.start"
            " AND j.entity_id = coalesce(h.id, e.id)), '')"
            f" FROM (SELECT * FROM ({inner}) ORDER BY h, passage_key, start, entity_key LIMIT ?) d"
            " JOIN entities e ON e.key = d.entity_key LEFT JOIN entities h ON h.key = e.head_key"
            " ORDER BY d.h, d.passage_key, d.start, d.entity_key",
            (json.dumps(sorted(besides)), count),
        )
        return [
            DrawnMention(
                passage,
                start,
                end,
                id,
                name,
                label,
                self._others(head, name),
                verdict if verdict in VERDICTS else "",
            )
            for passage, start, end, head, id, name, label, verdict in rows.fetchall()
        ]

    def _others(self, head: int, name: str, most: int = 4) -> tuple[str, ...]:
        rows = self._database.connection().execute(
            "SELECT DISTINCT name FROM entities WHERE head_key = ? AND name <> ? ORDER BY length(name), name LIMIT ?",
            (head, name, most),
        )
        return tuple(row[0] for row in rows)

    def judge(self, passage_id: str, start: int, entity_id: str, verdict: str) -> None:
        """Keep "right" or "wrong" in place of what was said before; "" takes it back. Raises BadInput for another."""
        if verdict and verdict not in VERDICTS:
            raise BadInput(
                tr("There is no verdict {verdict}.", verdict=repr(verdict)),
                tr("Choose one of: {verdicts}.", verdicts=", ".join(VERDICTS)),
            )
        with self._database.transaction() as connection:
            place = (passage_id, start, entity_id)
            connection.execute(
                "DELETE FROM judged_links WHERE (passage_id, start, entity_id) = (?, ?, ?)", place
            )
            if verdict:
                connection.execute(
                    "INSERT INTO judged_links VALUES (?, ?, ?, ?, ?)", (*place, verdict, _now())
                )

    def verdicts(self) -> tuple[int, int]:
        """How many links were found right and wrong, of those that are still made so."""
        rows = self._database.connection().execute(
            "SELECT j.verdict, count(*) FROM judged_links j JOIN passages p ON p.id = j.passage_id WHERE EXISTS"
            " (SELECT 1 FROM mentions m JOIN entities e ON e.key = m.entity_key LEFT JOIN entities h"
            " ON h.key = e.head_key WHERE m.passage_key = p.key AND m.start = j.start"
            " AND coalesce(h.id, e.id) = j.entity_id) GROUP BY 1"
        )
        found = dict(rows.fetchall())
        return found.get("right", 0), found.get("wrong", 0)

    # ------------------------------------------------------------ drift

    def note_update(self, changed: int, facts: int, anew: bool) -> None:
        """That the graph was brought in step; within the transaction that did."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO graph_updates (made, changed, facts, anew) VALUES (?, ?, ?, ?)",
                (_now(), changed, facts, anew),
            )
            connection.execute(
                "DELETE FROM graph_updates WHERE key <="
                " (SELECT key FROM graph_updates ORDER BY key DESC LIMIT 1 OFFSET ?)",
                (UPDATES,),
            )
            if anew:
                connection.execute("DELETE FROM grouped_documents")
                connection.execute(
                    "INSERT INTO grouped_documents SELECT id, sha256 FROM documents WHERE state <> 'failed'"
                )

    def updates(self) -> list[GraphUpdate]:
        """The newest first."""
        rows = self._database.connection().execute(
            "SELECT made, changed, facts, anew FROM graph_updates WHERE changed >= 0 AND facts >= 0"
            " ORDER BY key DESC LIMIT ?",
            (UPDATES,),
        )
        found = [
            GraphUpdate(moment, changed, facts, bool(rebuilt)) for moment, changed, facts, rebuilt in rows
        ]
        return [update for update in found if _moment(update.made) is not None]

    def moved(self) -> tuple[int, int, int]:
        """Documents that were added, changed and removed since the communities were last made anew."""
        rows = self._database.connection().execute(
            "SELECT (SELECT count(*) FROM documents d WHERE d.state <> 'failed'"
            " AND NOT EXISTS (SELECT 1 FROM grouped_documents g WHERE g.id = d.id)),"
            " (SELECT count(*) FROM documents d JOIN grouped_documents g ON g.id = d.id"
            " WHERE d.state <> 'failed' AND g.sha256 <> d.sha256),"
            " (SELECT count(*) FROM grouped_documents g WHERE NOT EXISTS"
            " (SELECT 1 FROM documents d WHERE d.id = g.id AND d.state <> 'failed'))"
        )
        added, changed, removed = rows.fetchone()
        return int(added), int(changed), int(removed)

    def known(self) -> bool:
        """Whether the making of the communities was noted."""
        sql = "SELECT EXISTS (SELECT 1 FROM grouped_documents)"
        return bool(self._database.connection().execute(sql).fetchone()[0])


def _sound(asked: AskedQuestion) -> bool:
    numbers: Sequence[int] = (asked.tokens, asked.documents, asked.communities)
    return (
        asked.kind in KINDS
        and _ROUTE.fullmatch(asked.route) is not None
        and math.isfinite(asked.score)
        and math.isfinite(asked.seconds)
        and 0 <= asked.seconds < _MOST
        and all(0 <= number < _MOST for number in numbers)
        and _moment(asked.made) is not None
    )


def _moment(made: str) -> datetime | None:
    """None for what is no moment that every clock can show."""
    try:
        found = datetime.fromisoformat(made)
    except ValueError:
        return None
    return found if found.tzinfo is not None and 1970 < found.year < 9999 else None


def _now() -> str:
    return datetime.now(UTC).isoformat("T", "seconds")
