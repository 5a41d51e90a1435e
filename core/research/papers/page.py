"""docs/research/papers.md, made of the tables of the papers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from core.research.papers.check import CITES, Check, State, read_table, state
from core.research.papers.every import PAPERS

WORDS: dict[State, str] = {
    "checked": "checked",
    "tested": "held by tests alone",
    "unverified": "held by nothing",
    "absent": "absent",
    "fails": "failing",
}
_HEAD = """# Five papers, equation by equation

    clew research papers                     # every check, in some seconds; exit code 1 where one fails
    clew research papers --paper a2rag --json
    clew research papers --write docs/research/papers.md

Clew is made after five papers. Each has a table of its numbered equations, algorithms, modules and experiments:
where ours lives, how it is held against the paper's own definition, what differs, and what that is worth where it
was measured. Figures stand in the places that are linked and are told there with their commands; where none is
linked, none was taken.

- **check**: `core/research/papers/` holds what is the same against the definition written plainly (hand-computed
  values, dense linear algebra, networkx, every pair looked at), on small made data. What follows it are tests of
  the suite that hold it, too.
- **NOTHING**: neither a check nor a test holds it.
- **ABSENT**: nothing implements it; the column *what differs* says what stands in its place.
- An empty *what differs* means that nothing is known to.

This page is made of `core/research/papers/*.toml` by the last command; a test fails where it is not, or where a
place, a test or a figure that it names does not exist. Comparisons with figures of the papers are not made here:
theirs are of other questions, encoders and language models.
"""
_COLUMNS = ("place", "what it says", "where it lives", "held by", "what differs", "what that is worth")


def render_page() -> str:
    """Return the whole page."""
    parts = [_HEAD, f"Of all places: {counts_in_words([each for own in PAPERS.values() for each in own])}."]
    for name, checks in PAPERS.items():
        table = read_table(name.replace("-", "_") + ".toml")
        parts.append(f"\n## {checks[0].paper}\n\n{table[CITES]}\n")
        parts.append(f"Places: {counts_in_words(checks)}.\n")
        parts.append(_row(_COLUMNS))
        parts.append(_row(["---"] * len(_COLUMNS)))
        parts += [_row(_cells(each)) for each in checks]
    return "\n".join(parts) + "\n"


def counts_in_words(checks: Sequence[Check]) -> str:
    """Return how many places are in which state, and how many of those differ."""
    counts, differing = Counter(map(state, checks)), Counter(state(each) for each in checks if each.differs)
    parts = []
    for name in get_args(State):
        if counts[name]:
            aside = f" ({differing[name]} differ)" if differing[name] and name != "absent" else ""
            parts.append(f"{counts[name]} {WORDS[name]}{aside}")
    return ", ".join(parts)


def _cells(each: Check) -> list[str]:
    verification = [*(["check"] if each.check is not None else []), *(f"`{test}`" for test in each.tests)]
    where = "; ".join(f"`{place}`" for place in each.where)
    verified_by = "; ".join(verification) or ("**NOTHING**" if each.where else "")
    return [each.place, each.what, where or "**ABSENT**", verified_by, each.differs, each.worth]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
