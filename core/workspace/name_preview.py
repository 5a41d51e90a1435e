"""What a change of names would change: tried out on the workspace, of which nothing stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.graph.synonymy import UNLINKED
from core.ingest.derive import disambiguate, label_names
from core.ingest.resolving import Resolver
from core.progress import TaskContext
from core.review.deciding import change_names
from core.store.names import NamePicture, documents_with, name_picture
from core.store.store import Store
from core.types import FactChange, NameChange, NamePreview


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
