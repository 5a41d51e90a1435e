"""The names in a workspace: which entity each belongs to, what people decide about that, and a preview of a change."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from core.answering.models import Models
from core.config import Config
from core.errors import BadInput, ModelUnavailable
from core.extraction.names import normalise
from core.graph.synonymy import UNLINKED
from core.ingest.derive import disambiguate, label_names
from core.ingest.resolving import Resolver
from core.progress import TaskContext
from core.protocols import LanguageModel
from core.review.deciding import change_names, decide_on_names
from core.review.name_suggestions import confirm, confirmed, suggestions
from core.store.names import NamePicture, documents_with, name_picture
from core.store.store import Store
from core.text.translation import mark, tr
from core.types import AffectedPin, Confirmed, FactChange, NameChange, NameMerge, NamePreview, NameRow
from core.workspace.handle import WorkspaceHandle
from core.workspace.name_table import read_name_table


def preview(store: Store, change: NameChange) -> NamePreview:
    """Without vectors of new names and without new communities, which take longer and follow from the rest.

    Raises BadInput as the change itself does, WorkspaceError as every writing.
    """
    known = set(store.marks.entities().tolist())
    with store.database.dry_run():
        change_names(store, change)
        _follow(store)
        touched = set(store.marks.entities().tolist()) - known | set(
            store.entities.keys_of(change.entity_ids)
        )
        after = name_picture(store.database, touched)
    before = name_picture(store.database, touched)
    changed = [
        key
        for key in before.names.keys() | after.names.keys()
        if before.names.get(key) != after.names.get(key)
    ]
    heads = {picture.names[key][0] for picture in (before, after) for key in changed if key in picture.names}
    homes = {store.communities.home_of(id) for id in heads}
    return NamePreview(
        entities_before=tuple(entity for id, entity in before.entities.items() if id in heads),
        entities_after=tuple(entity for id, entity in after.entities.items() if id in heads),
        facts=tuple(_fact_changes(before, after)),
        communities=tuple(sorted(home for home in homes if home is not None)),
        document_ids=documents_with(store.database, changed, change.passage_ids),
    )


def _follow(store: Store) -> None:
    context = TaskContext()
    disambiguate(store, context)
    store.facts.join_voices()
    store.facts.sweep()
    store.entities.sweep()
    keys = store.marks.entities()
    vectors = store.embeddings.get("entity", keys.tolist())
    label_names(store)
    with (
        store.database.transaction() as connection
    ):  # an entity's vector follows its name, but is about where it was
        missing = [key for key, _ in store.embeddings.missing_entities(UNLINKED) if key in vectors]
        store.embeddings.put(connection, "entity", [(key, vectors[key]) for key in missing])
    Resolver(store).resolve(keys, context)


def _fact_changes(before: NamePicture, after: NamePicture) -> Iterable[FactChange]:
    counts = Counter((f.subject_id, f.predicate, f.object_id) for f in after.facts.values())
    for id in sorted(before.facts.keys() | after.facts.keys()):
        was, now = before.facts.get(id), after.facts.get(id)
        if was != now:
            joins = now is not None and counts[now.subject_id, now.predicate, now.object_id] > 1
            yield FactChange(was, now, joins)


# ------------------------------------------------------------ API


class NamesApi:
    """`workspace.names`. Reading is safe from every thread."""

    def __init__(
        self,
        opened: WorkspaceHandle,
        catch_up: Callable[[TaskContext], None],
        models: Models,
        config: Callable[[], Config],
        language_model: Callable[[str], LanguageModel],
    ) -> None:
        """`catch_up` brings all that follows from the documents in step, `config` tells the settings that hold now,
        `language_model` gives the one called "ollama:MODEL", or raises BadInput."""
        self._store = opened.store
        self._writing = opened.writing
        self._check_trusted = opened.check_trusted
        self._models = models
        self._config = config
        self._catch_up = catch_up
        self._language_model = language_model

    def id_of(self, name: str) -> str:
        """Id of a name, however it is written; of several bearers the most mentioned.

        Raises BadInput when no document holds it.
        """
        normal = normalise(name)
        rows = self._store.senses.ids_of(normal) or self._store.entities.ids_by_alias(normal)
        if not rows:
            raise BadInput(
                tr("No document holds the name {name}.", name=name), tr("Check how it is spelled.")
            )
        return rows[0]

    def entity_ids(self) -> dict[str, str]:
        """Id of the entity that each name, by its normal form, belongs to."""
        return self._store.entities.ids_by_name()

    def table(self, context: TaskContext) -> list[NameRow]:
        """All entities by their names with what is counted of each; some seconds for 100,000. Raises Cancelled."""
        database = self._store.database
        return database.retry_read(lambda: database.at_one_moment()(read_name_table)(self._store, context))

    def merges_of(self, entity_id: str) -> list[NameMerge]:
        """The pairs of names that make up an entity, each with its reason, the surest first."""
        return self._store.resolution.merges_of(entity_id)

    def aliases_of(self, entity_id: str) -> list[str]:
        """Names, by their normal forms, that an entity goes by though no document holds them."""
        return self._store.entities.unwritten_names(entity_id)

    def suggestions(self, limit: int = 50) -> list[NameMerge]:
        """Pairs of names that may be one entity and are two, none of which was decided on, the surest first."""
        return suggestions(self._store, limit)

    def passages_of(self, entity_id: str) -> list[str]:
        """Ids of the passages that mention an entity, in the order of documents and places."""
        return self._store.name_changes.passages_of(entity_id)

    # ------------------------------------------------------------ deciding

    def preview(self, change: NameChange) -> NamePreview:
        """What a change would change; nothing is. Raises BadInput, WorkspaceError while another process writes."""
        with self._writing(mark("looked at")):
            return preview(self._store, change)

    def affected_pins(self, change: NameChange, context: TaskContext) -> tuple[AffectedPin, ...]:
        """Pinned questions whose answer, route or passages a change would change, with both; nothing is changed.

        Asks them all twice, over a copy of the workspace: others read and write meanwhile. Raises BadInput, Untrusted,
        WorkspaceError where there is no room for the copy, Cancelled, and as `Workspace.ask`.
        """
        from core.workspace.pin_preview import affected_pins  # slow to import

        self._check_trusted()
        return affected_pins(self._store, change, self._models, self._config(), context)

    def change(self, change: NameChange, context: TaskContext, why: str = "") -> str:
        """Make this of entities and their names; id of the act, which `workspace.review` can undo.

        It is keyed by names and texts, so it outlives indexing. Raises as `decide`.
        """
        with self._writing(mark("changed")):
            act = change_names(self._store, change, why)
            self._catch_up(context)
        return act

    def rename(self, entity_id: str, name: str, context: TaskContext, why: str = "") -> str:
        """Have an entity be called so; questions find it by that name, too. Raises as `decide`."""
        return self.change(NameChange("rename", (entity_id,), name), context, why)

    def retype(self, entity_id: str, label: str, context: TaskContext, why: str = "") -> str:
        """Have an entity be of this kind, one of core.types.kinds.LABELS. Raises as `decide`."""
        return self.change(NameChange("retype", (entity_id,), label), context, why)

    def add_alias(self, entity_id: str, name: str, context: TaskContext, why: str = "") -> str:
        """Have an entity go by a further name, whether a document holds it or not. Raises as `decide`."""
        return self.change(NameChange("alias", (entity_id,), name), context, why)

    def merge(self, entity_ids: Sequence[str], context: TaskContext, why: str = "") -> str:
        """Have several be one entity. Raises as `decide`."""
        return self.change(NameChange("merge", tuple(entity_ids)), context, why)

    def split(
        self, entity_id: str, passage_ids: Sequence[str], sense: str, context: TaskContext, why: str = ""
    ) -> str:
        """Have the mentions in these passages mean somebody else: `sense` says who. Raises as `decide`."""
        return self.change(NameChange("split", (entity_id,), sense, tuple(passage_ids)), context, why)

    def confirm(self, generator: str, context: TaskContext, most: int = 50, run: str = "") -> Confirmed:
        """Ask a language model, "ollama:MODEL", about at most `most` pairs of names that are nearly the same in
        meaning; each verdict is an act under its name, which `workspace.review` can undo, or all by the id of the run.

        What it says is kept at once, also where it is stopped: see `confirmed`. Raises BadInput, WorkspaceError while
        another process writes, Untrusted, ModelUnavailable, Cancelled.
        """
        model = self._language_model(generator)
        with self._writing(mark("changed")):
            try:
                found = confirm(self._store, model, most, context, run or uuid.uuid4().hex)
            except ModelUnavailable:
                self._catch_up(context)
                raise
            if found.merged or found.separate:
                self._catch_up(context)
        return found

    def confirmed(self, run: str) -> Confirmed:
        """What a run of `confirm` decided, also one that was stopped; without what failed."""
        return confirmed(self._store, run)

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
