"""One line on how good the levels are: how many communities each has, and how well they hold together."""

from __future__ import annotations

from collections.abc import Sequence

from app.look.plain_text import set_tip
from app.look.translation import trn
from app.widgets.elided_label import ElidedLabel
from core.types import CommunityQuality


class QualityLine(ElidedLabel):
    """Counts and modularity of the top level; its tooltip has the figures of all."""

    def __init__(self) -> None:
        self._figures, self._wanted = "", True
        super().__init__(kind="small", end=True)
        self.set_margins(12, 0, 12, 6)
        self.hide()

    def show_quality(self, quality: Sequence[CommunityQuality]) -> None:
        """The figures of each level; without any the line is not seen."""
        levels = sorted(quality, key=lambda row: -row.level)
        self._figures = "\n".join(level_words(row) for row in levels)
        if levels:
            counts = " / ".join(f"{row.communities:,}" for row in levels)
            self.setText(
                trn(
                    "{count} level: {counts} communities, modularity {modularity}",
                    "{count} levels: {counts} communities, modularity {modularity}",
                    len(levels),
                    counts=counts,
                    modularity=f"{levels[0].modularity:.2f}",
                )
            )
            self.setAccessibleDescription(self._figures)
        self.setVisible(self._wanted and bool(self._figures))

    def set_wanted(self, wanted: bool) -> None:
        """Whether there is room for the line."""
        self._wanted = wanted
        self.setVisible(wanted and bool(self._figures))

    def _tell(self) -> None:
        set_tip(self, self._figures)


def level_words(row: CommunityQuality) -> str:
    """The figures of one level in a sentence."""
    return trn(
        "Level {level}: {count} community of {smallest} to {largest} entities (half have at most {median}), "
        "modularity {modularity}, {coverage} of the facts' strength inside",
        "Level {level}: {count} communities of {smallest} to {largest} entities (half have at most {median}), "
        "modularity {modularity}, {coverage} of the facts' strength inside",
        row.communities,
        level=str(row.level),
        smallest=row.smallest,
        largest=row.largest,
        median=f"{row.median:,}",
        modularity=f"{row.modularity:.2f}",
        coverage=f"{row.coverage:.0%}",
    )
