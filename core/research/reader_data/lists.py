"""Questions whose answer is a list, split into its members: human-made ones, and generated ones from unlabelled
text.

A question is a list question if its answer has three members or more ("A, B and C"). In every second text the list
is set as lines, and names stand under labels ("Present: A, B, C"), as in manuals and minutes.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spacy.tokens import Span

from core.answering.listing import parted
from core.models import spacy_model
from core.research.reader_data import clause_questions as forms
from core.research.reader_data.clause import clauses
from core.research.reader_data.making import BROKEN, Document, Passage, fit, passages
from core.research.reader_data.texts import Record, read_lines, record

_LEAST = 3  # members
_LABELS = {
    "Present": ("Who was present?", "Who attended?", "Who was at the meeting?", "who came"),
    "Apologies": ("Who sent apologies?", "Who could not come?", "Who was excused?"),
    "Participants": ("Who took part?", "List the participants.", "Who are the participants?"),
    "Members": ("Who are the members?", "Which members are there?", "Name all members."),
    "Signed by": ("Who signed?", "By whom was it signed?", "who signed this"),
    "Cc": ("Who received a copy?", "To whom did copies go?"),
}


@dataclass(frozen=True)
class Listed:
    """`members` are (start, end) in `text`."""

    question: str
    title: str
    text: str
    members: tuple[tuple[int, int], ...]
    source: str

    def line(self, id: str) -> Record:
        answers = [(start, self.text[start:end]) for start, end in self.members]
        return record(id, self.question, self.title, self.text, answers, "several", source=self.source)


def in_lines(listed: Listed, chance: random.Random) -> Listed:
    """Move the list below its sentence, a member a line; the sentence keeps its other words."""
    text, (first, *_), (*_, last) = listed.text, listed.members, listed.members
    begin = max((text.rfind(mark, 0, first[0]) for mark in (". ", "? ", "! ", "\n")), default=-1)
    begin = begin + 1 if begin >= 0 else 0
    rest = re.search(r"[.!?](?:\s|$)|\n|$", text[last[1] :])
    assert rest is not None
    end = last[1] + rest.start()
    sentence = " ".join(f"{text[begin : first[0]]} {text[last[1] : end]}".split()).rstrip(" ,;:-")
    mark = chance.choice(("- ", "* ", "• ", "", "1. "))
    output = f"{text[:begin].rstrip()}\n{sentence}:".lstrip()
    places = []
    for number, (a, b) in enumerate(listed.members, 1):
        output += "\n" + mark.replace("1", str(number))
        places.append((len(output), len(output) + b - a))
        output += text[a:b]
    after = text[end:].lstrip(".!? \n")
    return replace(listed, text=f"{output}\n{after}", members=tuple(places))


def of_people(row: dict[str, Any]) -> Listed | None:
    """Return a human-made question as a list question; None if it is none."""
    answers = row["answers"] if row["kind"] == "span" else []
    places = [(each["start"], each["start"] + len(each["text"])) for each in answers]
    members = places if row.get("together") else []
    if not members and places:
        members = list(parted(row["text"], *max(places, key=lambda place: place[1] - place[0])))
    if len(members) < _LEAST:
        return None
    return Listed(row["question"], row.get("title", ""), row["text"], tuple(members), "lists")


def make_lists(path: Path, seed: int) -> Iterator[Listed]:
    """Yield lists from unlabelled documents: coordinations that answer a generated question, and lists under a
    label.
    """
    chance, parser = random.Random(seed), spacy_model.load()
    names: dict[str, None] = {}
    for row in read_lines(path):
        document = Document.of(row)
        for passage in passages(document, parser, chance):
            names |= {each.text: None for each in passage.entities() if each.label_ == "PERSON"}
            found = list(_list_questions(passage, document, chance))
            if found:
                yield chance.choice(found)
            if len(names) > 40 and chance.random() < 0.1:
                yield _labelled(passage.text, row["title"], list(names)[-40:], chance)


def _list_questions(passage: Passage, document: Document, chance: random.Random) -> Iterator[Listed]:
    for number, doc in enumerate(passage.docs):
        if passage.paragraphs[number].speaker:
            continue
        for sentence in doc.sents:
            if not 5 <= len(sentence) <= 50 or BROKEN.search(sentence.text):
                continue
            for clause in clauses(sentence, None, {}):
                for asked in forms.span_questions(clause, chance):
                    if asked.answer is not None and _short(asked, sentence, document):
                        first = passage.starts[number] + asked.answer.start_char
                        members = parted(passage.text, first, first + len(asked.answer.text))
                        if members:
                            source = f"made-lists-{document.kind}"
                            yield Listed(asked.question, document.title, passage.text, members, source)


def _short(asked: forms.Asked, sentence: Span, document: Document) -> bool:
    """Return whether it is short enough for a question, however long the list."""
    assert asked.answer is not None
    return fit(replace(asked, answer=asked.answer[:2]), sentence, document.kind, [])


def _labelled(text: str, title: str, names: list[str], chance: random.Random) -> Listed:
    """Put labelled lists of names above a text, and ask for one of them."""
    asked, *others = chance.sample(sorted(_LABELS), chance.choice((1, 2, 3)))
    header, members = "", []
    for label in chance.sample([asked, *others], 1 + len(others)):
        header += f"{label}: "
        for place, name in enumerate(chance.sample(names, chance.randint(2, 8))):
            header += ", " if place else ""
            if label == asked:
                members.append((len(header), len(header) + len(name)))
            header += name
        header += "\n"
    return Listed(chance.choice(_LABELS[asked]), title, header + text, tuple(members), "made-lists-label")
