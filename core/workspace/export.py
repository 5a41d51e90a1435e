"""The graph and what it rests on, for other programs: for graph tools by networkx, as plain tables by sqlite-utils, and
the table of names for spreadsheets."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import BadInput
from core.files.safe_files import new_file
from core.progress import TaskContext
from core.retrieval.derived_edges import derived_edges, describe_edges
from core.store.store import Store
from core.text.escape_controls import spreadsheet_cell
from core.text.translation import tr
from core.types import DerivedEdge, Exported
from core.workspace.name_table import NAME_COLUMNS, read_name_table

if TYPE_CHECKING:
    from networkx import MultiDiGraph  # type: ignore[import-untyped]
    from sqlite_utils import Database

GRAPHS, TABLES = (".graphml", ".gexf", ".json"), (".db", ".sqlite")
NAMES = ".csv"
FORMATS = (*GRAPHS, *TABLES, NAMES)
FACT = "fact"  # kind of edges that documents state; those that follow from these have other kinds
_AT_ONCE = 500  # facts, of which each has its sentences
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, 2.2


def export(store: Store, target: Path, context: TaskContext, replace: bool = False) -> Exported:
    """Write to `target`, whose ending says how; what was there is kept until the new file is whole.

    Raises BadInput for another ending, or a file that is there and not to be replaced; WorkspaceError where it cannot
    be written; Cancelled.
    """
    ending = target.suffix.lower()
    if ending not in FORMATS:
        raise BadInput(
            tr("{name} does not say how.", name=target.name),
            tr("End it with one of {formats}.", formats=", ".join(FORMATS)),
        )
    with new_file(target, replace) as temp_path:
        write = _tables if ending in TABLES else _names if ending == NAMES else _graph
        counts = write(store, temp_path, context)
    return Exported(str(target), *counts)


def _facts(store: Store, context: TaskContext) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each fact with its evidence, the surest first."""
    keys = [int(key) for key in store.facts.columns().keys]
    for done in range(0, len(keys), _AT_ONCE):
        context.report("facts", done, len(keys))
        context.check()
        for fact in store.facts.with_triples(keys[done : done + _AT_ONCE]).values():
            evidence = []
            for triple in fact.triples:
                stored = store.passages.get(triple.passage_id)
                evidence.append(
                    {
                        "fact": fact.id,
                        "passage": triple.passage_id,
                        "document": stored.path,
                        "page": stored.passage.page or 0,
                        "words": stored.passage.text[triple.start : triple.end],
                        "confidence": triple.confidence,
                    }
                )
            row = {"id": fact.id, "subject": fact.subject_id, "predicate": fact.predicate}
            row |= {"object": fact.object_id, "description": fact.description}
            yield row | {"strength": fact.strength}, evidence


def _followed(store: Store, context: TaskContext) -> Iterator[DerivedEdge]:
    """Edges that follow from others, with what they follow from."""
    edges = derived_edges(store)
    for done in range(0, len(edges), _AT_ONCE):
        context.report("edges", done, len(edges))
        context.check()
        yield from describe_edges(store, edges, range(done, min(done + _AT_ONCE, len(edges))))


