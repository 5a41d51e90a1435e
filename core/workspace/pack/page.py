"""The pack as one page for people: no script, nothing fetched, every text of others escaped."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import pairwise

from core.text.escape_controls import escape_controls
from core.types import Answer, Citation, ReviewAct, model_words
from core.workspace.pack.contents import Contents, PackedPassage
from core.workspace.pack.page_images import PageImage
from core.workspace.pack.seal import FORM, UNSEALED, VERSION

_NOT_XML = re.compile("[\ufffe\uffff]")  # what `visible` leaves that no XML file may hold


def escape_markup(text: object) -> str:
    """As text or as an attribute's value; controls and marks of direction are seen, line ends and tabs are kept."""
    return escape(_NOT_XML.sub("\ufffd", escape_controls(str(text), keep="\n\t")))


# ------------------------------------------------------------ page


_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_STYLE = """
body{font:15px/1.5 Georgia,serif;color:#1c2430;background:#fff;max-width:62rem;margin:2rem auto;padding:0 1.5rem}
h1{font-size:1.5rem;line-height:1.3;margin:.4rem 0}
h2{font-size:1.1rem;margin:2.2rem 0 .5rem;border-bottom:1px solid #b4bcc8}
h3{font-size:1rem;margin:1.4rem 0 .3rem}
.small,table,figcaption{font:13px/1.45 sans-serif}.small{color:#4a5462}code{font-size:12px;word-break:break-all}
.answer{font-size:1.15rem}.text{white-space:pre-wrap;border-left:3px solid #d5dae2;padding-left:1rem;margin:.4rem 0}
mark{background:#ffe25a;color:inherit}mark.nearest{background:#cddefa}mark b{font:bold 11px sans-serif}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.2rem .6rem .2rem 0}
tr{border-bottom:1px solid #e3e7ed}td.n{text-align:right;white-space:nowrap}figure{margin:1rem 0}
figure img{max-width:100%;border:1px solid #b4bcc8}svg{max-width:100%;height:auto;border:1px solid #d5dae2}
@media print{body{margin:0;max-width:none;font-size:11pt}figure,tr,h2,h3{break-inside:avoid}h2,h3{break-after:avoid}}
"""
_RESTS = {
    "approved": "rests on facts that a person approved",
    "unreviewed": "rests on facts that nobody has reviewed",
}

_COUNTS = {
    "all": "all but those that a person rejected",
    "sure": "those that a person approved, and others from a probability of {bar:.0%} on",
    "approved": "those alone that a person approved",
}
_STATES = {"open": "nobody decided", "disputed": "decided in two ways"}
_OUTCOMES = {"same": "one entity", "different": "two entities"}


def as_page(contents: Contents, images: Sequence[PageImage], picture: str) -> bytes:
    """HTML in UTF-8. The digest comes first, before anything that a document says."""
    parts = [
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width'><meta name='color-scheme' content='light'>",
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>Clew evidence pack</title><style>{_STYLE}</style></head><body>",
        f"<p class='small'>{FORM.capitalize()}, form {VERSION}. Digest <code>{UNSEALED}</code></p>",
        *_answer(contents),
        *_citations(contents),
        *_graph(picture),
        *_passages(contents, images),
        *_facts(contents),
        *_names(contents),
        *_way(contents),
        *_documents(contents),
        *_render_parts(contents),
        "</body></html>\n",
    ]
    return "\n".join(parts).encode("utf-8")


def _answer(contents: Contents) -> Iterable[str]:
    answer = contents.answer
    yield f"<p class='small'>Question</p><h1 dir='auto'>{escape_markup(answer.trace.question)}</h1>"
    if answer.abstained:
        yield f"<p class='answer'>Not found in these documents. {escape_markup(answer.missing)}</p>"
    else:
        kind = "Possible answer" if answer.guess else "Answer"
        yield f"<p class='small'>{kind}, {answer.confidence * 100:.0f} % likely to be right</p>"
        yield f"<p class='answer text' dir='auto'>{escape_markup(answer.text)}</p>"
    if answer.put_as:
        yield f"<p>{escape_markup(answer.put_as)}.</p>"
    if scope := answer.trace.coverage:
        yield f"<p>It was looked for only in {escape_markup(scope.words)}.</p>"
    if words := model_words(answer):
        yield f"<p>{escape_markup(words)}</p>"
    if answer.left_out:
        count = "1 sentence that rests" if answer.left_out == 1 else f"{answer.left_out} sentences that rest"
        yield f"<p>Left out: {count} on nothing approved.</p>"
    for other in answer.alternatives:
        place = _place(other.citation)
        yield f"<p class='small'>Or ({other.probability * 100:.0f} %): {escape_markup(other.text)} <br>{place}</p>"
    if contents.moment:
        yield f"<p class='small'>Packed {escape_markup(_moment(contents.moment))}</p>"


