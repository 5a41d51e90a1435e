"""The nine syntactic units in constituency trees, by the patterns of Lu 2010. EA-GraphRAG 3.2.1.

Where Lu's patterns ask for the head of a phrase (`<#` in Tregex), a verb phrase is finite when a finite verb stands
right below it, or below a coordinate part of it. Stanza's trees are used where its English constituency model is on
the disk; nothing is ever fetched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from core.retrieval.routing.features.units import Units

_FINITE = frozenset(("MD", "VBZ", "VBP", "VBD"))
_CLAUSAL = frozenset(("S", "SINV", "SQ"))
_SENTENTIAL = _CLAUSAL | {"SBARQ"}
_PHRASES = frozenset(("ADJP", "ADVP", "NP", "VP"))
_COMPLEX = frozenset(("JJ", "POS", "PP", "S", "VBG"))  # what makes a noun phrase complex
_COMPLEMENTISERS = frozenset(("that", "That", "for", "For"))
_APOSTROPHES = ("'", "’")  # that own something are words as "'s" is
_BRACKETS = re.compile(r"[()]|[^\s()]+")
_MODEL = Path("en") / "constituency"


@dataclass(eq=False, slots=True)
class Node:
    """A constituent, or with no children a word."""

    label: str
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)

    def below(self) -> Iterator[Node]:
        """All that it dominates, words included."""
        for child in self.children:
            yield child
            yield from child.below()

    def above(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def is_on_top(self) -> bool:
        return self.parent is not None and self.parent.label == "ROOT"

    def is_under(self, *labels: str) -> bool:
        return self.parent is not None and self.parent.label in labels

    def is_over(self, labels: frozenset[str] | tuple[str, ...]) -> bool:
        """Whether one of its children has such a label."""
        return any(child.label in labels for child in self.children)

    def sisters(self) -> tuple[list[Node], list[Node]]:
        """Those before and those after it."""
        if self.parent is None:
            return [], []
        at = next(at for at, child in enumerate(self.parent.children) if child is self)
        return self.parent.children[:at], self.parent.children[at + 1 :]


def units_of_trees(trees: Sequence[Node]) -> Units:
    """The units of a question's sentences, each a tree whose top is ROOT."""
    nodes = [node for tree in trees for node in (tree, *tree.below())]
    words = [node.label for node in nodes if not node.children]
    phrases = [node for node in nodes if node.children]
    return Units(
        words=sum(any(c.isalnum() for c in word) or word in _APOSTROPHES for word in words),
        sentences=len(trees),
        clauses=sum(map(_is_clause, phrases)),
        dependent_clauses=sum(map(_is_dependent_clause, phrases)),
        t_units=sum(_is_t_unit(node) or _is_fragment(node) for node in phrases),
        complex_t_units=sum(
            _is_t_unit(node) and any(map(_is_dependent_clause, node.below())) for node in phrases
        ),
        coordinate_phrases=sum(node.label in _PHRASES and node.is_over(("CC",)) for node in phrases),
        complex_nominals=sum(map(_is_complex_nominal, phrases)),
        verb_phrases=sum(map(_is_verb_phrase, phrases)),
    )


def _is_fragment(node: Node) -> bool:
    return node.label == "FRAG" and node.is_on_top()


def _is_clause(node: Node) -> bool:
    """Finite, an imperative (which opens with a bare verb and stands on top), or a fragment without a verb."""
    imperative = node.label in _CLAUSAL and node.is_on_top() and _has_verb_phrase(node, ("VB",))
    verbless = _is_fragment(node) and all(each.label != "VP" for each in node.below())
    return _is_finite_clause(node) or imperative or verbless


def _is_finite_clause(node: Node) -> bool:
    return node.label in _CLAUSAL and (
        node.is_over(_FINITE) or any(map(_is_finite_verb_phrase, node.children))
    )


def _is_finite_verb_phrase(node: Node) -> bool:
    return node.label == "VP" and (node.is_over(_FINITE) or _has_verb_phrase(node, _FINITE))


