"""What the map draws: which names are its nodes, as a judge says, and which of them stand together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.extraction.name_judge import KINDS, NONE, NameUse, is_judged, measure, shipped_judge
from core.extraction.speakers import readable_name
from core.graph.association import Counts, associate
from core.progress import TaskContext
from core.store.name_uses import NameMentions
from core.store.settings import MINILM
from core.store.store import Store
from core.types.kinds import NOUN, VALUES

# ------------------------------------------------------------ nodes


_AT_ONCE = 512  # names a transaction
_WORD = re.compile(r"[^\W_]+")
NODE = 0.5  # probability of being a thing from which a name is a node
_TITLES = frozenset({NOUN, "WORK"})  # labels of titles of documents
_SURE = (
    0.6  # probability of a kind, of what is a thing, from which it counts more than the recogniser's label
)
# Labels of a kind, the first the one that is given.
_LABELS: Mapping[str, tuple[str, ...]] = {
    "person": ("PERSON",),
    "organisation": ("ORG",),
    "place": ("GPE", "LOC", "FAC"),
    "product": ("PRODUCT",),
    "event": ("EVENT",),
    "work": ("WORK_OF_ART", "WORK", "LAW", NOUN),
    "group": ("NORP", "LANGUAGE"),
}


class Embed(Protocol):
    """Vectors of short texts."""

    def embed(self, texts: Sequence[str], context: TaskContext) -> NDArray[np.float32]: ...


def judge_names(store: Store, embedder: Callable[[], Embed], context: TaskContext) -> None:
    """Say of each touched name whether it is a node; `embedder` gives vectors of the shipped encoder.

    What a person states is one; dates, sums, measures and titles that stand above a text alone are none. Where the
    judge is sure, a name is of the kind that it says.
    """
    touched = store.marks.entities().tolist()
    speakers = speaker_keys(store)
    for first in range(0, len(touched), _AT_ONCE):
        context.report("judging", first, len(touched))
        names = store.name_uses.of(touched[first : first + _AT_ONCE])
        judged = [name for name in names if is_judged(name.label)]
        # A name whose form says what it is: an account number is a thing, an amount is none.
        nodes = {name.key: name.label not in VALUES for name in names}
        labels: dict[int, str] = {}
        if judged:
            uses = name_uses(store, judged, speakers)
            vectors = _vectors(store, judged, embedder, context)
            shares = shipped_judge().probabilities(np.array([measure(use) for use in uses]), vectors)
            is_node = 1 - shares[:, KINDS.index(NONE)] > NODE
            for name, one, row in zip(judged, is_node.tolist(), shares, strict=True):
                is_in_text = name.written * (1 - name.headings) >= 1
                nodes[name.key] = one and (is_in_text or name.label not in _TITLES)
                if nodes[name.key] and (label := _other_label(name, row)):
                    labels[name.key] = label
        nodes |= {name.key: True for name in names if name.is_stated}
        store.map_edges.set_nodes(nodes)
        store.entities.set_labels(labels)
    context.report("judging", len(touched), len(touched))


def _other_label(name: NameMentions, shares: NDArray[np.float64]) -> str:
    """Return the label of the kind that the judge is sure of, where it is none of that kind yet; "" else."""
    kind = KINDS[int(shares.argmax())]
    labels = _LABELS.get(kind, ())
    is_sure = shares.max() >= _SURE * (1 - shares[KINDS.index(NONE)])
    return labels[0] if is_sure and labels and not name.is_stated and name.label not in labels else ""


def _vectors(
    store: Store, names: Sequence[NameMentions], embedder: Callable[[], Embed], context: TaskContext
) -> NDArray[np.float32]:
    """Return the vectors of these names by the shipped encoder, (n, d), of which the store may have some."""
    is_shipped = store.embeddings.encoder.choice == MINILM.choice
    known = store.embeddings.get("entity", [name.key for name in names]) if is_shipped else {}
    missing = [name.name for name in names if name.key not in known]
    others = iter(embedder().embed(missing, context)) if missing else iter(())
    return np.array([known[name.key].ravel() if name.key in known else next(others) for name in names])


def name_uses(store: Store, names: Sequence[NameMentions], speakers: frozenset[str]) -> list[NameUse]:
    """Return what the judge measures, of names with their mentions."""
    words = {word for name in names for word in _words(name.name)}
    lower = store.entities.lower_counts(words | {name.normal for name in names})
    return [
        NameUse(
            name.name,
            name.labels,
            name.passages,
            {word: lower.get(word, 0) for word in _words(name.name)},
            lower.get(name.normal, 0),
            name.headings,
            name.rows,
            _key(name.name) in speakers,
            name.has_fact,
        )
        for name in names
    ]


def speaker_keys(store: Store) -> frozenset[str]:
    """Return who speaks or writes in the documents, by letters and figures alone."""
    return frozenset(key for written in store.name_uses.speakers() if (key := _key(readable_name(written))))


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name)]


def _key(name: str) -> str:
    return "".join(_words(name))


# ------------------------------------------------------------ ties


def update_ties(store: Store, around: Sequence[int] | None = None) -> None:
    """Make all ties, or those of the entities `around`, of mentions outside of lists of references."""
    rows = store.map_edges.mentions(around)
    rows = rows[~store.reference_lists.inside(rows[:, 0], rows[:, 2])]
    keys, names = np.unique(rows[:, 1], return_inverse=True)
    if around is None:
        pairs = np.unique(rows[:, :2], axis=0)
        of_name = np.bincount(np.searchsorted(keys, pairs[:, 1]), minlength=len(keys))
    else:
        of_name = store.map_edges.passages_of(keys.tolist())
    counts = Counts(of_name, store.census.passages())
    joined = None
    if around is None:
        facts = store.map_edges.edges()
        facts = facts.at((facts.facts >= 0) & np.isin(facts.ends, keys).all(axis=1))
        joined = np.searchsorted(keys, facts.ends)
    ties = associate(names, rows[:, 0], _sentences(store, rows), counts, joined)
    ends = keys[ties.ends].reshape(-1, 2)
    own = np.ones(len(ends), np.bool_) if around is None else np.isin(ends, list(around)).any(axis=1)
    store.map_edges.replace(ends[own], ties.passages[own], ties.strengths[own], around)


def _sentences(store: Store, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for the sentence in which each mention, a row (passage key, entity key, start), begins, (k,)."""
    starts = store.passages.sentence_starts()
    width = int(max(rows[:, 2].max(initial=0), starts[:, 1].max(initial=0))) + 1
    begins = starts[:, 0] * width + starts[:, 1]
    before = np.searchsorted(begins, rows[:, 0] * width + rows[:, 2], side="right")
    # With the passage: what stands above its first sentence is in none of the passage before.
    return np.unique(np.stack([rows[:, 0], before], axis=1), axis=0, return_inverse=True)[1].ravel()
