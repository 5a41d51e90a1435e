"""The sentences of a written answer, held against the passages by the reader's support head."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.answering.candidate import Candidate
from core.answering.citations import cite
from core.answering.words import fold, words
from core.comprehension.reader import Told
from core.types import Citation, Claim, Sentence, Verdict

_MARK = re.compile(r"\[\s*(?:passages?\s*)?(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*\]", re.IGNORECASE)
_END = re.compile(r"(?<=[.!?])[\"”’)]?((?:\s*\[[^\]]*\])*)\s+(?=[A-ZÀ-Þ0-9\"“(])|\n+")
_SHORTENED = re.compile(
    r"(?:\b[A-Z]|\b(?:Mr|Mrs|Ms|Dr|St|Prof|Capt|No|vs|etc|Inc|Ltd|Co|Jr|Sr|ca|approx))\.$"
)
_ITEM = re.compile(r"(?:[-*•]|\(?\d{1,2}[.)])\s+")  # what stands before an item of a list
_ONLY_ITEM = re.compile(r"\s*\(?\d{1,2}[.)]")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w’'-]*")
_QUOTE = re.compile(r"[\"“]([^\"”]{3,300})[\"”]")
_LITTLE = frozenset(
    "a an the of in on at to for from by with as and or but is are was were be been being it its he she they his her"
    " their this that these those which who whom whose has have had do does did there also into about".split()
)
# Probabilities from which on: of right claims on texts not trained on a third gets less than a half.
_CARRIED, _DENIED = 0.35, 0.9
BY = "reader"

Support = Callable[[str, Sequence[Told]], list[dict[Verdict, float]]]


@dataclass(frozen=True, slots=True)
class Sentences:
    """A reply read: each sentence without its marks, the passages it cites (from 0), and how many marks
    pointed to no passage that was given."""

    texts: tuple[str, ...]
    cited: tuple[tuple[int, ...], ...]
    dropped: int


def sentences_of(reply: str, given: int) -> Sentences:
    """Read a reply of a model that was given `given` passages."""
    texts: list[str] = []
    cited: list[tuple[int, ...]] = []
    dropped = 0
    parts = _parts(reply)
    for at, part in enumerate(parts):
        numbers = [
            int(number)
            for match in _MARK.finditer(part)
            for number in re.split(r"\s*[,;]\s*", match.group(1))
        ]
        text = " ".join(_MARK.sub("", part).split())
        text = (_ITEM.sub("", text, count=1) if _ITEM.match(text) else text).lstrip("-*• ")
        text = re.sub(r"\s+([.,;!?])", r"\1", text)
        good = [number - 1 for number in dict.fromkeys(numbers) if 1 <= number <= given]
        dropped += len(dict.fromkeys(numbers)) - len(good)
        if not re.search(r"\w", text):
            if texts and good:  # marks that stand behind the sentence's end
                cited[-1] = tuple(dict.fromkeys((*cited[-1], *good)))
            continue
        if text.endswith(":") and not good and at + 1 < len(parts):
            continue  # "The main themes are:" says nothing, what follows does
        texts.append(text)
        cited.append(tuple(good))
    return Sentences(tuple(texts), tuple(cited), dropped)


def _parts(reply: str) -> list[str]:
    """The reply cut at the ends of sentences; marks behind a full stop belong to the sentence before."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(reply):
        before = reply[start : match.start()]
        shortened = _SHORTENED.search(before) or _ONLY_ITEM.fullmatch(before)
        if shortened and not match.group().startswith("\n"):
            continue
        found.append(reply[start : match.end()])
        start = match.end()
    return [part for part in (*found, reply[start:]) if part.strip()]


