"""Titles of communities: two or three names or terms that tell a community from the others.

What distinguishes a community comes first, names of another kind before more of the same, and nothing that a community
above it is named after, so that children differ from their parents.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from core.extraction.titles import KNOWN_FORENAMES
from core.store.store import Store
from core.types import DocumentShare, KeyEntity
from core.types.kinds import CONCEPT, NOUN, OTHER, VALUES

LONGEST = 60  # characters
_NAMES = 3
_KINDS = {"FAC": "GPE", "LOC": "GPE", "NORP": "GPE", "PRODUCT": "WORK", "WORK_OF_ART": "WORK"}
_FORMULA = re.compile(r"[_^\\={}<>|]")
_PARTS = frozenset("figure figures fig table tables section appendix equation algorithm theorem".split())
_MOSTLY = 0.7  # least share of the passages of one document after which references are called
_FLOOR = 0.35  # of the share of the first: who has less is not put before another of the same kind
_LONGEST_PERSON = 5  # words
_LONGEST_CODE = 3  # letters
_VAGUE, _OPAQUE = 0.5, 0.3  # weights of peoples, bare forenames and single terms, and of initials
_STEM = 4  # letters that forms of one word share
_MINOR = 0.1  # of the share of the first: who has less is in no title beside it
RULES = "rules"
_REFERENCES = re.compile(r"References(?: of |$)")  # as `title_of_references` gives them


def name_communities(store: Store) -> None:
    """Give each report by rules the title that its key entities make beside those of the communities above it."""
    parents = {row.key: row.parent for row in store.communities.rows()}
    sources = store.reports.title_sources()  # the top level first
    children = Counter(parents[report.community] for report in sources if report.entities)
    names: dict[int, tuple[str, ...]] = {}  # that a title is made of
    above: dict[int, tuple[str, ...]] = {}
    changed: dict[int, str] = {}
    for report in sources:
        parent = parents[report.community]
        chain: tuple[str, ...] = ()
        if parent is not None:
            chain = above.get(parent, ())
            # An only child holds what its parent holds, and has its title.
            chain += names.get(parent, ()) if children[parent] > 1 else ()
        title = report.title
        own: tuple[str, ...] = (title,)
        if report.written_by == RULES and not _REFERENCES.match(title):
            title = title_of(report.entities, report.document, chain) or title
            own = tuple(entity.name for entity in choose_names(report.entities, chain)) or (title,)
        names[report.community], above[report.community] = own, chain
        if title != report.title:
            changed[report.community] = title
    store.reports.rename(changed)


def title_of(entities: Sequence[KeyEntity], document: str = "", above: Sequence[str] = ()) -> str:
    """Return at most `LONGEST` characters, in one line; "" without an entity.

    Of the names that `choose_names` gives; without one, of `document`, where most of the community stands, and its
    first entity.
    """
    chosen = choose_names(entities, above)
    if not chosen:
        return _without_names(_others(entities, above) or ([] if document else entities), document)
    title = shortened(_joined([_plain(e.name) for e in chosen]))
    return title[:1].upper() + title[1:] if chosen[0].label == CONCEPT else title


def choose_names(entities: Sequence[KeyEntity], above: Sequence[str] = ()) -> list[KeyEntity]:
    """Return the names of a title.

    `entities` are the most distinctive first; peoples, bare forenames, terms of one word and initials count less.
    `above` are names after which the communities that hold this one are called. The first comes first, then others,
    those of a kind that is not yet there before more of the same; dates, amounts and counts are no names, and of names
    that hold each other only the first is taken.
    """
    names = [e for e in entities if e.label not in VALUES and e.label != NOUN and _is_name(e.name)]
    able = sorted(
        (replace(e, share=_weight(e) * e.share) for e in _others(names, above) if not _is_list(e)),
        key=lambda e: -e.share,
    )
    able = [e for e in able if e.share >= _MINOR * able[0].share]
    if not able:
        return []
    chosen: list[KeyEntity] = []
    floor = _FLOOR * able[0].share
    while able and len(chosen) < _NAMES:
        kinds = {OTHER, *map(_kind, chosen)} if chosen else set()
        best = next((e for e in able if _kind(e) not in kinds and e.share >= floor), able[0])
        able.remove(best)
        if not any(_holds(best.name, other.name) or _is_variant(best, other) for other in chosen):
            chosen.append(best)
    while len(chosen) > 1 and len(_joined([_plain(e.name) for e in chosen])) > LONGEST:
        chosen.pop()
    return chosen


def _others(entities: Sequence[KeyEntity], above: Sequence[str]) -> list[KeyEntity]:
    """Return the entities whose names are no part of those above."""
    used = [_words(name) for name in above]
    return [entity for entity in entities if not any(_words(entity.name) <= words for words in used)]


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


def _without_names(entities: Sequence[KeyEntity], document: str) -> str:
    """ "Ledger of 2021: 38 containers"; the longer part gives way."""
    first, about = _plain(document), shortened(entities[0].name if entities else "", LONGEST // 2)
    if not first or not about or _holds(first, about):
        return shortened(first or about)
    return f"{shortened(first, LONGEST - len(about) - 2)}: {about}"


def _kind(entity: KeyEntity) -> str:
    return _KINDS.get(entity.label, entity.label)


def _is_name(name: str) -> bool:
    """Whether it begins with a letter, is not mostly digits, no formula ("v_i^") and no part of a text ("Figure")."""
    if (
        _FORMULA.search(name)
        or any(sign > "~" and unicodedata.category(sign) == "Sm" for sign in name)
        or name.casefold() in _PARTS
    ):
        return False
    letters = sum(sign.isalpha() for sign in name)
    return name[:1].isalpha() and letters >= 2 and letters > 2 * sum(sign.isdigit() for sign in name)


def _weight(entity: KeyEntity) -> float:
    """Less than 1 for what says little by itself: "British", "Steve", "invoice", "JM"."""
    word = entity.name if " " not in entity.name else ""
    is_bare = word and (
        entity.label == CONCEPT or (entity.label == "PERSON" and word.casefold() in KNOWN_FORENAMES)
    )
    if entity.label == "NORP" or is_bare:
        return _VAGUE
    return _OPAQUE if word.isupper() and len(word) <= _LONGEST_CODE else 1.0


def _is_list(entity: KeyEntity) -> bool:
    """Whether it lists several names: "Holm, Kask, Quist"; "HolmA KaskO QuistI LieS NesA BergP"."""
    return entity.name.count(",") > 1 or (
        entity.label == "PERSON" and entity.name.count(" ") >= _LONGEST_PERSON
    )


def _plain(name: str) -> str:
    """Without what is not seen: control characters, marks that turn the direction of writing."""
    visible = "".join(
        " " if s.isspace() else s for s in name if s.isspace() or unicodedata.category(s)[0] != "C"
    )
    return " ".join(visible.split())


def _holds(one: str, other: str) -> bool:
    """Whether all words of one name stand in the other."""
    left, right = _words(one), _words(other)
    return left <= right or right <= left


def _is_variant(one: KeyEntity, other: KeyEntity) -> bool:
    """Whether both end in forms of one word: "Italian" and "Italy", "Mrs. Quist" and "Quists"."""
    if _kind(one) != _kind(other) or (" " in one.name and " " in other.name):
        return False
    left, right = (entity.name.casefold().split()[-1] for entity in (one, other))
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))
    return left != right and shared >= max(_STEM, min(len(left), len(right)) - 1)


def _words(name: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", name.casefold()))


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
