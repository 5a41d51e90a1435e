"""Questions that leave out what was asked before: "And why?", "What about a service?", "In 2020?", "List them"."""

from __future__ import annotations

import re

from core.answering.follow_ups.phrases import (
    PLACE_WORDS,
    PLURAL_OF,
    Frame,
    Phrase,
    Span,
    as_sentence,
    frame_of,
    lower_initial,
    phrases_of,
    render,
    span_text,
)
from core.extraction.question import ParsedQuestion, QuestionType

TOO = re.compile(r",?\s+(?:too|as well|also)(?=\W*$)", re.IGNORECASE)
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
_SHORT = 6  # words of an answer that is put in where the question word was


def bare_question_words(parsed: ParsedQuestion) -> str:
    """Return the question words of "And for how long?", "Who by?", "Why not?"; "" where more is asked than that."""
    text = LEAD.sub("", parsed.text).rstrip("?!. ")
    tokens = [t for t in parsed.tokens if t.pos not in ("PUNCT", "SPACE", "CCONJ")]
    asks = [t for t in tokens if t.tag in ("WP", "WRB", "WDT", "WP$")]
    if len(asks) != 1 or len(text.split()) > 5:
        return ""
    allowed = {"ADP", "ADV", "PART", "SCONJ"} | (
        {"NOUN", "ADJ"} if asks[0].lemma in ("which", "what", "whose", "how") else set()
    )
    others = (t for t in tokens if t is not asks[0] and t.text.lower() not in ("else", "many", "much", "up"))
    if any(t.pos not in allowed for t in others):
        return ""
    turned = re.fullmatch(r"(whom?|what|where|when) (by|with|for|from|to|until|till|of)", text.lower())
    return f"{turned[2]} {'whom' if turned[1] == 'who' else turned[1]}" if turned else text.lower()


def exchange_question_words(bare: str, last: ParsedQuestion, answer: str) -> str:
    """Return the last question with other question words, what it asked for put in; "" where it has no verb."""
    frame = frame_of(last)
    if frame is None:
        return ""
    negated = bare.endswith(" not")
    bare = bare.removesuffix(" not").removesuffix(" exactly")
    asked, rest = span_text(last, frame.question_words).lower(), frame.words(frame.carrier)
    word, fills, verb = bare.split()[0], _short(answer), last.tokens[frame.verb]
    if bare.endswith(" else"):
        return as_sentence(f"{bare} {rest}?") if asked.split()[:1] == [word] else ""
    counts = bare.endswith((" many", " ones")) or bare == "which"
    if not frame.has_subject:
        who = fills or ("somebody" if last.type is QuestionType.WHO else "")
        if counts:
            return as_sentence(f"{bare} {rest}?")
        if not who:
            return as_sentence(f"{asked} {rest}, and {bare}?")
        return as_sentence(f"{bare} {_with_subject(frame, who, negated)}?")
    if bare == "who" and re.match(r"(?:any|some)(?:one|body)$", span_text(last, frame.subject)):
        return as_sentence(
            f"who {frame.words(frame.carrier, frame.carrier + 1)} {frame.words(frame.subject[1])}?"
        )
    if bare == "who" and frame.verb != frame.carrier and verb.tag == "VBN":
        bare = "by whom"
    if (
        last.type is not QuestionType.YES_NO
        and not _is_adjunct(frame)
        and word not in ("whom", "what", "which")
    ):
        return as_sentence(f"{bare} {_with_object(frame, fills, negated)}?")
    subject = f"{frame.words(frame.carrier, frame.subject[1])}{' not' if negated else ''}"
    return as_sentence(f"{bare} {subject} {frame.words(frame.subject[1])}?")


def _short(answer: str) -> str:
    text = answer.strip().rstrip(".")
    unusable = len(text.split()) > _SHORT or re.match(r"(?:yes|no|none|nobody)\b", text, re.IGNORECASE)
    return "" if unusable else lower_initial(text)


def _is_adjunct(frame: Frame) -> bool:
    """Return whether the question words asked for time, place, reason or manner, not for a part of the sentence."""
    words = span_text(frame.question, frame.question_words).lower().split()
    if words[0] == "how":
        return words[-1] not in ("much", "many")
    return frame.question.tokens[frame.question_words[0]].pos in ("ADP", "SCONJ", "ADV") or words[0] == "up"


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


def list_question(text: str, last: ParsedQuestion) -> str:
    """Return the question for what the last one counted or named, where the text asks for that; else ""."""
    text = LEAD.sub("", text)
    wants_count, frame = bool(_COUNT.match(text)), frame_of(last)
    if frame is None or not (wants_count or _LIST.match(text)):
        return ""
    word = "how many" if wants_count else "which"
    first = (
        last.tokens[frame.question_words[0]].text.lower()
        if frame.question_words[0] < frame.question_words[1]
        else ""
    )
    noun = _asked_noun(last, frame)
    if noun:
        return as_sentence(f"{word} {noun} {frame.words(frame.carrier)}?")
    is_identity = frame.has_subject and last.tokens[frame.verb].lemma == "be"
    if is_identity and first in ("what", "who", "which"):
        subject = span_text(last, frame.subject)
        return as_sentence(f"how many {_without_article(subject)} are there?") if wants_count else last.text
    if first == "who" and wants_count:
        return as_sentence(f"how many {frame.words(frame.carrier)}?")
    plural = [phrase for phrase in phrases_of(last) if phrase.plural]
    if not plural:
        return last.text if first in ("who", "what", "which") and not wants_count else ""
    things = _without_article(span_text(last, plural[0].span))
    return as_sentence(f"how many {things} are there?" if wants_count else f"list the {things}")


