"""Public question sets converted to reading sets: one question with its text a line, for `clew research train
reader`.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from core.models.reader import Reader, ReaderPassage, SpanRead
from core.models.reader_examples import Example
from core.research.reader_data.texts import (
    Clones,
    Record,
    Surrounded,
    joined,
    nearest,
    occurrences,
    read_lines,
    record,
)


def fairytales(clones: Clones) -> Iterator[Record]:
    repository, base = "uci-soe/FairytaleQAData", "data-by-train-split"
    for path in clones.paths(repository, f"^{base}/questions/"):
        part, name = path.split("/")[-2:]
        story = name.replace("-questions.csv", "")
        try:
            story_csv = clones.read(repository, f"{base}/section-stories/{part}/{story}-story.csv")
        except subprocess.CalledProcessError:
            continue
        sections = {row["section"]: row["text"] for row in csv.DictReader(io.StringIO(story_csv))}
        for row in csv.DictReader(io.StringIO(clones.read(repository, path))):
            places = [sections[at] for at in re.split(r"\D+", row["cor_section"]) if at in sections]
            answers = [row.get(f"answer{n}") or "" for n in range(1, 7)]
            hit: tuple[str, list[tuple[int, str]]] = ("", [])
            for text in places:
                found = [at for words in answers if words for at in nearest(text, words)]
                if found:
                    hit = (text, list(dict.fromkeys(found)))
                    break
            if hit[1] and len(places) == 1:
                title = story.replace("-", " ")
                id = f"fairytale-{story}-{row['question_id']}"
                yield record(id, row["question"], title, hit[0], hit[1])


def qamr(clones: Clones) -> Iterator[Record]:
    lines = clones.read("uwnlp/qamr", "data/wiki-sentences.tsv").splitlines()
    tokens = dict(line.split("\t")[:2] for line in lines)
    around = Surrounded({id: joined(words.split())[0] for id, words in tokens.items()})
    for part in ("dev", "test"):
        rows = (
            line.split("\t") for line in clones.read("uwnlp/qamr", f"data/filtered/{part}.tsv").splitlines()
        )
        for id, group in itertools.groupby(rows, key=lambda row: row[0]):
            if id not in tokens:
                continue
            text, starts = joined(tokens[id].split())
            passage, begin = around.text(id)
            for number, row in enumerate(group):
                spans = set()
                for places in (row[6], *(checked.split(":")[-1] for checked in row[7:9])):
                    at = sorted(map(int, places.split()))
                    if at and at == list(range(at[0], at[-1] + 1)):
                        end = starts[at[-1] + 1] if at[-1] + 1 < len(starts) else len(text)
                        spans.add((begin + starts[at[0]], text[starts[at[0]] : end].rstrip()))
                if len(spans) in (1, 2):
                    yield record(f"qamr-{id}-{number}", row[5], "", passage, sorted(spans))


def discourse(clones: Clones) -> Iterator[Record]:
    for name in ("wikinews_train", "wikinews_dev", "wikinews_test", "wikipedia_dev", "wikipedia_test"):
        lines = clones.read("ValentinaPy/QADiscourse", f"Dataset/{name}.tsv").replace("\\'", "'").splitlines()
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
        sentences = {row["qasrl_id"]: (row.get("untokenized sentence") or "").strip() for row in rows}
        around = Surrounded(sentences)
        for number, row in enumerate(rows):
            text, begin = around.text(row["qasrl_id"])
            own = sentences[row["qasrl_id"]]
            found = [(begin + at, words) for at, words in nearest(own, row.get("answer") or "")]
            question = (row.get("full_question") or "").rstrip("? ")
            if found and question:
                yield record(f"discourse-{name}-{number}", question + "?", "", text, found[:1])


def chats(clones: Clones) -> Iterator[Record]:
    dataset = json.loads(clones.read("HIT-SCIR/Molweni", "MRC(withDiscourse)/test.json"))
    for talk in dataset["data"]["dialogues"]:
        turns = [(turn["speaker"], turn["text"]) for turn in talk["edus"]]
        text = "\n".join(f"{speaker}: {words}" for speaker, words in turns)
        for asked in talk["qas"]:
            if asked["is_impossible"]:
                yield record(f"molweni-{asked['id']}", asked["question"], "", text, (), "none")
                continue
            found = [at for answer in asked["answers"] for at in occurrences(text, answer["text"])]
            if found:
                yield record(f"molweni-{asked['id']}", asked["question"], "", text, found)


def long_answers(clones: Clones) -> Iterator[Record]:
    for part in ("answerable", "unanswerable"):
        for line in clones.read("primeqa/clapnq", f"annotated_data/dev/clapnq_dev_{part}.jsonl").splitlines():
            row = json.loads(line)
            passage, question = row["passages"][0], row["input"]
            sentences = [joined(sentence.split())[0] for sentence in passage["sentences"]]
            text = " ".join(sentences)
            chosen = {
                joined(s.split())[0] for out in row["output"] for s in out.get("selected_sentences", [])
            }
            at = [n for n, sentence in enumerate(sentences) if sentence in chosen]
            if part == "unanswerable":
                yield record(f"clapnq-{row['id']}", question, passage["title"], text, (), "none")
            elif at and at == list(range(at[0], at[-1] + 1)) and len(at) <= 3:
                words = " ".join(sentences[at[0] : at[-1] + 1])
                found = [(text.index(words), words)]
                yield record(f"clapnq-{row['id']}", question, passage["title"], text, found, "sentences")


def sentence_questions(clones: Clones) -> Iterator[Record]:
    """Yield questions with their answer sentence and its neighbours; `placed` locates the answer in the sentence.

    Only of articles in SQuAD's training part, not of those that XQuAD uses.
    """
    name = "xinyadu/nqg"
    sentences = clones.read(name, "data/processed/src-test.txt").splitlines()
    asked = clones.read(name, "data/processed/tgt-test.txt").splitlines()
    order = list(dict.fromkeys(sentences))
    place = {sentence: at for at, sentence in enumerate(order)}
    plain = [joined(sentence.replace("-lrb-", "(").replace("-rrb-", ")").split())[0] for sentence in order]
    for number, (sentence, question) in enumerate(zip(sentences, asked, strict=True)):
        at = place[sentence]
        before = " ".join(plain[max(0, at - 2) : at])
        text = " ".join(plain[max(0, at - 2) : at + 3])
        start = len(before) + 1 if before else 0
        words = joined(question.split())[0]
        yield record(f"sentence-{number}", words, "", text, [(start, plain[at])], "sentences")


def placed(example: Example, reader: Reader, least: float) -> SpanRead | None:
    """Locate the answer where only its sentence is known: offsets in the sentence, by the reader, with a
    probability of `least` or more.

    Question and sentence are human-made: a reader trained on them learns where to look, and how people ask.
    """
    (sentence,) = example.answers
    (read,) = reader.read(example.question, [ReaderPassage("", sentence)])
    return next((span for span in read.spans[:1] if span.probability >= least), None)


def shifts(clones: Clones, name: str) -> Iterator[Record]:
    """Yield questions in SQuAD's manner on other texts (Miller et al. 2020); articles alone have a title."""
    repository = "modestyachts/squadshifts-website"
    for article in json.loads(clones.read(repository, f"datasets/{name}_v1.0.json"))["data"]:
        title = article["title"].replace("_", " ") if name == "new_wiki" else ""
        for paragraph in article["paragraphs"]:
            for asked in paragraph["qas"]:
                found = sorted({(int(a["answer_start"]), a["text"]) for a in asked["answers"]})
                yield record(f"{name}-{asked['id']}", asked["question"], title, paragraph["context"], found)


