#!/usr/bin/env python3
"""Questions with answers, of the documents that gather.py wrote.

    python -m core.research.reader_data.make SOURCES TARGET [--only KIND ...] [--most N] [--seed N]

Reads SOURCES/KIND.jsonl, writes TARGET/KIND.jsonl: `id`, `question`, `title`, `text`, `answers`, `kind`, `source`,
`form`.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from core.models import spacy_model
from core.research.reader_data.making import Document, Paragraph, Question, questions
from core.research.reader_data.table_questions import Table, table_questions

MOST = {"chat": 3000, "novel": 2500, "manual": 2000}


def made(path: Path, kind: str, seed: int) -> Iterator[Question]:
    with path.open(encoding="utf-8") as lines:
        items = (json.loads(line) for line in lines)
        if kind == "table":
            for one in items:
                yield from table_questions(Table(one["title"], one["columns"], one["rows"]), seed)
            return
        documents = (
            Document(one["title"], kind, tuple(Paragraph(**p) for p in one["paragraphs"])) for one in items
        )
        yield from questions(documents, spacy_model.load(), seed)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--only", nargs="+", help="in this order")
    parser.add_argument("--most", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.target.mkdir(parents=True, exist_ok=True)
    for kind in args.only or sorted(path.stem for path in args.sources.glob("*.jsonl")):
        path = args.sources / f"{kind}.jsonl"
        most = args.most or MOST.get(kind, 1500)
        with (args.target / f"{kind}.jsonl").open("w", encoding="utf-8", buffering=1) as out:
            for number, question in enumerate(islice(made(path, kind, args.seed), most), 1):
                line = {"id": f"{kind}-{args.seed}-{number}", **asdict(question)}
                line["answers"] = [{"text": text, "start": start} for text, start in question.answers]
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