def _asked_noun(last: ParsedQuestion, frame: Frame) -> str:
    first, end = frame.question_words
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
    tags = {token.tag for token in parsed.tokens} | {
        "ROOT" for t in parsed.tokens if (t.tag, t.dep) == ("VB", "ROOT")
    }
    verbless = not tags & {"VBD", "VBZ", "VBP", "MD", "ROOT"}
    return leads and verbless and parsed.question_token < 0 and any(map(str.isalnum, parsed.text))


def replace_part(parsed: ParsedQuestion, last: ParsedQuestion) -> tuple[str, str, str]:
    """Return the last question with the part that the fragment is parallel to replaced, that part and the fragment.

    `parsed` is the fragment alone, without "and" and "what about". Three times "" where nothing is parallel.
    """
    text, tokens = parsed.text.rstrip("?!. "), parsed.tokens
    if not text:
        return "", "", ""
    first = tokens[0].text.lower()
    if tokens[0].pos != "PROPN" and not any(name.first == 0 for name in parsed.names):
        text = text[:1].lower() + text[1:]
    frame = frame_of(last)
    if frame is None:
        return "", "", ""
    if len(text.split()) == 1 and tokens[0].pos in ("ADP", "SCONJ", "ADV"):
        at = max((i for i in range(frame.carrier, frame.end) if last.tokens[i].pos == "ADP"), default=-1)
        return (
            (render(last, [((at, at + 1), first)]), last.tokens[at].text, first) if at >= 0 else ("", "", "")
        )
    if tokens[0].pos in ("ADP", "SCONJ") and len(tokens) > 1:
        return _preposition(parsed, text, last, frame)
    found = sorted(phrases_of(parsed), key=lambda phrase: phrase.role != "ROOT")
    candidates = phrases_of(last)
    if not found:  # "And the third?": of what was described likewise
        described = [p for p in candidates if any(t.dep == "amod" for t in last.tokens[slice(*p.base)])]
        if not described or not any(t.pos == "ADJ" for t in tokens):
            return "", "", ""
        text = f"{text} {last.tokens[described[-1].head].text}"
        span = described[-1].base
        return render(last, [(span, text)]), span_text(last, span), text
    own = found[0]
    if own.is_date and not any(phrase.is_date for phrase in candidates):
        return render(last, [((frame.end, frame.end), text)]), "", text
    likeness, _, target = max(
        ((_likeness(own, phrase), phrase.head, phrase) for phrase in candidates),
        key=lambda each: each[:2],
        default=(0.0, 0, own),
    )
    if likeness <= 0:
        return "", "", ""
    if last.tokens[min(target.base[1], frame.end - 1)].tag == "POS":
        text = re.sub(r"['’]s$", "", text)  # "And Ms Lopez's?"
    span = target.span if own.span != own.base else target.base
    text = _filled(text, span_text(last, target.base))
    return render(last, [(span, text), *_agreement(last, frame, target, own)]), span_text(last, span), text


def _preposition(
    parsed: ParsedQuestion, text: str, last: ParsedQuestion, frame: Frame
) -> tuple[str, str, str]:
    """Replace the phrase behind the same preposition, or the other time or place; else add the words at the end."""
    word, own = parsed.tokens[0].text.lower(), next(iter(phrases_of(parsed)), None)
    is_date, is_name = own is not None and own.is_date, own is not None and own.is_name
    options = []
    for phrase in phrases_of(last):
        at = phrase.base[0] - 1
        if at < frame.carrier or last.tokens[at].pos not in ("ADP", "SCONJ") or is_date != phrase.is_date:
            continue
        before = last.tokens[at].text.lower()
        if before == word or is_date or {before, word} <= PLACE_WORDS:
            end = phrase.base[1] if own is None or own.span == own.base else phrase.span[1]
            options.append((2 * (before == word) + (is_name == phrase.is_name), at, end))
    if not options:
        return render(last, [((frame.end, frame.end), text)]), "", text
    _, at, end = max(options)
    old = span_text(last, (at, end))
    text = _filled(text, old)
    return render(last, [((at, end), text)]), old, text


def _filled(text: str, old: str) -> str:
    """Return the fragment with the noun that "one" and "ones" stand for, as in "the second one"."""
    return re.sub(r"(?<=\w )ones?$", old.split()[-1], text)


def _likeness(own: Phrase, phrase: Phrase) -> float:
    """Return how parallel a phrase of the last question is to the fragment; 0 and less: not at all."""
    if own.is_date or phrase.is_date:
        return 6.0 if own.is_date and phrase.is_date else -1.0
    score = 5.0 * (phrase.lemma == own.lemma and not own.is_name)
    score += (3.0 + (own.label == phrase.label)) if own.is_name and phrase.is_name else 0.0
    score -= 1.0 * (own.is_name != phrase.is_name)
    if own.is_person and phrase.is_person:
        score += 2.0
    elif own.is_person or phrase.is_person and own.label:
        score -= 1.5
    # "clause 7" is like "clause 9" and like nothing else.
    score -= 1.0 * (phrase.is_numbered != own.is_numbered)
    return score + 1.0 * (phrase.article == own.article) + 0.5 * (phrase.plural == own.plural)


def _agreement(last: ParsedQuestion, frame: Frame, target: Phrase, own: Phrase) -> list[tuple[Span, str]]:
    """Return the edit that makes "is" agree with another subject: "Are pets allowed in the flat?"."""
    inside = frame.subject[0] <= target.head < frame.subject[1] and target.role != "pobj"
    word = last.tokens[frame.carrier].text.lower()
    forms = PLURAL_OF if own.plural else {many: one for one, many in PLURAL_OF.items()}
    wrong = inside and own.plural != target.plural and word in forms
    return [((frame.carrier, frame.carrier + 1), forms[word])] if wrong else []