def yes_no(clones: Clones) -> Iterator[Record]:
    for row in json.loads(clones.read("eladsegal/strategyqa", "data/strategyqa/train.json")):
        text = " ".join(row["facts"])
        yield record(
            f"strategy-{row['qid']}", row["question"], row["term"], text, (), "yes" if row["answer"] else "no"
        )
    for id, row in json.loads(clones.read("pubmedqa/pubmedqa", "data/ori_pqal.json")).items():
        if row["final_decision"] in ("yes", "no"):
            text = " ".join((*row["CONTEXTS"][-1:], row["LONG_ANSWER"]))
            found = [(text.index(row["LONG_ANSWER"]), row["LONG_ANSWER"])]
            yield record(f"pubmed-{id}", row["QUESTION"], "", text, found, row["final_decision"])


def table_cells(clones: Clones, most: int = 3_000) -> Iterator[Record]:
    """Yield table rows written as "column: value; ...", eight around the answer, if one cell contains it."""
    repository, chance = "ppasupat/WikiTableQuestions", random.Random(7)
    tables: dict[str, list[list[str]]] = {}
    rows = list(
        csv.DictReader(clones.read(repository, "data/training.tsv").splitlines(), delimiter="\t", quoting=3)
    )
    chance.shuffle(rows)
    count = 0
    for row in rows:
        path = row["context"]
        if path not in tables:
            lines = clones.read(repository, path).splitlines()
            tables[path] = list(csv.reader(lines, escapechar="\\"))
        head, *body = tables[path] or [[]]
        wanted = row["targetValue"].casefold()
        if (
            re.match(r"how many|what is the (total|difference|average|number)", row["utterance"])
            or len(wanted) < 2
        ):
            continue
        holding = [n for n, cells in enumerate(body) if wanted in (cell.casefold() for cell in cells)]
        if len(holding) != 1 or len(body) > 60:
            continue
        first = max(0, min(holding[0] - chance.randrange(8), len(body) - 8))
        window = body[first : first + 8]
        lines = ["; ".join(f"{h}: {c}" for h, c in zip(head, cells, strict=False) if c) for cells in window]
        text = "\n".join(line.replace("\n", " ") for line in lines)
        found = occurrences(text, row["targetValue"])
        if len(found) == 1:
            count += 1
            yield record(f"wikitable-{row['id']}", row["utterance"], "", text, found)
        if count >= most:
            return


