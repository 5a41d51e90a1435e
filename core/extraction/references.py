"""What pronouns, definite nouns and short names stand for, as far as it is safe to say.

"He", "it" and "the film" mean the topic unless another subject of that kind stands nearer: the subject of
a sentence is what the next one most likely goes on about (centering; Grosz, Joshi and Weinstein 1995).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.extraction.names import Name, sex_of
from core.extraction.phrases import Endpoint
from core.extraction.titles import HONORIFICS
from core.extraction.topic import PERSONAL, SUBJECTS, Opening, Topic, main_subject, name_words
from core.types.kinds import VALUES

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

THING = frozenset({"it", "its"})
GROUP = frozenset({"they", "them", "their"})

_GROUPS = frozenset({"band", "group", "company", "team", "club"})
_MARKS = {'"': None, "“": True, "”": False, "``": True, "''": False}  # where speech begins and ends

PRONOUN, DEFINITE, SHORT, TOPIC = 0.8, 0.85, 0.95, 1.0  # certainty of each way to resolve
OWNED = 0.65  # of "his" and "her", where the text is about others, too


class References:
    """One pass over the sentences; `stands_for` maps token index to endpoint."""

    def __init__(
        self,
        doc: Doc,
        names: list[Name],
        topic: Topic | None,
    ) -> None:
        self._topic = topic
        self._name_of = {i: name for name in names for i in range(name.first, name.last + 1)}
        self._full: dict[str, Name | None] = {}  # surname -> the one full name with it
        self._person: Name | None = topic.name if topic and topic.kind == "person" else None
        self._thing: Name | None = topic.name if topic and topic.kind != "person" else None
        self.spoken = _spoken(doc)  # of each token, whether it stands in quotation marks
        self._near: list[Name] = []  # persons whom the sentence before names
        self._others: list[Name] = []  # those whom this sentence names and who lead no clause
        personal = (t for t in doc if t.lower_ in PERSONAL and not self.spoken[t.i])
        self._both = len({PERSONAL[token.lower_] for token in personal}) > 1  # of a man and of a woman
        self.stands_for: dict[int, Endpoint] = {}
        self.aliases: list[tuple[Name, int]] = []  # other names of the topic, with a token as evidence
        if topic is not None and topic.opening is not None:
            self._open(topic, topic.opening)
        for sentence in doc.sents:
            self._read(sentence)

    def _open(self, topic: Topic, opening: Opening) -> None:
        """Let the subject of the first sentence stand for the topic."""
        name = opening.name
        if name is None:
            self.stands_for[opening.subject] = Endpoint(topic.name.text, topic.name, PRONOUN)
        elif name.text != topic.name.text:
            self.stands_for[name.last] = Endpoint(topic.name.text, topic.name, TOPIC)
            if (
                topic.kind != "person" or len(name_words(name.text)) > 1
            ):  # "Berg" is no other name of Anna Berg
                self.aliases.append((name, opening.subject))

    def _read(self, sentence: Span) -> None:
        here: list[Name] = []  # persons named in this sentence so far
        self._others = []
        for token in sentence:
            name = self._name_of.get(token.i)
            if name is not None:
                if token.i == name.last:
                    self._shorten(name, token.dep_ in SUBJECTS or token.dep_ == "poss")
                    if name.label == "PERSON":
                        (here if _leads(token) else self._others).append(self._target(name))
            elif self.spoken[token.i]:
                continue  # "I told him": whoever speaks means others than who tells
            elif token.tag_ in {"PRP", "PRP$"}:
                self._pronoun(token, here)
            elif token.tag_ in {"NN", "JJ"}:
                self._definite(token)
        self._near = here or self._near
        subject = main_subject(sentence)
        point = self.stands_for.get(subject.i) if subject is not None else None
        own = self._name_of.get(subject.i) if subject is not None else None
        name = point.name if point is not None else own
        if name is None or name.label in VALUES:
            self._near = here
            self._thing = None if self._topic is None else self._thing
        elif name.label == "PERSON" or self._is_topic_person(name):
            self._person = self._target(name)
        else:
            self._thing = self._target(name)

    def _target(self, name: Name) -> Name:
        point = self.stands_for.get(name.last)
        return point.name if point is not None and point.name is not None else name

    def _is_topic_person(self, name: Name) -> bool:
        return self._topic is not None and self._topic.kind == "person" and name.text == self._topic.name.text

    def _shorten(self, name: Name, leading: bool) -> None:
        """Let a surname alone stand for the full name that was read before, or for the topic.

        Part of the topic's name counts where it leads a clause: "son of Henry" may be another Henry.
        """
        if name.last in self.stands_for:
            return
        words = [word for word in name_words(name.text) if word not in HONORIFICS]
        topic = self._topic.name if self._topic is not None and self._topic.kind == "person" else None
        if not words or (topic is not None and name.text == topic.text):
            return
        if leading and topic is not None and len(words) > 1 and self._is_topic(words):
            self.stands_for[name.last] = Endpoint(topic.text, topic, SHORT)
        elif len(words) == 1 and name.label not in {*VALUES, "NORP", "GPE", "LOC", "WORK"}:
            full = self._full.get(words[0])
            if topic is not None and words[0] in _edge_words(topic.text)[0 if leading else 1 :]:
                full = topic
            if full is not None and full is not name and name_words(full.text) != words:
                self.stands_for[name.last] = Endpoint(full.text, full, SHORT)
        elif 2 <= len(words) <= 4 and name.label == "PERSON":
            known = self._full.setdefault(words[-1], name)
            if known is not None and name_words(known.text)[0] != words[0]:
                self._full[words[-1]] = None  # two Bergs: a bare "Berg" could be either

    def _is_topic(self, words: list[str]) -> bool:
        """Return whether all words of a name stand in one name of the topic, the first or the last among them."""
        if self._topic is None:
            return False
        for name in (self._topic.name, *(alias for alias, _ in self.aliases)):
            known = name_words(name.text)
            if set(words) <= set(known) and words[-1] in {known[-1], *known[1:2]}:
                return True
        return False

    def _pronoun(self, token: Token, here: list[Name]) -> None:
        word, topic = token.lower_, self._topic
        if token.i in self.stands_for:
            return
        target: Name | None = None
        if word in PERSONAL:
            target = self._meant(PERSONAL[word], here)
        elif word in THING and token.dep_ in SUBJECTS | {"poss"} and not _expletive(token):
            target = topic.name if topic is not None and topic.kind == "thing" else self._thing
        elif word in GROUP and topic is not None and topic.nouns & _GROUPS:
            target = topic.name
        if target is not None:
            own = topic is not None and target.text == topic.name.text
            unsure = self._both and word in PERSONAL and token.dep_ == "poss" and not own
            self.stands_for[token.i] = Endpoint(target.text, target, OWNED if unsure else PRONOUN)

    def _meant(self, pronoun: str, here: list[Name]) -> Name | None:
        """Return whom "he" or "she" means: the only one named in this sentence or the one before who may be; else
        who the text is about."""
        topic = self._topic
        about = topic.name if topic is not None and topic.kind == "person" else None
        if about is not None and topic is not None and topic.pronoun not in {"", pronoun}:
            about = None
        near = {name.text: name for name in [*self._near, *here] if sex_of(name.text) in {"", pronoun}}
        if about is not None:
            # The subject of this sentence, or of the last, is nearer than what the text is about.
            return (
                self._person
                if self._person is not None and sex_of(self._person.text) in {"", pronoun}
                else about
            )
        if len(near) != 1:
            return None
        (only,) = near.values()
        rivals = {name.text for name in self._others if sex_of(name.text) in {"", pronoun}} - {only.text}
        return None if rivals or (self._both and not sex_of(only.text)) else only

    def _definite(self, token: Token) -> None:
        """ "The film", "this company": the topic, when the first sentence called it that."""
        if self._topic is None or token.lower_ not in self._topic.nouns or token.dep_ in {"attr", "compound"}:
            return
        modifiers = [child for child in token.children if child.i < token.i]
        bare = not any(child.dep_ in {"appos", "prep", "relcl", "acl"} for child in token.children)
        if bare and len(modifiers) == 1 and modifiers[0].lower_ in {"the", "this"}:
            self.stands_for[token.i] = Endpoint(self._topic.name.text, self._topic.name, DEFINITE)


def _leads(token: Token) -> bool:
    """Return whether the name is the subject of a clause, in whatever company: who is spoken of goes on being so."""
    while token.dep_ in {"conj", "compound", "appos"}:
        token = token.head
    return token.dep_ in SUBJECTS


def _expletive(token: Token) -> bool:
    """Return the "it" of "it is clear that", "it seems", "it rains"."""
    verb = token.head
    clausal = any(child.dep_ in {"ccomp", "csubj", "acomp", "xcomp"} for child in verb.children)
    return token.dep_ in SUBJECTS and clausal


def _spoken(doc: Doc) -> list[bool]:
    """Return whether each token stands in speech; a new paragraph ends it."""
    spoken, inside = [], False
    for token in doc:
        if token.text in _MARKS:
            opens = _MARKS[token.text]
            inside = not inside if opens is None else opens
        elif token.text.count("\n") > 1:
            inside = False
        spoken.append(inside)
    return spoken


def _edge_words(name: str) -> tuple[str, ...]:
    """Return the first and last word of a name's key."""
    words = name_words(name)
    return (words[0], words[-1]) if words else ()
