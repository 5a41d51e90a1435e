"""Homonyms of the bench of resolution."""

from __future__ import annotations

from dataclasses import replace

from core.research.benches.resolution import unqualified
from core.types import Passage


def test_homonyms_lose_what_tells_them_apart() -> None:
    first = Passage("p0", "d0", 0, "Titanic (1997 film)", "A film.", 0, 7, None, ())
    titles = ("Titanic (ship)", "Salem, Ohio", "Salem, Oregon", "Salem", "Cabaret (musical)")
    rest = [replace(first, id=f"p{n}", title=title) for n, title in enumerate(titles, 1)]
    found = {passage.id: passage.title for passage in unqualified([first, *rest])}
    assert found == {"p0": "Titanic", "p1": "Titanic", "p2": "Salem", "p3": "Salem"}
