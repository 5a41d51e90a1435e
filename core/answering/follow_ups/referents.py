"""What "she", "it", "there" or "that" in a question means, of all that the turns before it name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from core.answering.follow_ups.phrases import (
    PLACE_WORDS,
    SUBJECTS,
    Frame,
    ends_question,
    frame_of,
    lower_initial,
    make_definite,
    phrases_of,
    span_text,
    wh_span,
)
from core.extraction.names import sex_of
from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import Token
from core.extraction.question_words import labels_of
from core.types.threads import Turn

Parse = Callable[[str], ParsedQuestion]

_SHE, _HE = frozenset("she her hers".split()), frozenset("he him his".split())
_THEY, _IT = frozenset("they them their theirs those these".split()), frozenset("it its this that".split())
# What a clause can follow: "Who decided that?"
_CLAUSE_TAKERS = frozenset(
    "decide order approve say agree suggest claim know confirm believe propose demand mention tell write explain"
    " request announce notice report find learn discover accept allow".split()
)
_WOMEN = frozenset(
    "mother wife daughter aunt niece widow woman girl grandmother mum heroine countess duchess".split()
)
_MEN = frozenset("husband son uncle nephew widower man boy grandfather dad hero count duke".split())
_SENTENCES = re.compile(
    r"^(?:yes|no|none|nobody|nothing|not yet)\b|\b(?:he|she|it|they|they're|there) \w+", re.I
)
_NUMBER = re.compile(
    r"^[\W\d]*\d[\d.,]*\s?%?$|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$", re.I
)
_PREPOSITIONS = frozenset(
    "in on at under near by behind over above to from for with inside outside between since before after because"
    " until through".split()
)
_KINDS = {"PERSON": "person", "GPE": "place", "LOC": "place", "DATE": "date"}
_OPTIONS = 5  # mentions for a pronoun that are weighed with those of the others
_LONGEST = 9  # words of an answer that may stand for a pronoun


@dataclass(frozen=True, slots=True)
class Mention:
    """Something that a turn names. `rank` is its place in the turn, from 0; `kind` is "" where nothing tells it."""

    text: str
    kind: str  # person, group, place, date, thing
    plural: bool
    sex: str  # "he" or "she"
    rank: int
    turn: int  # back from the question, from 0
    role: str = ""
    verb: str = ""  # lemma of its turn's verb
    place: str = ""  # the preposition before it that makes it a place: "in"


def answer_kind(question: ParsedQuestion) -> str:
    """Return of what kind the answer to a question is, by its question word or the noun that it asks for."""
    labels = {
        QuestionType.WHO: ("PERSON",), QuestionType.WHERE: ("GPE",), QuestionType.WHEN: ("DATE",),
        QuestionType.WHICH: question.answer_labels[:2] or ("OTHER",),
        QuestionType.WHAT: question.answer_labels[:2] or ("OTHER",),
    }.get(question.type, ())  # fmt: skip
    if not labels:
        return ""
    return next((kind for label, kind in _KINDS.items() if label in labels), "thing")


def mentions(turns: Sequence[Turn], parse: Parse) -> Iterator[Mention]:
    """Yield what the turns name, the last turn first; within one, what its next question most likely goes on about."""
    sexes = {name: "she" if word.lower() in _SHE else "he" for turn in turns for word, name in turn.words
             if word.lower() in _SHE | _HE}  # fmt: skip
    for back, turn in enumerate(reversed(turns)):
        question = parse(turn.question)
        frame = frame_of(question)
        verb = question.tokens[frame.verb].lemma if frame else ""
        ordered = [*_from_answer(turn, question, frame), *_from_question(question)]
        for rank, mention in enumerate(ordered):
            sex = sexes.get(mention.text, mention.sex)
            yield replace(mention, rank=rank, turn=back, verb=verb, sex=sex)


def _from_answer(turn: Turn, question: ParsedQuestion, frame: Frame | None) -> Iterator[Mention]:
    text, kind = turn.answer.strip().rstrip("."), answer_kind(question)
    if not text or not kind or _SENTENCES.search(text) or len(text.split()) > _LONGEST:
        return
    plural = False
    if kind in ("person", "thing"):
        if text.split()[0].lower() in _PREPOSITIONS or kind == "thing" and _NUMBER.match(text):
            return
        plural = bool(re.search(r",| and ", text)) or _is_plural(text)
    identity = kind == "thing" and question.type is QuestionType.WHAT and frame is not None
    is_named = identity and frame is not None and question.tokens[frame.verb].lemma == "be"
    # "What is the password?": later it is "the password" rather than its letters.
    role = "identity" if is_named else "filler" if question.type is QuestionType.WHAT else "answer"
    yield Mention(make_definite(lower_initial(text)), kind, plural, _sex(text), 0, 0, role)


def _is_plural(text: str) -> bool:
    head = re.split(r" (?:of|on|in|at|from|for|with|who|that|which) ", text)[0].split()[-1]
    return head[:1].islower() and head.endswith("s") and not head.endswith(("ss", "us", "is"))


def _from_question(question: ParsedQuestion) -> Iterator[Mention]:
    """Yield phrases: the subject, unless it acts for people, the object, then the others, and last who acts."""
    asked = wh_span(question)
    found = []
    for phrase in phrases_of(question):
        kind = ("person" if phrase.is_person else "group" if phrase.is_group else "date" if phrase.is_date
                else "place" if phrase.label in ("GPE", "LOC", "FAC")
                else "" if phrase.is_name or "PERSON" in labels_of(phrase.lemma) else "thing")  # fmt: skip
        text = make_definite(lower_initial(span_text(question, phrase.span)))
        bare = not (phrase.is_name or phrase.plural or phrase.article or "'" in text)
        if bare and "PERSON" in labels_of(phrase.lemma):
            text = f"the {text}"  # "elected treasurer"
        before = question.tokens[phrase.base[0] - 1].text.lower() if phrase.base[0] else ""
        place = before if before in PLACE_WORDS and kind != "date" else "at" if kind == "group" else ""
        order = 0 if phrase.role in SUBJECTS or phrase.role == "attr" else 1 if phrase.role == "dobj" else 2
        sex = _sex(text, phrase.lemma)
        mention = Mention(text, kind, phrase.plural, sex, 0, 0, phrase.role, "", place)
        found.append((order + 3 * (kind == "group"), mention))
    heads = [i for i in range(*asked) if question.tokens[i].pos == "NOUN"]
    if heads and question.tokens[asked[1] - 1].pos == "NOUN":
        noun = span_text(question, (heads[0], asked[1]))
        plural = question.tokens[heads[-1]].tag == "NNS"
        found.append((0 if plural else 3, Mention(f"the {noun}", "thing", plural, "", 0, 0, "asked")))
    yield from (mention for _, mention in sorted(found, key=lambda each: each[0]))


def _sex(text: str, lemma: str = "") -> str:
    words = set(re.findall(r"\w+", text.lower().split(" of ")[0]))
    if lemma:
        words.add(lemma)
    return sex_of(text) or sex_of(lemma) or ("she" if words & _WOMEN else "he" if words & _MEN else "")


def _seems(text: str) -> str:
    """Return what the ending of a first name suggests: in most European languages -a is a woman's."""
    first = re.findall(r"\w+", text)[:1]
    return "she" if first and first[0][:1].isupper() and first[0].endswith(("a", "ine", "elle")) else "he"


