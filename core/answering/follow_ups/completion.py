"""Complete a question from the turns before it, or say that it is about another subject, or that nothing fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.answering.follow_ups.ellipsis import (
    ABOUT,
    LEAD,
    TOO,
    bare_question_words,
    exchange_question_words,
    is_fragment,
    list_question,
    replace_part,
)
from core.answering.follow_ups.phrases import as_sentence, frame_of, render
from core.answering.follow_ups.referents import Parse, mentions, references, resolve
from core.extraction.question import ParsedQuestion
from core.extraction.question_words import is_interrogative
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.types import Message, Role
from core.types.threads import Completion, FollowKind, Turn

_PASSAGES = 5  # of the answer before that stay among the candidates
_LONGEST = 300  # characters of a model's completion
_ANSWERS = ("answer", "filler", "identity")  # roles of mentions that no question holds
_GENERAL = frozenset("people person one thing time way".split())  # nouns that are no subject of their own
_WORD = re.compile(r"[^\W_]+")


def complete(original: str, turns: Sequence[Turn], parse: Parse) -> Completion:
    """Return the question as it is to be asked after `turns`, the oldest first. By rule and parse alone."""
    text = TOO.sub("", " ".join(original.split()))
    if not turns:
        return Completion(original, original, FollowKind.FIRST)
    # What could not be completed itself is no ground for the next question.
    last = next((turn for turn in reversed(turns) if frame_of(parse(turn.question))), turns[-1])
    parsed, before = parse(text), parse(last.question)
    if _is_foreign(text):
        return Completion(original, original, FollowKind.OWN)
    if question := list_question(text, before):
        return _completed(original, question, [], last)
    if is_fragment(parsed):
        return _from_fragment(original, text, last, turns, parse)
    if bare := bare_question_words(parsed):
        question = exchange_question_words(bare, before, last.answer)
        return _completed(original, question, [], last)
    if (event := _event_question(parsed)) and (
        question := exchange_question_words(event, before, last.answer)
    ):
        return _completed(original, question, [], last)
    if references(parsed):
        edits = resolve(parsed, turns, parse)
        if edits is None:
            return Completion(original, original, FollowKind.UNCLEAR)
        question = _without_lead(render(parsed, [(edit.span, edit.text) for edit in edits]))
        return _completed(original, question, [(edit.word, edit.by) for edit in edits], last)
    if (topic := _topic(parsed, turns, parse)) and (end := text.rstrip("?!. ")):
        question = as_sentence(f"{LEAD.sub('', end)} in connection with {topic}?")
        return _completed(original, question, [("", f"in connection with {topic}")], last)
    shares = _shares(parsed, turns, parse) or any(t.text.lower() == "else" for t in parsed.tokens)
    return Completion(original, original, FollowKind.OWN if shares else FollowKind.NEW_SUBJECT)


def _is_foreign(text: str) -> bool:
    """Return whether a text is of a language that no rule here knows."""
    first, following = [
        *re.sub(r"^(?:und|et|y|e|och|og|en)\s+", "", text.rstrip("?!. ").lower()).split(),
        "",
        "",
    ][:2]
    return is_interrogative(first, following) or any(
        letter > "\u024f" and letter.isalpha() for letter in text
    )


def _completed(original: str, question: str, words: Sequence[tuple[str, str]], last: Turn) -> Completion:
    if not question:
        return Completion(original, original, FollowKind.UNCLEAR)
    return Completion(
        original, question, FollowKind.COMPLETED, tuple(words), passages=last.passages[:_PASSAGES]
    )


def _from_fragment(original: str, text: str, last: Turn, turns: Sequence[Turn], parse: Parse) -> Completion:
    """Complete "And her husband?": first whose, then in place of what."""
    words: list[tuple[str, str]] = []
    rest = ABOUT.sub("", LEAD.sub("", text))
    fragment = parse(rest)
    if references(fragment):
        edits = resolve(fragment, turns, parse)
        if edits is None:
            return Completion(original, original, FollowKind.UNCLEAR)
        words += [(edit.word, edit.by) for edit in edits]
        fragment = parse(render(fragment, [(edit.span, edit.text) for edit in edits]))
    question, old, new = replace_part(fragment, parse(last.question))
    return _completed(original, question, [*words, (old, new)], last)


def _without_lead(text: str) -> str:
    return as_sentence(LEAD.sub("", text))


def _event_question(parsed: ParsedQuestion) -> str:
    """Return the question words of "When was that?" and "How did this happen?"."""
    found = re.fullmatch(
        r"(when|where|why|how) (?:is|was|were|did|does|has) (?:that|this|it)(?: happen(?:ed)?| so| the case)?\??",
        LEAD.sub("", parsed.text).strip(),
        re.IGNORECASE,
    )
    if found is None or parsed.text.lower().rstrip("?").endswith(" it"):
        return ""
    return found[1].lower()


def _topic(parsed: ParsedQuestion, turns: Sequence[Turn], parse: Parse) -> str:
    """Return what a question is about that has a verb and no noun, as "Who abstained?"; "" for every other."""
    pointing = any(token.pos == "PRON" and token.tag not in ("WP", "EX") for token in parsed.tokens)
    if parsed.question_token < 0 or pointing or _things(parsed):
        return ""
    named = (m for m in mentions(turns, parse) if m.turn == 0 and m.role not in _ANSWERS)
    return next((mention.text for mention in named if mention.kind in ("thing", "")), "")


def _shares(parsed: ParsedQuestion, turns: Sequence[Turn], parse: Parse) -> bool:
    """Return whether a question shares a name or a noun with what was asked or answered before, or has none."""
    own = _things(parsed)
    return not own or any(
        own & _things(parse(text)) for turn in turns for text in (turn.question, turn.answer)
    )


def _things(parsed: ParsedQuestion) -> set[str]:
    named = {word.casefold() for name in parsed.names for word in _WORD.findall(name.text) if len(word) > 2}
    nouns = {token.lemma for token in parsed.tokens if token.pos in ("NOUN", "PROPN", "NUM")}
    return named | (nouns - _GENERAL)


def without_answers(turns: Sequence[Turn], parse: Parse) -> tuple[Turn, ...]:
    """Return the turns with the person's own words alone: no answer, and no question that an answer completed."""
    typed = {word for turn in turns for word in _content(parse(turn.original))}
    return tuple(
        replace(
            turn,
            answer="",
            words=(),
            question=turn.question if _content(parse(turn.question)) <= typed else turn.original,
        )
        for turn in turns
    )


