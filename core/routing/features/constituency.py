"""The nine syntactic units in constituency trees, by the patterns of Lu 2010. EA-GraphRAG 3.2.1.

nltk's tgrep knows no heads (`<#` in Tregex): a verb phrase is finite when a finite verb stands right
below it, or below a coordinate part of it. Stanza's trees are used where its English constituency
model is on the disk; nothing is ever fetched.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from core.routing.features.units import Units

if TYPE_CHECKING:
    from nltk.tree import ParentedTree  # type: ignore[import-untyped]

_FINITE = "MD|VBZ|VBP|VBD"
_FINITE_VP = f"(VP [ < {_FINITE} | < (VP < {_FINITE}) ])"
# A clause: a finite verb below S, SQ or SINV; an imperative opens with a bare verb and stands on top.
_FINITE_CLAUSE = f"S|SINV|SQ [ < {_FINITE} | < {_FINITE_VP} ]"
_DEPENDENT = f"SBAR < ({_FINITE_CLAUSE})"
_T_UNIT = "S|SBARQ|SINV|SQ [ > ROOT | [ $,, S|SBARQ|SINV|SQ !>> SBAR !>> VP ] ]"
_FRAGMENT = "FRAG > ROOT"
_PATTERNS: dict[str, tuple[str, ...]] = {
    "clauses": (_FINITE_CLAUSE, "S|SINV|SQ > ROOT < (VP < VB)", "FRAG > ROOT !<< VP"),
    "dependent_clauses": (_DEPENDENT,),
    "t_units": (_T_UNIT, _FRAGMENT),
    "complex_t_units": (f"S|SBARQ|SINV|SQ > ROOT << ({_DEPENDENT})", f"{_T_UNIT} << ({_DEPENDENT})"),
    "coordinate_phrases": ("ADJP|ADVP|NP|VP < CC",),
    "complex_nominals": (
        "NP !> NP [ << JJ | << POS | << PP | << S | << VBG | << (NP $, NP) ]",
        "SBAR [ < WHNP | < (IN < /^([Tt]hat|[Ff]or)$/) | <1 S ] [ $. VP | > VP ]",
        "S < (VP < VBG|TO) $. VP",
    ),
    "verb_phrases": ("VP > S|SQ|SINV", f"{_FINITE} > (SQ !< VP)"),
}
_CLITICS = frozenset(["'s", "’s", "'", "’"])
_MODEL = Path("en") / "constituency"


def units_of_trees(trees: Sequence[ParentedTree]) -> Units:
    """The units of a question's sentences, each a tree whose top is ROOT."""
    found = {name: sum(len(_matches(name, tree)) for tree in trees) for name in _PATTERNS}
    leaves = [leaf for tree in trees for leaf in tree.leaves()]
    words = sum(any(c.isalnum() for c in leaf) or leaf in _CLITICS for leaf in leaves)
    return Units(words=words, sentences=len(trees), **found)


def read_tree(text: str) -> ParentedTree:
    """A tree from its brackets. Raises ValueError where they do not close."""
    from nltk.tree import ParentedTree

    tree: ParentedTree = ParentedTree.fromstring(text)
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


def _stanza_trees(text: str, home: Path) -> list[ParentedTree]:
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


def _matches(name: str, tree: ParentedTree) -> set[tuple[int, ...]]:
    """Positions of the nodes that match any pattern of one unit."""
    from nltk import tgrep  # type: ignore[import-untyped]

    return {
        position
        for pattern in _compiled(name)
        for positions in tgrep.tgrep_positions(pattern, [tree], search_leaves=False)
        for position in positions
    }


@cache
def _compiled(name: str) -> tuple[Any, ...]:
    from nltk import tgrep

    with warnings.catch_warnings():
        # nltk calls pyparsing by its old names.
        warnings.simplefilter("ignore", DeprecationWarning)
        return tuple(tgrep.tgrep_compile(pattern) for pattern in _PATTERNS[name])
