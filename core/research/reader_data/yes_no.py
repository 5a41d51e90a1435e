#!/usr/bin/env python3
"""A test of yes and no, made of people's questions: their answer put in ("Did Anna sign it?"), or another of its kind.

    python -m core.research.reader_data.yes_no SET TARGET.jsonl [--most N] [--seed N]

Each is asked twice of its passage, which says yes to its own answer and no to another of its kind that it names; each
third once more of a passage that only shares words. The words that decide are the answer that the passage gives.
"""

import argparse
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Token

from core.models import spacy_model
from core.models.reader_examples import Example, Kind, read_examples

_WH = {"who", "whom", "what", "which", "when", "where", "how"}
_AUXILIARIES = {"do", "be", "have", "will", "would", "can", "could", "should", "may", "might", "must"}
_DAY = re.compile(r"[A-Za-z]{3,} \d{1,2}\b|\b\d{1,2} [A-Za-z]{3,}")
_SUBJECTS = {"nsubj", "nsubjpass", "expl", "csubj"}
_LONGEST = 8  # words of an answer that can stand in a question
_PREPOSITIONS = {
    "in",
    "on",
    "at",
    "to",
    "from",
    "by",
    "near",
    "under",
    "into",
    "during",
    "after",
    "before",
    "since",
}
_STRANDED = _PREPOSITIONS | {"of", "for", "with", "about", "up"}
_ALIKE = {"GPE": "place", "LOC": "place", "FAC": "place", "DATE": "time", "TIME": "time"}
_ALIKE |= dict.fromkeys(("CARDINAL", "QUANTITY", "MONEY", "PERCENT", "ORDINAL"), "number")
_ALIKE |= {label: label for label in ("PERSON", "ORG", "NORP")}


@dataclass(frozen=True)
class Frame:
    """A question around the place of its answer; `wh` says of what sort that is."""

    before: str
    after: str
    wh: str

    def asked(self, answer: str) -> str:
        text = " ".join(f"{self.before} {answer} {self.after}".split())
        text = re.sub(r"\s+([?.,;:!')\]]|'s\b)", r"\1", text).rstrip("?. ")
        return text[:1].upper() + text[1:] + "?"


def frame(doc: Doc) -> Frame | None:
    """Of a parsed question; None where its answer cannot be put into it."""
    at = next((token.i for token in doc[:3] if token.lower_ in _WH), None)
    if at is None or (at and doc[at - 1].pos_ != "ADP") or doc[-1].i < at + 2:
        return None
    wh, lead = doc[at].lower_, doc[:at].text.lower()
    verb = next((t for t in doc[at + 1 :] if t.pos_ in {"AUX", "VERB"}), None)
    if verb is None or verb.i > at + 5 or "," in doc.text:
        return None
    noun = doc[at + 1 : verb.i]
    if wh == "how":
        if not noun or noun[0].lower_ not in {"many", "much"}:
            return None
        noun = noun[1:]
    elif noun and wh not in {"which", "what"}:
        return None
    noun_text = noun.text if wh == "how" else ""
    rest = doc[verb.i + 1 :].text.rstrip("? ")
    if "do" in {t.lemma_.lower() for t in doc[verb.i + 1 :]}:
        return None  # "What did she do": the answer is no noun
    subject = next((t for t in verb.head.subtree if t.dep_ in _SUBJECTS and t.i > verb.i), None)
    inverted = verb.lemma_.lower() in _AUXILIARIES and any(
        t.dep_ in _SUBJECTS and t.i > verb.i and t.head in (verb, verb.head) for t in doc
    )
    if inverted or (
        subject is None and verb.lemma_ == "be" and verb.head is verb and wh in {"when", "where"}
    ):
        return Frame(f"{verb.text} {rest} {lead}", noun_text, wh)
    return _of_subject(verb, rest, noun_text, wh) if not lead else None


def _of_subject(verb: Token, rest: str, kept: str, wh: str) -> Frame | None:
    """The answer as the subject: "Who gave it?" becomes "Did ... give it?"."""
    if wh in {"when", "where"} or rest.split()[-1:] and rest.split()[-1].lower() in _STRANDED:
        return None
    if (
        verb.lemma_.lower() in _AUXILIARIES
        and verb.lemma_ not in {"do", "have"}
        or verb.dep_ in {"aux", "auxpass"}
    ):
        return Frame(verb.text, f"{kept} {rest}", wh)
    auxiliary = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(verb.tag_)
    return Frame(auxiliary, f"{kept} {verb.lemma_} {rest}", wh) if auxiliary else None


def _fitted(answer: str, made: Frame) -> str:
    """With the preposition that its place in the question wants."""
    answer = answer.strip(" .,;:\"'")
    first = answer.split()[0].lower() if answer else ""
    if made.before.split()[-1:] and made.before.split()[-1].lower() in _STRANDED:
        return answer
    if made.wh == "when" and first not in _PREPOSITIONS and first not in {"last", "next", "every"}:
        return f"{'on' if _DAY.search(answer) else 'in'} {answer}"
    if made.wh == "where" and first not in _PREPOSITIONS:
        return f"in {answer}"
    return answer


