"""Questions generated from parsed, unlabelled text as training data for a reader, answerable or not.

Every document is cut into passages of 80 to 250 words, with up to four questions of different forms each. About a
third are yes/no questions or unanswerable ones: asked of a neighbouring passage, or with a name exchanged.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from core.research.reader_data import clause_questions as forms
from core.research.reader_data.clause import SUBJECTS, Voice, clauses
from core.research.reader_data.texts import Record, record

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

MOST = 4  # questions of a passage
_UNFIT = re.compile(r"[\"“”()\[\]{}<>|*_=#\\~^]|https?:|www\.|--|``|''|\.\.|—|;|:\s")
BROKEN = re.compile(
    r"[\"“”‘*_<>{}|\\]|--|—|\n|(?<!\w)'(?!\w{1,2}\b)|https?:"
)  # characters at which the parser may split wrongly
_FRAME = re.compile(
    r"^(what is the name of the person who|(in|at|for|since)? ?(what|which|who|when|where|whose|why|how))\b"
)
_COMMON = set(
    "what which when where whose many much does have will would could should been being with from that this about into "
    "name person kind sort time place year than then them they their very also just like make made take took come came "
    "thing things know said want have going".split()
)
_EXCHANGED = ("PERSON", "GPE", "ORG", "DATE", "CARDINAL", "MONEY", "NORP", "TIME", "FAC", "LOC")


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, or a turn of a `speaker`; `prefix` precedes its words ("[9:14] Anna: ")."""

    text: str
    speaker: str = ""
    prefix: str = ""
    possessive: str = "their"


@dataclass(frozen=True)
class Document:
    title: str
    kind: str  # chat, novel, manual, mail, contract, minutes, web
    paragraphs: tuple[Paragraph, ...]

    @classmethod
    def of(cls, row: dict[str, Any]) -> Document:
        """Return the document of a line that `gather` wrote."""
        return cls(row["title"], row["kind"], tuple(Paragraph(**each) for each in row["paragraphs"]))


@dataclass(frozen=True)
class Question:
    """`answers`: text with the offset of its first character in `text`; none if the passage does not answer it."""

    question: str
    title: str
    text: str
    answers: tuple[tuple[str, int], ...]
    kind: str  # span, yes, no, sentences, none
    source: str
    form: str

    def line(self, id: str) -> Record:
        answers = [(start, text) for text, start in self.answers]
        more = {"source": self.source, "form": self.form}
        return record(id, self.question, self.title, self.text, answers, self.kind, **more)


@dataclass(frozen=True)
class Passage:
    text: str
    speakers: tuple[str, ...]
    starts: tuple[int, ...]  # of each paragraph's words in `text`
    paragraphs: tuple[Paragraph, ...]
    docs: tuple[Doc, ...]

    def entities(self) -> Iterator[Span]:
        return (entity for doc in self.docs for entity in doc.ents if entity.label_ in _EXCHANGED)


def questions(documents: Iterable[Document], parser: Language, seed: int) -> Iterator[Question]:
    """Yield the questions of each document in turn; the same ones for the same seed."""
    chance = random.Random(seed)
    before: list[Passage] = []
    for document in documents:
        cut = list(passages(document, parser, chance))
        pool = _pool(before + cut)
        for passage in cut:
            others = [p for p in cut if p is not passage] or before
            for question in _of_passage(passage, document, others, pool, chance):
                yield replace(question, question=_varied(question.question, question, chance))
        before = (before + cut)[-8:]


def passages(document: Document, parser: Language, chance: random.Random) -> Iterator[Passage]:
    docs = parser.pipe([p.text for p in document.paragraphs], batch_size=64)
    buffer: list[tuple[Paragraph, Doc]] = []
    size, wanted = 0, chance.randint(80, 220)
    for paragraph, doc in zip(document.paragraphs, docs, strict=True):
        if buffer and size + len(doc) > 290:
            yield _passage(buffer)
            buffer, size, wanted = [], 0, chance.randint(80, 220)
        buffer.append((paragraph, doc))
        size += len(doc)
        if size >= wanted:
            yield _passage(buffer)
            buffer, size, wanted = [], 0, chance.randint(80, 220)
    if size >= 60:
        yield _passage(buffer)


