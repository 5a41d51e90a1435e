"""Make the files that the reader is trained on, step by step; docs/reader.md has the order, and the settings of each.

    python -m core.research.reader_data convert SETS --clones CLONES --given QUESTION-SETS
    python -m core.research.reader_data gather CLONES TEXTS [--only KIND ...]
    python -m core.research.reader_data make TEXTS MADE [--only KIND ...] [--most N] [--seed N]
    python -m core.research.reader_data place SETS/sentences.jsonl PLACED.jsonl [--least P]
    python -m core.research.reader_data lists SETS TEXTS LISTED [--most N] [--seed N]

CLONES holds a git directory for each repository in docs/research/reader-data.md, QUESTION-SETS the folders of question
sets that come with the project's data. What is not there is left out and said. Nothing that this writes is ever
committed: docs/research/reader-data.md names each source and its licence.
"""

from __future__ import annotations

import argparse
import random
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from core.errors import BadInput
from core.models import spacy_model
from core.models.reader import SMALL, Reader
from core.models.reader_examples import read_examples
from core.research.reader_data.convert import CLONED, FROM_FOLDER, placed
from core.research.reader_data.lists import Listed, in_lines, make_lists, of_people
from core.research.reader_data.making import Document, questions
from core.research.reader_data.texts import KINDS, Clones, Record, read_lines, record, write_lines

MOST = {"chat": 3000, "novel": 2500, "manual": 2000}  # questions of a kind, 1,500 of the others
LISTS = 700  # of one kind of text


def convert(asked: argparse.Namespace) -> None:
    """Convert questions that people wrote."""
    sets: dict[str, Iterable[Record]] = {}
    if asked.clones:
        sets |= {name: make(Clones(asked.clones)) for name, make in CLONED.items()}
    if asked.given:
        sets |= {name: make(asked.given) for name, make in FROM_FOLDER.items()}
    for name, records in sets.items():
        try:
            rows = [{**each, "source": name} for each in records]
        except (subprocess.CalledProcessError, BadInput) as fault:
            print(f"{name}: left out, not there ({fault})")
            continue
        print(f"{name}: {write_lines(asked.target / f'{name}.jsonl', rows)}")


def gather(asked: argparse.Namespace) -> None:
    """Collect unlabelled texts."""
    for kind in asked.only or KINDS:
        write_lines(asked.target / f"{kind}.jsonl", KINDS[kind](Clones(asked.clones)))


def make(asked: argparse.Namespace) -> None:
    """Generate questions with answers from the texts."""
    for kind in asked.only or sorted(path.stem for path in asked.texts.glob("*.jsonl")):
        documents = map(Document.of, read_lines(asked.texts / f"{kind}.jsonl"))
        drafts = questions(documents, spacy_model.load(), asked.seed)
        found = islice(drafts, asked.most or MOST.get(kind, 1500))
        lines = (each.line(f"{kind}-{asked.seed}-{number}") for number, each in enumerate(found, 1))
        write_lines(asked.target / f"{kind}.jsonl", lines)


def place(asked: argparse.Namespace) -> None:
    """Locate the answers within their sentences."""
    reader, examples = Reader(SMALL.weights), list(read_examples(asked.sentences))

    def lines() -> Iterator[Record]:
        for example in examples:
            if (span := placed(example, reader, asked.least)) is not None:
                begin = example.spans[0][0] + span.start
                found = [(begin, example.text[begin : begin + span.end - span.start])]
                yield record(example.id, example.question, "", example.text, found, source="placed")

    print(f"{write_lines(asked.target, lines()):,} of {len(examples):,} placed")


def lists(asked: argparse.Namespace) -> None:
    """Split lists into their members; write the sets without the questions that became lists."""
    chance, found = random.Random(asked.seed), list[Listed]()
    for path in sorted(asked.sets.glob("*.jsonl")):
        pairs = [(row, of_people(row)) for row in read_lines(path)]
        found += [listed for _, listed in pairs if listed is not None]
        write_lines(asked.target / path.name, (row for row, listed in pairs if listed is None))
    for path in sorted(asked.texts.glob("*.jsonl")):
        found += islice(make_lists(path, asked.seed), asked.most or LISTS)
    varied = (
        in_lines(each, chance) if chance.random() < 0.5 and not each.source.endswith("label") else each
        for each in found
    )
    lines = (each.line(f"list-{number}") for number, each in enumerate(varied, 1))
    print(f"lists: {write_lines(asked.target / 'lists.jsonl', lines)}")


STEPS = {
    convert: ("target",),
    gather: ("clones", "target"),
    make: ("texts", "target"),
    place: ("sentences", "target"),
    lists: ("sets", "texts", "target"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(required=True)
    for step, places in STEPS.items():
        own = steps.add_parser(step.__name__, help=step.__doc__)
        own.set_defaults(step=step)
        for name in places:
            own.add_argument(name, type=Path)
        if step is convert:
            own.add_argument("--clones", type=Path)
            own.add_argument("--given", type=Path)
        if step in (gather, make):
            own.add_argument("--only", nargs="+", help="in this order")
        if step in (make, lists):
            own.add_argument("--most", type=int, help="of one kind of text")
            own.add_argument("--seed", type=int, default=1)
        if step is place:
            own.add_argument("--least", type=float, default=0.4)
    asked = parser.parse_args()
    if asked.step is not place:
        asked.target.mkdir(parents=True, exist_ok=True)
    asked.step(asked)


if __name__ == "__main__":
    main()
