"""How literally a sentence states what is asked: the kind of its words, its names, its predicate, their roles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question import Token as QuestionToken
from core.text.dates import find_dates
from core.text.sentences import ROUGH_SENTENCE, without_form
from core.text.stems import fold, stem
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SIGNALS = ("of the kind", "names", "predicate", "linked", "role of the answer", "role of the name")
UNKNOWN = (0.0, 1.0, 0.5, 0.0, 0.0, 0.0)  # SIGNALS of what no sentence is looked at for
_TIMES = frozenset(("DATE", "TIME"))
_AMOUNTS = VALUES - _TIMES
_MONEY = frozenset(("MONEY",))
_CURRENCIES = frozenset(
    stem(word)
    for word in "euro dollar pound franc krone crown yen cent penny million billion thousand".split()
)
_EMPTY = frozenset(("be", "do", "have"))
_AGENTS = frozenset(("nsubj", "csubj"))
_PATIENTS = frozenset(("dobj", "obj", "nsubjpass", "attr", "oprd", "dative"))
_NAMED, _SHARED = 0.7, 0.5  # of the question's names and predicate, what a literal statement holds at least
_LONGEST = 600  # characters of a sentence that are parsed
_YEAR = re.compile(r"(?<![\d.,£$€])(?:1[5-9]|20)\d\d(?![\d.,%])")
_LIFETIME = re.compile(r"\((?P<birth>[^()]*\d{3,4}[^()]*?)\s?[-–—]\s?(?P<death>[^()]*\d{3,4}[^()]*)\)")
_FAR = 6  # steps along the parse beyond which two words have nothing to do with each other
_FAMILY_NAME = 0.7  # of a full name: what its last word alone counts


@dataclass(frozen=True)
class QuestionFrame:
    """What a question looks for in a sentence, worked out once."""

    question: ParsedQuestion

    @cached_property
    def labels(self) -> frozenset[str]:
        return frozenset(self.question.answer_labels)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(str.strip, (fold(name.text) for name in self.question.names)))

    @cached_property
    def predicate(self) -> frozenset[str]:
        """Stems of the verbs that say something; where none does, of the nouns that are asked about."""
        named = {at for name in self.question.names for at in range(name.first, name.last)}
        tokens = [(at, each) for at, each in enumerate(self.question.tokens) if at not in named]
        verbs = {stem(each.lemma) for _, each in tokens if each.pos == "VERB" and each.lemma not in _EMPTY}
        kind = self.question.focus_token if self.question.type is not QuestionType.OTHER else -1
        nouns = {
            stem(each.lemma)
            for at, each in tokens
            if each.pos in ("NOUN", "ADJ") and each.lemma in self.question.content and at != kind
        }
        focus = {stem(self.question.focus)} if self.question.focus else set()
        return frozenset(verbs or nouns or focus)

    @cached_property
    def answer_role(self) -> str:
        """Of the question word, or of the noun that it asks for."""
        at = self.question.question_token
        if at < 0:
            return ""
        token = self.question.tokens[at]
        if token.dep in ("det", "poss", "advmod", "amod") and self.question.focus_token >= 0:
            token = self.question.tokens[self.question.focus_token]
        return self._role(token)

    @cached_property
    def name_roles(self) -> Mapping[str, str]:
        """By the last word of each name, where it is agent or patient of something."""
        found = {}
        for name in self.question.names:
            token = self.question.tokens[name.last - 1]
            if role := self._role(token):
                found[token.text.casefold()] = role
        return found

    def _role(self, token: QuestionToken) -> str:
        """Return the role; of a passive verb the parser calls what stands before it its subject."""
        passive = any(other.dep == "auxpass" and other.head == token.head for other in self.question.tokens)
        return "patient" if passive and token.dep == "nsubj" else _role(token.dep)


def is_literal(found: Sequence[float]) -> bool:
    """Return whether SIGNALS are those of a sentence that states what is asked: words of the kind, with the names and
    the predicate, none of them in another's role."""
    kind, names, predicate, _, *roles = found
    return kind > 0 and names >= _NAMED and predicate >= _SHARED and min(roles) >= 0


def passage_signals(
    frame: QuestionFrame, text: str, start: int, end: int, title: str, parse: Callable[[str], Doc]
) -> tuple[float, ...]:
    """Return SIGNALS of words of a passage, read in the sentence in which they begin."""
    found = next((found for found in ROUGH_SENTENCE.finditer(text) if found.end() > start), None)
    first, sentence = (found.start(), found[0][:_LONGEST]) if found is not None else (0, text[:_LONGEST])
    line = text[text.rfind("\n", 0, start) + 1 : start]
    low, high = max(0, start - first), min(len(sentence), end - first)
    return sentence_signals(frame, parse(sentence), low, high, f"{title} {line}") if low < high else UNKNOWN


