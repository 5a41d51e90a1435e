"""Facts that people stated: what the log says of them, and the triples that stand for them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from core.store.database import Tables
from core.store.faults import stored_json
from core.text.search_words import words_of
from core.types import StatedFact
from core.types.kinds import NOUN, with_sense
from core.types.review import ANSWER

_QUOTED = 12  # words of a quote that are looked for; a longer phrase is found no better
_MOST = 20  # documents with the same words that are looked at
_FARTHEST = 2**31  # characters; no text is as long
# The name of an entity `e` alone, and the sense in which it is meant.
_BARE = "substr({0}.normal, 1, instr({0}.normal || char(31), char(31)) - 1)"
_SENSE = "substr({0}.normal, instr({0}.normal || char(31), char(31)) + 1)"
_MEANT_OTHERWISE = (
    "EXISTS (SELECT 1 FROM entities {0} LEFT JOIN signs x ON x.document_key = p.document_key"
    f" AND x.normal = {_BARE} WHERE {{0}}.key = f.{{1}} AND {_SENSE} <> coalesce(x.sense, ''))"
)


def statement_of(detail: Mapping[str, object]) -> StatedFact | None:
    """What an item of the log states; None where it states nothing. Raises ValueError for what is no statement."""
    if "quote" not in detail:
        return None
    values = {}
    for each in fields(StatedFact):
        value = detail.get(each.name, "")
        if not isinstance(value, int if each.type == "int" else str):
            raise ValueError(f"{each.name} of a statement is {value!r}")
        values[each.name] = value
    found = StatedFact(**values)  # type: ignore[arg-type]
    if not (0 <= found.start <= found.end < _FARTHEST and found.quote.strip()):
        raise ValueError("the quote of a statement is nowhere")
    return found


def detail_of(statement: StatedFact) -> dict[str, str | int]:
    """The statement as an item of the log holds it."""
    return asdict(statement)


@dataclass(frozen=True, slots=True)
class StatedTriple:
    """`triple_key` is None where the quote of the statement is not to be found."""

    fact_id: str
    act_key: int
    triple_key: int | None

    @property
    def pair(self) -> tuple[str, int]:
        return self.fact_id, self.act_key


@dataclass(frozen=True, slots=True)
class Source:
    """A document that a statement may rest on."""

    key: int
    path: str
    sha256: str
    text: str


class Statements(Tables):
    # ------------------------------------------------------------ what the log says

    def wanted(self, fact_ids: Iterable[str]) -> dict[tuple[str, int], StatedFact]:
        """Statements of these facts that hold, by fact id and act, in the order of the acts."""
        rows = self._select(
            "SELECT j.value, i.act_key, i.detail FROM json_each(?) j CROSS JOIN review_items i"
            " ON i.subject = 'fact ' || j.value WHERE NOT EXISTS"
            " (SELECT 1 FROM undone_acts u WHERE u.act_key = i.act_key) ORDER BY i.act_key",
            (json.dumps(list(fact_ids)),),
        )
        found = {(str(id), int(act)): statement_of(stored_json(detail)) for id, act, detail in rows}
        return {pair: statement for pair, statement in found.items() if statement is not None}

    # ------------------------------------------------------------ their triples

    def triples_of(self, fact_ids: Iterable[str]) -> list[StatedTriple]:
        """What stands for statements of these facts now."""
        return self._read(" WHERE s.fact_id IN (SELECT value FROM json_each(?))", json.dumps(list(fact_ids)))

    def unplaced(self) -> list[StatedTriple]:
        """Statements without a triple."""
        return self._read(" WHERE s.triple_key IS NULL")

    def misplaced(self) -> list[StatedTriple]:
        """Those whose triple says another fact now, or means other bearers of the names than its document does."""
        return self._read(
            " JOIN triples t ON t.key = s.triple_key JOIN passages p ON p.key = t.passage_key"
            " JOIN candidate_facts f ON f.key = t.fact_key WHERE f.id <> s.fact_id"
            f" OR {_MEANT_OTHERWISE.format('a', 'subject_key')} OR {_MEANT_OTHERWISE.format('b', 'object_key')}"
        )

    def _read(self, where: str, *parameters: object) -> list[StatedTriple]:
        rows = self._select(
            f"SELECT s.fact_id, s.act_key, s.triple_key FROM stated_triples s{where} ORDER BY s.act_key, s.fact_id",
            parameters,
        )
        return [StatedTriple(*row) for row in rows]

    def put(self, pair: tuple[str, int], triple_key: int | None) -> None:
        self._write("INSERT OR REPLACE INTO stated_triples VALUES (?, ?, ?)", (*pair, triple_key))

    def drop(self, pair: tuple[str, int]) -> None:
        self._write("DELETE FROM stated_triples WHERE fact_id = ? AND act_key = ?", pair)

    def same(self, passage_key: int, fact_id: str, start: int, end: int) -> int | None:
        """The triple that somebody's statement has at this very place."""
        row = self._select_one(
            "SELECT t.key FROM triples t JOIN candidate_facts f ON f.key = t.fact_key"
            ' WHERE t.passage_key = ? AND f.id = ? AND t.start = ? AND t."end" = ?'
            " AND EXISTS (SELECT 1 FROM stated_triples s WHERE s.triple_key = t.key)",
            (passage_key, fact_id, start, end),
        )
        return int(row[0]) if row else None

    def extracted_triples(self, passage_id: str) -> set[tuple[str, str, str]]:
        """Return (subject, predicate, object) as read from a passage, without what people stated of it."""
        return set(
            self._select(
                "SELECT t.subject, t.predicate, t.object FROM triples t JOIN passages p ON p.key = t.passage_key"
                " WHERE p.id = ? AND NOT EXISTS (SELECT 1 FROM stated_triples s WHERE s.triple_key = t.key)",
                (passage_id,),
            )
        )

    def clear(self, triple_key: int) -> None:
        """Take a triple away that stands for no statement any more, with the mentions that were there for it."""
        with self._database.transaction() as connection:
            if connection.execute(
                "SELECT 1 FROM stated_triples WHERE triple_key = ?", (triple_key,)
            ).fetchone():
                return
            gone = connection.execute(
                "DELETE FROM triples WHERE key = ? RETURNING passage_key, fact_key", (triple_key,)
            ).fetchall()
            for passage, fact in gone:
                connection.execute(
                    "DELETE FROM mentions WHERE passage_key = ?1 AND stated AND NOT EXISTS (SELECT 1 FROM triples t"
                    " JOIN stated_triples s ON s.triple_key = t.key JOIN candidate_facts f ON f.key = t.fact_key"
                    " WHERE t.passage_key = ?1 AND mentions.entity_key IN (f.subject_key, f.object_key))",
                    (passage,),
                )
                connection.execute(
                    "DELETE FROM candidate_facts WHERE key = ?1"
                    " AND NOT EXISTS (SELECT 1 FROM triples WHERE fact_key = ?1)",
                    (fact,),
                )

    def be_sure(self, fact_id: str) -> None:
        """Take a fact that is new for right, until it is weighed with all others."""
        self._write("UPDATE candidate_facts SET probability = 1 WHERE id = ? AND priority = 0", (fact_id,))

    # ------------------------------------------------------------ what is known already

    def is_known(self, fact_id: str) -> bool:
        """Whether the fact is there, or was proposed or decided on before."""
        return self._any(
            "SELECT 1 FROM candidate_facts WHERE id = ?1"
            " UNION ALL SELECT 1 FROM review_items WHERE subject = 'fact ' || ?1",
            fact_id,
        )

    def is_read(self, fact_id: str) -> bool:
        """Whether anything but an answer led to the fact."""
        return self._any(
            "SELECT 1 FROM candidate_facts f JOIN triples t ON t.fact_key = f.key WHERE f.id = ? AND t.proposer <> ?",
            fact_id, ANSWER,
        )  # fmt: skip

    def _any(self, sql: str, *values: str) -> bool:
        return self._select_one(f"{sql} LIMIT 1", values) is not None

    def named_in(self, passage_key: int) -> dict[str, int]:
        """Whom each name in the passage means, by its normal form: the key of the entity. Without mere words."""
        rows = self._select(
            "SELECT e.normal, coalesce(h.key, e.key) FROM mentions m JOIN entities e ON e.key = m.entity_key"
            f" LEFT JOIN entities h ON h.key = e.head_key WHERE m.passage_key = ? AND e.label <> '{NOUN}'",
            (passage_key,),
        )
        return {str(normal): int(key) for normal, key in rows}

    def joined(self, passage_key: int, start: int, end: int) -> set[frozenset[int]]:
        """Pairs of entities that a fact from this place of the passage joins, whatever was decided on it."""
        rows = self._select(
            "SELECT coalesce(s.head_key, s.key), coalesce(o.head_key, o.key) FROM triples t"
            " JOIN candidate_facts f ON f.key = t.fact_key JOIN entities s ON s.key = f.subject_key"
            " JOIN entities o ON o.key = f.object_key"
            ' WHERE t.passage_key = ? AND t.start < ? AND t."end" > ?',
            (passage_key, end, start),
        )
        return {frozenset(map(int, row)) for row in rows}

    def mention(
        self, passage_key: int, entity_key: int, start: int, end: int, label: str, surface: str
    ) -> None:
        """Have an end of a statement mentioned in its passage, unless it is read there as a name already."""
        self._write(
            "INSERT OR IGNORE INTO mentions SELECT ?1, ?2, ?3, ?4, ?5, ?6, 1 WHERE NOT EXISTS"
            " (SELECT 1 FROM mentions WHERE passage_key = ?1 AND entity_key = ?2 AND label <> 'NOUN')",
            (passage_key, entity_key, start, end, label, surface),
        )

    # ------------------------------------------------------------ where they stand

    def sources(self, path: str, sha256: str, quote: str) -> Iterable[Source]:
        """Documents that may hold the quote: of that path, of that content, with those words; each once."""
        visited: set[int] = set()
        words = [word.replace('"', "") for word in words_of(quote)[:_QUOTED]]
        asked: list[tuple[str, str]] = [("d.path = ?", path), ("d.sha256 = ?", sha256)]
        if words:
            phrase = 'text : "{}"'.format(" ".join(words))
            clause = (
                "d.key IN (SELECT p.document_key FROM passages_text x JOIN passages p ON p.key = x.rowid"
                " WHERE passages_text MATCH ?)"
            )
            asked.append((clause, phrase))
        for where, value in asked:
            for row in self._select(
                "SELECT d.key, d.path, d.sha256, t.text FROM documents d JOIN document_texts t"
                f" ON t.document_key = d.key WHERE {where} ORDER BY d.path LIMIT {_MOST}",
                (value,),
            ):
                if row[0] not in visited:
                    visited.add(row[0])
                    yield Source(*row)

    def source_at(self, statement: StatedFact) -> Source | None:
        """The document that holds the quote at the very place; None where it does so no more."""
        for source in self.sources(statement.path, statement.sha256, ""):
            if source.text[statement.start : statement.end] == statement.quote:
                return source
        return None

    def source(self, document_id: str) -> Source | None:
        """A document with its text; None where it could not be read, or is gone."""
        row = self._select_one(
            "SELECT d.key, d.path, d.sha256, t.text FROM documents d JOIN document_texts t"
            " ON t.document_key = d.key WHERE d.id = ?",
            (document_id,),
        )
        return Source(*row) if row else None

    def passage_at(self, document_key: int, start: int, end: int) -> tuple[int, int, str] | None:
        """(key, where it begins in the document, text) of the passage with that place, best the whole of it."""
        row = self._select_one(
            'SELECT key, start, text FROM passages WHERE document_key = ?1 AND start <= ?2 AND "end" > ?2'
            ' ORDER BY "end" >= ?3 DESC, ordinal LIMIT 1',
            (document_key, start, end),
        )
        return (int(row[0]), int(row[1]), str(row[2])) if row else None

    def meant(self, document_key: int, normal: str) -> str:
        """The name, by its normal form, in the sense in which the document means it."""
        row = self._select_one(
            "SELECT sense FROM signs WHERE document_key = ? AND normal = ?", (document_key, normal)
        )
        return with_sense(normal, str(row[0])) if row else normal

    def label(self, normal: str) -> str:
        """Of the name with this normal form; "" where there is none."""
        row = self._select_one("SELECT label FROM entities WHERE normal = ?", (normal,))
        return str(row[0]) if row else ""
