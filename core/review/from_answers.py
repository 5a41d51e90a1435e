"""Facts that the sentences behind a verified answer tell, for a person to approve. A2RAG III-B-4.

They are read from the cited sentences alone, more freely than indexing reads, so they count under no policy before
somebody approves them. The log keeps them with the question (`PROPOSED`), which has them outlive indexing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from operator import itemgetter

from core.errors import BadInput
from core.extraction.names import normalise
from core.extraction.question import ParsedQuestion
from core.extraction.rules import ENGLISH
from core.progress import TaskContext
from core.protocols import Extractor
from core.review.deciding import reviewer
from core.review.reanchor_decisions import ends_in, restate
from core.review.weighing import weigh
from core.store.review_log import PROPOSE, PROPOSED, ReviewItem, fact_subject
from core.store.statements import Source, detail_of
from core.store.store import Store
from core.text.stems import content_stems
from core.types import Answer, Citation, Passage, StatedFact, Triple, Verdict
from core.types.review import ANSWER

_MOST = 8  # facts of one answer


def read_from(
    store: Store, answer: Answer, question: ParsedQuestion, reader: Extractor, context: TaskContext
) -> list[StatedFact]:
    """Facts about a name of the question or the answer that nobody proposed yet; the surest first.

    None where the answer is not verified. Raises Cancelled and what `reader` raises.
    """
    cited = list(_cited(store, answer)) if _verified(store, answer) else []
    passages = list({passage.id: passage for _, passage in cited}.values())
    asked = [name.key for name in question.names]
    found: list[tuple[float, StatedFact]] = []
    for passage, extraction in zip(passages, reader.extract(passages, context), strict=True):
        places = [c for c, one in cited if one.id == passage.id]
        source = store.statements.source(passage.document_id)
        if source is not None:
            found += [
                (triple.confidence, _stated(triple, passage, source))
                for triple in extraction.triples
                if not triple.assertion
                and _within(triple, passage, places)
                and _is_about(triple, asked, answer.text)
            ]
    found.sort(key=itemgetter(0), reverse=True)
    return [fact for _, fact in _new(store, [fact for _, fact in found])][:_MOST]


def propose(store: Store, question: str, facts: Sequence[StatedFact]) -> list[str]:
    """Put facts that nobody proposed yet before the person; their ids. Nothing that rests on facts changes by it."""
    new = _new(store, facts)
    ids = [id for id, _ in new]
    if not new:
        return ids
    items = [
        ReviewItem(fact_subject(id), PROPOSED, {"words": fact.words, **detail_of(fact)}) for id, fact in new
    ]
    with store.database.transaction(), store.marks.unchanged():
        store.review_log.add(PROPOSE, items, reviewer(), question)
        restate(store, ids)
        weigh(store, store.candidates.keys_of(ids))
    return ids


def _verified(store: Store, answer: Answer) -> bool:
    """Whether a person found it right; where nobody said so, whether it is no guess and passed its checks."""
    if answer.abstained or answer.communities:
        return False
    judged = store.judged_answers.of(answer.trace.question)
    if verdicts := [one.right for one in judged if one.answer == answer.text]:
        return verdicts[-1]
    passed = [one.answer for one in answer.trace.rounds if not one.failure]
    return not answer.guess and (answer.text in passed or not answer.trace.rounds)


def _cited(store: Store, answer: Answer) -> Iterator[tuple[Citation, Passage]]:
    """Places that carry a sentence of the answer and are still there, with their passages."""
    carrying = {at for one in answer.claims if one.verdict is Verdict.SUPPORTED for at in one.citations}
    for at, citation in enumerate(answer.citations):
        if answer.claims and at not in carrying:
            continue
        try:
            passage = store.passages.get(citation.passage_id).passage
        except BadInput:
            continue
        quoted = passage.text[citation.start - passage.start : citation.end - passage.start]
        if (passage.language or ENGLISH) == ENGLISH and quoted == citation.quote:
            yield citation, passage


def _within(triple: Triple, passage: Passage, places: Sequence[Citation]) -> bool:
    start, end = passage.start + triple.start, passage.start + triple.end
    return any(place.start < end and start < place.end for place in places)


def _is_about(triple: Triple, asked: Sequence[str], answer: str) -> bool:
    """Whether an end is a name of the question, however much of it is written, or stands in the answer."""
    for end in (normalise(triple.subject), normalise(triple.object)):
        if f" {end} " in f" {normalise(answer)} " or any(_is_part(end, name) for name in asked):
            return True
    return False


def _is_part(one: str, other: str) -> bool:
    """Whether one name has all words of the other."""
    words, others = set(one.split()), set(other.split())
    return words <= others or others <= words


def _stated(triple: Triple, passage: Passage, source: Source) -> StatedFact:
    start, end = passage.start + triple.start, passage.start + triple.end
    return StatedFact(
        triple.subject, triple.predicate, triple.object, "", "",
        source.text[start:end], source.path, source.sha256, start, end, "", ANSWER,
    )  # fmt: skip


def _new(store: Store, facts: Sequence[StatedFact]) -> list[tuple[str, StatedFact]]:
    """With their ids, those between two names of which no fact from that place tells, and that nobody decided on."""
    found: dict[str, StatedFact] = {}
    joined: set[tuple[int, Set[int]]] = set()  # by the passage
    for fact in facts:
        source = store.statements.source_at(fact)
        if (
            source is None
            or not content_stems(fact.predicate)
            or _is_part(normalise(fact.subject), normalise(fact.object))
        ):
            continue
        try:
            ends = ends_in(store, source.key, fact)
        except BadInput:  # a name as long as a sentence
            continue
        place = store.statements.passage_at(source.key, fact.start, fact.end)
        if place is None or ends.fact_id in found or store.statements.is_known(ends.fact_id):
            continue
        passage, begin, _ = place
        names = store.statements.named_in(passage)
        if not {ends.subject, ends.object} <= names.keys():
            continue
        pair = frozenset((names[ends.subject], names[ends.object]))
        joined |= {
            (passage, one) for one in store.statements.joined(passage, fact.start - begin, fact.end - begin)
        }
        if len(pair) == 2 and (passage, pair) not in joined:
            joined.add((passage, pair))
            found[ends.fact_id] = fact
    return list(found.items())