def _passage(parts: list[tuple[Paragraph, Doc]]) -> Passage:
    text, starts = "", []
    for paragraph, _ in parts:
        text += ("\n" if text else "") + paragraph.prefix
        starts.append(len(text))
        text += paragraph.text
    speakers = tuple(dict.fromkeys(p.speaker for p, _ in parts if p.speaker))
    return Passage(text, speakers, tuple(starts), tuple(p for p, _ in parts), tuple(d for _, d in parts))


def _pool(passages: list[Passage]) -> dict[str, list[str]]:
    """Return names, numbers and dates by label, to exchange for one another."""
    pool: dict[str, dict[str, None]] = defaultdict(dict)
    for passage in passages:
        for entity in passage.entities():
            if len(entity.text) < 40 and not _UNFIT.search(entity.text):
                pool[entity.label_][entity.text] = None
    return {label: list(texts) for label, texts in pool.items()}


def _of_passage(
    passage: Passage,
    document: Document,
    others: list[Passage],
    pool: dict[str, list[str]],
    chance: random.Random,
) -> list[Question]:
    source = f"made-{document.kind}"
    by_form: dict[str, list[Question]] = defaultdict(list)
    polar: list[tuple[Question, Span]] = []
    for number, doc in enumerate(passage.docs):
        for asked, sentence in _asked(passage, number, doc, document, chance):
            question = _question(asked, sentence, passage, number, document.title, source)
            if question is None:
                continue
            if asked.form == "polar":
                polar.append((question, sentence))
            else:
                by_form[asked.form].append(question)
    chosen = [chance.choice(by_form[form]) for form in chance.sample(sorted(by_form), len(by_form))]
    chosen.sort(
        key=lambda q: (q.form == "subject") - (q.kind == "sentences") + chance.random() * 0.9
    )  # the rarer first
    wanted = chance.choice((2, 2, 3))
    chosen, spare = chosen[:wanted], [q for qs in by_form.values() for q in qs]
    if polar and chance.random() < 0.55:
        yes_no = _polar(polar, pool, chance)
        chosen += [yes_no] if yes_no else []
    if spare and chance.random() < 0.6:
        untold = _unanswerable(chance.sample(spare, min(6, len(spare))), passage, others, pool, chance)
        chosen += [untold] if untold else []
    return chosen[:MOST]


def _asked(
    passage: Passage, number: int, doc: Doc, document: Document, chance: random.Random
) -> Iterator[tuple[forms.Asked, Span]]:
    paragraph = passage.paragraphs[number]
    voice = None
    if paragraph.speaker:
        rest = [s for s in passage.speakers if s != paragraph.speaker]
        voice = Voice(paragraph.speaker, rest[0] if len(rest) == 1 else "", paragraph.possessive)
    for sentence in doc.sents:
        if (
            not 5 <= len(sentence) <= 45
            or sentence.text.rstrip().endswith("?")
            or BROKEN.search(sentence.text)
        ):
            continue
        names = {} if voice else _antecedents(sentence, doc)
        subjects = [
            *passage.speakers,
            *names.values(),
            *(e.text for e in sentence.ents if e.label_ == "PERSON"),
        ]
        found: list[forms.Asked | None] = []
        for clause in clauses(sentence, voice, names):
            found += forms.span_questions(clause, chance)
            found += forms.reason_questions(clause, chance)
            found += forms.clause_time_questions(clause, chance)
            found.append(forms.polar_question(clause, chance))
        if document.kind in {"manual", "web", "contract"}:
            found.append(forms.how_to(sentence))
        for asked in found:
            if asked is not None and fit(asked, sentence, document.kind, subjects):
                yield asked, sentence


