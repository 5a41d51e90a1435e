"""Verbs, nouns and adjectives that take a clause, and what they make of it.

Karttunen 2012, "Simple and phrasal implicatives"; Sauri and Pustejovsky 2009, FactBank.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING

from core.extraction.denials import NOBODY, PARTICLES, subject_of
from core.extraction.topic import BE
from core.text.stems import stem
from core.types import Assertion, Modality

if TYPE_CHECKING:
    from spacy.tokens import Token


class Takes(Enum):
    """What a word makes of the clause that it takes."""

    FACT = auto()  # holds, whether the word is denied or not: "knew that"
    HOLDS = auto()  # holds, and is denied where the word is: "managed to", "proved that"
    FAILS = auto()  # is denied, and holds where the word is denied: "failed to", "denied that"
    DOUBTS = auto()  # is denied as far as somebody thinks: "doubts that"
    POSSIBLE = auto()
    PLANNED = auto()
    REPORTED = auto()


def _by_stem(words: dict[Takes, str]) -> dict[str, Takes]:
    return {stem(word): kind for kind, line in words.items() for word in line.split()}


# Words of no class come under one by the grammar (see `verb_kind`).
# Irregular forms that `stem` does not know stand beside their verb.
VERBS = _by_stem(
    {
        Takes.FACT: "know learn discover realise realize regret remember recall",
        Takes.HOLDS: """
            manage begin start continue come came get got happen proceed help bother dare go went gone have had
            use used force compel make cause lead let choose keep serve find found see hear heard feel felt watch
            notice observe note record document mention point reveal confirm prove proven show shown demonstrate
            establish verify admit confess acknowledge concede convict recognise recognize mean meant succeed
            thank praise uphold upheld accept corroborate like love hate enjoy finish
        """,
        Takes.FAILS: """
            fail refuse decline neglect omit forget forgot forgotten avoid deny dispute reject refute disprove
            contradict contest disclaim dismiss rebut disbelieve exclude refrain abstain prevent stop bar ban
            forbid forbade forbidden prohibit hinder dissuade deter resist cease quit acquit clear exonerate
            retract cancel lack withdraw withdrew withdrawn pretend disavow overturn debunk hesitate
        """,
        Takes.DOUBTS: "doubt question challenge",
        Takes.POSSIBLE: """
            suspect guess assume suppose imagine fear hope wish presume dream appear seem speculate suggest
            wonder allow permit enable entitle
        """,
        Takes.PLANNED: """
            agree order demand require propose decide want promise plan insist intend expect request urge ask
            invite hire instruct undertake offer vow ensure consider try tried tries attempt
        """,
        Takes.REPORTED: """
            say tell write announce claim allege report state declare argue explain add believe think maintain
            assert rumour rumor deem estimate purport profess insinuate hint testify swear swore sworn complain
            understand understood hold reckon accuse charge indict prosecute blame arrest investigate sue
            conclude contend reply answer warn credit
        """,
    }
)


# Of what is tried the outcome is open, but not what was done for it.
ATTEMPTS = _by_stem(
    {Takes.PLANNED: "try tried tries attempt endeavour endeavor seek sought strive strove struggle"}
)


# Verbs that a particle makes another word of.
_PHRASAL = {
    Takes.FAILS: "call_off turn_down give_up back_out pull_out fall_through break_off rule_out shy_away opt_out",
    Takes.PLANNED: "put_off call_for push_for",
    Takes.HOLDS: "carry_out go_through",
}
_BY_PARTICLE = {tuple(one.split("_")): kind for kind, line in _PHRASAL.items() for one in line.split()}


NOUNS = _by_stem(
    {
        Takes.HOLDS: """
            fact truth proof discovery confirmation knowledge realisation realization news conviction admission
            confession success
        """,
        Takes.FAILS: """
            refusal failure denial inability myth lie fabrication falsehood fiction invention slander hoax
            prohibition fable nonsense misconception untruth canard
        """,
        Takes.DOUBTS: "doubt question uncertainty legend",
        Takes.POSSIBLE: """
            possibility chance risk fear hope suspicion likelihood probability evidence sign indication danger
            guess assumption hypothesis
        """,
        Takes.REPORTED: """
            claim allegation rumour rumor report accusation story belief theory idea assertion suggestion charge
            statement notion complaint insinuation hint speculation view opinion testimony
        """,
    }
)


ADJECTIVES = _by_stem(
    {
        Takes.HOLDS: """
            true correct right certain clear evident obvious proven established able known glad happy sorry
            proud undisputed undeniable guilty indisputable
        """,
        Takes.FAILS: """
            false untrue incorrect wrong unfounded baseless groundless fictitious fabricated unable unwilling
            reluctant loath impossible mistaken invented fake erroneous innocent untenable unjustified
            unwarranted close near
        """,
        Takes.DOUBTS: "unlikely doubtful questionable improbable unproven unsubstantiated unverified",
        Takes.POSSIBLE: """
            possible probable likely conceivable uncertain unclear free eligible plausible unsure undecided
        """,
        Takes.REPORTED: "alleged",
    }
)


_PERHAPS = frozenset(
    "perhaps maybe apparently probably possibly presumably likely potentially conceivably".split()
)


_WRONGLY = frozenset({"falsely", "wrongly", "wrongfully", "mistakenly", "untruthfully"})


_CONFIRMING = frozenset(
    map(
        stem,
        "confirm prove proven show shown establish verify uphold upheld accept corroborate demonstrate".split(),
    )
)


_MEANING = frozenset(map(stem, ("mean", "meant")))


_TELLING = frozenset(map(stem, "tell write warn charge urge".split()))


_CALLING_OFF = frozenset(map(stem, "cancel withdraw abandon scrap shelve renounce forgo".split()))


_CONTRADICTING = frozenset(
    map(stem, "deny dispute refute contest contradict rebut disclaim disavow challenge".split())
)


AFTERWARDS = frozenset({"first", "last", "only", "second", "third"})  # "the first to sign": signed


PLAIN = Assertion()


def kind_of(token: Token, among: dict[str, Takes]) -> Takes | None:
    """Return the kind of a word by the stem of its form, else of its lemma: "ordered" and "cancelled" keep letters."""
    if among is VERBS and (phrasal := _phrasal_kind(token)) is not None:
        return phrasal
    return among.get(stem(token.lower_)) or among.get(stem(token.lemma_.lower()))


def _phrasal_kind(verb: Token) -> Takes | None:
    behind = (c.lower_ for c in verb.children if c.dep_ in {"prt", "advmod", "prep"} and c.i > verb.i)
    return next((kind for word in behind if (kind := _BY_PARTICLE.get((verb.lemma_.lower(), word)))), None)


def calls_off(verb: Token) -> bool:
    """Return whether who does it gives up an act of their own: "cancelled", "withdrew from", "pulled out of"."""
    return stem(verb.lemma_.lower()) in _CALLING_OFF or _phrasal_kind(verb) is Takes.FAILS


def put(kind: Takes, outer: Assertion, source: str) -> Assertion:
    """Return what a word of a kind, put as `outer`, makes of the clause that it takes. `source`: its subject."""
    if kind is Takes.FACT:
        return replace(outer, denied=False, modality=Modality.ACTUAL)
    if kind is Takes.HOLDS:
        return outer
    if kind is Takes.FAILS:
        return replace(outer, denied=not outer.denied, source=outer.source or source)
    if kind is Takes.DOUBTS:
        if outer.denied:
            return replace(outer, denied=False, reported=bool(source), source=outer.source or source)
        return Assertion(True, Modality.POSSIBLE, True, outer.source or source)
    if kind is Takes.REPORTED and outer.denied:  # "no longer believes that"
        return Assertion(True, Modality.POSSIBLE, True, outer.source or source)
    if kind is Takes.POSSIBLE:
        return Assertion(outer.denied, Modality.POSSIBLE, outer.reported, outer.source or source)
    if kind is Takes.PLANNED:
        return Assertion(outer.denied, Modality.PLANNED, outer.reported, outer.source)
    return Assertion(False, outer.modality, True, outer.source or source)


def adverb_kind(word: str) -> Takes | None:
    """ "allegedly", "reportedly" of their verbs, "perhaps"."""
    if word in _PERHAPS:
        return Takes.POSSIBLE
    if not word.endswith("ly"):
        return None
    kind = VERBS.get(stem(word.removesuffix("ly")))
    if kind is Takes.POSSIBLE:
        return Takes.REPORTED if word.endswith("edly") else Takes.POSSIBLE  # "supposedly"; "seemingly"
    return kind if kind is Takes.REPORTED else None


def is_alleged(adjective: Token) -> bool:
    kind = kind_of(adjective, VERBS) or kind_of(adjective, ADJECTIVES)
    participle = adjective.tag_ in {"VBN", "JJ"} and adjective.lower_.endswith("ed")
    return participle and kind in {Takes.REPORTED, Takes.POSSIBLE}


def is_denial(word: str) -> bool:
    """Return whether a word denies by itself: "not", "refused", "unfounded". Lower case."""
    root = stem(word)
    if word in PARTICLES | NOBODY | {"no", "without", "cannot"} or word.endswith(("n't", "n’t")):
        return True
    return any(table.get(root) is Takes.FAILS for table in (VERBS, NOUNS, ADJECTIVES))


def verb_kind(verb: Token, head: Token, mark: Token | None) -> Takes:
    """Return of which kind a verb is for the clause that it takes."""
    kind = kind_of_speech(head)
    infinitive = any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)
    perfect = infinitive and any(child.dep_ == "aux" and child.lower_ == "have" for child in verb.children)
    if stem(head.lower_) == stem("forget") and not infinitive:
        return Takes.FACT
    if kind is None:
        if perfect:
            return Takes.REPORTED
        if infinitive:
            return Takes.PLANNED
        subject = subject_of(head)
        if subject is not None and subject.lower_ == "it" and subject.dep_ == "nsubj":
            return Takes.HOLDS  # "it turned out that"
        spoken = mark is not None and mark.lower_ == "that" or _quoted(verb, head)
        return Takes.REPORTED if spoken and verb.dep_ == "ccomp" else Takes.HOLDS
    if kind is Takes.HOLDS and head.lemma_ == "have" and verb.dep_ == "ccomp" and mark is not None:
        return Takes.REPORTED  # "rumour has it that"
    passive = any(child.dep_ == "auxpass" for child in head.children)
    if kind is Takes.REPORTED and infinitive and not passive and stem(head.lower_) in _TELLING:
        return Takes.PLANNED  # "told him to sign"
    if kind is Takes.PLANNED and perfect:
        return Takes.REPORTED
    if kind is Takes.HOLDS and stem(head.lower_) in _MEANING and infinitive:
        return Takes.PLANNED  # "was meant to sign"
    if kind is Takes.HOLDS and head.lemma_ == "go" and head.tag_ == "VBG":
        return Takes.PLANNED  # "is going to join"
    if kind is Takes.HOLDS and stem(head.lower_) == "have" and infinitive and head.tag_ != "VBD":
        return Takes.PLANNED  # "has to pay"
    return kind


def kind_of_speech(verb: Token) -> Takes | None:
    """Return the kind of a verb; "falsely claimed" is no claim but a lie."""
    kind = kind_of(verb, VERBS)
    wrongly = kind is Takes.REPORTED and any(child.lower_ in _WRONGLY for child in verb.children)
    return Takes.FAILS if wrongly else kind


def contradicts(verb: Token) -> bool:
    """Return whether who does it says that something is not so."""
    return stem(verb.lemma_.lower()) in _CONTRADICTING


def is_wrongly(adverb: Token) -> bool:
    return adverb.lower_ in _WRONGLY


def _quoted(verb: Token, head: Token) -> bool:
    """ "“...,” he snapped": quotation marks stand between a clause and the verb that takes it."""
    first, last = sorted((verb.i, head.i))
    return any(token.text in {'"', "”", "“", "''", "``"} for token in verb.doc[first:last])


def predicated_kind(be: Token) -> Takes:
    """Return what "is" says of a clause: "is true that", "is a lie that", "the truth is that"."""
    for child in be.children:
        if (
            child.dep_ in {"acomp", "oprd", "attr", "advmod"}
            or child.dep_ == "prep"
            and child.lower_ == "without"
        ):
            kind = kind_of(child, ADJECTIVES) or kind_of(child, NOUNS)
            if child.dep_ == "prep":
                kind = Takes.FAILS  # "is without foundation"
            if child.tag_[:2] == "VB":
                kind = kind or kind_of(child, VERBS)
            if kind is not None:
                return kind
        if child.dep_ == "xcomp" and child.lower_ in BE:
            return predicated_kind(child)
        if child.lower_ == "far" and any(inner.lower_ == "from" for inner in child.children):
            return Takes.FAILS  # "is far from true"
    subject = subject_of(be)
    kind = kind_of(subject, NOUNS) if subject is not None else None
    return kind or Takes.HOLDS


def is_cleft(verb: Token, be: Token) -> bool:
    """ "It was not in Oslo that she signed it": only where is denied, not that she did."""
    subject = subject_of(be)
    if subject is None or subject.lower_ != "it":
        return False
    if any(child.dep_ in {"acomp", "attr", "oprd"} for child in be.children):
        return False
    between = [c for c in be.children if be.i < c.i < verb.i and c.dep_ == "prep" and c.lower_ != "without"]
    targets = [target for child in between for target in child.children if target.dep_ == "pobj"]
    return bool(targets) and all(kind_of(target, NOUNS) is None for target in targets)


def is_ranked(noun: Token) -> bool:
    before = noun.doc[noun.left_edge.i : noun.i]
    return any(word.lower_ in AFTERWARDS or word.tag_ == "JJS" for word in before)


def is_first_to(verb: Token, head: Token) -> bool:
    """ "became the first woman to cross it": she crossed it."""
    return verb.tag_ == "VB" and any(
        child.dep_ in {"attr", "oprd"}
        and child.i < verb.i
        and (is_ranked(child) or child.lower_ in AFTERWARDS)
        for child in head.children
    )


def verdict_behind(verb: Token, head: Token) -> Takes | None:
    """ "Reports that she left turned out to be false", where the parser takes "reports" for the verb."""
    for other in head.children:
        if other.i > verb.i and other.dep_ in {"ccomp", "conj", "dep"} and subject_of(other) is None:
            verdict = _predicated_of(other, head)
            if verdict in {Takes.FAILS, Takes.DOUBTS}:
                return verdict
    return None


def verdict_within(noun: Token) -> Takes | None:
    """ "found the claim that she left baseless": the parser hangs the verdict on "claim" or on "left"."""
    clause = next((child for child in noun.children if child.dep_ in {"acl", "relcl"}), None)
    if noun.dep_ != "dobj" or clause is None or kind_of(clause, VERBS) is not None:
        return None
    objects = [child for child in clause.children if child.dep_ in {"dobj", "oprd"}]
    behind = [child for child in (*noun.children, *objects) if child.i > clause.i]
    verdicts = [kind_of(child, ADJECTIVES) for child in behind if child.tag_ in {"JJ", "VBN"}]
    verdicts += [kind_of(child, NOUNS) for child in objects[1:]]
    verdicts += [_predicated_of(c, noun) for c in clause.children if c.dep_ == "xcomp" and c.lower_ in BE]
    return next((kind for kind in verdicts if kind in {Takes.FAILS, Takes.DOUBTS}), None)


def verdict_on(verb: Token, noun: Token) -> Takes | None:
    """Return what the clause of a noun says of it, where it says that it is false, true or doubtful."""
    kind = kind_of(verb, VERBS)
    if noun.dep_ == "dobj":
        return (
            kind if kind in {Takes.FAILS, Takes.DOUBTS} or kind is Takes.HOLDS and _confirms(verb) else None
        )
    if noun.dep_ not in {"nsubj", "nsubjpass"}:
        return None
    verdict = _predicated_of(verb, noun)
    if verdict is not None or verb.lower_ in BE or _copular(verb):
        return verdict
    if noun.dep_ == "nsubjpass":
        return kind if kind is not Takes.HOLDS or _confirms(verb) else None
    return kind if kind is Takes.FAILS and not any(c.dep_ == "dobj" for c in verb.children) else None


def _copular(verb: Token) -> bool:
    """ "proved false", "turned out to be unfounded"."""
    return any(
        child.dep_ in {"acomp", "oprd"} or child.dep_ == "xcomp" and child.lower_ in BE
        for child in verb.children
    )


def _confirms(verb: Token) -> bool:
    return stem(verb.lower_) in _CONFIRMING


def _predicated_of(verb: Token, noun: Token) -> Takes | None:
    for child in verb.children:
        if child.dep_ in {"acomp", "oprd", "attr"} and child.i != noun.i:
            return kind_of(child, ADJECTIVES) or kind_of(child, NOUNS) or kind_of(child, VERBS)
        if child.dep_ == "prep" and child.lower_ == "without":
            return Takes.FAILS
        if child.dep_ == "xcomp" and (child.lower_ in BE or child.tag_ == "JJ"):
            return _predicated_of(child, noun) or kind_of(child, ADJECTIVES)
    return None


def is_outcome(verb: Token) -> bool:
    """ "beat Oslo to win the cup": what somebody did something for is often what came of it."""
    infinitive = verb.tag_ == "VB" and any(child.lower_ == "to" for child in verb.children)
    if not infinitive or verb.dep_ not in {"advcl", "xcomp"} or kind_of(verb.head, VERBS) is not None:
        return False
    return verb.dep_ == "advcl" or any(child.dep_ == "dobj" for child in verb.head.children)
