"""Questions that leave out what was asked before: "And why?", "What about a service?", "In 2020?", "List them"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.answering.follow_ups.phrases import (
    PLACE_WORDS,
    Frame,
    Phrase,
    frame_of,
    in_sentence,
    phrases_of,
    rendered,
    sentence,
    span_text,
)
from core.extraction.question import ParsedQuestion, QuestionType

LEAD = re.compile(r"^(?:(?:and|but|or|so|ok|okay|then|also|well)\b,?\s*)+", re.IGNORECASE)
ABOUT = re.compile(r"^(?:what|how) about\s+", re.IGNORECASE)
_LIST = re.compile(
    r"^(?:please )?(?:list|name|enumerate|show)(?: me)?(?: all)?(?: of)? (?:them|those|these)(?: all)?[.?!]?$"
    r"|^(?:who|which|what) (?:are|were) (?:they|those|these)[?.]?$|^which(?: ones)?\?$|^list all[.?!]?$",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"^how many(?: of them)?(?: (?:are|were|is) (?:there|they))?(?: in total)?\?$", re.IGNORECASE
)
_OPPOSITE = {"before": "after", "after": "before", "with": "without", "without": "with", "from": "to", "to": "from",
             "during": "after"}  # fmt: skip
_SHORT = 6  # words of an answer that is put in where the question word was


def bare_question(parsed: ParsedQuestion) -> str:
    """Return the question words of "And for how long?", "Who by?", "Why not?"; "" where more is asked than that."""
    text = LEAD.sub("", parsed.text).rstrip("?!. ")
    tokens = [t for t in parsed.tokens if t.pos not in ("PUNCT", "SPACE", "CCONJ")]
    asks = [t for t in tokens if t.tag in ("WP", "WRB", "WDT", "WP$")]
    if len(asks) != 1 or len(text.split()) > 5:
        return ""
    rest = [t for t in tokens if t is not asks[0]]
    noun = asks[0].lemma in ("which", "what", "whose", "how")
    allowed = ("ADP", "ADV", "PART", "SCONJ", *(("NOUN", "ADJ") if noun else ()))
    if any(
        t.pos not in allowed and t.text.lower() not in ("else", "up", "many", "much", "exactly") for t in rest
    ):
        return ""
    turned = re.fullmatch(
        r"(who|whom|what|where|when) (by|with|for|from|to|until|till|of)", text, re.IGNORECASE
    )
    if turned:
        word = "whom" if turned[1].lower() == "who" else turned[1].lower()
        return f"{turned[2].lower()} {word}"
    return text.lower()


def exchanged(bare: str, last: ParsedQuestion, answer: str) -> str:
    """Return the last question with other question words, what it asked for put in; "" where it has no verb."""
    frame = frame_of(last)
    if frame is None:
        return ""
    negated = bare.endswith(" not")
    bare = bare.removesuffix(" not").removesuffix(" exactly")
    asked = span_text(last, frame.asked).lower()
    fills = _short(answer)
    tokens, carrier = last.tokens, frame.carrier
    has_subject = frame.subject[0] < frame.subject[1]
    if bare.endswith(" else"):
        same = asked.split()[:1] == bare.split()[:1]
        return sentence(f"{bare} {frame.words(carrier)}?") if same else ""
    if bare.split()[0] in ("which", "what", "how") and _determines(bare) and not has_subject:
        return sentence(f"{bare} {frame.words(carrier)}?")
    if bare == "who" and has_subject and frame.verb != carrier and tokens[frame.verb].tag == "VBN":
        bare = "by whom"
    if has_subject:
        if last.type is QuestionType.YES_NO or not negated and _is_adjunct(frame):
            middle = f"{frame.words(carrier, frame.subject[1])}{' not' if negated else ''}"
            return sentence(f"{bare} {middle} {frame.words(frame.subject[1])}?")
        if _is_same_place(frame, bare):
            return sentence(f"{bare} {frame.words(carrier)}?")
        return sentence(f"{bare} {_with_object(frame, fills, negated)}?")
    who = fills or ("somebody" if last.type is QuestionType.WHO else "")
    if not who:
        return sentence(f"{asked} {frame.words(carrier)}, and {bare}?")
    return sentence(f"{bare} {_with_subject(frame, who, negated)}?")


def _short(answer: str) -> str:
    text = answer.strip().rstrip(".")
    usable = (
        text
        and len(text.split()) <= _SHORT
        and not re.match(r"(?:yes|no|none|nobody)\b", text, re.IGNORECASE)
    )
    return in_sentence(text) if usable else ""


def _determines(bare: str) -> bool:
    """Return whether the question words ask for a number or a kind of what was named: "which ones", "how many"."""
    return bare.split()[-1] in ("many", "ones") or bare == "which"


def _is_adjunct(frame: Frame) -> bool:
    """Return whether the question words asked for time, place, reason or manner, not for a part of the sentence."""
    tokens = frame.question.tokens
    first, last = frame.asked
    if tokens[first].pos == "ADP" or tokens[first].text.lower() in (
        "when",
        "where",
        "why",
        "until",
        "since",
        "up",
    ):
        return True
    return tokens[first].text.lower() == "how" and tokens[last - 1].text.lower() not in ("much", "many")


def _is_same_place(frame: Frame, bare: str) -> bool:
    """Return whether an object is asked for again: "What did he buy?", "For how much?" keeps it out, "Whom?" too."""
    return bare.split()[0] in ("whom", "what", "which")


def _with_object(frame: Frame, fills: str, negated: bool) -> str:
    """Return carrier, subject and predicate with the answer where it belongs: "is the period three months"."""
    tokens, question = frame.question.tokens, frame.question
    subject, no = span_text(question, frame.subject), " not" if negated else ""
    lead = frame.words(frame.carrier, frame.carrier + 1)
    if frame.verb == frame.carrier:  # "What is the notice period?", "Who is the captain?"
        if question.type is QuestionType.WHO and fills:
            return f"{lead} {fills}{no} {subject} {frame.words(frame.subject[1])}"
        return f"{lead} {subject}{no} {frame.words(frame.subject[1])} {fills}"
    at = frame.verb + 1
    while at < frame.end and tokens[at].dep == "prt":
        at += 1
    return f"{lead} {subject}{no} {frame.words(frame.subject[1], at)} {fills} {frame.words(at)}"


def _with_subject(frame: Frame, subject: str, negated: bool) -> str:
    """Return "does Leon Weiss chair the committee" of "Who chairs the committee?"."""
    tokens, carrier = frame.question.tokens, frame.carrier
    verb, no = tokens[carrier], " not" if negated else ""
    plural = bool(re.search(r",| and ", subject))
    if verb.tag == "MD" or verb.lemma == "be" or verb.lemma == "have" and frame.verb != carrier:
        return f"{verb.text} {subject}{no} {frame.words(carrier + 1)}"
    helper = "did" if verb.tag in ("VBD", "VBN") else "do" if verb.tag == "VBP" or plural else "does"
    return f"{helper} {subject}{no} {verb.lemma} {frame.words(carrier + 1)}"


# ------------------------------------------------------------ lists and numbers


def listed(text: str, last: ParsedQuestion) -> str:
    """Return the question for what the last one counted or named, where the text asks for that; else ""."""
    text = LEAD.sub("", text)
    wants_list, wants_count = bool(_LIST.match(text)), bool(_COUNT.match(text))
    if not (wants_list or wants_count):
        return ""
    frame = frame_of(last)
    if frame is None:
        return ""
    word = "how many" if wants_count else "which"
    first = last.tokens[frame.asked[0]].text.lower() if frame.asked[0] < frame.asked[1] else ""
    noun = _asked_noun(last, frame)
    if noun:
        return sentence(f"{word} {noun} {frame.words(frame.carrier)}?")
    if (
        frame.subject[0] < frame.subject[1]
        and last.tokens[frame.verb].lemma == "be"
        and first in ("what", "who", "which")
    ):
        subject = span_text(last, frame.subject)
        return sentence(f"how many {_without_article(subject)} are there?") if wants_count else last.text
    if first == "who" and wants_count:
        return sentence(f"how many {frame.words(frame.carrier)}?")
    plural = [phrase for phrase in phrases_of(last) if phrase.plural]
    if not plural:
        return last.text if first in ("who", "what", "which") and wants_list else ""
    things = _without_article(span_text(last, plural[0].span))
    return sentence(f"how many {things} are there?" if wants_count else f"list the {things}")


def _asked_noun(last: ParsedQuestion, frame: Frame) -> str:
    first, end = frame.asked
    noun = next((i for i in range(first, end) if last.tokens[i].pos in ("NOUN", "ADJ", "PROPN")
                 and last.tokens[i].text.lower() not in ("many", "much")), end)  # fmt: skip
    return span_text(last, (noun, end)) if any(last.tokens[i].tag == "NNS" for i in range(noun, end)) else ""


def _without_article(text: str) -> str:
    return re.sub(r"^(?:the|a|an|his|her|its|their)\s+", "", text, flags=re.IGNORECASE)


# ------------------------------------------------------------ fragments


def is_fragment(parsed: ParsedQuestion) -> bool:
    """Return whether a text has neither verb nor question word: "And the landlord?", "In 2020?"."""
    if ABOUT.match(LEAD.sub("", parsed.text)):
        return True
    leads = bool(LEAD.match(parsed.text)) or parsed.text.rstrip().endswith("?")
    verbs = any(
        t.tag in ("VBD", "VBZ", "VBP", "MD") or t.tag == "VB" and t.dep == "ROOT" for t in parsed.tokens
    )
    return (
        leads and not verbs and parsed.question_token < 0 and any(t.text[:1].isalnum() for t in parsed.tokens)
    )


def replaced_part(parsed: ParsedQuestion, last: ParsedQuestion) -> tuple[str, str, str]:
    """Return the last question with the part that the fragment is parallel to replaced, that part and the fragment.

    `parsed` is the fragment alone, without "and" and "what about". Three times "" where nothing is parallel.
    """
    text, tokens = parsed.text.rstrip("?!. "), parsed.tokens
    first = tokens[0].text.lower()
    if tokens[0].pos != "PROPN" and not any(name.first == 0 for name in parsed.names):
        text = text[:1].lower() + text[1:]
    frame = frame_of(last)
    if frame is None:
        return "", "", ""
    if first in _OPPOSITE and len(text.split()) == 1:
        at = next((i for i, t in enumerate(last.tokens) if t.text.lower() == _OPPOSITE[first]), -1)
        return (rendered(last, [((at, at + 1), first)]), _OPPOSITE[first], first) if at >= 0 else ("", "", "")
    if tokens[0].pos in ("ADP", "SCONJ") and len(tokens) > 1:
        return _preposition(parsed, text, last, frame)
    own = _head_phrase(parsed)
    if own is not None and own.is_date and not any(p.is_date for p in phrases_of(last)):
        return rendered(last, [((frame.end, frame.end), text)]), "", text
    target = _parallel(parsed, own, last, frame)
    if target is None:
        return "", "", ""
    has_more = own is not None and own.span[1] > own.base[1]
    same_head = own is not None and own.lemma == target.lemma
    span = target.span if has_more or same_head and target.span[1] - target.base[1] else target.base
    if same_head and not has_more:
        span = target.base
    text = _filled(text, span_text(last, target.base), last, target)
    return rendered(last, [(span, text), *_agreement(last, frame, target, own)]), span_text(last, span), text


def _preposition(
    parsed: ParsedQuestion, text: str, last: ParsedQuestion, frame: Frame
) -> tuple[str, str, str]:
    """Replace the phrase behind the same preposition, or the other time or place; else add the words at the end."""
    word, tokens = parsed.tokens[0].text.lower(), last.tokens
    own = next(iter(phrases_of(parsed)), None)
    is_date = own is not None and own.is_date
    best: tuple[int, int, int] | None = None
    for phrase in phrases_of(last):
        at = phrase.base[0] - 1
        if at < frame.carrier or tokens[at].pos not in ("ADP", "SCONJ"):
            continue
        before = tokens[at].text.lower()
        parallel = is_date == phrase.is_date and (before == word or is_date or {before, word} <= PLACE_WORDS)
        if parallel:
            score = 2 * (before == word) + (own is not None and own.is_name == phrase.is_name)
            if best is None or (score, at) >= (best[0], best[1]):
                best = score, at, phrase.base[1] if own is None or own.span == own.base else phrase.span[1]
    if best is None:
        return rendered(last, [((frame.end, frame.end), text)]), "", text
    at, end = best[1], best[2]
    old = span_text(last, (at, end))
    text = _filled(text, old, last, None)
    return rendered(last, [((at, end), text)]), old, text


def _filled(text: str, old: str, last: ParsedQuestion, target: Phrase | None) -> str:
    """Return the fragment with the noun that "one" and "ones" stand for, as in "the second one"."""
    return re.sub(r"\bones?\b", old.split()[-1], text) if re.search(r"\w ones?$", text) else text


def _head_phrase(parsed: ParsedQuestion) -> Phrase | None:
    found = phrases_of(parsed)
    root = [phrase for phrase in found if phrase.role == "ROOT"]
    return next(iter([*root, *found]), None)


def _parallel(
    parsed: ParsedQuestion, own: Phrase | None, last: ParsedQuestion, frame: Frame
) -> Phrase | None:
    """Return the phrase of the last question that is most like the fragment, the later of two alike."""
    candidates = [p for p in phrases_of(last) if not p.is_date or own is not None and own.is_date]
    if own is None or not candidates:
        return candidates[-1] if candidates and own is None and len(candidates) == 1 else None

    def likeness(phrase: Phrase) -> float:
        score = 5.0 * (phrase.lemma == own.lemma and not own.is_name)
        if own.is_date or phrase.is_date:
            return 6.0 if own.is_date and phrase.is_date else -1.0
        person, other = own.is_person, phrase.is_person
        if own.is_name and phrase.is_name:
            score += 3.0 + (own.label == phrase.label)
        elif own.is_name != phrase.is_name:
            score -= 1.0
        score += (
            2.0
            if person and other
            else -1.5
            if person != other and (own.label and phrase.label or person)
            else 0.0
        )
        numbered = last.tokens[phrase.base[1] - 1].tag == "CD"
        score -= 1.0 * (numbered != (parsed.tokens[own.base[1] - 1].tag == "CD"))
        score += 1.0 * (phrase.article == own.article) + 0.5 * (phrase.plural == own.plural)
        return score

    best = max(candidates, key=lambda p: (likeness(p), p.head))
    return best if likeness(best) > 0 else None


def _agreement(
    last: ParsedQuestion, frame: Frame, target: Phrase, own: Phrase | None
) -> Sequence[tuple[tuple[int, int], str]]:
    """Return the edit that makes "is" agree with another subject: "Are pets allowed in the flat?"."""
    inside = own is not None and frame.subject[0] <= target.head < frame.subject[1] and target.role != "pobj"
    if not inside or own is None or own.plural == target.plural:
        return ()
    forms = {"is": "are", "was": "were", "does": "do", "has": "have"}
    if not own.plural:
        forms = {many: one for one, many in forms.items()}
    word = last.tokens[frame.carrier].text.lower()
    return [((frame.carrier, frame.carrier + 1), forms[word])] if word in forms else ()