def sentence_signals(
    frame: QuestionFrame, sentence: Doc, start: int, end: int, around: str
) -> tuple[float, ...]:
    """Return SIGNALS of the words from `start` to `end` of a parsed sentence.

    `around`: what says who is spoken of where the sentence does not: the title, the heading, the speaker.
    """
    span = sentence.char_span(start, end, alignment_mode="expand")
    stems = {stem(token.lemma_): token for token in sentence}
    shared = frame.predicate & stems.keys()
    predicate = len(shared) / len(frame.predicate) if frame.predicate else 0.5
    if frame.predicate & _lifetime(sentence.text, start, end):
        predicate = 1.0
    kind = _kind(frame, sentence, start, end)
    names = _names(frame.names, sentence.text, around)
    if span is None or not len(span):
        return kind, names, predicate, 0.0, 0.0, 0.0
    verbs = [token for token in sentence if stem(token.lemma_) in shared]
    linked = max((1 - min(_FAR, _distance(span.root, verb)) / _FAR for verb in verbs), default=0.0)
    own = _compare(frame.answer_role, _sentence_role(span.root))
    of_names = [
        _compare(role, _sentence_role(token))
        for token in sentence
        if (role := frame.name_roles.get(token.text.casefold()))
    ]
    return kind, names, predicate, linked, own, max(of_names, key=abs, default=0.0)


def _kind(frame: QuestionFrame, sentence: Doc, start: int, end: int) -> float:
    """1 where the words are of a kind that is asked for, -1 where they are of another, 0 where nothing tells."""
    if not frame.labels:
        return 0.0
    text = sentence.text[start:end]
    start, end = _name_around(sentence, start, end)
    found = {entity.label_ for entity in sentence.ents if entity.start_char < end and start < entity.end_char}
    if frame.labels & found or frame.labels & _TIMES and find_dates(text):
        return 1.0
    if frame.labels == _MONEY and _counts_other(sentence, start, end):
        return -1.0
    if frame.labels & _AMOUNTS and any(map(str.isdigit, _without_dates(text))):
        return 1.0
    if found or frame.labels <= VALUES:
        return -1.0
    return 0.0 if any(map(str.isupper, text)) else -1.0


def _counts_other(sentence: Doc, start: int, end: int) -> bool:
    """Return whether a number in the words counts something that is no money: "97 tonnes"."""
    heads = (token.head for token in sentence if token.dep_ == "nummod" and start <= token.idx < end)
    return any(
        head.pos_ == "NOUN" and stem(head.lemma_.lower()) not in _CURRENCIES and head.ent_type_ != "MONEY"
        for head in heads
    )


def _lifetime(text: str, start: int, end: int) -> frozenset[str]:
    """Return the stem that a date in brackets behind a name stands for: "(4 March 1890 – 17 August 1957)"."""
    for found in _LIFETIME.finditer(text):
        for group, word in (("birth", "born"), ("death", "died")):
            if found.start(group) <= start and end <= found.end(group):
                return frozenset((stem(word),))
    return frozenset()


def _without_dates(text: str) -> str:
    """Return the words without the dates and years in them, which are no amounts."""
    for start, end in reversed(find_dates(text)):
        text = text[:start] + text[end:]
    return _YEAR.sub("", text)


def _name_around(sentence: Doc, start: int, end: int) -> tuple[int, int]:
    """Return the place with the capital words beside it: the parser labels "Brandvold" of "Anders Brandvold" alone."""
    inside = [token for token in sentence if token.idx < end and start < token.idx + len(token)]
    if not inside or not (_is_capital(inside[0]) and _is_capital(inside[-1])):
        return start, end
    first, last = inside[0].i, inside[-1].i
    while first > 0 and _is_capital(sentence[first - 1]):
        first -= 1
    while last + 1 < len(sentence) and _is_capital(sentence[last + 1]):
        last += 1
    return sentence[first].idx, sentence[last].idx + len(sentence[last])


def _is_capital(token: Token) -> bool:
    return token.text[:1].isupper()


def _names(names: Sequence[str], sentence: str, around: str) -> float:
    if not names:
        return 1.0
    here, there = fold(sentence), fold(around)
    return min(max(_named(name, here), 0.9 * _named(name, there)) for name in names)


def _named(name: str, text: str) -> float:
    words, _ = without_form(tuple(name.split()))
    if f" {' '.join(words)} " in text:
        return 1.0
    return _FAMILY_NAME if len(words) > 1 and f" {words[-1]} " in text else 0.0


def _role(dep: str) -> str:
    return "agent" if dep in _AGENTS else "patient" if dep in _PATIENTS else ""


def _sentence_role(token: Token) -> str:
    """Of a word in its clause, the agent of a passive verb being one, too; of an apposition that of its noun."""
    for _ in range(_FAR):
        if token.dep_ in ("appos", "conj", "compound", "poss", "nmod", "amod") and token.head is not token:
            token = token.head
        else:
            break
    if token.dep_ == "pobj" and token.head.dep_ == "agent":
        return "agent"
    return _role(token.dep_)


def _compare(asked: str, found: str) -> float:
    if not asked or not found:
        return 0.0
    return 1.0 if asked == found else -1.0


def _distance(one: Token, other: Token) -> int:
    """Return the steps between two words along the parse."""
    above = {token.i: steps for steps, token in enumerate(_to_root(one))}
    for steps, token in enumerate(_to_root(other)):
        if token.i in above:
            return steps + above[token.i]
    return _FAR


def _to_root(token: Token) -> Iterable[Token]:
    yield token
    yield from token.ancestors
