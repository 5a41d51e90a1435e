"""The pack as JSON, form 1: what each field is, docs/evidence-pack.md tells."""

from __future__ import annotations

from collections.abc import Sequence

from core.text.jsonable import fields_of, to_jsonable
from core.types import Alternative, Answer, Citation, Complexity, Document, ReviewAct, Scope
from core.workspace.pack.contents import Contents, PackedFact, PackedPassage
from core.workspace.pack.page_images import PageImage
from core.workspace.pack.seal import FORM, UNSEALED, VERSION, as_json


def as_record(contents: Contents, images: Sequence[PageImage]) -> bytes:
    """The digest comes first, before anything that a document says."""
    answer = contents.answer
    trace = answer.trace
    return as_json(
        to_jsonable(
            {
                "digest": UNSEALED,
                "form": FORM,
                "version": VERSION,
                "made": contents.moment,
                "question": trace.question,
                "answer": _answer(answer),
                "citations": [_citation(contents, answer, at) for at in range(len(answer.citations))],
                "claims": answer.claims,
                "alternatives": [_alternative(each) for each in answer.alternatives],
                "communities": answer.communities,
                "route": {
                    "name": trace.route.name,
                    "forced": trace.route.forced,
                    **fields_of(trace.route.complexity, *Complexity.__slots__),
                },
                # What went in and came out of each tells of passages that the pack does not hold.
                "stages": [fields_of(stage, "name", "seconds", "detail") for stage in trace.stages],
                "seconds": trace.seconds,
                "scope": {
                    **fields_of(trace.scope, *Scope.__slots__),
                    "words": trace.coverage.words if trace.coverage else "",
                },
                "rounds": trace.rounds,
                "beam": trace.beam,
                "seeds": trace.seeds,
                "heat": _heat(contents),
                "usage": answer.usage,
                "passages": [_passage(each) for each in contents.passages],
                "pages": [_page(each) for each in images],
                "documents": [_document(each) for each in contents.documents],
                "policy": contents.policy,
                "facts": [_fact(each) for each in contents.facts],
                "names": [
                    {"words": each.words, "outcome": each.outcome, **_decision(each.act)}
                    for each in contents.on_names
                ],
                "made_by": contents.parts,
            }
        )
    )


def _answer(answer: Answer) -> dict[str, object]:
    names = ("text", "sentences", "abstained", "missing", "guess", "confidence", "left_out")
    return {**fields_of(answer, *names), "dropped_citations": answer.dropped, "instead_of": answer.instead_of,
            "is_silent": answer.is_silent, "is_declined": answer.is_declined,
            "is_confirmed": answer.is_confirmed}  # fmt: skip


def _citation(contents: Contents, answer: Answer, at: int) -> dict[str, object]:
    citation = answer.citations[at]
    return {
        "number": at + 1,
        "rests_on": answer.rests_on[at] if at < len(answer.rests_on) else "",
        "passage_file": contents.passages[contents.number_of(citation.passage_id) - 1].file,
        **_place(citation),
        "passage_id": citation.passage_id,
        "community": citation.community,
        "marked": citation.marked,
    }


def _place(citation: Citation) -> dict[str, object]:
    return fields_of(citation, "document_id", "document", "page", "place", "start", "end", "quote")


def _alternative(other: Alternative) -> dict[str, object]:
    return {"text": other.text, "probability": other.probability, **_place(other.citation)}


def _heat(contents: Contents) -> list[dict[str, object]]:
    """Of entities that are named anywhere in the pack, the hottest first."""
    heat = sorted(contents.answer.trace.heat.items(), key=lambda item: (-item[1], item[0]))
    return [
        {"entity_id": id, "name": contents.names[id], "mass": mass}
        for id, mass in heat
        if id in contents.names
    ]


def _passage(packed: PackedPassage) -> dict[str, object]:
    passage = packed.passage
    names = ("id", "document_id", "title", "headings", "page", "start", "end", "language", "text")
    return {
        "file": packed.file,
        "document": packed.path,
        **fields_of(passage, *names),
        "rank": packed.hit.rank if packed.hit else None,
        "score": packed.hit.score if packed.hit else None,
        "marks": packed.marks,
        "why": packed.why,
    }


def _page(image: PageImage) -> dict[str, object]:
    boxes = [{"box": [round(side, 2) for side in each.box], "cited": each.cited} for each in image.boxes]
    return {**fields_of(image, "file", "document_id", "passage_id", "page"), "boxes": boxes}


def _document(document: Document) -> dict[str, object]:
    names = (
        "id",
        "path",
        "file",
        "sha256",
        "size",
        "title",
        "media_type",
        "date",
        "author",
        "language",
        "pages",
    )
    return fields_of(document, *names)


def _fact(packed: PackedFact) -> dict[str, object]:
    candidate = packed.candidate
    fact = candidate.fact
    names = ("id", "subject_id", "subject", "predicate", "object_id", "object", "strength")
    return {
        **fields_of(fact, *names),
        "state": candidate.state,
        "probability": candidate.probability,
        "proposers": candidate.proposers,
        "on_chain": packed.on_chain,
        "cited": packed.cited,
        "evidence": [
            {"passage_id": t.passage_id, "start": t.start, "end": t.end, "confidence": t.confidence}
            for t in fact.triples
        ],
        "decisions": [_decision(act) for act in packed.decisions],
    }


def _decision(act: ReviewAct) -> dict[str, object]:
    return {"id": act.id, "made": act.created, **fields_of(act, "person", "verb", "why")}
