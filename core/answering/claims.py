"""The sentences of a written answer, held against the passages: a transparent rule, no model.

A claim is supported by a passage that holds its names, its numbers and most of its other words; contradicted
where a passage tells the same with another number, or denies it; else absent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.answering.candidate import Candidate
from core.answering.citations import cite
from core.answering.words import fold, words
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
_NEGATIONS = frozenset("not no never none neither nor without n't".split())
_LITTLE = frozenset(
    "a an the of in on at to for from by with as and or but is are was were be been being it its he she they his her"
    " their this that these those which who whom whose has have had do does did there also into about".split()
)
_MOST = 0.6  # share of a claim's words that a passage must hold


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
    said: Sentences, candidates: Sequence[Candidate], question: str
) -> tuple[tuple[Claim, ...], tuple[Citation, ...]]:
    """Each sentence's verdict, and the citations that they point to, one a supported sentence and passage."""
    claims: list[Claim] = []
    citations: list[Citation] = []
    for text, cited in zip(said.texts, said.cited, strict=True):
        order = [*cited, *(at for at in range(len(candidates)) if at not in cited)]
        found = [(at, verdict(text, candidates[at], question)) for at in order]
        carrying = [at for at, (what, _) in found if what is Verdict.SUPPORTED]
        own = [at for at in carrying if at in cited] or carrying[:1]
        against = next(((at, why) for at, (what, why) in found if what is Verdict.CONTRADICTED), None)
        if own:
            why = "the passage says so" if own[0] in cited else "another passage than the one named says so"
            places = []
            for at in own:
                places.append(len(citations))
                citations.append(cite(candidates[at], best_sentence(text, candidates[at])))
            claims.append(Claim(text, Verdict.SUPPORTED, tuple(places), why))
        elif against is not None:
            citations.append(cite(candidates[against[0]], best_sentence(text, candidates[against[0]])))
            claims.append(Claim(text, Verdict.CONTRADICTED, (len(citations) - 1,), against[1]))
        else:
            claims.append(Claim(text, Verdict.ABSENT, (), "no passage says so"))
    return tuple(claims), tuple(citations)


def verdict(claim: str, candidate: Candidate, question: str = "") -> tuple[Verdict, str]:
    """What one passage says to a claim, and why. Names of the question need not stand in the passage again."""
    passage = f"{candidate.passage.title}\n{candidate.passage.text}"
    folded, asked = fold(passage), fold(question)
    for quote in _QUOTE.findall(claim):
        if len(quote.split()) > 2 and fold(quote) not in folded:
            return Verdict.ABSENT, "the quote does not stand in the passage"
    names = [
        fold(name.group()) for name in _NAME.finditer(claim) if name.start() > 0 or _inside(name.group())
    ]
    if any(name.strip() and name not in folded and name not in asked for name in names):
        return Verdict.ABSENT, "the passage does not hold every name"
    told = frozenset(word.stem for word in words(passage)) | frozenset(word.stem for word in words(question))
    wanted = _content(claim)
    share = len(wanted & told) / len(wanted) if wanted else 1.0
    if share < _MOST:
        return Verdict.ABSENT, "the passage does not hold its words"
    sentence = best_sentence(claim, candidate)
    near = candidate.passage.text[sentence.start : sentence.end]
    missing = [n for n in _numbers(claim) if n not in _numbers(passage) and n not in _numbers(question)]
    if missing:
        if _numbers(near):
            return (
                Verdict.CONTRADICTED,
                f"the passage says {', '.join(sorted(_numbers(near)))}, not {missing[0]}",
            )
        return Verdict.ABSENT, f"the passage does not hold {missing[0]}"
    if _denies(claim) != _denies(near) and len(
        wanted & frozenset(w.stem for w in words(near))
    ) >= _MOST * len(wanted):
        return Verdict.CONTRADICTED, "one of the two denies it"
    return Verdict.SUPPORTED, "the passage says so"


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


def _inside(word: str) -> bool:
    """Whether a capital at the head of a sentence is that of a name: more capitals follow."""
    return any(letter.isupper() for letter in word[1:])


def _denies(text: str) -> bool:
    return bool(_NEGATIONS & {word.casefold() for word in re.findall(r"[\w’']+|n't", text)})
