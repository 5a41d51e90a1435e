"""Questions with gold for a folder that has none: from its facts, its pinned questions, its judged answers."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from core.errors import BadInput
from core.progress import TaskContext
from core.research.datasets import EvalQuestion, Quote
from core.research.synthetic.clause_questions import (
    LONGEST,
    ClauseQuestion,
    question_for,
    row_question,
    simplify_clause,
)
from core.types import Fact, JudgedPlace, Passage, Pin
from core.types.kinds import NOUN, VALUES, stable_id
from core.workspace import Workspace

if TYPE_CHECKING:
    from spacy.tokens import Doc

ONE_FACT, TWO_FACTS, PINNED, JUDGED = "made", "made, two facts", "pinned", "judged"
_LOOKED_AT = 100  # names tried for each question, if few facts can be joined
_OF_EACH = 4  # questions of one name that are tried for a second fact
_BUSY = 200  # facts of a name that is not asked about: too much may be an answer


def generate_questions(
    workspace: Workspace, count: int, seed: int = 7, context: TaskContext | None = None
) -> tuple[EvalQuestion, ...]:
    """Generate up to `count` questions from facts between names, repeatable by `seed`; up to half join two facts.

    The gold is the one passage that states the fact. Only English passages are used: a question is derived from the
    parse of the fact's clause, or from the cells of a table row. A name is asked about once, and again only if
    there are too few questions. Raises BadInput where none can be generated, NothingIndexed, Cancelled.
    """
    context = context or TaskContext()
    workspace.load_models(context)
    maker = _Maker(workspace)
    one: dict[str, EvalQuestion] = {}
    two: dict[str, EvalQuestion] = {}
    more: dict[str, EvalQuestion] = {}  # second questions about a name
    names = maker.names()
    random.Random(seed).shuffle(names)
    for number, name in enumerate(names):
        context.report("questions", number, len(names))
        found = list(islice(maker.asked_with(name), _OF_EACH))
        if found and len(one) < count:
            one.setdefault(found[0].question, maker.question(found[0]))
            more.update((each.question, maker.question(each)) for each in found[1:])
        if len(two) < count // 2:
            joined = filter(None, map(maker.joined, found))
            two.update((both.question, both) for both in islice(joined, 1))
        enough = len(two) >= count // 2 or number >= _LOOKED_AT * count
        if len(one) + len(two) >= count and enough:
            break
    singles = list({**one, **{text: each for text, each in more.items() if text not in one}}.values())
    questions = [*singles[: count - len(two)], *two.values()]
    if not questions:
        raise BadInput(
            "No question can be made from the facts of this workspace.",
            "Give a file of questions, or pin some: clew pins add.",
        )
    return tuple(questions)


def of_pins(workspace: Workspace) -> tuple[EvalQuestion, ...]:
    """Return the pinned questions with a known answer or place. Raises BadInput if there are none."""
    found = [_of_pin(workspace, pin, _texts(pin.right_answer), PINNED) for pin in workspace.pins.all()]
    return _known(found, "No pinned question has an answer or a place.", "Pin some: clew pins add.")


def of_verdicts(workspace: Workspace) -> tuple[EvalQuestion, ...]:
    """Return the questions of judged answers. Raises BadInput if there are none.

    Gold are the answers that were judged right with the places that they cite, or the right answer that the user
    gave.
    """
    answers: dict[str, dict[str, None]] = {}
    places: dict[str, dict[JudgedPlace, None]] = {}
    for judged in workspace.answers.judged():
        right = judged.answer if judged.right else judged.right_answer
        answers.setdefault(judged.question, {}).update(dict.fromkeys(_texts(right)))
        cited = judged.places if judged.right and judged.answer else ()
        places.setdefault(judged.question, {}).update(dict.fromkeys(cited))
    found = []
    for question, texts in answers.items():
        id = stable_id("judged question", question)
        as_pin = Pin(id, question, "", tuple(places[question]), "auto", "")
        found.append(_of_pin(workspace, as_pin, tuple(texts), JUDGED))
    return _known(
        found,
        "No answer of this workspace was judged with a right one known.",
        "Judge answers in the window.",
    )


def _texts(answer: str) -> tuple[str, ...]:
    return (answer,) if answer else ()


def _of_pin(workspace: Workspace, pin: Pin, answers: tuple[str, ...], kind: str) -> EvalQuestion:
    """Convert a pin; gold are the documents and quotes of the expected places that still exist."""
    quotes = []
    for found in workspace.pins.passages(pin):
        if found.expected and found.passage_id:
            document = workspace.passages.get(found.passage_id).document_id
            quotes.append(Quote(workspace.documents.get(document).path, found.place.quote))
    files = frozenset(quote.file for quote in quotes)
    return EvalQuestion(pin.id, pin.question, answers, files, kind, tuple(dict.fromkeys(quotes)))


def _known(found: Sequence[EvalQuestion], problem: str, remedy: str) -> tuple[EvalQuestion, ...]:
    usable = tuple(question for question in found if question.answers or question.supporting)
    if not usable:
        raise BadInput(problem, remedy)
    return usable


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question about the name `about`, answered by the other end of a fact that exactly one passage states."""

    question: str
    description: str  # of what answers it
    about: str  # id of the entity that it names
    written: str  # as its clause writes that
    answer: str  # id of the entity that answers it
    answers: tuple[str, ...]  # as the clause writes it, and its name
    passage: Passage
    clause: str


