"""Threads: questions that follow each other, completed from what came before, with an answer each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.answering.follow_ups.completion import complete, complete_by_model, without_answers
from core.answering.models import Models
from core.errors import BadInput, CoreError
from core.files.safe_files import new_file
from core.models.loading import LANGUAGE_MODELS
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.store.faults import unreadable_record
from core.text.escape_controls import checked
from core.text.translation import tr
from core.types import Answer
from core.types.threads import Completion, FollowKind, Thread, ThreadAnswer, Turn
from core.workspace.handle import WorkspaceHandle

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class _Ask(Protocol):
    def __call__(self, question: str, context: TaskContext, **how: Any) -> Answer: ...


class ThreadsApi:
    """`workspace.threads`. Safe from every thread of the process.

    Nothing of the documents follows from a thread, so that storing one needs trust but no lock.
    """

    def __init__(
        self,
        opened: WorkspaceHandle,
        models: Models,
        ask: _Ask,
        language_model: Callable[[str], LanguageModel],
    ) -> None:
        self._store, self._threads = opened.store, opened.store.threads
        self._check_trusted = opened.check_trusted
        self._models, self._ask, self._language_model = models, ask, language_model

    # ------------------------------------------------------------ asking

    def ask(
        self,
        question: str,
        context: TaskContext,
        before: Sequence[Turn] = (),
        thread: int = 0,
        as_typed: bool = False,
        **how: Any,
    ) -> ThreadAnswer:
        """Complete a question from the turns before it, ask it, and store both in the thread.

        A new subject begins a new thread. `as_typed` asks without completing. What cannot be stored, in a workspace
        that is read-only or not trusted, is answered all the same. `how` and what it raises: see `Workspace.ask`.
        """
        question = checked(question)
        generator = str(how.get("generator", ""))
        completion = self._completed(question, before, as_typed, generator, context)
        answer = self._ask(completion.question, context, prior_passages=completion.passages, **how)
        if completion.kind in (FollowKind.FIRST, FollowKind.NEW_SUBJECT):
            before, thread = (), 0
        cited = [each.passage_id for each in answer.citations]
        rests = cited or [each.hit.passage_id for each in answer.evidence]
        text = "" if answer.abstained else answer.text
        turn = Turn(question, completion.question, text, completion.words, tuple(dict.fromkeys(rests)),
                    len(before) + 1)  # fmt: skip
        with contextlib.suppress(CoreError):
            self._check_trusted()
            record = _adapter().dump_json(answer).decode()
            thread = self._threads.put(thread, turn, record)
        return ThreadAnswer(answer, completion, thread, (*before, turn), turn.number)

    def _completed(
        self, question: str, before: Sequence[Turn], as_typed: bool, generator: str, context: TaskContext
    ) -> Completion:
        if as_typed and before:
            return Completion(question, question, FollowKind.OWN)
        private = self._store.private
        if (
            before
            and private.is_any
            and not private.are_public(id for turn in before for id in turn.passages)
        ):
            before = without_answers(before, self._models.parse)
        found = complete(question, before, self._models.parse)
        if found.kind is FollowKind.UNCLEAR and generator.partition(":")[0] in LANGUAGE_MODELS:
            self._check_trusted()
            found = complete_by_model(
                self._language_model(generator), question, before, self._models.parse, context
            )
        return found

    # ------------------------------------------------------------ what is stored

    def all(self) -> list[Thread]:
        """The one that was continued last comes first."""
        return self._threads.all()

    def get(self, thread: int) -> Thread:
        """Raises BadInput where there is no such thread."""
        for each in self.all():
            if each.id == thread:
                return each
        raise BadInput(
            tr("There is no thread {thread}.", thread=thread), tr("List them: clew trace threads WORKSPACE")
        )

    def turns(self, thread: int) -> tuple[Turn, ...]:
        """Return the turns in order; none where there is no such thread."""
        return self._threads.turns(thread)

    def answer(self, thread: int, number: int) -> Answer | None:
        """Return the answer of a turn with its trace; None once a document was taken out of the workspace."""
        record = self._threads.record(thread, number)
        if not record:
            return None
        try:
            return _adapter().validate_json(record)
        except ValueError as error:
            raise unreadable_record(str(error).splitlines()[0]) from error

    def rename(self, thread: int, name: str) -> Thread:
        """Raises BadInput for an empty name or where there is no such thread, and as what writes."""
        self._check_trusted()
        self.get(thread)
        self._threads.rename(thread, checked(name))
        return self.get(thread)

    def public_turns(self, thread: int) -> tuple[Turn, ...]:
        """Return the turns that may leave this machine: with no word of a private document."""
        turns, private = self.turns(thread), self._store.private
        if not private.is_any or private.are_public(id for turn in turns for id in turn.passages):
            return turns
        return without_answers(turns, self._models.parse)

    def as_markdown(self, thread: int) -> str:
        """Return a thread as Markdown, without what private documents say. Raises BadInput where there is none."""
        lines = [f"# {_escaped(self.get(thread).name)}"]
        for turn in self.public_turns(thread):
            lines += ["", f"## {turn.number}. {_escaped(turn.original)}", ""]
            if turn.question != turn.original:
                lines += [tr("Read as: {question}", question=_escaped(turn.question)), ""]
            lines += [_escaped(turn.answer) or tr("No answer")]
        return "\n".join(lines) + "\n"

    def export(self, thread: int, target: Path, replace: bool = False) -> None:
        """Write `as_markdown` to a file. Raises BadInput for a file that is there and not to be replaced too."""
        words = self.as_markdown(thread)
        with new_file(target.expanduser(), replace) as temp_path:
            temp_path.write_text(words, encoding="utf-8")


@cache
def _adapter() -> TypeAdapter[Answer]:
    from pydantic import TypeAdapter  # takes a tenth of a second

    return TypeAdapter(Answer)


def _escaped(text: str) -> str:
    """Return a document's words so that Markdown shows them and follows none."""
    words = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|!" else letter for letter in words)
