"""Text comes out of every format letter by letter: in headings, paragraphs, cells and notes."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from core.ingest.loaders import DocumentLoader
from tests.data_makers.round_trip_files import FILES

LETTERS = {
    "signs": "AT&T p < 0.05 > \"double\" 'single' a\\b {c} [d]",
    "tab": "Karl Dunne\tDirector",
    "spaces": "two  and three   spaces",
    "no-break": "5\xa0000\u202fEUR",
    "zero width": "zero\u200bwidth word\u2060joiner",
    "joiners": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937",
    "soft hyphen": "investi\xadgation",
    "ligatures": "\ufb01nal o\ufb03ce \ufb06and",
    "composed": "caf\xe9 \xc5ngstr\xf6m \u1ec7",
    "decomposed": "cafe\u0301 A\u030angstro\u0308m e\u0323\u0302",
    "emoji": "\U0001f469\U0001f3fd\u200d\U0001f4bb \U0001f1f5\U0001f1f9 \u2764\ufe0f",
    "right to left": "\u0645\u0631\u062d\u0628\u0627 \u200f\u05e9\u05c1\u05dc\u05d5\u05dd\u200e \u20671984\u2069",
    "beyond 16 bits": "\U00020000 \U0001d49c",
    "typography": "\u201cquoted\u201d \u2018it\u2019s\u2019 \u2013 \u2014 \u2026 \u2011 \u20ac \u2122",
}
PLACES = {"docx": 4, "odt": 4, "rtf": 4, "pptx": 3, "odp": 2, "html": 4, "epub": 4, "html.eml": 4, "md": 3}
ONE_SPACE = (r"[ \t\n\r\f]+", " ", "HTML shows any run of these as one space")
# What need not come out as it was written, and why. Everywhere else only NFC is allowed: an accent and its
# letter as one character, which Unicode calls the same letter.
LOOSE: dict[str, tuple[tuple[str, str, str], ...]] = {
    "html": (ONE_SPACE,),
    "html.eml": (ONE_SPACE,),
    "epub": (ONE_SPACE,),
    "pdf": (
        ("\xad", "-", "a printed page shows it as a hyphen"),
        (r"\s+", " ", "a printed page has no spaces, only gaps, which pdfium takes for spaces"),
    ),
}
ENCODINGS = {"latin-1.txt": "latin-1", "pdf": "cp1252"}  # what cannot be written in them is not tried


def loosely(kind: str, text: str) -> str:
    for what, into, _ in LOOSE.get(kind, ()):
        text = re.sub(what, into, text)
    return text


def fits(kind: str, text: str) -> bool:
    return text.encode(ENCODINGS.get(kind, "utf-8"), "ignore").decode(ENCODINGS.get(kind, "utf-8")) == text


@pytest.mark.parametrize("kind", FILES)
def test_letter_by_letter(tmp_path: Path, kind: str) -> None:
    loader = DocumentLoader()
    lost = {}
    for name, letters in LETTERS.items():
        if not fits(kind, letters):
            continue
        text = f"Begin {letters} end"
        path = tmp_path / f"{name}.{kind}"
        path.write_bytes(FILES[kind](text))
        expected = loosely(kind, unicodedata.normalize("NFC", text))
        for part in loader.parts(path):
            assert part.document is not None, part.reason
            found = loosely(kind, part.document.text).count(expected)
            if found < (PLACES.get(kind, 1) if not part.name else 1):
                lost[name] = part.document.text
    assert lost == {}
