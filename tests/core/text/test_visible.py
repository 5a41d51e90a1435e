"""What is unseen in a name is made seen, and ordinary names stay as they are."""

from __future__ import annotations

import unicodedata

import pytest

from core.text.escape_controls import DIRECTIONS, escape_controls


@pytest.mark.parametrize(
    ("name", "displayed"),
    [
        ("Annual report 2021 (final).pdf", None),
        ("Übersicht – 研究 – دليل – עברית.docx", None),
        ("👩\u200d🔬 notes.md", None),
        (r"C:\papers\a & b.txt", None),
        ("invoice\u202efdp.exe", r"invoice\u202efdp.exe"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x1b]0;x\x07\x9b31m\x7f\x00", r"\x1b]0;x\x07\x9b31m\x7f\x00"),
        ("caf\udce9.txt", r"caf\xe9.txt"),
        ("one\u2028two", r"one\u2028two"),
    ],
)
def test_names_as_they_are_displayed(name: str, displayed: str | None) -> None:
    assert (
        escape_controls(name)
        == (name if displayed is None else displayed)
        == escape_controls(escape_controls(name))
    )


def test_every_control_and_direction_of_unicode_is_visible() -> None:
    """Against the character database, not our own list."""
    every = [chr(code) for code in range(0x110000)]
    controls = [sign for sign in every if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")]
    turning = [sign for sign in every if unicodedata.bidirectional(sign) in
               ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")]  # fmt: skip
    assert all(
        escape_controls(sign).isascii() and escape_controls(sign).isprintable() for sign in controls + turning
    )
    assert set(turning) < set(DIRECTIONS) and escape_controls("a\tb\n", keep="\t\n") == "a\tb\n"