@dataclass(frozen=True, slots=True)
class Replacement:
    """An edit of the question: tokens and what stands for them; `word` was replaced by `by`."""

    span: tuple[int, int]
    text: str
    word: str
    by: str


def references(question: ParsedQuestion) -> list[int]:
    """Return the tokens that mean something outside the question."""
    tokens = question.tokens
    found = []
    for i, token in enumerate(tokens):
        word = token.text.lower()
        if token.tag in ("PRP", "PRP$") and word in _SHE | _HE | _THEY | _IT:
            if not _is_inside(question, i) and not _is_empty(tokens, i):
                found.append(i)
        elif word in ("that", "this", "those", "these") and token.pos in ("DET", "PRON"):
            if token.dep not in ("mark", "det") and token.tag not in ("WDT", "IN"):
                found.append(i)
        elif word == "there" and token.tag != "EX" and token.dep != "expl" or word == "then" and i > 0:
            found.append(i)
    return found


def _is_empty(tokens: Sequence[Token], i: int) -> bool:
    """Return whether "it" means nothing: "How long does it take to ...", "Is it true that ...", "Is it raining?"."""
    if tokens[i].text.lower() != "it" or tokens[i].dep not in SUBJECTS:
        return False
    verb = tokens[i].head
    clause = any(t.head == verb and t.dep in ("ccomp", "xcomp", "csubj", "advcl") for t in tokens)
    adjective = {j for j, t in enumerate(tokens) if t.head == verb and t.dep == "acomp"}
    clause = clause or any(t.head in adjective and t.dep in ("ccomp", "xcomp") for t in tokens)
    return clause and tokens[verb].lemma in ("be", "take", "seem", "appear", "cost") or tokens[verb].lemma in (
        "rain", "snow")  # fmt: skip


