"""Questions that lean on the ones before: completed with their names, their words or their answer, by the parse.

"When was she appointed?" behind "Who is the treasurer?" and "Ann Lee" is "When was Ann Lee appointed?"; "What about a
service?" behind "What does a licence cost?" is "What does a service cost?"; "Why?" asks for the reason of what the last
question says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import Token
from core.types import Turn

_TURNS = 4  # that are looked back
_LONGEST = 8  # words of an answer that may stand for a pronoun
_PERSONAL = frozenset("he she him her his hers".split())
_PLURAL = frozenset("they them their theirs these those".split())
_THING = frozenset("it its this that".split())
_POSSESSIVE = frozenset("his her its their".split())
_HERE = frozenset(("there",))
_OPENING = re.compile(r"^(?:and|but|so|ok(?:ay)?|then|now)\b[\s,]*", re.IGNORECASE)
_ABOUT = re.compile(r"^(?:(?:what|how) about|and|or)\s+(?:for\s+)?(?P<of>.+?)\s*\??$", re.IGNORECASE)
_WHEN = re.compile(
    r"^(?:(?:what|how) about )?(?P<at>(?:in|on|before|after|since|until|during)\s.+?)\s*\??$", re.IGNORECASE
)
_BARE = re.compile(
    r"^(?P<word>why|when|where|how|who|since when|how much|how many|by whom|with whom)\s*(?:not)?\s*\??$",
    re.IGNORECASE,
)
_LISTED = re.compile(
    r"^(?:list|name|show)\s+(?:them|those|these)(?:\s+all)?\W*$|^(?:who|what|which) (?:are|were) they\W*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"^how many(?: (?:are|were) (?:there|they))?\W*$", re.IGNORECASE)
_AUXILIARIES = frozenset(
    "is are was were am do does did has have had can could will would shall should may might must".split()
)
_CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "NUM"))


@dataclass(frozen=True, slots=True)
class _Asked:
    """A turn with the parse of its question."""

    question: ParsedQuestion
    answer: str

    @property
    def short(self) -> str:
        """The answer where it may stand for a pronoun, else ""."""
        return self.answer if 0 < len(self.answer.split()) <= _LONGEST else ""

    @property
    def is_person(self) -> bool:
        """Whether the answer names somebody."""
        is_name = len(self.short.split()) > 1 and all(word[0].isupper() for word in self.short.split())
        return self.question.type is QuestionType.WHO or is_name


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a question is read as. `is_new`: it stands by itself and shares nothing with what was asked before."""

    question: str
    completed: bool
    is_new: bool = False


def complete(
    question: ParsedQuestion, turns: Sequence[Turn], parse: Callable[[str], ParsedQuestion]
) -> FollowUp:
    """Complete a question from the turns before it, the last one last; as it is where nothing is left out of it."""
    text = " ".join(question.text.split())
    asked = [_Asked(parse(turn.question), turn.answer) for turn in turns[-_TURNS:]]
    if not asked:
        return FollowUp(text, False)
    last = asked[-1]
    for found in (_exchanged(text, question, last), _in_place_of_pronouns(question, asked)):
        if found and found.casefold() != text.casefold():
            return FollowUp(found, True)
    return FollowUp(text, False, not _shares(question, asked))


def _shares(question: ParsedQuestion, turns: Sequence[_Asked]) -> bool:
    own = {token.lemma for token in question.tokens if token.pos in _CONTENT}
    before = {token.lemma for turn in turns for token in turn.question.tokens if token.pos in _CONTENT}
    return bool(own & before) or any(
        turn.answer and turn.answer.casefold() in question.text.casefold() for turn in turns
    )


