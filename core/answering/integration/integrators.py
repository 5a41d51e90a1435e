"""Integrators: what picks the sentences that a language model reads, by a network or by simple rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.answering.integration.model import IntegratorModel
from core.answering.integration.pieces import Distilled, Pieces, Section, chosen
from core.answering.integration.signals import Features, see, signals


@dataclass(frozen=True, slots=True)
class ExtractiveIntegrator:
    """Always takes the likeliest. With `full` it does not stop before the budget is spent: half goes to its choice,
    then come the sentences beside what it chose, for one alone says little, then its choice again."""

    model: IntegratorModel
    full: bool = False

    def integrate(self, question: str, pieces: Pieces, budget: int) -> Distilled:
        return chosen(pieces, self.rows(question, pieces, budget))

    def rows(self, question: str, pieces: Pieces, budget: int) -> list[int]:
        """Those that are taken, in the order of choice."""
        if not len(pieces):
            return []
        features = see(question, pieces)
        if not self.full:
            return self._choose(features, [], budget)
        taken = self._choose(features, [], budget // 2)
        return self._choose(features, with_neighbours(features, taken, budget), budget)

    def _choose(self, features: Features, first: Sequence[int], budget: int) -> list[int]:
        """What is taken `first`, and then what is likeliest, piece by piece."""
        taken = list(first)
        while (open := open_rows(features, taken, budget)).any():
            values, state = signals(features, taken, budget)
            logits = self.model.score(values, features.products, state)
            logits[:-1][~open] = -np.inf
            if self.full or not taken:
                logits[-1] = -np.inf
            best = int(logits.argmax())
            if best == len(features.pieces):
                break
            taken.append(best)
        return taken


def with_neighbours(features: Features, chosen: Sequence[int], budget: int) -> list[int]:
    """What was chosen with the sentence behind each in its passage, then the one before it, as far as they fit."""
    taken = list(chosen)
    for side in (1, 0):
        for row in chosen:
            neighbour = int(features.neighbours[row, side])
            if neighbour >= 0 and open_rows(features, taken, budget)[neighbour]:
                taken.append(neighbour)
    return taken


def open_rows(features: Features, taken: list[int], budget: int) -> NDArray[np.bool_]:
    """(n,) which pieces may be taken next: they are left, and fit."""
    open = features.tokens + features.tokens[taken].sum() <= budget
    open[taken] = False
    return np.asarray(open, dtype=bool)


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
