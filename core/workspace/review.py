"""The reviewer's desk of a workspace: which facts count, what people decided, and what they have still to decide on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from core.answering.models import Models
from core.errors import BadInput, CoreError
from core.extraction.names import normalise
from core.progress import TaskContext
from core.review import deciding, from_answers, weighing
from core.review.copies import read_log, write_log
from core.store.review_log import fact_of, note_subject
from core.text.translation import mark, tr
from core.types import (
    POLICIES,
    Answer,
    CandidateFact,
    FactFilter,
    FactWords,
    Policy,
    ReviewAct,
    StatedFact,
)
from core.workspace.handle import WorkspaceHandle

if TYPE_CHECKING:
    from core.workspace.workspace import Workspace

ANY = FactFilter(state="")


class ReviewApi:
    """`workspace.review`. Reading is safe from every thread.

    A decision is in force at once, for facts, graph and questions. What rests on the shape of the whole graph, the
    communities and their reports, follows with `settle`, or with the next indexing.
    """

    def __init__(
        self,
        opened: WorkspaceHandle,
        models: Models,
        catch_up: Callable[[TaskContext], None],
        public_part: Callable[[TaskContext], AbstractContextManager[Workspace]],
    ) -> None:
        """`catch_up` brings all that follows from the documents in step; `public_part` is that of `Workspace`."""
        self._public_part = public_part
        self._store, self._models = opened.store, models
        self._writing = opened.writing
        self._check_trusted = opened.check_trusted
        self._catch_up = catch_up

    # ------------------------------------------------------------ what there is to decide on

    def queue(self, wanted: FactFilter, limit: int = 50, skip: int = 0) -> list[CandidateFact]:
        """Facts that match, what matters most first."""
        return self._store.candidates.read(self._store.candidates.matching(wanted, limit, skip))

    def count(self, wanted: FactFilter) -> int:
        """How many facts match."""
        return self._store.candidates.count(wanted)

    def ids(self, wanted: FactFilter) -> list[str]:
        """Of all facts that match, for a decision on all of them."""
        return self._store.candidates.ids(wanted)

    def fact(self, fact_id: str) -> CandidateFact:
        """Raises BadInput when it is gone."""
        return self._store.candidates.get(fact_id)

    def states(self, wanted: FactFilter = ANY) -> dict[str, int]:
        """How many facts match in each state, whatever state is wanted."""
        return self._store.candidates.states(wanted)

    def predicates(self, wanted: FactFilter = ANY) -> list[tuple[str, int]]:
        """How many facts match with each predicate, whatever predicate is wanted."""
        return self._store.candidates.predicates(wanted)

    def families(self, wanted: FactFilter = ANY) -> list[tuple[str, int]]:
        """How many facts match in each family of predicates, such as "ownership"; see core/text/predicates.py."""
        return self._store.candidates.families(wanted)

    def proposers(self, wanted: FactFilter = ANY) -> list[tuple[str, int]]:
        """How many facts match of each proposer, whatever proposer is wanted."""
        return self._store.candidates.proposers(wanted)

    # ------------------------------------------------------------ deciding

    def decide(self, fact_ids: Sequence[str], outcome: str, why: str = "") -> str:
        """Have the facts be "approved", "rejected" or "open" again; id of the act.

        Raises BadInput, WorkspaceError while another process writes, Untrusted.
        """
        with self._writing(mark("reviewed")):
            return deciding.decide_on_facts(self._store, fact_ids, outcome, why)

    def edit(self, fact_id: str, words: FactWords, *, reverse: bool = False, why: str = "") -> str:
        """Reject a fact and approve it in other words on the same quote; id of the act, see `fact_ids`.

        `reverse` turns its direction. Raises BadInput where it would be no fact, and as `decide`.
        """
        with self._writing(mark("reviewed")):
            return deciding.correct(self._store, fact_id, words, reverse=reverse, why=why)

    def add(self, document_id: str, quote: str, words: FactWords, *, near: int = 0, why: str = "") -> str:
        """Approve a new fact that a document states in `quote`, the place nearest to `near`; id of the act.

        Raises BadInput where the document does not hold the quote or it would be no fact, and as `decide`.
        """
        with self._writing(mark("reviewed")):
            return deciding.state(self._store, document_id, quote, words, near=near, why=why)

    def without_kind(self, names: Iterable[str]) -> set[str]:
        """Those of the names that nothing in the workspace tells the kind of: who states a fact of one can."""
        return {name for name in names if not deciding.known_label(self._store, normalise(name))}

    def note(self, text: str, *, fact_id: str = "", entity_id: str = "") -> str:
        """Keep a note on a fact or on an entity; id of the act. Raises as `decide`."""
        with self._writing(mark("reviewed")):
            kind = "fact" if fact_id else "entity"
            return deciding.note(self._store, kind, fact_id or entity_id, text)

    def undo(self, act_id: str = "") -> ReviewAct | None:
        """Undo an act, or all acts of a run by its id; "" for the last one that holds, with all of its run, which is
        told as one act of as many items. None where there is none. Raises as `decide`."""
        with self._writing(mark("reviewed")):
            return deciding.undo(self._store, act_id)

    def redo(self, act_id: str = "") -> ReviewAct | None:
        """Do an undone act again; "" for the one undone last, with those undone with it. None where there is none.
        Raises as `decide`."""
        with self._writing(mark("reviewed")):
            return deciding.redo(self._store, act_id)

    def note_use(self, answer: Answer) -> None:
        """Have the facts that an answer rests on be asked about earlier, once it is shown; nothing where that cannot be
        kept."""
        with contextlib.suppress(CoreError):
            self._check_trusted()  # no lock: nothing follows from it, so it can be kept while another indexes
            weighing.note_use(self._store, answer)

    def settle(self, context: TaskContext) -> None:
        """Bring communities and reports in step with what was decided. Raises Cancelled and as `decide`."""
        with self._writing(mark("reviewed")):
            self._catch_up(context)

    # ------------------------------------------------------------ from answers

    def facts_in(self, answer: Answer, context: TaskContext) -> list[StatedFact]:
        """What the sentences that a verified answer cites tell of its names, and nobody proposed yet. A2RAG III-B-4.

        Changes nothing: see `propose`. [] for a guess, and where nothing is left of what it cites.
        Raises ModelUnavailable, Cancelled.
        """
        question = self._models.parse(answer.trace.question)
        return self._models.read_closely(
            lambda reader: from_answers.read_from(self._store, answer, question, reader, context)
        )

    def propose(self, question: str, facts: Sequence[StatedFact]) -> list[str]:
        """Have the facts wait for a decision, with the question that led to them; ids of those that are new.

        Under no policy do they count before somebody approves them. Raises as `decide`.
        """
        if not facts:
            return []
        with self._writing(mark("reviewed")):
            return from_answers.propose(self._store, question, facts)

    # ------------------------------------------------------------ which facts count

    @property
    def policy(self) -> Policy:
        return self._store.candidates.policy()

    def set_policy(self, policy: Policy, context: TaskContext) -> None:
        """Have these facts count. Raises as `settle`."""
        if policy.counts not in POLICIES:
            raise BadInput(
                tr("There is no policy {name}.", name=repr(policy.counts)),
                tr("Choose one of: {choices}.", choices=", ".join(POLICIES)),
            )
        if not 0 <= policy.bar <= 1:
            raise BadInput(tr("A probability lies between 0 and 1."), tr("Choose another bar."))
        with self._writing(mark("reviewed")):
            with self._store.database.transaction():
                if "approved" in {policy.counts, self.policy.counts}:
                    self._store.communities.all_changed()  # reports leave out who has no approved fact
                self._store.candidates.set_policy(policy)
                self._store.settings.touch()
            self._catch_up(context)

    # ------------------------------------------------------------ the log

    def log(self, limit: int = 100, skip: int = 0, person: str = "", fact_id: str = "") -> list[ReviewAct]:
        """What people did, the newest first; of a person, or on a fact."""
        return self._store.review_log.acts(limit, skip, person, f"fact {fact_id}" if fact_id else "")

    def notes(self, *, fact_id: str = "", entity_id: str = "") -> list[ReviewAct]:
        """On a fact or an entity, the newest first; the words are the acts' `why`."""
        subject = note_subject("fact" if fact_id else "entity", fact_id or entity_id)
        return [act for act in self._store.review_log.acts(-1, subject=subject) if not act.undone]

    def fact_ids(self, act_id: str) -> list[str]:
        """Of the facts that an act decides on."""
        return [id for subject in self._store.review_log.subjects(act_id) if (id := fact_of(subject))]

    def statements(self, fact_id: str) -> list[StatedFact]:
        """What people stated of a fact, with quote and date."""
        return list(self._store.statements.wanted([fact_id]).values())

    def without_subject(self) -> list[tuple[ReviewAct, str]]:
        """Acts that hold on what is not there any more (facts, quotes, names), each with that in words."""
        return self._store.review_log.without_subject()

    def export_log(self, target: Path, context: TaskContext) -> int:
        """Write the log for other workspaces of the same documents; how many acts.

        Where documents are private, only acts on public facts and names are written, without their reasons.
        Raises BadInput, and as `Workspace.public_part`.
        """
        with self._public_part(context) as part:
            return write_log(part.review._store, target.expanduser())

    def replay(self, source: Path) -> tuple[int, int]:
        """Join a log that was written elsewhere with this one: (subjects with news, those of them disputed now).

        Raises BadInput for a file that is no log, and as `decide`.
        """
        with self._writing(mark("reviewed")):
            return read_log(self._store, source.expanduser())