def _exchanged(text: str, question: ParsedQuestion, last: _Asked) -> str:
    """Return the last question with what this one says in place of its own; "" where this one has a verb of its own."""
    bare = _OPENING.sub("", text)
    if _LISTED.match(bare):
        return _asked_noun(last, "Which {noun} are there?", "List {question}")
    if _COUNTED.match(bare):
        return _asked_noun(last, "How many {noun} are there?", "")
    if found := _BARE.match(bare):
        return _asked_by(found["word"], last.question)
    if found := _WHEN.match(bare):
        return _at_another_time(found["at"], last.question)
    found = _ABOUT.match(text) or _ABOUT.match(bare)
    if found is None or _has_verb(question, found.start("of")):
        return ""
    return _about(found["of"], question, last.question)


def _has_verb(question: ParsedQuestion, start: int) -> bool:
    return any(token.pos in ("VERB", "AUX") and token.start >= start for token in question.tokens)


def _asked_noun(last: _Asked, pattern: str, otherwise: str) -> str:
    nouns = [t for t in last.question.tokens if t.tag in ("NNS", "NNPS")]
    if not nouns:
        return otherwise.format(question=last.question.text) if otherwise else ""
    noun = nouns[0]
    words = last.question.text[_phrase(last.question, noun)[0] : _tail(last.question, noun)]
    return pattern.format(noun=words)


def _tail(question: ParsedQuestion, noun: Token) -> int:
    """Return where the words end that say which ones: "members of the council"."""
    at = question.tokens.index(noun)
    end = noun.end
    for token in question.tokens[at + 1 :]:
        if token.pos not in ("ADP", "DET", "PROPN", "NOUN", "ADJ", "NUM", "PART"):
            break
        end = token.end
    return end


def _asked_by(word: str, last: ParsedQuestion) -> str:
    """Return what the last question says, asked by another question word."""
    word = word[0].upper() + word[1:].lower()
    tokens, at = last.tokens, last.question_token
    if at < 0:
        return ""
    if tokens[at].text.lower() in _AUXILIARIES:  # "Was Ann arrested?": "Why was Ann arrested?"
        return f"{word} {tokens[at].text.lower()}{last.text[tokens[at].end :]}"
    auxiliary = next((t for t in tokens[at + 1 :] if t.text.lower() in _AUXILIARIES), None)
    subject_asked = tokens[at].dep in ("nsubj", "nsubjpass") or (
        last.focus_token >= 0 and tokens[last.focus_token].dep in ("nsubj", "nsubjpass")
    )
    if auxiliary is not None and not subject_asked:  # "Where was Ann arrested?"
        return f"{word} {last.text[auxiliary.start :]}"
    clause = last.text[tokens[at].start :].rstrip("? ")
    return f"{word} was it that {clause[0].lower()}{clause[1:]}?" if word != "Why" else f"Why: {clause}?"


def _at_another_time(at: str, last: ParsedQuestion) -> str:
    """Return the last question with another time, in place of its own or at its end."""
    found = list(_times(last))
    text = last.text.rstrip("? ")
    if found:
        start, end = found[-1]
        return f"{text[:start]}{at}{text[end:]}?"
    return f"{text} {at}?"


def _times(question: ParsedQuestion) -> Iterator[tuple[int, int]]:
    tokens = question.tokens
    for at, token in enumerate(tokens):
        if token.pos == "ADP" and at + 1 < len(tokens) and tokens[at + 1].label in ("DATE", "TIME"):
            end = at + 1
            while end < len(tokens) and tokens[end].label in ("DATE", "TIME"):
                end += 1
            yield token.start, tokens[end - 1].end


def _about(words: str, question: ParsedQuestion, last: ParsedQuestion) -> str:
    """Return the last question with these words in place of the thing of their kind."""
    own = [name for name in question.names if name.text.casefold() in words.casefold()]
    if own and last.names:
        alike = [name for name in last.names if name.label == own[0].label] or list(last.names)
        name = alike[-1]
        return f"{last.text[: name.start]}{words}{last.text[name.end :]}"
    nouns = [
        t for t in last.tokens if t.pos == "NOUN" and t.dep in ("nsubj", "nsubjpass", "dobj", "pobj", "attr")
    ]
    nouns = [t for t in nouns if t.lemma != last.focus] or nouns
    if nouns and not own:
        start, end = _phrase(last, nouns[-1])
        return f"{last.text[:start]}{words}{last.text[end:]}"
    if last.names:
        name = last.names[-1]
        return f"{last.text[: name.start]}{words}{last.text[name.end :]}"
    return ""


