"""The sentences of a written answer, held against the passages by the reader's support head."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.answering.candidates import Candidate, cite
from core.answering.stance import stance
from core.extraction.rules import ENGLISH
from core.files.safe_files import parse_json
from core.models.reader import ReaderPassage
from core.text.sentences import sentences
from core.text.stems import carries, content_stems, holds, numbers, words
from core.text.translation import tr
from core.types import Citation, Claim, Sentence, Verdict

_MARK = re.compile(
    r"(?:\[\s*(?:passages?\s*|sentences?\s*|facts?\s*)?|\((?:passages?|sentences?|facts?)\s+)(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*[\])]",
    re.IGNORECASE,
)
_MARKS_BEHIND = re.compile(r"([.!?][\"”’)]?)((?:[ \t]*\[[^\]\n]*\])+)")
# What models put around an answer: emphasis, tags, a label, a word of readiness, where it is from.
_EMPHASIS = re.compile(r"\*\*|`+|</?(?:answer|b|i|em|strong|p)>", re.IGNORECASE)
_AROUND = re.compile(
    r"^\s*(?:(?:final |short )?answer\s*:\s*|(?:sure|certainly|of course|ok(?:ay)?)[,!.]\s*)*"
    r"(?:(?:based on|according to|from) the (?:\w+ )?(?:passage|sentence|context|text|document)s?(?: \w+)?,\s*)?",
    re.IGNORECASE | re.MULTILINE,
)
_QUESTION_WORDS = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|many|much|may|can|could|will|would|shall|should|must)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?:[-*•]|\(?\d{1,2}[.)])\s+")  # what stands before an item of a list
# Probabilities from which on: of right claims on texts not trained on a third gets less than a half.
_CARRIED, _DENIED = 0.35, 0.9
_WORDED = 0.3  # what a claim counts that the support head does not find, and a sentence holds word for word
BY = "reader"

Support = Callable[[str, Sequence[ReaderPassage]], list[dict[Verdict, float]]]


@dataclass(frozen=True, slots=True)
class Sentences:
    """A reply read: each sentence without its marks, the passages it cites (from 0), and how many marks
    pointed to no passage that was given."""

    texts: tuple[str, ...]
    cited: tuple[tuple[int, ...], ...]
    dropped: int


def sentences_of(reply: str, passage_count: int) -> Sentences:
    """Read a reply of a model that was given `passage_count` passages."""
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
        good = [number - 1 for number in dict.fromkeys(numbers) if 1 <= number <= passage_count]
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
    """The reply cut at the ends of lines and sentences; marks behind a full stop belong to the sentence before."""
    reply = _AROUND.sub("", _EMPHASIS.sub("", _unwrapped(reply)))
    lines = _MARKS_BEHIND.sub(r"\2\1", reply).splitlines()
    return [line[part.start : part.end] for line in lines for part in sentences(line)]


def _unwrapped(reply: str) -> str:
    """The only text of a JSON object, where a model that was asked for a sentence wrote one."""
    try:
        found = parse_json(reply.encode())
    except ValueError:
        return reply
    texts = [value for value in found.values() if isinstance(value, str)] if isinstance(found, dict) else []
    return texts[0] if len(texts) == 1 else reply


def judged(
    sentences: Sentences,
    candidates: Sequence[Candidate],
    question: str,
    support: Support,
    named: Sequence[Mapping[int, Sequence[Sentence]]] = (),
) -> tuple[tuple[Claim, ...], tuple[Citation, ...], float]:
    """Each sentence's verdict, the citations that they point to, one a supported sentence and passage, and the mean
    probability that a sentence is carried, 0 for one that is not.

    A passage supports a claim that `support` finds in it, alone or behind the question that it answers ("512"), and
    whose names, numbers and quotes stand there. `named`: for each sentence the ones that it cites, by candidate.
    """
    claims: list[Claim] = []
    citations: list[Citation] = []
    sure = 0.0
    passages = [ReaderPassage.of(candidate.passage) for candidate in candidates]
    for number, (text, cited) in enumerate(zip(sentences.texts, sentences.cited, strict=True)):
        says: dict[int, dict[Verdict, float]] = {}
        carrying: list[int] = []
        denying = [at for at in cited if _is_denied(text, candidates[at])]
        others = tuple(at for at in range(len(passages)) if at not in cited)
        for rows in (cited, others):
            if (
                carrying or denying
            ):  # others are read only where none that the model names says anything of it
                break
            says |= _supports(text, question, rows, passages, support)
            carrying = [
                at
                for at in rows
                if verdict_of(says[at]) is Verdict.SUPPORTED
                # What a question names may be left unsaid where the model read it, not in any other passage.
                and holds(f"{passages[at].title}\n{passages[at].text}", text, question if at in cited else "")
            ]
            denying += [at for at in carrying if _is_denied(text, candidates[at])]
            carrying = [at for at in carrying if at not in denying]
        worded = [
            at
            for at, shares in says.items()
            if not carrying and not denying and verdict_of(shares) is not Verdict.CONTRADICTED
            if _is_worded(text, question, candidates[at])
        ]
        own = [at for at in cited if at in (carrying or worded)] or sorted(
            carrying or worded, key=lambda at: -says[at][Verdict.SUPPORTED]
        )[:1]
        against = max(says, key=lambda at: says[at][Verdict.CONTRADICTED], default=None)
        if own:
            places = []
            for at in own:
                places.append(len(citations))
                own_words = named[number].get(at, ()) if named else ()
                citations.append(cite(candidates[at], best_sentence(text, candidates[at], own_words)))
            share = max(says[own[0]][Verdict.SUPPORTED], _WORDED)
            sure += share / len(sentences.texts)
            why = (
                tr("the passage has its words; whether it says so is not sure")
                if worded
                else tr("the passage says so ({share})", share=f"{share:.0%}")
                if own[0] in cited
                else tr("another passage than the one named says so ({share})", share=f"{share:.0%}")
            )
            claims.append(Claim(text, Verdict.SUPPORTED, tuple(places), why, BY))
        elif denying or against is not None and says[against][Verdict.CONTRADICTED] > _DENIED:
            against = denying[0] if denying else against
            assert against is not None
            citations.append(cite(candidates[against], best_sentence(text, candidates[against])))
            claims.append(
                Claim(text, Verdict.CONTRADICTED, (len(citations) - 1,), tr("the passage says otherwise"), BY)
            )
        else:
            claims.append(Claim(text, Verdict.ABSENT, (), tr("no passage says so"), BY))
    return tuple(claims), tuple(citations), sure


def _supports(
    claim: str, question: str, rows: Sequence[int], passages: Sequence[ReaderPassage], support: Support
) -> dict[int, dict[Verdict, float]]:
    """What each of these passages says to a claim, alone or behind its question, whichever is carried the more."""
    chosen = [passages[at] for at in rows]
    both = zip(
        rows, support(claim, chosen), support(question_and_answer(question, claim), chosen), strict=True
    )
    return {at: max(alone, behind, key=lambda each: each[Verdict.SUPPORTED]) for at, alone, behind in both}


def _is_denied(claim: str, candidate: Candidate) -> bool:
    """Whether the sentence that shares most with a claim denies or only supposes what it says."""
    if (candidate.passage.language or ENGLISH) != ENGLISH:
        return False
    sentence = best_sentence(claim, candidate)
    put = stance(claim, candidate.passage.text[sentence.start : sentence.end].strip())
    return put is not None and put.against


def _is_worded(claim: str, question: str, candidate: Candidate) -> bool:
    """Whether the sentence that shares most with a claim and its question, behind the one before it, holds what the
    claim names and most of its words, and denies nothing."""
    asked = f"{_QUESTION_WORDS.sub('', question)} {claim}"
    sentence = best_sentence(asked, candidate)
    start = max(
        (each.start for each in candidate.passage.sentences if each.end <= sentence.start),
        default=sentence.start,
    )
    text = f"{candidate.passage.title}\n{candidate.passage.text[start : sentence.end]}"
    return not _is_denied(claim, candidate) and (carries(text, claim) or carries(text, asked))


def question_and_answer(question: str, answer: str) -> str:
    """A claim of both, as the support head was trained on."""
    return f"{question.rstrip('?')}? {answer}"


def verdict_of(shares: dict[Verdict, float]) -> Verdict:
    """What a passage says to a claim, by what the support head gives each verdict."""
    if shares[Verdict.SUPPORTED] >= _CARRIED:
        return Verdict.SUPPORTED
    return Verdict.CONTRADICTED if shares[Verdict.CONTRADICTED] >= _DENIED else Verdict.ABSENT


def best_sentence(claim: str, candidate: Candidate, cited: Sequence[Sentence] = ()) -> Sentence:
    """The sentence of the passage that shares most with the claim; numbers count twice. One that is `cited` goes
    before, where it shares anything.

    Words of the title tell nothing between sentences: later ones say "she" for whom the passage is about.
    """
    titled = frozenset(word.stem for word in words(candidate.passage.title))
    wanted, counted = content_stems(claim) - titled or content_stems(claim), numbers(claim)
    text = candidate.passage.text

    def shared(sentence: Sentence) -> tuple[int, int]:
        inside = text[sentence.start : sentence.end]
        stems = frozenset(word.stem for word in words(inside))
        return len(wanted & stems) + 2 * len(counted & numbers(inside)), -sentence.start

    best = max(cited, key=shared, default=None)
    if best is not None and shared(best)[0]:
        return best
    return max(candidate.passage.sentences or (Sentence(0, len(text)),), key=shared)
