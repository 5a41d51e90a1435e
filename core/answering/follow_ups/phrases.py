"""The parts of a question that a follow-up replaces: its noun phrases, its question words, subject and predicate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.extraction.question import ParsedQuestion, QuestionType
from core.extraction.question_names import Name, Token, subtree
from core.extraction.question_words import DATES, LABELS, labels_of

Span = tuple[int, int]  # tokens, half open
_GROUPS = frozenset("council committee board team party jury group staff panel class crew family".split())
_MONTHS = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday"
    " thursday friday saturday sunday today yesterday tomorrow spring summer autumn winter year month week day"
    " morning evening century".split()
)
PLURAL_OF = {"is": "are", "was": "were", "does": "do", "has": "have"}
_NOUNS = ("NOUN", "PROPN")
PLACE_WORDS = frozenset("in on at inside outside near under behind".split())
SUBJECTS = ("nsubj", "nsubjpass")
_INSIDE = ("det", "amod", "compound", "nummod", "poss", "nmod", "case", "advmod", "quantmod")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: `base` without what follows its head, `span` with it; `label` is spaCy's, "" where unknown."""

    base: Span
    span: Span
    head: int
    lemma: str
    label: str
    role: str  # dependency of the head
    plural: bool
    is_name: bool
    article: str  # "the", "a" or ""
    is_numbered: bool  # "clause 7"

    @property
    def is_person(self) -> bool:
        return self.label == "PERSON"

    @property
    def is_group(self) -> bool:
        return self.label in ("ORG", "NORP")

    @property
    def is_date(self) -> bool:
        return self.label in ("DATE", "TIME")


def span_text(question: ParsedQuestion, span: Span) -> str:
    """Return the words of tokens [first, last) as they were typed."""
    first, last = span
    if first >= last:
        return ""
    return question.text[question.tokens[first].start : question.tokens[last - 1].end]


def render(question: ParsedQuestion, edits: Iterable[tuple[Span, str]]) -> str:
    """Return the question with spans replaced, its first letter a capital. Of edits that overlap the first holds."""
    pieces, at = [], 0
    for (first, last), words in sorted(edits):
        tokens = question.tokens
        end = len(question.text)
        start = tokens[first].start if first < len(tokens) else end
        if start < at:
            continue
        pieces += [question.text[at:start], f" {words} " if first == last else words]
        at = tokens[last - 1].end if last > first else start
    return as_sentence("".join([*pieces, question.text[at:]]))


def as_sentence(text: str) -> str:
    """Return one line with a capital at its beginning and one question mark, or none after an order, at its end."""
    text = " ".join(text.split()).replace(" ?", "?").replace(" ,", ",")
    text = text.rstrip("?!. ") + ("?" if "?" in text else "")
    return text[:1].upper() + text[1:]


def make_definite(text: str) -> str:
    """Return "the product" for "a product": it was mentioned before."""
    first, _, rest = text.partition(" ")
    return f"the {rest}" if first.lower() in ("a", "an", "any", "some", "this", "that") and rest else text


def lower_initial(text: str) -> str:
    """Return a phrase as it stands within a sentence: "The lease" begins in lower case, a name does not."""
    first = text.split(" ", 1)[0]
    known = ("The", "A", "An", "His", "Her", "Its", "Their", "In", "On", "At", "Under", "By", "To", "With")
    return text[:1].lower() + text[1:] if first in known else text


