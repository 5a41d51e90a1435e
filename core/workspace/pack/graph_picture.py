"""The part of the graph that an answer came from, as SVG: entities by heat, facts as lines, chains drawn strong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.graph.layout import force_layout
from core.workspace.pack.contents import Contents
from core.workspace.pack.page import escape_markup

MOST_ENTITIES, MOST_FACTS = 24, 40
WIDTH, MARGIN, UNIT = 960, 90, 118  # pixels; UNIT between neighbours
_LONGEST = 28  # characters of a name
_STYLE = (
    "text{font:12px sans-serif;fill:#1c2430}.fact{stroke:#b4bcc8;stroke-width:1.2}"
    ".chain{stroke:#b3541e;stroke-width:3}.said{font-size:10px;fill:#5a6472;text-anchor:middle}"
    ".name{text-anchor:middle}.halo{stroke:#fff;stroke-width:3}"
    "circle{stroke:#3a4352;stroke-width:1}.seed{stroke-width:3}"
)


@dataclass(frozen=True, slots=True)
class _Line:
    subject: str
    object: str
    predicate: str
    on_chain: bool


def graph_picture(contents: Contents) -> str:
    """An SVG image; "" where the answer came from no graph and its passages state no fact."""
    lines = _lines(contents)
    trace = contents.answer.trace
    heat = {id: mass for id, mass in trace.heat.items() if id in contents.names}
    ends = [id for line in lines for id in (line.subject, line.object)]
    hottest = sorted(heat, key=lambda id: (-heat[id], id))
    seeds = {seed.entity_id for seed in trace.seeds}
    chained = [id for line in lines if line.on_chain for id in (line.subject, line.object)]
    linked = set(ends)
    entities = list(dict.fromkeys([*chained, *(id for id in hottest if id in linked | seeds), *ends]))
    entities = entities[:MOST_ENTITIES]
    lines = [line for line in lines if line.subject in entities and line.object in entities]
    tied = {id for line in lines for id in (line.subject, line.object)}
    entities = [id for id in entities if id in tied | seeds]
    if not entities:
        return ""
    places, height = _places(entities, lines)
    most = max(heat.values(), default=0.0) or 1.0
    parts = [_line(line, places) for line in _joined(lines)]
    parts += [
        _entity(contents.names[id], places[id], heat.get(id, 0.0) / most, id in seeds) for id in entities
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="Graph of {len(entities)} entities and {len(lines)} facts"><style>{_STYLE}</style>'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _lines(contents: Contents) -> list[_Line]:
    """Facts of chains first, then those that the passages state."""
    found = {}
    for evidence in contents.answer.evidence:
        for step in evidence.why.path if evidence.why else ():
            found[step.subject_id, step.predicate, step.object_id] = _Line(
                step.subject_id, step.object_id, step.predicate, True
            )
    for packed in contents.facts:
        fact = packed.candidate.fact
        key = (fact.subject_id, fact.predicate, fact.object_id)
        if fact.subject_id != fact.object_id:
            found.setdefault(key, _Line(fact.subject_id, fact.object_id, fact.predicate, packed.on_chain))
    return list(found.values())[:MOST_FACTS]


def _joined(lines: Sequence[_Line]) -> list[_Line]:
    """One line between two entities; weak ones first, so that chains lie above them."""
    found: dict[frozenset[str], _Line] = {}
    for line in lines:
        pair = frozenset((line.subject, line.object))
        other = found.get(pair)
        label = f"{other.predicate}; {line.predicate}" if other else line.predicate
        found[pair] = _Line(line.subject, line.object, label, line.on_chain or bool(other and other.on_chain))
    return sorted(found.values(), key=lambda line: line.on_chain)


def _places(entities: Sequence[str], lines: Sequence[_Line]) -> tuple[Mapping[str, tuple[float, float]], int]:
    """Where each entity stands, and how high the picture is. The same graph gives the same picture."""
    import numpy as np

    row = {id: at for at, id in enumerate(entities)}
    edges = np.array([(row[line.subject], row[line.object]) for line in lines], dtype=np.int64).reshape(-1, 2)
    one = np.zeros(len(entities), dtype=np.int32)
    places = force_layout(len(entities), edges, np.ones(len(edges)), one).astype(np.float64)
    places -= places.min(axis=0)
    size = np.maximum(places.max(axis=0), 1e-9)
    height = int(min(760, max(240, UNIT * len(entities) ** 0.5 * 1.2)))
    room = np.array([WIDTH - 2 * MARGIN, height - MARGIN])
    placed = places / size * room + (MARGIN, MARGIN / 2)
    return {id: (float(placed[at, 0]), float(placed[at, 1])) for id, at in row.items()}, height


def _line(line: _Line, places: Mapping[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = places[line.subject], places[line.object]
    kind = "chain" if line.on_chain else "fact"
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>' + _words(
        "said", (x1 + x2) / 2, (y1 + y2) / 2 - 3, line.predicate
    )


def _entity(name: str, place: tuple[float, float], heat: float, seed: bool) -> str:
    """White when cold, orange when hot; a strong rim where the search began."""
    colour = "#" + "".join(f"{round(255 + (hot - 255) * heat):02x}" for hot in (232, 119, 34))
    (x, y), radius = place, 6 + 8 * heat
    return (
        f'<circle class="{"seed" if seed else "entity"}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>'
        + _words("name", x, y + radius + 13, name)
    )


def _words(kind: str, x: float, y: float, words: str) -> str:
    """Twice: a white rim first, that they can be read on a line; not every program knows `paint-order`."""
    words = escape_markup(words if len(words) <= _LONGEST else words[: _LONGEST - 1] + "…")
    return "".join(
        f'<text class="{each}" x="{x:.1f}" y="{y:.1f}">{words}</text>' for each in (f"{kind} halo", kind)
    )
