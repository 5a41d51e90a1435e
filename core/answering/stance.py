"""Whether a sentence says what a question asks, or denies it, supposes it, or only has somebody say it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from core.extraction.assertion import assertion_of, by_auxiliary, nominal_assertion
from core.extraction.clause_takers import (
    ADJECTIVES,
    NOUNS,
    PLAIN,
    Takes,
    calls_off,
    is_outcome,
    kind_of,
    predicated_kind,
)
from core.extraction.denials import antecedent, denies, excluded, governing, subject_of
from core.extraction.topic import BE, SUBJECTS
from core.text.stems import stem
from core.types import Assertion, Modality

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = re.compile(r"[^\W\d_]+")
_LONGEST = 1500  # characters of a sentence that are parsed
_RETRACTION = 60  # characters of a sentence that takes back the one before it, at most
_BACKWARD = frozenset({"that", "this", "it", "he", "she", "they", "which"})
_DO = frozenset({"do", "does", "did"})
_OBJECTS = frozenset({"dobj", "pobj"})
_TIMED = frozenset({"when", "where", "until", "by", "how"})
_WHO = frozenset({"who", "whose"})
_SUPPORT = frozenset({"give", "make", "hold", "take", "do", "deliver", "pay", "run"})  # "gave a lecture"
_LIGHT = frozenset({"be", "do", "have"})
_LINKED = frozenset({"xcomp", "conj", "pcomp", "acl", "relcl", "advcl", "ccomp", "dep"})
_PAST = frozenset({"VBD", "VBN"})
_DECIDING = frozenset({"vote", "resolve", "decide"})


@dataclass(frozen=True, slots=True)
class Stance:
    """How a sentence puts what is asked; `against`: in another way than it is asked for."""

    assertion: Assertion
    against: bool


def stance(question: str, sentence: str, span: tuple[int, int] | None = None) -> Stance | None:
    """Of a sentence whose words at `span` would answer, or which decides yes or no; None where nothing tells.

    Raises ModelUnavailable.
    """
    if not sentence.strip() or not question.strip() or max(len(sentence), len(question)) > _LONGEST:
        return None
    asked, stated = _read(question), _read(sentence)
    answer = _head(stated, span) if span is not None else None
    if span is not None and answer is None:
        return None
    if answer is not None and excluded(answer):
        return Stance(Assertion(denied=True), True)
    if answer is not None and _asks_the_same(asked, stated):
        return Stance(Assertion(modality=Modality.POSSIBLE), True)
    predicates = _predicates(asked)
    for predicate in predicates:
        found = [token for token in stated if _same(predicate, token) and token is not answer]
        if not found:
            continue
        related = [token for token in found if answer is None or _is_related(answer, token)]
        if not related:
            return None
        token = max(related, key=lambda one: _nearness(one, answer, asked))
        if _leaves_out(predicate, token):
            return Stance(Assertion(denied=True), True)
        if span is not None and answer is not None and denies(answer) and answer.left_edge.idx < span[0]:
            return Stance(Assertion(denied=True), True)  # "a soul" of "Not a soul came"
        return _compared(predicate, token, answer)
    whom = (
        answer
        if answer is not None
        else _subject_of_question(predicates[0], stated[0])
        if predicates
        else None
    )
    return _by_clause(asked, whom) if predicates and whom is not None else None


def retracts(sentence: str) -> bool:
    """Whether a short sentence takes back the one before: "He did not.", "That is not true.", "This was wrong"."""
    if len(sentence) > _RETRACTION or _BACKWARD.isdisjoint(sentence.casefold().replace(",", " ").split()[:3]):
        return False  # before anything is parsed
    doc = _read(sentence)
    verb = next((token for token in doc if token.dep_ == "ROOT"), None)
    subject = subject_of(verb) if verb is not None else None
    if verb is None or subject is None or subject.lower_ not in _BACKWARD or any(t.ent_type_ for t in doc):
        return False
    put = assertion_of(verb)
    if verb.lower_ in BE and any(child.dep_ in {"acomp", "attr"} for child in verb.children):
        kind = predicated_kind(verb)
        return kind is Takes.FAILS and not put.denied or put.denied and _affirms(verb)
    alone = all(child.dep_ in {"neg", "nsubj", "punct", "aux", "advmod", "cc"} for child in verb.children)
    return put.denied and alone and verb.lemma_ in {*_LIGHT, "do"}


def _affirms(be: Token) -> bool:
    """ "is true", "is correct", "is so"."""
    complements = [child for child in be.children if child.dep_ in {"acomp", "attr"}]
    return any(
        kind_of(one, ADJECTIVES) is Takes.HOLDS or kind_of(one, NOUNS) is Takes.HOLDS for one in complements
    )


def _asks_the_same(question: Doc, sentence: Doc) -> bool:
    """Whether the sentence is a question by the same word: "Ada: who has the key?" says of nobody that they have it.

    Who "wanted to know how ..." is told by a question, though.
    """
    if not sentence.text.rstrip().endswith("?"):
        return False
    interrogatives = [token.lower_ for token in question if token.tag_[:1] == "W"]
    return len(interrogatives) == 1 and any(
        token.lower_ == interrogatives[0] for token in sentence if token.tag_[:1] == "W"
    )


@lru_cache(maxsize=256)
def _read(text: str) -> Doc:
    from core.models.spacy_model import load

    text = text if "\n" in text else " ".join(text.split())
    return load()(text.lower() if _is_headline(text) else text)


def _is_headline(text: str) -> bool:
    """Whether all words have capitals, "The Council Is Not Liable", so that the parser takes them for names."""
    words = [word for word in _WORDS.findall(text) if len(word) > 3]
    capitals = len(words) > 1 and all(word[0].isupper() for word in words)
    return capitals and len(text.split()) > 3 and len(text.lower()) == len(text)


def _head(doc: Doc, span: tuple[int, int]) -> Token | None:
    found = doc.char_span(*span, alignment_mode="expand")
    return found.root if found is not None and len(found) else None


def _predicates(question: Doc) -> list[Token]:
    """What is asked of somebody: the main verb first, then what it takes, then what "is" says."""
    verbs = [
        token
        for token in question
        if token.tag_[:2] == "VB"
        and token.dep_ not in {"aux", "auxpass", "amod"}
        and token.lemma_.lower() not in _LIGHT
        and (token.is_lower or not token.ent_type_)
    ]
    # "Was the proposal to raise it rejected?": the verb behind the noun phrase is often taken for a part of it.
    fronted = question[0].tag_[:2] == "VB" and question[0].dep_ == "ROOT" and question[0].lower_ not in _DO
    last = max((token.i for token in verbs if token.tag_ == "VBN"), default=-1) if fronted else -1
    # "Who signed the lease of the Lane garages?": "garages" is easily taken for the verb.
    next_to_who = question[0].lower_ in _WHO and len(question) > 1 and question[1] in verbs
    first = question[1].i if next_to_who else last
    verbs.sort(key=lambda token: (token.i != first, len(list(token.ancestors)), token.i))
    complements = [
        token
        for token in question
        if token.dep_ in ({"attr", "acomp", "nsubj"} if question[0].lower_ in _WHO else {"attr", "acomp"})
        and token.head.lemma_.lower() == "be"
        and token.tag_ in {"NN", "NNS", "JJ"}
        and not any(child.tag_[:1] == "W" for child in token.children)
    ]
    asking = next((token for token in question if token.tag_[:1] == "W"), None)
    if complements and asking is not None and governing(asking).lemma_.lower() == "be":
        return complements  # "Who is the captain, and what did he do?"
    if question[0].lower_ in _DO and question[0].dep_ == "ROOT":
        return [*_misread(question), *verbs, *complements]
    if complements and question[0].lower_ in BE and all(token.dep_ == "advcl" for token in verbs):
        return complements  # "Is it refundable if they leave?"
    return verbs or complements or _misread(question)


def _misread(question: Doc) -> list[Token]:
    """ "Did Anna visit Oslo?", "Is Anna the owner?": what is asked is often taken for a noun or an apposition."""
    if question[0].lower_ not in _DO | BE:
        return []
    found = [token for token in question[1:] if token.tag_ in {"NN", "JJ", "NNS", "NNP"} and token.is_lower]
    asked = [token for token in found if _is_behind_its_noun(token)]
    return asked or sorted(found, key=lambda token: len(list(token.ancestors)))


def _is_behind_its_noun(token: Token) -> bool:
    """Whether an adjective follows the noun that it is parsed with: "Is interest payable?" asks whether it is."""
    return token.tag_ == "JJ" and token.dep_ == "amod" and token.i > token.head.i


def _same(asked: Token, stated: Token) -> bool:
    if stated.dep_ in {"aux", "auxpass"} or stated.tag_ in {"NNP", "NNPS"} and not stated.is_lower:
        return False
    return asked.lemma_.lower() == stated.lemma_.lower() or stem(asked.lower_) == stem(stated.lower_)


def _is_related(answer: Token, predicate: Token) -> bool:
    """Whether a phrase takes part in what a word says, itself or as the subject of the clauses above."""
    if predicate in answer.ancestors or answer in predicate.subtree and predicate.dep_ == "appos":
        return True
    verb = governing(predicate)
    own = governing(answer)
    for _ in range(6):
        if own.i == verb.i:
            return True
        if verb.dep_ in {"acl", "relcl"} and (
            answer.i in {verb.head.i, antecedent(verb).i} or answer in verb.head.children
        ):
            return True
        subject = next((child for child in verb.children if child.dep_ in SUBJECTS), None)
        silent = subject is None or subject.tag_[:2] == "PR" or subject.tag_[:1] == "W"
        if not silent or verb.dep_ not in _LINKED or verb.head.i == verb.i:
            return False
        verb = governing(verb.head)
    return False


def _nearness(token: Token, answer: Token | None, question: Doc) -> float:
    if answer is not None:
        return -abs(token.i - answer.i)
    asked = {word.lemma_.lower() for word in question if word.is_alpha}
    return sum(word.lemma_.lower() in asked for word in governing(token).subtree)


def _leaves_out(asked: Token, stated: Token) -> bool:
    """Whether the sentence names what the question asks about as left out: "saw Oslo but not Bergen"."""
    roles = _OBJECTS | SUBJECTS
    named = [_name(token) for token in asked.subtree if token.dep_ in roles and token.text[:1].isupper()]
    return any(_name(token) in named and excluded(token) for token in stated.sent) if named else False


def _name(token: Token) -> frozenset[str]:
    """Words of the name that a token is the last of."""
    return frozenset({token.text, *(child.text for child in token.children if child.dep_ == "compound")})


def _compared(asked: Token, stated: Token, answer: Token | None) -> Stance:
    assertion = _put(stated, acts=asked.tag_[:2] == "VB")
    whom = answer if answer is not None else _subject_of_question(asked, stated)
    if whom is not None and (above := _above(stated, whom)) is not None and above.denied:
        assertion = above  # "Anna was not among those who signed"
    wanted = _put(asked, by_person=True)
    if asked.tag_[:2] != "VB" and asked.doc[0].lower_ in _DO | BE:
        wanted = Assertion(denied=any(token.dep_ == "neg" for token in asked.doc))
    if wanted.denied and not assertion.denied and (asked.doc[0].tag_[:2] == "WR" or asked.tag_[:2] != "VB"):
        return Stance(PLAIN, False)  # "When is a child no longer an infant?"
    if wanted.denied != assertion.denied:
        itself = assertion.denied and answer is not None and denies(answer)  # "Nobody", asked who
        return Stance(PLAIN, False) if itself else Stance(assertion, True)
    if assertion.modality is Modality.ACTUAL or wanted.modality is not Modality.ACTUAL:
        return Stance(assertion if assertion.reported and not wanted.reported else PLAIN, False)
    if _instructs(stated) and not _past(asked):
        return Stance(
            PLAIN, False
        )  # "Where are faults reported?": if you wish to report a fault, write to us
    if assertion.modality is not Modality.CONDITIONAL and by_auxiliary(stated) and not _past(asked):
        return Stance(PLAIN, False)  # "Who pays the rent?": the tenant shall pay it
    if assertion.modality is Modality.POSSIBLE and asked.doc[0].lower_ in _TIMED:
        return Stance(assertion, False)  # "When was it written?": probably in 1900
    planned = assertion.modality is Modality.PLANNED
    if (
        assertion.modality is not Modality.CONDITIONAL
        and _of_what_comes(asked)
        or planned
        and is_outcome(stated)
    ):
        return Stance(PLAIN, False)
    resolved = planned and answer is not None and _past(asked) and _is_resolved(stated, answer)
    return Stance(assertion, not resolved)


def _is_resolved(stated: Token, answer: Token) -> bool:
    """Whether a body decided what is to be done to the answer: "The board resolved to appoint Ada Moe"."""
    verb = governing(stated)
    above = verb.head
    if verb.dep_ not in _LINKED or above.tag_ not in _PAST or assertion_of(above).denied:
        return False
    agreed = above.lemma_ == "agree" and any(child.dep_ == "auxpass" for child in above.children)
    acted_upon = answer in verb.subtree and not (answer.dep_ == "nsubj" and answer.head.i == verb.i)
    return acted_upon and (agreed or above.lemma_ in _DECIDING)


def _instructs(stated: Token) -> bool:
    """Whether the sentence gives an order or speaks to the reader: that says how it is done."""
    main = stated.sent.root
    orders = main.tag_ == "VB" and subject_of(main) is None
    return orders or any(token.lower_ == "you" for token in governing(stated).subtree)


def _subject_of_question(asked: Token, stated: Token) -> Token | None:
    """Return who is asked about, where the sentence of `stated` names them by the same word."""
    subject = subject_of(governing(asked))
    if subject is None:
        return None
    return next((token for token in stated.doc if token.lower_ == subject.lower_), None)


def _above(stated: Token, answer: Token) -> Assertion | None:
    """How the clause puts the answer, where what it is said to have done stands in a relative clause of another."""
    clause, own = governing(stated), governing(answer)
    if clause.dep_ != "relcl" or own.i == clause.i or own.tag_[:2] != "VB" or clause not in own.subtree:
        return None
    noun = antecedent(clause)
    return None if answer.i == noun.i or noun in answer.children else assertion_of(own)


def _put(token: Token, by_person: bool = False, acts: bool = False) -> Assertion:
    nouns = [child for child in token.children if token.tag_ == "JJ" and child.dep_ in SUBJECTS]
    nouns += [token.head] * _is_behind_its_noun(token)
    if any(denies(noun) for noun in nouns):
        return Assertion(denied=True)  # "There is no interest payable", "with no interest payable"
    verb = token.tag_[:2] == "VB" or any(child.dep_ == "aux" for child in token.children)
    return assertion_of(token, by_person) if verb else nominal_assertion(token, acts)


def _past(verb: Token) -> bool:
    """Whether it is asked for what was or has been, not for what is or comes."""
    helpers = [child for child in verb.children if child.dep_ in {"aux", "auxpass"}]
    if verb.doc[0].lower_ == "did" or any(child.tag_ == "VBD" for child in helpers):
        return True
    if any(child.lower_ in {"has", "have"} for child in helpers):
        return True
    return not helpers and verb.tag_ in _PAST and not any(token.lower_ in {"is", "are"} for token in verb.doc)


def _of_what_comes(verb: Token) -> bool:
    """ "When does the train leave?", "who is being sent": what is planned answers it."""
    return not _past(verb) and (
        verb.doc[0].lower_ in _TIMED or any(child.tag_ == "VBG" for child in (verb, *verb.children))
    )


def _abandons(verb: Token, question: Doc) -> bool:
    """Whether an act on what is asked about was given up: "cancelled the order for the boats", of who bought them."""
    if not calls_off(verb) or assertion_of(verb).denied:
        return False
    asked = {token.lemma_.lower() for token in question if token.tag_[:2] == "NN"}
    does = any(token.lemma_.lower() in _SUPPORT for token in question if token.tag_[:2] == "VB")
    acts = [
        word
        for word in verb.subtree
        if word.dep_ in _OBJECTS and word.tag_ in {"NN", "NNS"} and word.i > verb.i
    ]
    return any(
        does
        if act.lemma_.lower() in asked
        else any(word.lemma_.lower() in asked for word in act.subtree if word.i > act.i)
        for act in acts
    )


def _by_clause(question: Doc, answer: Token) -> Stance | None:
    """Of who does what the sentence says in other words than the question: whether its clause is denied."""
    agent = answer.dep_ in SUBJECTS or answer.dep_ == "pobj" and answer.head.dep_ == "agent"
    verb = governing(answer)
    if agent and _abandons(verb, question):
        return Stance(Assertion(denied=True), True)
    if not agent or question[0].tag_[:1] != "W" or any(token.dep_ == "neg" for token in question):
        return None
    asked = {token.lemma_.lower() for token in question if token.tag_[:2] == "NN"}
    assertion = assertion_of(verb)
    if (
        not assertion.denied
        or denies(answer)
        or not any(word.lemma_.lower() in asked for word in verb.subtree)
    ):
        return None
    return Stance(assertion, True)