def _graph(store: Store, target: Path, context: TaskContext) -> tuple[int, int, int, int]:
    import networkx

    graph: MultiDiGraph[str] = networkx.MultiDiGraph()
    for entity in store.entities.all():
        named = {"label": _sound(entity.name), "kind": entity.label}
        graph.add_node(entity.id, **named, passages=entity.passages, community=entity.community)
    entities = graph.number_of_nodes()
    for fact, (best, *others) in _facts(store, context):
        attrs = {"predicate": _sound(fact["predicate"]), "strength": fact["strength"]}
        attrs |= {"description": _sound(fact["description"])}
        attrs |= {name: _sound(best[name]) for name in ("document", "words")} | {"page": best["page"]}
        attrs |= {"sources": 1 + len(others), "label": _sound(fact["predicate"]), "kind": FACT}
        graph.add_edge(fact["subject"], fact["object"], key=fact["id"], **attrs)
    facts = graph.number_of_edges()
    for number, edge in enumerate(_followed(store, context)):
        for id, name in ((edge.source_id, edge.source), (edge.target_id, edge.target)):
            if id not in graph:  # a document of which no entity has the title
                graph.add_node(id, label=_sound(name), kind="DOCUMENT", passages=0, community=-1)
        words = " | ".join(source.words for source in edge.sources)
        attrs = {
            "kind": edge.kind,
            "label": edge.relation,
            "predicate": edge.relation,
            "words": _sound(words),
        }
        attrs |= {
            "of": edge.subject_id,
            "since": edge.dates[0] if edge.dates else "",
            "sources": len(edge.sources),
        }
        attrs |= {"until": edge.dates[1] if edge.dates else ""}
        graph.add_edge(edge.source_id, edge.target_id, key=f"{edge.kind}-{number}", **attrs)
    documents = len(store.documents.all())
    if target.suffix == ".graphml":
        networkx.write_graphml(graph, target)
    elif target.suffix == ".gexf":
        networkx.write_gexf(graph, target)
    else:
        target.write_text(json.dumps(networkx.node_link_data(graph), ensure_ascii=False), "utf-8")
    return documents, entities, facts, graph.number_of_edges() - facts


def _tables(store: Store, target: Path, context: TaskContext) -> tuple[int, int, int, int]:
    from sqlite_utils import Database

    database = Database(target)
    try:
        documents = [
            {
                name: getattr(each, name)
                for name in ("id", "path", "title", "date", "author", "language", "pages")
            }
            for each in store.documents.all()
        ]
        database.table("documents").insert_all(documents, pk="id")
        passages = (
            {"id": p.id, "document": p.document_id, "page": p.page, "text": p.text}
            for document in documents
            for p in (stored.passage for stored in store.passages.of_document(document["id"]))
        )
        database.table("passages").insert_all(
            passages, pk="id", foreign_keys=[("document", "documents", "id")]
        )
        entities = (
            {"id": e.id, "name": e.name, "kind": e.label, "passages": e.passages}
            for e in store.entities.all()
        )
        database.table("entities").insert_all(entities, pk="id")
        ends = [("subject", "entities", "id"), ("object", "entities", "id")]
        for fact, evidence in _facts(store, context):
            database.table("facts").insert(fact, pk="id", foreign_keys=ends)
            database.table("evidence").insert_all(
                ({name: value for name, value in each.items() if name != "document"} for each in evidence),
                foreign_keys=[("fact", "facts", "id"), ("passage", "passages", "id")],
            )
        _edge_tables(store, database, context)
        for name, column in (("passages", "text"), ("entities", "name")):
            if database.table(name).exists():
                database.table(name).enable_fts([column])
        return tuple(
            database.table(n).count if database.table(n).exists() else 0
            for n in ("documents", "entities", "facts", "edges")
        )  # type: ignore[return-value]
    finally:
        database.close()


def _edge_tables(store: Store, target_database: Database, context: TaskContext) -> None:
    """Edges that follow from others, and where each follows from. Ends are entities, of citations also documents."""
    for number, edge in enumerate(_followed(store, context)):
        row = {"id": number, "kind": edge.kind, "relation": edge.relation, "source": edge.source_id}
        row |= {"target": edge.target_id, "of": edge.subject_id or None}
        row |= dict(zip(("since", "until"), edge.dates or (None, None), strict=True))
        target_database.table("edges").insert(row, pk="id")
        target_database.table("edge_evidence").insert_all(
            (
                {"edge": number, "passage": source.passage_id, "words": source.words}
                for source in edge.sources
            ),
            foreign_keys=[("edge", "edges", "id"), ("passage", "passages", "id")],
        )


def _names(store: Store, target: Path, context: TaskContext) -> tuple[int, int, int, int]:
    table = read_name_table(store, context)
    with target.open("w", encoding="utf-8-sig", newline="") as file:  # without its mark Excel reads no UTF-8
        out = csv.writer(file)
        out.writerow(NAME_COLUMNS)
        for row in table:
            out.writerow([spreadsheet_cell(str(getattr(row, column))) for column in NAME_COLUMNS])
    return 0, len(table), 0, 0


def _sound(text: str) -> str:
    """Without what no XML file may hold."""
    return _NOT_XML.sub("\ufffd", text)