def phrases_of(question: ParsedQuestion) -> tuple[Phrase, ...]:
    """Return the noun phrases in order, those inside others included; not the question words."""
    tokens, asked = question.tokens, wh_span(question)
    names = {_head(tokens, name.first, name.last): name for name in question.names}
    for at, each in tuple(names.items()):
        outer = tokens[tokens[at].head]
        if tokens[at].dep == "compound" and tokens[at].head >= each.last and outer.dep != "ROOT":
            del names[at]  # "the Meier family" is no Meier
    inside = {i for name in question.names for i in range(name.first, name.last)} - names.keys()
    found = []
    for i, token in enumerate(tokens):
        name = names.get(i)
        if asked[0] <= i < asked[1] or i in inside or name is None and not _is_head(tokens, i):
            continue
        first = min([*_before(tokens, i), i, name.first if name else i])
        if token.dep == "ROOT" and first < i and any(t.dep == "aux" and t.head == i for t in tokens):
            i, token = i - 1, tokens[i - 1]  # "does the insurance cover": the verb was read as a noun
        if name is not None and first > 0 and tokens[first - 1].tag == "DT":
            first -= 1
        last = name.last if name else i + 1 + _is_numbered(tokens, i)
        article = tokens[first].text.lower() if tokens[first].tag == "DT" else ""
        plural = token.tag in ("NNS", "NNPS") or any(t.dep == "conj" and t.head == i for t in tokens)
        if token.dep in SUBJECTS and tokens[min(asked[1], len(tokens) - 1)].text.lower() in PLURAL_OF:
            plural = False  # "Does the species", "Is the news"
        found.append(
            Phrase(
                base=(first, last),
                span=(first, max(last, _after(tokens, i))),
                head=i,
                lemma=token.lemma,
                label=_label(tokens, i, name),
                role="nsubj" if token.dep == "compound" else token.dep,
                plural=plural,
                is_name=name is not None,
                article="a" if article == "an" else article,
                is_numbered=tokens[last - 1].tag == "CD",
            )
        )
    return tuple(found)


