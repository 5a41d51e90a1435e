"""Integrators that learn nothing, to compare with: the nearest sentences, and the first ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.answering.integration.pieces import Distilled, Pieces, Section, chosen


class NearestSentences:
    """Those with the greatest cosine to the question."""

    def integrate(self, question: str, pieces: Pieces, budget: int) -> Distilled:
        order = np.argsort(-(pieces.vectors @ pieces.question), kind="stable").tolist()
        return chosen(pieces, filled(pieces, order, budget))


class LeadSentences:
    """The first of every retrieved passage, then the second of each, and so on."""

    def integrate(self, question: str, pieces: Pieces, budget: int) -> Distilled:
        place = [
            sorted(p.start for p in pieces.pieces if p.passage_id == piece.passage_id).index(piece.start)
            for piece in pieces.pieces
        ]
        rows = [row for row in range(len(pieces)) if pieces.rank[row] > 0]
        order = sorted(rows, key=lambda row: (place[row], int(pieces.rank[row])))
        return chosen(pieces, filled(pieces, order, budget))


class Everything:
    """All of the retrieved passages, whatever the budget."""

    def integrate(self, question: str, pieces: Pieces, budget: int) -> Distilled:
        ranked = [row for row in range(len(pieces)) if pieces.rank[row] > 0]
        found = chosen(pieces, ranked)
        return Distilled(tuple(sorted(found.parts, key=lambda part: part.piece.section is Section.PASSAGE)))


def filled(pieces: Pieces, order: Iterable[int], budget: int) -> list[int]:
    """The first rows of an order that fit a budget of tokens; those that do not fit are left out."""
    selected, spent = [], 0
    for row in order:
        tokens = pieces.pieces[row].tokens
        if spent + tokens <= budget:
            selected.append(row)
            spent += tokens
    return selected
