"""Which names are things that an analyst would put on a map, and of what kind: a softmax over what is known of a name.

What a name means is its vector by the shipped encoder; beside it stand its form, how the recogniser labels it, whether
its words stand in small letters elsewhere, and where it stands: headings, tables, behind turns of a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.files import RESOURCES
from core.files.tensors import pack_tensors, read_tensors
from core.types.kinds import CONCEPT, IDENTIFIERS, VALUES

Array = NDArray[np.float64]

FEATURES = 35  # numbers that `measure` returns
MOST_LOWER = 64  # passages that write a word in lower case, counted no further
NONE = "none"
SPEAKER = "SPEAKER"  # judged label of a handle that speaks or writes
KINDS = ("account", "event", "group", NONE, "organisation", "person", "place", "product", "term", "work")
FORMAT = "clew-names-2"
_PARTS = ("centre", "scale", "weights", "bias", "kind_weights", "kind_bias")
SHIPPED = RESOURCES / "names.safetensors"
_CLIPPED = 4.0  # standard deviations
_FORM = 0.3  # of a feature of one standard deviation, beside a vector of length 2
_VECTOR = 2.0
_GROUPS: Mapping[str, int] = {
    "PERSON": 0, "ORG": 1, "GPE": 2, "LOC": 2, "FAC": 2, "NORP": 3, "LANGUAGE": 3, "PRODUCT": 4, "EVENT": 4,
    "WORK_OF_ART": 4, "LAW": 4, "OTHER": 5, "WORK": 6, "NOUN": 7, "EMAIL": 8,
}  # fmt: skip
_SMALL = frozenset(
    "the a an of and or in on at to for by with from is are was were be this that as it its not your our their his her "
    "my we you they".split()
)
_HONORIFIC = re.compile(
    r"(?:mr|mrs|ms|miss|dr|prof|professor|sir|dame|lady|lord|captain|inspector|judge)\b", re.IGNORECASE
)
_BODY = re.compile(
    r"\b(?:ltd|limited|inc|llc|llp|plc|gmbh|ag|sa|as|oy|ab|bv|corp|corporation|company|co|foundation|university|"
    r"council|committee|department|ministry|bank|association|institute|society|hospital|museum|board|agency|office)\b",
    re.IGNORECASE,
)
# Heads of the names of documents that bind or inform: "Privacy Statement", "Code of Conduct".
_DOCUMENT = re.compile(
    r"\b(?:act|agreement|charter|code|constitution|contract|convention|covenant|decree|directive|guide|handbook|"
    r"licen[cs]e|manual|memorandum|policy|protocol|regulation|report|statement|statute|terms|treaty)"
    r"s?(?: (?:of|on|for) .{1,40})?$",
    re.IGNORECASE,
)
_LABELS = {
    "event": "EVENT", "group": "NORP", "organisation": "ORG", "person": "PERSON", "place": "GPE", "product": "PRODUCT",
    "work": "WORK_OF_ART",
}  # fmt: skip
_ALIKE = ({"GPE", "LOC", "FAC"}, {"WORK_OF_ART", "LAW", "WORK"}, {"NORP", "LANGUAGE"})
_SURE = 0.5  # probability of a kind among those of things from which a name is of it
_WORD = re.compile(r"[^\W_]+")
_PUNCTUATION = re.compile(r"[:;|<>/@_\[\]()]")


@dataclass(frozen=True, slots=True)
class NameUse:
    """How a name is used. `lower`: passages with each of its words in small letters, by word, and with all of it.

    `headings` and `rows` are shares of its mentions, 0 to 1, in headings and in tables; `labels` counts its mentions by
    the recogniser's label.
    """

    name: str
    labels: Mapping[str, int]
    passages: int
    lower: Mapping[str, int]
    lower_name: int
    headings: float
    rows: float
    is_speaker: bool
    has_fact: bool


def measure(use: NameUse) -> Array:
    """Return the features of a name, (FEATURES,), without its vector."""
    votes = np.zeros(10)
    for label, count in use.labels.items():
        votes[_GROUPS.get(label, 9)] += count
    votes /= max(1.0, votes.sum())
    name, words = use.name, _WORD.findall(use.name)
    count = max(1, len(words))
    folded = [word.casefold() for word in words]
    content_words = [w for w in folded if len(w) > 2 and w not in _SMALL] or folded or [""]
    counts = [min(use.lower.get(word, 0), MOST_LOWER) for word in content_words]
    lower = [n / (n + max(1, use.passages)) for n in counts]
    lower_name = min(use.lower_name, MOST_LOWER)
    form = (
        count == 1, count == 2, count == 3, count > 5, min(len(name), 60) / 20, name.isupper(), name.islower(),
        any(map(str.isdigit, name)), bool(re.search("[a-z][A-Z]", name)), bool(_PUNCTUATION.search(name)),
        "," in name, folded[:1] != [] and folded[0] in _SMALL, any(word in _SMALL for word in folded[1:]),
        bool(_HONORIFIC.match(name)), bool(_BODY.search(name)), sum(w[:1].isupper() for w in words) / count,
        all(len(word) <= 3 for word in words),
    )  # fmt: skip
    places = (
        sum(lower) / len(lower), min(lower), lower_name / (lower_name + max(1, use.passages)),
        np.log1p(lower_name), use.headings, use.rows, use.is_speaker, use.has_fact,
    )  # fmt: skip
    return np.concatenate([votes, np.array([*form, *places], dtype=np.float64)])


@dataclass(frozen=True, slots=True, eq=False)
class NameJudge:
    """`weights` (features + d, kinds) and `bias` (kinds,) of a softmax over standardised features and a vector (d,);
    of another one, bound less tightly, by which things are told apart."""

    centre: Array
    scale: Array
    weights: Array
    bias: Array
    kind_weights: Array
    kind_bias: Array

    @property
    def dimension(self) -> int:
        return len(self.weights) - len(self.centre)

    def probabilities(self, features: Array, vectors: NDArray[np.floating]) -> Array:
        """Return the probability of each of KINDS, (n, kinds), by features (n, f) and unit vectors (n, d)."""
        inputs, none = self.inputs(features, vectors), KINDS.index(NONE)
        is_none = softmax(inputs @ self.weights + self.bias)[:, none]
        shares = softmax(inputs @ self.kind_weights + self.kind_bias)
        shares[:, none] = 0
        shares *= ((1 - is_none) / shares.sum(axis=1))[:, None]
        shares[:, none] = is_none
        return shares

    def inputs(self, features: Array, vectors: NDArray[np.floating]) -> Array:
        """Return what the weights stand for, (n, features + d)."""
        standard = np.clip((features - self.centre) / self.scale, -_CLIPPED, _CLIPPED) * _FORM
        return np.hstack([standard, np.asarray(vectors, dtype=np.float64) * _VECTOR])


def label_of(name: str, shares: Array) -> str:
    """Return the label of a thing by the words of its name, else by the probabilities of its kinds, (kinds,); "" where
    they are sure of none."""
    if " " in name and _DOCUMENT.search(name):
        return "WORK_OF_ART"
    things = np.where(np.array(KINDS) == NONE, 0.0, shares)
    best = int(things.argmax())
    return _LABELS.get(KINDS[best], "") if things[best] > _SURE * things.sum() else ""


def agree(label: str, judged: str) -> bool:
    """Return whether two labels are of one kind: a town and a building are places."""
    return label == judged or any(label in kind and judged in kind for kind in _ALIKE)


def softmax(logits: Array) -> Array:
    """Return shares that add up to 1 in each row, (n, kinds)."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def is_judged(label: str) -> bool:
    """Return whether it is not known already what a name is, by its form or as a term."""
    return label not in VALUES and label not in IDENTIFIERS and label != CONCEPT