class _Maker:
    """Generates questions for the ends of facts."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._models = workspace.retrieval.asker().vectors.models
        unnamed = VALUES | {NOUN}
        self._names = {e.id: e for e in workspace.graph.entities() if e.label not in unnamed}
        self._facts: dict[str, list[Fact]] = {}

    def names(self) -> list[str]:
        """Return the ids of the named entities."""
        return sorted(self._names)

    def asked_with(self, name: str) -> Iterator[_Asked]:
        """Yield questions that name this entity, each with one answer."""
        for fact, other in self._sole(name):
            if (found := self._asked(fact, asked=other, named=name)) is not None:
                yield found

    def question(self, asked: _Asked) -> EvalQuestion:
        quote = Quote(self._path(asked.passage), asked.clause)
        id = stable_id(ONE_FACT, asked.question)
        return EvalQuestion(id, asked.question, asked.answers, frozenset({quote.file}), ONE_FACT, (quote,))

    def joined(self, asked: _Asked) -> EvalQuestion | None:
        """Replace the name in the question by a description from another fact, which another passage states."""
        written = re.compile(rf"(\bthe )?(?<!\w){re.escape(asked.written)}(?!\w)", re.IGNORECASE)
        places = list(written.finditer(asked.question))
        if len(places) != 1:
            return None
        before, after = asked.question[: places[0].start()], asked.question[places[0].end() :]
        for fact, other in self._around(asked.about):
            if other == asked.answer or (fact, asked.about) not in self._sole(other):
                continue
            bridge = self._asked(fact, asked=asked.about, named=other)
            if bridge is None or not bridge.description or bridge.passage.id == asked.passage.id:
                continue
            question = f"{before}{bridge.description}{after}"
            folded = question.casefold()
            if any(name.casefold() in folded for name in (*asked.answers, *bridge.answers)):
                continue
            if len(question.split()) > LONGEST:
                continue
            quotes = tuple(Quote(self._path(each.passage), each.clause) for each in (bridge, asked))
            gold = frozenset(quote.file for quote in quotes)
            return EvalQuestion(
                stable_id(TWO_FACTS, question), question, asked.answers, gold, TWO_FACTS, quotes
            )
        return None

    def _around(self, name: str) -> list[tuple[Fact, str]]:
        """Return the facts between this name and others, each with its other end; none if they are too many."""
        if name not in self._facts:
            found = self._workspace.graph.facts_of(name, _BUSY)
            self._facts[name] = found if len(found) < _BUSY else []
        ends = ((fact, _other(fact, name)) for fact in self._facts[name])
        return [(fact, other) for fact, other in ends if other != name and other in self._names]

    def _sole(self, name: str) -> list[tuple[Fact, str]]:
        """Return the facts whose relation has a single answer for this name."""
        around = self._around(name)
        answers: dict[tuple[str, bool], set[str]] = {}
        for fact in self._facts[name]:
            answers.setdefault(_relation_of(fact, name), set()).add(_other(fact, name))
        return [(fact, other) for fact, other in around if len(answers[_relation_of(fact, name)]) == 1]

    def _asked(self, fact: Fact, asked: str, named: str) -> _Asked | None:
        """Return None unless a single passage states the fact, in an English clause that can become a question."""
        if len({triple.passage_id for triple in fact.triples}) != 1:
            return None
        triple = fact.triples[0]
        passage = self._workspace.passages.get(triple.passage_id)
        if passage.language not in ("en", ""):
            return None
        ends = (triple.subject, triple.object)
        answer, written = ends if asked == fact.subject_id else ends[::-1]
        clause = passage.text[triple.start : triple.end]
        draft = None
        if answer == triple.object:
            draft = row_question(clause, fact.predicate, triple.subject, triple.object)
        draft = draft or self._clause_question(clause, answer, self._names[asked].label, written)
        if draft is None:
            return None
        answers = tuple(dict.fromkeys((answer, self._names[asked].name)))
        return _Asked(draft.question, draft.description, named, written, asked, answers, passage, clause)

    def _clause_question(self, clause: str, answer: str, label: str, named: str) -> ClauseQuestion | None:
        if answer not in clause or named not in clause or "\n\n" in clause.strip():
            return None
        plain = simplify_clause(clause, answer, named)
        doc: Doc = self._models.parsing(lambda load: load("en")(plain))
        return question_for(doc, answer, label, named)

    def _path(self, passage: Passage) -> str:
        return self._workspace.documents.get(passage.document_id).path


def _other(fact: Fact, name: str) -> str:
    return fact.object_id if fact.subject_id == name else fact.subject_id


def _relation_of(fact: Fact, name: str) -> tuple[str, bool]:
    """Return the relation of a fact as seen from one of its ends."""
    return fact.predicate, fact.subject_id == name
