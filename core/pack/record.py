"""The pack as JSON, form 1: what each field is, docs/evidence-pack.md tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.pack.contents import Contents, PackedFact, PackedPassage
from core.pack.page_images import PageImage
from core.pack.seal import FORM, UNSEALED, VERSION, as_json
from core.types import Alternative, Answer, Citation, Document, ReviewAct


def as_record(contents: Contents, images: Sequence[PageImage]) -> bytes:
    """The digest comes first, before anything that a document says."""
    answer = contents.answer
    trace = answer.trace
    return as_json(
        _plain(
            {
                "digest": UNSEALED,
                "form": FORM,
                "version": VERSION,
                "made": contents.made,
                "question": trace.question,
                "answer": _answer(answer),
                "citations": [_citation(contents, answer, at) for at in range(len(answer.citations))],
                "claims": [asdict(claim) for claim in answer.claims],
                "alternatives": [_alternative(each) for each in answer.alternatives],
                "communities": [asdict(each) for each in answer.communities],
                "route": {
                    "name": trace.route.name,
                    "forced": trace.route.forced,
                    **asdict(trace.route.complexity),
                },
                "stages": [asdict(stage) for stage in trace.stages],
                "seconds": trace.seconds,
                "rounds": [asdict(each) for each in trace.rounds],
                "beam": [asdict(each) for each in trace.beam],
                "seeds": [asdict(seed) for seed in trace.seeds],
                "heat": _heat(contents),
                "usage": asdict(answer.usage),
                "passages": [_passage(each) for each in contents.passages],
                "pages": [_page(each) for each in images],
                "documents": [_document(each) for each in contents.documents],
                "policy": asdict(contents.policy),
                "facts": [_fact(each) for each in contents.facts],
                "names": [
                    {"words": each.words, "outcome": each.outcome, **_decision(each.act)}
                    for each in contents.on_names
                ],
                "made_by": [asdict(part) for part in contents.parts],
            }
        )
    )


def _answer(answer: Answer) -> dict[str, object]:
    return {
        "text": answer.text,
        "sentences": answer.sentences,
        "abstained": answer.abstained,
        "missing": answer.missing,
        "guess": answer.guess,
        "confidence": answer.confidence,
        "left_out": answer.left_out,
        "dropped_citations": answer.dropped,
        "instead_of": answer.instead_of,
    }


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
    names = ("document_id", "document", "page", "place", "start", "end", "quote")
    return {name: getattr(citation, name) for name in names}


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
        **{name: getattr(passage, name) for name in names},
        "rank": packed.hit.rank if packed.hit else None,
        "score": packed.hit.score if packed.hit else None,
        "marks": [asdict(mark) for mark in packed.marks],
        "why": asdict(packed.why) if packed.why else None,
    }


def _page(image: PageImage) -> dict[str, object]:
    boxes = [{"box": [round(side, 2) for side in each.box], "cited": each.cited} for each in image.boxes]
    return {
        "file": image.file,
        "document_id": image.document_id,
        "passage_id": image.passage_id,
        "page": image.page,
        "boxes": boxes,
    }


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
    return {name: getattr(document, name) for name in names}


def _fact(packed: PackedFact) -> dict[str, object]:
    candidate = packed.candidate
    fact = candidate.fact
    names = ("id", "subject_id", "subject", "predicate", "object_id", "object", "strength")
    return {
        **{name: getattr(fact, name) for name in names},
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


def _decision(act: ReviewAct) -> dict[str, str]:
    return {name: getattr(act, name) for name in ("id", "made", "person", "verb", "why")}


def _plain(value: object) -> object:
    """Numbers of numpy as those of JSON."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    item = getattr(value, "item", None)
    return item() if callable(item) else value