@cache
def shipped_judge() -> NameJudge:
    """Return the judge in `resources`. Raises ValueError where the file is missing or broken."""
    return read_judge(SHIPPED)


def read_judge(path: Path) -> NameJudge:
    """Read a judge. Raises ValueError for a file that is none."""
    metadata, tensors = read_tensors(path, FORMAT)
    if tuple(metadata.get("kinds", "").split()) != KINDS:
        raise ValueError(f"{path.name} tells other kinds of names apart")
    try:
        parts = [np.asarray(tensors[name], np.float64) for name in _PARTS]
    except KeyError as error:
        raise ValueError(f"{path.name} lacks {error}") from error
    judge = NameJudge(*parts)
    width = len(judge.centre)
    shape = (width + judge.dimension, len(KINDS))
    if width != FEATURES or {judge.weights.shape, judge.kind_weights.shape} != {shape} or judge.dimension < 1:
        raise ValueError(f"{path.name} holds weights of another shape")
    return judge


def pack_judge(judge: NameJudge, metadata: Mapping[str, str]) -> bytes:
    """Return the file of a judge."""
    tensors = {name: np.asarray(getattr(judge, name), np.float32) for name in _PARTS}
    return pack_tensors(tensors, {"format": FORMAT, "kinds": " ".join(KINDS), **metadata})
