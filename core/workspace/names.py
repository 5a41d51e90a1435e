"""The names in a workspace: which entity each belongs to, and what people decide about that."""

from __future__ import annotations

from collections.abc import Callable

from core.errors import BadInput
from core.extraction.names import normalise
from core.opening import Opened
from core.progress import TaskContext
from core.review.deciding import decide_on_names
from core.translation import mark, tr
from core.types import NameMerge


class NamesApi:
    """`workspace.names`. Reading is safe from every thread."""

    def __init__(self, opened: Opened, catch_up: Callable[[TaskContext], None]) -> None:
        """`catch_up` brings all that follows from the documents in step."""
        self._store = opened.store
        self._writing = opened.writing
        self._catch_up = catch_up

    def id_of(self, name: str) -> str:
        """Id of a name, however it is written; of several bearers the most mentioned.

        Raises BadInput when no document holds it.
        """
        rows = self._store.senses.ids_of(normalise(name))
        if not rows:
            raise BadInput(
                tr("No document holds the name {name}.", name=name), tr("Check how it is spelled.")
            )
        return rows[0]

    def entity_ids(self) -> dict[str, str]:
        """Id of the entity that each name, by its normal form, belongs to."""
        return self._store.entities.ids_by_name()

    def merges_of(self, entity_id: str) -> list[NameMerge]:
        """The pairs of names that make up an entity, each with its reason, the surest first."""
        return self._store.resolution.merges_of(entity_id)

    def decide(self, one_id: str, other_id: str, verdict: str, context: TaskContext) -> None:
        """Say that two names are one entity ("same"), are two ("different"), or leave it to the rules ("").

        It is keyed by the names themselves, so it outlives indexing. Raises BadInput for names that are gone, or when
        both are one name, WorkspaceError while another process writes, Untrusted, Cancelled.
        """
        with self._writing(mark("changed")):
            one, other = (self._store.entities.normal(id) for id in (one_id, other_id))
            if one == other:
                raise BadInput(tr("This is one name, not two."), tr("Choose another one."))
            decide_on_names(self._store, one, other, verdict)
            self._catch_up(context)
