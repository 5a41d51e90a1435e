"""What people call a community: its most central entities, of different kinds where it has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice

from core.extraction.found import VALUES
from core.reporting.material import Member

LONGEST = 60  # characters
_NAMES = 3
_LOOK = 12  # of the most central entities may stand in a title
_KINDS = {"FAC": "GPE", "LOC": "GPE", "NORP": "GPE", "PRODUCT": "WORK", "WORK_OF_ART": "WORK"}
_LEAST = 0.35  # of the centrality of the first: who has less is not put before another of the same kind


def title_of(members: Sequence[Member]) -> str:
    """At most `LONGEST` characters, in one line; `members` the most central first. "" without a name.

    The most central entity, then others, those of a kind that is not yet named first. Dates, amounts and
    counts are no names, and of names that hold each other only the first is taken.
    """
    able = list(islice((m for m in members if m.label not in VALUES and _is_name(m.name)), _LOOK))
    chosen: list[Member] = []
    while able and len(chosen) < _NAMES:
        kinds = {_kind(member) for member in chosen}
        floor = _LEAST * able[0].centrality
        best = next((m for m in able if _kind(m) not in kinds and m.centrality >= floor), able[0])
        able.remove(best)
        if not any(_holds(best.name, other.name) for other in chosen):
            chosen.append(best)
    while len(chosen) > 1 and len(_joined([_plain(m.name) for m in chosen])) > LONGEST:
        chosen.pop()
    return shortened(_joined([_plain(m.name) for m in chosen]))


def shortened(text: str) -> str:
    """At most `LONGEST` characters, cut at the end of a word, in one line and without what is not seen."""
    title = _plain(text)
    if len(title) <= LONGEST:
        return title
    short = title[: LONGEST - 1]
    head, _, _ = short.rpartition(" ")
    return f"{(head if len(head) > LONGEST // 2 else short).rstrip(' ,;:-')}…"


def _kind(member: Member) -> str:
    return _KINDS.get(member.label, member.label)


def _is_name(name: str) -> bool:
    """Whether it has letters and is not mostly digits."""
    letters = sum(sign.isalpha() for sign in name)
    return letters >= 2 and letters > sum(sign.isdigit() for sign in name)


def _plain(name: str) -> str:
    """Without what is not seen: control characters, marks that turn the direction of writing."""
    seen = "".join(
        " " if s.isspace() else s for s in name if s.isspace() or unicodedata.category(s)[0] != "C"
    )
    return " ".join(seen.split())


def _holds(one: str, other: str) -> bool:
    """Whether all words of one name stand in the other."""
    left, right = (frozenset(re.findall(r"\w+", name.casefold())) for name in (one, other))
    return left <= right or right <= left


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