def typed_questions(folder: Path) -> Iterator[Record]:
    for name in ("nq", "qed"):
        for row in read_lines(folder / "reading" / f"{name}.jsonl"):
            text = str(row["context"])
            found = [(a["start"], a["text"].strip()) for a in row["answers"] if a["text"].strip()]
            if name == "qed":
                text, found = _respaced(text, found)
            if found:
                yield record(str(row["id"]), str(row["question"]), str(row["title"]), text, found)


def _respaced(text: str, answers: list[tuple[int, str]]) -> tuple[str, list[tuple[int, str]]]:
    """Join words with a space between any two to normal text, and move the answers' offsets."""
    tokens, places = text.split(" "), []
    at = 0
    for token in tokens:
        places.append(at)
        at += len(token) + 1
    new, starts = joined(tokens)
    found = []
    for start, words in answers:
        inside = [n for n, place in enumerate(places) if start <= place < start + len(words)]
        if inside:
            end = starts[inside[-1] + 1] if inside[-1] + 1 < len(starts) else len(new)
            found.append((starts[inside[0]], new[starts[inside[0]] : end].rstrip()))
    return new, found


def papers(folder: Path) -> Iterator[Record]:
    """Yield about 1,500 characters of a paper around the answer, cut at spaces."""
    chance = random.Random(7)
    texts = {
        row["context"]: str(row["text"]) for row in read_lines(folder / "reading" / "covidqa-contexts.jsonl")
    }
    for row in read_lines(folder / "reading" / "covidqa.jsonl"):
        paper, answers = texts[row["context"]], row["answers"]
        start, words = int(answers[0]["start"]), str(answers[0]["text"])
        stripped = words.strip()
        start += words.index(stripped) if stripped else 0
        first = max(0, start - chance.randrange(200, 1_000))
        first = paper.find(" ", first) + 1 if first else 0
        last = start + len(stripped) + chance.randrange(200, 700)
        text = paper[first:last]
        if stripped and text[start - first :].startswith(stripped):
            title = paper.split("\n", 1)[0][:200]
            kind = "sentences" if len(stripped) > 150 else "span"
            yield record(str(row["id"]), str(row["question"]), title, text, [(start - first, stripped)], kind)


def reports(folder: Path) -> Iterator[Record]:
    """Yield tables of annual reports with their paragraphs, for answers that occur in them literally."""
    for row in read_lines(folder / "reading" / "tatqa.jsonl"):
        table, paragraphs, asked = row["table"], row["paragraphs"], row["questions"]
        rows = "\n".join(" | ".join(str(cell) for cell in cells if cell) for cells in table)
        for question in asked:
            if question["type"] not in ("span", "multi-span") or not isinstance(question["answer"], list):
                continue
            words = [str(answer) for answer in question["answer"]]
            for text in (rows, *map(str, paragraphs)):
                found = [occurrences(text, answer)[:1] for answer in words]
                if all(found) and len(text) < 2_500:
                    places = sorted({at for each in found for at in each})
                    id, words_asked = f"tatqa-{question['id']}", question["question"]
                    if len(places) > 1:
                        yield record(id, words_asked, "", text, places, together=True)
                    else:
                        yield record(id, words_asked, "", text, places)
                    break


def hops(folder: Path, name: str) -> Iterator[Record]:
    """Yield the gold passage that contains the answer; yes/no questions with all gold passages."""
    corpus = {row["id"]: row for row in read_lines(folder / name / "corpus.jsonl")}
    for row in read_lines(folder / name / "questions.jsonl"):
        wanted, ids = row["answers"], row["supporting"]
        golds = [corpus[id] for id in ids if id in corpus]
        if str(wanted[0]).lower() in ("yes", "no"):
            text = "\n".join(f"{gold['title']}: {gold['text']}" for gold in golds)
            yield record(f"{name}-{row['id']}", str(row["question"]), "", text, (), str(wanted[0]).lower())
            continue
        for gold in reversed(golds):
            text = str(gold["text"])
            found = [at for words in wanted for at in occurrences(text, str(words))]
            if found:
                title = str(gold["title"])
                yield record(f"{name}-{row['id']}", str(row["question"]), title, text, sorted(set(found)))
                break


CLONED: dict[str, Callable[[Clones], Iterator[Record]]] = {
    "fairytales": fairytales,
    "qamr": qamr,
    "discourse": discourse,
    "molweni": chats,
    "clapnq": long_answers,
    "sentences": sentence_questions,
    "yes-no": yes_no,
    "articles": lambda clones: shifts(clones, "new_wiki"),
    "forums": lambda clones: shifts(clones, "reddit"),
    "reviews": lambda clones: shifts(clones, "amazon_reviews"),
    "wikitables": table_cells,
}
FROM_FOLDER: dict[str, Callable[[Path], Iterator[Record]]] = {
    "typed": typed_questions,
    "covidqa": papers,
    "tatqa": reports,
    "2wiki": lambda folder: hops(folder, "2wiki"),
    "hotpotqa": lambda folder: hops(folder, "hotpotqa"),
    "musique": lambda folder: hops(folder, "musique"),
}
