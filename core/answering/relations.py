"""Words that say the same relation from another side: who directed a film is its director."""

from __future__ import annotations

from core.answering.words import stem

# Each line is one relation: a word of it in the question is answered by any word of it in a text.
_GROUPS = """
direct director directed directing filmmaker helmed
perform performer performed singer sang sing recorded recording artist band rapper musician
compose composer composed music score scored soundtrack
author write writer wrote written novel book penned
produce producer produced
father son daughter child
mother son daughter child
parent son daughter child father mother
child son daughter father mother
son father mother son
daughter father mother daughter
sibling brother sister
brother sister sibling
sister brother sibling
spouse wife husband married marry widow
wife husband married spouse widow
husband wife married spouse widow
born birth birthday birthplace
died death dead killed
founded founder established formed created started
form formed founded established created
release released published premiered issued came appeared
publish published released issued
own owner owned acquired bought belongs
hold holder holds held
shareholder holder holds held owns owner nominee
buy bought acquired purchased purchase buyer
sell sold seller sale
employer work works worked employed employee joined
pay paid payment transferred transfer invoice
located location situated lies
buried burial interred cemetery
educate educated graduated attended studied alumnus university college school
study studied graduated attended educated university
star starred starring played actor actress stars cast
play played starring starred portrayed
captain commanded master skipper command
begin began started start opened
end ended finished closed
sink sank lost wrecked foundered
lead leader led headed head chief
nationality citizen citizenship
name named called known
cost price paid costs
win won winner awarded
kill killed murdered shot
meet met meeting
approve approved signed
"""


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _GROUPS.strip().splitlines():
        stems = [stem(word) for word in line.split()]
        table.setdefault(stems[0], set()).update(stems)
        # A word that is not first answers for its line's first word only when the line shares its stem.
    return {head: frozenset(stems) for head, stems in table.items()}


_CLUES = _table()

# Kinship in two steps, the first taken first.
KIN: dict[str, tuple[str, str]] = {
    "grandfather": ("parent", "father"),
    "grandmother": ("parent", "mother"),
    "grandparent": ("parent", "parent"),
    "grandson": ("child", "son"),
    "granddaughter": ("child", "daughter"),
    "grandchild": ("child", "child"),
    "uncle": ("parent", "brother"),
    "aunt": ("parent", "sister"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "stepfather": ("mother", "husband"),
    "stepmother": ("father", "wife"),
    "nephew": ("sibling", "son"),
    "niece": ("sibling", "daughter"),
}


def clues(lemma: str) -> frozenset[str]:
    """Stems that tell the relation of the word; the word's own stem among them."""
    own = stem(lemma)
    return _CLUES.get(own, frozenset()) | {own}
