"""The panels of the workbench, in the order of their keys: Ctrl+1 and on. A new one is a line here."""

from __future__ import annotations

from app.anatomy.panel import PANEL as ANATOMY
from app.ask.panel import PANEL as ASK
from app.communities.panel import PANEL as COMMUNITIES
from app.entities.panel import PANEL as ENTITIES
from app.evidence.panel import PANEL as EVIDENCE
from app.explain.panel import PANEL as EXPLAIN
from app.graph.panel import PANEL as GRAPH
from app.lab.panel import PANEL as LAB
from app.language_models.panel import PANEL as MODELS
from app.library.panel import PANEL as LIBRARY
from app.pins.panel import PANEL as PINS
from app.reader.panel import PANEL as READER
from app.review.contradictions import PANEL as CONTRADICTIONS
from app.review.panel import PANEL as REVIEW
from app.session.panels import PanelSpec

PANELS: tuple[PanelSpec, ...] = (
    LIBRARY,
    GRAPH,
    READER,
    ASK,
    EVIDENCE,
    COMMUNITIES,
    EXPLAIN,
    MODELS,
    REVIEW,
    PINS,
    ENTITIES,
    ANATOMY,
    CONTRADICTIONS,
    LAB,
)