def _citations(contents: Contents) -> Iterable[str]:
    answer = contents.answer
    if not answer.citations:
        return
    yield "<h2>What each sentence rests on</h2><table><tr><th><th>Sentence<th>Place<th>Rests on</tr>"
    for number, citation in enumerate(answer.citations, 1):
        rests = answer.rests_on[number - 1] if number <= len(answer.rests_on) else ""
        yield (
            f"<tr><td>[{number}]<td dir='auto'>{escape_markup(_sentence(answer, number))}"
            f"<td><a href='#passage-{contents.number_of(citation.passage_id)}'>{_place(citation)}</a>"
            f"<td>{_RESTS.get(rests, 'rests on the words of the passage; no fact was read from them')}</tr>"
        )
    yield "</table>"
    if answer.claims:
        yield "<h3>How each sentence was checked</h3><table><tr><th>Sentence<th>The passages say<th>By</tr>"
        for claim in answer.claims:
            cells = (
                claim.text,
                f"{claim.verdict}. {claim.words}" if claim.words else claim.verdict,
                claim.by,
            )
            yield _row(cells)
        yield "</table>"


def _sentence(answer: Answer, number: int) -> str:
    return (
        answer.sentences[number - 1]
        if number <= len(answer.sentences)
        else answer.citations[number - 1].quote
    )


def _place(citation: Citation) -> str:
    where = citation.place or (f"page {citation.page}" if citation.page else "")
    return escape_markup(f"{citation.document}, {where}" if where else citation.document)


def _graph(picture: str) -> Iterable[str]:
    if picture:
        yield (
            f"<h2>The graph that it came from</h2><figure>{picture}<figcaption>Thick lines: the chains of facts that"
            " led to a passage. The more orange an entity, the more of the search passed through it; a thick rim: where"
            " the search began.</figcaption></figure>"
        )


def _passages(contents: Contents, images: Sequence[PageImage]) -> Iterable[str]:
    yield "<h2>Passages</h2>" if contents.passages else ""
    for number, packed in enumerate(contents.passages, 1):
        passage = packed.passage
        where = f", page {passage.page}" if passage.page else ""
        headings = " › ".join((passage.title, *passage.headings))
        yield (
            f"<h3 id='passage-{number}'>{number}. {escape_markup(packed.path)}{where}</h3>"
            f"<p class='small'>{escape_markup(headings)}"
        )
        if packed.hit:
            yield f"<br>Rank {packed.hit.rank}, score {packed.hit.score:.4f}"
        if packed.why:
            yield f"<br>{escape_markup(packed.why.words)}"
        yield f"</p><p class='text' dir='auto'>{_marked(packed)}</p>"
        for step in packed.why.path if packed.why else ():
            parts = (step.subject, step.predicate, step.object)
            yield f"<p class='small'>{' → '.join(map(escape_markup, parts))}</p>"
        for image in images:
            if image.passage_id == passage.id:
                source = b64encode(image.png).decode()
                label = f"{escape_markup(packed.path)}, page {image.page}"
                yield (
                    f"<figure><img alt='{label}' src='data:image/png;base64,{source}'><figcaption>{label}; marked: what"
                    " is cited (yellow) and what came nearest (blue)</figcaption></figure>"
                )


def _marked(packed: PackedPassage) -> str:
    """The text with its marks, which may overlap, and the numbers of the citations behind each."""
    text = packed.passage.text
    ends = sorted({0, len(text), *(place for mark in packed.marks for place in (mark.start, mark.end))})
    found = []
    for start, end in pairwise(ends):
        over = [mark for mark in packed.marks if mark.start <= start and end <= mark.end]
        words = escape_markup(text[start:end])
        numbers = "".join(f"<b>[{mark.citation}]</b>" for mark in over if mark.citation and mark.end == end)
        kind = "" if any(mark.citation for mark in over) else " class='nearest'"
        found.append(f"<mark{kind}>{words}{numbers}</mark>" if over else words)
    return "".join(found)


