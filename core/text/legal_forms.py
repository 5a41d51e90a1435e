"""Legal forms of firms, as they stand behind their names, in lower case and without full stops."""

from __future__ import annotations

STOPPED = frozenset("inc ltd co corp llc plc gmbh".split())  # written with a full stop as often as without
_LAST = STOPPED | frozenset("limited llp ag sa nv oy ab lda".split())  # after which no name goes on
LEGAL_FORMS = STOPPED | frozenset(
    "limited incorporated llp corporation company ag kg sa sas sarl srl spa bv nv ab as oy pty pvt pte holdings"
    " holding kk".split()
)


def ends_name(word: str) -> bool:
    """Whether a firm's name ends with the word: "Ltd.", "S.A.", "plc", but not "Company"."""
    form = word.replace(".", "").lower()
    return form in _LAST and (form == "plc" or not word.islower())
