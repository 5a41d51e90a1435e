"""Names of firms: the legal form at the end is often left out, and tells that the name is a firm's."""

from __future__ import annotations

from core.answering.words import fold

_FORMS = frozenset(
    "ltd limited plc inc incorporated llc llp lp gmbh ag kg sa s.a nv n.v bv b.v sarl s.a.r.l spa s.p.a srl lda "
    "limitada ab as asa oy oyj corp corporation co pte pty".split()
)
_FIRMS = _FORMS | frozenset(
    "company bank insurance foundation holdings holding group trust shipyard university committee".split()
)
_SHORTEST = 4  # letters that must be left


def without_form(key: str) -> str:
    """'calder reach trading ltd' -> 'calder reach trading'; `key` is a normalised name."""
    rest = key
    while " " in rest:
        head, _, last = rest.rpartition(" ")
        if last.rstrip(".,") not in _FORMS or len(head) < _SHORTEST:
            break
        rest = head.rstrip(",")
    return rest


def is_firm(key: str) -> bool:
    """Whether the name's last word says that it is a body, not a person or a place."""
    words = key.split()
    return len(words) > 1 and words[-1].rstrip(".,") in _FIRMS


def spelled(key: str) -> str:
    """The name as it is looked for in a text: in words alone, without its legal form."""
    return fold(without_form(key))
