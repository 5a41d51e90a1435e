"""How a clause puts what it says: as so, as denied, possible, planned or conditional, and who says it.

Read off one parse, from the sentence's root down to the clause: each verb, noun or adjective that takes a clause passes
on whether that clause holds (Karttunen 2012, "Simple and phrasal implicatives"; Sauri and Pustejovsky 2009, FactBank).
The grammar tells the scope; a word says only of which kind it is.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING

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


# Words of no class come under one by the grammar (see `_of_verb`, `_of_noun`).
# Irregular forms that `stem` does not know stand beside their verb.
_VERBS = _by_stem(
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
            retract cancel lack withdraw withdrew withdrawn pretend disavow overturn debunk
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
            conclude contend reply answer warn
        """,
    }
)
_NOUNS = _by_stem(
    {
        Takes.HOLDS: """
            fact truth proof discovery confirmation knowledge realisation realization news conviction admission
            confession success
        """,
        Takes.FAILS: """
            refusal failure denial inability myth lie fabrication falsehood fiction invention slander hoax
            prohibition
        """,
        Takes.DOUBTS: "doubt",
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
_ADJECTIVES = _by_stem(
    {
        Takes.HOLDS: """
            true correct right certain clear evident obvious proven established able known glad happy sorry
            proud undisputed undeniable guilty indisputable
        """,
        Takes.FAILS: """
            false untrue incorrect wrong unfounded baseless groundless fictitious fabricated unable unwilling
            reluctant loath impossible mistaken invented fake erroneous innocent untenable unjustified
            unwarranted
        """,
        Takes.DOUBTS: "unlikely doubtful questionable improbable unproven unsubstantiated unverified",
        Takes.POSSIBLE: """
            possible probable likely conceivable uncertain unclear free eligible plausible unsure undecided
        """,
        Takes.REPORTED: "alleged",
    }
)
_NOMINAL = frozenset({"nsubj", "nsubjpass", "dobj", "attr", "oprd", "csubj", "csubjpass"})
_PARTICLES = frozenset({"not", "n't", "n’t", "never", "hardly", "scarcely", "neither", "nor", "nowhere"})
_NOBODY = frozenset({"nobody", "none", "nothing", "neither", "noone", "nowhere"})
_ONLY = frozenset({"only", "just", "merely", "simply", "solely", "until", "till", "least"})
_SOME = frozenset({"one", "a", "an", "any", "every", "each", "all", "even", "many", "much"})
_EXCEPT = frozenset({"but", "except", "save", "besides"})
_PERHAPS = frozenset(
    {
        "perhaps",
        "maybe",
        "apparently",
        "probably",
        "possibly",
        "presumably",
        "likely",
        "potentially",
        "conceivably",
    }
)
_WRONGLY = frozenset({"falsely", "wrongly", "wrongfully", "mistakenly", "untruthfully"})
_IF = frozenset({"if", "unless", "provided", "lest", "supposing", "assuming"})
_FUTURE = frozenset({"will", "shall", "'ll", "’ll", "wo", "sha"})
_MAY = frozenset({"may", "might", "could", "can", "should", "would", "must", "ought", "ca", "'d", "’d"})
_BE = frozenset({"is", "was", "are", "were", "be", "been", "being", "'s", "’s", "am"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_AFTERWARDS = frozenset({"first", "last", "only", "second", "third"})  # "the first to sign": signed
_STEPS = 12  # clauses above a clause that are looked at

PLAIN = Assertion()
_DENIED = Assertion(denied=True)


def assertion_of(token: Token) -> Assertion:
    """How the sentence puts the clause of this verb, or the noun that is said of somebody."""
    return _assertion(_clause(token), _STEPS)


def excluded(token: Token) -> bool:
    """Whether the phrase is named to be left out: "not Anna but Bo", "Bo rather than Anna"; its clause may hold."""
    for child in token.children:
        if child.lower_ == "not" and child.dep_ in {"neg", "advmod", "preconj"} and child.i < token.i:
            following = child.nbor().lower_
            if following not in _ONLY and following not in _SOME and token.tag_[:2] != "VB":
                return True
    before = token.left_edge.nbor(-1) if token.left_edge.i else None
    if before is not None and token.tag_[:2] != "VB":
        if _instead(before):
            return True
        if before.lower_ == "not" and before.head.tag_[:2] not in {"VB", "MD"}:
            return token.left_edge.lower_ not in _ONLY | _SOME
    return token.dep_ == "pobj" and excluded(token.head)


def description_of(noun: Token) -> Assertion:
    """How the sentence puts what a noun says of somebody: "is no lawyer", "the alleged owner"."""
    if any(child.dep_ == "amod" and _alleged(child) for child in noun.children):
        return Assertion(reported=True)
    if noun.dep_ in {"attr", "conj", "acomp"} and (verb := governing(noun)).lower_ in _BE:
        return _assertion(verb, _STEPS)
    return Assertion(denied=True) if excluded(noun) else PLAIN


def nominal_assertion(noun: Token) -> Assertion:
    """How the sentence puts what a noun names: "denied the sale", "the sale never took place", "is no captain"."""
    if noun.dep_ in {"attr", "conj", "appos", "acomp", "oprd"}:
        return description_of(noun)
    if noun.head.tag_[:2] == "VB" and noun.dep_ in _NOMINAL:
        return _noun_put(noun, Takes.HOLDS, _STEPS)
    return _DENIED if denies(noun) else PLAIN


def by_auxiliary(token: Token) -> bool:
    """Whether nothing but an auxiliary makes its clause possible or planned: "shall pay", "may pay"."""
    return _local(governing(token)).modality is not Modality.ACTUAL


def is_denial(word: str) -> bool:
    """Whether a word denies by itself: "not", "refused", "unfounded". Lower case."""
    root = stem(word)
    if word in _PARTICLES | _NOBODY | {"no", "without", "cannot"} or word.endswith(("n't", "n’t")):
        return True
    return any(table.get(root) is Takes.FAILS for table in (_VERBS, _NOUNS, _ADJECTIVES))


def _alleged(adjective: Token) -> bool:
    kind = _VERBS.get(stem(adjective.lower_)) or _kind(adjective, _ADJECTIVES)
    participle = adjective.tag_ in {"VBN", "JJ"} and adjective.lower_.endswith("ed")
    return participle and kind in {Takes.REPORTED, Takes.POSSIBLE}


def governing(token: Token) -> Token:
    """The verb in whose clause a token stands; the token itself where there is none."""
    while token.tag_[:2] not in {"VB", "MD"} and token.head.i != token.i:
        token = token.head
    return _clause(token)


def antecedent(clause: Token) -> Token:
    """The noun that a relative clause describes: Anna in "it was Anna, not Bo, who signed"."""
    noun = clause.head
    while noun.dep_ in {"appos", "conj"} and excluded(noun):
        noun = noun.head
    return noun


def excepted(token: Token) -> list[Token]:
    """Who is left of nobody: Anna in "nobody except Anna", "no one other than Anna"."""
    if not _excepts(token):
        return []
    words = [word for word in token.subtree if word.lower_ in _EXCEPT or word.lower_ == "than"]
    return [target for word in words for target in word.children if target.dep_ == "pobj"]


def denies(token: Token) -> bool:
    """Whether a noun phrase is itself the denial: "nobody", "no workshop", "neither of them"."""
    if _excepts(token):
        return False
    if token.lower_ in _NOBODY:
        return True
    for child in token.children:
        if child.i > token.i:
            continue
        if child.lower_ in {"no", "neither"} and not _compares(child) and child.nbor().text != ".":  # "No. 4"
            return True
        quantity = child.dep_ in {"nummod", "det", "amod", "advmod"}
        if quantity and any(
            c.lower_ in {"not", "hardly", "scarcely"} and not _focuses(c) for c in child.children
        ):
            return True
        if child.lower_ == "not" and child.nbor().lower_ in _SOME:
            return True
    return False


# ------------------------------------------------------------ the clause by itself


def _assertion(verb: Token, steps: int) -> Assertion:
    if not steps:
        return PLAIN
    return _joined(_context(verb, steps - 1), _local(verb))


def _joined(outer: Assertion, inner: Assertion) -> Assertion:
    """What is put by two, one inside the other."""
    return Assertion(
        outer.denied != inner.denied,
        outer.modality if outer.modality is not Modality.ACTUAL else inner.modality,
        outer.reported or inner.reported,
        outer.source or inner.source,
    )


def _local(verb: Token) -> Assertion:
    """What the words of the clause itself make of it, with those that it shares with a clause that it is joined to."""
    own = _own(verb)
    if verb.dep_ != "conj" or verb.head.tag_[:2] not in {"VB", "MD"} or _subject(verb) is not None:
        return own
    before = _local(_clause(verb.head))
    linked = {child.lower_ for child in verb.head.children if child.dep_ == "cc" and child.i < verb.i}
    finite = verb.tag_ in {"VBD", "VBZ", "VBP"} or any(child.dep_ == "aux" for child in verb.children)
    if finite and not linked & {"or", "nor"}:
        return replace(own, reported=own.reported or before.reported, source=own.source or before.source)
    shared = before if "but" not in linked else replace(before, denied=False)
    own = replace(own, denied=own.denied and "nor" not in linked) if shared.denied else own
    return _joined(shared, own)


def _own(verb: Token) -> Assertion:
    particles, modality, reported, source = 0, Modality.ACTUAL, False, ""
    for child in verb.children:
        low = child.lower_
        if (
            low in _PARTICLES
            and child.dep_ in {"neg", "advmod", "preconj", "cc", "det"}
            and not _focuses(child)
        ):
            if not (low == "nor" and child.i > verb.i) and not _until(verb, child):
                particles += 1
        elif child.dep_ in {"aux", "advmod"} and _fronts_denial(child):
            particles += 1  # "never did he sign", "not once did he sign"
            modality = Modality.PLANNED if low in _FUTURE else Modality.POSSIBLE if low in _MAY else modality
        elif low == "longer" and child.i and child.nbor(-1).lower_ == "no":
            particles += 1
        elif child.dep_ == "aux" and _is_name(child):
            continue  # "Theresa May signed"
        elif child.dep_ == "aux" and low in _FUTURE:
            modality = Modality.PLANNED
        elif child.dep_ == "aux" and low in _MAY:
            modality = Modality.POSSIBLE
        elif child.dep_ == "advmod" and (kind := _adverb(low)) is not None:
            reported = reported or kind is Takes.REPORTED
            modality = Modality.POSSIBLE if kind is Takes.POSSIBLE else modality
        elif low == "according" or (child.dep_ == "prep" and low == "per"):
            reported, source = True, _named_by(child)
        elif child.dep_ == "parataxis" and child.tag_[:2] == "VB" and _kind(child, _VERBS) is Takes.REPORTED:
            reported, source = True, _subject_words(child)  # "X, it is claimed, forged it"
        elif child.dep_ in _SUBJECTS and (speaker := _interposed(child)) is not None:
            reported, source = True, speaker
    arguments = (c for c in verb.children if c.dep_ in _NOMINAL or c.dep_ in {"agent", "prep", "dative"})
    denied = particles % 2 == 1
    if any(_denying(argument, verb) for argument in arguments):
        denied = not denied
    if (
        modality is Modality.POSSIBLE
        and denied
        and any(c.lower_ in {"can", "ca", "could"} for c in verb.children)
    ):
        modality = Modality.ACTUAL  # "cannot have signed"
    return Assertion(denied, modality, reported, source)


def _fronts_denial(child: Token) -> bool:
    """A particle that hangs on the auxiliary or on an adverb before it: "not once did she", but not ", not before,"."""
    first = child.left_edge
    if child.dep_ == "advmod" and first.i and first.nbor(-1).is_punct:
        return False
    return any(
        inner.lower_ in _PARTICLES and inner.dep_ == "neg" and not _focuses(inner) for inner in child.subtree
    )


def _interposed(subject: Token) -> str | None:
    """ "Anna, the paper reported, had left": who says so, where the parser takes that for an apposition."""
    for noun in subject.children:
        if noun.dep_ != "appos":
            continue
        for verb in noun.children:
            alone = verb.dep_ in {"acl", "relcl"} and all(word.is_punct for word in verb.children)
            if alone and verb.tag_ in {"VBD", "VBN", "VBZ"} and _kind(verb, _VERBS) is Takes.REPORTED:
                return _words(noun)
    return None


def _is_name(token: Token) -> bool:
    """A word with a capital within a sentence: a name, whatever the parser takes it for."""
    return token.is_title and token.i > token.sent.start and token.nbor(-1).is_alpha


def _focuses(particle: Token) -> bool:
    """ "not only", "no fewer than": it denies nothing."""
    following = particle.nbor() if particle.i + 1 < len(particle.doc) else None
    return following is not None and (following.lower_ in _ONLY or _compares(particle))


def _compares(particle: Token) -> bool:
    """ "no fewer than nine", "no later than May"."""
    doc, at = particle.doc, particle.i + 1
    return at + 1 < len(doc) and doc[at].tag_ in {"JJR", "RBR"} and doc[at + 1].lower_ == "than"


def _until(verb: Token, particle: Token) -> bool:
    """ "did not sign until May": signed in May."""
    if particle.lower_ == "never":
        return False
    return any(
        word.lower_ in {"until", "till"}
        for child in verb.children
        if child.i > verb.i
        for word in (child, *child.children)
    )


def _denying(argument: Token, verb: Token) -> bool:
    """Whether an argument of a verb denies its clause."""
    if argument.dep_ not in {"agent", "prep", "dative"} or argument.tag_ != "IN":
        return denies(argument)
    for target in argument.children:
        if target.dep_ != "pobj" or not denies(target):
            continue
        subject = _subject(verb)
        before = verb.i if subject is None else subject.i
        fronted = any(c.dep_ == "aux" and argument.i < c.i < before for c in verb.children)
        if target.lower_ in _NOBODY or target.lower_ in {"one", "way"} or argument.dep_ == "agent" or fronted:
            return True
    return False


def _excepts(token: Token) -> bool:
    """ "nobody but Anna", "none other than Anna"."""
    following = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    if following == "other" or following == "else":
        return token.i + 2 < len(token.doc) and token.nbor(2).lower_ in {"than", *_EXCEPT}
    return (
        following in _EXCEPT
        and token.nbor().dep_ != "cc"
        or (
            following in _EXCEPT
            and any(child.dep_ == "conj" and child.tag_[:2] == "NN" for child in token.children)
        )
    )


def _adverb(word: str) -> Takes | None:
    """ "allegedly", "reportedly" of their verbs, "perhaps"."""
    if word in _PERHAPS:
        return Takes.POSSIBLE
    if not word.endswith("ly"):
        return None
    kind = _VERBS.get(stem(word.removesuffix("ly")))
    if kind is Takes.POSSIBLE:
        return Takes.REPORTED if word.endswith("edly") else Takes.POSSIBLE  # "supposedly"; "seemingly"
    return kind if kind is Takes.REPORTED else None


# ------------------------------------------------------------ what is above the clause


def _context(verb: Token, steps: int) -> Assertion:
    """What the clauses above make of a clause."""
    dep, head = verb.dep_, verb.head
    mark = next((child for child in verb.children if child.dep_ == "mark"), None)
    if _conditional(verb, mark):
        return Assertion(modality=Modality.CONDITIONAL)
    if head.i == verb.i:
        return _root(verb)
    if dep == "conj":
        return _context(_clause(head), steps) if head.tag_[:2] in {"VB", "MD"} else PLAIN
    if dep in {"ccomp", "xcomp", "csubj", "csubjpass"}:
        return _complement(verb, mark, steps)
    if dep in {"acl", "relcl"}:
        return _of_noun(verb, head, mark, steps)
    if dep == "pcomp":
        return _of_preposition(verb, head, steps)
    if dep == "advcl" and head.tag_ == "JJ" and mark is not None and mark.lower_ == "that":
        return _complement(verb, mark, steps)  # "makes it doubtful that"
    if dep == "advcl":
        return _adverbial(verb, mark, steps)
    return PLAIN


def _root(verb: Token) -> Assertion:
    """A main clause; a bare infinitive is an order. Of "That X forged it is untrue" the parser often takes "forged"."""
    children = list(verb.children)
    order = verb.tag_ == "VB" and not _is_name(verb) and _subject(verb) is None
    if order and not any(child.dep_ == "aux" for child in children):
        return Assertion(modality=Modality.PLANNED)
    if any(child.dep_ == "mark" and child.lower_ == "that" for child in children):
        for child in children:
            if child.dep_ in {"ccomp", "conj"} and child.lower_ in _BE and child.i > verb.i:
                return put(_predicated(child), _local(child), "")
    return PLAIN


def _conditional(verb: Token, mark: Token | None) -> bool:
    if mark is not None and mark.lower_ in _IF | {"though"}:
        before = mark.nbor(-1).lower_ if mark.i else ""
        return mark.lower_ in _IF or before == "as"
    if verb.dep_ in {"xcomp", "advcl"} and verb.head.lower_ == "were":
        return _inverted(verb.head, verb.head)  # "Were X to join"
    if verb.dep_ not in {"advcl", "ccomp", "ROOT"} or verb.sent.text.rstrip().endswith("?"):
        return False
    return any(child.dep_ == "aux" and _inverted(child, verb) for child in verb.children)


def _inverted(auxiliary: Token, verb: Token) -> bool:
    """ "Had X sold it, ..."."""
    subject = _subject(verb)
    if subject is None or auxiliary.i > subject.i or auxiliary.lower_ not in {"had", "were", "should"}:
        return False
    return all(token.is_punct or token.is_space for token in verb.doc[verb.left_edge.i : auxiliary.i])


def _complement(verb: Token, mark: Token | None, steps: int) -> Assertion:
    """A clause that a verb or an adjective takes."""
    head = verb.head
    above = _clause(head)
    if _is_name(head):
        return PLAIN
    if head.tag_[:2] not in {"VB", "MD"}:  # "able to pay", "likely to join"
        kind = _kind(head, _ADJECTIVES)
        if kind is None:
            kind = Takes.PLANNED if verb.tag_ == "VB" else Takes.HOLDS
        return put(kind, _assertion(governing(head), steps), "")
    outer = _assertion(above, steps)
    if _first_to(verb, head):
        return outer
    if (verdict := _verdict_behind(verb, head)) is not None:
        return put(verdict, outer, "")
    if mark is None and any(child.tag_ in {"WRB", "WP"} for child in verb.children):
        return put(Takes.FACT, outer, "")  # "knows when he signed"
    asked = mark is not None and mark.lower_ == "whether"
    if head.lower_ in _BE and verb.dep_ != "xcomp":
        kind = _predicated(head)
        kind = Takes.POSSIBLE if asked and kind is not Takes.DOUBTS else kind
        base = verb.tag_ == "VB" and not any(child.dep_ == "aux" for child in verb.children)
        return put(Takes.PLANNED if base else kind, outer, "")
    if asked:
        return _joined(Assertion(modality=Modality.POSSIBLE), replace(outer, denied=False))
    if head.lower_ in _BE:
        return put(Takes.PLANNED, outer, "")  # "was to be signed"
    passive = any(child.dep_ == "auxpass" for child in head.children)
    speaks = verb.dep_ == "ccomp" or passive  # who refuses to sign says nothing
    return put(_of_verb(verb, head, mark), outer, _subject_words(head) if speaks else "")


def _first_to(verb: Token, head: Token) -> bool:
    """ "became the first woman to cross it": she crossed it."""
    return verb.tag_ == "VB" and any(
        child.dep_ in {"attr", "oprd"}
        and child.i < verb.i
        and (_ranked(child) or child.lower_ in _AFTERWARDS)
        for child in head.children
    )


def is_outcome(verb: Token) -> bool:
    """ "beat Oslo to win the cup": what somebody did something for is often what came of it."""
    infinitive = verb.tag_ == "VB" and any(child.lower_ == "to" for child in verb.children)
    if not infinitive or verb.dep_ not in {"advcl", "xcomp"} or _kind(verb.head, _VERBS) is not None:
        return False
    return verb.dep_ == "advcl" or any(child.dep_ == "dobj" for child in verb.head.children)


def _verdict_behind(verb: Token, head: Token) -> Takes | None:
    """ "Reports that she left turned out to be false", where the parser takes "reports" for the verb."""
    for other in head.children:
        if other.i > verb.i and other.dep_ in {"ccomp", "conj", "dep"} and _subject(other) is None:
            verdict = _predicated_of(other, head)
            if verdict in {Takes.FAILS, Takes.DOUBTS}:
                return verdict
    return None


def _of_verb(verb: Token, head: Token, mark: Token | None) -> Takes:
    """Of which kind a verb is for the clause that it takes."""
    kind = _kind_of_speech(head)
    infinitive = any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children)
    perfect = infinitive and any(child.dep_ == "aux" and child.lower_ == "have" for child in verb.children)
    if stem(head.lower_) == stem("forget") and not infinitive:
        return Takes.FACT
    if kind is None:
        if perfect:
            return Takes.REPORTED
        if infinitive:
            return Takes.PLANNED
        subject = _subject(head)
        if subject is not None and subject.lower_ == "it" and subject.dep_ == "nsubj":
            return Takes.HOLDS  # "it turned out that"
        spoken = mark is not None and mark.lower_ == "that" or _quoted(verb, head)
        return Takes.REPORTED if spoken and verb.dep_ == "ccomp" else Takes.HOLDS
    passive = any(child.dep_ == "auxpass" for child in head.children)
    if kind is Takes.REPORTED and infinitive and not passive and stem(head.lower_) in _TELLING:
        return Takes.PLANNED  # "told him to sign"
    if kind is Takes.PLANNED and perfect:
        return Takes.REPORTED
    if kind is Takes.HOLDS and stem(head.lower_) == "go" and head.tag_ == "VBG":
        return Takes.PLANNED  # "is going to join"
    if kind is Takes.HOLDS and stem(head.lower_) == "have" and infinitive and head.tag_ != "VBD":
        return Takes.PLANNED  # "has to pay"
    return kind


def _kind_of_speech(verb: Token) -> Takes | None:
    """The kind of a verb; "falsely claimed" is no claim but a lie."""
    kind = _kind(verb, _VERBS)
    wrongly = kind is Takes.REPORTED and any(child.lower_ in _WRONGLY for child in verb.children)
    return Takes.FAILS if wrongly else kind


def _quoted(verb: Token, head: Token) -> bool:
    """ "“...,” he snapped": quotation marks stand between a clause and the verb that takes it."""
    first, last = sorted((verb.i, head.i))
    return any(token.text in {'"', "”", "“", "''", "``"} for token in verb.doc[first:last])


def _predicated(be: Token) -> Takes:
    """What "is" says of a clause: "is true that", "is a lie that", "the truth is that"."""
    for child in be.children:
        if (
            child.dep_ in {"acomp", "oprd", "attr", "advmod"}
            or child.dep_ == "prep"
            and child.lower_ == "without"
        ):
            kind = _kind(child, _ADJECTIVES) or _kind(child, _NOUNS)
            if child.dep_ == "prep":
                kind = Takes.FAILS  # "is without foundation"
            if child.tag_[:2] == "VB":
                kind = kind or _kind(child, _VERBS)
            if kind is not None:
                return kind
        if child.dep_ == "xcomp" and child.lower_ in _BE:
            return _predicated(child)
    subject = _subject(be)
    kind = _kind(subject, _NOUNS) if subject is not None else None
    return kind or Takes.HOLDS


def _of_noun(verb: Token, noun: Token, mark: Token | None, steps: int) -> Assertion:
    """A clause that a noun takes or that describes it."""
    kind = _kind(noun, _NOUNS)
    infinitive = verb.tag_ == "VB" and any(child.lower_ == "to" for child in verb.children)
    described = verb.dep_ == "relcl" and not infinitive
    that = (
        mark is not None
        and mark.lower_ == "that"
        or any(child.lower_ == "that" and child.dep_ in {"dobj", "mark"} for child in verb.children)
    )
    if infinitive and (noun.tag_ == "JJS" or noun.lower_ in _AFTERWARDS or _ranked(noun)):
        return _assertion(governing(noun.head), steps)
    if described and not (that and kind is not None and _subject(verb) is not None):
        if noun.dep_ == "attr" and noun.head.lower_ in _BE:
            subject = _subject(noun.head)
            if subject is not None and subject.lower_ in {
                "it",
                "this",
                "that",
            }:  # "it was not Anna who signed"
                return _assertion(_clause(noun.head), steps)
        return _DENIED if denies(noun) else PLAIN
    if kind is None:
        if infinitive:
            kind = Takes.PLANNED
        elif that:
            kind = Takes.REPORTED
        else:
            return PLAIN  # "the letter written by Anna"
    if not that and not infinitive and verb.tag_ not in {"VBG"}:
        return PLAIN
    return _noun_put(noun, kind, steps)


def _ranked(noun: Token) -> bool:
    before = noun.doc[noun.left_edge.i : noun.i]
    return any(word.lower_ in _AFTERWARDS or word.tag_ == "JJS" for word in before)


def _noun_put(noun: Token, kind: Takes, steps: int) -> Assertion:
    """What a noun makes of its clause, by how it is put itself: "no claim", "the claim is false", "rejected it"."""
    source = _holder(noun)
    verb = noun.head
    acts = verb.tag_[:2] == "VB" or noun.dep_ == "dobj"
    if not acts or noun.dep_ not in _NOMINAL:
        return put(kind, _DENIED if denies(noun) else PLAIN, source)
    outer = replace(_assertion(_clause(verb), steps), source="")
    if kind is Takes.HOLDS and denies(noun):  # "there is no proof that"
        return Assertion(True, Modality.POSSIBLE, True, "")
    verdict = _verdict(verb, noun)
    if verdict in {Takes.FAILS, Takes.DOUBTS}:
        return put(verdict, outer if kind is not Takes.FAILS else replace(outer, denied=not outer.denied), "")
    if verdict is Takes.HOLDS and kind is not Takes.PLANNED:
        return outer if kind is not Takes.FAILS else replace(outer, denied=not outer.denied)
    return put(kind, outer, source)


def _verdict(verb: Token, noun: Token) -> Takes | None:
    """What the clause of a noun says of it, where it says that it is false, true or doubtful."""
    kind = _kind(verb, _VERBS)
    if noun.dep_ == "dobj":
        return (
            kind if kind in {Takes.FAILS, Takes.DOUBTS} or kind is Takes.HOLDS and _confirms(verb) else None
        )
    if noun.dep_ not in {"nsubj", "nsubjpass"}:
        return None
    said = _predicated_of(verb, noun)
    if said is not None or verb.lower_ in _BE or _copular(verb):
        return said
    if noun.dep_ == "nsubjpass":
        return kind if kind is not Takes.HOLDS or _confirms(verb) else None
    return kind if kind is Takes.FAILS and not any(c.dep_ == "dobj" for c in verb.children) else None


def _copular(verb: Token) -> bool:
    """ "proved false", "turned out to be unfounded"."""
    return any(
        child.dep_ in {"acomp", "oprd"} or child.dep_ == "xcomp" and child.lower_ in _BE
        for child in verb.children
    )


def _confirms(verb: Token) -> bool:
    return stem(verb.lower_) in _CONFIRMING


def _predicated_of(verb: Token, noun: Token) -> Takes | None:
    for child in verb.children:
        if child.dep_ in {"acomp", "oprd", "attr"} and child.i != noun.i:
            return _kind(child, _ADJECTIVES) or _kind(child, _NOUNS) or _kind(child, _VERBS)
        if child.dep_ == "prep" and child.lower_ == "without":
            return Takes.FAILS
        if child.dep_ == "xcomp" and (child.lower_ in _BE or child.tag_ == "JJ"):
            return _predicated_of(child, noun) or _kind(child, _ADJECTIVES)
    return None


def _of_preposition(verb: Token, preposition: Token, steps: int) -> Assertion:
    """ "without paying", "instead of selling", "prevented from selling", "accused of forging"."""
    head = preposition.head
    word = preposition.lower_
    turned = any(child.dep_ == "neg" or child.lower_ == "not" for child in preposition.children)
    outer = _assertion(governing(head), steps) if head.i != preposition.i else PLAIN
    if word in {"without", "against"} or _instead(preposition):
        return Assertion(not turned, outer.modality, outer.reported, outer.source)
    if head.dep_ == "dobj" and word in {"of", "from"} and head.head.tag_[:2] == "VB":
        head = head.head  # "accused Anna of forging": the parser hangs "of" on Anna, too
    if head.tag_[:2] == "VB":
        kind = _kind_of_speech(head)
        taken = word in {"from", "of", "with", "for", "in", "to"}
        if taken and kind in {Takes.FAILS, Takes.REPORTED, Takes.POSSIBLE}:
            return put(kind, outer, "" if kind is Takes.FAILS else _subject_words(head))
        return replace(outer, denied=False) if kind is not Takes.HOLDS else outer
    if head.tag_[:2] == "NN" and (kind := _kind(head, _NOUNS)) is not None:
        return _noun_put(head, kind, steps)
    if head.tag_[:2] == "JJ" and (kind := _kind(head, _ADJECTIVES)) is not None:
        return put(kind, outer, "")
    return replace(outer, denied=False)


def _instead(preposition: Token) -> bool:
    """ "instead of", "rather than": the words before the preposition."""
    before = preposition.nbor(-1).lower_ if preposition.i else ""
    return (preposition.lower_, before) in {("of", "instead"), ("than", "rather")}


def _adverbial(verb: Token, mark: Token | None, steps: int) -> Assertion:
    """ "when he signed", "to sign", "rather than sign": not denied with the clause that it goes with."""
    if mark is not None and _instead(mark):
        return _DENIED
    if mark is None and _too(verb):
        return _DENIED
    if any(child.dep_ == "prt" and child.i == verb.left_edge.i - 1 for child in verb.head.children):
        return put(
            _of_verb(verb, verb.head, mark), _assertion(_clause(verb.head), steps), ""
        )  # "went on to lead"
    if _first_to(verb, verb.head):
        return _assertion(_clause(verb.head), steps)
    outer = replace(_assertion(_clause(verb.head), steps), denied=False)
    if verb.tag_ == "VB" and any(child.dep_ == "aux" and child.lower_ == "to" for child in verb.children):
        return replace(outer, modality=Modality.PLANNED)
    if verb.tag_ == "VBD" or mark is None and verb.tag_ != "VBG":
        return replace(outer, modality=Modality.ACTUAL)
    return outer


def _too(verb: Token) -> bool:
    """ "too ill to sign"."""
    return verb.tag_ == "VB" and any(child.lower_ == "too" for child in verb.head.children)


def put(kind: Takes, outer: Assertion, source: str) -> Assertion:
    """What a word of a kind, put as `outer`, makes of the clause that it takes. `source`: its subject."""
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


# ------------------------------------------------------------ words


def _clause(token: Token) -> Token:
    """The verb of a clause for one of its auxiliaries."""
    while token.dep_ in {"aux", "auxpass"} and token.head.i != token.i:
        token = token.head
    return token


def _subject(verb: Token) -> Token | None:
    return next((child for child in verb.children if child.dep_ in _SUBJECTS), None)


def _subject_words(verb: Token) -> str:
    """Who says it: the subject of a verb, of a passive its agent; "" where nobody is named."""
    for _ in range(3):
        subject = _subject(verb)
        if subject is not None:
            return _agent(verb) if subject.dep_ == "nsubjpass" else _words(subject)
        if verb.dep_ not in {"conj", "xcomp", "advcl"}:
            return ""
        verb = verb.head
    return ""


def _agent(verb: Token) -> str:
    for child in verb.children:
        if child.dep_ == "agent" or child.dep_ == "prep" and child.lower_ == "by":
            return next((_words(target) for target in child.children if target.dep_ == "pobj"), "")
    return ""


def _holder(noun: Token) -> str:
    """ "Anna's claim", "the claim by Anna"."""
    for child in noun.children:
        if child.dep_ == "poss":
            return _words(child)
        if child.dep_ in {"agent", "prep"} and child.lower_ in {"by", "of"}:
            return next((_words(target) for target in child.children if target.dep_ == "pobj"), "")
    if noun.dep_ == "dobj" and noun.head.tag_[:2] == "VB":
        return _subject_words(noun.head)
    return ""


def _named_by(preposition: Token) -> str:
    for child in preposition.children:
        if child.dep_ == "pobj":
            return _words(child)
        if found := _named_by(child):
            return found
    return ""


def _words(noun: Token) -> str:
    """A noun phrase without what describes it behind; "" for a pronoun that names nobody."""
    if noun.tag_ in {"EX", "PRP", "DT", "WP", "WDT"} or noun.lower_ == "one":
        return ""
    last = max([noun.i, *(c.i for c in noun.children if c.dep_ in {"flat", "compound"})])
    return noun.doc[noun.left_edge.i : last + 1].text.strip()


def _kind(token: Token, among: dict[str, Takes]) -> Takes | None:
    return among.get(stem(token.lower_))


_CONFIRMING = frozenset(
    map(
        stem,
        "confirm prove proven show shown establish verify uphold upheld accept corroborate demonstrate".split(),
    )
)
_TELLING = frozenset(map(stem, "tell write warn charge urge".split()))