def _content(parsed: ParsedQuestion) -> frozenset[str]:
    return parsed.content | _things(parsed)


# ------------------------------------------------------------ by a language model

_ORDER = (
    "Rewrite the last question so that it can be understood without the conversation. Change nothing else, add "
    "nothing, and do not answer it. Reply with the one question only."
)


def complete_by_model(
    model: LanguageModel, original: str, turns: Sequence[Turn], parse: Parse, context: TaskContext
) -> Completion:
    """Have a model complete what rules cannot; what it writes counts only where it is one question about the same.

    Raises what the model does.
    """
    unclear = Completion(original, original, FollowKind.UNCLEAR)
    talk = "\n".join(f"Question: {turn.question}\nAnswer: {turn.answer or '-'}" for turn in turns)
    reply = model.generate(
        (Message(Role.SYSTEM, _ORDER), Message(Role.USER, f"{talk}\nLast question: {original}")), context
    )
    lines = [line.strip().strip('"“”') for line in reply.text.splitlines() if line.strip()]
    if len(lines) != 1 or not lines[0].endswith("?") or len(lines[0]) > _LONGEST:
        return unclear
    known = {word.casefold() for word in _WORD.findall(f"{talk} {original}")}
    names = [word for name in parse(lines[0]).names for word in _WORD.findall(name.text)]
    figures = [word for word in _WORD.findall(lines[0]) if word[:1].isdigit()]
    if any(
        word.casefold().removesuffix("s") not in known and word.casefold() not in known
        for word in (*names, *figures)
    ):
        return unclear
    return Completion(
        original,
        lines[0],
        FollowKind.COMPLETED,
        ((original, lines[0]),),
        model.name,
        turns[-1].passages[:_PASSAGES],
    )
