#!/usr/bin/env python3
"""The words that answer, where only the sentence is known: the reader finds them in the sentence alone.

    python -m core.research.reader_data.place SENTENCES.jsonl PLACED.jsonl [--least P]

Kept is what it finds with a probability of P or more. The question and the right sentence are a person's; the reader
that is trained on them learns where to look, and how people ask.
"""

import argparse
import json
from pathlib import Path

from core.models.reader import Reader, ReaderPassage, SpanRead
from core.models.reader_examples import Example, read_examples


def placed(example: Example, reader: Reader, least: float) -> SpanRead | None:
    """Offsets in the sentence."""
    (sentence,) = example.answers
    (read,) = reader.read(example.question, [ReaderPassage("", sentence)])
    return next((span for span in read.spans[:1] if span.probability >= least), None)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sentences", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--least", type=float, default=0.4)
    args = parser.parse_args()
    reader, n_placed, every = Reader(), 0, 0
    with args.target.open("w", encoding="utf-8") as out:
        for example in read_examples(args.sentences):
            every += 1
            span = placed(example, reader, args.least)
            if span is None:
                continue
            n_placed += 1
            begin = example.spans[0][0] + span.start
            words = example.text[begin : begin + span.end - span.start]
            line: dict[str, object] = {
                "id": example.id,
                "question": example.question,
                "text": example.text,
                "kind": "span",
            }
            line |= {"title": "", "source": "placed", "answers": [{"text": words, "start": begin}]}
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{n_placed:,} of {every:,} placed")


if __name__ == "__main__":
    main()