def _is_inside(question: ParsedQuestion, i: int) -> bool:
    """Return whether the question itself names, before the pronoun, whom it means: "did Ann sell her house"."""
    tokens, word = question.tokens, question.tokens[i].text.lower()
    sex = "she" if word in _SHE else "he" if word in _HE else ""
    for phrase in phrases_of(question):
        # An object is never the subject of its own verb; a subject may be one of the clause before.
        own = tokens[i].tag != "PRP$" and _clause(tokens, phrase.head) == _clause(tokens, i)
        if phrase.head > i or own or phrase.role not in (*SUBJECTS, "dobj", "pobj") or phrase.is_date:
            continue
        many, person = phrase.plural or phrase.is_group, phrase.is_person or phrase.is_name
        if sex and not many and (person or phrase.role in SUBJECTS):
            if _sex(span_text(question, phrase.base), phrase.lemma) in ("", sex):
                return True
        elif word in _THEY and many or word in _IT and not (phrase.is_person or phrase.plural):
            return True
    return False


def _clause(tokens: Sequence[Token], i: int) -> int:
    while tokens[i].head != i and tokens[i].pos not in ("VERB", "AUX"):
        i = tokens[i].head
    return i


def resolve(question: ParsedQuestion, turns: Sequence[Turn], parse: Parse) -> list[Replacement] | None:
    """Return what every reference stands for; None where one of them fits nothing that was named."""
    found: list[Replacement] = []
    known = list(mentions(turns, parse))
    pointers: dict[str, list[int]] = {}  # tokens by what kind of pronoun they are
    for i in references(question):
        word = question.tokens[i].text.lower()
        if word in ("that", "this", "it") and (edit := _event(question, i, turns, parse)):
            found.append(edit)
            continue
        if word in ("that", "this") and question.tokens[question.tokens[i].head].lemma in _CLAUSE_TAKERS:
            continue
        group = "she" if word in _SHE else "he" if word in _HE else "they" if word in _THEY else (
            word if word in ("there", "then") else "it")  # fmt: skip
        pointers.setdefault(group, []).append(i)
    chosen = _choose(question, pointers, known)
    if any(group not in chosen and group not in ("there", "then") for group in pointers):
        return None
    found += [_edit(question, i, mention) for group, mention in chosen.items() for i in pointers[group]]
    return found or None


def _choose(
    question: ParsedQuestion, pointers: dict[str, list[int]], known: Sequence[Mention]
) -> dict[str, Mention]:
    """Return the likeliest mention for each kind of pronoun, no two of them the same."""
    own = question.text.lower()
    options = []
    for group, places in pointers.items():
        fitting = [m for m in known if m.text.lower() not in own and _fits(group, m)]
        costs = sorted(((_cost(question, places[0], group, m), n) for n, m in enumerate(fitting)))[:_OPTIONS]
        if costs:
            options.append([(group, fitting[n], cost) for cost, n in costs])
    best = min(
        (choice for choice in product(*options) if len({m.text for _, m, _ in choice}) == len(choice)),
        key=lambda choice: tuple(map(sum, zip(*(cost for _, _, cost in choice), strict=True))),
        default=(),
    )
    return {group: mention for group, mention, _ in best}


def _cost(question: ParsedQuestion, i: int, group: str, mention: Mention) -> tuple[float, float, int]:
    """Return how unlikely it is that a pronoun means the mention: not the same act, turns back with doubts, rank."""
    token = question.tokens[i]
    verb = question.tokens[token.head].lemma
    same_role = mention.role == token.dep or {mention.role, token.dep} <= {"dobj", "nsubjpass", "pobj"}
    repeated = mention.turn == 0 and mention.verb == verb and verb not in ("be", "do", "have") and same_role
    doubt = 0.0
    if group in ("she", "he"):
        # Somebody of whom the sex is known, one turn earlier, before somebody who only may be meant.
        doubt = 0.0 if mention.sex == group else 0.5 if _seems(mention.text) == group else 1.6
        doubt += 1.2 * (mention.kind == "thing")  # "the stranger": no list knows all that people are called
    elif group == "they":
        doubt = 0.0 if mention.plural else 2.5
    elif group == "it":
        doubt = {"group": 0.8, "": 0.2, "place": 0.4}.get(mention.kind, 0.0) + 0.9 * (
            mention.role == "identity"
        )
        # "What does it cover?" "Wear." "Is it transferable?": the subject goes on.
        doubt += 0.1 * (mention.role == "filler" and token.dep in SUBJECTS)
    elif group == "there":
        doubt = 0.0 if mention.kind == "place" else 0.6 if mention.place != "at" else 0.9
    return 0.0 if repeated else 1.0, mention.turn + doubt, mention.rank