def _antecedents(sentence: Span, doc: Doc) -> dict[int, str]:
    """Resolve "he" and "she" as subjects to the one person named in the two preceding sentences."""
    names: dict[int, str] = {}
    for token in sentence:
        if token.lower_ in {"he", "she"} and token.dep_ in SUBJECTS:
            people = [
                e for e in doc.ents if e.label_ == "PERSON" and sentence.start - 60 <= e.start < token.i
            ]
            last = {e.text.removesuffix("'s").removesuffix("’s").split()[-1] for e in people}
            if len(last) == 1:
                names[token.i] = max((e.text.removesuffix("'s").removesuffix("’s") for e in people), key=len)
    return names


def fit(asked: forms.Asked, sentence: Span, kind: str, subjects: list[str]) -> bool:
    """Return whether a person could ask it: short, about something, and not referring to its passage."""
    text = asked.question
    low = [w.strip("?,.!'").lower() for w in text.split()]
    content = {w for w in low if len(w) > 3 and w not in _COMMON}
    if (
        not 4 <= len(low) <= 20
        or len(content) < 2
        or "," in text
        or _UNFIT.search(text)
        or any(a == b for a, b in pairwise(low))
    ):
        return False
    if forms.is_vague(_FRAME.sub("", text.lower()), subjects):
        return False
    own = {"i", "me", "my", "we", "us", "our", "you", "your", "mine", "ours"}
    if (
        asked.form != "how to"
        and own & set(low)
        and not (kind == "manual" and not own & set(low) - {"you", "your"})
    ):
        return False
    if asked.answer is None:
        return True
    answer = asked.answer.text.strip()
    if asked.kind != "span":
        return len(answer) < 350 and "\n" not in answer
    return (
        0 < len(answer.split()) <= 12
        and not _UNFIT.search(answer)
        and answer.lower() not in text.lower()
        and not {t.lower_ for t in asked.answer} & {"i", "me", "he", "she", "it", "this", "these", "that"}
    )


def _question(
    asked: forms.Asked, sentence: Span, passage: Passage, number: int, title: str, source: str
) -> Question | None:
    if asked.answer is None:
        speaker = passage.paragraphs[number].speaker
        header = passage.starts[number] - len(passage.paragraphs[number].prefix)
        start = passage.text.find(speaker, header, passage.starts[number])
        if start < 0:
            return None
        answer = speaker
    else:
        answer = asked.answer.text.rstrip(" ,;")
        start = passage.starts[number] + asked.answer.start_char
        lead = len(answer) - len(answer.lstrip())
        answer, start = answer.lstrip(), start + lead
    return Question(asked.question, title, passage.text, ((answer, start),), asked.kind, source, asked.form)


def _polar(
    polar: list[tuple[Question, Span]], pool: dict[str, list[str]], chance: random.Random
) -> Question | None:
    """Return a yes/no question: negated in the text, or with a name or number exchanged."""
    chance.shuffle(polar)
    if chance.random() < 0.5:
        return next((q for q, _ in polar if q.kind == "yes"), None)
    denied = next((q for q, _ in polar if q.kind == "no"), None)
    if denied and chance.random() < 0.6:
        return denied
    for question, sentence in polar:
        changed = _exchanged(question.question, list(sentence.ents), sentence.text, pool, chance)
        if changed and question.kind == "yes":
            return replace(question, question=changed, kind="no", form="polar, exchanged")
    return denied


def _exchanged(
    question: str, entities: list[Span], around: str, pool: dict[str, list[str]], chance: random.Random
) -> str | None:
    """Exchange one of the entities for another of its type that is not in `around`."""
    for entity in chance.sample(entities, len(entities)):
        if entity.label_ not in _EXCHANGED or not re.search(rf"\b{re.escape(entity.text)}(?!\w)", question):
            continue
        fitting = [
            text
            for text in pool.get(entity.label_, [])
            if text.lower() not in around.lower()
            and entity.text.lower() not in text.lower()
            and (not any(c.isdigit() for c in entity.text) or _shape(text) == _shape(entity.text))
            and text.isdigit() == entity.text.isdigit()
            and (
                entity.label_ not in {"DATE", "TIME"}
                or text.split()[0].lower() == entity.text.split()[0].lower()
            )
            or (entity.label_ == "DATE" and text.isdigit() and entity.text.isdigit() and text != entity.text)
        ]
        if fitting:
            chosen = chance.choice(fitting)
            return re.sub(
                rf"\b{re.escape(entity.text)}(?!\w)", chosen.replace("\\", r"\\"), question, count=1
            )
    return None