def _facts(contents: Contents) -> Iterable[str]:
    """Those on chains, read from a cited place, or decided on; the others are in the JSON."""
    facts = [each for each in contents.facts if each.on_chain or each.cited or each.decisions]
    policy = contents.policy
    counts = _COUNTS[policy.counts].format(bar=policy.bar)
    yield f"<h2>Facts and decisions</h2><p class='small'>Which facts count here: {counts}.</p>"
    if not facts:
        yield "<p class='small'>No fact was read from the cited places.</p>"
        return
    yield "<table><tr><th>Fact<th>State<th>Probability<th>Proposed by<th>Decisions in force</tr>"
    for each in facts:
        fact, candidate = each.candidate.fact, each.candidate
        decisions = "; ".join(map(_decision, each.decisions))
        words = f"{fact.subject} → {fact.predicate} → {fact.object}"
        proposers = ", ".join(candidate.proposers)
        state = _STATES.get(candidate.state, candidate.state)
        yield _row((words, state, f"{candidate.probability:.2f}", proposers, decisions or "none"))
    yield "</table>"


def _names(contents: Contents) -> Iterable[str]:
    """Those in force on names of the entities that the pack names."""
    if contents.on_names:
        yield "<h3>Decisions on names</h3><table><tr><th>Name<th>What holds<th>Decided</tr>"
        for each in contents.on_names:
            yield _row((each.words, _OUTCOMES.get(each.outcome, each.outcome), _decision(each.act)))
        yield "</table>"


def _decision(act: ReviewAct) -> str:
    return f"{act.verb} by {act.person}, {_moment(act.created)}" + (f" ({act.why})" if act.why else "")


def _moment(timestamp: str) -> str:
    """To the minute; what is no moment as it is."""
    try:
        return f"{datetime.fromisoformat(timestamp).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return timestamp


def _way(contents: Contents) -> Iterable[str]:
    trace = contents.answer.trace
    route, complexity = trace.route, trace.route.complexity
    forced = " (chosen by the person)" if route.forced else ""
    yield (
        f"<h2>How it was found</h2><p>Route {escape_markup(route.name)}{forced};"
        f" share of the graph {complexity.score:.2f}, thresholds {complexity.low:.2f} and {complexity.high:.2f};"
        f" {trace.seconds * 1000:.0f} ms.</p>"
    )
    if complexity.features:
        yield "<table><tr><th>Of the question<th>Value<th>Push (logits)</tr>"
        for each in complexity.features:
            yield _row((each.words or each.name, f"{each.value:.3g}", f"{each.contribution:+.2f}"))
        yield "</table>"
    yield "<h3>Stages</h3><table><tr><th>Stage<th>Time<th>What it did</tr>"
    for stage in trace.stages:
        yield _row((stage.name, f"{stage.seconds * 1000:.1f} ms", stage.detail))
    yield "</table>"


def _documents(contents: Contents) -> Iterable[str]:
    yield "<h2>Documents</h2><table><tr><th>Path<th>Title<th>Date<th>Bytes<th>SHA-256 of the file</tr>"
    for each in contents.documents:
        cells = (each.path, each.title, (each.date or "")[:10], f"{each.size:,}")
        yield _row(cells, f"<td><code>{escape_markup(each.sha256)}</code>")
    yield "</table>"


def _render_parts(contents: Contents) -> Iterable[str]:
    yield "<h2>Made by</h2><table><tr><th>Part<th>Name<th>Version</tr>"
    for part in contents.parts:
        yield _row((part.role, part.name, part.version))
    yield (
        "</table><h2>Is this as it was packed?</h2><p class='small'>This page lies in a ZIP with answer.json,"
        " annotations.jsonld, the passages and pages, manifest.json (a SHA-256 of each) and signature.json."
        " <code>clew pack verify FILE.zip</code> finds any change; <code>--workspace</code> also tells whether the"
        " documents are still the same. The digest above is the SHA-256 of manifest.json, in which this page and"
        " answer.json are hashed with 64 zeros in the digest's place.</p>"
    )


def _row(cells: Iterable[str], last: str = "") -> str:
    return f"<tr>{''.join(f'<td>{escape_markup(cell)}' for cell in cells)}{last}</tr>"
