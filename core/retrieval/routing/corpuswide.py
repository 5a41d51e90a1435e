"""Whether a question is about all documents at once: what it names speaks against it, else a trained model decides.

Plain retrieval finds passages that are near a question; "What are the main themes?" is near none of them and is
answered from the reports of communities. Idea: triple-layer GraphRAG 4.5.1; the model is ours.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.extraction.question import Name, ParsedQuestion, QuestionType
from core.extraction.question_names import Token
from core.files import RESOURCES
from core.files.tensors import pack_tensors, read_tensors
from core.text.translation import tr

BROAD = "broad"
SPECIFIC = "specific"

_NAMED = frozenset("PERSON ORG GPE LOC FAC EVENT PRODUCT LAW WORK_OF_ART".split())
_ONE_VALUE = {
    QuestionType.WHEN: tr("asks for one date"),
    QuestionType.HOW_MANY: tr("asks for a number"),
}
# Nouns for what many texts have in common.
_SHARED = frozenset(
    "theme topic subject pattern trend picture role kind sort type impression mood tone attitude view opinion lesson "
    "conclusion message story concern part".split()
)
_MEASURES = frozenset("share percentage proportion fraction amount price sum".split())
Array = NDArray[np.float64]
FORMAT = "clew-scope-2"
SHIPPED = RESOURCES / "scope.safetensors"
WEIGHT = 0.45  # of a sign, beside a vector of length 1
_FIRST = 120  # words that are looked at
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CorpusWide:
    """`reason` is for people. `breadth` is "broad" where the whole is asked for (reports of the top level tell it)
    and "specific" where one kind of thing or one subject is (a finer level)."""

    recognised: bool
    reason: str
    breadth: str = SPECIFIC


def corpus_wide(parsed: ParsedQuestion, vector: NDArray[np.floating]) -> CorpusWide:
    """Judge a question by its parse and its unit vector, (d,). Never raises on odd text."""
    if against := in_particular(parsed):
        return CorpusWide(False, against)
    model = shipped()
    if model is None or len(vector) != model.dimension:
        return CorpusWide(
            False, tr("is judged by nothing: the model of such questions does not fit the encoder")
        )
    sure, broad = model.probabilities(parsed, vector)
    rounded = int(sure * 100) / 100  # rounded down: 0.999 is not certain
    if sure <= model.threshold:
        return CorpusWide(
            False, tr("is worded like questions about one thing ({sure})", sure=f"{rounded:.2f}")
        )
    return CorpusWide(
        True,
        tr("worded like questions about all documents ({sure})", sure=f"{rounded:.2f}"),
        BROAD if broad > 0.5 else SPECIFIC,
    )


def in_particular(parsed: ParsedQuestion) -> str:
    """What the question asks for in particular, in words; "" where nothing shows it."""
    if not any(token.text[:1].isalpha() for token in parsed.tokens):
        return tr("asks nothing")
    if parsed.type in _ONE_VALUE:
        return _ONE_VALUE[parsed.type]
    if noun := _single_noun(parsed.tokens):
        return tr("asks for one {noun}", noun=noun)
    if parsed.text.isupper():
        return ""  # capitals tell no names
    return next(
        (tr("names {names}", names=name.text) for name in parsed.names if name.quoted or _is_sure(name)), ""
    )


def _single_noun(tokens: Sequence[Token]) -> str:
    """Return the noun of "to which wiki", "up to what amount"; "" where it may be of many texts: it is a noun for what
    texts share, or the question speaks of "the letters"."""
    found = ""
    for at, token in enumerate(tokens):
        head = tokens[token.head]
        asked = at > 0 and tokens[at - 1].text.lower() in ("what", "which")
        if asked and token.tag == "NN" and token.lemma.lower() in _MEASURES:
            return token.text
        if token.text.lower() == "the" and head.tag == "NNS" and head.label not in ("DATE", "TIME"):
            return ""
        if token.tag in ("WDT", "WP", "WP$") and token.dep in ("det", "poss") and head.tag == "NN":
            found = found or ("" if head.lemma.lower() in _SHARED else head.text)
    return found


def _is_sure(name: Name) -> bool:
    """Whether a name is no mistake: "Summarise", where it opens the question, is easily taken for a person."""
    return name.label in _NAMED and (name.first > 0 or name.last - name.first > 1)


def signs(parsed: ParsedQuestion) -> frozenset[str]:
    """The question's words outside names in lower case, and what is seen of its form (":plural")."""
    named = {i for name in parsed.names for i in range(name.first, name.last)}
    tokens = list(enumerate(parsed.tokens))[:_FIRST]
    words = {token.text.lower() for i, token in tokens if i not in named and token.pos != "SPACE"}
    tags = [token.tag for i, token in tokens if i not in named]
    form = {f":{parsed.type.value}"}
    form |= {":name"} if parsed.names else set()
    form |= {":singular"} if "NN" in tags else {":no singular"}
    form |= {":singulars"} if tags.count("NN") > 1 else set()
    form |= {":plural"} if "NNS" in tags else set()
    form |= {":superlative"} if {"JJS", "RBS"} & set(tags) else set()
    form |= {":past"} if "VBD" in tags else set()
    form |= {":one"} if any(_definite(parsed, i) for i, token in tokens if token.tag == "NN") else set()
    form |= {":all"} if any(_definite(parsed, i) for i, token in tokens if token.tag == "NNS") else set()
    return frozenset(words | form)


