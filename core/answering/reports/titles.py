"""What people call a community: its most central entities, of different kinds where it has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import islice

from core.answering.reports.material import Member
from core.types import DocumentShare
from core.types.kinds import VALUES

LONGEST = 60  # characters
_NAMES = 3
_LOOK = 12  # of the most central entities may stand in a title
_KINDS = {"FAC": "GPE", "LOC": "GPE", "NORP": "GPE", "PRODUCT": "WORK", "WORK_OF_ART": "WORK"}
_OTHER, _COMMON = "OTHER", "NOUN"  # labels: no kind, and no name at all
_FORMULA = re.compile(r"[_^\\={}<>|]")
_PARTS = frozenset("figure figures fig table tables section appendix equation algorithm theorem".split())
_MOSTLY = 0.7  # least share of the passages of one document after which references are called
_LEAST = 0.35  # of the centrality of the first: who has less is not put before another of the same kind


def title_of(members: Sequence[Member], document: str = "") -> str:
    """At most `LONGEST` characters, in one line; `members` the most central first. "" without a member.

    The most central name, then others, those of a kind that is not yet named first. Dates, amounts and
    counts are no names, and of names that hold each other only the first is taken. A community without
    a name is called after `document`, where most of it stands, and its most central member. Who only lists of
    references name gives no title.
    """
    members = [m for m in members if not m.cited] or members
    names = (m for m in members if m.label not in VALUES and m.label != _COMMON and _is_name(m.name))
    able = list(islice(names, _LOOK))
    if not able:
        return _without_names(members, document)
    chosen: list[Member] = []
    while able and len(chosen) < _NAMES:
        kinds = {_OTHER, *map(_kind, chosen)}
        floor = _LEAST * able[0].centrality
        best = next((m for m in able if _kind(m) not in kinds and m.centrality >= floor), able[0])
        best = best if chosen else able[0]
        able.remove(best)
        if not any(_holds(best.name, other.name) for other in chosen):
            chosen.append(best)
    while len(chosen) > 1 and len(_joined([_plain(m.name) for m in chosen])) > LONGEST:
        chosen.pop()
    return shortened(_joined([_plain(m.name) for m in chosen]))


def title_of_references(documents: Sequence[DocumentShare]) -> str:
    """Of a community that only lists of references name: of the document that holds most of it, or of how many.

    English in every language: it is kept in the workspace, and the window knows it by its first word.
    """
    begin = "References of "
    total = sum(document.passages for document in documents)
    if not documents or not documents[0].title.strip():
        return "References"
    if documents[0].passages < _MOSTLY * total:
        return f"{begin}{len(documents)} documents"
    return f"{begin}{shortened(documents[0].title, LONGEST - len(begin))}"


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most `longest` characters, cut at the end of a word, in one line and without what is not seen."""
    title = _plain(text)
    if len(title) <= longest:
        return title
    short = title[: longest - 1]
    head, _, _ = short.rpartition(" ")
    return f"{(head if len(head) > longest // 2 else short).rstrip(' ,;:-')}…"


def _without_names(members: Sequence[Member], document: str) -> str:
    """ "Ledger of 2021: 38 containers"; the longer part gives way."""
    first, about = _plain(document), shortened(members[0].name if members else "", LONGEST // 2)
    if not first or not about or _holds(first, about):
        return shortened(first or about)
    return f"{shortened(first, LONGEST - len(about) - 2)}: {about}"


def _kind(member: Member) -> str:
    return _KINDS.get(member.label, member.label)


def _is_name(name: str) -> bool:
    """Whether it begins with a letter, is not mostly digits, no formula ("v_i^") and no part of a text ("Figure")."""
    if _FORMULA.search(name) or name.casefold() in _PARTS:
        return False
    letters = sum(sign.isalpha() for sign in name)
    return name[:1].isalpha() and letters >= 2 and letters > 2 * sum(sign.isdigit() for sign in name)


def _plain(name: str) -> str:
    """Without what is not seen: control characters, marks that turn the direction of writing."""
    visible = "".join(
        " " if s.isspace() else s for s in name if s.isspace() or unicodedata.category(s)[0] != "C"
    )
    return " ".join(visible.split())


def _holds(one: str, other: str) -> bool:
    """Whether all words of one name stand in the other."""
    left, right = (frozenset(re.findall(r"\w+", name.casefold())) for name in (one, other))
    return left <= right or right <= left


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