def made(path: Path, most: int, chance: random.Random, parser: Language) -> Iterator[dict[str, Any]]:
    rows = [_row(example) for example in read_examples(path) if example.kind is Kind.SPAN]
    rows = [row for row in rows if _short(row)]
    chance.shuffle(rows)
    rows = rows[: 3 * most]
    frames = [frame(doc) for doc in parser.pipe(_cased(row["question"]) for row in rows)]
    pairs = [(row, parsed) for row, parsed in zip(rows, frames, strict=True) if parsed is not None][:most]
    others: dict[tuple[str, str], list[str]] = defaultdict(list)  # answers of one passage by their wh-word
    for row, parsed in zip(rows, frames, strict=True):
        if parsed is not None:
            others[row["text"], parsed.wh].append(row["answers"][0]["text"])
    texts = parser.pipe((row["text"] for row, _ in pairs), batch_size=32)
    for number, ((row, parsed), doc) in enumerate(zip(pairs, texts, strict=True)):
        answer = min(row["answers"], key=lambda each: len(each["text"]))
        rival = _rival(row, doc, others[row["text"], parsed.wh], chance)
        if rival is None:
            continue
        yield _line(row, parsed, "yes", answer["text"], chance)
        yield _line(row, parsed, "no", rival, chance)
        if number % 3 == 0:
            other = _near(row, [each for each, _ in pairs], chance)
            moved = row | {"text": other["text"], "title": other.get("title", ""), "answers": []}
            yield _line(moved, parsed, "none", answer["text"], chance)


def _row(example: Example) -> dict[str, Any]:
    answers = [{"text": example.text[start:end], "start": start} for start, end in example.spans]
    record = {"id": example.id, "question": example.question, "title": example.title}
    return record | {"text": example.text, "answers": answers}


def _line(row: dict[str, Any], made: Frame, kind: str, said: str, chance: random.Random) -> dict[str, Any]:
    asked = made.asked(_fitted(said, made))
    if row["question"].islower() or chance.random() < 0.15:
        asked = asked.lower().rstrip("?")
    record = {"id": f"{kind}-{row['id']}", "question": asked, "title": row.get("title", "")}
    return record | {"text": row["text"], "answers": row["answers"][:1], "kind": kind, "source": "yes-no"}


def _short(row: dict[str, Any]) -> bool:
    texts = [each["text"] for each in row["answers"]]
    return bool(texts) and all(
        0 < len(text.split()) <= _LONGEST and not re.search(r"[\n|;\"“”]", text) for text in texts
    )


def _cased(question: str) -> str:
    question = question.strip()
    return question[:1].upper() + question[1:].rstrip("? ") + "?"


def _rival(row: dict[str, Any], doc: Doc, answers: list[str], chance: random.Random) -> str | None:
    """Another of its kind that the passage names, which does not answer."""
    right = {word for each in row["answers"] for word in re.findall(r"\w+", each["text"].lower())}
    right |= set(re.findall(r"\w+", row["question"].lower()))
    first = row["answers"][0]
    own = doc.char_span(first["start"], first["start"] + len(first["text"]), alignment_mode="expand")
    if own is None:
        return None
    sorts = {_ALIKE.get(entity.label_) for entity in own.ents} - {None}
    fitting = [e.text for e in doc.ents if _ALIKE.get(e.label_) in sorts] + answers
    if not sorts and own.root.pos_ == "NOUN":
        fitting += [
            c.text for c in doc.noun_chunks if (c.root.tag_, c.root.dep_) == (own.root.tag_, own.root.dep_)
        ]
    fitting = [
        text for text in fitting if len(text.split()) <= _LONGEST and not re.search(r"[\n|;\"“”]", text)
    ]
    fitting = [text for text in fitting if not right & set(re.findall(r"\w+", text.lower()))]
    return chance.choice(fitting) if fitting else None


def _near(row: dict[str, Any], rows: list[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    """Of some passages that do not hold the answer the one that shares most words with the question."""
    asked = set(re.findall(r"\w{4,}", row["question"].lower()))
    answer = row["answers"][0]["text"].lower()
    some = [each for each in chance.sample(rows, min(60, len(rows))) if answer not in each["text"].lower()]
    return max(some, key=lambda each: len(asked & set(re.findall(r"\w{4,}", each["text"].lower()))))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--most", type=int, default=600, help="questions that are made into two or three")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    chance, model = random.Random(args.seed), spacy_model.load()
    counts: dict[str, int] = defaultdict(int)
    with args.target.open("w", encoding="utf-8") as out:
        for row in made(args.set, args.most, chance, model):
            counts[row["kind"]] += 1
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(dict(counts))


if __name__ == "__main__":
    main()
