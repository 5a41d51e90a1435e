"""Families of predicates: what a relation is about, by the words that people use for it.

family_of("was acquired by")  # "ownership"
same_voice("Gull", "acquired by", "Vest")  # ("Vest", "acquired", "Gull")

A predicate belongs to the family of its first word that has one, so "is director of" is of `office`; what has none says
little by itself ("footing in"). Families have parents: whoever looks for what happened between two finds deeds, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from core.text.stems import NEGATIONS, stem
from core.text.translation import mark

# Parent of each family; "" for those on top.
PARENTS: Mapping[str, str] = {
    mark("organisation"): "", mark("ownership"): "organisation", mark("office"): "organisation",
    mark("part"): "organisation", mark("people"): "", mark("family"): "people", mark("communication"): "people",
    mark("feeling"): "people", mark("conduct"): "people", mark("exchange"): "", mark("rule"): "",
    mark("definition"): "rule", mark("work"): "", mark("use"): "", mark("place"): "", mark("journey"): "place",
    mark("event"): "", mark("identity"): "",
}  # fmt: skip
_WORDS = {
    "ownership": """own acquire buy purchase sell inherit control holder subsidiary parent property belong tenant
        rent""",
    "office": """employ hire appoint elect nominate name ordain promote dismiss resign retire admit succeed
        predecessor successor replace serve work lead head chair chairman chairwoman president director manager
        founder secretary treasurer minister mayor governor king queen emperor bishop dean vicar rector
        chaplain priest captain master judge professor teacher student pupil member fellow officer ambassador
        senator commander admiral general colonel representative delegate agent auditor editor coach player doctor
        nurse lawyer attorney clerk steward partner report supervise rule candidate spokesman commissioner
        prince princess duke lord noble politician leadership alumnus coordinator champion chief deputy""",
    "part": """part division department branch unit component team consist comprise contain include incorporate
        affiliate merge join leave split chapter section""",
    "family": """son daughter child father mother brother sister sibling husband wife spouse widow uncle aunt nephew
        niece cousin grandson granddaughter grandfather grandmother heir ancestor descendant relative descend marry
        divorce wed engage adopt family""",
    "communication": """letter call phone email mail message speak talk say tell announce inform ask answer reply
        notify propose explain discuss debate describe interview address invite introduce visit meet negotiate quarrel
        argue correspond read advise advice warn present presentation speech suggest recommend submit consult
        conversation refer mention cite summon contact raise note respond invitation application request demand claim
        deny decline dispute declare proclaim""",
    "feeling": """love like dislike hate admire fear respect trust distrust envy jealous fond angry enjoy prefer
        despise praise blame criticise criticize thank forgive suspect favourite favorite friend enemy rival acquaint
        acquaintance friendship guest host companion""",
    "conduct": """help assist support back oppose attack defend fight fought kill murder arrest accuse charge convict
        sentence sue beat defeat win lose follow accompany rescue free save abuse insult forge steal rob burn kiss
        court refuse reject accept persuade force invade occupy capture conquer destroy threaten compete against war
        battle conflict ally treaty victim victory""",
    "exchange": """pay fund finance sponsor donate donation give gift grant lend lent loan borrow assign transfer
        deduct earn owe supply deliver ship send receive provide offer order invoice insure award prize deposit invest
        collect cost refund trade import export""",
    "rule": """require law licence license permit authorize authorise prohibit forbid agree agreement contract sign
        approve second amend enforce comply subject enact pass vote apply certify register waive violate breach
        liable liability responsible responsibility right execute disclose obligation terminate bind bound regulate
        conform entitle""",
    "definition": """mean define definition stand constitute equal denote set""",
    "work": """write author produce compose perform star feature sing record release publish translate paint design
        build construct create develop invent discover film album song novel book adapt score photograph draw
        broadcast premiere distribute label voice cast soundtrack music script cover composition newspaper magazine
        journal version edition venture appearance tour portray contribute character appear
        episode single series establish make manufacture documentation""",
    "use": """use run install base depend implement connect attach communicate configure program extend download user
        port power generate rely access complete interface process store test
        repair maintain equip upgrade switch compatible""",
    "place": """in at near of from located situate lie lay headquarters headquarter live reside settle stay capital city
        town village district county region province state country river island street road border flow drain relocate
        bury twin native grow home site venue market citizen nationality""",
    "journey": """go went gone move travel arrive return come came sail fly ride walk start depart enter cross transport
        carry bring migrate route land journey""",
    "event": """happen occur place begin end take date schedule open close born die launch dissolve cancel postpone
        attend participate finish resume league graduate study educate train sink cause damage injure result year""",
    "identity": """is was are known title nickname alias also become remain represent""",
}
_FAMILY: dict[str, str] = {
    f"{stem('write')} to": "communication",
    f"{stem('write')} on": "communication",
    "air on": "work",
    f"{stem('move')} by": "rule",
    f"{stem('run')} for": "office",
    f"{stem('base')} in": "place",
}
_FORMS: dict[str, str] = {}  # of verbs that the stemmer leaves as they are: "controlled", "using"
for _name, _line in _WORDS.items():
    for _word in _line.split():
        _FAMILY.setdefault(stem(_word), _name)
        for _ending in ("ed", "ing"):
            for _base in (_word, _word + _word[-1], _word.removesuffix("e")):
                _FORMS.setdefault(_base + _ending, _name)
_AUXILIARIES = frozenset(
    "is was are were be been being has have had will would can could may might shall should".split()
)
_AGENTS = ("ist", "ator", "eer")  # "bassist of"
_SMALL = frozenset("in at near of from by to with on for as into under over through".split())
# Past tense of verbs whose participle is another word: "written by" is "wrote".
_PAST = dict(
    pair.split("/")
    for pair in (
        "written/wrote sung/sang given/gave taken/took known/knew chosen/chose driven/drove drawn/drew worn/wore "
        "stolen/stole hidden/hid beaten/beat begun/began eaten/ate forgiven/forgave seen/saw shown/showed spoken/spoke "
        "woven/wove broken/broke ridden/rode flown/flew grown/grew thrown/threw sunk/sank borne/bore overseen/oversaw"
    ).split()
)
_PARTICIPLES = frozenset(
    "bought sold built made led held found won sent paid met told taught kept left lost struck shot hit cut set put "
    "brought caught fought sought thought lent bound fed run cast read understood overthrown spent".split()
)


@lru_cache(maxsize=50_000)
def family_of(predicate: str) -> str:
    """Return the family of a predicate, lower case; "" where none of its words has one."""
    words = [word for word in predicate.casefold().replace("_", " ").split() if word not in NEGATIONS]
    telling = [word for word in words if word not in _AUXILIARIES and word not in _SMALL]
    for word in telling or words:
        root = stem(word)
        if family := _FAMILY.get(f"{root} {words[-1]}") or _FAMILY.get(root) or _FORMS.get(word):
            return family
    return "office" if any(word.endswith(_AGENTS) for word in telling) else ""


def in_family(predicate: str, wanted: str) -> bool:
    """Return whether a predicate is of the wanted family, or of one below it."""
    return wanted in _with_parent(family_of(predicate))


def count_families(predicates: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return how many facts are of each family or of one below it, the largest first, by (predicate, facts)."""
    counts: Counter[str] = Counter()
    for predicate, facts in predicates:
        counts.update(dict.fromkeys(_with_parent(family_of(predicate)), facts))
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _with_parent(family: str) -> tuple[str, ...]:
    return tuple(each for each in (family, PARENTS.get(family, "")) if each)


@lru_cache(maxsize=50_000)
def active_form(predicate: str) -> str:
    """Return the active verb of a passive predicate: "acquired" of "was acquired by"; "" for any other."""
    words = predicate.casefold().split()
    while words and words[0] in _AUXILIARIES:
        words = words[1:]
    if len(words) != 2 or words[1] != "by":
        return ""
    verb = words[0]
    return _PAST.get(verb, verb if verb.endswith("ed") or verb in _PARTICIPLES else "")


def same_voice(subject: str, predicate: str, object_: str) -> tuple[str, str, str]:
    """Return what a fact says in the active: equal for "Vest acquired Gull" and "Gull acquired by Vest"."""
    active = active_form(predicate)
    return (object_, active, subject) if active else (subject, predicate, object_)
