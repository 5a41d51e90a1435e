"""The citations as W3C Web Annotations, and where everything came from in PROV-O, as JSON-LD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.types import Citation, ReviewAct
from core.workspace.pack.contents import Contents, Mark, PackedPassage
from core.workspace.pack.seal import as_json

_AROUND = 60  # characters before and after a quote, by which it is found again
_PROV = "http://www.w3.org/ns/prov#"
_LINKS = (
    "actedOnBehalfOf", "wasAssociatedWith", "wasAttributedTo", "wasDerivedFrom", "wasGeneratedBy", "wasInfluencedBy",
    "wasQuotedFrom", "used",
)  # fmt: skip
_ACTIVITY, _PROGRAM = "#asking", "#program"
_Node = dict[str, object]


def as_annotations(contents: Contents) -> bytes:
    """One graph: an annotation for each citation, then entities, activities and agents."""
    links = {name: {"@id": f"prov:{name}", "@type": "@id"} for name in _LINKS}
    at = {"@id": "prov:endedAtTime", "@type": "http://www.w3.org/2001/XMLSchema#dateTime"}
    words = {"prov": _PROV, "label": "http://www.w3.org/2000/01/rdf-schema#label"}
    terms: _Node = {**words, "endedAtTime": at, **links, "sha256": "http://spdx.org/rdf/terms#checksumValue"}
    graph = [*_annotations(contents), *_entities(contents), *_decided(contents), *_agents(contents)]
    return as_json({"@context": ["http://www.w3.org/ns/anno.jsonld", terms], "@graph": graph})


def _annotations(contents: Contents) -> Iterator[_Node]:
    """Each has two targets: the place in the document's text as Clew read it, and in the passage's file in the pack."""
    answer = contents.answer
    for number, citation in enumerate(answer.citations, 1):
        packed = contents.passages[contents.number_of(citation.passage_id) - 1]
        mark = next((mark for mark in packed.marks if mark.citation == number), None)
        if mark is None:
            continue
        sentence = answer.sentences[number - 1] if number <= len(answer.sentences) else answer.text
        doc_selectors = _selectors(packed, mark, citation.start, citation.end)
        yield {
            "id": f"#citation-{number}",
            "type": "Annotation",
            "motivation": "linking",
            "generator": _PROGRAM,
            "body": {
                "type": "TextualBody",
                "value": sentence,
                "format": "text/plain",
                "purpose": "describing",
            },
            "target": [
                {"source": _document_id(citation), "selector": doc_selectors},
                {"source": packed.file, "selector": _selectors(packed, mark, mark.start, mark.end)},
            ],
        }


def _selectors(packed: PackedPassage, mark: Mark, start: int, end: int) -> list[_Node]:
    text = packed.passage.text
    quote: _Node = {
        "type": "TextQuoteSelector",
        "exact": text[mark.start : mark.end],
        "prefix": text[max(0, mark.start - _AROUND) : mark.start],
        "suffix": text[mark.end : mark.end + _AROUND],
    }
    return [quote, {"type": "TextPositionSelector", "start": start, "end": end}]


def _document_id(citation: Citation) -> str:
    return f"#document-{citation.document_id}"


def _entities(contents: Contents) -> Iterator[_Node]:
    answer = contents.answer
    yield {"id": "#question", "type": "prov:Entity", "prov:value": answer.trace.question}
    yield {
        "id": "#answer",
        "type": "prov:Entity",
        "prov:value": answer.text or answer.missing,
        "wasGeneratedBy": _ACTIVITY,
        "wasAttributedTo": _PROGRAM,
        "wasDerivedFrom": sorted({_passage_id(contents, each.passage_id) for each in answer.citations}),
    }
    for number, packed in enumerate(contents.passages, 1):
        yield {
            "id": f"#passage-{number}",
            "type": "prov:Entity",
            "label": packed.file,
            "wasQuotedFrom": f"#document-{packed.passage.document_id}",
        }
    for document in contents.documents:
        yield {
            "id": f"#document-{document.id}",
            "type": "prov:Entity",
            "label": document.path,
            "sha256": document.sha256,
        }
    passage_refs = [f"#passage-{number}" for number in range(1, len(contents.passages) + 1)]
    activity: _Node = {
        "id": _ACTIVITY,
        "type": "prov:Activity",
        "label": f"Asked along the route {answer.trace.route.name}",
        "used": ["#question", *passage_refs],
        "wasAssociatedWith": _PROGRAM,
    }
    yield activity | ({"endedAtTime": contents.moment} if contents.moment else {})


def _passage_id(contents: Contents, passage_id: str) -> str:
    return f"#passage-{contents.number_of(passage_id)}"


def _decided(contents: Contents) -> Iterator[_Node]:
    """Facts and names that somebody decided on, with the acts and the persons."""
    acts: dict[str, ReviewAct] = {}
    for packed in contents.facts:
        if packed.decisions:
            fact = packed.candidate.fact
            words = f"{fact.subject} {fact.predicate} {fact.object}"
            yield _influenced(f"#fact-{fact.id}", words, packed.decisions)
            acts |= {act.id: act for act in packed.decisions}
    for number, each in enumerate(contents.on_names, 1):
        yield _influenced(f"#name-{number}", each.words, [each.act])
        acts[each.act.id] = each.act
    names = dict.fromkeys(act.person for act in acts.values())
    people = {name: f"#person-{number}" for number, name in enumerate(names, 1)}
    for act in acts.values():
        yield {
            "id": f"#decision-{act.id}",
            "type": "prov:Activity",
            "label": act.verb,
            "endedAtTime": act.created,
            "wasAssociatedWith": people[act.person],
        }
    for name, id in people.items():
        yield {"id": id, "type": ["prov:Agent", "prov:Person"], "label": name}


def _influenced(id: str, words: str, acts: Iterable[ReviewAct]) -> _Node:
    by = [f"#decision-{act.id}" for act in acts]
    return {"id": id, "type": "prov:Entity", "prov:value": words, "wasInfluencedBy": by}


def _agents(contents: Contents) -> Iterator[_Node]:
    program, *others = contents.parts
    label = f"{program.name} {program.version}"
    yield {"id": _PROGRAM, "type": ["prov:Agent", "prov:SoftwareAgent"], "label": label}
    for number, part in enumerate(others, 1):
        label = f"{part.role}: {part.name} {part.version}".strip()
        node = {"id": f"#part-{number}", "type": ["prov:Agent", "prov:SoftwareAgent"], "label": label}
        yield {**node, "actedOnBehalfOf": _PROGRAM}
