"""A question as it is asked."""

from __future__ import annotations

import pytest

from core.errors import BadInput
from core.text.escape_controls import checked


def test_what_is_no_utf8_is_asked_without_it() -> None:
    assert checked("  Who is \udcff  Otto? ") == "Who is ? Otto?"


def test_nothing_and_too_much_are_stated() -> None:
    for question in ("", " \n ", "x" * 100_001):
        with pytest.raises(BadInput):
            checked(question)
