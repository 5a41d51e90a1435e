"""A folder of texts for the benchmark: the sample's own sentences, told of ever other people and ships."""

from __future__ import annotations

import random
import re
from pathlib import Path

from app.session.preferences import sample_folder

SENTENCES = 5  # of one file: less than one passage holds
STARTS = (
    "Bra",
    "Cal",
    "Dor",
    "Fen",
    "Gar",
    "Hol",
    "Kes",
    "Lun",
    "Mar",
    "Nor",
    "Pel",
    "Ros",
    "Sol",
    "Tav",
    "Vel",
)
ENDS = (
    "den",
    "dor",
    "ford",
    "gate",
    "holt",
    "land",
    "lin",
    "mond",
    "nik",
    "rick",
    "sen",
    "ton",
    "vale",
    "wick",
)
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{3,}")  # capitalised inside a sentence


def sentences() -> list[str]:
    """Plain sentences of the sample's texts and notes."""
    found: list[str] = []
    for path in sorted(sample_folder().rglob("*")):
        if path.suffix in (".txt", ".md"):
            text = path.read_bytes().decode("utf-8", "replace")
            for line in text.splitlines():
                found += [part.strip() for part in re.split(r"(?<=[.!?])\s+", line.lstrip("#*-> "))]
    return [sentence for sentence in found if 40 <= len(sentence) <= 220 and sentence[0].isalpha()]


def write_texts(folder: Path, files: int, seed: int = 7) -> None:
    """Write that many files of one passage each. Raises RuntimeError without the sample."""
    chance = random.Random(seed)
    templates = sentences()
    if not templates:
        raise RuntimeError("The sample is not installed: there are no sentences to write.")
    names = [start + end for start in STARTS for end in ENDS]
    for number in range(files):
        place = folder / f"{number // 100:02d}"
        place.mkdir(parents=True, exist_ok=True)
        chosen = [_retold(chance.choice(templates), names, chance) for _ in range(SENTENCES)]
        (place / f"note {number:04d}.txt").write_text(" ".join(chosen) + "\n", encoding="utf-8")


def _retold(sentence: str, names: list[str], chance: random.Random) -> str:
    """The sentence with about half of its names changed."""
    return NAME.sub(lambda found: chance.choice(names) if chance.random() < 0.5 else found.group(), sentence)