def _is_head(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    if token.tag == "CD":
        return _is_date(tokens, i)
    if token.pos in ("PRON", "DET", "ADV") or token.dep == "compound" and tokens[token.head].pos in _NOUNS:
        return False
    return token.pos in _NOUNS or token.dep in (*SUBJECTS, "pobj", "dobj")


def _is_numbered(tokens: Sequence[Token], i: int) -> bool:
    """Return whether a number that is no year follows: "clause 7"."""
    return i + 1 < len(tokens) and tokens[i + 1].tag == "CD" and not _is_date(tokens, i + 1)


def _label(tokens: Sequence[Token], i: int, name: Name | None) -> str:
    if _is_date(tokens, i):
        return "DATE"
    if name is not None:
        return name.label
    lemma = tokens[i].lemma
    known = ("ORG",) if lemma in _GROUPS else labels_of(lemma)
    # An ending in -er tells a person only of who acts: a dinner is none.
    acts = lemma in LABELS or tokens[i].dep in (*SUBJECTS, "ROOT")
    if "PERSON" in known:
        return "PERSON" if acts else ""
    return next((label for label in known if label not in ("DATE", "TIME")), "")


def _head(tokens: Sequence[Token], first: int, last: int) -> int:
    """Return the token of a name on which its others hang: "clause" of "clause 7"."""
    outside = [i for i in range(first, last) if not first <= tokens[i].head < last or tokens[i].head == i]
    return next((i for i in reversed(outside) if tokens[i].tag != "CD"), last - 1)


def _before(tokens: Sequence[Token], head: int) -> list[int]:
    """Return the tokens that lead to a head noun without a gap."""
    own, j = subtree(tuple(tokens), head), head - 1
    while j in own and (tokens[j].dep in _INSIDE or tokens[j].head != head):
        j -= 1
    return list(range(j + 1, head))


def _after(tokens: Sequence[Token], head: int) -> int:
    """Return the end of what belongs to a head noun and follows it; a participle at the very end is the predicate."""
    own = subtree(tuple(tokens), head)
    for j, token in enumerate(tokens):
        if token.dep == "acl" and token.head == head and ends_question(tokens, j):
            own -= subtree(tuple(tokens), j)
    end = head + 1
    while end in own and tokens[end].tag not in (".", ",", "POS"):
        end += 1
    return end


def ends_question(tokens: Sequence[Token], at: int) -> bool:
    """Return whether nothing but punctuation follows a token."""
    return all(token.pos == "PUNCT" for token in tokens[at + 1 :])


def _is_date(tokens: Sequence[Token], i: int) -> bool:
    token = tokens[i]
    year = token.text.isdigit() and len(token.text) == 4 and token.text[0] in "12"
    return token.label in DATES or token.lemma in _MONTHS and token.text != "may" or year


def wh_span(question: ParsedQuestion) -> Span:
    """Return the tokens of the question words with what they determine: "for how long", "which members of the club"."""
    tokens, at = question.tokens, question.question_token
    if at < 0 or question.type is QuestionType.YES_NO:
        return max(at, 0), max(at, 0)
    first = at
    while first and (tokens[first - 1].pos in ("ADP", "SCONJ") or tokens[first - 1].text.lower() == "up"):
        first -= 1
    word = tokens[at].text.lower()
    end = at + 1
    if word == "how" and end < len(tokens) and tokens[end].pos in ("ADJ", "ADV"):
        end += 1
    if word in ("which", "what", "whose") or tokens[end - 1].text.lower() in ("many", "much"):
        j = end
        while j < len(tokens) and (tokens[j].pos == "NOUN" or tokens[j].pos in ("ADJ", "PROPN", "NUM")
                                   and tokens[j].dep != "ROOT"):  # fmt: skip
            j += 1
        if j > end and tokens[j - 1].pos in _NOUNS:
            end = _after(tokens, j - 1) if j < len(tokens) and tokens[j].text == "of" else j
    if end < len(tokens) and tokens[end].text.lower() == "else":
        end += 1
    return first, end


@dataclass(frozen=True, slots=True)
class Frame:
    """A question in parts: question words, the verb that carries the tense, subject, main verb, and all that follows.

    `subject` is empty where the question words are the subject; `verb` is the carrier then, or what it helps.
    """

    question: ParsedQuestion
    question_words: Span
    carrier: int
    subject: Span
    verb: int
    end: int  # before the last punctuation

    @property
    def has_subject(self) -> bool:
        return self.subject[0] < self.subject[1]

    def words(self, first: int, last: int | None = None) -> str:
        text = span_text(self.question, (first, self.end if last is None else last))
        return text[:1].lower() + text[1:] if first == self.carrier == 0 else text


def frame_of(question: ParsedQuestion) -> Frame | None:
    """Return the parts of a question that has a verb of its own, else None."""
    tokens, asked = question.tokens, wh_span(question)
    end = len(tokens)
    while end and tokens[end - 1].pos == "PUNCT":
        end -= 1
    carrier = asked[1]
    if question.question_token < 0 or carrier >= end:
        return None
    helping = tokens[carrier].tag == "MD" or tokens[carrier].lemma in ("be", "do", "have")
    if not helping and not tokens[carrier].tag.startswith("VB"):
        return None
    asks_subject = any(tokens[i].dep in SUBJECTS for i in range(*asked))
    subject = _subject(tokens, carrier + 1, end, asks_subject) if helping else (carrier + 1, carrier + 1)
    needs_verb = tokens[carrier].tag == "MD" or tokens[carrier].lemma == "do"
    root = next((i for i in range(carrier + 2, end) if tokens[i].dep == "ROOT"), 0)
    if needs_verb and root and not any(tokens[i].tag.startswith("VB") for i in range(carrier + 1, end)):
        subject = (subject[0], root)  # the verb was read as a noun or adjective
    start = subject[1]
    verbs = (i for i in range(start, end) if tokens[i].tag.startswith("VB") or tokens[i].pos == "VERB")
    verb = next(verbs, min(start, end - 1) if needs_verb and subject[0] < start else carrier)
    if subject[0] == start and (not helping or verb > carrier + 2):
        verb = carrier
    return Frame(question, asked, carrier, subject, verb, end)


def _subject(tokens: Sequence[Token], first: int, end: int, asks_subject: bool) -> Span:
    """Return the noun phrase right behind the carrier; empty where a verb, adjective or preposition follows."""
    if first >= end or tokens[first].pos in ("ADP", "VERB", "ADV", "PART", "AUX"):
        return first, first
    head = next((i for i in range(first, end) if tokens[i].dep in SUBJECTS), -1)
    if head < 0:
        head = next((i for i in range(first, end) if tokens[i].pos in ("NOUN", "PROPN", "PRON")), -1)
        complement = asks_subject and tokens[first].pos not in ("DET", "PROPN")
        if head < 0 or complement and tokens[head].dep in ("oprd", "attr", "dobj", "acomp"):
            return first, first
    if any(t.tag.startswith("VB") and t.dep not in ("amod", "compound") for t in tokens[first:head]):
        return first, first
    return first, min(max(head + 1 + _is_numbered(tokens, head), _after(tokens, head)), end)