def _definite(parsed: ParsedQuestion, noun: int) -> bool:
    return any(token.head == noun and token.tag == "DT" for token in parsed.tokens[max(0, noun - 6) : noun])


@dataclass(frozen=True, slots=True)
class ScopeModel:
    """Both weights have shape (d + len(vocabulary) + 1,), the bias last: of being about all documents, and of asking,
    if so, for the whole. `threshold` is the probability above which the first is sure."""

    scope: Array
    broad: Array
    vocabulary: tuple[str, ...]
    threshold: float

    @property
    def dimension(self) -> int:
        """Of the vectors that it was trained on."""
        return len(self.scope) - len(self.vocabulary) - 1

    def probabilities(self, parsed: ParsedQuestion, vector: NDArray[np.floating]) -> tuple[float, float]:
        """Of being about all documents, and of asking for the whole; `vector` is the question's, (d,)."""
        x = np.append(features(vector, signs(parsed), self.vocabulary), 1.0)
        return float(sigmoid(x @ self.scope)), float(sigmoid(x @ self.broad))


def features(vector: NDArray[np.floating], found: frozenset[str], vocabulary: tuple[str, ...]) -> Array:
    """Shape (d + len(vocabulary),)."""
    present = np.array([sign in found for sign in vocabulary], dtype=np.float64)
    return np.concatenate([vector.astype(np.float64), WEIGHT * present])


def sigmoid(logits: Array) -> Array:
    result: Array = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return result


def write(path: Path, model: ScopeModel, report: Mapping[str, object]) -> None:
    """Write the weights with what they were chosen by. Raises BadInput where that cannot be."""
    metadata = {
        "format": FORMAT,
        "threshold": json.dumps(model.threshold),
        "vocabulary": json.dumps(model.vocabulary),
        "report": json.dumps(report),
    }
    tensors = {"scope": model.scope.astype(np.float32), "broad": model.broad.astype(np.float32)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pack_tensors(tensors, metadata))
    except OSError as error:
        raise BadInput(
            tr("{path} cannot be written ({strerror}).", path=path, strerror=error.strerror),
            tr("Choose another --out."),
        ) from error


def read(path: Path) -> ScopeModel:
    """Raises ValueError when the file is missing, broken or no model of this kind."""
    metadata, tensors = read_tensors(path, FORMAT)
    try:
        scope, broad = (tensors[name].astype(np.float64) for name in ("scope", "broad"))
        vocabulary = tuple(map(str, json.loads(metadata["vocabulary"])))
        threshold = float(json.loads(metadata["threshold"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path.name} lacks part of its description") from error
    if scope.ndim != 1 or scope.shape != broad.shape or len(scope) <= len(vocabulary) + 1:
        raise ValueError(f"{path.name} has broken weights")
    if not (np.isfinite(scope).all() and np.isfinite(broad).all() and 0.0 <= threshold <= 1.0):
        raise ValueError(f"{path.name} has broken weights")
    return ScopeModel(scope, broad, vocabulary, threshold)


@cache
def shipped() -> ScopeModel | None:
    """The model that comes with Clew, read once; None where it cannot serve."""
    try:
        return read(SHIPPED)
    except ValueError as error:
        _log.info("questions about all documents are not recognised: %s", error)
        return None
