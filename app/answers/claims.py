"""The sentences of an answer with what the passages say to each, and what a model's part in it came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.look.translation import tr, trn
from core.types import Answer, Citation, CitedCommunity, Claim, Usage, Verdict


@dataclass(frozen=True, slots=True)
class Look:
    """How a verdict is shown: a word, an icon, a colour's role. Never the colour alone."""

    word: str
    icon: str
    role: str
    words: str


LOOKS = {
    Verdict.SUPPORTED: Look(tr("Supported"), "check-circle", "ok", tr("a passage carries this")),
    Verdict.CONTRADICTED: Look(tr("Contradicted"), "x-circle", "error", tr("a passage says otherwise")),
    Verdict.ABSENT: Look(tr("Absent"), "question", "warn", tr("no passage says this")),
}


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence as it is shown: `numbers` of its citations from 1, the claim that it makes.

    `community`: whose report brought its first citation, in an answer about all documents. `marked`: the words of a
    quotation that answer, as (start, end) in `text`.
    """

    text: str
    numbers: tuple[int, ...]
    claim: Claim | None = None
    community: int | None = None
    marked: tuple[int, int] | None = None


# What heads a sentence without a citation among those that have one.
NO_COMMUNITY = tr("No report carries this")


def answer_sentences(answer: Answer) -> tuple[AnswerSentence, ...]:
    """Return the sentences in order: the claims where they were checked, else each with its own citation."""
    count = len(answer.citations)
    if answer.claims:
        rows = [
            AnswerSentence(
                " ".join(claim.text.split()), tuple(at + 1 for at in claim.citations if at < count), claim
            )
            for claim in answer.claims
        ]
    else:
        rows = [
            AnswerSentence(" ".join(sentence.split()), (at,) if at <= count else ())
            for at, sentence in enumerate(answer.sentences, start=1)
        ]
    return tuple(
        replace(row, community=_community(row.numbers, answer), marked=_marked(row, answer)) for row in rows
    )


def _community(numbers: tuple[int, ...], answer: Answer) -> int | None:
    known = {community.id for community in answer.communities}
    found = (answer.citations[number - 1].community for number in numbers)
    return next((community for community in found if community in known), None)


def _marked(sentence: AnswerSentence, answer: Answer) -> tuple[int, int] | None:
    """Of the first quotation that the sentence is, word for word."""
    for number in sentence.numbers:
        text, start, end = marked_quote(answer.citations[number - 1])
        if text == sentence.text and end > start:
            return start, end
    return None


def marked_quote(citation: Citation) -> tuple[str, int, int]:
    """Return a quote with its blanks made single, and where the words that answer lie in it; 0, 0 for none."""
    quote = citation.quote
    text = " ".join(quote.split())
    start, end = citation.marked or (0, 0)
    if not 0 <= start < end <= len(quote) or not quote[start:end].strip():
        return text, 0, 0
    # A letter put behind keeps the blank before the words, if there is one.
    before = len(" ".join(f"{quote[:start]}x".split())) - 1
    return text, before, len(" ".join(quote[:end].split()))


def headings(sentences: Sequence[AnswerSentence], communities: Sequence[CitedCommunity]) -> dict[int, str]:
    """What heads the sentences, by the place of the first of a run of one community; none where none is known."""
    titles: dict[int | None, str] = {each.id: " ".join(each.title.split()) for each in communities}
    if all(row.community is None for row in sentences):
        return {}
    before: object = ""
    found = {}
    for at, row in enumerate(sentences):
        if row.community != before:
            found[at] = titles.get(row.community, NO_COMMUNITY)
        before = row.community
    return found


def sentence_as_text(sentence: AnswerSentence) -> str:
    """Return a sentence with its marks for the clipboard; what is not supported says so."""
    marks = "".join(f"[{number}]" for number in sentence.numbers)
    doubt = (
        ""
        if sentence.claim is None or sentence.claim.verdict is Verdict.SUPPORTED
        else doubt_words(sentence.claim)
    )
    return " ".join(part for part in (sentence.text, marks, doubt) if part)


def doubt_words(claim: Claim) -> str:
    """Return what stands behind a sentence that is not supported, in plain text."""
    return tr("(contradicted)") if claim.verdict is Verdict.CONTRADICTED else tr("(absent)")


_JUDGES = {
    "heuristic": tr("by rules"),
    "vectors": tr("by nearness in meaning"),
    "words": tr("by the words"),
    "reader and kind": tr("by the reader and the kind of answer"),
}


def by_words(by: str) -> str:
    """Return who judged: the rules, a part of the check, or a model by its name."""
    return _JUDGES.get(by) or tr("by {model}", model=by.removeprefix("ollama:"))


def claim_tip(claim: Claim) -> str:
    """Return the verdict in words, why, and who says so; plain text."""
    look = LOOKS[claim.verdict]
    reason, by_whom = claim.words or look.words, by_words(claim.by)
    return tr("{verdict}: {reason}.\nChecked {by_whom}.", verdict=look.word, reason=reason, by_whom=by_whom)


def claims_words(claims: Sequence[Claim]) -> str:
    """Return how many sentences the passages carry: `2 of 3 sentences stand in the passages, 1 absent`."""
    counts = Counter(claim.verdict for claim in claims)
    words = trn(
        "{carried} of {count} sentence stands in the passages",
        "{carried} of {count} sentences stand in the passages",
        len(claims),
        carried=counts[Verdict.SUPPORTED],
    )
    if contradicted := counts[Verdict.CONTRADICTED]:
        words = trn(
            "{words}, {count} contradicted", "{words}, {count} contradicted", contradicted, words=words
        )
    if absent := counts[Verdict.ABSENT]:
        words = trn("{words}, {count} absent", "{words}, {count} absent", absent, words=words)
    return words


def all_supported(claims: Sequence[Claim]) -> bool:
    return all(claim.verdict is Verdict.SUPPORTED for claim in claims)


def claims_described(claims: Sequence[Claim]) -> str:
    """Every sentence's verdict for a screen reader."""
    return " ".join(
        tr("Sentence {number}: {verdict}.", number=at, verdict=LOOKS[claim.verdict].word)
        for at, claim in enumerate(claims, start=1)
    )


def usage_words(answer: Answer) -> str:
    """Return what a model took, and how many citations pointed to nothing; "" where no model took part."""
    usage = answer.usage
    if not usage.calls:
        return ""
    words = spent(usage)
    if usage.first_words:
        words = tr("{spent}; first words after {seconds} s", spent=words, seconds=f"{usage.first_words:,.1f}")
    if answer.dropped:
        words = trn(
            "{words}; {count} citation pointed to nothing and was taken out",
            "{words}; {count} citations pointed to nothing and were taken out",
            answer.dropped,
            words=words,
        )
    return words


def spent(usage: Usage) -> str:
    """Calls, tokens and time of a model."""
    return trn(
        "{count} call, {tokens_in} tokens in, {tokens_out} out, {seconds} s",
        "{count} calls, {tokens_in} tokens in, {tokens_out} out, {seconds} s",
        usage.calls,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        seconds=f"{usage.seconds:,.1f}",
    )
