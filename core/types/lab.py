"""What the laboratory shows of compositions, and of integrators that are trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.types.answers import FactPath


@dataclass(frozen=True, slots=True)
class LabPart:
    """A module in words. `kind` is "" where the composition goes without it; `settings` are those that were changed."""

    module: (
        str  # by the name of the stage that tells of it: seeds, subgraph, ..., lexical, dense, graph, join
    )
    kind: str
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabComposition:
    """A way of retrieving. `group` is that of LEGO-GraphRAG's table 2, or whose it is; `differs` from its source."""

    name: str
    group: str
    source: str
    differs: str
    parts: tuple[LabPart, ...]
    needs_model: bool
    own: bool  # kept in the workspace, not one that Clew comes with


@dataclass(frozen=True, slots=True)
class LabStep:
    """What one module made of a question, and in how many seconds. `detail` tells how much in words; `heat` is what
    its entities count there, by id, the heaviest first, no more than can be drawn."""

    module: str
    seconds: float
    detail: str
    heat: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class LabPath:
    """A path as it was found. `names` are those of its entities."""

    path: FactPath
    names: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class LabPassage:
    rank: int
    passage_id: str
    document_id: str
    title: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class LabFlow:
    """One question through one composition. `found` counts all paths, of which `paths` are the best."""

    composition: str
    question: str
    steps: tuple[LabStep, ...]
    paths: tuple[LabPath, ...]
    found: int
    passages: tuple[LabPassage, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class LabWish:
    """What a run is to do. `questions` are pins, verdicts, made, or a path of a file."""

    questions: str
    count: int
    compositions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabRun:
    """A run that is kept. `fault` says in words why it cannot be read; `outdated` that the workspace changed since, so
    that it cannot go on. `wish` None where nothing tells what it was to do."""

    name: str
    path: Path
    at: float  # seconds since 1970, of its last row
    outdated: bool = False
    fault: str = ""
    wish: LabWish | None = None


@dataclass(frozen=True, slots=True)
class QuestionComparison:
    """One question by two compositions. recall@5 and right are None where they do not apply; `outcome` is win, loss or
    tie of the first."""

    question: str  # its id
    text: str
    kind: str
    outcome: str
    recall: tuple[float | None, float | None]
    right: tuple[float | None, float | None]
    answers: tuple[str, str]


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """Mean rewards of the texts of a step, 0 to 1, and the weights that they were joined with, by the reward's name."""

    rewards: Mapping[str, float]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class DistilledWay:
    """A way of distilling on questions that were kept apart: the share that the reader answers rightly, and the share
    of the tokens of the first five passages that it keeps."""

    name: str
    questions: int
    right: float
    token_share: float


@dataclass(frozen=True, slots=True)
class TrainedIntegrator:
    """A trained integrator as its file tells. `path` is None for the one that Clew comes with; `fault` says in words
    why it cannot be read."""

    name: str
    path: Path | None
    at: float = 0.0  # seconds since 1970, of its file
    steps: tuple[TrainingStep, ...] = ()
    holdout: tuple[DistilledWay, ...] = ()
    questions: int = 0
    corpora: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class IntegratorWish:
    """What a training is to do. `questions` are pins, verdicts, made, or a path of a file."""

    questions: str
    count: int
    steps: int
    dynamic: bool = True