def _has_verb_phrase(node: Node, verbs: frozenset[str] | tuple[str, ...]) -> bool:
    return any(child.label == "VP" and child.is_over(verbs) for child in node.children)


def _is_dependent_clause(node: Node) -> bool:
    return node.label == "SBAR" and any(map(_is_finite_clause, node.children))


def _is_t_unit(node: Node) -> bool:
    """A main clause with all that hangs on it: on top, or coordinate to one before it."""
    if node.label not in _SENTENTIAL:
        return False
    before, _ = node.sisters()
    coordinate = any(sister.label in _SENTENTIAL for sister in before)
    return node.is_on_top() or (coordinate and all(each.label not in ("SBAR", "VP") for each in node.above()))


def _is_complex_nominal(node: Node) -> bool:
    """A noun phrase with something about its noun, a nominal clause, or a gerund or infinitive as a subject."""
    if node.label == "NP":
        inside = node.below()
        return not node.is_under("NP") and any(n.label in _COMPLEX or _is_apposition(n) for n in inside)
    _, after = node.sisters()
    before_verb = bool(after) and after[0].label == "VP"
    if node.label == "SBAR":
        complementiser = any(n.label == "IN" and n.is_over(_COMPLEMENTISERS) for n in node.children)
        nominal = node.is_over(("WHNP",)) or complementiser or node.children[0].label == "S"
        return nominal and (before_verb or node.is_under("VP"))
    return node.label == "S" and before_verb and _has_verb_phrase(node, ("VBG", "TO"))


def _is_apposition(node: Node) -> bool:
    before, _ = node.sisters()
    return node.label == "NP" and bool(node.children) and bool(before) and before[-1].label == "NP"


def _is_verb_phrase(node: Node) -> bool:
    if node.label == "VP":
        return node.is_under("S", "SQ", "SINV")
    alone = node.parent is not None and node.parent.label == "SQ" and not node.parent.is_over(("VP",))
    return node.label in _FINITE and alone


def read_tree(text: str) -> Node:
    """A tree from its brackets. Raises ValueError where they do not close."""
    top = node = Node("")
    opening = False
    for part in _BRACKETS.findall(text):
        if part == ")":
            if node.parent is None:
                raise ValueError("a bracket too many")
            node = node.parent
        elif part == "(" or not opening:
            node.children.append(child := Node("" if part == "(" else part, node))
            node = child if part == "(" else node
        else:
            node.label = part
        opening = part == "("
    if node is not top or len(top.children) != 1:
        raise ValueError("the brackets do not close")
    (tree,) = top.children
    tree.parent = None
    return tree


def stanza_model(folder: Path | None = None) -> Path | None:
    """The folder of Stanza's models that holds an English constituency model, or None.

    Looks in `folder`, or where Stanza itself does: STANZA_RESOURCES_DIR, its cache, the home folder.
    """
    named = os.environ.get("STANZA_RESOURCES_DIR")
    cached = sorted(platformdirs.user_cache_path("stanza", "StanfordNLP").glob("*/resources"))
    homes = [folder] if folder else [Path(named)] if named else [*cached, Path.home() / "stanza_resources"]
    return next((home for home in homes if any((home / _MODEL).glob("*.pt"))), None)


def constituency_parser(folder: Path | None = None) -> Callable[[str], Units] | None:
    """What counts the units of a text in Stanza's trees; None where its model is not installed.

    Loading takes seconds and a question some 100 ms, so this serves studies; routing always reads the
    dependency parse, which it was trained on.
    """
    home = stanza_model(folder)
    return None if home is None else lambda text: units_of_trees(_stanza_trees(text, home))


def _stanza_trees(text: str, home: Path) -> list[Node]:
    document = _pipeline(home)(text)
    return [read_tree(str(sentence.constituency)) for sentence in document.sentences]


@cache
def _pipeline(home: Path) -> Any:
    """Stanza's pipeline from the disk alone."""
    import stanza

    return stanza.Pipeline(
        "en",
        dir=str(home),
        processors="tokenize,pos,constituency",
        download_method=None,
        use_gpu=False,
        verbose=False,
    )
