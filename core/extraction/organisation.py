"""Which facts say that one thing stands below another: a part, a subsidiary, a member (triple-layer 4.3.1).

relation, upward = stands_below("owns")  # (OWNED_BY, False): the object is owned by the subject
"""

from __future__ import annotations

from functools import lru_cache

from core.text.stems import strip_ending
from core.text.translation import mark

PART_OF, SUBSIDIARY_OF, OWNED_BY, REPORTS_TO, MEMBER_OF = RELATIONS = (
    mark("part of"),
    mark("subsidiary of"),
    mark("owned by"),
    mark("reports to"),
    mark("member of"),
)
# How a relation is told, from below and from above, by words without their endings: "belonged to" is "belongs to". Not
# by vectors of the encoder: it puts "not owned by" at .89 to "owned by", and "acquired from" at .92 to "acquired by".
_PHRASINGS = {
    PART_OF: (
        "part of; division of; department of; branch of; unit of; component of; belongs to; portion of; division",
        "consists of; composed of; comprises; comprised of",
    ),
    SUBSIDIARY_OF: ("subsidiary of; parent company; parent organisation", "parent company of"),
    OWNED_BY: (
        "owned by; acquired by; controlled by; property of; bought by; purchased by; owner; owner is",
        "owns; owned; owner of; co-owner of; acquired; bought; purchased; retains ownership of",
    ),
    REPORTS_TO: (
        "reports to; subordinate to; subordinate of; worked under; supervised by; manager; supervisor",
        "supervises; supervisor of; superior of",
    ),
    MEMBER_OF: (
        "member of; founding member of; employee of; works for; works at; employed by; hired by; department; employer",
        "employs; hired",
    ),
}
_OPENING = frozenset("is was are were be been being a an the".split())
_OTHERWISE = frozenset({"parts of"})  # "Mexico lost parts of it": no part itself


@lru_cache(maxsize=50_000)
def stands_below(predicate: str) -> tuple[str, bool] | None:
    """Return the relation that a predicate states, and whether its subject is the lower end; None for any other.

    Only the whole predicate counts: "owned by" states one, and neither "not owned by" nor "owned through" does.
    """
    return None if predicate in _OTHERWISE else _FORMS.get(_form(predicate))


def _form(predicate: str) -> str:
    found = predicate.replace("_", " ").replace("-", " ").casefold().split()
    while found and found[0] in _OPENING:
        found = found[1:]
    return " ".join(map(strip_ending, found))


_FORMS = {
    _form(form): (relation, upward)
    for relation, (below, above) in _PHRASINGS.items()
    for upward, forms in ((False, above), (True, below))
    for form in forms.split(";")
}
