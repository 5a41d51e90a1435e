"""One line on how good the levels are: how many communities each has, and how well they hold together."""

from __future__ import annotations

from collections.abc import Sequence

from app.look.counting import counted
from app.look.plain_text import tooltip
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
            level = counted(len(levels), "level")
            self.setText(f"{level}: {counts} communities, modularity {levels[0].modularity:.2f}")
            self.setAccessibleDescription(self._figures)
        self.setVisible(self._wanted and bool(self._figures))

    def set_wanted(self, wanted: bool) -> None:
        """Whether there is room for the line."""
        self._wanted = wanted
        self.setVisible(wanted and bool(self._figures))

    def _tell(self) -> None:
        self.setToolTip(tooltip(self._figures))


def level_words(row: CommunityQuality) -> str:
    """The figures of one level in a sentence."""
    return (
        f"Level {row.level}: {counted(row.communities, 'community')} of {row.smallest:,} to "
        f"{row.largest:,} entities (half have at most {row.median:,}), modularity {row.modularity:.2f}, "
        f"{row.coverage:.0%} of the facts' strength inside"
    )
