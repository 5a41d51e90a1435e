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
from types import MappingProxyType

from core.text.stems import stem
from core.text.translation import mark

# Parent of each family; "" for those on top.
PARENTS: Mapping[str, str] = MappingProxyType(
    {
        mark("organisation"): "",
        mark("ownership"): "organisation",
        mark("office"): "organisation",
        mark("part"): "organisation",
        mark("people"): "",
        mark("family"): "people",
        mark("communication"): "people",
        mark("feeling"): "people",
        mark("conduct"): "people",
        mark("exchange"): "",
        mark("rule"): "",
        mark("definition"): "rule",
        mark("work"): "",
        mark("use"): "",
        mark("place"): "",
        mark("journey"): "place",
        mark("event"): "",
        mark("identity"): "",
    }
)
_WORDS = {
    "ownership": """
        own owner co-owner acquire buy bought purchase sell sold sale inherit control holder hold subsidiary parent
        property belong landlord tenant lease rent
    """,
    "office": """
        employ employer employee hire appoint elect nominate name ordain promote dismiss resign retire admit succeed
        predecessor successor replace serve work lead leader head chair chairman chairwoman president director manager
        founder co-founder secretary treasurer minister mayor governor king queen emperor bishop archdeacon dean vicar
        rector curate warden chaplain captain master judge professor teacher student pupil member fellow officer
        ambassador senator commander admiral general colonel representative delegate agent auditor editor coach
        player doctor nurse lawyer attorney clerk steward partner squire report supervise govern rule command
        candidate spokesman commissioner prince princess duke lord noble politician leadership alumnus coordinator champion coalition chief vice-president deputy post reign
    """,
    "part": """
        part division department branch unit component team belong consist comprise contain include incorporate
        affiliate merge join leave left split faction chapter section
    """,
    "family": """
        son daughter child father mother parent brother sister sibling husband wife spouse widow widower uncle aunt
        nephew niece cousin grandson granddaughter grandfather grandmother stepson heir ancestor descendant relative
        descend marry married divorce wed marriage engage wedding adopt namesake stepfather stepmother in-law
        divorced grandchild family
    """,
    "communication": """
        letter call phone email mail message speak talk say tell told announce inform ask answer
        reply notify propose explain discuss debate describe report interview address invite introduce visit meet met
        meeting negotiate quarrel argue correspond read teach taught advise advice warn present presentation speech
        suggest recommend submit consult conversation refer mention cite summon contact raise note respond invitation application request demand claim deny decline dispute declare proclaim
    """,
    "feeling": """
        love like dislike hate admire fear respect trust distrust envy jealous fond angry enjoy prefer despise praise
        blame criticise criticize thank forgive suspect favourite favorite friend enemy rival acquaint acquaintance
        friendship guest host companion
    """,
    "conduct": """
        help assist support back oppose attack defend fight fought kill murder arrest accuse charge convict sentence
        sue beat defeat win won lose lost follow join accompany rescue free save bless abuse insult forge steal stole rob burn betray deceive
        kiss court woo embrace refuse reject accept persuade force invade occupy capture besiege conquer destroy
        threaten compete against war battle conflict ally treaty victim victory
    """,
    "exchange": """
        pay paid payment fund finance sponsor donate donation give gave gift grant lend lent loan borrow assign transfer deduct earn owe supply
        deliver ship send sent receive provide offer order invoice insure award prize win bequeath transfer deposit
        invest collect cost charge raise refund trade import export proposition
    """,
    "rule": """
        require govern law licence license permit authorize authorise prohibit forbid agree agreement contract sign
        ratify approve second move adopt amend enforce comply subject enact pass vote apply accept certify register
        warrant indemnify waive violate breach liable liability responsible responsibility right execute disclose obligation terminate bind bound regulate conform entitle
    """,
    "definition": "mean define definition refer stand constitute comprise consist include equal denote describe set",
    "work": """
        write wrote written author direct director produce producer compose composer perform performer star play
        feature sing sung record release publish publisher edit editor translate illustrate paint design designer
        build built construct create creator develop developer invent inventor discover film album song novel book
        adapt narrate screenplay score photograph draw drawn host broadcast premiere distribute label voice cast
        soundtrack music lyric script cover composition newspaper magazine journal version edition venture appearance protagonist tour portray broadcast antagonist contribute character appear starring episode single series found establish make made
        manufacture documentation
    """,
    "use": """
        use run support install build base depend require implement connect attach communicate provide configure
        program replace extend download user port power generate rely access complete suite frontend interface driver library plugin host process store work test
        repair maintain equip upgrade switch programmer compatible
    """,
    "place": """
        in at near of from located locate situate lie lay headquarters headquarter office live reside settle stay
        capital city town village district county region province state country river island street road border
        overlook flow drain empty relocate bury buried hold held base twin native grow grew grown home site venue market native citizen citizenship nationality from surround
    """,
    "journey": "go went gone travel arrive return leave left move come came sail fly flew ride walk drive start depart "
    "visit emigrate flee fled enter cross transport carry bring migrate route land journey voyage",
    "event": """
        happen occur place begin began start end take date dated announce schedule open close hold found establish born die
        died death birth launch dissolve cancel postpone celebrate commemorate attend participate take play compete finish resume league
        graduate study educate attend train enrol enroll join sink sank cause damage injure result year
    """,
    "identity": "is was are known call name title nickname alias also become became remain represent dub style",
}
_FAMILY: dict[str, str] = {
    f"{stem('write')} to": "communication",
    f"{stem('write')} on": "communication",
    "air on": "work",
}
for _name, _line in _WORDS.items():
    for _word in _line.split():
        _FAMILY.setdefault(stem(_word), _name)
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
    words = predicate.casefold().replace("_", " ").split()
    telling = [word for word in words if word not in _AUXILIARIES and word not in _SMALL]
    for word in telling or words:
        if family := _FAMILY.get(f"{stem(word)} {words[-1]}") or _FAMILY.get(stem(word)):
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
