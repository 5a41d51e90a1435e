"""Made communities at three levels, and a report, for the tests of the window."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.communities.panel import CommunitiesPanel
from app.session import operations
from core.types import (
    Citation,
    Community,
    CommunityReport,
    DatedFact,
    DocumentShare,
    KeyEntity,
    KeyFact,
    Statement,
)

TOWNS = ("Antwerp", "Bergen", "Cadiz", "Danzig")


def make_communities(tops: int = 3, middles: int = 3, leaves: int = 3) -> list[Community]:
    """Communities of three levels that nest: ids 0.. at the top, 100.. in the middle, 1000.. at the end."""
    found: list[Community] = []
    entity = 0
    for top in range(tops):
        above: list[str] = []
        for middle in range(middles):
            inside: list[str] = []
            for leaf in range(leaves):
                size = 4 + 3 * leaf + 2 * middle + 5 * (tops - top)
                ids = tuple(f"e{entity + at}" for at in range(size))
                entity += size
                inside += ids
                number = 1000 + 100 * top + 10 * middle + leaf
                words = f"Pilots of {TOWNS[leaf % 4]} {top}{middle}"
                found.append(Community(number, 1, 100 + 10 * top + middle, ids, words, top))
            above += inside
            words = f"Harbour of {TOWNS[middle % 4]} {top}"
            found.append(Community(100 + 10 * top + middle, 2, top, tuple(inside), words, top))
        found.append(Community(top, 3, None, tuple(above), f"Trade {top} of the northern coast", top))
    return found


def place(number: int, document: str = "d1") -> Citation:
    """A made place in a document."""
    quote = f"Sentence {number} of the letter."
    return Citation(f"p{number}", document, "letters/one.txt", "One", 2, 10 * number, 10 * number + 8, quote)


def report_of(community: Community, stale: bool = False, written_by: str = "rules") -> CommunityReport:
    """A report of everything that a report may have."""
    one, two, three = place(1), place(2), place(3, "d2")
    return CommunityReport(
        community.id,
        community.level,
        f"Report of {community.label}",
        (
            Statement("Otto Kask commanded the Northern Star.", (one,)),
            Statement("The harbour board dismissed him & <b>his mate</b>.", (two, one)),
        ),
        tuple(KeyEntity(each, f"Entity {each}", "PERSON", 0.4) for each in community.entity_ids[:9]),
        (KeyFact("f1", "Otto Kask commands the Northern Star", 2.0, one),),
        (DatedFact("1931-05", "The board dismissed Otto Kask", three), DatedFact("1930", "He came", two)),
        (DocumentShare("d1", "One", 12), DocumentShare("d2", "Two", 1)),
        written_by,
        stale,
    )


DATA = {community.id: community for community in make_communities()}


def reported(qtbot: QtBot, panel: CommunitiesPanel, community: int) -> CommunityReport:
    """Choose a community and wait for its report."""
    operations.select_community(panel._session, community)
    qtbot.waitUntil(lambda: panel.report.report is not None and panel.report.report.community_id == community)
    assert panel.report.report is not None
    return panel.report.report