def _shape(text: str) -> str:
    return re.sub(r"\d", "d", text)


def _content(text: str) -> set[str]:
    return {w for w in re.findall(r"[a-z0-9]+", text.lower()) if len(w) > 3 and w not in _COMMON}


def _unanswerable(
    answerable: list[Question],
    passage: Passage,
    others: list[Passage],
    pool: dict[str, list[str]],
    chance: random.Random,
) -> Question | None:
    """Return a question that its passage does not answer, similar to one that it does."""
    for question in answerable:
        if chance.random() < 0.6:
            other = _elsewhere(question, passage, others, chance)
        else:
            other = _misnamed(question, passage, pool, chance)
        if other:
            return other
    return None


def _elsewhere(
    question: Question, passage: Passage, others: list[Passage], chance: random.Random
) -> Question | None:
    """Ask the question of the passage that shares most of its words, without its answer."""
    if not question.answers:
        return None
    asked, answer = _content(question.question), question.answers[0][0].lower()
    best: tuple[float, Passage, str] | None = None
    for other in chance.sample(others, min(20, len(others))):
        words = question.question
        if not set(passage.speakers) & set(other.speakers):  # another chat: use its speakers' names
            for old, new in zip(passage.speakers, other.speakers, strict=False):
                words = re.sub(rf"\b{re.escape(old)}\b", new, words)
        asked, text = _content(words), other.text.lower()
        shared = len(asked & _content(text)) / max(1, len(asked))
        if question.kind == "span" and (answer in text or question.form == "who said"):
            continue
        if 0 < shared <= 0.75 and (best is None or shared > best[0]):
            best = (shared, other, words)
    if best is None:
        return None
    return replace(question, question=best[2], text=best[1].text, answers=(), kind="none", form="elsewhere")


def _misnamed(
    question: Question, passage: Passage, pool: dict[str, list[str]], chance: random.Random
) -> Question | None:
    """Ask its own passage the question with a name, number or speaker exchanged."""
    start = question.answers[0][1]
    inside = [n for n, first in enumerate(passage.starts) if first <= max(start, passage.starts[0])][-1]
    if question.form == "who said":
        return None
    speakers = [s for s in passage.speakers if re.search(rf"\b{re.escape(s)}\b", question.question)]
    strangers = [s for s in passage.speakers if s not in speakers]
    if len(speakers) == 1 and strangers:
        stranger = chance.choice(strangers)
        own = " ".join(p.text for p in passage.paragraphs if p.speaker == stranger)
        name = _content(speakers[0])
        if len((_content(question.question) - name) & _content(own)) <= 1:
            words = re.sub(rf"\b{re.escape(speakers[0])}\b", stranger, question.question)
            return replace(question, question=words, answers=(), kind="none", form="other speaker")
    changed = _exchanged(question.question, list(passage.docs[inside].ents), passage.text, pool, chance)
    if changed:
        return replace(question, question=changed, answers=(), kind="none", form="exchanged")
    return None


def _varied(text: str, question: Question, chance: random.Random) -> str:
    """Sometimes lower the case, drop the question mark, or swap two letters of a word."""
    if chance.random() < 0.05:
        long = [w for w in text.rstrip("?").split() if len(w) >= 6 and w.isalpha()]
        if long:
            word = chance.choice(long)
            at = chance.randrange(1, len(word) - 2)
            text = text.replace(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :], 1)
    if chance.random() < 0.15:
        text = text.lower().rstrip("?")
    return text