def _phrase(question: ParsedQuestion, noun: Token) -> tuple[int, int]:
    """Return the noun with its article and the adjectives before it."""
    at = question.tokens.index(noun)
    first = at
    while (
        first
        and question.tokens[first - 1].pos in ("DET", "ADJ", "NUM")
        or (first and question.tokens[first - 1].dep == "compound")
    ):
        first -= 1
    if question.tokens[first].text.lower() in ("which", "what"):
        first += 1
    return question.tokens[first].start, noun.end


def _in_place_of_pronouns(question: ParsedQuestion, turns: Sequence[_Asked]) -> str:
    """Return the question with names in place of its pronouns; "" where one has nothing to stand for."""
    found, end = "", 0
    for token in question.tokens:
        word = token.text.lower()
        if not _points_back(token, question):
            continue
        words = _meant(word, question, turns)
        if not words:
            return ""
        ending = ("'" if words.endswith("s") else "'s") if _is_possessive(token, question) else ""
        before = f"in {words}" if word in _HERE else f"{words}{ending}"
        found += f"{question.text[end : token.start]}{before}"
        end = token.end
    if not found:
        return ""
    completed = _OPENING.sub("", f"{found}{question.text[end:]}")
    return completed[0].upper() + completed[1:]


def _is_possessive(token: Token, question: ParsedQuestion) -> bool:
    return token.text.lower() in _POSSESSIVE and (token.dep == "poss" or token.tag == "PRP$")


def _points_back(token: Token, question: ParsedQuestion) -> bool:
    word = token.text.lower()
    if word in _PERSONAL | _PLURAL:
        return not (word in _PLURAL and token.dep == "det") and not _names_before(question, token)
    if word in _THING:
        is_pointing = token.pos == "PRON" and token.dep not in ("expl", "mark", "det")
        return is_pointing and not _names_before(question, token)
    return word in _HERE and token.dep == "advmod"


def _names_before(question: ParsedQuestion, token: Token) -> bool:
    """Whether the question itself names what the pronoun stands for: "What did Ann say when she left?"."""
    return any(name.end <= token.start for name in question.names)


def _meant(word: str, question: ParsedQuestion, turns: Sequence[_Asked]) -> str:
    """Return the name or thing that a pronoun stands for: what was answered or asked last, of its kind."""
    for turn in reversed(turns):
        short = turn.short
        people = [name.text for name in turn.question.names if name.label == "PERSON"]
        things = [name.text for name in turn.question.names if name.label != "PERSON"]
        if word in _PERSONAL:
            if short and turn.is_person:
                return short
            if people:
                return people[-1]
        elif word in _HERE:
            if short and turn.question.type is QuestionType.WHERE:
                return short
            places = [name.text for name in turn.question.names if name.label in ("GPE", "LOC", "FAC")]
            if places:
                return places[-1]
        elif word in _PLURAL:
            nouns = [t for t in turn.question.tokens if t.tag in ("NNS", "NNPS")]
            if nouns:
                start, end = _phrase(turn.question, nouns[-1])
                phrase = turn.question.text[start:end]
                return (
                    phrase
                    if phrase.split()[0].lower() == "the" or nouns[-1].tag == "NNPS"
                    else f"the {phrase}"
                )
            if things:
                return things[-1]
        else:
            if things:
                return things[-1]
            nouns = [
                t
                for t in turn.question.tokens
                if t.pos == "NOUN" and t.tag == "NN" and t.lemma != turn.question.focus
            ]
            if nouns:
                start, end = _phrase(turn.question, nouns[-1])
                return turn.question.text[start:end]
            if short and not turn.is_person:
                return short
    return ""
