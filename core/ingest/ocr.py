"""Reads pictures of pages with Tesseract, where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from core.config import ReadingConfig
from core.errors import DocumentError
from core.text.translation import tr

PROGRAM = "tesseract"
LANGUAGES = re.compile(r"\w+(?:\+\w+)*")
LEAST_CONFIDENCE = 25.0  # per cent; below it are specks and lines taken for letters
WORD_LEVEL = "5"


@dataclass(frozen=True, slots=True)
class Recognised:
    """Text of a picture in lines, and where its words lie in it and in the picture (pixels)."""

    text: str
    spans: list[tuple[int, int]]
    corners: list[tuple[int, int, int, int]]  # left, top, right, bottom


def installed() -> bool:
    return shutil.which(PROGRAM) is not None


class Recogniser:
    """Runs Tesseract on one picture after the other."""

    def __init__(self, config: ReadingConfig, beat: Callable[[], None] | None = None) -> None:
        self._language = config.ocr_language
        self._seconds = config.max_seconds
        self._beat = beat

    def read(self, picture: bytes, dpi: int) -> Recognised | None:
        """Words of a picture in a format that Tesseract knows; None when it takes too long or gives up.

        Raises DocumentError when Tesseract is not there or lacks the language.
        """
        program = shutil.which(PROGRAM)
        if program is None or not LANGUAGES.fullmatch(self._language):
            raise self._unavailable()
        command = [program, "-", "-", "--dpi", str(dpi), "-l", self._language, "tsv"]
        try:
            done = subprocess.run(
                command,
                input=picture,
                capture_output=True,
                timeout=0.9 * self._seconds,
                env={**os.environ, "OMP_THREAD_LIMIT": "1", "LC_ALL": "C"},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        finally:
            if self._beat is not None:
                self._beat()
        if done.returncode != 0:
            if b"language" in done.stderr:
                raise self._unavailable(done.stderr.decode("utf-8", "replace"))
            return None
        return _words(done.stdout.decode("utf-8", "replace"))

    def _unavailable(self, output: str = "") -> DocumentError:
        return DocumentError(
            tr(
                "The pages are pictures, and Tesseract cannot read the language {language}; it needs OCR.",
                language=repr(self._language),
            ),
            tr("Install Tesseract's data for it (on Debian: apt-get install tesseract-ocr-eng)."),
            output,
        )


def _words(table: str) -> Recognised:
    """Words of Tesseract's table: lines by its lines, a blank line between its blocks.

    Its paragraphs are not used: it begins one at many a short line.
    """
    pieces: list[str] = []
    found = Recognised("", [], [])
    length = 0
    before: list[str] = []
    for row in table.split("\n")[1:]:
        cells = row.split("\t", 11)
        if len(cells) < 12 or cells[0] != WORD_LEVEL or float(cells[10]) < LEAST_CONFIDENCE:
            continue
        word = cells[11].strip()
        if not word:
            continue
        place = cells[1:5]  # page, block, paragraph, line
        gap = "" if not before else " " if place == before else "\n" if place[:2] == before[:2] else "\n\n"
        before = place
        left, top, width, height = (int(cell) for cell in cells[6:10])
        start = length + len(gap)
        length = start + len(word)
        pieces += (gap, word)
        found.spans.append((start, length))
        found.corners.append((left, top, left + width, top + height))
    return Recognised("".join(pieces), found.spans, found.corners)