def judged(
    said: Sentences, candidates: Sequence[Candidate], question: str, support: Support
) -> tuple[tuple[Claim, ...], tuple[Citation, ...], float]:
    """Each sentence's verdict, the citations that they point to, one a supported sentence and passage, and the mean
    probability that a sentence is carried, 0 for one that is not.

    A passage supports a claim that `support` finds in it, alone or behind the question that it answers ("512"), and
    whose names, numbers and quotes stand there.
    """
    claims: list[Claim] = []
    citations: list[Citation] = []
    sure = 0.0
    passages = [Told.of(candidate.passage) for candidate in candidates]
    for text, cited in zip(said.texts, said.cited, strict=True):
        both = zip(support(text, passages), support(asked_and_said(question, text), passages), strict=True)
        says = [max(alone, behind, key=lambda shares: shares[Verdict.SUPPORTED]) for alone, behind in both]
        carrying = [
            at
            for at, shares in enumerate(says)
            if verdict_of(shares) is Verdict.SUPPORTED and _holds(text, passages[at], question)
        ]
        own = [at for at in cited if at in carrying] or sorted(
            carrying, key=lambda at: -says[at][Verdict.SUPPORTED]
        )[:1]
        against = max(range(len(says)), key=lambda at: says[at][Verdict.CONTRADICTED], default=None)
        if own:
            why = "the passage says so" if own[0] in cited else "another passage than the one named says so"
            places = []
            for at in own:
                places.append(len(citations))
                citations.append(cite(candidates[at], best_sentence(text, candidates[at])))
            share = says[own[0]][Verdict.SUPPORTED]
            sure += share / len(said.texts)
            claims.append(Claim(text, Verdict.SUPPORTED, tuple(places), f"{why} ({share:.0%})", BY))
        elif against is not None and says[against][Verdict.CONTRADICTED] > _DENIED:
            citations.append(cite(candidates[against], best_sentence(text, candidates[against])))
            claims.append(
                Claim(text, Verdict.CONTRADICTED, (len(citations) - 1,), "the passage says otherwise", BY)
            )
        else:
            claims.append(Claim(text, Verdict.ABSENT, (), "no passage says so", BY))
    return tuple(claims), tuple(citations), sure


def asked_and_said(question: str, answer: str) -> str:
    """A claim of both, as the support head was trained on."""
    return f"{question.rstrip('?')}? {answer}"


def verdict_of(shares: dict[Verdict, float]) -> Verdict:
    """What a passage says to a claim, by what the support head gives each verdict."""
    if shares[Verdict.SUPPORTED] >= _CARRIED:
        return Verdict.SUPPORTED
    return Verdict.CONTRADICTED if shares[Verdict.CONTRADICTED] >= _DENIED else Verdict.ABSENT


def _holds(claim: str, passage: Told, question: str) -> bool:
    """Whether the claim's names, numbers and quotes stand in the passage; names and numbers may be the question's."""
    text = f"{passage.title}\n{passage.text}"
    folded = fold(text)
    if any(len(quote.split()) > 2 and fold(quote) not in folded for quote in _QUOTE.findall(claim)):
        return False
    asked = fold(question)
    names = (fold(name.group()) for name in _NAME.finditer(claim) if name.start() > 0)
    if any(name.strip() and name not in folded and name not in asked for name in names):
        return False
    return _numbers(claim) <= _numbers(text) | _numbers(question)


def best_sentence(claim: str, candidate: Candidate) -> Sentence:
    """The sentence of the passage that shares most with the claim; numbers count twice.

    Words of the title tell nothing between sentences: later ones say "she" for whom the passage is about.
    """
    titled = frozenset(word.stem for word in words(candidate.passage.title))
    wanted, numbers = _content(claim) - titled or _content(claim), _numbers(claim)
    text = candidate.passage.text

    def shared(sentence: Sentence) -> tuple[int, int]:
        inside = text[sentence.start : sentence.end]
        stems = frozenset(word.stem for word in words(inside))
        return len(wanted & stems) + 2 * len(numbers & _numbers(inside)), -sentence.start

    every = candidate.passage.sentences or (Sentence(0, len(text)),)
    return max(every, key=shared)


def _content(text: str) -> frozenset[str]:
    return frozenset(
        word.stem
        for word in words(text)
        if text[word.start : word.end].casefold() not in _LITTLE and not text[word.start].isdigit()
    )


def _numbers(text: str) -> frozenset[str]:
    """Numbers without the marks that group their digits."""
    return frozenset(re.sub(r"[.,](?=\d{3}\b)", "", number) for number in _NUMBER.findall(text))