def _fits(group: str, mention: Mention) -> bool:
    if group in ("she", "he"):
        acts = mention.kind == "thing" and mention.role == "nsubj" and mention.verb not in ("", "be")
        return (mention.kind in ("person", "") or acts) and not mention.plural and mention.sex in ("", group)
    if group == "they":
        return mention.kind != "date" and (mention.plural or mention.kind in ("group", "person"))
    if group == "there":
        return mention.kind == "place" or bool(mention.place)
    if group == "then":
        return mention.kind == "date"
    return mention.kind not in ("person", "date") and (not mention.plural or mention.kind == "group")


def _edit(question: ParsedQuestion, i: int, mention: Mention) -> Replacement:
    tokens, word, chosen = question.tokens, question.tokens[i].text, mention.text
    if tokens[i].tag == "PRP$":
        head = tokens[i].head
        if len(chosen.split()) > 3 and head > i:
            owned = span_text(question, (i + 1, head + 1))
            return Replacement((i, head + 1), f"the {owned} of {chosen}", word, chosen)
        ending = "'" if chosen.endswith("s") and not chosen[:1].isupper() else "'s"
        return Replacement((i, i + 1), f"{chosen}{ending}", word, chosen)
    if word.lower() in ("there", "then"):
        begins, before = chosen.split()[0].lower() in _PREPOSITIONS, i > 0 and tokens[i - 1].pos == "ADP"
        if begins and before:
            chosen = chosen.split(" ", 1)[1]
        elif not begins and not before:
            day = mention.kind == "date" and re.search(r"\d{1,2} [A-Z]|[A-Z]\w+ \d{1,2}\b|day\b", chosen)
            named = chosen[:1].isupper() or chosen[:1].isdigit()
            chosen = f"{mention.place or ('on' if day else 'in' if named else 'at')} {chosen}"
    return Replacement((i, i + 1), chosen, word, chosen)


def _event(question: ParsedQuestion, i: int, turns: Sequence[Turn], parse: Parse) -> Replacement | None:
    """Return what "that" stands for where it is an act: "Who decided that?", "When did he do that?"."""
    tokens, frame, word = question.tokens, frame_of(parse(turns[-1].question)), question.tokens[i].text
    if frame is None or not i or not ends_question(tokens, i):
        return None
    if tokens[i - 1].lemma == "do":
        act = predicate(frame)
        return Replacement((i - 1, i + 1), act, f"{tokens[i - 1].text} {word}", act) if act else None
    if word == "it" or not {tokens[tokens[i].head].lemma, tokens[i - 1].lemma} & _CLAUSE_TAKERS:
        return None
    act = statement(frame)
    return Replacement((i, i + 1), f"that {act}", word, f"that {act}") if act else None


def predicate(frame: Frame) -> str:
    """Return "change the password" of "Who changed the password?" and of "When did he change the password?"."""
    tokens = frame.question.tokens
    verb = tokens[frame.verb]
    if verb.lemma == "be" or verb.tag == "VBN" and tokens[frame.carrier].lemma == "be":
        return ""
    return f"{verb.lemma} {frame.words(frame.verb + 1)}".strip()


def statement(frame: Frame) -> str:
    """Return "the release was postponed" of "Why was the release postponed?"; "" where the verb would change."""
    question, carrier = frame.question, frame.carrier
    if question.tokens[carrier].lemma == "do":
        return ""
    subject = lower_initial(span_text(question, frame.subject))
    if not frame.has_subject:
        noun = span_text(question, (question.question_token + 1, frame.question_words[1]))
        if not noun or question.type not in (QuestionType.WHICH, QuestionType.WHAT):
            return ""
        subject = f"the {noun}"
    rest = frame.words(max(frame.subject[1], carrier + 1))
    return f"{subject} {frame.words(carrier, carrier + 1)} {rest}".strip()
