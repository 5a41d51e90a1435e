"""Gives new entities a community and a place among their neighbours, without moving anyone else."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

from core.types import Spot

_STEP = 0.35  # node distances from the middle of the neighbours
_GOLDEN = 2.399963229728653


def place_new_nodes(
    wanted: Sequence[int],
    edges: Sequence[tuple[int, int, float]],
    known: Mapping[int, Spot],
    free: int,
    radius: float,
) -> dict[int, Spot]:
    """A spot for each of `wanted`, those tied most to others first.

    `edges` are (end, end, strength) at the wanted entities; `known` are the spots of others. An entity
    joins the community that most strength ties it to and stands by its neighbours there. Those tied to
    no one known found communities from number `free` on, at the rim, `radius` from the middle.
    """
    neighbours: dict[int, list[tuple[int, float]]] = {key: [] for key in wanted}
    for left, right, strength in edges:
        if left != right:
            if left in neighbours:
                neighbours[left].append((right, strength))
            if right in neighbours:
                neighbours[right].append((left, strength))
    spots = dict(known)
    found: dict[int, Spot] = {}
    tied = {key: sum(s for other, s in near if other in spots) for key, near in neighbours.items()}
    heap = [(-strength, key) for key, strength in tied.items()]
    heapq.heapify(heap)
    while heap:
        strength, key = heapq.heappop(heap)
        if key in found or -strength != tied[key]:
            continue  # since then it was placed, or tied to more
        if tied[key] > 0:
            spot = _place_near([(spots[o], s) for o, s in neighbours[key] if o in spots], len(found))
        else:
            spot = _outside(len(found), radius, free if neighbours[key] else -1)
            free += 1 if neighbours[key] else 0
        found[key] = spots[key] = spot
        for other, weight in neighbours[key]:
            if other in neighbours and other not in found:
                tied[other] += weight
                heapq.heappush(heap, (-tied[other], other))
    return found


def _outside(number: int, radius: float, community: int) -> Spot:
    angle = _GOLDEN * number
    return Spot(community, (radius + 1.0) * math.cos(angle), (radius + 1.0) * math.sin(angle))


def _place_near(neighbours: Sequence[tuple[Spot, float]], number: int) -> Spot:
    strength: dict[int, float] = {}
    for spot, weight in neighbours:
        strength[spot.community] = strength.get(spot.community, 0.0) + weight
    community = max(sorted(strength), key=lambda each: strength[each])
    own = [(spot, weight) for spot, weight in neighbours if spot.community == community]
    total = sum(weight for _, weight in own)
    x = sum(spot.x * weight for spot, weight in own) / total
    y = sum(spot.y * weight for spot, weight in own) / total
    angle = _GOLDEN * number
    return Spot(community, x + _STEP * math.cos(angle), y + _STEP * math.sin(angle))
